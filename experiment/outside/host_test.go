package outside

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/testing/needs"
)

// parts are the parts of a small regression.
func parts() *dataset.Prepared {
	return &dataset.Prepared{
		Train:      dataset.Part{N: 3, D: 2, X: []float64{1, 2, 3, 4, 5, 6}, Y: []float64{7, 8, 9}, Multiplicity: []float64{1, 2, 1}},
		Validation: dataset.Part{N: 1, D: 2, X: []float64{10, 11}, Y: []float64{12}},
		Test:       dataset.Part{N: 2, D: 2, X: []float64{13, 14, 15, 16}, Y: []float64{17, 18}},
	}
}

// cellOne is a cell as commands are shown it.
var cellOne = []byte(`{"id":"c1"}`)

// shell returns a program that is a script, whose answers are of [cellOne] where they are
// of none.
func shell(t *testing.T, script string) (*Program, *Host) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are scripts of a Unix shell")
	}
	needs.Program(t, "scripts as commands", "setsid") // with it the other small programs are there
	script = strings.ReplaceAll(strings.ReplaceAll(script, `'{}'`, `'{"cell": "c1"}'`), `'{"`, `'{"cell": "c1", "`)
	script = strings.ReplaceAll(script, `"cell": "c1", "cell"`, `"cell"`)
	content := []byte(script)
	host := &Host{Open: func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
	t.Cleanup(host.Close)
	return &Program{Run: []string{"/bin/sh", "mine.sh"}, Files: []File{{"mine.sh", Digest(content)}}}, host
}

// TestSolve has commands that answer, each in its way, and wants the answer or why
// there is none.
func TestSolve(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"coefficients":       {`read l; echo '{"coefficients": [[1, 2, 3]]}'`, "1 knots [] [[1 2 3]]"},
		"a path":             {`read l; echo '{"ages": [1, 2], "coefficients": [[1, 2, 3], [4, 5, 6]]}'`, "2 knots [1 2] [[1 2 3] [4 5 6]]"},
		"predictions":        {`read l; echo '{"predictions": {"validation": [[1]], "test": [[1, 2]]}}'`, "1 knots [] []"},
		"an error":           {`while read l; do echo cause >&2; echo '{"error": "no luck"}'; done`, "no luck\nstandard error:\ncause"},
		"garbage":            {`read l; echo hello; sleep 100`, `its answer "hello": invalid character 'h' looking for beginning of value; a command writes one line for each`},
		"an unknown key":     {`read l; echo '{"coefficient": [1]}'`, `unknown field "coefficient"`},
		"another cell":       {`read l; echo '{"cell": "c2", "coefficients": [[1, 2, 3]]}'`, `is of the cell "c2", not of "c1"`},
		"no cell":            {`read l; echo '{ "coefficients": [[1, 2, 3]]}'`, `is of the cell "", not of "c1"`},
		"an answer twice":    {`read l; printf '{"coefficients": [[1, 2, 3]]}\n{"cell": "c1", "coefficients": [[1, 2, 3]]}\n'; sleep 100`, "the command wrote more than"},
		"an answer and half": {`read l; printf '{"coefficients": [[1, 2, 3]]}\nok'; sleep 100`, "the command wrote more than"},
		"two values":         {`read l; echo '{"error": ""} {}'`, "more than one JSON value"},
		"nothing in it":      {`read l; echo '{}'`, "neither coefficients nor predictions"},
		"both":               {`read l; echo '{"coefficients": [[1, 2, 3]], "predictions": {"test": [[1, 2]]}}'`, "coefficients and predictions"},
		"too few":            {`read l; echo '{"coefficients": [[1, 2]]}'`, "2 numbers as coefficients; there are 3"},
		"no validation":      {`read l; echo '{"predictions": {"test": [[1, 2]]}}'`, "0 lists of predictions of the validation part for 1 knots"},
		"knots without ages": {`read l; echo '{"coefficients": [[1, 2, 3], [1, 2, 3]]}'`, "2 knots without ages"},
		"falling ages":       {`read l; echo '{"ages": [2, 1], "coefficients": [[1, 2, 3], [1, 2, 3]]}'`, "age 1 follows 2"},
		"a file and more":    {`read l; echo '{"file": true, "ages": [1]}'`, "allowed is one of them"},
		"no file":            {`read l; echo '{"file": true}'`, "no such file"},
		"garbage in a file":  {`read l; echo hello > agepath-answer.arrow; echo '{"file": true}'`, "agepath-answer.arrow"},
		"a link for a file":  {`read l; ln -s /dev/zero agepath-answer.arrow; echo '{"file": true}'`, "a regular file"},
		"a crash":            {`read l; echo cause >&2; exit 3`, "the command ended without an answer: exit status 3\nstandard error:\ncause"},
		"a signal":           {`read l; kill -9 $$`, "signal: killed"},
		"an end at once":     {`exit 0`, "exit status 0"},
		"half a line":        {`read l; printf '{"coefficients"'`, "ended without an answer"},
		"a closed output":    {`read l; exec >&-; sleep 100`, "closed its output without an answer"},
		"an heir":            {`sleep 100 & exit 4`, "exit status 4"},
		"deaf":               {`sleep 100`, "the command was ended: context deadline exceeded"},
		"without end":        {`exec cat /dev/zero`, "more than 64 MiB in a line"},
		"much to say":        {`read l; head -c 1000000 /dev/zero | tr '\0' x >&2; echo end >&2; exit 1`, "xxxend"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, host := shell(t, test.script)
			limit := 20 * time.Second
			if name == "deaf" {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			answer, err := host.Solve(ctx, program, cellOne, parts())
			got := fmt.Sprint(err)
			if err == nil {
				got = fmt.Sprintf("%d knots %v %v", answer.Knots(), answer.Ages, answer.Coefficients)
			}
			if !strings.Contains(got, test.want) || len(got) > 10_000 {
				t.Errorf("%.200s ... %s (%d bytes), want %s", got, got[max(0, len(got)-200):], len(got), test.want)
			}
			if (name == "deaf") != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the error is that of a deadline: %v", err)
			}
		})
	}
}

