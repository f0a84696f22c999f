"""Writes golden.json: small problems solved by scikit-learn and SciPy.

Made with scikit-learn 1.2.1 and SciPy 1.10.1:

    python3 golden.py > golden.json

Every case has the problem in the terms of package rehline and the solution's
objective, coefficients and intercept, all computed here from the definitions.
"""
import json
import warnings

import numpy as np
from scipy.optimize import linprog
from sklearn.linear_model import ElasticNet, HuberRegressor, Lasso, QuantileRegressor, Ridge
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

warnings.simplefilter("ignore")
rng = np.random.default_rng(7)
n, d = 40, 4
X = np.round(rng.normal(size=(n, d)), 3)
y = np.round(X @ [1.0, -0.5, 0.0, 0.25] + 0.3 + 0.5 * rng.standard_t(3, size=n), 3)
sign = np.where(y > np.median(y) + 0.2, 1.0, -1.0)
weights = np.round(rng.uniform(0.2, 2, size=n), 2)

losses = {
    "hinge": lambda z, a: np.maximum(0, 1 - sign * z),
    "squared hinge": lambda z, a: np.maximum(0, 1 - sign * z) ** 2,
    "quantile": lambda z, q: np.maximum(q * (y - z), (q - 1) * (y - z)),
    "epsilon-insensitive": lambda z, e: np.maximum(0, abs(y - z) - e),
    "squared epsilon-insensitive": lambda z, e: np.maximum(0, abs(y - z) - e) ** 2,
    "huber": lambda z, t: np.where(abs(y - z) <= t, (y - z) ** 2 / 2, t * (abs(y - z) - t / 2)),
    "squared": lambda z, a: (y - z) ** 2,
}
cases = []


def case(by, loss, beta, b0, parameter=0.0, C=1.0, ridge=1.0, l1=0.0, intercept=0, w=None, dual=None):
    """ridge 0 is none; intercept 0 none, 1 free, 2 penalized.

    dual replaces the objective: LIBSVM solves the dual closely, its intercept is
    a mean that the primal objective is sensitive to."""
    beta, b0 = np.asarray(beta, float).ravel(), float(np.ravel(b0)[0])
    cost = C * (np.ones(n) if w is None else w)
    objective = cost @ losses[loss](X @ beta + b0, parameter) + ridge / 2 * beta @ beta + l1 * abs(beta).sum()
    if intercept == 2:
        objective += ridge / 2 * b0 * b0
    if dual is not None:
        objective = dual
    cases.append(dict(By=by, Loss=loss, Parameter=parameter, C=C, Ridge=ridge, L1=l1, Intercept=intercept,
                      Weighted=w is not None, Objective=objective, Beta=list(beta), B0=b0))


