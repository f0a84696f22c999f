package solverbench

import "embed"

//go:embed programs/*.py
var programFiles embed.FS

// programs are the commands that come with this program. They use Debian's Python and packages.
var programs = []program{
	solverProgram("liblinear", specialized, "liblinear_solver.py"),
	solverProgram("liblinear-newton", specialized, "liblinear_solver.py", "newton"),
	solverProgram("scipy-lbfgsb", specialized, "lbfgsb_solver.py"),
	solverProgram("cvxopt", generic, "cvxopt_solver.py"),
	solverProgram("ecos", generic, "ecos_solver.py"),
	solverProgram("clp", generic, "clp_solver.py"),
	solverProgram("osqp", generic, "osqp_solver.py"),
	solverProgram("scs", generic, "scs_solver.py"),
}

func solverProgram(name, family, file string, words ...string) program {
	p := program{name: name, family: family, files: []string{"agepath_solver.py", "start.py", file}}
	if family == generic {
		p.files = append(p.files, "quadratic.py")
	}
	p.run = append([]string{"/usr/bin/python3", "start.py", file}, words...)
	return p
}