// TestUsageNeverFalls ends an idle command, as its time to wait does, while a program that it
// started is still there: the processor time so far is not less than before.
func TestUsageNeverFalls(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processor time of running commands is known on Linux")
	}
	program, host := shell(t, `(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 100) & while read l; do echo '{"coefficients": [[1, 2, 3]]}'; done`)
	if _, err := host.Solve(t.Context(), program, cellOne, parts()); err != nil {
		t.Fatal(err)
	}
	var before time.Duration
	for deadline := time.Now().Add(30 * time.Second); before < 50*time.Millisecond; before, _ = host.Usage() {
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s the program has taken %v", before)
		}
	}
	host.expire(host.idle)
	if after, bytes := host.Usage(); after < before || bytes != 0 {
		t.Errorf("%v and %d bytes after the end, %v before", after, bytes, before)
	}
}

// TestReuse wants one process for cells of a program, one for each program, another
// after an error, and folders and processes gone in the end.
func TestReuse(t *testing.T) {
	t.Parallel()
	program, host := shell(t, `n=0; while read l; do n=$((n+1)); pwd >&2; echo '{"error": "cell '$n' '$1'"}'; [ $n = 3 ] && exit; done`)
	other := *program
	other.Run = append(slices.Clone(program.Run), "other")
	var folders []string
	ask := func(p *Program, want string) {
		t.Helper()
		_, err := host.Solve(t.Context(), p, cellOne, parts())
		text := fmt.Sprint(err)
		if !strings.Contains(text, want) {
			t.Errorf("%v, want %s", err, want)
		}
		folders = append(folders, text[strings.LastIndex(text, "\n")+1:])
	}
	ask(program, "cell 1")
	ask(program, "cell 2")
	ask(&other, "cell 1 other")
	ask(program, "cell 1")
	host.Close()
	for _, dir := range folders {
		if _, err := os.Stat(dir); !strings.Contains(dir, "agepath-command-") || !os.IsNotExist(err) {
			t.Errorf("folder %q: %v", dir, err)
		}
	}
	if _, err := host.Solve(t.Context(), program, cellOne, parts()); err == nil {
		t.Error("a closed host starts commands")
	}
}

// TestPending has a command write a second answer some time after the first: the next cell
// is refused with its words, and a later one is computed by another process.
func TestPending(t *testing.T) {
	t.Parallel()
	// Each answer is the number of the cell, and twice there.
	program, host := shell(t, `while read l; do
		c=${l#*\"id\":\"}; c=${c%%\"*}
		for twice in 1 2; do echo "{\"cell\": \"$c\", \"coefficients\": [[$c, 0, 0]]}"; done
	done`)
	wrong, refused := 0, 0
	for n := range 12 {
		answer, err := host.Solve(t.Context(), program, fmt.Appendf(nil, `{"id":"%d"}`, n), parts())
		switch {
		case err == nil && answer.Coefficients[0][0] != float64(n):
			wrong++
		case err != nil && strings.Contains(err.Error(), "the command wrote") && strings.Contains(err.Error(), "one line for each line that it reads"):
			refused++
		case err != nil && !strings.Contains(err.Error(), fmt.Sprintf(`is of the cell "%d", not of`, n-1)):
			t.Error(err)
		}
		time.Sleep(10 * time.Millisecond) // for the second answer, which nobody waits for
	}
	if wrong > 0 || refused < 6 {
		t.Errorf("%d of 12 answers are of other cells, %d were refused", wrong, refused)
	}
	if _, err := host.Solve(t.Context(), program, []byte(`{}`), parts()); err == nil || !strings.Contains(err.Error(), "a cell without an id") {
		t.Errorf("a cell without an id: %v", err)
	}
}

