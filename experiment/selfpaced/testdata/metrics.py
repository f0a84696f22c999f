"""Scores of linear models by scikit-learn: a JSON list of cells in, a list of scores of each knot out."""
import json
import sys

import numpy as np
from sklearn import metrics

cells = []
for cell in json.load(sys.stdin):
    x, y, scores = np.array(cell["x"]), np.array(cell["y"]), []
    for theta in cell["thetas"]:
        u = x @ np.array(theta[:-1]) + theta[-1]
        if cell["task"] == "regression":
            error = np.sort(np.abs(u - y))
            keep = len(y) - int(cell["trimmed"] * len(y))
            scores.append({
                "rmse": metrics.mean_squared_error(y, u, squared=False),
                "mae": metrics.mean_absolute_error(y, u),
                "median-absolute-error": metrics.median_absolute_error(y, u),
                "r2": metrics.r2_score(y, u),
                "trimmed-rmse": float(np.sqrt(np.mean(error[:keep] ** 2))),
            })
        else:
            label = np.where(u >= 0, 1, -1)
            rare = 1 if np.sum(y > 0) <= np.sum(y < 0) else -1
            scores.append({
                "accuracy": metrics.accuracy_score(y, label),
                "balanced-accuracy": metrics.balanced_accuracy_score(y, label),
                "f1": metrics.f1_score(y, label, pos_label=rare, zero_division=0),
                "mcc": metrics.matthews_corrcoef(y, label),
                "auc": metrics.roc_auc_score(y, u),
                "log-loss": metrics.log_loss(y, 1 / (1 + np.exp(-u))),
            })
    cells.append(scores)
json.dump(cells, sys.stdout)
