package queue

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
)

func TestOutcomeRoundTrip(t *testing.T) {
	t.Parallel()
	cpu, peak := 1.25, int64(1<<40)
	started := time.Date(2026, 2, 3, 4, 5, 6, 123456789, time.FixedZone("east", 7200))
	many := make([]float64, 300_000) // more than the decoder's default allows
	for i := range many {
		many[i] = float64(i) / 3
	}
	outcome := &experiment.Outcome{
		Run: "run", Cell: "cell", Kind: "test", Labels: labels(), Status: experiment.OK, Attempts: 2,
		Measures: experiment.Batch{Rows: 1, Columns: []experiment.Vector{
			{Floats: []float64{math.Inf(-1)}}, {Ints: []int64{math.MinInt64}}, {Texts: []string{"ü"}, Null: []bool{false}},
			{Lists: [][]float64{{0.1, math.SmallestNonzeroFloat64, math.Copysign(0, -1)}}}, {Floats: []float64{0}, Null: []bool{true}},
		}},
		Further: map[string]experiment.Batch{"knots": {Rows: len(many), Columns: []experiment.Vector{{Floats: many}}}, "a": {}},
		Wall:    0.1, CPU: &cpu, Peak: &peak, Computer: experiment.Computer{Worker: "w", Version: "v", Platform: "linux/amd64"}, Started: started, Finished: started.Add(time.Microsecond),
	}
	body, err := EncodeOutcome(outcome)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	if got.Started.Location() != time.UTC || !got.Started.Equal(started) || got.Finished.Sub(got.Started) != time.Microsecond {
		t.Errorf("times %v to %v, want %v in UTC and a microsecond more", got.Started, got.Finished, started)
	}
	want := *outcome
	want.Started, want.Finished = got.Started, got.Finished
	if !reflect.DeepEqual(got, &want) {
		t.Errorf("outcome changed on the way")
	}
	if zero := got.Measures.Columns[3].Lists[0][2]; !math.Signbit(zero) {
		t.Errorf("negative zero became %v", zero)
	}
	for range 10 { // maps are walked in random order
		again, err := EncodeOutcome(got)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, body) {
			t.Fatal("the same outcome became other bytes")
		}
	}
}

func TestOutcomeNaN(t *testing.T) {
	t.Parallel()
	outcome := ok()
	outcome.Measures = experiment.Batch{Rows: 1, Columns: []experiment.Vector{{Floats: []float64{math.NaN()}}}}
	body, err := EncodeOutcome(outcome)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	if x := got.Measures.Columns[0].Floats[0]; !math.IsNaN(x) {
		t.Errorf("NaN became %v", x)
	}
}

func TestOutcomeText(t *testing.T) {
	t.Parallel()
	outcome := failure("bad byte \xff in message")
	body, err := EncodeOutcome(outcome)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeOutcome(body)
	if err != nil {
		t.Fatal(err)
	}
	if want := "bad byte \uFFFD in message"; got.Error != want {
		t.Errorf("error %q, want %q", got.Error, want)
	}
	if outcome.Error != "bad byte \xff in message" {
		t.Error("encoding changed the caller's outcome")
	}
	outcome.Further = map[string]experiment.Batch{"knots": {Rows: 2, Columns: []experiment.Vector{{}, {Texts: []string{"fine", "\xff"}}}}}
	if _, err := EncodeOutcome(outcome); err == nil || !strings.Contains(err.Error(), "knots, column 1, row 1") {
		t.Errorf("error %v; want one that names knots, column 1, row 1", err)
	}
}

func TestDecodeOutcomeRefuses(t *testing.T) {
	t.Parallel()
	body, err := EncodeOutcome(ok())
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"nothing": nil, "cut": body[:len(body)-1], "more": append(bytes.Clone(body), 0), "a number": {0x01}, "json": []byte(`{"run":1}`),
	} {
		if got, err := DecodeOutcome(bad); err == nil {
			t.Errorf("%s: decoded as %+v", name, got)
		}
	}
}

func FuzzDecodeOutcome(f *testing.F) {
	body, err := EncodeOutcome(ok())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Fuzz(func(t *testing.T, data []byte) {
		outcome, err := DecodeOutcome(data)
		if err != nil {
			return
		}
		again, err := EncodeOutcome(outcome)
		if err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
		if _, err := DecodeOutcome(again); err != nil {
			t.Fatalf("encoded but not decoded: %v", err)
		}
	})
}

func TestTaskRoundTrip(t *testing.T) {
	t.Parallel()
	want := task("run", "cell")
	want.Limits = experiment.Limits{Timeout: time.Minute, Memory: 1 << 33, Attempts: 2}
	body, err := encodeTask(&want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTask(body)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, &want) {
		t.Errorf("task changed on the way: %+v, want %+v", got, want)
	}
}

func FuzzTask(f *testing.F) {
	whole := task("run", "cell")
	body, err := encodeTask(&whole)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte("no task"))
	f.Fuzz(func(t *testing.T, body []byte) {
		task, err := DecodeTask(body)
		if err != nil {
			return
		}
		if _, err := encodeTask(task); err != nil {
			t.Fatalf("decoded but not encoded: %v", err)
		}
	})
}

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": true, "music-alpha_3": true, "00ff": true, strings.Repeat("x", 128): true,
		"": false, "a.b": false, "a b": false, "*": false, ">": false, "a/b": false, "ä": false, "a\x00": false, strings.Repeat("x", 129): false,
	} {
		if err := ValidName(name); (err == nil) != want {
			t.Errorf("ValidName(%q) = %v, want valid %v", name, err, want)
		}
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	subject := taskTopic.cell("my-run", "00ff")
	if subject != "agepath.task.my-run.00ff" || runOf(subject) != "my-run" || cellOf(subject) != "00ff" {
		t.Errorf("subject %s is run %s, cell %s", subject, runOf(subject), cellOf(subject))
	}
}
