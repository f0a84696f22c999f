package experiment

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/agepath/agepath/experiment/outside"
)

// Reason groups errors of a method's cells of one status that differ only in numbers and
// identities.
type Reason struct {
	Count  int64  `json:"count"`
	Method string `json:"method"` // "" if several
	Status Status `json:"status"`
	Text   string `json:"reason"` // see [ReasonText]
	Cell   string `json:"cell"`
	// see [Outcome]
	Repeats bool `json:"repeats"`
}

// String formats the reason, as in 30 x forest: ModuleNotFoundError: No module named 'numpy'.
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
	// mostReasons is the number of distinct reasons; further ones are counted per status.
	mostReasons = 200
	reasonBytes = 200
)

// NotWithin begins the error of a cell at its time limit; after a colon follows where it was then.
const NotWithin = "not done within "

// ReasonText returns the first line of a cell's error, without the method and control characters. For a command that ended
// without an answer it is the last line of standard error; otherwise that line is appended.
func ReasonText(method, text string) string {
	text, stderr := outside.CutStderr(text)
	first, _, _ := strings.Cut(text, "\n")
	if who, what, ok := strings.Cut(first, " "+method+": "); ok && strings.HasPrefix(who, "the ") && strings.Count(who, " ") == 1 {
		first = what // from "the method M: why" or "the solver M: why"
	}
	if at := strings.IndexAny(first, ":;"); at > 0 && strings.HasPrefix(first, NotWithin) { // where it was then differs from cell to cell
		first, stderr = first[:at], ""
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
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(first, ""), unicode.IsControl), " ")
}

var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)

// ReasonLike returns [ReasonText] with … in place of numbers, identities and the given names of the
// cell.
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

// ReasonKey identifies the reason of an error.
func ReasonKey(method string, status Status, text string) string {
	return method + "\x00" + string(status) + "\x00" + ReasonLike(method, text)
}

// Reasons counts cells that are not ok by reason. The zero value is ready for use, also
// concurrently.
type Reasons struct {
	mu    sync.Mutex
	byKey map[string]*Reason
}

// Add counts a cell and returns its reason with the new count. The statuses diverged and incomplete
// imply repeats.
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
