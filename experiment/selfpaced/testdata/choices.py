"""Chooses the age of cells anew from their knots; TestChoicesByNumPy compares.

Reads a JSON list of cells from standard input: metric, choice, the validation part x and y, and
the knots' ages, events, shares of samples that are in and coefficients thetas, and the same of folds,
without which the training part has its x and y. Writes for each the scores of the knots, their
standard errors, the number of the chosen knot and the value it is chosen by.
"""

import json
import sys

import numpy as np


def score(r, trimmed):
    """RMSE without the largest errors, and its standard error by the winsorized variance."""
    squares = np.sort(r * r)
    n = len(squares)
    if trimmed == "auto":
        return tau(np.abs(r))
    trimmed = float(trimmed)
    h = n - int(trimmed * n)
    rmse = np.sqrt(squares[:h].mean())
    winsorized = np.minimum(squares, squares[h - 1])
    return rmse, winsorized.std(ddof=1) * np.sqrt(n) / h / (2 * rmse)


def bisquare(u):
    return 1 - (1 - np.minimum(u, 1) ** 2) ** 3


def tau(r):
    """Tau-scale of absolute errors, the M-scale by bisection, and its standard error."""
    low, high = 0.0, 10 * r.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if bisquare(r / (1.5476449809 * middle)).mean() > 0.5 else (low, middle)
    losses = bisquare(r / (3 * low))
    value = low * np.sqrt(losses.mean() / 0.242654076816)
    return value, value / 2 * losses.std(ddof=1) / np.sqrt(len(r)) / losses.mean()


def mixture(r):
    """Deviations of two normal densities with mean 0, and the share of the wide one by row."""
    scales = np.sqrt([np.median(r) ** 2 if len(r) % 2 else np.sort(r)[len(r) // 2] ** 2, (r**2).mean()])
    scales[1] = max(scales[1], 2 * scales[0])
    floor, shares, last = scales[0] / 100, np.array([0.5, 0.5]), -np.inf
    for _ in range(200):
        densities = shares / scales * np.exp(-0.5 * (r[:, None] / scales) ** 2)
        total = densities.sum(1)
        logs = np.log(total)
        rows = (densities / total[:, None]).sum(0)
        if logs.mean() - last <= 1e-10 or rows.min() < 1:
            break
        last = logs.mean()
        shares = rows / len(r)
        scales = np.maximum(np.sqrt((densities / total[:, None] * r[:, None] ** 2).sum(0) / rows), floor)
    densities = shares / scales * np.exp(-0.5 * (r[:, None] / scales) ** 2)
    return scales, densities[:, 1] / densities.sum(1)


def spread(r, far):
    return np.average((r - np.average(r, weights=far)) ** 2, weights=far)


def disturbed(robust, plain, x, y):
    """Whether the large errors of the robust choice are those of contaminated rows."""
    (narrow, wide), far = mixture(np.abs(robust))
    if wide < 6 * narrow:
        return False
    order = np.argsort(np.abs(robust))[: max(1, round(len(y) - far.sum()))]
    if wide >= 20 * narrow and (robust[order] ** 2).mean() <= 0.8 * y[order].var():
        return True
    if spread(plain, far) > 0.8 * spread(robust, far):
        return True
    away = np.abs(x - np.median(x, 0))
    distances = ((away / (1.4826 * np.median(away, 0))) ** 2).sum(1)
    near = far < 0.5
    if near.sum() < 2:
        return False
    return (far * (distances > np.quantile(distances[near], 0.95))).sum() / far.sum() >= 0.5


def smoothed(ages, scores, begins):
    """Mean of the piecewise linear curve within a factor of 1.25, by its integral from the left."""
    x = np.log(ages)
    starts = np.flatnonzero(begins | (np.arange(len(x)) == 0))
    pieces = list(zip(starts, np.append(starts[1:], len(x))))
    means = scores.copy()
    for i in range(len(x)):
        area = length = 0.0
        for a, b in pieces:
            px, ps = x[a:b], scores[a:b]
            lo, hi = max(px[0], x[i] - np.log(1.25)), min(px[-1], x[i] + np.log(1.25))
            if hi <= lo:
                continue
            inner = (px > lo) & (px < hi)
            grid = np.concatenate([[lo], px[inner], [hi]])
            values = np.concatenate([[np.interp(lo, px, ps)], ps[inner], [np.interp(hi, px, ps)]])
            area += np.sum((values[1:] + values[:-1]) / 2 * np.diff(grid))
            length += hi - lo
        if length > 0:
            means[i] = area / length
    return means


def residuals(cell):
    """Errors by row and knot, for classification 1 and 0."""
    x, y, thetas = (np.array(cell[name]) for name in ("x", "y", "thetas"))
    predicted = x @ thetas[:, :-1].T + thetas[:, -1]
    if cell["metric"] == "accuracy":
        return (predicted >= 0) == (y > 0)[:, None]
    return predicted - y[:, None]


def scored(rows, metric, trimmed):
    if metric == "accuracy":
        return rows.mean(0), rows.std(0, ddof=1) / np.sqrt(len(rows))
    return np.array([score(r, trimmed) for r in rows.T]).T


def matched(cell, fold):
    """For each knot of the cell the knot of the fold with the nearest share, then age."""
    for share, age in zip(cell["shares"], cell["ages"]):
        far = np.abs(np.array(fold["shares"]) - share)
        near = np.flatnonzero(far == far.min())
        yield near[np.argmin(np.abs(np.log(np.array(fold["ages"])[near]) - np.log(age)))]


answers = []
for cell in json.load(sys.stdin):
    words = cell["choice"].split(", ")
    rule, trimmed = words[0], next((w[8:] for w in words if w.startswith("trimmed")), "0")
    ages = np.array(cell["ages"])
    begins = np.array([event == "start" for event in cell["events"]])
    rows = np.concatenate([residuals(f)[:, list(matched(cell, f))] for f in cell["folds"] or []] + [residuals(cell)])

    def choose(trimmed):
        scores, errors = scored(rows, cell["metric"], trimmed)
        losses = -scores if cell["metric"] == "accuracy" else scores
        values = smoothed(ages, losses, begins) if rule == "smoothed" else losses
        k = int(np.flatnonzero(values <= values.min() + 1e-12 * abs(values.min()))[0])
        if rule == "one-standard-error":
            k = int(np.flatnonzero(losses <= losses[k] + errors[k] * (1 + 1e-12))[-1])
        return k, scores, errors, values

    k, scores, errors, values = choose(trimmed)
    if trimmed == "auto":
        plain = choose("0")
        def shows(parts, rows):
            x, y = (np.concatenate([np.array(f[name]) for f in parts]) for name in ("x", "y"))
            return disturbed(rows[:, k], rows[:, plain[0]], x, y)

        if cell["train"]:
            both = np.concatenate([residuals({**cell, **cell["train"]}), rows])
            contaminated = shows([cell["train"], cell], both) and (len(rows) < 30 or shows([cell], rows))
        else:
            contaminated = shows(cell["folds"] + [cell], rows)
        if not contaminated:
            k, scores, errors, values = plain
    answers.append({"scores": scores.tolist(), "errors": errors.tolist(), "knot": k, "value": abs(values[k])})
json.dump(answers, sys.stdout)
