"""The linear support vector machine by LIBLINEAR's train, as a method of agepath.

It needs Debian's liblinear-tools and python3-numpy. LIBLINEAR knows no weights: rows that
agepath merged are written as often as they were there. Its intercept is penalized, which is
another model: the grid has to say intercept: false.
"""
import subprocess

import numpy as np
from agepath import method


@method
def fit(X, y, weights, cell):
    model = cell.model
    if model["name"] != "svm" or model["kernel"] != "linear" or model["intercept"]:
        raise ValueError("this method is for a linear svm with intercept: false")
    with open("train.txt", "w") as file:
        # LIBLINEAR's coefficients are those of the first label.
        for i in np.argsort(-y, kind="stable"):
            values = " ".join(f"{j}:{x!r}" for j, x in enumerate(X[i].tolist(), 1))
            file.write(f"{y[i]:+.0f} {values}\n" * int(weights[i]))
    command = ["liblinear-train", "-q", "-s", "3", "-e", "1e-8", "-c", repr(model["c"])]
    subprocess.run([*command, "train.txt", "model.txt"], check=True)
    with open("model.txt") as file:
        lines = file.read().split("\nw\n")[1].split()
    return [float(w) for w in lines[:X.shape[1]]] + [0.0]
