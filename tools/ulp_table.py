#!/usr/bin/env python3
"""Writes docs/accuracy.md: the largest error of every function of csrc/vecmath.h, by type and CPU level.

    python tools/ulp_table.py [--step N] [--out FILE]

--step N measures float32 functions at every N-th bit pattern; the default 1 takes all 2**32 and about two minutes a function.
Needs a C compiler.  The measuring program is csrc/tests/ulp.c, its rows csrc/tests/ulp_rows.h.
"""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "csrc" / "tests"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


levels = load(TESTS / "run_levels.py")
setup = load(ROOT / "setup.py")


def build(folder):
    """{level: program} for the levels that this machine runs."""
    programs = {level: pathlib.Path(folder) / f"ulp_{level}" for level in setup.LEVELS if levels.supported(level)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(levels.compile_program, levels.native_compiler(), [*setup.FLAGS, *setup.LEVELS[level]], program, "ulp.c")
                for level, program in programs.items()]
        for job in jobs:
            job.result()
    return programs


def listed(program):
    """{name: (operands, bound)}"""
    lines = subprocess.run([program, "list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: (int(operands), float(bound)) for name, operands, bound in map(str.split, lines)}


def measure(program, step, *names):
    """{name: {"ulp", "at", "count", "wrong", "hash"}}"""
    found = {}
    for name in names or [None]:
        command = [program, "measure", str(step), *([name] if name else [])]
        for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
            function, ulp, at, count, wrong, digest = line.split()
            found[function] = {"ulp": float(ulp), "at": at, "count": int(count), "wrong": int(wrong), "hash": digest}
    return found


def apply(program, name, *operands):
    """The function's results, as bytes, for operands given as bytes."""
    return subprocess.run([program, "apply", name], input=b"".join(operands), check=True, capture_output=True).stdout


HEAD = """# Accuracy

The largest error of the functions that tensorlib computes by its own polynomials, in units of the last place of the result
(0.5 is the least that rounding allows), as `python tools/ulp_table.py` measured it. float32 functions of one operand are
measured over {inputs}, the others over as many operands as the column
says: any bits, usual magnitudes, and points close to where the function is hard. The reference is the
C library in a wider type. float16 and bfloat16 are computed in float32 and rounded.

Every CPU level gives the same bits; measured: {levels}.

| function | dtype | ULP | bound | operands | worst at |
|---|---|---|---|---|---|
"""
DTYPES = {"f32": "float32", "f64": "float64"}


def table(programs, step, progress=sys.stderr):
    first, *others = programs.values()
    bounds = listed(first)
    lines = []
    for name in sorted(bounds):
        print(name, file=progress, flush=True)
        found = measure(first, step, name)[name]
        for other in others:
            again = measure(other, step, name)[name]
            if again["hash"] != found["hash"]:
                raise SystemExit(f"{name}: {first.name} and {other.name} differ")
        function, dtype = name.rsplit("_", 1)
        lines.append(f"| {function} | {DTYPES[dtype]} | {found['ulp']:.3f} | {bounds[name][1]:g} | {found['count']:,} "
                     f"| `{found['at']}` |")
    inputs = "all 2**32 bit patterns" if step == 1 else f"every {step}th of the 2**32 bit patterns"
    return HEAD.format(inputs=inputs, levels=", ".join(programs)) + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--out", default=str(ROOT / "docs" / "accuracy.md"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = table(build(folder), arguments.step)
    pathlib.Path(arguments.out).write_text(text)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
