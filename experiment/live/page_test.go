package live

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/chromium"
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
	b := newBed(t)
	b.submit("sweep-12345678", 8)
	m := b.monitor()
	address := serve(t, m)
	p := chromium.Open(t, address, address)
	p.Await(`document.getElementById("n-queued").textContent === "72"`)
	if text := chromium.Value[string](p, `document.querySelector("#map tbody th:first-child").textContent + document.querySelectorAll("#map td").length`); text != datasets[0]+"9" {
		t.Errorf("heat map before anything is done: %s", text)
	}
	chromium.Value[bool](p, `{
		window.shifts = 0;
		new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shifts += e.value; }).observe({ type: "layout-shift" });
		true;
	}`)

	b.compute(20, experiment.OK)
	p.Await(`document.getElementById("n-done").textContent === "20"`)
	b.compute(3, experiment.Failed)
	b.compute(1, experiment.Timeout)
	held := b.pull()
	if err := b.Announce(&queue.Presence{Name: "tester", Slots: 2, State: queue.Working, At: time.Now(), Started: time.Now(),
		Running: []queue.Running{{Run: held.Task.Run, Cell: held.Task.Cell, Since: time.Now(), Attempt: 1}}, Done: 24}); err != nil {
		t.Fatal(err)
	}
	p.Await(`document.getElementById("n-done").textContent === "24" && document.getElementById("n-running").textContent === "1"`)
	p.Await(`document.querySelector("#workers tbody").textContent.includes("1 of 2")`)
	if got := chromium.Value[string](p, `document.getElementById("bar").getAttribute("aria-valuenow") + document.getElementById("spoken").textContent`); !strings.HasPrefix(got, "33") || !strings.Contains(got, "% done") {
		t.Errorf("progress for those who cannot see it: %s", got)
	}
	if got := chromium.Value[string](p, `document.querySelector("#map").textContent`); !strings.Contains(got, "<b>tall & wide</b>") || !strings.Contains(got, "8 / 8") || !strings.Contains(got, "✕ 4 failed") {
		t.Errorf("heat map: %s", got)
	}
	if shifts := chromium.Value[float64](p, `window.shifts`); shifts > 0.02 {
		t.Errorf("updates moved the page: cumulative layout shift %g", shifts)
	}
	testKeyboard(t, p)
	p.CheckLooks("live", 1800)
	b.end(held, experiment.OK)
	b.compute(72-25, experiment.OK)
	p.Await(`document.getElementById("phase").textContent.startsWith("finished, 100 %")`)
	testRuns(t, b, p)
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("the page complains:\n%s", strings.Join(problems, "\n"))
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
	if got := chromium.Value[string](p, `document.querySelector("#runs a[aria-current]").textContent + document.querySelectorAll("#slowest .empty").length`); got != "another-11" {
		t.Errorf("the chosen run and what it has not: %s", got)
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
	var stops []string
	for range 30 {
		stops = append(stops, press(kb.Tab))
	}
	for _, want := range []string{"shade", "frame map", "failures", "Status", "slowest", "Time"} {
		if !strings.Contains(strings.Join(stops, "\n"), want) {
			t.Errorf("Tab does not lead to %s: %q", want, stops)
		}
	}
	legend := func() string { return chromium.Value[string](p, `document.getElementById("legend").textContent`) }
	for _, want := range []string{"≤ 5 %", "none done2.9 s"} {
		p.Do(chromedp.Focus("#shade"), chromedp.KeyEvent(kb.ArrowDown))
		if got := legend(); !strings.Contains(got, want) {
			t.Errorf("the legend after another choice of colours: %s", got)
		}
		p.Shot("live-shade-" + want[len(want)-1:])
	}
	p.Do(chromedp.Focus("#shade"), chromedp.KeyEvent(kb.Home))
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
