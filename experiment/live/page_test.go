package live

import (
	"context"
	"net"
	"os/user"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/chromium"
	"github.com/agepath/agepath/internal/testing/needs"
)

// serve runs the monitor and its server on a free port until the test ends.
func serve(t *testing.T, m *Monitor) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { m.Run(ctx) })
	all.Go(func() {
		if err := Serve(ctx, listener, m.Handler()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		all.Wait()
	})
	return "http://" + listener.Addr().String() + "/"
}

// TestPageInBrowser watches a run in a real browser while it is computed.
func TestPageInBrowser(t *testing.T) {
	needs.Patience(t, "11 s")
	b := newBed(t)
	b.submit("sweep-12345678", 8)
	m := b.monitor()
	address := serve(t, m)
	p := chromium.Open(t, address, address)
	p.Await(`document.getElementById("n-queued").textContent === "72"`)
	if got := chromium.Value[string](p, `[...document.querySelectorAll("#numbers div:not([hidden]), main > section:not([hidden]) h2, main > details:not([hidden]) summary")].map((e) => e.textContent.trim()).join("; ")`); got != "sweep-12345678; queued72; Cells by data set and method" {
		t.Errorf("what is shown of a run before anything is done: %q", got)
	}
	if text := chromium.Value[string](p, `document.querySelector("#map tbody th:first-child").textContent + document.querySelectorAll("#map td").length`); text != datasets[0]+"9" {
		t.Errorf("heat map before anything is done: %s", text)
	}
	b.compute(20, experiment.OK)
	p.Await(`document.getElementById("n-ok").textContent === "20"`)
	b.compute(3, experiment.Failed)
	b.compute(1, experiment.Timeout)
	held := b.pull()
	if err := b.Announce(&queue.Presence{Name: "tester", Slots: 2, State: queue.Working, At: time.Now(), Started: time.Now(),
		Running: []queue.Running{{Run: held.Task.Run, Cell: held.Task.Cell, Since: time.Now(), Attempt: 1}}, Done: 24}); err != nil {
		t.Fatal(err)
	}
	p.Await(`document.getElementById("n-ok").textContent === "20" && document.getElementById("n-failed").textContent === "4" && document.getElementById("n-running").textContent === "1"`)
	p.Await(`document.querySelector("#workers tbody").textContent.includes("1 of 2")`)
	if got := chromium.Value[string](p, `document.getElementById("bar").getAttribute("aria-valuenow") + document.getElementById("spoken").textContent`); !strings.HasPrefix(got, "33") || !strings.Contains(got, "% ended") {
		t.Errorf("progress for those who cannot see it: %s", got)
	}
	if got := chromium.Value[string](p, `document.querySelector("#map").textContent`); !strings.Contains(got, "<b>tall & wide</b>") || !strings.Contains(got, "8 / 8") || !strings.Contains(got, "✕ 4 failed") {
		t.Errorf("heat map: %s", got)
	}
	testScores(t, p)
	testKeyboard(t, p)
	p.CheckLooks("live", 2400)
	chromium.Value[bool](p, `{
		window.shifts = 0;
		new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shifts += e.value; }).observe({ type: "layout-shift" });
		true;
	}`)

	b.end(held, experiment.OK)
	b.compute(72-25, experiment.OK)
	p.Await(`document.getElementById("phase").textContent.startsWith("finished: 100 % of 72 cells have ended, 68 ok")`)
	if shifts := chromium.Value[float64](p, `window.shifts`); shifts > 0.1 { // rows and boxes come
		t.Errorf("updates moved the page: cumulative layout shift %g", shifts)
	}
	testRuns(t, b, p)
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(problems, "\n"))
	}
}

