"""All CPU levels give the same bits: every loop, every cast and every reduction of the levels that run here."""
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from kernel_table import Kernels, OPS, REDUCTIONS, ROWS, built_levels, numpy_dtype
from tensorlib import _dtypetable, _optable

LEVELS = built_levels()
CASTABLE = [row["name"] for row in _dtypetable.DTYPES if row["compute"]]
COMPUTE = [row["name"] for row in _dtypetable.DTYPES if row["tier"] == "compute"]
N = 1003                                          # a tail of every vector length
ROOT = pathlib.Path(__file__).resolve().parents[2]
needs_two = pytest.mark.skipif(len(LEVELS) < 2, reason="one CPU level here")


def any_bits(seed, dtype):
    """Random bit patterns, half of them near 1 for floats; bools are 0 or 1."""
    rng = np.random.default_rng(seed)
    carrier = numpy_dtype(dtype)
    if dtype == "bool":
        return rng.integers(0, 2, N).astype(bool)
    x = rng.integers(0, 256, (N, carrier.itemsize), dtype=np.uint8).view(carrier)[:, 0]
    if carrier.kind in "fc":
        x[::2] = rng.standard_normal(len(x[::2])) * 8
    return x


def one_nan(x):
    """Which NaN an operation gives is not promised, only that it gives one."""
    if x.dtype.kind not in "fc":
        return x
    parts = x.view(x.real.dtype)
    parts[np.isnan(parts)] = np.nan
    return x


@needs_two
@pytest.mark.parametrize("op", OPS)
def test_loops(op):
    row = next(row for row in _optable.OPS if row["name"] == op)
    arity = len(row["inputs"])
    first, *others = (Kernels(level) for level in LEVELS)
    seen = 0
    for dtype in COMPUTE:
        if not first.has(op, dtype):
            continue
        operands = [any_bits(k, "bool" if row["inputs"][k] in row["masks"] else dtype) for k in range(arity)]
        result = numpy_dtype(dtype)
        if row["result"] == "bool":
            result = np.dtype(bool)
        elif row["result"] in ("real", "float_real") and result.kind == "c":
            result = np.dtype(f"f{result.itemsize // 2}")
        elif row["result"] == "complex":
            result = np.dtype(f"c{result.itemsize * 2}")
        for shape in range(3 if arity == 2 else 1):
            want = one_nan(first.loop(op, dtype, shape, np.empty(N, result), *operands))
            for other in others:
                got = one_nan(other.loop(op, dtype, shape, np.empty(N, result), *operands))
                differ = np.flatnonzero(got.view(np.uint8) != want.view(np.uint8)) // result.itemsize
                at = differ[:3]
                assert differ.size == 0, (dtype, shape, other.level, [x[at] for x in operands], got[at], want[at])
                seen += 1
    assert seen


@needs_two
@pytest.mark.parametrize("source", CASTABLE)
def test_casts(source):
    x = any_bits(7, source)
    first, *others = (Kernels(level) for level in LEVELS)
    for dtype in CASTABLE:
        want = first.cast(x, source, dtype)
        for other in others:
            assert np.array_equal(other.cast(x, source, dtype).view(np.uint8), want.view(np.uint8)), (dtype, other.level)


@needs_two
@pytest.mark.parametrize("red", REDUCTIONS)
def test_reductions(red):
    row = next(row for row in _optable.REDUCTIONS if row["name"] == red)
    first, *others = (Kernels(level) for level in LEVELS)
    for dtype in [name for name in COMPUTE if "bifc"[ROWS[name]["category"]] in row["on"]]:
        category = ROWS[dtype]["category"]
        acc = {"bool": "bool", "same": dtype}.get(row["accumulate"]) or \
            ["int64", "uint64" if dtype == "uint64" else "int64", "float64", "complex128"][category]
        rng = np.random.default_rng(1)
        x = (rng.standard_normal((700, 13)) * 50).astype(numpy_dtype(dtype))
        for axes in ([0], [1], [0, 1]):
            want = first.reduce(red, x, dtype, acc, acc, axes)
            for other in others:
                assert other.reduce(red, x, dtype, acc, acc, axes).tobytes() == want.tobytes(), (dtype, axes)


@pytest.mark.skipif(not shutil.which("objdump"), reason="needs objdump")
@pytest.mark.parametrize("level", ("v3", "v4"))
def test_no_fused_multiply_add(level):
    """What a compiler fuses against -ffp-contract=off would differ from the levels without such an instruction."""
    modules = list(pathlib.Path(_optable.__file__).parents[1].glob(f"_kernels_{level}.*so"))
    if not modules:
        pytest.skip("level not built")
    command = ["objdump", "-d", "--no-show-raw-insn", str(modules[0])]
    code = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "vmulps" in code
    lines = code.splitlines()
    # uint32 to float32 is high * 65536 + low: an exact product, so fused or not the bits are the same.
    fused = [i for i, line in enumerate(lines)
             if re.search(r"\bvfn?m(?:add|sub)", line) and "vcvtdq2ps" not in "".join(lines[i - 2:i])]
    assert not fused, "\n".join(lines[i] for i in fused)


@pytest.mark.exhaustive
def test_headers_on_strided_exhaustive_sets():
    script = ROOT / "csrc" / "tests" / "run_levels.py"
    if not script.exists():
        pytest.skip("not a checkout")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0 and "0 differ" in done.stdout, done.stdout + done.stderr
