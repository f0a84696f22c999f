package gaga

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// digestOnly makes the test of this package print the digest of its paths alone.
const digestOnly = "AGEPATH_DIGEST_ONLY"

// TestArm64 computes 300 random paths of every model on this processor and by a test of this
// package for arm64 that fuses nothing, which qemu runs, and wants the same bits.
func TestArm64(t *testing.T) {
	if os.Getenv(digestOnly) != "" {
		fmt.Printf("digest %s, %s\n", pathDigest(t), runtime.GOARCH)
		return
	}
	if !needs.Long() {
		t.Skip("emulates arm64")
	}
	qemu := needs.Program(t, "programs for arm64", "qemu-aarch64-static", "qemu-aarch64")
	other := filepath.Join(t.TempDir(), "gaga.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-gcflags=all=-d=fmahash=qn", "-o", other, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run := exec.CommandContext(t.Context(), qemu, other, "-test.run", "^TestArm64$", "-test.v")
	run.Env = append(os.Environ(), digestOnly+"=1")
	text, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if want := "digest " + pathDigest(t) + ", arm64\n"; !strings.Contains(string(text), want) {
		t.Errorf("for arm64 the test prints\n%s, want\n%s", text, want)
	}
}

// pathDigest tracks 100 random problems of each kind, and returns the digest of their knots.
func pathDigest(t *testing.T) string {
	h := sha256.New()
	for _, draw := range []func(*rand.Rand) *Problem{randomProblem, randomSVM, randomLogistic} {
		for seed := range uint64(100) {
			path, err := Track(t.Context(), draw(rand.New(rand.NewPCG(seed, 17))), Options{Age: Range{0.01, 20}, Direction: Direction(seed % 2)})
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range path.Knots() {
				theta, err := path.At(k.Age)
				if err != nil && len(path.Gaps()) == 0 {
					t.Fatal(err)
				}
				for _, v := range append(theta, k.Age, k.Objective, k.KKT) {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
