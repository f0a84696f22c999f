"""Precision and recall of the rows that are out at the chosen age, and of confident learning's, in a
folder of results with flipped labels and the method gaga: python3 suspects.py out/NAME [--datasets DIR]
"""
import os
import sys
import tempfile

import agepath
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold


def confident(X, y):
    """Rows off the diagonal of the confident joint (Northcutt, Jiang, Chuang, JAIR 2021), by five folds."""
    p, given, rows = np.zeros((len(y), 2)), (y > 0).astype(int), np.arange(len(y))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        p[test] = LogisticRegression(max_iter=1000).fit(X[train], y[train]).predict_proba(X[test])
    least = np.array([p[given == c, c].mean() for c in (0, 1)])
    sure = p >= least
    return sure[rows, 1 - given] & ~(sure[rows, given] & (p[rows, given] >= p[rows, 1 - given]))


folder, *flags = sys.argv[1:]
cells = agepath.read(folder).cells
cells = cells[cells.method == "gaga"].sort_values("best_validation", ascending=False).drop_duplicates(["dataset", "repeat"])
for name, repeats in cells.groupby("dataset"):
    counts = np.zeros((2, 2))  # found and noisy, found; of each
    noisy_rows = 0
    for cell in repeats.cell:
        train = agepath.model(folder, cell).train_
        noisy, weight = (np.repeat(train[key], train["count"]) for key in ("noisy", "weight"))
        with tempfile.TemporaryDirectory() as data:
            agepath._ask(None, "replay", folder, cell, "--data", data, *flags)
            rows = np.loadtxt(os.path.join(data, "train.csv"), delimiter=",", skiprows=1)
        noisy_rows += noisy.sum()
        for i, found in enumerate((weight == 0, confident(rows[:, :-1], rows[:, -1]))):
            counts[i] += (found & noisy).sum(), found.sum()
    print(name, *(f"{both / max(found, 1):.2f} {both / noisy_rows:.2f}" for both, found in counts))
