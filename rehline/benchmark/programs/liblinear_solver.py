"""LIBLINEAR by its library, Debian's python3-liblinear: coordinate descent on the dual or,
where the command line has the word newton, Newton's method on the primal problem."""
import ctypes
import re
import sys

import numpy as np
from scipy import sparse

from agepath_solver import Skip, serve

# LIBLINEAR's numbers of what it solves.
SQUARED_SVM_DUAL, SQUARED_SVM_NEWTON, SVM_DUAL, SVR_DUAL = 1, 2, 3, 13


def kind(p, newton):
    """Returns the number of a problem, the factor of the loss and the width of the insensitive band."""
    if newton and p.task == "squared-svm":
        return SQUARED_SVM_NEWTON, p.c, 0.0
    if newton:
        raise Skip("Newton's method of LIBLINEAR does not take the task " + p.task)
    if p.task == "squared-svm":
        return SQUARED_SVM_DUAL, p.c, 0.0
    if p.task == "svm":
        return SVM_DUAL, p.c, 0.0
    if p.task == "epsilon-insensitive":
        return SVR_DUAL, p.c, p.epsilon
    if p.task == "quantile" and p.level == 0.5:
        return SVR_DUAL, p.c / 2, 0.0
    raise Skip("LIBLINEAR does not take the task " + p.task + ("" if p.level is None else f" at the level {p.level:g}"))


def solve(p):
    import liblinear

    number, c, width = kind(p, "newton" in sys.argv)

    def make(p):
        x = sparse.csr_matrix(p.x)
        # A row is its entries, counted from 1, and an end.
        nodes = np.zeros(x.nnz + p.n, [("index", "<i4"), ("", "<i4"), ("value", "<f8")])
        at = np.arange(x.nnz) + np.repeat(np.arange(p.n), np.diff(x.indptr))
        nodes["index"] = -1
        nodes["index"][at] = x.indices + 1
        nodes["value"][at] = x.data
        rows = (nodes.ctypes.data + nodes.itemsize * (x.indptr[:-1] + np.arange(p.n))).astype("u8")
        made = liblinear.problem.__new__(liblinear.problem)
        made.l, made.n, made.bias = p.n, p.d, -1
        made.y = p.y.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        made.x = ctypes.cast(rows.ctypes.data, type(made.x))
        return made, nodes, rows  # which have to live as long

    made, *_ = p.set_up(make)
    iterations = [-1]

    @liblinear.PRINT_STRING_FUN
    def told(text):
        for found in re.findall(rb"#iter = (\d+)|^iter +(\d+)", text):
            iterations[0] = int(found[0] or found[1])

    def run(tolerance):
        parameter = liblinear.parameter(f"-s {number}")
        parameter.C, parameter.p, parameter.eps = c, width, tolerance
        liblinear.liblinear.set_print_string_function(told)
        model = liblinear.liblinear.train(ctypes.byref(made), ctypes.byref(parameter)).contents
        sign = -1 if number != SVR_DUAL and model.label[0] == -1 else 1
        return sign * np.array(model.w[: p.d]), iterations[0], -1, None

    p.ladder(run)


serve(solve)
