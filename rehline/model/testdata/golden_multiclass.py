"""Golden values of TestMulticlassGolden: python3 golden_multiclass.py > golden_multiclass.json

LIBLINEAR's dual coordinate descent (scikit-learn's LinearSVC) on rounded
random data of four overlapping classes, solved to 1e-8, with the penalized
intercept that LIBLINEAR has. Sample weights are passed through.
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

rng = np.random.default_rng(8)
centers = np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2], [-1, -1, -1]])
labels = np.repeat([3, 7, 11, 20], [15, 12, 18, 9])
X = np.round(centers[np.repeat(range(4), [15, 12, 18, 9])] + 0.9 * rng.standard_normal((54, 3)), 2)
weights = np.round(rng.uniform(0.2, 2, 54), 2)
tests = np.round(2 * rng.standard_normal((30, 3)), 2)


def machine(loss, c):
    return LinearSVC(loss=loss, dual=True, C=c, tol=1e-8, max_iter=1_000_000, intercept_scaling=1, random_state=0)


cases = []
for loss in ["hinge", "squared_hinge"]:
    for c in [0.1, 3.0]:
        rest = machine(loss, c).fit(X, labels, sample_weight=weights)
        pairs = OneVsOneClassifier(machine(loss, c)).fit(X, labels)
        cases.append({
            "loss": loss, "c": c, "scheme": "rest", "weighted": True,
            "coef": rest.coef_.tolist(), "intercept": rest.intercept_.tolist(),
            "predictions": rest.predict(tests).tolist(),
        })
        # scikit-learn's machine of a pair is positive for the second class.
        cases.append({
            "loss": loss, "c": c, "scheme": "pairs", "weighted": False,
            "coef": [(-e.coef_[0]).tolist() for e in pairs.estimators_],
            "intercept": [-float(e.intercept_[0]) for e in pairs.estimators_],
            "predictions": pairs.predict(tests).tolist(),
        })
json.dump({
    "made_by": f"golden_multiclass.py, scikit-learn {sklearn.__version__}, numpy {np.__version__}, tol 1e-8",
    "x": X.tolist(), "labels": labels.tolist(), "weights": weights.tolist(), "tests": tests.tolist(), "cases": cases,
}, sys.stdout)
print()
