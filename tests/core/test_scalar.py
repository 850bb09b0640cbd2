"""csrc/scalar.h and csrc/vecmath.h through the cast and loop entries of every CPU level that runs here."""
import json
import pathlib

import numpy as np
import pytest

from kernel_table import Kernels, ROWS, built_levels, numpy_dtype

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "data" / "casts.json").read_text())
REDUCED = ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")


@pytest.fixture(scope="module", params=built_levels())
def kernels(request):
    return Kernels(request.param)


def bits(x):
    return x.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize])


@pytest.mark.parametrize("dtype", (*REDUCED, "float32", "float64"))
def test_float64_to_reduced_has_the_golden_bits(kernels, dtype):
    values = np.array([float(record["float64"]) for record in GOLDEN["float_casts"]])
    got = bits(kernels.cast(values, "float64", dtype))
    assert got.tolist() == [record[f"{dtype}_bits"] for record in GOLDEN["float_casts"]]


@pytest.mark.parametrize("dtype", GOLDEN["float8_decode"])
def test_every_float8_code_has_the_golden_value(kernels, dtype):
    codes = np.arange(256, dtype=np.uint8)
    want = np.array([float(text) for text in GOLDEN["float8_decode"][dtype]])
    got = kernels.cast(codes, dtype, "float64")
    np.testing.assert_array_equal(got, want)
    number = ~np.isnan(want)
    assert np.array_equal(np.signbit(got[number]), np.signbit(want[number]))


@pytest.mark.parametrize("dtype", REDUCED)
def test_every_code_survives_float32_and_float64(kernels, dtype):
    codes = np.arange(256 ** ROWS[dtype]["itemsize"]).astype(numpy_dtype(f"uint{8 * ROWS[dtype]['itemsize']}"))
    number = ~np.isnan(kernels.cast(codes, dtype, "float64"))
    assert number.any()
    for wide in ("float32", "float64"):
        back = bits(kernels.cast(kernels.cast(codes, dtype, wide), wide, dtype))
        assert np.array_equal(back[number], codes[number]), wide


def nearest(values, grid, odd):
    """The index in the ascending grid of the nearest number, ties to the even index; values inside the grid.
    `odd`: ties go up instead (e8m0)."""
    above = np.clip(np.searchsorted(grid, values), 1, len(grid) - 1)
    low, high = values - grid[above - 1], grid[above] - values       # exact: neighbours within a factor of two
    tie = (above & 1) == 0 if not odd else True
    return np.where((high < low) | ((high == low) & tie), above, above - 1)


@pytest.mark.parametrize("dtype", REDUCED)
def test_float64_is_rounded_once(kernels, dtype):
    """Against the nearest of all codes, on values at and close to every halfway point."""
    unsigned = numpy_dtype(f"uint{8 * ROWS[dtype]['itemsize']}")
    codes = np.arange(0, 256 ** ROWS[dtype]["itemsize"] // (1 if dtype == "float8_e8m0fnu" else 2)).astype(unsigned)
    grid = kernels.cast(codes, dtype, "float64")
    codes, grid = codes[np.isfinite(grid)], grid[np.isfinite(grid)]
    assert np.all(np.diff(grid) > 0)
    middle = grid[:-1] + np.diff(grid) / 2
    if dtype == "float8_e8m0fnu":
        middle = middle[1:]                        # below 2**-126 the rule is the golden table's
    values = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf), middle * (1 + 2.0 ** -30),
                             middle * (1 - 2.0 ** -30), middle * (1 + 2.0 ** -45), middle * (1 - 2.0 ** -45)])
    want = codes[nearest(values, grid, dtype == "float8_e8m0fnu")]
    assert np.array_equal(bits(kernels.cast(values, "float64", dtype)), want)


