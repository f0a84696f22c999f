"""Solutions of robust methods for golden_rivals.json, by R's robustbase 0.95 and by NumPy and SciPy:

    /usr/bin/python3 golden_rivals.py > golden_rivals.json     # 2 min
"""

import json
import subprocess

import numpy as np
from scipy import optimize

COVERAGE, DELTA, SHARES, DIVERSITY, Q, RATES, ANCHOR = 0.75, 0.4, [0.5, 0.7, 0.9, 1], 0.8, 0.7, (0.1, 0.25), 0.9


def regression(random, n, d):
    x = random.normal(size=(n, d))
    y = x @ (1 + np.arange(d)) + 1 + 0.3 * random.normal(size=n)
    out = random.permutation(n)[: n // 5]
    y[out] += random.choice([-1, 1]) * (6 + 2 * random.normal(size=len(out)))
    x[out[::2]] += 3
    return x.round(3), y.round(3)


def classification(random, n, d):
    x = random.normal(size=(n, d))
    y = np.sign(x @ (1 + np.arange(d)) + 0.3 + 0.5 * random.normal(size=n))
    y[random.permutation(n)[: n // 6]] *= -1
    return x.round(3), y


def ridge(x, y, v, alpha):
    """min Σ v r² + alpha ‖w‖²"""
    z = np.column_stack([x, np.ones(len(y))])
    return np.linalg.solve(z.T @ (v[:, None] * z) + np.diag([alpha] * x.shape[1] + [0.0]), z.T @ (v * y))


def logistic(x, y, v, c):
    """min C Σ v ln(1 + exp(-yu)) + ‖w‖²/2"""
    z, theta = np.column_stack([x, np.ones(len(y))]), np.zeros(x.shape[1] + 1)
    penalty = np.append(np.ones(x.shape[1]), 0)
    value = lambda t: c * v @ np.logaddexp(0, -y * (z @ t)) + penalty @ t**2 / 2
    for _ in range(200):
        p = 1 / (1 + np.exp(y * (z @ theta)))
        gradient = penalty * theta - c * z.T @ (v * y * p)
        step = np.linalg.solve(np.diag(penalty) + c * z.T @ ((v * p * (1 - p))[:, None] * z), gradient)
        t = 1.0
        while value(theta - t * step) > value(theta) and t > 1e-9:
            t /= 2
        theta = theta - t * step
        if np.abs(step).max() < 1e-13:
            break
    return theta


class Model:
    """Weighted fits and losses of one problem."""

    def __init__(self, x, y, strength, classes):
        self.x, self.y, self.strength, self.classes = x, y, strength, classes

    def fit(self, v):
        return (logistic if self.classes else ridge)(self.x, self.y, v, self.strength)

    def losses(self, theta):
        u = self.x @ theta[:-1] + theta[-1]
        return self.strength * np.logaddexp(0, -self.y * u) if self.classes else (self.y - u) ** 2

    def penalty(self, theta):
        return theta[:-1] @ theta[:-1] * (0.5 if self.classes else self.strength)


def smallest(model, losses, count):
    v = np.zeros(len(losses))
    for rows in [model.y < 0, model.y > 0] if model.classes else [np.ones(len(losses), bool)]:
        where = np.flatnonzero(rows)
        v[where[np.argsort(losses[where], kind="stable")[: count(len(where))]]] = 1
    return v


def concentrate(model, theta, count):
    n, before = len(model.y), None
    while True:
        v = smallest(model, model.losses(theta), count)
        if before is not None and (v == before).all():
            return theta, (v @ model.losses(theta) + model.penalty(theta) * v.sum() / n) / v.sum()
        before, theta = v, model.fit(v * n / v.sum())


def trimmed(model):
    return concentrate(model, model.fit(np.ones(len(model.y))), lambda n: int(COVERAGE * n))[0]


def least_trimmed(model, random):
    n, best = len(model.y), (None, np.inf)
    for _ in range(300):
        v = np.zeros(n)
        v[random.choice(n, 3, replace=False)] = n / 3
        fit = concentrate(model, model.fit(v), lambda n: int(COVERAGE * (n + 1)))
        best = min(best, fit, key=lambda b: b[1])
    return best[0]


def bisquare(t, c):
    return 1 - (1 - np.minimum((t / c) ** 2, 1)) ** 3


def m_scale(r):
    f = lambda s: bisquare(r / s, 1.547645).mean() - 0.5
    return optimize.brentq(f, 1e-9, 1e3, xtol=1e-15, rtol=1e-14)


def mm(model, random):
    """The S-estimate, the best of many starts, and the M-estimate that reweighted fits lead to from there."""
    n = len(model.y)
    residual = lambda t: model.y - model.x @ t[:-1] - t[-1]
    first = lambda t: n * m_scale(residual(t)) ** 2 + model.penalty(t)
    best = (np.inf, None)
    for _ in range(60):
        v = np.zeros(n)
        v[random.choice(n, 3, replace=False)] = n / 3
        t = model.fit(v)
        for _ in range(300):
            r = residual(t)
            u = r / m_scale(r)
            w = (1 - np.minimum((u / 1.547645) ** 2, 1)) ** 2
            before, t = t, model.fit(n * w / (w @ u**2))
            if np.abs(t - before).max() < 1e-12:
                break
        best = min(best, (first(t), t), key=lambda b: b[0])
    s, c = m_scale(residual(best[1])), 4.685061
    t = best[1]
    for _ in range(5000):
        w = (1 - np.minimum((residual(t) / (c * s)) ** 2, 1)) ** 2
        before, t = t, model.fit(w)
        if np.abs(t - before).max() < 1e-13:
            break
    return t, best[0]


def polished(value, gradient, start):
    """The local minimum that small steps downhill lead to."""
    def hessian(t):
        h = np.array([(gradient(t + e) - gradient(t - e)) / 2e-5 for e in 1e-5 * np.eye(len(t))])
        return (h + h.T) / 2

    options = {"initial_trust_radius": 0.01, "max_trust_radius": 0.05, "gtol": 1e-8, "maxiter": 3000}
    t = optimize.minimize(value, start, jac=gradient, hess=hessian, method="trust-exact", options=options).x
    for _ in range(3):
        t = t - np.linalg.solve(hessian(t), gradient(t))
    return t


def huber(model):
    def gradient(t):
        r = np.clip(model.y - model.x @ t[:-1] - t[-1], -DELTA, DELTA)
        return np.append(2 * model.strength * t[:-1] - 2 * model.x.T @ r, -2 * r.sum())

    def value(t):
        r = np.abs(model.y - model.x @ t[:-1] - t[-1])
        return 2 * np.where(r < DELTA, r * r / 2, DELTA * (r - DELTA / 2)).sum() + model.penalty(t)

    return polished(value, gradient, model.fit(np.ones(len(model.y))))


def graduated(model, age):
    theta = model.fit(np.ones(len(model.y)))
    most = model.losses(theta).max()
    if 2 * most <= age:
        return theta
    mu = age / (2 * most - age)
    for _ in range(120):
        l = model.losses(theta)
        between = np.sqrt(mu * (mu + 1) * age / l) - mu
        v = np.where(l <= mu / (mu + 1) * age, 1, np.where(l >= (mu + 1) / mu * age, 0, between))
        if model.classes and (v[model.y > 0].sum() == 0 or v[model.y < 0].sum() == 0):
            return None
        theta, mu = model.fit(v), 1.4 * mu
        if mu > 1e7:
            return theta


def diverse(model, group):
    """SPLD at ages by shares: the solution at each, None where the samples are in or of one class."""
    theta, last, list = model.fit(np.ones(len(model.y))), 0.0, []

    def thresholds():
        """What multiplies the age for each sample."""
        l, ratio = model.losses(theta), np.zeros(len(model.y))
        for g in set(group):
            rows = np.flatnonzero(group == g)
            k = np.argsort(np.argsort(l[rows])) + 1
            ratio[rows] = 1 + DIVERSITY / (np.sqrt(k) + np.sqrt(k - 1))
        return l, ratio

    for share in SHARES:
        l, ratio = thresholds()
        e = np.sort(l / ratio)
        k = int(np.ceil(share * len(e) - 1e-9))
        age = (e[k - 1] + e[k]) / 2 if k < len(e) else e[-1] * (1 + 1e-6)
        if age <= last:
            list.append(None)
            continue
        last, before = age, None
        while True:
            l, ratio = thresholds()
            v = (l < age * ratio) * 1.0
            if before is not None and (v == before).all():
                break
            if model.classes and len(set(model.y[v > 0])) < 2:
                theta = None
                break
            before = v
            theta = model.fit(v)
        list.append(theta)
        if theta is None:
            theta = model.fit(np.ones(len(model.y)))
    return list


def probability(model, t):
    return 1 / (1 + np.exp(-model.y * (model.x @ t[:-1] + t[-1])))


def cross_entropy(model):
    z, y = np.column_stack([model.x, np.ones(len(model.y))]), model.y
    value = lambda t: model.strength * ((1 - probability(model, t) ** Q) / Q).sum() + model.penalty(t)

    def gradient(t):
        p = probability(model, t)
        return np.append(t[:-1], 0) - model.strength * z.T @ (y * p**Q * (1 - p))

    return polished(value, gradient, model.fit(np.ones(len(y))))


def forward(model, rates):
    z, y = np.column_stack([model.x, np.ones(len(model.y))]), model.y
    own, other = np.where(y > 0, rates[1], rates[0]), np.where(y > 0, rates[0], rates[1])
    likely = lambda p: (1 - own) * p + other * (1 - p)
    value = lambda t: -model.strength * np.log(likely(probability(model, t))).sum() + model.penalty(t)

    def gradient(t):
        p = probability(model, t)
        return np.append(t[:-1], 0) - model.strength * z.T @ (y * (1 - own - other) * p * (1 - p) / likely(p))

    return polished(value, gradient, model.fit(np.ones(len(y))))


def anchors(model):
    t, n = model.fit(np.ones(len(model.y))), len(model.y)
    p = np.sort(1 / (1 + np.exp(-(model.x @ t[:-1] + t[-1]))))
    k = int(np.ceil(ANCHOR * n - 1e-9))
    return p[n - k], 1 - p[k - 1]


R = """
suppressMessages(library(robustbase))
v <- scan(file("stdin"), quiet = TRUE); k <- 1
while (k < length(v)) {
  n <- v[k]; d <- v[k+1]; m <- matrix(v[k+1+1:(n*(d+1))], n, byrow = TRUE); k <- k+2+n*(d+1)
  x <- m[, 1:d, drop = FALSE]; y <- m[, d+1]
  set.seed(1)
  # The scale divides by n, not n - p.
  control <- lmrob.control(nResample = 3000, best.r.s = 20, k.max = 5000, max.it = 5000, refine.tol = 1e-13, rel.tol = 1e-13,
    solve.tol = 1e-12, scale.tol = 1e-14, maxit.scale = 5000, bb = 0.5*n/(n-d-1), tuning.chi = 1.547645, tuning.psi = 4.685061)
  a <- lmrob(y ~ x, control = control)
  b <- ltsReg(x, y, alpha = 0.75, mcd = FALSE, nsamp = 5000)
  cat(sprintf("%.12g", c(a$coefficients[-1], a$coefficients[1], a$scale, b$raw.coefficients[-1], b$raw.coefficients[1], b$quan)), "\\n")
}
"""


def by_r(samples):
    text = "\n".join(" ".join(map(str, [len(y), x.shape[1], *np.column_stack([x, y]).ravel()])) for x, y in samples)
    lines = subprocess.run(["Rscript", "-e", R], input=text, capture_output=True, text=True, check=True).stdout.split("\n")
    return [np.array(line.split(), float) for line in lines if line]


def plain(answers):
    if isinstance(answers, dict):
        return {k: plain(a) for k, a in answers.items()}
    if isinstance(answers, (list, np.ndarray)) and len(answers) and not np.isscalar(answers[0]):
        return [plain(a) for a in answers]
    return None if answers is None else [float("%.10g" % a) for a in np.atleast_1d(answers)]


def main():
    random, problems, samples = np.random.default_rng(7), [], []
    for k in range(80):
        classes, d = k >= 40, 1 + k % 3
        n = 24 + 4 * (k % 5) + 16 * classes
        x, y = (classification if classes else regression)(random, n, d)
        strength = float([0.3, 1, 2][k // 3 % 3])
        model, group = Model(x, y, strength, classes), random.integers(0, 3, n)
        ages = np.quantile(model.losses(model.fit(np.ones(n))), [0.5, 0.7, 0.9]).round(3)
        want = {"trimmed": trimmed(model), "diverse": diverse(model, group), "graduated": [graduated(model, age) for age in ages]}
        if classes:
            want |= {"gce": cross_entropy(model), "forward": forward(model, RATES), "rates": anchors(model)}
        else:
            samples.append((x, y))
            want["mm"], want["s"] = mm(model, random)
            want |= {"huber": huber(model), "lts": least_trimmed(model, random)}
        problems.append({"X": x.tolist(), "Y": y.tolist(), "Strength": strength, "Classes": classes, "Group": group.tolist(), "Ages": ages.tolist(), "Want": want})
    for problem, line in zip(problems, by_r(samples)):
        d = len(problem["X"][0])
        problem["Want"] |= {"lmrob": line[: d + 2], "ltsReg": line[d + 2 :]}
    for problem in problems:
        problem["Want"] = {k: plain(v) if k in ("diverse", "graduated") else [plain(v)] for k, v in problem["Want"].items()}
    print("[" + ",\n".join(json.dumps(p, separators=(",", ":")) for p in problems) + "]")


main()
