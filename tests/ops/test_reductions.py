"""Every reduction row, for every dtype, over chosen dimensions and layouts."""
import itertools
import math
from fractions import Fraction

import pytest
import tensorlib as tl

from ops.samples import DTYPE_ROWS, REDUCTIONS, in_layouts, payload, tensor

SHAPE = (4, 3, 7)
CASES = [pytest.param(row, dtype, id=f"{row['name']}-{dtype['name']}") for row in REDUCTIONS for dtype in DTYPE_ROWS
         if "bifc"[dtype["category"]] in row["on"]]
REFUSED = [pytest.param(row, dtype, id=f"{row['name']}-{dtype['name']}") for row in REDUCTIONS for dtype in DTYPE_ROWS
           if "bifc"[dtype["category"]] not in row["on"]]
DIMS = [0, 1, 2, -1, (0, 1), (0, 2), (2, 1), None]


def groups(t, dim):
    """{index of the kept dims: [values]} in logical order."""
    dims = range(t.dim()) if dim is None else [d % t.dim() for d in (dim if isinstance(dim, tuple) else (dim,))]
    data, found = t.tolist(), {}
    for index in itertools.product(*map(range, t.shape)):
        value = data
        for i in index:
            value = value[i]
        found.setdefault(tuple(i for d, i in enumerate(index) if d not in dims), []).append(value)
    return [found[key] for key in sorted(found)]


def exact(row, values, result):
    """What the reduction should be, from Python's own numbers."""
    name = row["name"]
    if name in ("all", "any"):
        return {"all": all, "any": any}[name](bool(v) for v in values)
    if name in ("amax", "amin"):
        if any(v != v for v in values):
            return math.nan
        return {"amax": max, "amin": min}[name](values)
    if result.is_floating_point:
        if any(v != v or math.isinf(v) for v in values):
            total = math.nan if any(v != v for v in values) or {math.inf, -math.inf} <= set(values) else \
                next(v for v in values if math.isinf(v))
        else:
            total = sum(map(Fraction, values), Fraction(0))
            total = total / len(values) if name == "mean" else total
        return total
    if result.is_complex:
        total = complex(math.fsum(v.real for v in values), math.fsum(v.imag for v in values))
        return total / len(values) if name == "mean" else total
    total = sum(values)
    return (total + 2**63) % 2**64 - 2**63 if result == tl.int64 else total % 2**64


def close(got, want, result):
    if isinstance(want, float) and (want != want or math.isinf(want)):
        return got == want or (got != got and want != want)
    if result.is_floating_point:
        eps = Fraction(tl.finfo(result).eps)
        if math.isinf(got):
            return abs(want) > Fraction(tl.finfo(result).max)
        return abs(Fraction(got) - want) <= eps * abs(want) + Fraction(1, 10**7)
    if result.is_complex:
        return abs(got - want) <= 16 * tl.finfo(result).eps * max(1.0, abs(want))
    return got == want


def flat(nested):
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


@pytest.mark.parametrize("row, dtype", CASES)
def test_values(row, dtype):
    t = tensor(dtype, SHAPE, "reduce")
    for dim in DIMS:
        got = getattr(tl, row["name"])(t, dim)
        results = flat(got.tolist())
        wanted = [exact(row, values, got.dtype) for values in groups(t, dim)]
        assert len(results) == len(wanted)
        for a, b in zip(results, wanted):
            assert close(a, b, got.dtype), (dim, a, b)


@pytest.mark.parametrize("row, dtype", CASES)
def test_every_layout_gives_the_same_bytes(row, dtype):
    t = tensor(dtype, (9, 5, 70), "layout")
    for dim in DIMS:
        want = payload(getattr(tl, row["name"])(t, dim))
        for name, view in in_layouts(t):
            assert payload(getattr(tl, row["name"])(view, dim)) == want, (name, dim)
            assert payload(getattr(tl, row["name"])(view, dim, keepdim=True)) == want, (name, dim)


@pytest.mark.parametrize("row, dtype", CASES)
def test_meta_and_keepdim_shapes(row, dtype):
    t = tensor(dtype, SHAPE, "meta")
    for dim, keepdim in itertools.product(DIMS, (False, True)):
        want = getattr(tl, row["name"])(t, dim, keepdim=keepdim)
        got = getattr(tl, row["name"])(t.to("meta"), dim, keepdim=keepdim)
        assert (got.shape, got.stride(), got.dtype) == (want.shape, want.stride(), want.dtype)
        if keepdim and dim is not None:
            assert want.dim() == 3


@pytest.mark.parametrize("row, dtype", REFUSED)
def test_a_dtype_without_kernel_is_refused(row, dtype):
    with pytest.raises(RuntimeError, match=row["name"]):
        getattr(tl, row["name"])(tensor(dtype, (2,), "refused"))


def test_empty_reductions():
    none = tl.zeros(0, 3)
    assert tl.sum(none, 0).tolist() == [0.0] * 3
    assert all(v != v for v in tl.mean(none, 0).tolist())
    assert tl.all(none, 0).tolist() == [True] * 3 and tl.any(none, 0).tolist() == [False] * 3
    assert tl.sum(none).item() == 0 and tl.sum(none, 1).shape == (0,)
    for name in ("amax", "amin"):
        with pytest.raises(IndexError, match="non-zero size"):
            getattr(tl, name)(none, 0)
        with pytest.raises(RuntimeError):
            getattr(tl, name)(none)
        assert getattr(tl, name)(none, 1).shape == (0,)


def test_zero_dim_and_errors():
    x = tl.tensor(3.5)
    assert tl.sum(x, 0).item() == 3.5 and tl.amax(x, -1).item() == 3.5
    with pytest.raises(IndexError, match="Dimension out of range"):
        tl.sum(tl.zeros(2), 1)
    with pytest.raises(RuntimeError, match="multiple times"):
        tl.sum(tl.zeros(2, 2), (0, -2))


def test_dtype_and_out():
    x = tl.tensor([0.6, 0.6])
    assert tl.sum(x, dtype=tl.float64).dtype == tl.float64
    assert tl.sum(x, 0, out=tl.empty((), dtype=tl.int32)).item() == 0      # cast first, then added
    assert tl.mean(tl.tensor([1, 2]), dtype=tl.float32).item() == 1.5
    with pytest.raises(RuntimeError, match="dtype"):
        tl.amax(x, 0, out=tl.empty((), dtype=tl.float64))
    with pytest.raises(tl.OverlapError):
        tl.sum(x, 0, keepdim=True, out=x[:1])
    assert x.tolist() == tl.tensor([0.6, 0.6]).tolist()


def test_long_sums_are_accurate_in_any_layout():
    n = 1_000_003
    x = tl.full((n,), 0.1)
    assert abs(tl.sum(x).item() - n * x[0].item()) <= 1e-6 * n * 0.1
    assert tl.sum(tl.full((n,), 0.1, dtype=tl.float64)).item() == pytest.approx(n * 0.1, rel=1e-14)
