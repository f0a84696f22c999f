"""Writes golden_svm.json: weighted support vector machines solved by
scikit-learn (Debian's python3-sklearn), SVC with libsvm underneath.

    /usr/bin/python3 golden_svm.py > golden_svm.json

"primal" is 1/2 |f|^2 + sum_i C v_i max(0, 1 - y_i (f(x_i) + b)), computed here in
float64 from the model's multipliers with the bias that minimizes it: an upper
bound of the optimum. "dual" is the dual objective at the same multipliers, a
lower bound, and the value to compare with: libsvm holds the kernel in float32,
so its multipliers solve a problem that is perturbed by 1e-7 relative, and at the
perturbed optimum the dual is off by the square of that, the primal by its first
power. Features are multiples of 1/8, so that linear kernels are exact in float32.
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.svm import SVC

rng = np.random.default_rng(20220907)


def normal(n, d, shift=1.0, flip=0.15):
    x = rng.standard_normal((n, d))
    y = np.where(np.arange(n) % 2 == 0, -1.0, 1.0)
    x[:, 0] += shift * np.where(rng.random(n) < flip, -y, y)
    return x, y


def real(data, n):
    x, t = data
    x, t = x[:n], t[:n]
    x = x - x.mean(axis=0)
    deviation = x.std(axis=0)
    x = x / np.where(deviation > 0, deviation, 1)
    return x, np.where(t, 1.0, -1.0)


def ones(n):
    return np.ones(n)


def some_zero(n):
    return np.where(rng.random(n) < 0.4, 0.0, rng.random(n))


def tiny_unequal(n):
    return 10.0 ** (-6 * rng.random(n))


def cases():
    """Yields name, x, y, weights, C, gamma (None: linear), shrinking."""
    bc = load_breast_cancer(return_X_y=True)
    digits = load_digits(return_X_y=True)
    digits = digits[0], digits[1] >= 5
    for gamma_of in (lambda x: None, lambda x: 1 / (x.shape[1] * max(x.var(), 1e-300))):
        def case(name, x, y, v, c, shrinking=True):
            x = np.round(8 * x) / 8
            return name, x, y, v, c, gamma_of(x), shrinking

        x, y = normal(60, 4)
        yield case("plain", x, y, ones(60), 1.0)
        yield case("plain, small C", x, y, ones(60), 1e-4)
        x, y = normal(40, 4)
        yield case("large C", x, y, ones(40), 1e4, False)
        x, y = normal(50, 3)
        yield case("zero weights", x, y, some_zero(50), 2.0, False)
        yield case("tiny and unequal weights", x, y, tiny_unequal(50), 10.0)
        x, y = normal(30, 50)
        yield case("more features than samples", x, y, rng.random(30), 0.5)
        x, y = normal(40, 6)
        x[:, 3] = 2.5
        x[:, 4] = x[:, 1]
        yield case("constant and duplicated columns", x, y, rng.random(40), 1.0)
        x, y = normal(40, 3)
        x[20:] = x[:20]
        y[20:] = np.where(rng.random(20) < 0.8, y[:20], -y[:20])
        yield case("duplicated rows", x, y, ones(40), 1.0, False)
        x, y = normal(40, 3, shift=4.0, flip=0.0)
        yield case("separable", x, y, ones(40), 10.0)
        x, y = normal(45, 4)
        yield case("multiplicities, unbalanced", x, np.where(np.arange(45) < 6, -1.0, 1.0), rng.integers(0, 4, 45).astype(float), 1.0)
        x, y = real(bc, 90)
        yield case("breast cancer", x, y, rng.random(90), 1.0)
        x, y = real(digits, 70)
        yield case("digits", x, y, ones(70), 0.1 if gamma_of(x) is None else 5.0)


def objective(k, y, beta, v, c):
    f = k @ beta
    # The hinge sum is convex and piecewise linear in b: a kink is a minimum.
    kinks = (y - f)[v > 0]
    half = 0.5 * beta @ f
    sums = [float(np.sum(c * v * np.maximum(0, 1 - y * (f + b)))) for b in kinks]
    best = int(np.argmin(sums))
    dual = float(np.sum(np.abs(beta)) - half)
    return half + sums[best], dual


def main():
    out = []
    for name, x, y, v, c, gamma, shrinking in cases():
        kernel = "linear" if gamma is None else "rbf"
        keep = v > 0
        best = None
        for tol in (1e-9, 1e-10, 1e-11, 1e-12):
            # libsvm takes its tolerance in absolute terms and the kernel values
            # of the data as given; without a limit it ends only when it is met.
            model = SVC(C=c, kernel=kernel, gamma=gamma or "scale", tol=tol, shrinking=shrinking, cache_size=200, max_iter=20_000_000)
            model.fit(x[keep], y[keep], sample_weight=v[keep])
            beta = np.zeros(len(y))
            beta[np.flatnonzero(keep)[model.support_]] = model.dual_coef_[0]
            if gamma is None:
                k = x @ x.T
            else:
                k = np.exp(-gamma * ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))
            primal, dual = objective(k, y, beta, v, c)
            gap = (primal - dual) / primal
            if best is None or gap < best["gap"]:
                best = {"tol": tol, "primal": primal, "dual": dual, "gap": gap, "bias": float(model.intercept_[0]), "support": int(np.sum(beta != 0))}
        print(kernel, name, best, file=sys.stderr)
        assert best["gap"] < (1e-9 if gamma is None else 1e-3), name
        out.append({
            "name": name, "kernel": kernel, "gamma": gamma, "c": c, "shrinking": shrinking,
            "x": x.tolist(), "y": y.tolist(), "weights": v.tolist(), **best,
        })
    json.dump({"sklearn": sklearn.__version__, "solver": "sklearn.svm.SVC", "cases": out}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


main()