// TestForks wants nothing left of a command that starts others, in their own session,
// group and without parents, and hangs.
func TestForks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the process group is ended")
	}
	name := fmt.Sprintf("sleep\x0098%d.5", os.Getpid())
	dir := t.TempDir()
	begun, child := filepath.Join(dir, "begun"), filepath.Join(dir, "child.sh")
	script := "echo >" + begun + "\nexec " + strings.ReplaceAll(name, "\x00", " ")
	program, host := shell(t, strings.ReplaceAll(`SLEEP & setsid SLEEP & (setsid sh -c 'SLEEP & SLEEP &' &) ; read l; SLEEP`, "SLEEP", "sh "+child))
	if err := errors.Join(exec.Command("mkfifo", begun).Run(), os.WriteFile(child, []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	lines, err := os.OpenFile(begun, os.O_RDWR, 0) // never at its end
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	five := make(chan error, 1)
	go func() { // ends with the file
		_, err := io.ReadFull(lines, make([]byte, 5))
		cancel()
		five <- err
	}()
	if _, err := host.Solve(ctx, program, cellOne, parts()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	lines.Close()
	if err := <-five; err != nil {
		t.Errorf("there were not 5 processes: %v", err)
	}
	if left := append(named(name), named("sh\x00"+child)...); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// named lists the processes with words of a command line.
func named(words string) (list []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if text, err := os.ReadFile(path); err == nil && bytes.HasPrefix(text, []byte(words)) {
			list = append(list, path)
		}
	}
	return list
}

// TestFiles wants files of other content refused, and the right ones where they belong.
func TestFiles(t *testing.T) {
	t.Parallel()
	program, host := shell(t, `read l; echo "{\"cell\": \"c1\", \"error\": \"$(cat sub/two) $AGEPATH_SECRET.\"}"`)
	program.Files = append(program.Files, File{"sub/two", Digest([]byte("two"))})
	script := host.Open
	host.Open = func(ctx context.Context, digest string) (io.ReadCloser, error) {
		if digest == Digest([]byte("two")) {
			return io.NopCloser(strings.NewReader("two")), nil
		}
		return script(ctx, digest)
	}
	if _, err := host.Solve(t.Context(), program, cellOne, parts()); fmt.Sprint(err) != "two ." {
		t.Error(err)
	}
	host.Open = func(context.Context, string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("three")), nil
	}
	program.Version = "2"
	if _, err := host.Solve(t.Context(), program, cellOne, parts()); err == nil || !strings.Contains(err.Error(), "it has the digest") {
		t.Errorf("a tampered file: %v", err)
	}
}

func TestReadProgram(t *testing.T) {
	t.Parallel()
	good := &Program{Run: []string{"sh", "a.sh"}, Version: "3", Uses: []string{UsesModel, UsesAge}, Files: []File{{"a.sh", Digest(nil)}}, Env: []string{"A"}}
	text, err := good.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ReadProgram(text); err != nil || fmt.Sprint(p) != fmt.Sprint(good) {
		t.Errorf("%v, %v", p, err)
	}
	for _, bad := range []string{
		"", "{}", text + " ", text + "{}", strings.Replace(text, `"sh"`, `""`, 1),
		strings.Replace(text, "a.sh\",\"digest", "../a.sh\",\"digest", 1), strings.Replace(text, "a.sh\",\"digest", "/a.sh\",\"digest", 1),
		strings.Replace(text, "a.sh\",\"digest", "agepath-data.arrow\",\"digest", 1), strings.Replace(text, Digest(nil), "abc", 1),
		strings.Replace(text, `"model","age"`, `"age","model"`, 1), strings.Replace(text, `"model"`, `"moon"`, 1),
		strings.Replace(text, `"version":"3"`, `"wersion":"3"`, 1),
		strings.Replace(text, `"env":["A"]`, `"env":["B","A"]`, 1), strings.Replace(text, `"A"`, `"AGEPATH_NATS_URL"`, 1),
		strings.Replace(text, `"A"`, `"A=B"`, 1),
	} {
		if p, err := ReadProgram(bad); err == nil {
			t.Errorf("%s is read as %v", bad, p)
		}
	}
}

// TestParts reads the file of parts as Arrow and by the offsets, and wants no label of
// the test part in it.
func TestParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parts.arrow")
	prepared := parts()
	prepared.Test.Y = []float64{171717, 181818}
	data, err := WriteParts(path, prepared)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(at int64, n int) (list []float64) {
		for i := range n {
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(text[int(at)+8*i:])))
		}
		return list
	}
	if bytes.Contains(text, binary.LittleEndian.AppendUint64(nil, math.Float64bits(181818))) {
		t.Error("a label of the test part is in the file")
	}
	reader, err := ipc.NewFileReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range []*dataset.Part{&prepared.Train, &prepared.Validation, &prepared.Test} {
		told := data.Parts[i]
		record, err := reader.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		x := record.Column(1).(array.ListLike).ListValues().(*array.Float64).Float64Values()
		y := record.Column(2).(*array.Float64)
		name := record.Column(0).(*array.String).Value(0)
		if name != told.Name || told.Rows != part.N || !slices.Equal(x, part.X) || !slices.Equal(numbers(told.X, part.N*part.D), part.X) {
			t.Errorf("part %s: %v, told %v", name, x, told)
		}
		switch {
		case name == "test":
			if y.NullN() != part.N || told.Y != 0 {
				t.Errorf("labels of the test part: %v, told %v", y, told)
			}
		case !slices.Equal(y.Float64Values(), part.Y) || !slices.Equal(numbers(told.Y, part.N), part.Y):
			t.Errorf("labels of %s: %v, told %v", name, y, told)
		}
		if weights := record.Column(3).(*array.Float64).Float64Values(); name == "train" &&
			(!slices.Equal(weights, part.Multiplicity) || !slices.Equal(numbers(told.Weight, part.N), part.Multiplicity)) {
			t.Errorf("weights: %v, told %v", weights, told)
		}
	}
}

