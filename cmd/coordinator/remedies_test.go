package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// advisedLine is a command line in a message.
var advisedLine = regexp.MustCompile("`coordinator ([^`]+)`")

// advised are the command lines that a message advises, with values for words in capitals.
func advised(message string, values map[string]string) (lines [][]string) {
	for _, match := range advisedLine.FindAllStringSubmatch(message, -1) {
		words := strings.Fields(match[1])
		for i, word := range words {
			if value, ok := values[word]; ok {
				words[i] = value
			}
		}
		lines = append(lines, words)
	}
	return lines
}

// TestAdvisedCommandLines wants every command line that a message of the program advises to be one that it takes, or the name
// of a command.
func TestAdvisedCommandLines(t *testing.T) {
	t.Parallel()
	number, verb := regexp.MustCompile(`%(\[\d\])?d`), regexp.MustCompile(`%(\[\d\])?[a-z]`)
	lines := 0
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range advised(verb.ReplaceAllString(number.ReplaceAllString(text, "1"), "x"), map[string]string{"N": "1"}) {
				lines++
				_, root := commands(command.Streams{})
				found, args, err := root.Find(words)
				if err == nil && len(args) > 0 {
					if err = found.ParseFlags(args); err == nil {
						err = found.ValidateArgs(found.Flags().Args())
					}
					if err == nil && found.PreRunE != nil {
						err = found.PreRunE(found, nil)
					}
				}
				if err != nil || found == root {
					t.Errorf("%s: %q: %v", path, words, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || lines < 30 {
		t.Errorf("%d command lines, %v", lines, err)
	}
}

// tinyGrid has two cells.
const tinyGrid = "name: tiny\ndata: [diabetes]\nmodels: [{lasso: {alpha: [0.01, 0.1]}}]\nmethods: [original]\n"

// forms are the forms in which refusals name values, each with the values that it means.
var forms = []struct {
	form   *regexp.Regexp
	values func(match []string) []string
}{
	{regexp.MustCompile(`not allowed; allowed are ((?:[\w-]+, )*[\w-]+)\n`), func(m []string) []string { return strings.Split(m[1], ", ") }},
	{regexp.MustCompile(`there are ((?:[\w-]+, )*[\w-]+)\n`), func(m []string) []string { return strings.Split(m[1], ", ") }},
	{regexp.MustCompile(`a whole number from (\d+) to (\d+) is`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`such as (\S+?) or (\S+?), or (\S+?) is`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`such as ([^\s,]+?)(?: is)?(?:, or (none|:\d+)\b.*)?\n`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`; (\d), (\d) and (\d) are`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`; did you mean (\S+)\?`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`, as in (_INBOX)`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`a time from (\S+) is`), func(m []string) []string { return m[1:] }},
	{regexp.MustCompile(`(true) and (false) are`), func(m []string) []string { return m[1:] }},
}

// TestRemediesOfUsage tries each remedy that the refusal of a command line names.
func TestRemediesOfUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := testqueue.Server(t, "127.0.0.1:0").URL()
	grid, csv := write(t, dir, "tiny.yaml", tinyGrid), write(t, dir, "own.csv", "a,b,y\n"+strings.Repeat("1,2,3\n2,5,1\n4,3,2\n", 9))
	events := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer events.Close()
	webhook := events.URL + "/path"
	out, password := filepath.Join(dir, "out"), write(t, dir, "password", "x")
	must(t, "run", grid, "--out", out, "--figures", "0")
	run, _, _ := strings.Cut(must(t, "submit", grid, "--nats", url).out, ":")
	lines := map[string]string{"GRID": grid, "RUN": run, "DIR": out, "CELL": cellsOf(t, out)[0], "N": "3"}
	fresh := func() string { return filepath.Join(t.TempDir(), "out") }
	type way struct {
		says string
		args []string
	}
	for name, c := range map[string]struct {
		args []string // the word "BAD:x" is x, which values of the message replace
		ways []way    // in other words
	}{
		"a command":          {[]string{"BAD:plann", grid}, nil},
		"a flag":             {[]string{"plan", grid, "BAD:--worker", "3"}, nil},
		"a command's flag":   {[]string{"report", out, "BAD:--formats", "csv"}, nil},
		"list":               {[]string{"list", "--nats", url}, nil},
		"logs":               {[]string{"logs", run, "--nats", url}, nil},
		"priority":           {[]string{"priority", run, "3", "--nats", url}, nil},
		"workers of a plan":  {[]string{"plan", grid, "--workers", "BAD:0"}, nil},
		"statuses":           {[]string{"retry", run, "--nats", url, "--status", "BAD:broken"}, nil},
		"statuses of a run":  {[]string{"run", grid, "--out", out, "--figures", "0", "--retry", "BAD:ok"}, nil},
		"log level":          {[]string{"plan", grid, "--log-level", "BAD:loud"}, nil},
		"log format":         {[]string{"plan", grid, "--log-format", "BAD:xml"}, nil},
		"report format":      {[]string{"report", out, "--figures", "0", "--format", "BAD:word"}, nil},
		"figures":            {[]string{"report", out, "--figures", "BAD:many"}, nil},
		"significance":       {[]string{"report", out, "--figures", "0", "--significance", "BAD:5"}, nil},
		"compression":        {[]string{"run", grid, "--out", out, "--figures", "0", "--compression", "BAD:gzip"}, nil},
		"choice":             {[]string{"report", out, "--figures", "0", "--choose", "BAD:median"}, nil},
		"a truth":            {[]string{"plan", grid, "BAD:--json=yes"}, []way{{"true and false are", []string{"plan", grid, "--json=true"}}, {"", []string{"plan", grid, "--json=false"}}}},
		"shell":              {[]string{"completion", "BAD:csh"}, nil},
		"time-out":           {[]string{"retry", run, "--nats", url, "--timeout", "BAD:ever"}, []way{{"such as 90s, 30m or 1h30m, or none", []string{"retry", run, "--nats", url, "--timeout", "1h30m"}}, {"", []string{"retry", run, "--nats", url, "--timeout", "none"}}}},
		"memory":             {[]string{"retry", run, "--nats", url, "--memory", "BAD:4"}, nil},
		"attempts":           {[]string{"retry", run, "--nats", url, "--attempts", "BAD:1001"}, nil},
		"replicas":           {[]string{"submit", grid, "--nats", url, "--replicas", "BAD:2"}, []way{{"1, 3 and 5 are", []string{"submit", grid, "--nats", url, "--replicas", "1"}}}},
		"inbox":              {[]string{"status", "--nats", url, "--inbox-prefix", "BAD:a.>"}, nil},
		"domain":             {[]string{"status", "--nats", url, "--jetstream-domain", "a.b"}, []way{{"a name without dots", []string{"status", "--nats", url}}}},
		"acknowledgements":   {[]string{"submit", grid, "--nats", url, "--ack-wait", "BAD:1ms"}, nil},
		"waiting":            {[]string{"status", "--nats", url, "--connect-wait", "BAD:soon"}, nil},
		"owner":              {[]string{"submit", grid, "--nats", url, "--owner", strings.Repeat("x", 200)}, []way{{"up to ", []string{"submit", grid, "--nats", url, "--owner", "x"}}}},
		"no server":          {[]string{"status"}, []way{{"--nats URL", []string{"status", "--nats", url}}, {"the key nats of the config file", []string{"status", "--config", write(t, dir, "c.yaml", "nats: "+url+"\n")}}}},
		"a server as a run":  {[]string{"status", url}, []way{{"--nats URL takes that of a NATS server", []string{"status", "--nats", url}}}},
		"two logins":         {[]string{"status", "--nats", url, "--user", "u", "--password-file", password, "--nkey", password}, []way{{"only one of them is allowed", []string{"status", "--nats", url, "--user", "u", "--password-file", password}}}},
		"half a login":       {[]string{"status", "--nats", url, "--user", "u"}, []way{{"both", []string{"status", "--nats", url, "--user", "u", "--password-file", password}}, {"or none", []string{"status", "--nats", url}}}},
		"no workers":         {[]string{"run", grid, "--out", fresh(), "--workers", "0", "--figures", "0"}, []way{{"or --workers from 1", []string{"run", grid, "--out", fresh(), "--workers", "1", "--figures", "0"}}}},
		"two servers":        {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--nats", url, "--listen", "127.0.0.1:0"}, []way{{"one of them is allowed", []string{"run", grid, "--out", fresh(), "--figures", "0", "--listen", "127.0.0.1:0"}}, {"", []string{"run", grid, "--out", fresh(), "--figures", "0", "--nats", url}}}},
		"an address":         {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--serve=BAD"}, []way{{"such as 127.0.0.1:8480, or :8480 for all addresses", []string{"run", grid, "--out", fresh(), "--figures", "0", "--serve=127.0.0.1:0"}}, {"", []string{"run", grid, "--out", fresh(), "--figures", "0", "--serve=:0"}}}},
		"an address apart":   {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--serve", "127.0.0.1:0"}, []way{{"by =, as in --serve=127.0.0.1:0", []string{"run", grid, "--out", fresh(), "--figures", "0", "--serve=127.0.0.1:0"}}}},
		"watching JSON":      {[]string{"status", "--nats", url, "--watch", "--json"}, []way{{"--json prints one object", []string{"status", "--nats", url, "--json"}}}},
		"no folder":          {[]string{"collect", run, "--nats", url}, []way{{"--out is missing", []string{"collect", run, "--nats", url, "--out", fresh()}}}},
		"a file as a folder": {[]string{"collect", run, "--nats", url, "--out", grid}, []way{{"is not a directory", []string{"collect", run, "--nats", url, "--out", fresh()}}}},
		"no grid":            {[]string{"plan"}, []way{{"GRID is missing", []string{"plan", grid}}}},
		"two grids":          {[]string{"plan", grid, grid}, []way{{"allowed is GRID", []string{"plan", grid}}}},
		"a grid elsewhere":   {[]string{"plan", filepath.Join(dir, "gone.yaml")}, []way{{"a YAML file, such as grids/quickstart.yaml", []string{"plan", filepath.Join("..", "..", "grids", "quickstart.yaml")}}, {"or a folder of results", []string{"plan", out}}}},
		"a folder elsewhere": {[]string{"report", dir}, []way{{"a folder with results of `coordinator run` or `coordinator collect`", []string{"report", out, "--figures", "0"}}}},
		"reuse of nothing":   {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--reuse", dir}, []way{{"folders with results of `coordinator run` or `coordinator collect`", []string{"run", grid, "--out", fresh(), "--figures", "0", "--reuse", out}}}},
		"no cell":            {[]string{"replay", out, "zz"}, []way{{"the column cell of cells.arrow has those that are there", []string{"replay", out, lines["CELL"]}}}},
		"a grid that is":     {[]string{"init", csv, "--grid", grid}, []way{{"--grid FILE writes another file", []string{"init", csv, "--grid", filepath.Join(dir, "own.yaml")}}}},
		"data elsewhere":     {[]string{"plan", grid, "--datasets", filepath.Join(dir, "gone")}, []way{{"--datasets DIR names an existing folder", []string{"plan", grid, "--datasets", dir}}}},
		"a data set":         {[]string{"datasets", "check", "BAD:diabets"}, nil},
		"a webhook":          {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--notify", "ftp://host/path"}, []way{{"or http://HOST/PATH", []string{"run", grid, "--out", fresh(), "--figures", "0", "--notify", webhook}}}},
		"failures":           {[]string{"run", grid, "--out", fresh(), "--figures", "0", "--notify-failures", "2"}, []way{{"must be from 0 to 1", []string{"run", grid, "--out", fresh(), "--figures", "0", "--notify-failures", "0"}}, {"", []string{"run", grid, "--out", fresh(), "--figures", "0", "--notify-failures", "1"}}}},
		"an override":        {[]string{"plan", grid, "--set", "repeats"}, []way{{"repeats=2", []string{"plan", grid, "--set", "repeats=2"}}, {"models.0.lasso.alpha=[0.1, 0.2]", []string{"plan", grid, "--set", "models.0.lasso.alpha=[0.1, 0.2]"}}}},
	} {
		bad, at := slices.Clone(c.args), -1
		for i, arg := range bad {
			if value, found := strings.CutPrefix(arg, "BAD:"); found {
				bad[i], at = value, i
			}
		}
		refused := do(t, bad...)
		if refused.code == command.ExitDone {
			t.Errorf("%s: %q is not refused", name, bad)
		}
		ways := c.ways
		for _, form := range forms {
			match := form.form.FindStringSubmatch(refused.err)
			if match == nil || at < 0 || ways != nil {
				continue
			}
			for _, value := range form.values(match) {
				if value != "" {
					args := slices.Clone(bad)
					args[at] = value
					ways = append(ways, way{"", args})
				}
			}
			break
		}
		if c.ways == nil {
			for _, line := range advised(refused.err, lines) {
				ways = append(ways, way{"", append(line, "--nats", url)})
			}
		}
		if len(ways) == 0 {
			t.Errorf("%s: no remedy is tried of %s", name, refused.err)
		}
		for _, w := range ways {
			if o := do(t, w.args...); o.code != command.ExitDone || !strings.Contains(refused.err, w.says) {
				t.Errorf("%s: %q, which is to be in %q, gives %d\n%s", name, w.args, refused.err, o.code, o.err)
			}
		}
	}
}
