package report

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/chromium"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// columnTexts returns the shown texts of a column of the first table.
func columnTexts(b *chromium.Page, j int) []string {
	return chromium.Value[[]string](b, fmt.Sprintf(
		`[...document.querySelectorAll("#values-accuracy tbody tr")].map((tr) => tr.cells[%d].textContent)`, j))
}

func TestHTMLInBrowser(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	run := testrun.Quickstart(8) // enough repeats for marks
	run.Cells[3] = testrun.Merge(run.Cells[3], testrun.Row{"status": "failed", "error": "</script><b>not a tag", "test_at_best_test": nil, "test_at_best_validation": nil, "test_at_end": nil})
	dir := testrun.Write(t, run)
	html, err := FormatNamed("html")
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{Formats: []Format{html}, Figures: 3})
	report := (&url.URL{Scheme: "file", Path: filepath.Join(dir, results.ReportFolder, "report.html")}).String()
	b := chromium.Open(t, report, report)
	if n := chromium.Value[int](b, `document.querySelectorAll("article.sheet table").length`); n != 2+1+1+2+2+2 {
		t.Errorf("%d tables", n)
	}
	if text := chromium.Value[string](b, `document.querySelector("#answer-failures tbody").textContent`); !strings.Contains(text, "</script><b>not a tag") {
		t.Errorf("failed cells: %s", text)
	}
	if shown := chromium.Value[bool](b, `document.querySelector("#values-accuracy").checkVisibility()`); shown {
		t.Error("what is under More is unfolded")
	}
	chromium.Value[bool](b, `document.querySelector("#more").open = true`)
	testSorting(t, b)
	testFiltering(t, b)
	testDownloads(t, b, dir)
	b.CheckLooks("report", 1200)
	testNarrow(t, b)
	if problems := b.Problems(); len(problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(problems, "\n"))
	}
}

// testDownloads follows the links to the tables, from a page that is a file. What is saved must be
// what the format csv writes.
func testDownloads(t *testing.T, b *chromium.Page, dir string) {
	t.Helper()
	csv, err := FormatNamed("csv")
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{Formats: []Format{csv}, Figures: -1})
	saved, names := t.TempDir(), chromium.Value[[]string](b, `[...document.querySelectorAll(".downloads a")].map((a) => a.download)`)
	b.SaveTo(saved)
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(dir, results.ReportFolder, name))
		if err != nil {
			t.Fatal(err)
		}
		b.Do(chromedp.Click(fmt.Sprintf(`.downloads a[download="%s"]`, name)))
		var have []byte
		for end := time.Now().Add(20 * time.Second); !bytes.Equal(have, want) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			have, _ = os.ReadFile(filepath.Join(saved, name)) // when it is there
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is saved with %d bytes, want %d", name, len(have), len(want))
		}
	}
	if !slices.Contains(names, "tables.csv") || !slices.Contains(names, "chosen.csv") {
		t.Errorf("the links are %q", names)
	}
}

// TestLargeDownload wants what no address can hold to have no link.
func TestLargeDownload(t *testing.T) {
	t.Parallel()
	const chromium = 2 << 20 // the longest address that it takes
	if d := linked("a.csv", make([]byte, mostLinked)); d.URL == "" || len(d.URL) > chromium {
		t.Errorf("the largest file has an address of %d bytes", len(d.URL))
	}
	if d := linked("a.csv", make([]byte, mostLinked+1)); d.URL != "" {
		t.Errorf("a larger file has an address of %d bytes", len(d.URL))
	}
}

// testNarrow wants the scores to be seen on a telephone without scrolling sideways.
func testNarrow(t *testing.T, b *chromium.Page) {
	t.Helper()
	for _, width := range []int64{420, 1280} {
		b.Resize(width, 1200)
		hidden := chromium.Value[[]string](b, `[...document.querySelectorAll("#answer article")].filter((a) => {
			const frame = a.querySelector(".frame");
			return frame.scrollWidth > frame.clientWidth;
		}).map((a) => a.id)`)
		if len(hidden) > 0 {
			t.Errorf("at %d px one scrolls sideways to see %q", width, hidden)
		}
		if cards := chromium.Value[bool](b, `document.querySelector("#answer-accuracy table").classList.contains("cards")`); cards != (width == 420) {
			t.Errorf("at %d px a card for each row: %t", width, cards)
		}
		b.Shot(fmt.Sprintf("answer-%d", width))
	}
}

// testSorting sorts by the keyboard: up, down, and back to the report's order.
func testSorting(t *testing.T, b *chromium.Page) {
	t.Helper()
	heads := chromium.Value[[]string](b, `[...document.querySelectorAll("#values-accuracy th")].map((th) => th.textContent)`)
	last := slices.Index(heads, "ACSoracle")
	if last < 0 {
		t.Fatalf("heads %q", heads)
	}
	before := columnTexts(b, last)
	sorted := func() (state string, numbers []float64) {
		b.Do(chromedp.Focus(fmt.Sprintf("#values-accuracy th:nth-child(%d) button", last+1)), chromedp.KeyEvent(kb.Enter))
		for _, text := range columnTexts(b, last) {
			word, _, _ := strings.Cut(text, " ")
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, x)
		}
		return chromium.Value[string](b, fmt.Sprintf(`document.querySelectorAll("#values-accuracy th")[%d].getAttribute("aria-sort") || ""`, last)), numbers
	}
	state, up := sorted()
	if state != "ascending" || !slices.IsSorted(up) || len(up) != len(before) {
		t.Errorf("after the first Enter %s: %v", state, up)
	}
	state, down := sorted()
	slices.Reverse(down)
	if state != "descending" || !slices.Equal(up, down) {
		t.Errorf("after the second Enter %s: %v", state, down)
	}
	if state, _ = sorted(); state != "" || !slices.Equal(columnTexts(b, last), before) {
		t.Errorf("after the third Enter %q: %q", state, columnTexts(b, last))
	}
}

// testFiltering filters by words and by a choice, together and apart.
func testFiltering(t *testing.T, b *chromium.Page) {
	t.Helper()
	all := len(columnTexts(b, 0))
	count := func() string {
		return chromium.Value[string](b, `document.querySelector("#values-accuracy output").textContent`)
	}
	b.Do(chromedp.SendKeys("#values-accuracy input", "MIXTURE 0.3"))
	var regularizers []string
	for j := range 3 {
		regularizers = append(regularizers, columnTexts(b, j)...)
	}
	if n := len(columnTexts(b, 0)); n == 0 || n >= all || count() != fmt.Sprintf("%d of %d rows", n, all) || slices.Contains(regularizers, "linear") {
		t.Errorf("%d of %d rows with both words, %s: %q", n, all, count(), regularizers)
	}
	b.Shot("filtered")
	chromium.Value[bool](b, `{ const i = document.querySelector("#values-accuracy input"); i.value = ""; i.dispatchEvent(new Event("input")) }`)
	choose := `{ const s = document.querySelector("#values-accuracy select"); s.value = s.options[%d].value; s.dispatchEvent(new Event("change")); s.options[%d].text }`
	chosen := chromium.Value[string](b, fmt.Sprintf(choose, 1, 1))
	column := columnTexts(b, 0)
	if len(column) == 0 || len(column) >= all || slices.ContainsFunc(column, func(text string) bool { return text != chosen }) {
		t.Errorf("%q chosen: %q", chosen, column)
	}
	if chromium.Value[string](b, fmt.Sprintf(choose, 0, 0)) != "all" || len(columnTexts(b, 0)) != all {
		t.Errorf("%s after all filters are off, want %d", count(), all)
	}
}
