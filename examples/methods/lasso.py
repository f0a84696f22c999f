"""The Lasso by scikit-learn, as a method of agepath."""
import json
import sys

import numpy as np
from sklearn.linear_model import Lasso


def read(data, part, name, shape):
    """Returns numbers of a part, which begin at an offset of the file."""
    numbers = np.fromfile(data["path"], "<f8", int(np.prod(shape)), offset=part[name])
    return numbers.reshape(shape)


def fit(cell, data):
    train = next(part for part in data["parts"] if part["name"] == "train")
    rows, features = train["rows"], data["features"]
    model = Lasso(
        alpha=cell["model"]["alpha"],
        fit_intercept=cell["model"]["intercept"],
        tol=1e-12,
        max_iter=1_000_000,
    )
    model.fit(
        read(data, train, "x", (rows, features)),
        read(data, train, "y", rows),
        sample_weight=read(data, train, "weight", rows),
    )
    return [*model.coef_.tolist(), float(model.intercept_)]


for line in sys.stdin:
    request = json.loads(line)
    if request["cell"]["model"]["name"] == "lasso":
        answer = {"coefficients": [fit(request["cell"], request["data"])]}
    else:
        answer = {"error": "this method is for the model lasso"}
    print(json.dumps(answer | {"cell": request["cell"]["id"]}), flush=True)
