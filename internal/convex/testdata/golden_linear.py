"""Golden values for the weighted Lasso and logistic regression.

Run with Debian's python3-sklearn 1.2.1:  /usr/bin/python3 golden_linear.py
Writes golden_lasso.json and golden_logistic.json beside this file. Inputs are
rounded to a few decimals and stored, so that the test reads the same numbers.

The objectives are those of package convex:
  Lasso      sum v (x.w + b - y)^2 + 2 total alpha |w|_1
  logistic   |w|^2/2 + sum v C ln(1 + exp(-y (x.w + b)))
scikit-learn's Lasso scales sample weights to sum n, so its alpha is
total * alpha / sum v. Its solution is polished: for the Lasso least squares on
its support, for logistic regression Newton steps, in extended precision where
numpy has it. Each case tells the polished solution's violation of the
optimality conditions; x is an index into samples.
"""
import json
import os
import warnings

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Lasso, LogisticRegression

HERE = os.path.dirname(os.path.abspath(__file__))
LASSO = dict(tol=1e-15, max_iter=2_000_000, selection="cyclic")
LOGISTIC = dict(solver="newton-cholesky", tol=1e-12, max_iter=10_000)
long = np.longdouble


class Random:
    """Knuth's MMIX linear congruential generator."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (6364136223846793005 * self.state + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def normal(self):
        return sum(self.uniform() for _ in range(12)) - 6

    def matrix(self, n, d):
        return np.round([[self.normal() for _ in range(d)] for _ in range(n)], 4)


def sample(seed, n, d):
    r = Random(seed)
    x = r.matrix(n, d)
    y = x[:, 0] - 2 * x[:, d // 2] + [r.normal() for _ in range(n)]
    return x, np.round(y, 4), np.round([r.uniform() for _ in range(n)], 4), r


def cases():
    x, y, v, _ = sample(1, 40, 6)
    yield "unit weights", x, y, np.ones(40), {}
    yield "weights", x, y, v, {}
    yield "weights, no intercept", x, y, v, dict(intercept=False)
    zeros = v.copy()
    zeros[::3] = 0
    yield "zero weights", x, y, zeros, {}
    yield "tiny weights", x, y, v * 1e-9, dict(alpha=1e-12, c=1e9)
    yield "tiny weights, unchanged penalty", x, y, v * 1e-9, {}
    yield "unequal weights", x, y, 10.0 ** (-9 * v), dict(alpha=1e-3)
    few = np.zeros(40)
    few[[*np.flatnonzero(y > 0)[3:5], np.flatnonzero(y < 0)[2]]] = [1, 0.5, 2]
    yield "three samples", x, y, few, {}
    yield "merged samples", x, y, np.round(1 + 4 * v), dict(total=float(np.round(1 + 4 * v).sum()))
    x, y, v, _ = sample(2, 15, 40)
    yield "more features than samples", x, y, v, {}
    yield "more features than samples, no intercept", x, y, v, dict(intercept=False, alpha=0.02, c=20.0)
    x, y, v, _ = sample(3, 40, 6)
    constant = np.hstack([x, np.full((40, 1), 3.7), np.zeros((40, 1))])
    yield "constant and zero columns", constant, y, v, {}
    yield "constant and zero columns, no intercept", constant, y, v, dict(intercept=False)
    yield "duplicated columns", np.hstack([x, x[:, [0, 3]], -x[:, [2]]]), y, v, dict(unique=False)
    yield "dependent column", np.hstack([x, x[:, [0]] - x[:, [1]]]), y, v, dict(intercept=False)
    yield "features from 1e-8 to 1e8", x * 10.0 ** np.array([-8, -4, 0, 0, 4, 8]), y, v, dict(alpha=1e-2)
    yield "large offset", x + [0, 1e4, 0, 0, 0, 0], y + 1e3, v, dict(labels=y)
    data = load_diabetes(scaled=False)
    v = np.round([Random(i + 1).uniform() for i in range(60)], 3)
    yield "diabetes, first 60 rows", data.data[:60], data.target[:60], v, dict(alpha=1.0, c=0.01, labels=data.target[:60] - 140)
    data = load_breast_cancer()
    yield "breast cancer, first 60 rows", data.data[:60], 2.0 * data.target[:60] - 1, v, dict(alpha=1e-3, c=1.0)


def lasso_violation(x, y, v, penalty, w, b):
    g = 2 * x.T @ (v * (x @ w + b - y))
    bad = np.where(w != 0, np.abs(g + penalty * np.sign(w)), np.maximum(0, np.abs(g) - penalty))
    scale = 2 * np.abs(x).T @ (v * np.abs(x @ w + b - y)) + penalty
    return float((bad / scale).max())


def lasso(x, y, v, alpha, total, intercept):
    model = Lasso(alpha=total * alpha / v.sum(), fit_intercept=intercept, **LASSO)
    model.fit(x, y, sample_weight=v)
    w, b = model.coef_.astype(long), long(model.intercept_)
    x, y, v, penalty = x.astype(long), y.astype(long), v.astype(long), long(2) * total * alpha
    s = np.flatnonzero(w)
    mean = v @ x / v.sum() if intercept else 0 * x[0]
    centre = v @ y / v.sum() if intercept else long(0)
    z = x - mean
    best = (w, b, lasso_violation(x, y, v, penalty, w, b))
    scale = np.sqrt((v[:, None] * z[:, s] ** 2).sum(0))
    a = z[:, s] / scale
    gram = (a.T @ (v[:, None] * a)).astype(float)
    for _ in range(20):  # Newton on the support, refined in extended precision
        q = a.T @ (v * (y - centre - z @ w)) - penalty / 2 * np.sign(w[s]) / scale
        w = w.copy()
        w[s] += np.linalg.lstsq(gram, q.astype(float), rcond=1e-13)[0] / scale
        b = centre - mean @ w
        bad = lasso_violation(x, y, v, penalty, w, b)
        if bad < best[2]:
            best = (w, b, bad)
    w, b, bad = best
    objective = (v * (x @ w + b - y) ** 2).sum() + penalty * np.abs(w).sum()
    return w, b, float(objective), bad


def logistic(x, y, v, c, intercept):
    model = LogisticRegression(C=c, fit_intercept=intercept, **LOGISTIC)
    model.fit(x, y, sample_weight=v)
    x, y, v = x.astype(long), y.astype(long), v.astype(long)
    one = np.ones((len(y), 1), dtype=long)
    a = np.hstack([x, one]) if intercept else x
    ridge = np.ones(a.shape[1], dtype=long)
    theta = model.coef_[0].astype(long)
    if intercept:
        ridge[-1] = 0
        theta = np.append(theta, long(model.intercept_[0]))
    best = (theta, np.inf)
    for _ in range(60):
        m = y * (a @ theta)
        sigma = 1 / (1 + np.exp(m))
        terms = c * v * sigma
        g = ridge * theta - a.T @ (y * terms)
        scale = ridge * np.abs(theta) + np.abs(a).T @ terms
        bad = float((np.abs(g) / np.where(scale > 0, scale, 1)).max())
        if bad < best[1]:
            best = (theta, bad)
        h = np.diag(ridge) + a.T @ ((terms * (1 - sigma))[:, None] * a)
        size = 1 / np.sqrt(np.diag(h))
        step = size * np.linalg.lstsq((size[:, None] * h * size).astype(float), (size * g).astype(float), rcond=None)[0]
        theta = theta - step
    theta, bad = best
    m = y * (a @ theta)
    objective = (ridge * theta**2).sum() / 2 + (c * v * np.logaddexp(long(0), -m)).sum()
    w, b = (theta[:-1], theta[-1]) if intercept else (theta, long(0))
    return w, b, float(objective), bad


def case(name, x, y, v, settings, solution, unique=True):
    w, b, objective, bad = solution
    assert bad < 1e-9, (name, bad)
    print(f"{name:45s} {x.shape} objective {objective:.6g} violation {bad:.1g}")
    return dict(
        name=name, x=x.tolist(), y=y.tolist(), weights=v.tolist(), **settings, unique=unique,
        objective=objective, violation=bad, theta=[float(t) for t in w] + [float(b)],
    )


def write(name, settings, found):
    head = dict(generator="golden_linear.py", sklearn=sklearn.__version__, numpy=np.__version__, settings=settings)
    samples = []
    for f in found:
        if f["x"] not in samples:
            samples.append(f["x"])
        f["x"] = samples.index(f["x"])
    text = json.dumps(dict(**head, samples=samples, cases=found), separators=(",", ":"))
    with open(os.path.join(HERE, name), "w") as f:
        f.write(text.replace('{"name"', '\n{"name"').replace("[[", "\n[[") + "\n")


def main():
    warnings.simplefilter("ignore")  # convergence is judged by the violation
    regression, classes = [], []
    for name, x, y, v, o in cases():
        intercept, unique = o.get("intercept", True), o.get("unique", True)
        alpha, total = o.get("alpha", 0.05), o.get("total", float(len(y)))
        regression.append(case(name, x, y, v, dict(alpha=alpha, total=total, intercept=intercept),
                               lasso(x, y, v, alpha, total, intercept), unique))
        c, labels = o.get("c", 1.0), np.where(o.get("labels", y) > 0, 1.0, -1.0)
        classes.append(case(name, x, labels, v, dict(c=c, intercept=intercept),
                            logistic(x, labels, v, c, intercept)))
    write("golden_lasso.json", LASSO, regression)
    write("golden_logistic.json", LOGISTIC, classes)


main()
