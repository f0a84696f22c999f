"""Methods of your own for agepath in Python, runs, and results as data frames.

A method is a function of the training rows. This is a whole one, in the file mine.py:

    from agepath import method
    from sklearn.linear_model import HuberRegressor

    @method
    def fit(X, y, weights, cell):
        return HuberRegressor(alpha=cell.model["alpha"]).fit(X, y, weights)

A grid names it with this file:

    methods: [gaga, {command: {name: mine, run: [python3, mine.py], files: [agepath.py, mine.py]}}]

`coordinator try GRID mine` computes one cell of it. This file needs numpy alone.
"""
import importlib
import io
import json
import os
import random
import subprocess
import sys
import traceback
import types

import numpy as np

PROTOCOL = 2
_requests = _answers = None

if os.environ.get("AGEPATH_COMMAND"):  # a worker talks to this program
    _requests = os.fdopen(os.dup(0), encoding="utf-8")
    _answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nothing else reads requests
    os.dup2(2, 1)  # and what anything else prints goes to standard error


def method(fit):
    """Computes the cells that a worker asks for by fit(X, y, weights, cell).

    X has a row for each training row, y the targets (classes are -1 and 1), and weights says
    how many equal rows each stands for: np.repeat(X, weights.astype(int), axis=0) has them all.
    cell has what the grid's `uses` lets through:

        cell.task         "regression" or "classification"
        cell.model        the model and its parameters, {"name": "lasso", "alpha": 0.1, ...}
        cell.regularizer  {"name": "mixture", "param": 0.5} with uses: regularizer, else None
        cell.age          {"min": 0.1, "max": 20, "ages": [0.1, 0.6, ...]} with uses: age, else None
        cell.seed         0 to 2**32 - 1; random and numpy.random are seeded with it already

    fit returns a model with predict, as scikit-learn's have, also a classifier that was given
    the classes 0 and 1; or a function of rows that returns predictions, for classes a number
    that is at least 0 for class 1; or the coefficients of the features, then the intercept.
    With uses: age it returns pairs of an age and one of these, with rising ages. Numbers that
    are not finite end the cell as diverged, an exception as failed, skip(why) as skipped.

    The decorator comes last in a file: it serves the worker until that ends the program.
    """
    if fit.__module__ != "__main__":
        return fit
    if _requests is None:
        print(f"{fit.__name__} is a method of agepath: coordinator try GRID NAME computes a cell of it", file=sys.stderr)
        return fit
    for line in _requests:
        request = json.loads(line)
        answer = _answer(fit, request)
        sys.stdout.flush()
        _answers.write(json.dumps({**answer, "cell": request["cell"]["id"]}) + "\n")
        _answers.flush()
    sys.exit()


class Skip(Exception):
    """Says that a cell is not for the method."""


def skip(why):
    """Ends the cell with the status skipped, which is no failure."""
    raise Skip(why)


def _answer(fit, request):
    """Returns the answer to a request but for its cell."""
    try:
        if request["protocol"] != PROTOCOL:
            raise ValueError(f"agepath.py speaks version {PROTOCOL} of the protocol, the worker version {request['protocol']}; "
                             "`coordinator python > agepath.py` writes the file that the worker wants")
        asked = request["cell"]
        if "model" not in asked:
            raise ValueError("a cell without a model: @method is for self-paced grids, not for solver benchmarks")
        cell = types.SimpleNamespace(
            task=asked["task"], model=asked["model"], regularizer=asked.get("regularizer"), age=asked.get("age"),
            seed=asked["seed"] % 2**32)
        random.seed(cell.seed)
        np.random.seed(cell.seed)
        data = request["data"]

        def column(part, name, *shape):
            return np.fromfile(data["path"], "<f8", int(np.prod(shape)), offset=part[name]).reshape(shape)

        rows = {part["name"]: column(part, "x", part["rows"], data["features"]) for part in data["parts"]}
        train = next(part for part in data["parts"] if part["name"] == "train")
        fitted = fit(rows["train"].copy(), column(train, "y", train["rows"]), column(train, "weight", train["rows"]), cell)
        if cell.age is None:
            return _numbers([fitted], rows, cell.task)
        try:
            ages, models = zip(*fitted)
        except TypeError:
            raise TypeError(f"with uses: age a method returns pairs of an age and a model, not {type(fitted).__name__}") from None
        return {"ages": [float(age) for age in ages], **_numbers(models, rows, cell.task)}
    except Skip as why:
        return {"skipped": str(why) or "not for this method"}
    except Exception as failure:
        traceback.print_exception(type(failure), failure, failure.__traceback__.tb_next)
        return {"error": "".join(traceback.format_exception_only(type(failure), failure)).strip()}


