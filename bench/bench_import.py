"""What `import tensorlib` adds to a bare interpreter: whole processes, in turns, the best of many.

Wall time is what the target is about; processor time is given beside it because it survives a busy machine.
"""

import os
import pathlib
import resource
import subprocess
import sys
import time

from measure import Row, tl

LIMIT_MS = 10


def run(code):
    """(wall, processor) seconds of one interpreter."""
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(tl.__file__).resolve().parents[1]))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)   # otherwise every start would compile the sources again
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=os.path.dirname(__file__))
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class ImportRow(Row):
    """Measures once for both rows: `kind` 0 is wall time, 1 processor time."""

    measured = None

    def __init__(self, name, kind, limit_ms=None):
        super().__init__("import", name, "", {"tensorlib": {}, "numpy": {}})
        self.kind, self.limit_ms = kind, limit_ms

    def measure(self, rounds, slice_seconds):
        if ImportRow.measured is None:
            codes = {"bare": "pass", "tensorlib": "import tensorlib"}
            if "numpy" in self.names:
                codes["numpy"] = "import numpy"
            for code in codes.values():
                run(code)
            taken = {what: [] for what in codes}
            for _ in range(max(4, rounds)):
                for what, code in codes.items():
                    taken[what].append(run(code))
            ImportRow.measured = {what: [min(times) for times in zip(*runs)] for what, runs in taken.items()}
        best = dict(ImportRow.measured)
        bare = best.pop("bare")[self.kind]
        self.seconds = {what: max(times[self.kind] - bare, 0.0) for what, times in best.items()}


def rows():
    return [ImportRow(f"import over a bare interpreter (<= {LIMIT_MS} ms)", 0, LIMIT_MS),
            ImportRow("the same in processor time", 1)]
