"""Measure tensorlib beside NumPy and torch, print a table, and keep the figures.

    python bench/run.py [--quick] [--check] [--slack FACTOR] [GROUP ...]

GROUP: import, overhead, elementwise, functions, copy; all by default.  --quick: a smoke run, whose figures mean little.
--check: exit with status 1 if a target is missed, by more than FACTOR with --slack, in three measurements.  A row that fails to
run gives status 1 always.  Everything runs on one thread.  The figures go to bench/results/local/ as JSON, with the machine,
the compiler, the CPU level and the versions.

.ci/run checks with --quick --slack 2: the targets are for a quiet machine, and a build machine is none, but nothing that keeps
to them may take twice as long; misses by less are printed.  The copy group it only prints until the copy engine is done.
"""

import argparse
import json
import os
import pathlib
import platform
import sys
import time

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):   # these would slow NumPy down and flatter the ratios
    os.environ.pop(_name, None)
HERE = pathlib.Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(1, str(HERE.parent))   # the checkout, when it is built in place; an installed package otherwise

import bench_copy
import bench_elementwise
import bench_functions
import bench_import
import bench_overhead
from measure import np, tl, torch

GROUPS = {"import": lambda quick: bench_import.rows(), "overhead": lambda quick: bench_overhead.rows(),
          "elementwise": bench_elementwise.rows, "functions": bench_functions.rows, "copy": bench_copy.rows}


def cpu_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def about():
    return {"when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cpu": cpu_name(), "cores": os.cpu_count(),
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None, "system": platform.system(),
            "machine": platform.machine(), "python": platform.python_version(), "python_compiler": platform.python_compiler(),
            "tensorlib": getattr(tl, "__version__", None), "tensorlib_config": configuration(),
            "numpy": np.__version__ if np else None, "torch": str(torch.__version__) if torch else None}


def configuration():
    """What the library says about itself: CPU level, compiler."""
    return tl.show_config(mode="dict")


def duration(seconds):
    for unit, size in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size:
            return f"{seconds / size:.3g} {unit}" if seconds < 100 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds:.2f} s"


def line(row):
    def time_of(library):
        taken = row.seconds.get(library)
        return "-" if taken is None else duration(taken)

    def ratio_to(library):
        ratio, target = row.ratio(library), row.targets.get(library)
        text = "-" if ratio is None else f"{ratio:.2f}"
        return text if target is None else f"{text} (<= {target:g})"
    return [row.name, time_of("tensorlib"), time_of("numpy"), time_of("torch"), ratio_to("numpy"), ratio_to("torch"),
            ratio_to("memcpy" if "memcpy" in row.seconds else "own"), row.verdict() if not row.problem else row.problem[:60]]


WIDTHS = (54, 9, 9, 9, 15, 15, 15, 12)
HEADS = ("one thread, best of many", "tensorlib", "NumPy", "torch", "x NumPy", "x torch", "x own/memcpy", "")


def show(cells):
    first, *rest = zip(cells, WIDTHS)
    print(first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest[:-1]), " " + rest[-1][0], flush=True)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Measure tensorlib beside NumPy and torch.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="import, overhead, elementwise, functions, copy; all by default")
    parser.add_argument("--quick", action="store_true", help="a smoke run of a few seconds")
    parser.add_argument("--check", action="store_true", help="status 1 if a target is missed")
    parser.add_argument("--slack", type=float, default=1, metavar="FACTOR", help="with --check: by how much a target may be missed")
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file; by default a new one in bench/results/local/")
    options = parser.parse_args(arguments)
    for group in options.groups:
        if group not in GROUPS:
            parser.error(f"no such group: {group}")
    if hasattr(tl, "set_num_threads"):
        tl.set_num_threads(1)
    rounds, slice_seconds = (3, 2e-4) if options.quick else (40, 2e-3)
    facts = about()
    print(f"{facts['cpu']}, {facts['cores']} cores, Python {facts['python']}, NumPy {facts['numpy'] or 'not installed'}, "
          f"torch {facts['torch'] or 'not installed'}")
    show(HEADS)
    done, beyond = [], []
    for group in options.groups or GROUPS:
        for row in GROUPS[group](options.quick):
            row.measure(rounds, slice_seconds)
            for _ in range(2):
                if options.check and row.verdict(options.slack) == "miss":
                    row.measure(rounds, slice_seconds)
            show(line(row))
            if row.verdict(options.slack) == "miss":
                beyond.append(row.name)
            done.append(row.as_dict())
            row.names.clear()   # the data, before the next row brings its own
    verdicts = [row["verdict"] for row in done]
    met, missed, absent, failed = (verdicts.count(v) for v in ("pass", "miss", "not measured", "error"))
    print(f"{met} targets met, {missed} missed, {absent} not measured, {failed} rows failed")
    if options.check and beyond:
        print(f"missed by more than a factor of {options.slack:g}: {'; '.join(beyond)}")
    name = time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + ("-quick" if options.quick else "") + ".json"
    path = options.output or HERE / "results" / "local" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"about": facts, "quick": options.quick, "rows": done}, indent=1) + "\n")
    print(path)
    return 1 if failed or (options.check and beyond) else 0


if __name__ == "__main__":
    sys.exit(main())
