"""The interior-point method coneqp of CVXOPT, Debian's python3-cvxopt."""
import numpy as np

from agepath_solver import serve


def solve(p):
    from cvxopt import matrix, solvers, spmatrix
    from quadratic import program

    def make(p):
        quadratic, cost, g, h = program(p)
        n, g = len(cost), g.tocoo()
        return spmatrix(quadratic, range(n), range(n)), matrix(cost), spmatrix(g.data, g.row, g.col, g.shape), matrix(h)

    made = p.set_up(make)

    def run(tolerance):
        options = {"show_progress": False, "maxiters": 200, "abstol": 0.0, "reltol": tolerance, "feastol": tolerance}
        s = solvers.coneqp(*made, options=options)
        gap = -1 if s["relative gap"] is None else s["relative gap"]
        return np.array(s["x"]).ravel()[: p.d], s["iterations"], gap, None if s["status"] == "optimal" else s["status"]

    p.ladder(run)


serve(solve)
