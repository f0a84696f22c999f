"""Runs of agepath from Python, results as data frames, models to predict with, and methods of your own.

    import agepath
    results = agepath.run("grid.yaml")           # or a grid as a dict; `agepath init DATA.csv` writes a first one
    print(results.verdict)
    results.cells                                # a data frame
    results.figure("score-curve")                # notebooks show it
    results.suspects()                           # the rows that are out of the chosen models
    agepath.model("out/grid").predict(X)         # a scikit-learn estimator

A method is a function of the training rows. This is a whole one, in the file mine.py:

    from agepath import method
    from sklearn.linear_model import HuberRegressor

    @method
    def fit(X, y, weights, cell):
        return HuberRegressor(alpha=cell.model["alpha"]).fit(X, y, weights)

A grid names it with this file:

    methods: [gaga, {command: {name: mine, run: [python3, mine.py], files: [agepath.py, mine.py]}}]

with the path of your Python (sys.executable) for python3, and beside it agepath.py, by `agepath python >
agepath.py`. `agepath try GRID mine` computes one cell, run(grid, "--allow-commands") all. Methods and
models need numpy alone; runs need the program, which a wheel brings as agepath (elsewhere: coordinator).
"""
from __future__ import annotations

import csv
import hashlib
import html
import importlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import traceback
import types
import warnings
from typing import Any, Callable

try:
    import numpy as np
except ImportError:  # runs do without
    np: Any = None

PROTOCOL = 2
_requests = _answers = None

if os.environ.get("AGEPATH_COMMAND"):  # a worker talks to this program
    _requests = os.fdopen(os.dup(0), encoding="utf-8")
    _answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nothing else reads requests
    os.dup2(2, 1)  # and what anything else prints goes to standard error


