package chromium

import (
	"fmt"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// CheckLooks checks the page in both themes, from a telephone's width to a wide screen's: only what
// scrolls by itself is wider than the window, and the button #theme overrides the system's theme.
// Names of pictures begin with name.
func (p *Page) CheckLooks(name string, height int64) {
	p.t.Helper()
	background := func() string { return Value[string](p, `getComputedStyle(document.body).backgroundColor`) }
	const light, dark = "rgb(255, 255, 255)", "rgb(17, 22, 27)"
	for _, theme := range []struct{ name, background string }{{"light", light}, {"dark", dark}} {
		p.setTheme(theme.name)
		if got := background(); got != theme.background {
			p.t.Errorf("%s theme: background %s, want %s", theme.name, got, theme.background)
		}
		for _, width := range []int64{400, 800, 1600} {
			p.Resize(width, height)
			if wide := Value[int64](p, `document.documentElement.scrollWidth`); wide > width {
				p.t.Errorf("%s theme: the page is %d wide in a window of %d", theme.name, wide, width)
			}
			p.Shot(fmt.Sprintf("%s-%s-%d", name, theme.name, width))
		}
	}
	for _, want := range []string{light, dark, dark} { // light, dark, and the system's, which is dark
		p.Do(chromedp.Focus("#theme"), chromedp.KeyEvent(kb.Enter))
		if got := background(); got != want {
			p.t.Errorf("the button %q: background %s, want %s", Value[string](p, `document.getElementById("theme").textContent`), got, want)
		}
	}
}
