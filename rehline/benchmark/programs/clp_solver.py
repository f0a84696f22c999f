"""The simplex method for quadratic programs of COIN-OR's Clp, Debian's coinor-clp. Its barrier method
fills up its factors here. The file between the two programs is not counted."""
import re
import shutil
import subprocess

import numpy as np

from agepath_solver import Skip, run_in_child, serve


def write(made, path):
    """Writes a program in the format MPS."""
    quadratic, cost, g, h = made
    names = [f"z{j}" for j in range(len(cost))]
    with open(path, "w") as out:
        out.write("NAME m\nROWS\n N cost\n")
        out.writelines(f" L r{i}\n" for i in range(len(h)))
        out.write("COLUMNS\n")
        for j, name in enumerate(names):
            if cost[j] != 0:
                out.write(f" {name} cost {cost[j]:.17g}\n")
            for k in range(g.indptr[j], g.indptr[j + 1]):
                out.write(f" {name} r{g.indices[k]} {g.data[k]:.17g}\n")
        out.write("RHS\n")
        out.writelines(f" h r{i} {bound:.17g}\n" for i, bound in enumerate(h) if bound != 0)
        out.write("BOUNDS\n")
        out.writelines(f" FR BND       {name}\n" for name in names)
        out.write("QUADOBJ\n")
        out.writelines(f" {name} {name} {square:.17g}\n" for name, square in zip(names, quadratic) if square != 0)
        out.write("ENDATA\n")


def solve(p):
    from quadratic import program

    if shutil.which("clp") is None:
        raise Skip("there is no clp in the PATH")
    made = p.set_up(program)
    write(made, "program.mps")

    def run(tolerance):
        limit = [word for name in ("-primalT", "-dualT") for word in (name, f"{tolerance:g}")]
        told = run_in_child(["clp", "program.mps", *limit, "-primalS", "-saveS", "solution.bin", "-quit"])
        took = re.search(r"Optimal objective .* - (\d+) iterations time ([\d.]+)(?:, Presolve ([\d.]+))?", told)
        if not took:
            raise RuntimeError(told.strip().splitlines()[-1])
        with open("solution.bin", "rb") as file:
            rows, columns = np.fromfile(file, "<i4", 2)
            values = np.fromfile(file, "<f8")  # the objective, then rows, their duals, columns
        beta = values[1 + 2 * rows :][: p.d]
        return beta, int(took[1]), -1, None, float(took[2]) + float(took[3] or 0)

    p.ladder(run)


serve(solve)