def test_float16_agrees_with_numpy(kernels):
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    number = ~np.isnan(halves)
    assert np.array_equal(bits(kernels.cast(halves, "float16", "float32"))[number], bits(halves.astype(np.float32))[number])
    singles = np.arange(0, 2 ** 32, 4099, dtype=np.uint32).view(np.float32)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        want = singles.astype(np.float16)
    number = ~np.isnan(singles)
    assert np.array_equal(bits(kernels.cast(singles, "float32", "float16"))[number], bits(want)[number])
    assert np.isnan(kernels.cast(singles, "float32", "float16")[~number]).all()


def truncated(x, dtype):
    """Decision 16 of the semantics, in Python's integers."""
    info = np.iinfo(dtype)
    if np.isnan(x):
        return 0
    if dtype == "uint8":
        return truncated(x, "int64") & 255
    if np.isinf(x):
        return info.max if x > 0 else info.min
    return min(max(int(x), info.min), info.max)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ("float32", "float64", "float16"))
def test_float_to_integer_truncates_and_saturates(kernels, source, dtype):
    powers = 2.0 ** np.arange(-2, 70)
    edges = np.concatenate([powers, powers - 1, powers + 1, powers - 0.5, powers + 0.5, powers * 1.5,
                            [0, 0.99, 300, 1e30, np.nan, np.inf]])
    with np.errstate(over="ignore"):
        values = np.concatenate([edges, -edges]).astype(source)
    if source != "float16":
        values = np.concatenate([values, np.nextafter(values, np.inf, dtype=source), np.nextafter(values, -np.inf, dtype=source)])
    got = kernels.cast(values, source, dtype)
    assert got.tolist() == [truncated(x, dtype) for x in values.tolist()]
    assert kernels.cast(np.array([-1.0, 300.0]), "float64", "uint8").tolist() == [255, 44]


@pytest.mark.parametrize("record", GOLDEN["int_casts"], ids=lambda r: f"{r['from']}_{r['value']}")
def test_golden_integer_casts(kernels, record):
    source, value = record["from"], record["value"]
    x = np.array([complex(value) if source == "complex64" else float(value) if "float" in source else value]).astype(source)
    for dtype in ("bool", *INTEGERS):
        if dtype in record:
            assert kernels.cast(x, source, dtype)[0] == record[dtype], dtype


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("dtype", ("bool", *INTEGERS, "float32", "float64", "complex64", "complex128"))
def test_integer_casts_agree_with_numpy(kernels, source, dtype):
    info = np.iinfo(source)
    x = np.array([info.min, info.min + 1, 0, 1, 2, 100, info.max - 1, info.max, *(info.max >> k for k in range(1, 8))], source)
    if dtype != source:
        assert np.array_equal(kernels.cast(x, source, dtype), x.astype(dtype))


@pytest.mark.parametrize("source", ("complex32", "complex64", "complex128"))
def test_complex_casts(kernels, source):
    x = np.array([1 + 2j, -3.5j, 2.5, 0, np.nan * 1j, 70000 - 1e-9j])
    stored = x if source == "complex128" else kernels.cast(x, "complex128", source)
    wide = kernels.cast(stored, source, "complex128") if source != "complex128" else x
    assert kernels.cast(stored, source, "bool").tolist() == (wide != 0).tolist()
    np.testing.assert_array_equal(kernels.cast(stored, source, "float32"), wide.real.astype(np.float32))
    half = kernels.cast(wide.real.copy(), "float64", "float16")
    np.testing.assert_array_equal(bits(kernels.cast(stored, source, "float16")), bits(half))
    if source == "complex32":
        pairs = np.stack([x.real, x.imag], -1)
        with np.errstate(over="ignore"):
            want = pairs.astype(np.float16)
        np.testing.assert_array_equal(stored.view(np.uint32).view(np.float16).reshape(-1, 2), want)


