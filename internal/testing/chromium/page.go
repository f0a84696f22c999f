// Package chromium opens pages in a browser for tests.
package chromium

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/agepath/agepath/internal/testing/needs"
)

const patience = 5 * time.Minute

// Page is a page in its own Chromium.
type Page struct {
	t      testing.TB
	ctx    context.Context
	origin string

	mu       sync.Mutex
	problems []string
}

// Open opens an address; requests that do not begin with origin are problems. Without Chromium the
// test skips, or fails with AGEPATH_REQUIRE_ALL=1.
func Open(t testing.TB, address, origin string) *Page {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	p := &Page{t: t, ctx: ctx, origin: origin}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, cdplog.Enable, cdp.Empty{})
	p.Do(chromedp.Navigate(address))
	return p
}

func program(t testing.TB) string {
	t.Helper()
	return needs.Program(t, "testing pages in Chromium", "chromium", "chromium-browser", "google-chrome")
}

func (p *Page) listen(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console %s: %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		problem = fmt.Sprintf("exception: %s in line %d", e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber+1)
	case *cdplog.EventEntryAdded:
		problem = fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, p.origin) {
			problem = "request of " + u
		}
	}
	if problem == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// Problems returns console messages, exceptions and requests to elsewhere.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func call[P, R any](p *Page, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatal(err)
	}
}

func (p *Page) SaveTo(dir string) {
	p.t.Helper()
	call(p, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
}

// Value evaluates a JavaScript expression, and awaits it if it is a promise.
func Value[T any](p *Page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (p *Page) Await(expression string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)))
	if err != nil {
		p.t.Fatalf("waiting for %s: %v", expression, err)
	}
}

// Resize waits until the page has handled the new size.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(width, height))
	p.Await(fmt.Sprintf("innerWidth === %d", width))
	Value[bool](p, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

func (p *Page) setTheme(theme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
}

// Shot saves a picture in the folder AGEPATH_SCREENSHOTS, if set.
func (p *Page) Shot(name string) {
	p.t.Helper()
	folder := os.Getenv("AGEPATH_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