// me returns the user who runs this test.
func me(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// TestPageOfTrouble shows a run that ended with most cells failed, a cancelled one,
// and workers in all states: what went wrong is said in the title, the heading and
// the bar, in the colour of trouble, in both themes.
func TestPageOfTrouble(t *testing.T) {
	needs.Patience(t, "2 s")
	b := newBed(t)
	b.submit("broken-12345678", 6)
	b.compute(10, experiment.OK)
	b.compute(2, experiment.Incomplete)
	b.compute(40, experiment.Failed)
	b.compute(2, experiment.Timeout)
	b.submit("dropped-1", 3)
	b.compute(5, experiment.OK)
	if err := b.Cancel(b.ctx, "dropped-1"); err != nil {
		t.Fatal(err)
	}
	// Workers that are there announce themselves ahead of the clock, since a browser may open slowly.
	ago := func(s int) time.Time { return time.Now().Add(-time.Duration(s) * time.Second) }
	for _, p := range []queue.Presence{
		{Name: "busy-1", State: queue.Working, At: ago(-300), Slots: 2, Running: []queue.Running{{Run: "elsewhere", Cell: "c", Since: ago(70), Attempt: 1}}, Done: 52, Failed: 44},
		{Name: "idle-1", State: queue.Idle, At: ago(-300), Slots: 4},
		{Name: "lost-1", State: queue.Working, At: ago(40), Slots: 2, Running: []queue.Running{{Run: "elsewhere", Cell: "d", Since: ago(90), Attempt: 1}}},
		{Name: "stopping-1", State: queue.Stopping, At: ago(-300), Slots: 1, Trouble: "fetching the data set: no space left on device"},
	} {
		if err := b.Announce(&p); err != nil {
			t.Fatal(err)
		}
	}
	address := serve(t, b.monitor())
	p := chromium.Open(t, address+"#run=broken-12345678", address)
	p.Await(`document.getElementById("phase").textContent === "finished: 100 % of 54 cells have ended, 10 ok"`)
	text := func(expression string) string { return chromium.Value[string](p, expression) }
	if got, want := text(`document.title`), "✕ 42 failed, 2 incomplete, 100 % broken-12345678 – agepath"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	if got, want := text(`document.querySelector("#progress h2").textContent`), "broken-12345678 42 failed, 2 incomplete"; got != want {
		t.Errorf("heading %q, want %q", got, want)
	}
	if got, want := text(`document.getElementById("bar").className + " " + [...document.getElementById("bar").children].map((e) => Math.round(parseFloat(e.style.width))).join(" ")`), "bad 19 4 78 0"; got != want {
		t.Errorf("bar %q, want %q: ok, incomplete, failed, running in percent", got, want)
	}
	for theme, red := range map[string]string{"light": "rgb(179, 20, 27)", "dark": "rgb(255, 143, 135)"} {
		got := text(`document.documentElement.dataset.theme = "` + theme + `";
			[getComputedStyle(document.getElementById("run-name")).color, getComputedStyle(document.getElementById("verdict")).color, getComputedStyle(document.getElementById("phase")).color,
				getComputedStyle(document.getElementById("bar")).borderTopColor, getComputedStyle(document.querySelector("#runs tr:first-child td:nth-child(2)")).color].join("; ")`)
		if want := strings.Join([]string{red, red, red, red, red}, "; "); got != want {
			t.Errorf("%s theme: name, verdict, phase, bar and row are %s, want %s", theme, got, want)
		}
	}
	rows := `[...document.querySelectorAll("#runs tbody tr")].map((tr) => tr.cells[5].textContent + " " + tr.cells[6].textContent).join("; ")`
	if got, want := text(rows), me(t)+" 10; – –"; got != want { // the second has no queue any more
		t.Errorf("owners and priorities of the runs %q, want %q", got, want)
	}
	text(`document.documentElement.dataset.theme = "auto"`)
	p.Await(`document.getElementById("icon").dataset.color === getComputedStyle(document.getElementById("verdict")).color && document.getElementById("icon").href.startsWith("data:image/png")`)
	p.Await(`document.getElementById("frame-failures") !== null`)
	if got, want := text(`document.querySelector("#frame-failures tbody tr").textContent`), "16 x GAGAcell … had no luck: <img src=x onerror=alert(…)>"; !strings.HasPrefix(got, want) {
		t.Errorf("the most frequent reason %q, want %q", got, want)
	}
	if got, want := text(`[...document.querySelectorAll("#map td")].map((td) => td.className).join("; ")`), "h5; h3 has-warn; h0 has-bad; h0 has-bad; h0 has-bad; h0 has-bad; h0 has-bad; h0 has-bad; h0 has-bad"; got != want {
		t.Errorf("heat map %q, want %q: the share that is ok, and a mark where some are not", got, want)
	}
	want := "busy-1 working, idle-1 idle, lost-1 lost, silent for, stopping-1 stopping"
	if got := text(`[...document.querySelectorAll("#workers tbody tr")].map((tr) => tr.cells[0].textContent + " " + tr.cells[1].textContent.replace(/ \d.*/, "")).join(", ")`); got != want {
		t.Errorf("workers %q, want %q", got, want)
	}
	p.CheckLooks("trouble", 2000)
	p.Do(chromedp.Focus("#runs tbody tr:nth-child(2) a"), chromedp.KeyEvent(kb.Enter))
	p.Await(`document.getElementById("phase").textContent === "cancelled: 19 % of 27 cells have ended"`)
	if got, want := text(`document.getElementById("verdict").textContent + "; " + document.getElementById("bar").className`), "cancelled, 22 not computed; warn"; got != want {
		t.Errorf("a cancelled run: %q, want %q", got, want)
	}
	p.CheckLooks("cancelled", 2000)
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(problems, "\n"))
	}
}

