"""The Lasso of the largest consensus of RANSAC, by scikit-learn, as a method of agepath.

Residuals count as inliers up to the median absolute deviation of the targets.
"""
from agepath import method
from sklearn.linear_model import Lasso, RANSACRegressor


@method
def fit(X, y, weights, cell):
    if cell.model["name"] != "lasso":
        raise ValueError("this method is for the model lasso")
    lasso = Lasso(alpha=cell.model["alpha"], fit_intercept=cell.model["intercept"], max_iter=100_000)
    # Random subsets of one row more than coefficients; numpy.random is seeded with the cell's seed.
    few = min(X.shape[1] + 1, len(X))
    return RANSACRegressor(lasso, min_samples=few, max_trials=500).fit(X, y, weights).estimator_
