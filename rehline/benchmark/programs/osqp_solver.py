"""The alternating direction method of multipliers of OSQP. Debian 12 has no package of it."""
import numpy as np
from scipy import sparse

from agepath_solver import serve


def solve(p):
    import osqp
    from quadratic import program

    def make(p):
        quadratic, cost, g, h = program(p)
        return sparse.diags(quadratic, format="csc"), cost, g, np.full(len(h), -np.inf), h

    made = p.set_up(make)

    def run(tolerance):
        solver = osqp.OSQP()
        solver.setup(*made, eps_abs=tolerance, eps_rel=tolerance, max_iter=10**6, verbose=False)
        s = solver.solve()
        return s.x[: p.d], s.info.iter, -1, None if s.info.status == "solved" else s.info.status

    p.ladder(run)


serve(solve)
