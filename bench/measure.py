"""What a benchmark row is, and how it is measured.

A row is one statement, run by each library on equal data.  The libraries take turns in one process, many short runs each, and
the minimum counts: interruptions only ever add time.  Ratios are tensorlib's time divided by the other library's, so less is
better, and they carry over between machines where times do not.
"""

import ctypes
import timeit

import tensorlib as tl

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

# own: tensorlib too, in another way that it should equal; memcpy: a plain copy of the bytes that the statement writes
LIBRARIES = {"tensorlib": tl, "numpy": np, "torch": torch, "own": tl, "memcpy": ctypes}


class Row:
    """One line of the table.

    names: what the statement may use, per library.  statement: a text, or one per library.  targets: the largest ratio to a
    library that passes; without targets the row only informs.  limit_ms: for rows that are a duration, not a ratio.
    """

    def __init__(self, group, name, statement, names, targets=None, unit=1, unit_name="call"):
        self.group, self.name, self.targets = group, name, targets or {}
        self.unit, self.unit_name = unit, unit_name
        self.statements = statement if isinstance(statement, dict) else dict.fromkeys(names, statement)
        self.names = {library: scope for library, scope in names.items() if LIBRARIES[library] is not None}
        self.limit_ms = None
        self.seconds = {}
        self.problem = None

    def measure(self, rounds, slice_seconds):
        timers = {}
        try:
            for library, scope in self.names.items():
                timer = timeit.Timer(self.statements[library], globals=scope)
                timers[library] = timer, self.loops(timer, slice_seconds)
        except Exception as error:   # a row that cannot run is a line of the table, not the end of the program
            self.problem = f"{library}: {type(error).__name__}: {error}"
            return
        best = dict.fromkeys(timers, float("inf"))
        for _ in range(rounds):
            for library, (timer, loops) in timers.items():
                best[library] = min(best[library], timer.timeit(loops) / loops)
        self.seconds = {library: min(taken, self.seconds.get(library, taken)) for library, taken in best.items()}

    @staticmethod
    def loops(timer, slice_seconds):
        """How many runs fill a slice of time.  Also the warm-up.  The better of two tries: a stall must not pass for slowness."""
        loops = 1
        while True:
            taken = min(timer.timeit(loops), timer.timeit(loops))
            if taken >= slice_seconds or loops >= 1_000_000:
                return loops
            loops = max(loops + 1, min(10 * loops, int(1.2 * loops * slice_seconds / max(taken, 1e-9))))

    def ratio(self, library):
        ours, theirs = self.seconds.get("tensorlib"), self.seconds.get(library)
        return ours / theirs if ours and theirs else None

    def verdict(self, slack=1):
        """"pass", "miss", "not measured", or "" for a row without a target.  slack: by how much targets are widened."""
        if self.problem:
            return "error"
        if self.limit_ms is not None:
            return "pass" if self.seconds["tensorlib"] * 1e3 <= slack * self.limit_ms else "miss"
        if not self.targets:
            return "" if self.seconds else "not measured"
        ratios = {library: self.ratio(library) for library in self.targets}
        if any(r is not None and r > slack * self.targets[library] for library, r in ratios.items()):
            return "miss"
        return "pass" if all(r is not None for r in ratios.values()) else "not measured"

    def as_dict(self):
        return {"group": self.group, "name": self.name, "targets": self.targets, "limit_ms": self.limit_ms,
                "seconds": self.seconds, "ratios": {library: self.ratio(library) for library in ("numpy", "torch", "own", "memcpy")},
                "verdict": self.verdict(), "problem": self.problem}


def shared_float32(shape, seed=1):
    """Equal random data for every library, in the same memory where NumPy is there to provide it."""
    count = 1
    for extent in shape:
        count *= extent
    if np is None:
        return {"tensorlib": tl.rand(count).reshape(shape)}
    array = np.random.default_rng(seed).random(count, dtype=np.float32).reshape(shape)
    return shared(array)


def shared(array):
    """A NumPy array as each library sees it, without a copy."""
    views = {"tensorlib": tl.from_numpy(array), "numpy": array}
    if torch is not None:
        views["torch"] = torch.from_numpy(array)
    return views


def scopes(**operands):
    """Per library, the names of a statement: ``lib`` and each operand that the library has."""
    return {library: {"lib": LIBRARIES[library], **{name: views[library] for name, views in operands.items()}}
            for library in LIBRARIES if all(library in views for views in operands.values()) and LIBRARIES[library] is not None}


def beside_own(names):
    """The names of a row that also has a statement for "own": it sees what tensorlib's sees."""
    return {**names, "own": names["tensorlib"]}
