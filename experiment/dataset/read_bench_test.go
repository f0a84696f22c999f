package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// tables are 20000 rows of 30 features in each format.
func tables() map[string]string {
	const rows, features = 20000, 30
	random := rand.New(rand.NewPCG(3, 4))
	var csv, arff, libsvm strings.Builder
	for c := range features + 1 {
		fmt.Fprintf(&arff, "@attribute a%d real\n", c)
	}
	arff.WriteString("@data\n")
	for range rows {
		y := random.NormFloat64()
		fmt.Fprintf(&libsvm, "%.6f", y)
		for c := range features {
			v := random.NormFloat64()
			fmt.Fprintf(&csv, "%.6f,", v)
			fmt.Fprintf(&arff, "%.6f,", v)
			fmt.Fprintf(&libsvm, " %d:%.6f", c+1, v)
		}
		fmt.Fprintf(&csv, "%.6f\n", y)
		fmt.Fprintf(&arff, "%.6f\n", y)
		libsvm.WriteByte('\n')
	}
	return map[string]string{
		"csv": csv.String(), "arff": arff.String(), "libsvm": libsvm.String(),
		"space": strings.ReplaceAll(csv.String(), ",", " "),
	}
}

func BenchmarkRead(b *testing.B) {
	tables := tables()
	for _, format := range []string{"csv", "space", "arff", "libsvm"} {
		b.Run(format, func(b *testing.B) {
			text := tables[format]
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(context.Background(), strings.NewReader(text), "a."+format, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("gzip", func(b *testing.B) {
		b.SetBytes(int64(len(tables["csv"])))
		b.ReportAllocs()
		text := packed(b, tables["csv"])
		for b.Loop() {
			if _, err := Read(context.Background(), bytes.NewReader(text), "a.csv.gz", Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	d, err := Read(context.Background(), strings.NewReader(tables()["csv"]), "a.csv", Options{})
	if err != nil {
		b.Fatal(err)
	}
	whole := encoded(b, d)
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(whole)))
		b.ReportAllocs()
		for b.Loop() {
			if err := Encode(io.Discard, d); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(whole)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(bytes.NewReader(whole)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("digest", func(b *testing.B) {
		b.SetBytes(int64(len(whole)))
		b.ReportAllocs()
		for b.Loop() {
			d.Digest()
		}
	})
}
