package selfpaced

import "testing"

func TestBesidePublished(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string]struct{ words, otherwise int }{"paper": {0, 0}, "scripts": {1, 2}, "held-out": {1, 0}} {
		words, otherwise := sectionOf(mustParse(t, leastKeys+"protocol: "+protocol+"\n")).BesidePublished()
		if len(words) != want.words || len(otherwise) != want.otherwise {
			t.Errorf("protocol %s: %q, %v", protocol, words, otherwise)
		}
	}
}
