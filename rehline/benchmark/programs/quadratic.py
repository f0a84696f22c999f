"""A problem as a quadratic program, with the variables and rows that a person would write."""
import numpy as np
from scipy import sparse

from agepath_solver import Skip


def loss(p):
    """The loss of a sample: the least w t + v u^2 / 2 with rows gs x_i b + gt t + gu u <= h.

    Returns w and v, None where there is no such variable, and the rows.
    """
    y, one = p.y, np.ones(p.n)
    positive = (0 * one, -1, 0, 0 * one)
    if p.task in ("svm", "fair-svm"):
        return 1, None, [(-y, -1, 0, -one), positive]
    if p.task == "squared-svm":
        return None, 2, [(-y, 0, -1, -one)]
    if p.task == "smoothed-svm":
        return 1, 1, [(-y, -1, -1, -one), positive]
    if p.task == "huber":
        return p.threshold, 1, [(-one, -1, -1, -y), (one, -1, 1, y)]
    if p.task == "epsilon-insensitive":
        return 1, None, [(-one, -1, 0, p.epsilon - y), (one, -1, 0, p.epsilon + y), positive]
    if p.task in ("quantile", "elastic-net-quantile"):
        q = p.level
        return 1, None, [(-q * one, -1, 0, -q * y), ((1 - q) * one, -1, 0, (1 - q) * y)]
    raise Skip("no quadratic program is known for the task " + p.task)


def program(p):
    """Returns P, q, G, h: minimize z'diag(P)z / 2 + q'z subject to G z <= h; z begins with b."""
    n, d = p.n, p.d
    linear, square, rows = loss(p)
    x, eye = sparse.csr_matrix(p.x), sparse.identity(n, format="csr")
    g = sparse.bmat([
        [sparse.diags(gs) @ x] + [side * eye for side, weight in ((gt, linear), (gu, square)) if weight]
        for gs, gt, gu, _ in rows
    ])
    h = [bound for *_, bound in rows]
    quadratic, cost = [np.ones(d)], [np.zeros(d)]
    if linear:
        quadratic, cost = quadratic + [np.zeros(n)], cost + [np.full(n, linear * p.c)]
    if square:
        quadratic, cost = quadratic + [np.full(n, square * p.c)], cost + [np.zeros(n)]
    if p.l1 > 0:
        eye, none = sparse.identity(d), sparse.csr_matrix((d, g.shape[1] - d))
        g = sparse.bmat([[g, None], [sparse.hstack([eye, none]), -eye], [sparse.hstack([-eye, none]), -eye]])
        quadratic, cost, h = quadratic + [np.zeros(d)], cost + [np.full(d, p.l1)], h + [np.zeros(2 * d)]
    if p.f is not None:
        f = np.vstack([p.f, np.negative(p.f)])
        g = sparse.vstack([g, sparse.hstack([f, sparse.csr_matrix((2, g.shape[1] - d))])])
        h.append(np.full(2, p.t))
    g = g.tocsc()
    g.eliminate_zeros()
    return np.concatenate(quadratic), np.concatenate(cost), g, np.concatenate(h)
