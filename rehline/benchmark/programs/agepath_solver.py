"""What the solvers that come with agepath share: docs/solver-benchmark.md has the protocol."""
import json
import os
import pickle
import resource
import signal
import statistics
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # read when numpy is imported

import numpy as np


class Skip(Exception):
    """Why a solver does not take a problem."""


class Problem:
    """min c sum_i L(y_i, x_i b) + |b|^2 / 2 + l1 |b|_1 over b with |f b| <= t, where it has f."""

    def __init__(self, request):
        cell, data = request["cell"], request["data"]
        part, self.d = data["parts"][0], data["features"]
        self.n = part["rows"]
        self.x = np.fromfile(data["path"], "<f8", self.n * self.d, offset=part["x"]).reshape(self.n, self.d)
        self.y = np.fromfile(data["path"], "<f8", self.n, offset=part["y"])
        settings = cell["problem"]
        self.task, self.c, self.l1 = settings["task"], settings["c"], settings.get("l1", 0.0)
        self.level, self.threshold, self.epsilon = (settings.get(key) for key in ("level", "threshold", "epsilon"))
        self.f, self.t = settings.get("constraint"), settings.get("tolerance")
        self.tolerances, self.budget, self.points, self.stopped = cell["tolerances"], cell["budget"], [], None

    def set_up(self, make):
        """Returns what make makes of the problem, the solver's own form of it; notes its time."""
        took = []
        while len(took) < 5 and sum(took) < 0.2:
            begun = time.process_time()
            made = make(self)
            took.append(time.process_time() - begun)
        self.setup = statistics.median(took)
        return made

    def point(self, seconds, beta, passes=-1, gap=-1, tolerance=-1):
        """Adds coefficients that were there after so many seconds without set-up; -1: not known."""
        numbers = [float(v) for v in (self.setup + seconds, passes, gap, tolerance)]
        if np.all(np.isfinite(beta)) and np.isfinite(numbers[0]):
            self.points.append([*[v if np.isfinite(v) else -1 for v in numbers], [float(v) for v in beta]])

    def ladder(self, solve):
        """Solves anew for one tolerance after the other, each in a process that ends with the budget.

        solve returns coefficients, passes, its own relative gap, and None or why it ended early;
        it may return its seconds as well.
        """
        spent = 0.0
        if self.setup > self.budget:
            self.stopped = f"set-up takes {self.setup:.3g} s, more than the budget"
            return
        for tolerance in self.tolerances:
            result = in_process(lambda: timed(solve, tolerance), self.budget)
            if isinstance(result, str):
                self.stopped = f"tolerance {tolerance:g}: {result}"
                return
            seconds, (beta, passes, gap, stopped) = result
            self.point(seconds, beta, passes, gap, tolerance)
            spent += self.setup + seconds
            if stopped or spent > self.budget:
                self.stopped = f"tolerance {tolerance:g}: {stopped or 'the budget is spent'}"
                return

    def answer(self):
        seconds, passes, gaps, tolerances, coefficients = zip(*self.points) if self.points else [()] * 5
        answer = {"seconds": seconds, "passes": passes, "gaps": gaps, "tolerances": tolerances,
                  "coefficients": coefficients, "setup": self.setup}
        return answer | ({"stopped": self.stopped} if self.stopped else {})


def timed(solve, tolerance):
    """Returns the median seconds of up to five runs, and the last one's result without seconds."""
    took = []
    while len(took) < 5 and sum(took) < 0.05:
        begun = time.process_time()
        result = list(solve(tolerance))
        took.append(time.process_time() - begun)
        if len(result) == 5:
            return result.pop(), result
    return statistics.median(took), result


def run_in_child(command):
    """Returns what a command prints; it ends with the budget as this process does."""
    child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        os.kill(os.getpid(), signal.SIGKILL)
    if child.returncode:
        raise RuntimeError(child.stderr.strip())
    return child.stdout


def in_process(compute, budget):
    """Returns what compute returns in a process of its own, or words of why there is nothing."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        seconds = max(1, round(budget))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        try:
            result = compute()
        except Exception as problem:  # the solver's own words
            result = f"{type(problem).__name__}: {problem}"
        with os.fdopen(writer, "wb") as out:
            pickle.dump(result, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if text:
        return pickle.loads(text)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return "the budget is spent"
    return f"its process ended with the status {status}"


def serve(solve):
    """Answers requests; solve fills in the points of a problem."""
    for line in sys.stdin:
        try:
            request = json.loads(line)
            problem = Problem(request)
            solve(problem)
            answer = problem.answer()
        except (Skip, ImportError) as reason:
            answer = {"skipped": str(reason)}
        print(json.dumps(answer | {"cell": request["cell"]["id"]}), flush=True)