// TestNotFinite wants numbers that are not finite to be told from others, however a program
// writes them: none of them is zero.
func TestNotFinite(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"null", "NaN", "Infinity", "-Infinity", "1e999", "-1e400"} {
		for _, c := range []struct{ line, what string }{
			{`"coefficients": [[1, 2, ` + word + `]]`, "coefficients"},
			{`"coefficients": [[` + word + `,2,3]]`, "coefficients"},
			{`"predictions": {"test": [[` + word + `, 1]]}`, "predictions.test"},
			{`"ages": [1, ` + word + `], "coefficients": [[1, 2, 3], [1, 2, 3]]`, "ages"},
		} {
			var number *NumberError
			_, err := readAnswer([]byte(`{"cell": "c1", `+c.line+`}`), "c1", "", checkParts)
			if !errors.As(err, &number) || number.What != c.what {
				t.Errorf("%s: %v", c.line, err)
			}
		}
	}
	line := `{"cell": "c1", "file": null, "error" :null, "coefficients": [[1, 2, 3]]}`
	if a, err := readAnswer([]byte(line), "c1", "", checkParts); err != nil || !slices.Equal(a.Coefficients[0], []float64{1, 2, 3}) {
		t.Errorf("%s: %v, %v", line, a, err)
	}
	line = `{"cell": "c1", "error": "a \"NaN\", null and Infinity"}`
	if _, err := readAnswer([]byte(line), "c1", "", checkParts); err == nil || err.Error() != `a "NaN", null and Infinity` {
		t.Errorf("%s: %v", line, err)
	}
	line = `{"cell": 5, "coefficients": [[NaN]]}`
	if _, err := readAnswer([]byte(line), "c1", "", checkParts); err == nil || errors.As(err, new(*NumberError)) {
		t.Errorf("%s: %v", line, err)
	}
}

