package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// values are the flags of a program of one command.
type values struct {
	word, text string
	number     int
	switched   bool
	numbers    []int
	texts      []string
	path       string
}

// read runs the program with a config file's text, "" for none, and returns
// what its flags hold.
func read(t *testing.T, config string, env map[string]string, args ...string) (values, int, string) {
	t.Helper()
	var v values
	var stderr bytes.Buffer
	root := &cobra.Command{Use: "program"}
	base := New(root, Streams{Out: &bytes.Buffer{}, Err: &stderr, Env: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}})
	base.NATS.AddTo(root.PersistentFlags())
	cmd := &cobra.Command{Use: "do", Args: Arguments(), RunE: func(*cobra.Command, []string) error { return nil }}
	flags := cmd.Flags()
	Choice(flags, &v.word, "word", "one", "a word", "one", "two")
	Count(flags, &v.number, "number", 5, 1, 10, "a number")
	List(flags, &v.numbers, "numbers", "numbers", nil, strconv.Atoi)
	flags.StringArrayVar(&v.texts, "texts", nil, "texts")
	flags.StringVar(&v.text, "text", "standard", "a text")
	Path(flags, &v.path, "path", "a `folder`")
	flags.BoolVar(&v.switched, "switched", false, "a switch")
	Group(root, cmd)
	if config != "" {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	code := base.Execute(t.Context(), root, append([]string{"do"}, args...))
	return v, code, stderr.String()
}

func TestSources(t *testing.T) {
	t.Parallel()
	const file = "word: two\nnumber: 7\nnumbers: [1, 2]\ntexts: ['a, b', c]\ntext: file\nswitched: true\n"
	env := map[string]string{
		"AGEPATH_WORD": "one", "AGEPATH_NUMBER": "8", "AGEPATH_NUMBERS": "3, 4", "AGEPATH_TEXTS": "d, e\nf\n",
		"AGEPATH_TEXT": "env", "AGEPATH_SWITCHED": "false",
	}
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		args   []string
		want   values
	}{
		"defaults":       {"", nil, nil, values{word: "one", number: 5, text: "standard"}},
		"empty file":     {"# nothing\n", nil, nil, values{word: "one", number: 5, text: "standard"}},
		"file":           {file, nil, nil, values{"two", "file", 7, true, []int{1, 2}, []string{"a, b", "c"}, ""}},
		"one for a list": {"numbers: 6\ntexts: x\n", nil, nil, values{word: "one", number: 5, text: "standard", numbers: []int{6}, texts: []string{"x"}}},
		"environment":    {file, env, nil, values{"one", "env", 8, false, []int{3, 4}, []string{"d, e", "f"}, ""}},
		"empty variable": {file, map[string]string{"AGEPATH_NUMBER": ""}, nil, values{"two", "file", 7, true, []int{1, 2}, []string{"a, b", "c"}, ""}},
		"command line": {file, env, []string{"--word", "two", "--number", "9", "--numbers", "5,6", "--numbers", "7,6", "--texts", "g,h", "--text", "line", "--switched"},
			values{"two", "line", 9, true, []int{5, 6, 7}, []string{"g,h"}, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			have, code, message := read(t, c.config, c.env, c.args...)
			if code != ExitDone || !reflect.DeepEqual(have, c.want) {
				t.Errorf("%+v, want %+v\n%s", have, c.want, message)
			}
		})
	}
}

func TestBadValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		args   []string
		want   string
	}{
		"word":           {"", nil, []string{"--word", "three"}, `--word: "three" is not allowed; allowed are one, two`},
		"number":         {"", nil, []string{"--number", "11"}, `--number: "11" is not allowed; a whole number from 1 to 10 is`},
		"numbers":        {"", nil, []string{"--numbers", "1,x"}, `--numbers: strconv.Atoi: parsing "x"`},
		"switch":         {"", nil, []string{"--switched=on"}, `--switched: "on" is not allowed; true and false are`},
		"argument":       {"", nil, []string{"x"}, `unexpected argument "x"; only flags are allowed`},
		"word in env":    {"", map[string]string{"AGEPATH_WORD": "x"}, nil, `AGEPATH_WORD: "x" is not allowed; allowed are one, two`},
		"config in env":  {"", map[string]string{"AGEPATH_CONFIG": "/gone.yaml"}, nil, "/gone.yaml"},
		"word in file":   {"number: 3\nword: x\n", nil, nil, `config.yaml:2: word: "x" is not allowed; allowed are one, two`},
		"list in file":   {"numbers: [1, x]\n", nil, nil, `config.yaml:1: numbers: strconv.Atoi: parsing "x"`},
		"two in file":    {"number: x\nword: x\n", nil, nil, `config.yaml:2: word: "x" is not allowed`},
		"unknown key":    {"words: x\n", nil, nil, "config.yaml:1: words: unknown key; allowed are connect-wait, creds, inbox-prefix"},
		"key in capital": {"Word: one\n", nil, nil, "config.yaml:1: Word: unknown key"},
		"key twice":      {"word: one\nword: two\n", nil, nil, "config.yaml"},
		"map in file":    {"word: one\nnumber: {a: 1}\n", nil, nil, "config.yaml:2: number: a map is not allowed; a value or a list is"},
		"list for one":   {"number: [1, 2]\n", nil, nil, "config.yaml:1: number: a list is not allowed; one value is"},
		"file of a list": {"# flags\n- word\n", nil, nil, "config.yaml:2: a map of flags to their values is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, code, message := read(t, c.config, c.env, c.args...)
			if code != ExitRefused || !strings.HasPrefix(message, "program do:") || !strings.Contains(message, c.want) {
				t.Errorf("exit status %d, want a message with %q:\n%s", code, c.want, message)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err         error
		interrupted bool
		code        int
		message     string
	}{
		"done":                      {nil, false, ExitDone, ""},
		"done at the last moment":   {nil, true, ExitDone, ""},
		"failed":                    {errors.New("broken"), false, ExitFailed, "broken"},
		"refused":                   {fmt.Errorf("run: %w", Refusef("bad %s", "key")), false, ExitRefused, "run: bad key"},
		"interrupted":               {context.Canceled, true, ExitInterrupted, "interrupted"},
		"interrupted while planned": {Refuse(context.Canceled), true, ExitInterrupted, "interrupted"},
		"interrupted with words":    {&Interruption{"half is done"}, true, ExitInterrupted, "half is done"},
		"cancelled by itself":       {context.Canceled, false, ExitFailed, "context canceled"},
	} {
		if code, message := status(c.err, c.interrupted); code != c.code || message != c.message {
			t.Errorf("%s: %d %q, want %d %q", name, code, message, c.code, c.message)
		}
	}
	if Refuse(nil) != nil {
		t.Error("no error is refused")
	}
}

// TestPaths wants ~ to be the home folder wherever a path comes from, and nothing else to
// be changed or taken for one.
func TestPaths(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte("number: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(path string) string { return filepath.Join(home, path) }
	for name, c := range map[string]struct {
		config string
		env    map[string]string
		args   []string
		want   string
	}{
		"flag":          {args: []string{"--path=~/res"}, want: in("res")},
		"home":          {args: []string{"--path", "~"}, want: home},
		"config file":   {config: "path: ~/a b/c\n", want: in("a b/c")},
		"environment":   {env: map[string]string{"AGEPATH_PATH": "~/res/"}, want: in("res")},
		"inside":        {args: []string{"--path=a/~/b~"}, want: "a/~/b~"},
		"file called ~": {args: []string{"--path=./~x"}, want: "./~x"},
		"store":         {args: []string{"--path=s3://bucket/~/x"}, want: "s3://bucket/~/x"},
	} {
		if v, code, stderr := read(t, c.config, c.env, c.args...); v.path != c.want || code != ExitDone {
			t.Errorf("%s: %q, want %q; exit status %d: %s", name, v.path, c.want, code, stderr)
		}
	}
	if v, code, stderr := read(t, "", nil, "--config=~/config.yaml"); v.number != 7 {
		t.Errorf("the config file in the home folder is not read: %d, %s", code, stderr)
	}
	if _, code, stderr := read(t, "", nil, "--path=~bob/res"); code != ExitRefused || !strings.Contains(stderr, "--path: ") || !strings.Contains(stderr, "./~bob/res") {
		t.Errorf("the home folder of another: exit status %d, %s", code, stderr)
	}
	t.Setenv("HOME", "")
	if _, code, stderr := read(t, "", nil, "--path=~/res"); code != ExitRefused || !strings.Contains(stderr, "give the path in full") {
		t.Errorf("without a home: exit status %d, %s", code, stderr)
	}
}

// TestParseMoment wants a moment as Slurm writes it to be one.
func TestParseMoment(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 11, 26, 12, 30, 0, 0, time.Local)
	for _, text := range []string{strconv.FormatInt(want.Unix(), 10), "2026-11-26T12:30:00", want.Format(time.RFC3339), want.UTC().Format(time.RFC3339)} {
		if got, err := ParseMoment(text); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, error %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-5", "12:30", "2026-11-26", "NONE", "90s"} {
		if got, err := ParseMoment(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
