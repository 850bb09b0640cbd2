"""What `import tensorlib` adds to a bare interpreter: whole processes, in turns, the best of many."""

import os
import pathlib
import subprocess
import sys

from measure import Row, stopwatch

import tensorlib as tl

LIMIT_MS = 10


def run(code):
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(tl.__file__).resolve().parents[1]))
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=os.path.dirname(__file__))


class ImportRow(Row):
    def measure(self, rounds, slice_seconds):
        codes = {"bare": "pass", "tensorlib": "import tensorlib"}
        if "numpy" in self.names:
            codes["numpy"] = "import numpy"
        best = dict.fromkeys(codes, float("inf"))
        for _ in range(max(4, rounds)):
            for what, code in codes.items():
                best[what] = min(best[what], stopwatch(lambda code=code: run(code)))
        bare = best.pop("bare")
        self.seconds = {what: max(taken - bare, 0.0) for what, taken in best.items()}


def rows():
    row = ImportRow("import", f"import, at most {LIMIT_MS} ms over a bare interpreter", "", {"tensorlib": {}, "numpy": {}})
    row.limit_ms = LIMIT_MS
    return [row]
