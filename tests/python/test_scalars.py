"""Python numbers to elements and back (csrc/scalars.pxi), against ctypes, struct and exact integers."""
import ctypes
import math
import random
import struct
from fractions import Fraction

import pytest

import tensorlib as tl

INTEGERS = {tl.uint8: ctypes.c_uint8, tl.int8: ctypes.c_int8, tl.int16: ctypes.c_int16, tl.int32: ctypes.c_int32,
            tl.int64: ctypes.c_int64, tl.uint16: ctypes.c_uint16, tl.uint32: ctypes.c_uint32, tl.uint64: ctypes.c_uint64}
UNSIGNED = {tl.uint8, tl.uint16, tl.uint32, tl.uint64}
TOPS = {tl.float16: 65504.0, tl.bfloat16: float(Fraction(255 * 2**120)), tl.float32: 3.4028234663852886e38}


def bits_of(dtype):
    return 8 * dtype.itemsize


def limits(dtype):
    if dtype in UNSIGNED:
        return 0, 2 ** bits_of(dtype) - 1
    return -(2 ** (bits_of(dtype) - 1)), 2 ** (bits_of(dtype) - 1) - 1


def around(dtype):
    low, high = limits(dtype)
    rng = random.Random(bits_of(dtype))
    edges = [low, high, -high, -high - 1, 0, 1, -1, 2**63, 2**64, -(2**63), -(2**64), 10**30]
    return sorted({e + d for e in edges for d in (-1, 0, 1)} | {rng.randint(low, high) for _ in range(20)})


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_stored_integers(dtype):
    low, high = limits(dtype)
    outcomes = set()
    for value in around(dtype):
        held = low <= value <= high or (dtype in UNSIGNED and -high <= value < 0)     # decision 15
        outcomes.add(held)
        if held:
            assert tl.full((1,), value, dtype=dtype).tolist() == [INTEGERS[dtype](value).value]
            assert tl.zeros(1, dtype=dtype).fill_(value).item() == INTEGERS[dtype](value).value
            if dtype is tl.uint64 or -(2**63) <= value < 2**63:
                assert tl.tensor([value], dtype=dtype).tolist() == [INTEGERS[dtype](value).value]
        else:
            t = tl.ones(2, dtype=dtype)
            with pytest.raises(RuntimeError, match="cannot be converted to type .* without overflow"):
                t.fill_(value)
            assert t.tolist() == [1, 1]
            with pytest.raises((RuntimeError, ValueError)):
                tl.tensor(value, dtype=dtype)
    assert outcomes == {True, False}


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_stored_floats_in_integer_dtypes_truncate_and_never_wrap(dtype):
    low, high = limits(dtype)
    for value in (0.0, -0.0, 0.9, 1.5, 100.99, float(low), float(high), -1.0, -0.5, -1.5, high + 0.5, 2.0**63, 2.0**64, 1e300):
        exact = Fraction(value)
        if low <= exact <= high:
            assert tl.full((1,), value, dtype=dtype).item() == math.trunc(value)
        else:
            for make in (lambda v: tl.full((1,), v, dtype=dtype), lambda v: tl.tensor([v], dtype=dtype)):
                with pytest.raises(RuntimeError, match="without overflow"):
                    make(value)
    for value in (math.nan, math.inf, -math.inf):
        with pytest.raises(RuntimeError, match="without overflow"):
            tl.full((1,), value, dtype=dtype)


@pytest.mark.parametrize("dtype", TOPS, ids=str)
def test_finite_numbers_beyond_a_float_dtype(dtype):
    top = TOPS[dtype]
    beyond = math.nextafter(top, math.inf)
    assert tl.full((1,), top, dtype=dtype).item() == top
    assert tl.full((1,), -math.inf, dtype=dtype).item() == -math.inf
    assert math.isnan(tl.full((1,), math.nan, dtype=dtype).item())
    for value in (beyond, -beyond, 1e300, 10**400):
        with pytest.raises(RuntimeError, match="without overflow"):
            tl.full((1,), value, dtype=dtype)
    assert tl.tensor(1e300, dtype=dtype).item() == math.inf        # tensor() converts instead
    assert tl.tensor(-1e300, dtype=dtype).item() == -math.inf


def test_complex_numbers_in_real_dtypes():
    assert tl.full((1,), 2 + 0j, dtype=tl.int32).item() == 2
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.full((1,), 1j, dtype=tl.float32)
    with pytest.raises(TypeError, match="must be real number, not complex"):
        tl.tensor(1j, dtype=tl.float32)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        tl.tensor([1j], dtype=tl.int8)
    assert tl.tensor([0j, 1j, complex(0, math.nan)], dtype=tl.bool).tolist() == [False, True, True]


