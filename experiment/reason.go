package experiment

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agepath/agepath/experiment/outside"
)

// Reason is why cells of a method are not ok: errors of one status that differ in numbers
// and identities alone.
type Reason struct {
	Count  int64  `json:"count"`
	Method string `json:"method"` // "" for several methods
	Status Status `json:"status"`
	Text   string `json:"reason"` // of the first of the cells, see [ReasonText]
	Cell   string `json:"cell"`   // the first
	// Repeats says that the cells fail so each time under the same limits.
	Repeats bool `json:"repeats"`
}

// String says it in a line: 30 x forest: ModuleNotFoundError: No module named 'numpy'.
func (r Reason) String() string {
	method := r.Method
	if method != "" {
		method += ": "
	}
	status := ""
	if r.Status != Failed {
		status = string(r.Status) + ": "
	}
	return fmt.Sprintf("%d x %s%s%s", r.Count, method, status, r.Text)
}

const (
	// mostReasons bounds the reasons that are told apart; further ones of a status are
	// counted together.
	mostReasons = 200
	// reasonBytes bounds the text of a reason.
	reasonBytes = 200
)

// ReasonText returns what people are shown of the error of a cell of a method: its first
// line, without the method. Of a command that ended without an answer it is the last line that it
// wrote to its standard error, and otherwise that line follows the error.
func ReasonText(method, text string) string {
	text, stderr := outside.CutStderr(text)
	first, _, _ := strings.Cut(text, "\n")
	if who, what, ok := strings.Cut(first, " "+method+": "); ok && strings.HasPrefix(who, "the ") && strings.Count(who, " ") == 1 {
		first = what // of "the method M: why", or "the solver M: why"
	}
	stderr = strings.TrimSpace(stderr)
	if last := strings.TrimSpace(stderr[strings.LastIndexByte(stderr, '\n')+1:]); last != "" {
		switch {
		case outside.Unanswered(first):
			first = last
		case !strings.Contains(first, last):
			first += "; standard error: " + last
		}
	}
	if len(first) > reasonBytes {
		first = first[:reasonBytes] + " ..."
	}
	return strings.ToValidUTF8(first, "")
}

// varying are what errors of one reason differ in.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)

// ReasonLike returns [ReasonText] with … for what errors of one reason differ in: numbers,
// identities, and words that are names of their cell.
func ReasonLike(method, text string, names ...string) string {
	text = ReasonText(method, text)
	if len(names) > 0 {
		words := strings.Fields(text)
		for i, word := range words {
			if bare := strings.Trim(word, ",.:;\"'"); bare != "" && slices.Contains(names, bare) {
				words[i] = strings.Replace(word, bare, "…", 1)
			}
		}
		text = strings.Join(words, " ")
	}
	return varying.ReplaceAllString(text, "…")
}

// ReasonKey returns what is the same for errors of one reason.
func ReasonKey(method string, status Status, text string) string {
	return method + "\x00" + string(status) + "\x00" + ReasonLike(method, text)
}

// Reasons count cells that are not ok by their reason. The zero value has none. It is safe
// for concurrent use.
type Reasons struct {
	mu    sync.Mutex
	byKey map[string]*Reason
}

// Add counts a cell and returns how its reason is counted now. repeats is
// [Outcome.Repeats]; cells that diverged or are incomplete do so each time.
func (r *Reasons) Add(method string, status Status, text, cell string, repeats bool) Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	key, shown := ReasonKey(method, status, text), ReasonText(method, text)
	if r.byKey[key] == nil && len(r.byKey) >= mostReasons {
		key, method, shown = string(status), "", "other reasons"
	}
	found := r.byKey[key]
	if found == nil {
		if r.byKey == nil {
			r.byKey = map[string]*Reason{}
		}
		found = &Reason{Method: strings.Clone(method), Status: status, Text: strings.Clone(shown), Cell: strings.Clone(cell)}
		r.byKey[key] = found
	}
	found.Count++
	found.Repeats = found.Repeats || repeats || status == Diverged || status == Incomplete
	return *found
}

// List returns the reasons, the most frequent first.
func (r *Reasons) List() []Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Reason, 0, len(r.byKey))
	for _, reason := range r.byKey {
		list = append(list, *reason)
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Cell, b.Cell))
	})
	return list
}