// testScores reads what the run says so far.
func testScores(t *testing.T, p *chromium.Page) {
	t.Helper()
	p.Await(`document.getElementById("frame-rmse") !== null && document.getElementById("frame-failures") !== null`)
	if got := chromium.Value[string](p, `[...document.querySelectorAll("#frame-rmse thead th")].map((th) => th.textContent).join("; ") + " | " +
		[...document.querySelector("#frame-rmse tbody tr").cells].map((td) => td.textContent).join("; ")`); got != "Original; ACS; GAGA | 1.8 ± 1.3; 2.8 ± 1.3; 3.8 ± 1.3 4 of 8; 4 failed" {
		t.Errorf("scores %q", got)
	}
	if got := chromium.Value[string](p, `document.getElementById("said").textContent`); !strings.HasPrefix(got, "So far: ") {
		t.Errorf("the verdict: %s", got)
	}
	if got, want := chromium.Value[string](p, `[...document.querySelectorAll("#frame-failures tbody tr")].map((tr) => tr.cells[0].textContent).join("; ")`), "3 x GAGA; 1 x GAGA timeout"; got != want {
		t.Errorf("reasons %q, want %q", got, want)
	}
}

// testRuns has another run begin, chooses it, and takes the server away.
func testRuns(t *testing.T, b *bed, p *chromium.Page) {
	t.Helper()
	b.submit("another-1", 1)
	p.Await(`document.querySelectorAll("#runs tbody tr").length === 2`)
	if name := chromium.Value[string](p, `document.getElementById("run-name").textContent`); name != "sweep-12345678" {
		t.Errorf("the page turned to %s by itself", name)
	}
	p.Do(chromedp.Focus("#runs a"), chromedp.KeyEvent(kb.Enter))
	p.Await(`document.getElementById("run-name").textContent === "another-1" && document.getElementById("n-queued").textContent === "9"`)
	if got := chromium.Value[string](p, `document.querySelector("#runs a[aria-current]").textContent + " " + [...document.querySelectorAll("main [hidden]")].map((e) => e.textContent.trim()).filter((text) => /^(Slowest|Failed)/.test(text)).length`); got != "another-1 2" {
		t.Errorf("the chosen run and how many boxes it does not fill: %s", got)
	}
	b.Close()
	p.Await(`document.getElementById("health").textContent.includes("out of reach")`)
}

// testKeyboard uses the page without a mouse.
func testKeyboard(t *testing.T, p *chromium.Page) {
	t.Helper()
	press := func(keys string) string {
		p.Do(chromedp.KeyEvent(keys))
		return chromium.Value[string](p, `(document.activeElement.id || document.activeElement.className || document.activeElement.textContent)`)
	}
	if at := press(kb.Tab); at != "skip" {
		t.Errorf("the first Tab leads to %q", at)
	}
	if at := press(kb.Enter); at != "main" {
		t.Errorf("the skip link leads to %q", at)
	}
	chromium.Value[bool](p, `document.querySelectorAll("main > details").forEach((e) => { e.open = true; }); true`)
	var stops []string
	for range 60 {
		stops = append(stops, press(kb.Tab))
	}
	for _, want := range []string{"frame-rmse", "workers", "failures", "Status", "slowest", "Time"} {
		if !strings.Contains(strings.Join(stops, "\n"), want) {
			t.Errorf("Tab does not lead to %s: %q", want, stops)
		}
	}
	column := func() []float64 {
		return chromium.Value[[]float64](p, `[...document.querySelectorAll("#slowest tbody tr")].map((tr) => parseFloat(tr.cells[0].textContent))`)
	}
	p.Do(chromedp.Focus("#slowest th:nth-child(1) button"))
	press(kb.Enter)
	first := column()
	press(kb.Enter)
	last := column()
	sorted := chromium.Value[string](p, `document.querySelector("#slowest th:nth-child(1)").getAttribute("aria-sort")`)
	if len(first) < 20 || first[0] >= last[0] || sorted != "descending" {
		t.Errorf("sorted up %v, down %v, %s", first, last, sorted)
	}
	p.Do(chromedp.Focus("#failures tbody tr:first-child summary"))
	press(kb.Enter)
	if text := chromium.Value[string](p, `document.querySelector("#failures details[open] pre").textContent`); !strings.Contains(text, "goroutine 1") {
		t.Errorf("an opened message: %s", text)
	}
	if n := chromium.Value[int](p, `document.querySelectorAll("#failures img").length`); n != 0 {
		t.Errorf("a message became %d elements", n)
	}
	p.Do(chromedp.Focus("#failures tbody tr:first-child summary"))
	press(kb.Enter)
}
