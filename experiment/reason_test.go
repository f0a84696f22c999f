package experiment_test

import (
	"fmt"
	"testing"

	"github.com/agepath/agepath/experiment"
)

// TestReasons wants cells that fail for one reason counted together, said in a line that
// names the cause.
func TestReasons(t *testing.T) {
	t.Parallel()
	const traceback = "the method forest: the command ended without an answer: exit status 1\nstandard error:\n" +
		"Traceback (most recent call last):\n  File \"forest.py\", line 3, in <module>\n    import numpy\nModuleNotFoundError: No module named 'numpy'"
	var all experiment.Reasons
	for i := range 30 {
		all.Add("forest", experiment.Failed, traceback, fmt.Sprintf("cell%d", i), false)
	}
	for i := range 3 {
		all.Add("ridge", experiment.Failed, fmt.Sprintf("the method ridge: %d ages for 1 knots, see 0123456789abcdef0123456789abcde%d\nmore", i, i), "r", false)
	}
	all.Add("ridge", experiment.Diverged, "the method ridge: ages has NaN\nstandard error:\n/tmp/x.py:3: RuntimeWarning: overflow", "d", false)
	want := []string{
		"30 x forest: ModuleNotFoundError: No module named 'numpy'",
		"3 x ridge: 0 ages for 1 knots, see 0123456789abcdef0123456789abcde0",
		"1 x ridge: diverged: ages has NaN; standard error: /tmp/x.py:3: RuntimeWarning: overflow",
	}
	list := all.List()
	if len(list) != len(want) {
		t.Fatalf("%d reasons: %v", len(list), list)
	}
	for i, reason := range list {
		if reason.String() != want[i] {
			t.Errorf("got  %s\nwant %s", reason, want[i])
		}
	}
	for text, like := range map[string]string{
		"the method m: no step at age 0.5 of set-2":                  "no step at age … of …",
		"no step at age 7 of set-2, \"set-2\"\nmore":                 "no step at age … of …, \"…\"",
		"the command ended without an answer\nstandard error:\na\nb": "b",
		"\x1b[31mno\x07 colour":                                      "[…mno colour",
	} {
		if got := experiment.ReasonLike("m", text, "set-2", ""); got != like {
			t.Errorf("%q is like %q, want %q", text, got, like)
		}
	}
	var late experiment.Reasons // one limit, however far each cell had come
	for _, at := range []string{": context deadline exceeded", ": age 0.5: the corrector: stopped", "; told to stop it went on, so its process was killed",
		": the command was ended: context deadline exceeded\nstandard error:\nepoch 7", ""} {
		late.Add("gaga", experiment.Timeout, experiment.NotWithin+"1m30s"+at, "c", false)
	}
	if list := late.List(); len(list) != 1 || list[0].String() != "5 x gaga: timeout: not done within 1m30s" {
		t.Errorf("cells at one limit: %v", list)
	}
	if list[0].Cell != "cell0" {
		t.Errorf("the cell is %s, want the first", list[0].Cell)
	}
	for _, text := range []string{"", "\n", "standard error:\n", "the command ended without an answer: exit status 1"} {
		if got := experiment.ReasonText("m", text); got == "" && text != "" && text != "\n" {
			t.Errorf("%q gives no reason", text)
		}
	}
	for i := range 1000 { // however many differ, some are told apart
		all.Add(fmt.Sprintf("m%c%c", 'a'+i%26, 'a'+i/26%26), experiment.Failed, string(rune('a'+i%26))+string(rune('a'+i/26)), "c", false)
	}
	if n := len(all.List()); n > 210 {
		t.Errorf("%d reasons are told apart", n)
	}
}