def method(fit: Callable) -> Callable:
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
    the classes 0 and 1; or a function of rows that returns predictions, for classes the class or a
    number that is at least 0 for class 1, not a probability; or the coefficients of the features, then the intercept.
    With uses: age it returns pairs of an age and one of these, with rising ages. Numbers that
    are not finite end the cell as diverged, an exception as failed, skip(why) as skipped.

    The decorator comes last in a file: it serves the worker until that ends the program.
    """
    if fit.__module__ != "__main__":
        return fit
    if _requests is None:
        print(f"{fit.__name__} is a method of agepath: `agepath try GRID NAME` computes a cell of it", file=sys.stderr)
        return fit
    for line in _requests:
        request = json.loads(line)
        answer = _answer(fit, request)
        sys.stdout.flush()
        _answers.write(json.dumps({**answer, "cell": request["cell"]["id"], "software": _software()}) + "\n")
        _answers.flush()
    sys.exit()


class Skip(Exception):
    """Says that a cell is not for the method."""


def skip(why: str) -> None:
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
    says = {part: [_predict(model, X, task) for model in models] for part, X in rows.items() if part != "train"}
    every = np.concatenate([values for part in says.values() for values in part])
    if task == "classification" and len(every) and every.min() >= 0 and every.max() <= 1 and every.min() < every.max():
        if not np.isin(every, (0, 1)).all():
            raise ValueError("predictions of classes from 0 to 1, like probabilities, of which each would be class 1; "
                             "return p - 0.5 for a probability p, and 10 * v for a decision value v")
        says = {part: [2 * values - 1 for values in part_says] for part, part_says in says.items()}
    return {"predictions": {part: [values.tolist() for values in part_says] for part, part_says in says.items()}}


def _coefficients(model, X, task):
    """Returns the coefficients of a linear model, then its intercept; None for another model."""
    if model is None:
        raise TypeError("fit returned None, not a model, a function of rows or coefficients")
    if not callable(model) and not hasattr(model, "predict"):
        w = _real(model)
        if len(w) != X.shape[1] + 1:
            raise ValueError(f"{len(w)} coefficients of {X.shape[1]} features; a number for each and the intercept are needed")
        return w
    try:
        w = _real(np.append(np.ravel(model.coef_), np.ravel(model.intercept_)))
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


def _real(values):
    """Returns numbers as a list of floats."""
    values = np.ravel(np.asarray(values))
    if np.iscomplexobj(values):
        raise ValueError("complex numbers; real ones are needed, as by np.real")
    return values.astype(float)


def _predict(model, X, task):
    """Returns predictions, of classes a number that is at least 0 for class 1."""
    values = np.ravel(model.predict(X) if hasattr(model, "predict") else model(X))
    if task == "classification" and hasattr(model, "classes_"):
        values = np.where(values == 1, 1, -1)  # the other class can be 0
    values = _real(values)
    if len(values) != len(X):
        raise ValueError(f"{len(values)} predictions of {len(X)} rows; one each is needed")
    return values


def _software() -> str:
    """Returns the versions of Python and of the imported libraries, as in Python 3.11.2, numpy 1.24.2."""
    found = {name: getattr(module, "__version__", None) for name, module in list(sys.modules.items())
             if not name.startswith("_") and "." not in name and name not in getattr(sys, "stdlib_module_names", ())}
    versions = [f"{name} {version}" for name, version in sorted(found.items()) if isinstance(version, str)]
    return ", ".join(["Python " + sys.version.split()[0], *versions])


def _program() -> str:
    """Returns the path of the program: that of the wheel, else agepath or coordinator on the PATH."""
    found = shutil.which("agepath", path=sysconfig.get_path("scripts")) or shutil.which("agepath") or shutil.which("coordinator")
    if not found:
        raise FileNotFoundError("there is no program agepath or coordinator on the PATH; pip install agepath brings it")
    return found


def run(grid: str | os.PathLike | dict, *flags: str, program: str | None = None) -> Results:
    """Computes a grid by `agepath run GRID --json` and returns its results.

    A grid is the path of a file, or a dict with a file's keys, whose paths are relative to the
    current folder; a data frame in place of a path is written there, to data-HASH.csv. `agepath init
    FILE --target COLUMN` writes a first grid for a file of data. Flags are passed on, as in run("grid.yaml", "--out", "out/mine", "--allow-commands").
    Results.summary is the object that the program prints; cells that failed are counted there. Where
    nothing was computed RuntimeError has the program's message.
    """
    if isinstance(grid, dict):
        text = json.dumps({"name": "notebook", **grid}, default=_plain)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="grid-", dir=".", delete=False, encoding="utf-8") as file:
            file.write(text)
        try:
            return run(file.name, *flags, program=program)
        finally:
            os.remove(file.name)
    # A terminal shows the program's own progress, a notebook that of its log.
    notebook, said = type(sys.stderr).__module__.startswith("ipykernel"), "its messages are on standard error"
    with subprocess.Popen([program or _program(), "run", os.fspath(grid), "--json", *flags], text=True, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=None if sys.stderr.isatty() else subprocess.PIPE) as running:
        for line in running.stderr or ():
            at = re.search(r" done=(\d+) cells=(\d+)", line)
            if notebook and at:
                done, cells = map(int, at.groups())
                print(f"\r{'█' * (30 * done // cells):░<30} {done} of {cells} cells", end="\n" if done == cells else "", file=sys.stderr, flush=True)
            else:
                print(line, end="", file=sys.stderr)
            if not line.startswith("time="):
                said = line.strip()
        printed = running.stdout.read()
    if not printed.strip():
        raise RuntimeError(f"agepath run {grid} ended with the status {running.returncode}: {said}")
    summary = json.loads(printed[printed.index("{"):])
    return Results(summary["out"], summary, program)


def _plain(x):
    """Returns what JSON has for an object in a grid, of a data frame the file that it is written to."""
    if hasattr(x, "to_csv") or hasattr(x, "write_csv"):
        text = x.to_csv(index=False) if hasattr(x, "to_csv") else x.write_csv()
        name = f"data-{hashlib.sha256(text.encode()).hexdigest()[:8]}.csv"
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return name
    if hasattr(x, "tolist"):
        return x.tolist()
    if isinstance(x, os.PathLike):
        return os.fspath(x)
    raise TypeError(f"a grid has no {type(x).__name__}; a method of your own is a command, as help(agepath) shows")


def read(path: str | os.PathLike, program: str | None = None) -> Results:
    """Returns the results in a folder, as in read("out/quickstart").cells.

    The address of a run that coordinator serves will do for the tables, as in
    read("http://localhost:8480/runs/RUN").cells, also while it is computed.
    """
    return Results(path, program=program)


class Figure(str):
    """The text of an SVG file, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)