def _numbers(models, rows, task):
    """Returns the coefficients of models that are linear, else the predictions of the parts without targets."""
    linear = [_coefficients(model, rows["train"], task) for model in models]
    if all(w is not None for w in linear):
        return {"coefficients": [w.tolist() for w in linear]}
    return {"predictions": {
        part: [_predict(model, X, task).tolist() for model in models] for part, X in rows.items() if part != "train"}}


def _coefficients(model, X, task):
    """Returns the coefficients of a linear model, then its intercept; None for another model."""
    if model is None:
        raise TypeError("fit returned None, not a model, a function of rows or coefficients")
    if not callable(model) and not hasattr(model, "predict"):
        w = np.asarray(model, float).ravel()
        if len(w) != X.shape[1] + 1:
            raise ValueError(f"{len(w)} coefficients of {X.shape[1]} features; a number for each and the intercept are needed")
        return w
    try:
        w = np.append(np.ravel(model.coef_), np.ravel(model.intercept_)).astype(float)
    except (AttributeError, TypeError, ValueError):
        return None
    if len(w) != X.shape[1] + 1:
        return None
    # Some have coefficients and are not linear, such as Poisson regression with its link.
    says, linear = _predict(model, X, task), X @ w[:-1] + w[-1]
    if task == "classification":
        same = np.array_equal(says >= 0, linear >= 0)
    else:
        same = np.allclose(says, linear, rtol=1e-9, atol=1e-9, equal_nan=True)
    return w if same else None


def _predict(model, X, task):
    """Returns predictions, of classes a number that is at least 0 for class 1."""
    values = np.ravel(model.predict(X) if hasattr(model, "predict") else model(X))
    if task == "classification" and hasattr(model, "classes_"):
        values = np.where(values == 1, 1, -1)  # the other class can be 0
    values = values.astype(float)
    if len(values) != len(X):
        raise ValueError(f"{len(values)} predictions of {len(X)} rows; one each is needed")
    return values


def read(path):
    """Returns the tables of a folder of results by name, as in read("out/quickstart").cells.

    The address of a run that coordinator serves will do too, as in read("http://localhost:8480/runs/RUN"),
    also while it is computed. They are data frames of pandas, else of polars. Pandas reads Arrow files by
    pyarrow. Without it there is the table cells of a folder alone, from the file that
    `coordinator report DIR --format csv` writes.
    """
    path = os.fspath(path)
    served = path.startswith(("http://", "https://"))
    if served:
        path = path.rstrip("/")
        names = [table["name"] for table in json.loads(_get(path))["tables"]]
    else:
        names = [name[:-len(".arrow")] for name in sorted(os.listdir(path)) if name.endswith(".arrow") and name.count(".") == 1]
    if "cells" not in names:
        raise FileNotFoundError(f"{path} has no cells yet" if served else
                                f"{path} has no cells.arrow; coordinator run or collect leaves it in a folder of results")
    pandas, pyarrow, polars = map(_module, ("pandas", "pyarrow", "polars"))
    if pandas and pyarrow:
        load = pandas.read_feather
    elif polars:
        def load(file):
            return polars.read_ipc(file, memory_map=False)
    else:
        cells, text = os.path.join(path, "cells.arrow"), os.path.join(path, "report", "cells.csv")
        if pandas and os.path.exists(text) and os.path.getmtime(text) >= os.path.getmtime(cells):
            return types.SimpleNamespace(cells=pandas.read_csv(text, dtype={"cell": str}, keep_default_na=False, na_values=[""]))
        raise ImportError("reading results needs pandas with pyarrow, or polars: pip install pandas pyarrow" + (
            "" if served else f"; pandas alone reads what `coordinator report {path} --format csv` writes"))
    if served:
        return types.SimpleNamespace(**{name: load(io.BytesIO(_get(f"{path}/{name}.arrow"))) for name in names})
    return types.SimpleNamespace(**{name: load(os.path.join(path, name + ".arrow")) for name in names})


def _get(url):
    """Returns what a server answers."""
    import urllib.error  # methods need not wait for it
    import urllib.request
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.read()
    except urllib.error.HTTPError as refused:
        raise FileNotFoundError(f"{url}: {refused.read().decode(errors='replace').strip()}") from None


def _module(name):
    """Returns a module, None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def run(grid, *flags, program="coordinator"):
    """Computes a grid by `coordinator run GRID --json` and returns what that prints, as a dict.

    Flags are passed on, as in run("grid.yaml", "--out", "out/mine", "--allow-commands"), and
    read(run(...)["out"]) are the results. Cells that failed are counted in the dict. Where
    nothing was computed, the error is on standard error and RuntimeError says so.
    """
    done = subprocess.run([program, "run", str(grid), "--json", *flags], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.strip():
        raise RuntimeError(f"{program} run {grid} ended with the status {done.returncode}; its messages are on standard error")
    return json.loads(done.stdout)
