"""The splitting conic solver SCS, version 3. Debian 12 has no package of it."""
from scipy import sparse

from agepath_solver import serve


def solve(p):
    import scs
    from quadratic import program

    def make(p):
        quadratic, cost, g, h = program(p)
        return {"P": sparse.diags(quadratic, format="csc"), "c": cost, "A": g, "b": h}

    made = p.set_up(make)

    def run(tolerance):
        solver = scs.SCS(made, {"l": len(made["b"])}, eps_abs=tolerance, eps_rel=tolerance, max_iters=10**6, verbose=False)
        s = solver.solve()
        return s["x"][: p.d], s["info"]["iter"], -1, None if s["info"]["status"] == "solved" else s["info"]["status"]

    p.ladder(run)


serve(solve)
