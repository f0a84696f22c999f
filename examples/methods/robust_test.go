package methods

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
)

// example returns the text of an example in Python.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRobustExamples wants the robust regressions to withstand a noise that the plain fit does
// not, and CleanLearning to say that it is missing, or to withstand flipped labels.
func TestRobustExamples(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	path := python(t, "numpy, sklearn")
	noise := "noise=[{kind: gaussian, levels: [0.3]}]"
	plain := try(t, path, example(t, "lasso.py"), "model", noise).score(t, "test_at_end")
	for name, uses := range map[string]string{"ransac.py": "model", "huber.py": "[]"} {
		if got := try(t, path, example(t, name), uses, noise).score(t, "test_at_end"); !(got < 0.7*plain) {
			t.Errorf("%s: a test error of %v, %v of the plain Lasso", name, got, plain)
		}
	}
	confident := try(t, path, example(t, "confident.py"), "model",
		"data=[breast_cancer]", "models=[{logistic: {c: 1}}]", "noise=[{kind: flip, levels: [0.3]}]")
	if exec.Command(path, "-c", "import cleanlab").Run() != nil {
		if confident.Status != experiment.Skipped || !strings.Contains(confident.Error, "no module cleanlab") {
			t.Errorf("without cleanlab: %s, %s", confident.Status, confident.Error)
		}
	} else if got := confident.score(t, "test_at_end"); got < 0.85 {
		t.Errorf("confident.py: an accuracy of %v", got)
	}
}