class Results:
    """The results of a run.

    The tables cells, knots and, if kept, coefficients are data frames of pandas, else of polars. Pandas
    reads Arrow files by pyarrow, and without it the cells alone.
    """

    def __init__(self, path: str | os.PathLike, summary: dict | None = None, program: str | None = None):
        self.path = os.fspath(path)
        self.summary = summary
        self._program = program
        self._served = self.path.startswith(("http://", "https://"))
        if self._served:
            self.path = self.path.rstrip("/")
            self.tables = [table["name"] for table in json.loads(_get(self.path))["tables"]]
        else:
            self.tables = [name[:-len(".arrow")] for name in sorted(os.listdir(path)) if name.endswith(".arrow") and name.count(".") == 1]
        if "cells" not in self.tables:
            raise FileNotFoundError(f"{path} has no cells yet" if self._served else
                                    f"{path} has no cells.arrow; agepath run or collect leaves it in a folder of results")

    def __repr__(self):
        return f"agepath.read({self.path!r})"

    def __dir__(self):
        return [*super().__dir__(), *self.tables]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(f"{name}: the results have the tables {', '.join(self.__dict__.get('tables', []))}")
        frame = self._frame(name)
        setattr(self, name, frame)
        return frame

    def _frame(self, name):
        pandas, pyarrow, polars = map(_module, ("pandas", "pyarrow", "polars"))
        if pandas and pyarrow:
            load = pandas.read_feather
        elif polars:
            def load(file):
                return polars.read_ipc(file, memory_map=False)
        elif pandas and name == "cells" and not self._served:
            return self.table("cells")
        else:
            raise ImportError("reading results needs pandas with pyarrow, or polars: pip install pandas pyarrow")
        return load(io.BytesIO(_get(f"{self.path}/{name}.arrow")) if self._served else os.path.join(self.path, name + ".arrow"))

    def _report(self, name):
        """Returns the path of a file of the report, which the program makes if it is not there or older than the cells."""
        path, cells = os.path.join(self.path, "report", name), os.path.join(self.path, "cells.arrow")
        if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(cells):
            _ask(self._program, "report", self.path, "--format", "markdown,csv")
        return path

    @property
    def verdict(self) -> str:
        """What the report says first: which method is best where, and what chance explains."""
        with open(self._report("report.md"), encoding="utf-8") as file:
            text = re.split("^###? ", file.read(), maxsplit=1, flags=re.M)[0]
        # The figure and its files are not of the verdict.
        lines = [line for line in text.split("\n")[1:] if "](figures/" not in line]
        return html.unescape(re.sub(r"\\(.)", r"\1", " ".join(" ".join(lines).split())))

    def table(self, name: str = "answer") -> Any:
        """A table of the report as a data frame of pandas, else a list of dicts.

        answer has the scores with age and parameters chosen by validation; others are tables, chosen,
        comparisons and ranks.
        """
        path = self._report(name + ".csv")
        if not os.path.exists(path):
            found = sorted(file[:-len(".csv")] for file in os.listdir(os.path.join(self.path, "report")) if file.endswith(".csv"))
            raise FileNotFoundError(f"the report has no table {name}; it has {', '.join(found)}")
        with open(path, encoding="utf-8", newline="") as file:
            pandas = _module("pandas")
            if not pandas:
                return list(csv.DictReader(file))
            frame = pandas.read_csv(file, dtype={"cell": str}, keep_default_na=False, na_values=[""])
            return frame if name == "cells" else frame.dropna(axis=1, how="all")

    def figure(self, name: str = "score-curve", method: str | None = None, cell: str | None = None) -> Figure:
        """The first figure of the report whose name begins so, as in figure("path-diabetes"); figures lists them.

        "suspects" has the losses of the rows that are out of the chosen models, of a method or cell; see suspects.
        """
        if name == "suspects":
            return Figure(_ask(self._program, "model", self.path, "--suspects=svg", *_choice(method, cell)))
        found = [figure for figure in self.figures if figure.startswith(name)]
        if not found:
            raise FileNotFoundError(f"the report has no figure {name}; it has {', '.join([*self.figures, 'suspects'])}")
        with open(os.path.join(self.path, "report", "figures", found[0] + ".svg"), encoding="utf-8") as file:
            return Figure(file.read())

    @property
    def figures(self) -> list[str]:
        """The names of the report's figures."""
        folder = os.path.join(self.path, "report", "figures")
        return sorted(name[:-len(".svg")] for name in os.listdir(folder) if name.endswith(".svg")) if os.path.isdir(folder) else []

    def suspects(self, method: str | None = None, cell: str | None = None) -> Any:
        """The rows that are out of the fit (weight 0) at the chosen age in most repeats that train on them.

        Of the cells that validation chose of a method (by default gaga), or of a cell and its repeats, a data
        frame of pandas, else a list of dicts: the row of the file from 0, in how many repeats it is trained on,
        out, and noisy (noise that the grid adds changed it; 0 says nothing about your own errors), and its mean
        loss, in units of the model's; rows that are out more often and have larger losses first.
        """
        text = _ask(self._program, "model", self.path, "--suspects", *_choice(method, cell))
        rows = csv.DictReader(text.splitlines())
        suspects = [{name: (float if name == "loss" else int)(value) for name, value in row.items()} for row in rows]
        pandas = _module("pandas")
        return pandas.DataFrame(suspects, columns=rows.fieldnames) if pandas else suspects

    def model(self, cell: str | None = None) -> Model:
        """The chosen model, or that of a cell; see model."""
        return model(self.path, cell, program=self._program)