tight = dict(tol=1e-11, max_iter=10**6)
for C in (0.01, 0.5, 5.0):
    for name, loss in (("hinge", "hinge"), ("squared hinge", "squared_hinge")):
        for w in (None, weights):
            m = LinearSVC(loss=loss, C=C, fit_intercept=False, **tight).fit(X, sign, sample_weight=w)
            case("LinearSVC", name, m.coef_, 0, C=C, w=w)
            m = LinearSVC(loss=loss, C=C, **tight).fit(X, sign, sample_weight=w)
            case("LinearSVC", name, m.coef_, m.intercept_, C=C, intercept=2, w=w)
    m = LinearSVC(penalty="l1", dual=False, C=C, fit_intercept=False, **tight).fit(X, sign)
    case("LinearSVC l1", "squared hinge", m.coef_, 0, C=C, ridge=0, l1=1)
    for w in (None, weights):
        m = SVC(kernel="linear", C=C, tol=1e-10).fit(X, sign, sample_weight=w)
        a = m.dual_coef_.ravel()
        case("SVC", "hinge", m.coef_, m.intercept_, C=C, intercept=1, w=w,
             dual=abs(a).sum() - (m.coef_ ** 2).sum() / 2)
        m = SVR(kernel="linear", C=C, epsilon=0.2, tol=1e-10).fit(X, y, sample_weight=w)
        a = m.dual_coef_.ravel()
        case("SVR", "epsilon-insensitive", m.coef_, m.intercept_, parameter=0.2, C=C, intercept=1, w=w,
             dual=a @ y[m.support_] - 0.2 * abs(a).sum() - (m.coef_ ** 2).sum() / 2)
        for name, loss in (("epsilon-insensitive", "epsilon_insensitive"), ("squared epsilon-insensitive", "squared_epsilon_insensitive")):
            m = LinearSVR(loss=loss, epsilon=0.2, C=C, fit_intercept=False, **tight).fit(X, y, sample_weight=w)
            case("LinearSVR", name, m.coef_, 0, parameter=0.2, C=C, w=w)
            m = LinearSVR(loss=loss, epsilon=0.2, C=C, intercept_scaling=1, **tight).fit(X, y, sample_weight=w)
            case("LinearSVR", name, m.coef_, m.intercept_, parameter=0.2, C=C, intercept=2, w=w)
    m = Ridge(alpha=1 / (2 * C)).fit(X, y, sample_weight=weights)
    case("Ridge", "squared", m.coef_, m.intercept_, C=C, intercept=1, w=weights)

for q in (0.1, 0.5, 0.8):
    for alpha in (0.002, 0.05):
        m = QuantileRegressor(quantile=q, alpha=alpha, solver="highs").fit(X, y, sample_weight=weights)
        case("QuantileRegressor", "quantile", m.coef_, m.intercept_, parameter=q, C=1.0, ridge=0,
             l1=alpha * weights.sum(), intercept=1, w=weights)
        m = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=False, solver="highs").fit(X, y)
        case("QuantileRegressor", "quantile", m.coef_, 0, parameter=q, C=1 / n, ridge=0, l1=alpha)

for alpha in (0.01, 0.2):
    for free in (True, False):
        m = Lasso(alpha=alpha, fit_intercept=free, tol=1e-14, max_iter=10**6).fit(X, y)
        case("Lasso", "squared", m.coef_, m.intercept_, C=1 / (2 * n), ridge=0, l1=alpha, intercept=int(free))
        m = ElasticNet(alpha=alpha, l1_ratio=0.4, fit_intercept=free, tol=1e-14, max_iter=10**6).fit(X, y)
        case("ElasticNet", "squared", m.coef_, m.intercept_, C=1 / (2 * n), ridge=0.6 * alpha, l1=0.4 * alpha, intercept=int(free))

# HuberRegressor estimates a scale too; at its scale s the coefficients solve
# Σ (2/s) Huber_{ε s} + α‖β‖².
for alpha in (0.001, 1.0):
    m = HuberRegressor(alpha=alpha, tol=1e-13, max_iter=10**5).fit(X, y)
    case("HuberRegressor", "huber", m.coef_, m.intercept_, parameter=1.35 * m.scale_, C=2 / m.scale_, ridge=2 * alpha, intercept=1)

# The 1-norm support vector machine: β = u - v, b0 = p - q, slacks.
for l1 in (0.3, 4.0):
    cost = np.concatenate([np.full(2 * d, l1), [0, 0], weights])
    rows = -np.hstack([sign[:, None] * np.hstack([X, -X, np.ones((n, 1)), -np.ones((n, 1))]), np.eye(n)])
    r = linprog(cost, A_ub=rows, b_ub=-np.ones(n), method="highs-ds", options=dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10))
    case("linprog", "hinge", r.x[:d] - r.x[d:2 * d], r.x[2 * d] - r.x[2 * d + 1], ridge=0, l1=l1, intercept=1, w=weights)

print('{"X": %s,\n"Y": %s,\n"Class": %s,\n"Weights": %s,\n"Cases": [' % (X.ravel().tolist(), y.tolist(), sign.tolist(), weights.tolist()))
print(",\n".join(map(json.dumps, cases)))
print("]}")
