"""Huber's regression by scikit-learn, with a fitted scale, as a method of agepath.

Write `uses: []` in the grid: alpha is that of an L2 penalty, not a parameter of the model.
"""
from agepath import method
from sklearn.linear_model import HuberRegressor


@method
def fit(X, y, weights, cell):
    return HuberRegressor(epsilon=1.35, alpha=1e-4, max_iter=10_000).fit(X, y, weights)