def _choice(method, cell):
    """Returns the flags that choose the cells of suspects."""
    if method and cell:
        raise ValueError("a cell has a method already; give one of them")
    return ["--cell", cell] if cell else ["--method", method or "gaga"]


def model(source: str | os.PathLike | dict = None, cell: str | None = None, method: str | None = None,
          program: str | None = None, **parameters: Any) -> Model:
    """Returns a model to predict with.

    From a folder of results it is that of a cell, by default the chosen one of a method, by default of
    the best by validation; the program computes it again. A file or a dict of `agepath model` will do too. Without a source it is to be fitted, as in
    model(model={"ridge": {"alpha": [0.01, 0.1]}}, regularizer="linear").fit(X, y); see Model.
    """
    fitted = Model(**parameters, program=program)
    if source is None:
        return fitted
    if isinstance(source, dict):
        return fitted._take(source)
    if os.path.isdir(source):
        return fitted._take(json.loads(_ask(
            program, "model", source, *(["--cell", cell] if cell else []), *(["--method", method] if method else []))))
    with open(source, encoding="utf-8") as file:
        return fitted._take(json.load(file))


class Model:
    """A model of self-paced learning with fit and predict, which scikit-learn takes for an estimator.

    model is an entry of a grid's models, such as {"lasso": {"alpha": [0.01, 0.1]}}; of several
    parameters validation chooses. regularizer is one of a grid's regularizers, scale as in a grid.
    fit learns from four fifths of the rows, by an age path of each parameter. The others choose the age
    and the parameters, and are not in train_.

    Of a fitted model, coef_ and intercept_ are in the units of the data, features_ names the
    columns, age_ is the chosen age, train_ has the training rows (row, weight, loss), of which those
    with weight 0 are out, and file_ is the whole object of `agepath model`.
    """

    def __init__(self, model: dict | str = "ridge", regularizer: dict | str = "linear", scale: dict | None = None,
                 seed: int = 1, program: str | None = None):
        self.model, self.regularizer, self.scale, self.seed, self.program = model, regularizer, scale, seed, program

    def get_params(self, deep: bool = True) -> dict:
        return {name: getattr(self, name) for name in ("model", "regularizer", "scale", "seed", "program")}

    def set_params(self, **parameters: Any) -> Model:
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ValueError(f"a model has no parameter {name}; it has {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        return f"agepath.model({', '.join(f'{name}={value!r}' for name, value in self.get_params().items() if value is not None)})"

    @property
    def _name(self):
        return self.model if isinstance(self.model, str) else next(iter(self.model))

    @property
    def _estimator_type(self):
        return "classifier" if self._name in ("svm", "logistic") else "regressor"

    def __sklearn_tags__(self):
        base = importlib.import_module("sklearn.base")
        mixin = base.ClassifierMixin if self._estimator_type == "classifier" else base.RegressorMixin
        tags = type("_Tags", (mixin, base.BaseEstimator), {})().__sklearn_tags__()
        if tags.classifier_tags:
            tags.classifier_tags.multi_class = False
        return tags

    def _more_tags(self):  # of scikit-learn before 1.6
        return {"binary_only": self._estimator_type == "classifier"}

    def fit(self, X: Any, y: Any) -> Model:
        """Fits the model to rows X and targets y, of two classes for svm and logistic."""
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        X, y = _rows(X), _targets(y)
        if np.isnan(X).any():
            raise ValueError("X contains NaN; fill in missing values first")
        if len(X) != len(y):
            raise ValueError(f"{len(X)} rows and {len(y)} targets")
        if len(X) < 2:
            raise ValueError(f"{len(X)} sample; a fit takes at least 2")
        names = names or [f"x{j}" for j in range(X.shape[1])]
        classes, task, default = None, "regression", {"alpha": [0.001, 0.01, 0.1]}
        if self._estimator_type == "classifier":
            if y.dtype.kind == "f" and (y != np.round(y)).any():
                raise ValueError("Unknown label type: continuous; a classifier takes classes")
            classes = np.unique(y)
            if len(classes) != 2:
                raise ValueError(f"{len(classes)} classes; a classifier of agepath has 2")
            y, task, default = np.where(y == classes[1], 1, -1), "classification", {"c": [0.1, 1, 10]}
        grid = {
            "seed": self.seed, "data": [{"path": "data.csv", "target": "target", "task": task}],
            "models": [{self._name: default} if isinstance(self.model, str) else self.model],
            "regularizers": [self.regularizer], "methods": ["gaga"], "split": {"train": 1, "test": 1e-9, "validation": 0.2},
        }
        if self.scale:
            grid["scale"] = self.scale
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "data.csv"), "w", encoding="utf-8", newline="") as file:
                rows = csv.writer(file)
                rows.writerow([*names, "target"])
                rows.writerows([*map(repr, row), repr(target)] for row, target in zip(X.tolist(), y.tolist()))
            with open(os.path.join(folder, "grid.yaml"), "w", encoding="utf-8") as file:
                json.dump(grid, file)
            out = os.path.join(folder, "out")
            _ask(self.program, "run", os.path.join(folder, "grid.yaml"), "--out", out, "--figures", "0", "--json", "--no-reuse", "--log-level", "error")
            self._take(json.loads(_ask(self.program, "model", out)))
        if classes is not None:
            self.classes_, self.file_["classes"] = classes, classes.tolist()
        return self

    def _take(self, file):
        if file["format"] != 1:
            raise ValueError(f"a model of format {file['format']}; this agepath.py reads 1")
        spec = file["spec"]["model"]
        self.file_, self.train_, self.age_ = file, file["train"], file["age"]
        self.features_, self.n_features_in_ = file["features"], len(file["features"])
        self.coef_, self.intercept_ = np.array(file["coefficients"]), file["intercept"]
        if spec["name"] != self._name:
            self.model = {spec["name"]: {name: value for name, value in spec.items() if name != "name"}}
        if file["task"] == "classification":
            self.classes_ = np.array(file.get("classes", [-1, 1]))
        return self

    @property
    def decision_function(self) -> Callable:
        """Returns, of rows X, numbers that are at least 0 for the second class."""
        if self._estimator_type != "classifier":
            raise AttributeError("a regression has no decision_function; use predict")
        return self._values

    def _values(self, X):
        if not hasattr(self, "file_"):
            raise (getattr(_module("sklearn.exceptions"), "NotFittedError", AttributeError))("this model is not fitted; call fit, or agepath.model of a folder of results")
        if hasattr(X, "columns") and any(isinstance(name, str) for name in X.columns):
            columns = set(X.columns)
            missing = [name for name in self.features_ if name not in columns]
            if missing and not all(re.fullmatch(r"x\d+", name) for name in self.features_):  # which are not the data's own
                raise ValueError(f"X has no column {', '.join(missing)}; the model takes columns by name")
            X = X if missing else X[self.features_]
        X = _rows(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but Model is expecting {self.n_features_in_} features as input: {', '.join(self.features_)}")
        if self.file_.get("medians"):
            X = np.where(np.isnan(X), self.file_["medians"], X)
        if np.isnan(X).any():
            raise ValueError("X contains NaN, and the model has no medians for missing values")
        kernel = self.file_.get("kernel")
        if kernel is None:
            return X @ self.coef_ + self.intercept_
        roots, support = np.sqrt(kernel["gamma"]), np.array(kernel["support"])
        return np.array([np.exp(-(((x - support) * roots) ** 2).sum(axis=1)) @ kernel["coefficients"] for x in X]) + self.intercept_

    def predict(self, X: Any) -> Any:
        """Returns the predictions of rows X, in the units of the data."""
        u = self._values(X)
        return u if not hasattr(self, "classes_") else self.classes_[(u >= 0).astype(int)]

    def score(self, X: Any, y: Any) -> float:
        """Returns the coefficient of determination, or the accuracy for classes."""
        y, predicted = np.asarray(y), self.predict(X)
        if hasattr(self, "classes_"):
            others = set(y.tolist()) - set(self.classes_.tolist())
            if others:
                raise ValueError(f"y has the label {others.pop()!r}; the classes are {self.classes_.tolist()}")
            return float(np.mean(predicted == y))
        return float(1 - ((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def _rows(X):
    """Returns a table as an array. Errors have the words that scikit-learn's checks look for."""
    if hasattr(X, "toarray"):
        raise TypeError("X is sparse, and sparse data is not supported: take X.toarray()")
    X = np.asarray(X)
    if np.iscomplexobj(X):
        raise ValueError("Complex data not supported")
    X = X.astype(float)
    if X.ndim != 2:
        raise ValueError(f"X has the shape {X.shape}; it is a table of rows and features. Reshape your data: X.reshape(1, -1) is one row")
    if X.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if np.isinf(X).any():
        raise ValueError("X contains infinity")
    return X


def _targets(y):
    """Returns targets as a vector of numbers or labels."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected", getattr(_module("sklearn.exceptions"), "DataConversionWarning", UserWarning), stacklevel=3)
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"y has the shape {y.shape}; it is a vector")
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity")
    return y


def _ask(program, *arguments):
    """Returns what the program prints."""
    done = subprocess.run([program or _program(), *map(os.fspath, arguments)], capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"agepath {arguments[0]} ended with the status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


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
