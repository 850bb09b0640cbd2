"""csrc/vecmath_arith.h: integers against Python's, floats against NumPy's exact functions and Python's fractions, both against
torch where it is installed."""
import fractions
import itertools
import math

import numpy as np
import pytest

from compiled import bits, library, random_floats, special  # noqa: F401  (library is a fixture)

INTEGERS = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]
TWO = ["floor_divide", "trunc_divide", "fmod", "remainder", "left_shift", "right_shift", "pow", "gcd", "lcm", "heaviside"]
try:
    import torch
except ImportError:
    torch = None
needs_torch = pytest.mark.skipif(torch is None, reason="torch is not installed")


def pairs(dtype):
    """Every pair of bytes; for wider integers the extremes, small ones, powers of two and random ones against each other."""
    info = np.iinfo(dtype)
    if info.bits == 8:
        values = range(info.min, info.max + 1)
    else:
        rng = np.random.default_rng(0)
        powers = [s * 2**k for k in (*range(2, info.bits, 5), info.bits - 1) for s in (1, -1)]
        near = {info.min, info.max, *range(-9, 10), *(p + d for p in powers for d in (-1, 0, 1))}
        near |= {int(v) >> int(k) for v, k in zip(rng.integers(info.min, info.max, 90, dtype, True), rng.integers(0, info.bits, 90))}
        values = sorted(v for v in near if info.min <= v <= info.max)
    a, b = zip(*itertools.product(values, values), strict=True)
    return np.array(a, dtype), np.array(b, dtype)


def exact(name, a, b, info):
    """What a function gives, as an unbounded integer."""
    width = info.bits
    if name in ("floor_divide", "trunc_divide", "fmod", "remainder") and b == 0:
        return a                                    # no division: callers refuse it
    if name == "floor_divide":
        return a // b
    if name == "trunc_divide":
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if name == "fmod":
        return abs(a) % abs(b) * (-1 if a < 0 else 1)
    if name == "remainder":
        return a % b
    if name == "left_shift":
        return a << b if 0 <= b < width else 0
    if name == "right_shift":
        return a >> b if 0 <= b < width else -(a < 0)
    if name == "pow":
        if b < 0:
            return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)
        return pow(a, b, 2**width)
    if name == "gcd":
        return math.gcd(a, b)
    if name == "lcm":
        product = math.lcm(a, b)
        wrapped = (product + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)
        return abs(wrapped) if info.min and width >= 32 else product
    return b if a == 0 else a > 0


@pytest.mark.parametrize("t", INTEGERS)
@pytest.mark.parametrize("name", TWO)
def test_integers(library, name, t):  # noqa: F811
    dtype = library.rows[f"{name}_{t}"][1]
    info = np.iinfo(dtype)
    a, b = pairs(dtype)
    got = library(f"{name}_{t}", a, b)
    want = np.array([exact(name, x, y, info) % 2**info.bits for x, y in zip(a.tolist(), b.tolist(), strict=True)], f"u{a.itemsize}")
    at = np.flatnonzero(got.view(want.dtype) != want)
    assert not len(at), (name, a[at[0]], b[at[0]], got[at[0]], want[at[0]].astype(dtype))


@pytest.mark.parametrize("t", INTEGERS)
def test_signs_of_integers(library, t):  # noqa: F811
    a, _ = pairs(library.rows["sign_" + t][1])
    assert (library("sign_" + t, a) == np.sign(a)).all()
    assert (library("signbit_" + t, a) == (a < 0)).all()


TORCH = {"floor_divide": "floor_divide", "fmod": "fmod", "remainder": "remainder", "left_shift": "bitwise_left_shift",
         "right_shift": "bitwise_right_shift", "pow": "pow", "gcd": "gcd", "lcm": "lcm", "heaviside": "heaviside"}


