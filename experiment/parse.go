package experiment

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/gridfile"
)

const (
	maxName    = 100 // characters of a grid's name
	maxRepeats = 1_000_000
)

// MaxAttempts is the largest number of attempts per cell.
const MaxAttempts = 1000

// Defaults of the common keys.
const (
	defaultSeed     = 40 // as in the paper
	defaultRepeats  = 1
	defaultAttempts = 3
)

// CommonKeys are the keys that every kind has.
var CommonKeys = []string{"name", "experiment", "seed", "repeats", "limits"}

// ParseFile reads a grid file and applies overrides "key=value" with dotted paths:
// models.0.lasso.alpha=[0.1]. Errors in the grid are [gridfile.Problems].
func ParseFile(path string, set []string) (*Grid, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the grid: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, gridfile.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the grid: %w", err)
	}
	return Parse(data, path, set)
}

// Parse parses a grid file's text. file is its name in messages, and data sets' paths are relative
// to its folder.
func Parse(data []byte, file string, set []string) (*Grid, error) {
	r, root, err := gridfile.Open(data, file, set)
	if err != nil {
		return nil, err
	}
	g := &Grid{File: file, Source: data, Set: set, place: r.Place(root)}
	readGrid(r, root, g)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return g, nil
}

func readGrid(r *gridfile.Reader, root gridfile.Item, g *Grid) {
	var err error
	if n := r.Entry(root, "experiment"); n.Given() {
		g.kind, err = Named(gridfile.OneOf(r, n, kindNames()...))
	} else if g.kind, err = Default(); err != nil {
		r.Problem(root, "%v", err)
	}
	if err != nil {
		return
	}
	g.Kind = g.kind.Name()
	fields := r.Fields(root, slices.Concat(CommonKeys, g.kind.Keys)...)
	g.Name = plainName(strings.TrimSuffix(filepath.Base(g.File), filepath.Ext(g.File)))
	g.Seed, g.Repeats = defaultSeed, defaultRepeats
	gridfile.Read(fields,
		gridfile.On("name", gridfile.Into(&g.Name, func(n gridfile.Item) string { return readName(r, n) })),
		gridfile.On("seed", gridfile.Into(&g.Seed, gridfile.Integer[int64](r, math.MinInt64, math.MaxInt64))),
		gridfile.On("repeats", gridfile.Into(&g.Repeats, gridfile.Integer(r, 1, maxRepeats))))
	g.Limits.Attempts = defaultAttempts
	r.Keys(fields["limits"],
		gridfile.On("timeout", gridfile.Into(&g.Limits.Timeout, limitOf(r, parseDuration, "a time > 0 such as 90s, 30m or 1h30m"))),
		gridfile.On("memory", gridfile.Into(&g.Limits.Memory, limitOf(r, ParseBytes, BytesAllowed))),
		gridfile.On("attempts", gridfile.Into(&g.Limits.Attempts, gridfile.Integer(r, 1, MaxAttempts))))
	g.Keep = readKeep(r, fields["keep"], g.kind.Tables().Further)
	g.Section = g.kind.Read(r, root, fields)
}

// readName requires a name that is fit for a folder and has a letter or digit for the run's name.
func readName(r *gridfile.Reader, n gridfile.Item) string {
	name := r.Text(n)
	plain := func(c rune) bool { return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) }
	bad := func(c rune) bool { return !unicode.IsPrint(c) || c == '/' || c == '\\' }
	if name != "" && (utf8.RuneCountInString(name) > maxName || !strings.ContainsFunc(name, plain) ||
		strings.ContainsFunc(name, bad) || strings.HasPrefix(name, ".")) {
		r.Problem(n, "%s is not allowed; a name of at most %d printable characters is, with a letter a-z or a digit, without / and \\ and not starting with a point", gridfile.Describe(n.Node), maxName)
	}
	return name
}

// None is the value of the key that removes a limit.
const None = "none"

// limitOf returns a reader of a limit as parse takes it; [None] is the zero value.
func limitOf[T any](r *gridfile.Reader, parse func(text string) (T, bool), allowed string) func(gridfile.Item) T {
	return func(n gridfile.Item) (none T) {
		if n.Kind == yaml.ScalarNode {
			if n.Value == None {
				return none
			}
			if limit, ok := parse(n.Value); ok {
				return limit
			}
		}
		r.Problem(n, "%s is not allowed; %s is", gridfile.Describe(n.Node), allowed)
		return none
	}
}

func parseDuration(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// byteUnits lists longest names first, so that B matches last.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// BytesAllowed describes the input of [ParseBytes].
const BytesAllowed = "an amount with its unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB) such as 4GiB"

// ParseBytes parses an amount of memory such as 4GiB, in bytes.
func ParseBytes(text string) (amount int64, ok bool) {
	for _, unit := range byteUnits {
		number, found := strings.CutSuffix(text, unit.name)
		if !found {
			continue
		}
		amount, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		amount *= unit.bytes
		return int64(amount), err == nil && amount >= 1 && amount < math.MaxInt64
	}
	return 0, false
}