def ulp_error(got, want, dtype):
    """Largest error in units of the last place of the rounded true value (of the smallest normal number, below it)."""
    with np.errstate(over="ignore", under="ignore"):
        rounded = np.maximum(np.abs(want.astype(dtype)), np.finfo(dtype).tiny)
    kept = np.isfinite(rounded)
    return float(np.max(np.abs(got.astype(np.longdouble) - want)[kept] / np.spacing(rounded[kept]).astype(np.longdouble)))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="the reference needs an 80-bit long double")
@pytest.mark.parametrize("dtype, low, high, bound", [("float32", -104, 88.7, 0.54), ("float64", -745, 709.7, 0.95)])
def test_exp_error(kernels, dtype, low, high, bound):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(low, high, 400_000), rng.uniform(-1, 1, 400_000)]).astype(dtype)
    got = kernels.loop("exp", dtype, 0, np.empty_like(x), x)
    error = ulp_error(got, np.exp(x.astype(np.longdouble)), dtype)
    assert 0.49 < error <= bound


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_exp_special_values(kernels, dtype):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4], dtype)
    got = kernels.loop("exp", dtype, 0, np.empty_like(x), x)
    np.testing.assert_array_equal(got, np.array([np.nan, np.inf, 0, 1, 1, np.inf, 0], dtype))


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_nan_wins_in_bounds(kernels, dtype):
    values = np.array([np.nan, -np.inf, -1, 0, 2, np.inf], dtype)
    a, b = (x.ravel().copy() for x in np.meshgrid(values, values))
    np.testing.assert_array_equal(kernels.loop("minimum", dtype, 0, np.empty_like(a), a, b), np.minimum(a, b))
    np.testing.assert_array_equal(kernels.loop("maximum", dtype, 0, np.empty_like(a), a, b), np.maximum(a, b))
    low, high = np.full_like(a, -0.5), np.roll(b, 7)
    np.testing.assert_array_equal(kernels.loop("clamp", dtype, 0, np.empty_like(a), a, low, high),
                                  np.minimum(np.maximum(a, low), high))


@pytest.mark.parametrize("dtype, bound", [("complex64", 1e-6), ("complex128", 1e-14)])
def test_complex_functions(kernels, dtype, bound):
    rng = np.random.default_rng(5)
    a, b = ((rng.standard_normal(4000) + 1j * rng.standard_normal(4000)) * np.exp(rng.uniform(-5, 5, 4000)) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    wide_a, wide_b = a.astype(np.clongdouble), b.astype(np.clongdouble)
    for op, operands, want in (("div", (a, b), wide_a / wide_b), ("sqrt", (a,), np.sqrt(wide_a)), ("mul", (a, b), wide_a * wide_b)):
        got = kernels.loop(op, dtype, 0, np.empty_like(a), *operands)
        assert np.max(np.abs(got - want) / np.abs(want)) < bound, op
    small = (a / np.maximum(np.abs(a), 1)).astype(dtype)
    got = kernels.loop("exp", dtype, 0, np.empty_like(a), small)
    assert np.max(np.abs(got - np.exp(small.astype(np.clongdouble)))) < 4 * bound
    real = np.empty(a.shape, np.float32 if dtype == "complex64" else np.float64)
    assert np.max(np.abs(kernels.loop("abs", dtype, 0, real, a) / np.abs(wide_a) - 1)) < bound
    huge = np.array([complex(3e38, 2e38), complex(np.inf, np.nan), complex(np.nan, -np.inf), 0, complex(1e-40, 0)], dtype)
    real = kernels.loop("abs", dtype, 0, np.empty(5, real.dtype), huge)
    assert np.isfinite(real[0]) == (abs(complex(3e38, 2e38)) < float(np.finfo(real.dtype).max))
    assert real[1:4].tolist() == [np.inf, np.inf, 0]
    quotient = kernels.loop("div", dtype, 0, np.empty(2, dtype), np.array([1 + 1j, 0], dtype), np.zeros(2, dtype))
    assert np.isinf(quotient[0]) and np.isnan(quotient[1])
