package figure

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas draws SVG whose texts are as wide in every font as in the one the
// figure was laid out with, so that none is cut off or covers another where
// that is not installed. Arial and Helvetica have its widths.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts, in the order of drawing
}

func newSVGCanvas(width, height vg.Length) *svgCanvas {
	return &svgCanvas{Canvas: vgsvg.New(width, height)}
}

// FillString draws a text. It is part of vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, words string) {
	c.widths = append(c.widths, face.Width(words))
	c.Canvas.FillString(face, at, words)
}

// What vgsvg writes, and what stands in its place.
const (
	svgText       = "<text "
	svgFamily     = "font-family:Liberation Sans;"
	svgAnyFamily  = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
	svgTextLength = `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" `
)

// WriteTo writes the SVG. It is part of io.WriterTo.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var plain bytes.Buffer
	if _, err := c.Canvas.WriteTo(&plain); err != nil {
		return 0, err
	}
	parts := strings.Split(strings.ReplaceAll(plain.String(), svgFamily, svgAnyFamily), svgText) // texts are escaped
	if len(parts) != 1+len(c.widths) {
		return 0, fmt.Errorf("SVG: %d texts, %d were drawn", len(parts)-1, len(c.widths))
	}
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		fmt.Fprintf(&b, svgTextLength, c.widths[i].Points())
		b.WriteString(part)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
