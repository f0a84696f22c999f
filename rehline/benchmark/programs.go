package benchmark

import (
	"embed"
	"slices"

	"github.com/agepath/agepath/experiment/outside"
)

//go:embed programs/*.py
var programFiles embed.FS

// programs are the commands that come with this program. They use Debian's Python and packages.
var programs = []entry{
	solverProgram("liblinear", specialized, "liblinear_solver.py"),
	solverProgram("liblinear-newton", specialized, "liblinear_solver.py", "newton"),
	solverProgram("scipy-lbfgsb", specialized, "lbfgsb_solver.py"),
	solverProgram("cvxopt", generic, "cvxopt_solver.py"),
	solverProgram("ecos", generic, "ecos_solver.py"),
	solverProgram("clp", generic, "clp_solver.py"),
	solverProgram("osqp", generic, "osqp_solver.py"),
	solverProgram("scs", generic, "scs_solver.py"),
}

func solverProgram(name, family, file string, words ...string) entry {
	files := []string{"agepath_solver.py", "start.py", file}
	if family == generic {
		files = append(files, "quadratic.py")
	}
	slices.Sort(files)
	command := &outside.Program{Run: append([]string{"/usr/bin/python3", "start.py", file}, words...)}
	for _, name := range files {
		command.Files = append(command.Files, outside.File{Name: name})
	}
	return entry{name: name, family: family, version: outside.Protocol, command: command, read: func(file string) ([]byte, error) {
		return programFiles.ReadFile("programs/" + file)
	}}
}