@needs_torch
@pytest.mark.parametrize("t", ["u8", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("name", TORCH)
def test_integers_as_in_torch(library, name, t):  # noqa: F811
    a, b = pairs(library.rows[f"{name}_{t}"][1])
    if name in ("floor_divide", "fmod", "remainder"):
        usable = (b != 0) & ((b != -1) | (a != np.iinfo(a.dtype).min))        # there torch raises; there its process dies
        a, b = a[usable], b[usable]
    if name in ("gcd", "lcm"):                  # torch loses the sign of a magnitude that wraps: gcd of int8 -128 and -127 is -1
        usable = (np.minimum(a, b) != np.iinfo(a.dtype).min) | (np.iinfo(a.dtype).min == 0)
        a, b = a[usable], b[usable]
    want = getattr(torch, TORCH[name])(torch.from_numpy(a), torch.from_numpy(b)).numpy()
    got = library(f"{name}_{t}", a, b)
    at = np.flatnonzero(got != want)
    assert not len(at), (name, a[at[0]], b[at[0]], got[at[0]], want[at[0]])


# -- floats --

FLOATS = {"f32": np.float32, "f64": np.float64}


def float_pairs(dtype):
    x = special(dtype)
    a, b = (y.reshape(-1) for y in np.meshgrid(x, x))
    if dtype == np.float32:                     # quotients up to 2**277
        c, d = random_floats(dtype, 20000, 1, -148, 127), random_floats(dtype, 20000, 2, -148, 127)
    else:
        c, d = random_floats(dtype, 5000, 1, -1000, 1000), random_floats(dtype, 5000, 2, -1000, 1000)
    e = random_floats(dtype, 20000, 3, -3, 20)
    f = random_floats(dtype, 20000, 4, -3, 3)
    multiples = (f.astype(np.float64) * np.rint(e)).astype(dtype)
    return np.concatenate([a, c, e, multiples, e]), np.concatenate([b, d, f, f, e])


def same(got, want, *operands):
    at = np.flatnonzero(bits(got) != bits(want))
    assert not len(at), (*(x[at[0]] for x in operands), got[at[0]], want[at[0]], len(at))


@pytest.mark.parametrize("t", FLOATS)
def test_fmod(library, t):  # noqa: F811
    a, b = float_pairs(FLOATS[t])
    with np.errstate(all="ignore"):
        same(library("fmod_" + t, a, b), np.fmod(a, b), a, b)


@pytest.mark.parametrize("t", FLOATS)
def test_fmod_is_exact(library, t):  # noqa: F811
    a, b = (x[-2000:] for x in float_pairs(FLOATS[t]))
    for x, y, r in zip(a, b, library("fmod_" + t, a, b), strict=True):
        x, y = fractions.Fraction(float(x)), fractions.Fraction(float(y))
        assert fractions.Fraction(float(r)) == x - y * math.trunc(x / y)


@needs_torch
@pytest.mark.parametrize("t", FLOATS)
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide", "copysign", "nextafter", "heaviside"])
def test_floats_as_in_torch(library, name, t):  # noqa: F811
    a, b = float_pairs(FLOATS[t])
    if name in ("fmod", "remainder", "floor_divide"):                 # torch's vectorised fmod gives NaN where a / b overflows
        with np.errstate(all="ignore"):
            usable = ~((np.abs(a / b) > 1e30) & (b != 0) & np.isfinite(a))
        a, b = a[usable], b[usable]
    same(library(f"{name}_{t}", a, b), getattr(torch, name)(torch.from_numpy(a), torch.from_numpy(b)).numpy(), a, b)


@pytest.mark.parametrize("t", FLOATS)
def test_quotients_of_floats(library, t):  # noqa: F811
    x = np.array([7, -7, 7, -7, 1, -1, 1, -1, 5, np.inf, 3, -3, 0, -0.0], FLOATS[t])
    y = np.array([2, 2, -2, -2, np.inf, np.inf, 0, 0, 0.1, 1, np.inf, np.nan, 5, 5], FLOATS[t])
    inf, nan = np.inf, np.nan
    same(library("floor_divide_" + t, x, y),
         np.array([3, -4, -4, 3, 0, -1, inf, -inf, 49, nan, 0, nan, 0, -0.0], FLOATS[t]), x, y)
    same(library("remainder_" + t, x[:6], y[:6]), np.array([1, 1, -1, -1, 1, inf], FLOATS[t]), x, y)
    same(library("trunc_divide_" + t, x[:4], y[:4]), np.array([3, -3, -3, 3], FLOATS[t]), x, y)


@pytest.mark.parametrize("t", FLOATS)
def test_rounding_signs_and_neighbours(library, t):  # noqa: F811
    x = np.concatenate([special(FLOATS[t]), random_floats(FLOATS[t], 10000, 5, -5, 60)])
    with np.errstate(all="ignore"):
        for name, function in {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint, "reciprocal": np.reciprocal,
                               "frac": lambda x: x - np.trunc(x), "signbit": np.signbit}.items():
            same(library(f"{name}_{t}", x), function(x), x)
        same(library(f"sign_{t}", x), np.nan_to_num(np.sign(x)) + 0, x)
        a, b = float_pairs(FLOATS[t])
        same(library(f"nextafter_{t}", a, b), np.nextafter(a, b), a, b)
        same(library(f"copysign_{t}", a, b), np.copysign(a, b), a, b)
        mantissa, exponent = np.frexp(x)
        same(library(f"frexp_mantissa_{t}", x), mantissa, x)
        finite = np.isfinite(x)
        assert (library(f"frexp_exponent_{t}", x)[finite] == exponent[finite]).all()
        assert (library(f"frexp_exponent_{t}", x)[~finite] == 0).all()


@pytest.mark.parametrize("t", FLOATS)
def test_degrees(library, t):  # noqa: F811
    x = np.concatenate([special(FLOATS[t]), random_floats(FLOATS[t], 10000, 5, -20, 20)])
    with np.errstate(all="ignore"):
        for name, factor in {"deg2rad": np.longdouble(np.pi) / 180, "rad2deg": 180 / np.longdouble(np.pi)}.items():
            got, want = library(f"{name}_{t}", x), x.astype(np.longdouble) * factor
            usual = np.isfinite(want) & (np.abs(want) < np.finfo(x.dtype).max) & (want != 0)
            assert (np.abs(got - want)[usual] <= np.spacing(np.abs(got))[usual]).all()
            same(got[~usual], want[~usual].astype(x.dtype), x[~usual])


@needs_torch
@pytest.mark.parametrize("t", FLOATS)
def test_one_operand_as_in_torch(library, t):  # noqa: F811
    x = np.concatenate([special(FLOATS[t]), random_floats(FLOATS[t], 1000, 5, -5, 60)])
    y = torch.from_numpy(x)
    for name in ("floor", "ceil", "trunc", "round", "frac", "sign", "signbit", "reciprocal"):
        same(library(f"{name}_{t}", x), getattr(torch, name)(y).numpy(), x)
    for decimals in (0, 1, 2, 5, 12, -1, -3, -9):
        scale = 10.0 ** abs(decimals) * (-1 if decimals < 0 else 1)
        same(library(f"round_scaled_{t}", x, scale), torch.round(y, decimals=decimals).numpy(), x)
