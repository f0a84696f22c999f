package live

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

const (
	// mostReasons bounds the reasons that are told apart; further ones of a status
	// are counted together. shownReasons is how many are shown.
	mostReasons  = 200
	shownReasons = 50
	// reasonBytes is how much of the first line of an error tells reasons apart.
	reasonBytes = 200
)

// Reason is why cells are not ok: errors of one status that differ in numbers alone.
type Reason struct {
	Count  int64 `json:"count"`
	Newest Cell  `json:"newest"`
}

// numbers are what errors of one reason differ in.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)

// reasonOf returns the reason of an error.
func reasonOf(status experiment.Status, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.ToValidUTF8(first[:min(len(first), reasonBytes)], "")
	return string(status) + ": " + numbers.ReplaceAllString(first, "#")
}

// reasons count the cells that are not ok.
type reasons map[string]*Reason

func (r reasons) add(status experiment.Status, text string, newest Cell) {
	key := reasonOf(status, text)
	if r[key] == nil && len(r) >= mostReasons {
		key = string(status)
	}
	if r[key] == nil {
		r[key] = new(Reason)
	}
	r[key].Count++
	r[key].Newest = newest
}

// list returns the most frequent reasons first, and how many cells have others.
func (r reasons) list() (list []Reason, others int64) {
	list = make([]Reason, 0, len(r))
	for _, reason := range r {
		list = append(list, *reason)
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), b.Newest.Finished.Compare(a.Newest.Finished),
			cmp.Compare(a.Newest.Cell, b.Newest.Cell))
	})
	for _, reason := range list[min(len(list), shownReasons):] {
		others += reason.Count
	}
	return list[:min(len(list), shownReasons)], others
}
