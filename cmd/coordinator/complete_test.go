package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// submitted starts a server that knows two runs, small-... with 8 cells that have ended
// and smaller-... with 2 queued ones, and returns its URL, the runs' names and the folder
// of the first.
func submitted(t *testing.T) (url string, names []string, out string) {
	t.Helper()
	server := testqueue.Server(t, "127.0.0.1:0")
	dir := t.TempDir()
	out = filepath.Join(dir, "out")
	cache := []string{"--nats", server.URL(), "--cache", filepath.Join(dir, "cache", "datasets")}
	grid := write(t, dir, "grid.yaml", smallGrid)
	o := must(t, append(cache, "run", grid, "--out", out, "--workers", "1", "--figures", "0")...)
	name, _, _ := strings.Cut(o.out, ":")
	o = must(t, append(cache, "submit", grid, "--set", "name=smaller", "--set", "seed=9", "--set", "repeats=1", "--set", "noise=[{kind: gaussian, levels: [0]}]")...)
	other, _, _ := strings.Cut(o.out, ":")
	return server.URL(), []string{name, other}, out
}

// cellsOf returns the cells of a folder.
func cellsOf(t *testing.T, dir string) []string {
	t.Helper()
	frame, err := results.ReadTable(filepath.Join(dir, results.CellsFile), "cell")
	if err != nil {
		t.Fatal(err)
	}
	return frame.Batch.Columns[0].Texts
}

// ownPrefix returns the shortest beginning of a cell that no other has.
func ownPrefix(cells []string, cell string) string {
	for n := range cell {
		if len(beginning(cells, cell[:n+1])) == 1 {
			return cell[:n+1]
		}
	}
	return cell
}

// TestPrefixes wants runs and cells to be found by a beginning that no other has, and the
// candidates named where others have it.
func TestPrefixes(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	url, names, out := submitted(t)
	name, other := names[0], names[1]
	with := func(args ...string) outcome { return do(t, append(args, "--nats", url)...) }
	wants := func(o outcome, want string) {
		t.Helper()
		if o.code != command.ExitDone || !strings.Contains(o.out, want) {
			t.Errorf("exit status %d, no %q in\n%s%s", o.code, want, o.out, o.err)
		}
	}
	begin := other[:len("smaller")]
	wants(with("pause", begin), other+": paused")
	wants(with("status", begin, "--json"), `"state": "paused"`)
	wants(with("resume", begin), other+": resumed")
	wants(with("cancel", begin), other+": cancelled")
	wants(with("retry", name[:len(name)-1]), name+": 0 cells queued again")
	wants(with("collect", name[:len("small-")], "--out", filepath.Join(t.TempDir(), "a")), name+": 12 of 12 cells have ended")
	wants(with("purge", begin), other+": removed")
	wantRefusal(t, with("status", "smalest"), []string{"no run smalest; it has " + name})

	cells := cellsOf(t, out)
	cell := cells[0]
	wants(do(t, "replay", out, ownPrefix(cells, cell)), "equal bit for bit")
	wantRefusal(t, do(t, "replay", out, "none"), []string{out + ` has no cell "none"`})
	wantRefusal(t, do(t, "replay", out, ""), []string{out + ` has no cell ""`})

	// Cells of one beginning: there are fewer first digits than cells.
	must(t, "run", write(t, t.TempDir(), "grid.yaml", smallGrid), "--set", "repeats=5", "--out", out, "--workers", "1", "--figures", "0")
	cells = cellsOf(t, out)
	at := slices.IndexFunc(cells, func(cell string) bool { return len(beginning(cells, cell[:1])) > 1 })
	shared := beginning(cells, cells[at][:1])
	wantRefusal(t, do(t, "replay", out, cells[at][:1]), []string{"several cells of " + out, shared[0], shared[1]})
	must(t, "submit", write(t, t.TempDir(), "grid.yaml", smallGrid), "--set", "repeats=1", "--nats", url, "--cache", t.TempDir())
	wantRefusal(t, with("status", "small"), []string{"several runs of the server begin with small: small-", ", small-"})
}

