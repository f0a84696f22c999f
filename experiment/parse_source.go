package experiment

import (
	"math"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// Values of the keys missing and encode.
var (
	MissingWords = []string{"refuse", "mean", "median", "drop"}
	EncodeWords  = []string{"refuse", "onehot"}
)

// ReadSource reads a data set of a grid: a name of the catalog or a map, whose keys replace the
// options.
func ReadSource(r *gridfile.Reader, entry gridfile.Item, options dataset.Options) (s dataset.Source, ok bool) {
	s.Options = options
	o := &s.Options
	before := r.Reports()
	if entry.Kind == yaml.ScalarNode {
		s.Name = r.Text(entry)
		return s, r.Reports() == before
	}
	r.Keys(entry,
		gridfile.On("name", gridfile.Into(&s.Name, r.Text)),
		gridfile.On("path", gridfile.Into(&s.Path, r.Text)),
		gridfile.On("format", gridfile.Into(&o.Format, gridfile.Word(r, "csv", "tsv", "space", "arff", "libsvm"))),
		gridfile.On("skip", gridfile.Into(&o.Skip, gridfile.Integer(r, 0, math.MaxInt32))),
		gridfile.On("header", func(n gridfile.Item) {
			header := r.Boolean(n)
			o.Header = &header
		}),
		gridfile.On("decimal", gridfile.Into(&o.Decimal, gridfile.Word(r, ".", ","))),
		gridfile.On("target", gridfile.Into(&o.Target, r.Text)),
		gridfile.On("drop", gridfile.Into(&o.Drop, r.Texts)),
		gridfile.On("classes", func(n gridfile.Item) {
			r.Keys(n,
				gridfile.On("negative", gridfile.Into(&o.Classes.Negative, r.Texts)),
				gridfile.On("positive", gridfile.Into(&o.Classes.Positive, r.Texts)),
				gridfile.On("negative_rows", gridfile.Into(&o.Classes.NegativeRows, gridfile.Integer(r, 1, math.MaxInt32))))
		}),
		gridfile.On("task", gridfile.Into(&o.Task, gridfile.Word(r, dataset.Classification, dataset.Regression))),
		gridfile.On("numbered", func(n gridfile.Item) { o.Numbered = r.Boolean(n) }),
		gridfile.On("missing_marks", gridfile.Into(&o.Marks, func(n gridfile.Item) []string { return readMarks(r, n) })),
		gridfile.On("keep_quoted", func(n gridfile.Item) { o.KeepQuoted = r.Boolean(n) }),
		gridfile.On("missing", gridfile.Into(&o.Missing, gridfile.Word(r, MissingWords...))),
		gridfile.On("encode", func(n gridfile.Item) { o.Encode, o.OneHot = readEncoding(r, n) }))
	if r.Reports() > before {
		return s, false
	}
	if s.Path != "" && !filepath.IsAbs(s.Path) {
		s.Path = filepath.Join(filepath.Dir(r.File), s.Path)
	}
	if s.Name == "" && s.Path == "" {
		r.Problem(entry, "the keys name and path are missing; name: of a catalog's data set or path: of a file is needed")
	} else if err := s.Options.Validate(); err != nil {
		r.Problem(entry, "%v", err)
	}
	return s, r.Reports() == before
}

// readMarks takes texts as written, including null, which YAML reads as no value.
func readMarks(r *gridfile.Reader, n gridfile.Item) []string {
	var marks []string
	for _, element := range r.Many(n) {
		if element.Kind == yaml.ScalarNode && element.Value != "" {
			marks = append(marks, element.Value)
		} else {
			r.Problem(element, "%s is not allowed; a text is, and an empty field is missing anyway", gridfile.Describe(element.Node))
		}
	}
	return marks
}

func readEncoding(r *gridfile.Reader, n gridfile.Item) (word string, columns []string) {
	if n.Kind != yaml.MappingNode {
		return gridfile.OneOf(r, n, EncodeWords...), nil
	}
	before := r.Reports()
	if r.Keys(n, gridfile.On("onehot", gridfile.Into(&columns, r.Texts))); columns == nil && r.Reports() == before {
		r.Problem(n, "the key onehot is missing: a column or a list of columns")
	}
	return "", columns
}
