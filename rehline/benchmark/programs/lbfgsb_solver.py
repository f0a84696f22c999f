"""L-BFGS-B of SciPy, Debian's python3-scipy, on the smooth tasks. Its iterates are the points."""
import time

import numpy as np

from agepath_solver import Skip, serve


class Spent(Exception):
    """The budget is spent."""


def smooth(p):
    """Returns the loss as scale H(r(s)) with H(r) = r^2 / 2 up to a bound and linear beyond, and r's slope."""
    hinge = lambda s: np.maximum(0, 1 - p.y * s)
    if p.task == "squared-svm":
        return 2, np.inf, hinge, -p.y
    if p.task == "smoothed-svm":
        return 1, 1, hinge, -p.y
    if p.task == "huber":
        return 1, p.threshold, lambda s: p.y - s, -1
    raise Skip("L-BFGS-B does not take the task " + p.task + ": its objective is not smooth")


def solve(p):
    from scipy import optimize

    scale, bound, residual, slope = smooth(p)
    p.set_up(lambda p: None)

    def objective(b):
        r = residual(p.x @ b)
        inside = np.clip(r, -bound, bound)
        c = scale * p.c
        return c * (inside @ (r - inside / 2)) + b @ b / 2, (c * slope * inside) @ p.x + b

    seconds, count, next_point, begun = 0.0, 0, 1, time.process_time()

    def iterate(b):
        nonlocal seconds, count, next_point, begun
        seconds, count = seconds + time.process_time() - begun, count + 1
        if count >= next_point:
            next_point = max(count + 1, 1.15 * count)
            p.point(seconds, b, count)
        if seconds > p.budget:
            raise Spent
        begun = time.process_time()

    options = {"ftol": 0.0, "gtol": 0.0, "maxiter": 10**7, "maxfun": 10**7}
    try:
        s = optimize.minimize(objective, np.zeros(p.d), jac=True, method="L-BFGS-B", callback=iterate, options=options)
        p.point(seconds + time.process_time() - begun, s.x, s.nit)
    except Spent:
        p.stopped = "the budget is spent"


serve(solve)
