"""The interior-point method of ECOS, Debian's r-cran-ecosolver, in R."""
import functools
import subprocess

import numpy as np

from agepath_solver import Skip, run_in_child, serve

RSCRIPT = ["Rscript", "--vanilla", "--default-packages=NULL", "-e"]  # which starts four times as fast
PROGRAM = """
invisible(loadNamespace("ECOSolveR"))
arguments <- as.numeric(commandArgs(TRUE))  # rows, columns, entries, size of the cone, tolerance, how many numbers to print
input <- file("program.bin", "rb")
cost <- readBin(input, "double", arguments[2]); h <- readBin(input, "double", arguments[1])
pr <- readBin(input, "double", arguments[3]); jc <- readBin(input, "integer", arguments[2] + 1)
ir <- readBin(input, "integer", arguments[3])
control <- ECOSolveR::ecos.control(feastol = arguments[5], abstol = 0, reltol = arguments[5], maxit = 200L)
size <- as.integer(arguments[c(1, 2, 4)])
begun <- sum(proc.time()[1:2]); runs <- 0; seconds <- 0  # which R knows to a millisecond
while (runs == 0 || seconds < 0.05 && runs < 20) {
  s <- .Call("ecos_csolve", c(size[1], size[2], 0L), size[1] - size[3], size[3], 0L, pr, jc, ir,
    NULL, NULL, NULL, cost, h, NULL, integer(0), integer(0), control, PACKAGE = "ECOSolveR")
  runs <- runs + 1; seconds <- sum(proc.time()[1:2]) - begun
}
cat(sprintf("%.17g", c(seconds / runs, s$retcodes[["exitFlag"]], s$retcodes[["iter"]], s$summary[["relgap"]], s$x[1:arguments[6]])))
"""


def make(p):
    """Returns cost, G, h and the size of a cone: h - G z is in the orthant and, its last entries, in the cone."""
    from quadratic import program
    from scipy import sparse

    quadratic, cost, g, h = program(p)
    n, squares = len(cost), np.flatnonzero(quadratic)
    # z ends with t, and |sqrt(P) z|^2 <= 2 t where |(sqrt(P) z, t - 1/2)| <= t + 1/2.
    roots = sparse.csr_matrix((-np.sqrt(quadratic[squares]), (np.arange(len(squares)), squares)), (len(squares), n))
    last = sparse.csr_matrix([[-1.0]])
    g = sparse.bmat([[g, None], [None, last], [roots, None], [None, last]], format="csc")
    return np.append(cost, 1.0), g, np.concatenate([h, [0.5], np.zeros(len(squares)), [-0.5]]), len(squares) + 2


@functools.cache
def lacking():
    """Returns why ECOS is not there."""
    try:
        return subprocess.run([*RSCRIPT, 'loadNamespace("ECOSolveR")'], capture_output=True, text=True).stderr.strip()
    except FileNotFoundError:
        return "there is no Rscript in the PATH"


def solve(p):
    if lacking():
        raise Skip(lacking())
    cost, g, h, cone = p.set_up(make)
    with open("program.bin", "wb") as out:
        for numbers in (cost, h, g.data, g.indptr.astype("<i4"), g.indices.astype("<i4")):
            numbers.tofile(out)

    def run(tolerance):
        arguments = [*g.shape, g.nnz, cone, tolerance, p.d]
        told = run_in_child([*RSCRIPT, PROGRAM, *map(repr, arguments)])
        seconds, flag, iterations, gap, *beta = map(float, told.split())
        return beta, iterations, gap, None if flag == 0 else f"exit flag {flag:.0f}", seconds

    p.ladder(run)


serve(solve)
