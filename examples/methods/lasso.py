"""The Lasso by scikit-learn, as a method of agepath."""
from agepath import method
from sklearn.linear_model import Lasso


@method
def fit(X, y, weights, cell):
    if cell.model["name"] != "lasso":
        raise ValueError("this method is for the model lasso")
    model = Lasso(alpha=cell.model["alpha"], fit_intercept=cell.model["intercept"], tol=1e-12, max_iter=1_000_000)
    return model.fit(X, y, weights)