// TestUnknownNames wants what may be meant by an unknown flag, command or key, and a flag
// that a command does not use to be none of it.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", smallGrid)
	config := write(t, dir, "config.yaml", "worker: 3\n")
	shared := write(t, dir, "shared.yaml", "nats: nats://127.0.0.1:1\nworkers: 3\ncreds: "+filepath.Join(dir, "none")+"\n")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"flag":            {[]string{"run", "--worker", "3", grid}, []string{"unknown flag: --worker", "; did you mean --workers?"}},
		"no flag near":    {[]string{"report", "--xyzzy", dir}, []string{"unknown flag: --xyzzy; allowed are --choose, --compression, --config, --figures, --format, --help, --log-format, --log-level, --paper, --rope, --significance\n"}},
		"command":         {[]string{"rum"}, []string{`unknown command "rum"`, "; did you mean run?"}},
		"group's command": {[]string{"datasets", "fetsh"}, []string{`unknown command "fetsh"; allowed are check, fetch, list; did you mean fetch?`}},
		"list":            {[]string{"list"}, []string{`unknown command "list"`, "; `coordinator status` does that"}},
		"logs":            {[]string{"logs", "night"}, []string{"; `coordinator status RUN` does that"}},
		"priority":        {[]string{"priority", "night", "5"}, []string{"; `coordinator submit GRID --priority N` does that"}},
		"serve apart":     {[]string{"run", grid, "--serve", "127.0.0.1:8480"}, []string{`unexpected argument "127.0.0.1:8480"`, "; --serve takes a value by =, as in --serve=127.0.0.1:0"}},
		"key":             {[]string{"plan", grid, "--config", config}, []string{"config.yaml:1: worker: unknown key", "; did you mean workers?"}},
		"server":          {[]string{"plan", grid, "--nats", "nats://127.0.0.1:1"}, []string{"coordinator plan: unknown flag: --nats"}},
		"library":         {[]string{"status", "--datasets", dir}, []string{"coordinator status: unknown flag: --datasets"}},
		"shell":           {[]string{"completion", "csh"}, []string{`"csh" is not allowed; allowed are bash, fish, powershell, zsh`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, do(t, c.args...), c.want)
		})
	}
	// A configuration file may serve all commands.
	if o := must(t, "plan", grid, "--out", filepath.Join(dir, "out"), "--config", shared); !strings.Contains(o.out, " on 3 ") {
		t.Errorf("plan with a shared file: %s", o.out)
	}
}

// TestCompletion wants what the program offers to shells.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"commands":     {[]string{"re"}, "replay report resume retry :4"},
		"data sets":    {[]string{"datasets", "check", "digits", "di"}, "diabetes :4"},
		"data set":     {[]string{"datasets", "fetch", "mus"}, "music music-column-100 :4"},
		"grids":        {[]string{"plan", ""}, "yaml yml :8"},
		"one grid":     {[]string{"plan", "grid.yaml", ""}, ":4"},
		"folders":      {[]string{"compare", "a", "b", "c", ""}, ":16"},
		"runs":         {[]string{"status", ""}, ":4"},
		"words":        {[]string{"--log-level", "w"}, "warn :4"},
		"list":         {[]string{"retry", "--status", "failed,ti"}, "failed,timeout :4"},
		"formats":      {[]string{"report", "--format=h"}, "html :4"},
		"folder":       {[]string{"run", "--out", ""}, ":16"},
		"file":         {[]string{"status", "--creds", ""}, ":0"},
		"number":       {[]string{"run", "--workers", ""}, ":4"},
		"flags":        {[]string{"verify", "--d"}, "--datasets :4"},
		"no such flag": {[]string{"report", "--na"}, ":4"},
		"shells":       {[]string{"completion", ""}, "bash fish powershell zsh :4"},
	} {
		o := must(t, append([]string{"__completeNoDesc"}, c.args...)...)
		if have := strings.Join(strings.Fields(o.out), " "); have != c.want || strings.Contains(strings.ToLower(o.err), "error") {
			t.Errorf("%s: %q offers %q, want %q: %s", name, c.args, have, c.want, o.err)
		}
	}
}

// TestCompletionInBash completes command lines in bash by its own means.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("bash of Windows names files in another way")
	}
	bash := needs.Program(t, "completing command lines", "bash")
	library := bashCompletion(t)
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "coordinator")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "grids/night.yaml", smallGrid)
	write(t, dir, "grids/notes.txt", "none")
	write(t, dir, "script", must(t, "completion", "bash").out)
	write(t, dir, "test", `
source "$1"; source ./script
compopt() { :; } # which works within a completion alone
offer() { # the words of a command line, of which the last is completed
	COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=63
	COMPREPLY=()
	"$(complete -p coordinator | sed 's/.*-F \([^ ]*\) .*/\1/')" coordinator "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
	echo "${COMPREPLY[@]}" | sed 's/ *(.*)$//'
}
`)
	for name, c := range map[string]struct{ words, want string }{
		"command":  {"coordinator datas", "datasets"},
		"data set": {"coordinator datasets fetch diab", "diabetes"},
		"grid":     {"coordinator plan grids/n", "grids/night.yaml"},
		"folder":   {"coordinator report gr", "grids"},
		"status":   {"coordinator retry --status dive", "diverged"},
		"nothing":  {"coordinator status any", ""},
	} {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", `. ./test; offer `+c.words, "bash", library)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var said bytes.Buffer
		cmd.Stderr = &said
		have, err := cmd.Output()
		if err != nil || strings.TrimSpace(string(have)) != c.want || said.Len() > 0 {
			t.Errorf("%s: %q completes to %q, want %q: %v %s", name, c.words, have, c.want, err, said.String())
		}
	}
}

// bashCompletion returns the script of the package bash-completion.
func bashCompletion(t testing.TB) string {
	t.Helper()
	places := []string{"/usr/share", "/usr/local/share", "/opt/homebrew/share", "/etc"}
	for _, place := range places {
		path := filepath.Join(place, "bash-completion", "bash_completion")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	needs.Lacking(t, "completing in bash: the package bash-completion is in none of %q", places)
	return ""
}
