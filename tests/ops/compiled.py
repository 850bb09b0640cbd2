"""The functions of csrc/vecmath_*.h over NumPy arrays, compiled for every CPU level that runs here (csrc/tests/library.c)."""
import ctypes
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DTYPES = {"u8": "u1", "i8": "i1", "u16": "u2", "i16": "i2", "u32": "u4", "i32": "i4", "u64": "u8", "i64": "i8", "f32": "f4",
          "f64": "f8", "c64": "c8", "c128": "c16", "bool8": "?"}


class Library:
    """library(name, *operands): the function's results, after three ways to get there were found to agree: many elements at
    once, one at a time, and another CPU level."""

    def __init__(self, levels):
        self.levels = levels
        text = ctypes.c_char * (1 << 20)
        listed = ctypes.string_at(ctypes.addressof(text.in_dll(next(iter(levels.values())), "rows"))).decode()
        self.rows = {name: (np.dtype(DTYPES[result]), np.dtype(DTYPES[operand]), int(arity))
                     for name, result, operand, arity in map(str.split, listed.splitlines())}

    def run(self, level, name, operands, step):
        result, operand, arity = self.rows[name]
        assert len(operands) == arity, name
        n = len(operands[0])
        out = np.empty(n, result)
        places = [x.ctypes.data for x in (*operands, *[operands[0]] * (3 - arity))]
        call = getattr(self.levels[level], "run_" + name)
        call.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_ssize_t]
        for at in range(0, n, step):
            call(out.ctypes.data + at * result.itemsize, *(place + at * operand.itemsize for place in places), min(step, n - at))
        return out

    def __call__(self, name, *operands):
        operand = self.rows[name][1]
        operands = [np.ascontiguousarray(x) for x in np.broadcast_arrays(*(np.asarray(x, operand) for x in operands))]
        shape = operands[0].shape
        operands = [x.reshape(-1) for x in operands]
        first, *others = self.levels
        out = self.run(first, name, operands, max(1, len(operands[0])))
        few = [x[:4096] for x in operands]
        self.equal(name, operands, out[:4096], self.run(first, name, few, 1), "one at a time")
        for level in others:
            self.equal(name, operands, out, self.run(level, name, operands, max(1, len(operands[0]))), level)
        return out.reshape(shape)

    @staticmethod
    def equal(name, operands, a, b, what):
        same = bits(a) == bits(b)
        at = np.flatnonzero(~same)
        assert same.all(), f"{name}{tuple(x[at[0]] for x in operands)}: {a[at[0]]}, but {b[at[0]]} {what}"


def bits(x):
    """Integers that tell equal results: -0.0 from 0.0, but no NaN from another."""
    if x.dtype.kind == "c":
        parts = bits(np.ascontiguousarray(x).view(x.real.dtype)).reshape(-1, 2).astype(object)
        return parts[:, 0] * 2**64 + parts[:, 1]
    if x.dtype.kind != "f":
        return x
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).view(f"i{x.itemsize}")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if not (ROOT / "tools" / "ulp_table.py").exists():
        pytest.skip("not a checkout")
    from tools import ulp_table
    compiler = ulp_table.levels.native_compiler()
    if not shutil.which(compiler[-1]):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("library")
    running, levels = {}, {}
    for level, flags in ulp_table.setup.LEVELS.items():
        if ulp_table.levels.supported(level):
            running[level] = subprocess.Popen([*compiler, *ulp_table.setup.FLAGS, *flags, f"-I{ROOT / 'csrc'}", "-shared", "-fPIC",
                                               str(ROOT / "csrc" / "tests" / "library.c"), "-o", str(folder / level), "-lm"])
    for level, process in running.items():
        assert process.wait() == 0, level
        levels[level] = ctypes.CDLL(str(folder / level))
    return Library(levels)


def special(dtype):
    """Floats of every kind: zeros, subnormals, the neighbours of powers of two and of small integers, infinities, NaN."""
    info = np.finfo(dtype)
    t = np.dtype(dtype).type
    ordinary = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 5, 6, 7, 10, 13.7, 20, 33, 88, 100, 127, 128, 180, 255, 1e3, 65504, 1e10,
                2.0**31, 2.0**63, 1e30, info.max, info.max / 2, info.tiny, info.tiny / 2, info.smallest_subnormal,
                3 * info.smallest_subnormal, info.eps, np.pi, np.e, 0.1, 1e-3, 1e-10, 1e-20]
    values = np.array([t(x) for x in ordinary], dtype)
    with np.errstate(over="ignore"):
        around = np.concatenate([values, np.nextafter(values, t(np.inf)), np.nextafter(values, t(-np.inf))])
    return np.unique(np.concatenate([around, -around, [t(-0.0), t(np.inf), t(-np.inf), t(np.nan)]]).view(f"u{values.itemsize}")).view(dtype)


def random_floats(dtype, n, seed=0, low=-40, high=40):
    """Signed floats whose exponents are spread over low..high."""
    rng = np.random.default_rng(seed)
    return (rng.choice([-1, 1], n) * rng.uniform(1, 2, n) * 2.0 ** rng.integers(low, high, n)).astype(dtype)