def test_parts_of_complex_numbers_stay_apart():
    value = tl.tensor(complex(2, math.nan), dtype=tl.complex128).item()
    assert value.real == 2 and math.isnan(value.imag)
    value = tl.tensor(complex(-0.0, math.inf), dtype=tl.complex64).item()
    assert math.copysign(1, value.real) == -1 and value.imag == math.inf


def test_integers_round_once_to_floats():
    rng = random.Random(5)
    for _ in range(300):
        value = rng.choice((1, -1)) * rng.getrandbits(rng.randint(1, 63))
        assert tl.tensor([value], dtype=tl.float64).item() == float(value)
        near = struct.unpack("f", struct.pack("f", float(value)))[0]
        candidates = [c for c in (near, f32_step(near, 1), f32_step(near, -1))]
        best = min(abs(Fraction(c) - value) for c in candidates)
        assert abs(Fraction(tl.tensor([value], dtype=tl.float32).item()) - value) == best
    assert tl.full((1,), 2**100, dtype=tl.float64).item() == 2.0**100
    assert tl.tensor(2**64, dtype=tl.float32).item() == 2.0**64


def f32_step(value, by):
    bits = struct.unpack("I", struct.pack("f", value))[0]
    return struct.unpack("f", struct.pack("I", max(bits + by, 0)))[0]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_operands_wrap_and_are_never_refused_for_their_size(dtype):
    for value in (300, -1, 2**31, 2**40 + 7, 2**63 - 1, -(2**63), 2**63):
        got = (tl.ones(1, dtype=dtype) + value).item()
        assert got == INTEGERS[dtype](1 + value).value
    with pytest.raises(OverflowError, match="too big"):
        tl.ones(1, dtype=dtype) + 2**64


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_comparisons_with_integers_out_of_range_go_by_value(dtype):
    low, high = limits(dtype)
    values = [low, 0, 1, high]
    t = tl.tensor(values, dtype=dtype)
    for other in (low - 1, low, high, high + 1, -(10**30), 10**30):
        assert (t == other).tolist() == [v == other for v in values]
        assert (t != other).tolist() == [v != other for v in values]
        assert (t < other).tolist() == [v < other for v in values]
        assert (t >= other).tolist() == [v >= other for v in values]
        assert (other > t).tolist() == [other > v for v in values]
        assert (other <= t).tolist() == [other <= v for v in values]


def test_numbers_of_other_types():
    class Index:
        def __index__(self):
            return 7

    class Real(float):
        pass

    assert tl.full((1,), Index()).dtype is tl.int64
    assert tl.full((1,), Real(2.5)).item() == 2.5
    assert tl.full((1,), tl.tensor(2.5)).item() == 2.5
    for refused in ("a", None, [1], object(), tl.ones(2)):
        with pytest.raises(TypeError, match="fill_value"):
            tl.full((1,), refused)


def test_numpy_scalars_are_numbers():
    np = pytest.importorskip("numpy")
    for value, dtype in ((np.float32(1.5), tl.float32), (np.int16(3), tl.int64), (np.bool_(True), tl.bool),
                         (np.complex64(2j), tl.complex64), (np.uint64(9), tl.int64), (np.float16(0.5), tl.float32)):
        made = tl.full((1,), value)
        assert made.dtype is dtype and made.item() == value
        assert (tl.ones(2) * value).tolist() == [value.item()] * 2


def test_item_gives_exact_python_numbers():
    for dtype, value, kind in ((tl.bool, True, bool), (tl.uint8, 255, int), (tl.int64, -(2**63), int), (tl.uint64, 2**64 - 1, int),
                               (tl.float16, 0.0999755859375, float), (tl.bfloat16, 1.0078125, float), (tl.float64, 0.1, float),
                               (tl.float32, 0.10000000149011612, float), (tl.complex64, 1.5 - 2j, complex),
                               (tl.complex32, 0.5 + 1j, complex), (tl.float8_e5m2, 1.75, float), (tl.float8_e4m3fn, 448.0, float),
                               (tl.float8_e8m0fnu, 0.25, float)):
        got = tl.tensor(value, dtype=dtype).item()
        assert got == value and type(got) is kind


def test_dtypes_without_numbers_say_so():
    t = tl.zeros(1, dtype=tl.bits8)
    for call in (t.item, t.tolist, lambda: tl.full((1,), 1, dtype=tl.uint4), lambda: tl.tensor([1], dtype=tl.bits8)):
        with pytest.raises(NotImplementedError, match="not implemented for '(Bits8|UInt4)'"):
            call()


def test_huge_integers_in_messages_are_short():
    with pytest.raises(RuntimeError) as caught:
        tl.full((1,), 10**5000, dtype=tl.int32)
    assert "16610 bits" in str(caught.value) and len(str(caught.value)) < 300
