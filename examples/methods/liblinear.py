"""The linear support vector machine by LIBLINEAR's train, as a method of agepath.

It needs Debian's liblinear-tools and nothing else than Python. LIBLINEAR knows no
weights: rows that agepath merged are written as often as they were there. Its intercept
is penalized, which is another model: the grid has to say intercept: false.
"""
import array
import json
import subprocess
import sys


def read(data, offset, count):
    numbers = array.array("d")
    with open(data["path"], "rb") as file:
        file.seek(offset)
        numbers.fromfile(file, count)
    return numbers


def train(c, data):
    part = next(part for part in data["parts"] if part["name"] == "train")
    rows, features = part["rows"], data["features"]
    x = read(data, part["x"], rows * features)
    y = read(data, part["y"], rows)
    weight = read(data, part["weight"], rows)
    with open("train.txt", "w") as file:
        # LIBLINEAR's coefficients are those of the first label.
        for i in sorted(range(rows), key=lambda i: -y[i]):
            values = (f"{j + 1}:{x[i * features + j]!r}" for j in range(features))
            file.write(f"{y[i]:+.0f} {' '.join(values)}\n" * int(weight[i]))
    command = ["liblinear-train", "-q", "-s", "3", "-e", "1e-8", "-c", repr(c)]
    subprocess.run([*command, "train.txt", "model.txt"], stdout=sys.stderr, check=True)
    with open("model.txt") as file:
        lines = file.read().split("\nw\n")[1].split()
    return [float(w) for w in lines[:features]] + [0.0]


for line in sys.stdin:
    request = json.loads(line)
    model = request["cell"]["model"]
    if model["name"] == "svm" and model["kernel"] == "linear" and not model["intercept"]:
        answer = {"coefficients": [train(model["c"], request["data"])]}
    else:
        answer = {"error": "this method is for a linear svm with intercept: false"}
    print(json.dumps(answer | {"cell": request["cell"]["id"]}), flush=True)
