package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

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

const svgFamilies = ";font-family:'Liberation Sans',Arial,Helvetica,sans-serif"

func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var plain, out bytes.Buffer
	if _, err := c.Canvas.WriteTo(&plain); err != nil {
		return 0, err
	}
	source := plain.Bytes()
	widths := c.widths
	decoder := xml.NewDecoder(bytes.NewReader(source))
	for {
		begin := decoder.InputOffset()
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && len(widths) == 0 {
			return out.WriteTo(w)
		}
		if err != nil {
			return 0, fmt.Errorf("SVG: %w, with %d texts missing", err, len(widths))
		}
		text, ok := token.(xml.StartElement)
		if !ok || text.Name.Local != "text" {
			out.Write(source[begin:decoder.InputOffset()])
			continue
		}
		if len(widths) == 0 {
			return 0, fmt.Errorf("SVG: more than the %d texts that were drawn", len(c.widths))
		}
		fmt.Fprintf(&out, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, widths[0].Points())
		widths = widths[1:]
		for _, attribute := range text.Attr {
			if attribute.Name.Local == "style" {
				attribute.Value += svgFamilies
			}
			fmt.Fprintf(&out, ` %s="`, attribute.Name.Local)
			xml.Escape(&out, []byte(attribute.Value))
			out.WriteByte('"')
		}
		out.WriteByte('>')
	}
}