// TestAnswerFile has a command leave a path in a file.
func TestAnswerFile(t *testing.T) {
	t.Parallel()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "age", Type: arrow.PrimitiveTypes.Float64}, {Name: "coefficients", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64)},
	}, nil)
	for last, want := range map[float64]string{6: "<nil>", math.Inf(1): "its answer: coefficients hold a number that is not finite"} {
		builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for k, theta := range [][]float64{{1, 2, 3}, {4, 5, last}} {
			builder.Field(0).(*array.Float64Builder).Append(float64(k))
			builder.Field(1).(*array.ListBuilder).Append(true)
			builder.Field(1).(*array.ListBuilder).ValueBuilder().(*array.Float64Builder).AppendValues(theta, nil)
		}
		var text bytes.Buffer
		writer, err := ipc.NewFileWriter(&places{out: &text, at: map[*byte]int64{}}, ipc.WithSchema(schema))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writer.Write(builder.NewRecord()), writer.Close()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "answer.arrow")
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := readAnswer([]byte(`{"cell": "c1", "file": true}`), "c1", path, checkParts)
		if fmt.Sprint(err) != want {
			t.Error(err)
		}
		if err == nil && fmt.Sprint(a.Ages, a.Coefficients) != "[0 1] [[1 2 3] [4 5 6]]" {
			t.Error(a)
		}
	}
}

// FuzzAnswer wants no answer to do harm, and those that pass to fit the data.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"cell": "c1", "coefficients": [[1, 2, 3]]}`), []byte(nil))
	f.Add([]byte(`{"cell": "c1", "ages": [1], "predictions": {"validation": [[1]], "test": [[1, 2]]}}`), []byte(nil))
	f.Fuzz(func(t *testing.T, line, file []byte) {
		path := filepath.Join(t.TempDir(), "answer.arrow")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := readAnswer(line, "c1", path, checkParts)
		if err != nil {
			return
		}
		if text, err := json.Marshal(a); err != nil || a.Knots() == 0 {
			t.Errorf("%s: %v", text, err)
		}
	})
}

func checkParts(a *Answer) error { return a.check(parts()) }

// TestCurve takes curves of solvers, and nothing else.
func TestCurve(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"seconds": [1, 2], "coefficients": [[1, 2], [3, 4]], "gaps": [-1, 0.5], "setup": 0.5}`: "[1 2] [] [-1 0.5] 0.5",
		`{"stopped": "budget"}`:                         "[] [] [] 0",
		`{}`:                                            "neither points nor a word",
		`{"skipped": "no such module"}`:                 "no such module",
		`{"seconds": [1], "ages": [1]}`:                 "ages or predictions",
		`{"seconds": [1]}`:                              "0 lists of coefficients",
		`{"coefficients": [[1, 2]]}`:                    "1 lists of coefficients for 0 knots",
		`{"seconds": [1], "coefficients": [[1, 2, 3]]}`: "3 numbers as coefficients; there are 2",
		`{"seconds": [1], "coefficients": [[1, 2]], "passes": [1, 2]}`: "2 passes for 1 points",
		`{"seconds": [-2], "coefficients": [[1, 2]]}`:                  "seconds hold a number",
		`{"seconds": [1], "coefficients": [[1, 2]], "setup": -1}`:      "-1 seconds of set-up",
	} {
		program, host := shell(t, "read l; echo '"+line+"'")
		a, err := host.Curve(t.Context(), program, cellOne, parts())
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(a.Seconds, a.Passes, a.Gaps, a.Setup)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		if refused := new(CellError); strings.Contains(line, "skipped") && !(errors.As(err, &refused) && refused.Skipped) {
			t.Errorf("%s: %v is no refusal", line, err)
		}
	}
	program, host := shell(t, `read l; echo '{"seconds": [1], "coefficients": [[1, 2, 3]]}'`)
	if _, err := host.Solve(t.Context(), program, cellOne, parts()); err == nil || !strings.Contains(err.Error(), "curves of solvers alone") {
		t.Errorf("a curve for a path: %v", err)
	}
}

// TestIdleEndsApart has the timer of an idle command fire while the next cell arrives: ending the
// idle command, which ends all processes below this one, must spare the command of that cell.
func TestIdleEndsApart(t *testing.T) {
	program, host := shell(t, `while read l; do sleep 0.02; echo '{"coefficients": [[1, 2, 3]]}'; done`)
	if host.Alone = Own(); !host.Alone {
		t.Skip("this system does not give orphans to another parent")
	}
	for range 20 {
		if _, err := host.Solve(t.Context(), program, cellOne, parts()); err != nil {
			t.Fatal(err)
		}
		host.mu.Lock()
		idle := host.idle
		host.mu.Unlock()
		done := make(chan bool)
		go func() { // as the timer does
			host.expire(idle)
			close(done)
		}()
		for taken := false; !taken; {
			host.mu.Lock()
			taken = host.idle != idle
			host.mu.Unlock()
		}
		_, err := host.Solve(t.Context(), program, cellOne, parts())
		if <-done; err != nil {
			t.Fatal(err)
		}
	}
}
