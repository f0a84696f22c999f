package report

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
)

// latexDocument is the least document that takes tables.tex.
const latexDocument = `\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{pdflscape}
\begin{document}
\input{tables}
\end{document}
`

// TestLaTeXCompiles sets the tables of a run, its comparisons over several
// pages, and wants none wider than its page.
func TestLaTeXCompiles(t *testing.T) {
	t.Parallel()
	program := needs.Program(t, "setting tables, as by Debian's texlive-latex-recommended", "pdflatex")
	r, err := Load(t.Context(), testrun.Write(t, testrun.Quickstart(8)), Options{Figures: -1})
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	writeText(t, filepath.Join(work, "tables.tex"), written(t, "latex", r))
	writeText(t, filepath.Join(work, "document.tex"), latexDocument)
	command := exec.CommandContext(t.Context(), program, "-interaction=nonstopmode", "-halt-on-error", "document.tex")
	command.Dir = work
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, complaint := range []string{"Overfull", "Undefined", "Missing character"} {
		if strings.Contains(string(out), complaint) {
			t.Errorf("%s:\n%s", complaint, out)
		}
	}
}
