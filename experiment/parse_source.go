package experiment

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/internal/disk"
)

// Values of the keys missing and encode.
var (
	MissingWords = []string{"refuse", "mean", "median", "drop"}
	EncodeWords  = []string{"refuse", "onehot"}
)

// ReadSource reads a data set of a grid: a name of the catalog or a map, whose keys replace the
// options. Kinds whose cells have test parts allow clean.
func ReadSource(r *gridfile.Reader, entry gridfile.Item, options dataset.Options, clean bool) (s dataset.Source, ok bool) {
	s.Options = options
	o := &s.Options
	before := r.Reports()
	if entry.Kind == yaml.ScalarNode {
		s.Name = r.Text(entry)
		return s, r.Reports() == before
	}
	keys := []gridfile.Key{
		gridfile.On("name", gridfile.Into(&s.Name, r.Text)),
		gridfile.On("path", gridfile.Into(&s.Path, func(n gridfile.Item) string { return readPath(r, n) })),
		gridfile.On("format", gridfile.Into(&o.Format, gridfile.Word(r, "csv", "tsv", "space", "arff", "libsvm"))),
		gridfile.On("skip", gridfile.Into(&o.Skip, gridfile.Integer(r, 0, math.MaxInt32))),
		gridfile.On("header", func(n gridfile.Item) {
			header := r.Boolean(n)
			o.Header = &header
		}),
		gridfile.On("decimal", gridfile.Into(&o.Decimal, gridfile.Word(r, ".", ","))),
		gridfile.On("thousands", gridfile.Into(&o.Thousands, gridfile.Word(r, dataset.ThousandsMarks...))),
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
		gridfile.On("encode", func(n gridfile.Item) { o.Encode, o.OneHot = readEncoding(r, n) }),
	}
	if clean {
		keys = append(keys, gridfile.On("clean", gridfile.Into(&o.Clean, func(n gridfile.Item) dataset.RowColumn { return readClean(r, n) })))
	}
	r.Keys(entry, keys...)
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

var windowsPath = regexp.MustCompile(`^[A-Za-z]:[\\/]|\\`)

// readPath reads the path of a file, with ~/ for the home folder.
func readPath(r *gridfile.Reader, n gridfile.Item) string {
	path, err := disk.InHome(r.Text(n))
	switch {
	case err != nil:
		r.Problem(n, "%v", err)
	case strings.Contains(path, "://"):
		r.Problem(n, "%s is not allowed, as it is a URL; download the file and give its path", gridfile.Describe(n.Node))
	case strings.ContainsFunc(path, unicode.IsControl):
		r.Problem(n, "%s has a control character, as \\t and \\n make in double quotes; single quotes take the path as it is", gridfile.Describe(n.Node))
	case strings.Contains(path, "$"), strings.Contains(path, "%USERPROFILE%"):
		r.Problem(n, "%s is not allowed, as variables are not replaced; write the path in full, or ~/ for your home folder", gridfile.Describe(n.Node))
	case filepath.Separator == '/' && windowsPath.MatchString(path):
		r.Problem(n, "%s is not allowed, as it is a path of Windows; write the path on this machine, with /", gridfile.Describe(n.Node))
	}
	return path
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

// readClean reads a column, or a map with the values of its clean rows.
func readClean(r *gridfile.Reader, n gridfile.Item) dataset.RowColumn {
	c := dataset.RowColumn{Values: dataset.CleanValues}
	if n.Kind == yaml.ScalarNode {
		c.Column = r.Text(n)
		return c
	}
	fields := r.Keys(n,
		gridfile.On("column", gridfile.Into(&c.Column, r.Text)),
		gridfile.On("values", func(n gridfile.Item) { c.Values = [][]string{r.Texts(n)} }))
	r.Demand(n, fields, "column", "the column that says which rows are clean")
	return c
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
