package experiment

import (
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// limits reads the key limits; no timeout, no memory limit and 3 attempts are
// the defaults.
func (r *reader) limits(n item) Limits {
	limits := Limits{Attempts: defaultAttempts}
	r.keys(n,
		key{"timeout", into(&limits.Timeout, r.duration)},
		key{"memory", into(&limits.Memory, r.bytes)},
		key{"attempts", into(&limits.Attempts, integer(r, 1, MaxAttempts))})
	return limits
}

// duration reads a time such as 90s or 1h30m.
func (r *reader) duration(n item) time.Duration {
	if n.Kind == yaml.ScalarNode {
		if d, err := time.ParseDuration(n.Value); err == nil && d > 0 {
			return d
		}
	}
	r.problem(n, "%s is not allowed; a time > 0 such as 90s, 30m or 1h30m is", describe(n.Node))
	return 0
}

// byteUnits are the units of amounts of memory, longest first.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// bytes reads an amount of memory such as 4GiB.
func (r *reader) bytes(n item) int64 {
	if n.Kind == yaml.ScalarNode {
		if amount, ok := ParseBytes(n.Value); ok {
			return amount
		}
	}
	r.problem(n, "%s is not allowed; %s is", describe(n.Node), BytesAllowed)
	return 0
}

// BytesAllowed says what [ParseBytes] takes.
const BytesAllowed = "an amount with its unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB) such as 4GiB"

// ParseBytes reads an amount of memory such as 4GiB.
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
