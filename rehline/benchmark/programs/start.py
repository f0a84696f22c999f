"""Runs a solver's file; without a package that the file imports, each request is answered with that."""
import json
import runpy
import sys

sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except ImportError as reason:
    for line in sys.stdin:
        print(json.dumps({"cell": json.loads(line)["cell"]["id"], "skipped": str(reason)}), flush=True)
