package results

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser is Chromium with a report, and what the page complained about.
type browser struct {
	ctx      context.Context
	mutex    sync.Mutex
	problems []string
}

// openBrowser opens a page. The test is skipped where there is no Chromium.
func openBrowser(t *testing.T, path string) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		cannot(t, "the HTML report is tested in Chromium, which is not there")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, cdplog.Enable, cdp.Empty{})
	b.do(t, chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
	return b
}

// listen notes messages of the console, exceptions and requests beyond the page
// itself.
func (b *browser) listen(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console %s: %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %s in line %d", e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber+1)
	case *cdplog.EventEntryAdded:
		problem = fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "data:") && !strings.HasSuffix(u, "/report.html") {
			problem = "request of " + u
		}
	}
	if problem == "" {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.problems = append(b.problems, problem)
}

func (b *browser) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func call[P, R any](t *testing.T, b *browser, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

// value evaluates a JavaScript expression.
func value[T any](t *testing.T, b *browser, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// column returns the shown texts of a column of the first table.
func (b *browser) column(t *testing.T, j int) []string {
	t.Helper()
	return value[[]string](t, b, fmt.Sprintf(
		`[...document.querySelectorAll("#scores-1-oracle tbody tr")].map((tr) => tr.cells[%d].textContent)`, j))
}

// shot keeps a picture of the page for people to look at, in the folder
// AGEPATH_SCREENSHOTS if that is set.
func (b *browser) shot(t *testing.T, name string) {
	t.Helper()
	folder := os.Getenv("AGEPATH_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestHTMLInBrowser(t *testing.T) {
	t.Parallel()
	run := quickstart(8) // enough repeats for marks
	run.cells[3] = merge(run.cells[3], cellRow{"status": "failed", "error": "</script><b>not a tag", "score_oracle": nil, "score_validation": nil, "score_final": nil})
	dir := writeRun(t, run)
	html, err := FormatNamed("html")
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, Options{Formats: []Format{html}, Figures: 3})
	b := openBrowser(t, filepath.Join(dir, reportFolder, "report.html"))
	if n := value[int](t, b, `document.querySelectorAll("article.sheet table").length`); n != 4+4+2+2+1 {
		t.Errorf("%d tables", n)
	}
	if text := value[string](t, b, `document.querySelector("#failed-cells tbody").textContent`); !strings.Contains(text, "</script><b>not a tag") {
		t.Errorf("failed cells: %s", text)
	}
	testSorting(t, b)
	testFiltering(t, b)
	testThemesAndWidths(t, b)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(b.problems, "\n"))
	}
}

// testSorting sorts by the keyboard: up, down, and back to the report's order.
func testSorting(t *testing.T, b *browser) {
	t.Helper()
	heads := value[[]string](t, b, `[...document.querySelectorAll("#scores-1-oracle th")].map((th) => th.textContent)`)
	last := slices.Index(heads, "ACS")
	if last < 0 {
		t.Fatalf("heads %q", heads)
	}
	before := b.column(t, last)
	sorted := func() (state string, numbers []float64) {
		b.do(t, chromedp.Focus(fmt.Sprintf("#scores-1-oracle th:nth-child(%d) button", last+1)), chromedp.KeyEvent(kb.Enter))
		for _, text := range b.column(t, last) {
			word, _, _ := strings.Cut(text, " ")
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, x)
		}
		return value[string](t, b, fmt.Sprintf(`document.querySelectorAll("#scores-1-oracle th")[%d].getAttribute("aria-sort") || ""`, last)), numbers
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
	if state, _ = sorted(); state != "" || !slices.Equal(b.column(t, last), before) {
		t.Errorf("after the third Enter %q: %q", state, b.column(t, last))
	}
}

// testFiltering filters by words and by a choice, together and apart.
func testFiltering(t *testing.T, b *browser) {
	t.Helper()
	all := len(b.column(t, 0))
	count := func() string {
		return value[string](t, b, `document.querySelector("#scores-1-oracle output").textContent`)
	}
	b.do(t, chromedp.SendKeys("#scores-1-oracle input", "MIXTURE 0.3"))
	var regularizers []string
	for j := range 3 {
		regularizers = append(regularizers, b.column(t, j)...)
	}
	if n := len(b.column(t, 0)); n == 0 || n >= all || count() != fmt.Sprintf("%d of %d rows", n, all) || slices.Contains(regularizers, "linear") {
		t.Errorf("%d of %d rows with both words, %s: %q", n, all, count(), regularizers)
	}
	b.shot(t, "filtered")
	value[bool](t, b, `{ const i = document.querySelector("#scores-1-oracle input"); i.value = ""; i.dispatchEvent(new Event("input")) }`)
	choose := `{ const s = document.querySelector("#scores-1-oracle select"); s.value = s.options[%d].value; s.dispatchEvent(new Event("change")); s.options[%d].text }`
	chosen := value[string](t, b, fmt.Sprintf(choose, 1, 1))
	column := b.column(t, 0)
	if len(column) == 0 || len(column) >= all || slices.ContainsFunc(column, func(text string) bool { return text != chosen }) {
		t.Errorf("%q chosen: %q", chosen, column)
	}
	if value[string](t, b, fmt.Sprintf(choose, 0, 0)) != "all" || len(b.column(t, 0)) != all {
		t.Errorf("%s after all filters are off, want %d", count(), all)
	}
}

// testThemesAndWidths looks at both themes at widths from a telephone to a wide
// screen: nothing but tables is wider than the window, and the button overrides
// the system's theme.
func testThemesAndWidths(t *testing.T, b *browser) {
	t.Helper()
	background := func() string { return value[string](t, b, `getComputedStyle(document.body).backgroundColor`) }
	const light, dark = "rgb(255, 255, 255)", "rgb(17, 22, 27)"
	for _, theme := range []string{"light", "dark"} {
		call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		if got, want := background(), map[string]string{"light": light, "dark": dark}[theme]; got != want {
			t.Errorf("%s theme: background %s, want %s", theme, got, want)
		}
		for _, width := range []int64{400, 800, 1600} {
			b.do(t, chromedp.EmulateViewport(width, 1200))
			if wide := value[int64](t, b, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s theme: the page is %d wide in a window of %d", theme, wide, width)
			}
			b.shot(t, fmt.Sprintf("%s-%d", theme, width))
		}
	}
	for _, want := range []string{light, dark, dark} { // light, dark, and the system's, which is dark
		b.do(t, chromedp.Focus("#theme"), chromedp.KeyEvent(kb.Enter))
		if got := background(); got != want {
			t.Errorf("the button %q: background %s, want %s", value[string](t, b, `document.getElementById("theme").textContent`), got, want)
		}
	}
}
