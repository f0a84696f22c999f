package experiment

import (
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/gridfile"
)

func readLimits(r *gridfile.Reader, n gridfile.Item) Limits {
	limits := Limits{Attempts: defaultAttempts}
	r.Keys(n,
		gridfile.On("timeout", gridfile.Into(&limits.Timeout, unlessNone(r, readDuration))),
		gridfile.On("memory", gridfile.Into(&limits.Memory, unlessNone(r, readBytes))),
		gridfile.On("attempts", gridfile.Into(&limits.Attempts, gridfile.Integer(r, 1, MaxAttempts))))
	return limits
}

// None is the value of the key that removes a limit.
const None = "none"

func unlessNone[T any](r *gridfile.Reader, read func(*gridfile.Reader, gridfile.Item) T) func(gridfile.Item) T {
	return func(n gridfile.Item) (limit T) {
		if n.Kind == yaml.ScalarNode && n.Value == None {
			return limit
		}
		return read(r, n)
	}
}

func readDuration(r *gridfile.Reader, n gridfile.Item) time.Duration {
	if n.Kind == yaml.ScalarNode {
		if d, err := time.ParseDuration(n.Value); err == nil && d > 0 {
			return d
		}
	}
	r.Problem(n, "%s is not allowed; a time > 0 such as 90s, 30m or 1h30m is", gridfile.Describe(n.Node))
	return 0
}

// byteUnits lists longest names first, so that B matches last.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

func readBytes(r *gridfile.Reader, n gridfile.Item) int64 {
	if n.Kind == yaml.ScalarNode {
		if amount, ok := ParseBytes(n.Value); ok {
			return amount
		}
	}
	r.Problem(n, "%s is not allowed; %s is", gridfile.Describe(n.Node), BytesAllowed)
	return 0
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
