"""Confident learning by cleanlab's CleanLearning, as a method of agepath.

Logistic regression is fitted without the rows whose labels cross-validation finds wrong.
"""
from agepath import method, skip
from sklearn.linear_model import LogisticRegression

try:
    from cleanlab.classification import CleanLearning
except ImportError:
    CleanLearning = None


@method
def fit(X, y, weights, cell):
    if cell.model["name"] != "logistic":
        raise ValueError("this method is for the model logistic")
    if CleanLearning is None:
        skip("python3 has no module cleanlab; python3 -m pip install cleanlab")
    plain = LogisticRegression(C=cell.model["c"], fit_intercept=cell.model["intercept"], max_iter=10_000)
    clean = CleanLearning(plain, seed=cell.seed % 2**32)
    clean.fit(X, (y > 0).astype(int), sample_weight=weights)
    return lambda X: clean.predict_proba(X)[:, 1] - 0.5
