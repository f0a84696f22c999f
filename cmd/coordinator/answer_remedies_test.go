package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRemediesOfAnswers corrects the output of a command as the messages about it say.
func TestRemediesOfAnswers(t *testing.T) {
	t.Parallel()
	shell := needs.Program(t, "a command", "sh")
	const (
		id      = `l=${l#*\"id\":\"}; c=${l%%\"*}; `
		numbers = `[1,2,3,4,5,6,7,8,9,10,11]`
		answer  = `"{\"cell\":\"$c\",\"coefficients\":[` + numbers + `]}"`
		right   = id + `echo ` + answer
		oneLine = "a command writes one line for each line that it reads and nothing else to its standard output, as notes go to standard error"
	)
	for name, c := range map[string]struct{ wrong, says, right string }{
		"a note":         {`echo note; ` + right, oneLine, `echo note >&2; ` + right},
		"an early note":  {"early", oneLine, right},
		"two lines":      {id + `printf '%s\n{\n' ` + answer, oneLine, right},
		"no id":          {`echo '{"cell":"1","coefficients":[` + numbers + `]}'`, "the key cell of an answer is the id of the cell that the request has", right},
		"both":           {id + `echo "{\"cell\":\"$c\",\"coefficients\":[` + numbers + `],\"predictions\":{\"test\":[[1]]}}"`, "coefficients and predictions; allowed is one of them", right},
		"several":        {id + `echo "{\"cell\":\"$c\",\"coefficients\":[` + numbers + `,` + numbers + `]}"`, "2 knots without ages; allowed is one", right},
		"line and file":  {id + `echo "{\"cell\":\"$c\",\"file\":true,\"coefficients\":[` + numbers + `]}"`, "numbers in the line and in the file; allowed is one of them", right},
		"too few":        {id + `echo "{\"cell\":\"$c\",\"coefficients\":[[1]]}"`, "1 numbers as coefficients; there are 11", right},
		"seconds":        {id + `echo "{\"cell\":\"$c\",\"seconds\":[1],\"coefficients\":[` + numbers + `]}"`, "seconds, which are of curves of solvers alone", right},
		"neither":        {id + `echo "{\"cell\":\"$c\"}"`, "neither coefficients nor predictions of the test part", right},
		"ages that fall": {id + `echo "{\"cell\":\"$c\",\"ages\":[2,1],\"coefficients\":[` + numbers + `,` + numbers + `]}"`, "age 1 follows 2; ages rise", id + `echo "{\"cell\":\"$c\",\"ages\":[1,2],\"coefficients\":[` + numbers + `,` + numbers + `]}"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			uses := ""
			if strings.Contains(c.wrong, "ages") {
				uses = ", uses: [age]"
			}
			grid := write(t, dir, "grid.yaml", fmt.Sprintf("{name: g, limits: {attempts: 1}, data: [diabetes], models: [{lasso: {alpha: 0.1}}], age: {min: 1, max: 2}, methods: [{command: {name: mine, run: [%s, mine.sh], files: [mine.sh]%s}}]}", shell, uses))
			try := func(body string) outcome {
				loop := "while read -r l; do " + body + "; done\n"
				if body == "early" {
					loop = "echo note; while read -r l; do " + right + "; done\n"
				}
				write(t, dir, "mine.sh", loop)
				return do(t, "try", grid, "mine")
			}
			if o := try(c.wrong); o.code != command.ExitFailed || !strings.Contains(o.err, c.says) {
				t.Errorf("exit status %d: %s", o.code, o.err)
			}
			if o := try(c.right); o.code != command.ExitDone {
				t.Errorf("of %s: exit status %d: %s", c.says, o.code, o.out+o.err)
			}
		})
	}
}

// TestRemedyOfLink replaces a link among the files of a command with a copy of its target.
func TestRemedyOfLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", "{name: g, data: [diabetes], models: [{lasso: {alpha: 0.1}}], methods: [{command: {name: mine, run: [sh, mine.sh], files: [mine.sh]}}]}")
	target, link := write(t, t.TempDir(), "mine.sh", "exit 1\n"), filepath.Join(dir, "mine.sh")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links:", err)
	}
	wantRefusal(t, do(t, "plan", grid), []string{"mine.sh is not a regular file", "; replace a link with a copy of its target"})
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "mine.sh", "exit 1\n")
	must(t, "plan", grid)
}
