package figure

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas keeps the laid-out width of texts in every font, so that none is cut off or overlaps.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // in drawing order
}

func (c *svgCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.widths = append(c.widths, face.Width(words))
	c.Canvas.FillString(face, at, words)
}

const svgFamilies = ";font-family:&#39;Liberation Sans&#39;,Arial,Helvetica,sans-serif"

var svgText = regexp.MustCompile(`<text ([^>]*style="[^"]*)"`)

func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var plain bytes.Buffer
	if _, err := c.Canvas.WriteTo(&plain); err != nil {
		return 0, err
	}
	widths := c.widths
	if n := len(svgText.FindAllIndex(plain.Bytes(), -1)); n != len(widths) {
		return 0, fmt.Errorf("SVG: %d texts, not the %d that were drawn", n, len(widths))
	}
	n, err := w.Write(svgText.ReplaceAllFunc(plain.Bytes(), func(text []byte) []byte {
		width := widths[0].Points()
		widths = widths[1:]
		return svgText.ReplaceAll(text, fmt.Appendf(nil, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" ${1}%s"`, width, svgFamilies))
	}))
	return int64(n), err
}
