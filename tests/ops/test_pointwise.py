"""Every row of the op table, for every dtype: values beside NumPy, then layouts, destinations, meta and errors."""
import math

import numpy as np
import pytest
import tensorlib as tl

from tensorlib._dtypetable import DTYPES
from ops.samples import DTYPE_ROWS, ROWS, accepts, call, call_inplace, in_layouts, operands, payload

SHAPE = (4, 3, 7)


def wide(function):
    """The NumPy function computed in the widest type and rounded."""
    return lambda *args: function(*(a.astype(np.longdouble) for a in args)).astype(args[0].dtype)


ROUNDED = {
    **{name: wide(getattr(np, name)) for name in ("exp2", "expm1", "log", "log2", "log10", "log1p", "sinh", "cosh", "tanh", "sin", "cos",
                                                  "tan")},
    "asinh": wide(np.arcsinh), "acosh": wide(np.arccosh), "atanh": wide(np.arctanh), "sigmoid": wide(lambda a: 1 / (1 + np.exp(-a))),
}
NUMPY = {
    **ROUNDED,
    "nan_to_num": lambda a, *parameters: finite(a, *parameters),
    "add": lambda a, b: a | b if a.dtype == bool else a + b, "sub": np.subtract,
    "mul": lambda a, b: a & b if a.dtype == bool else a * b, "div": np.divide, "neg": np.negative, "abs": np.abs, "sqrt": np.sqrt,
    "exp": np.exp, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "minimum": np.minimum, "maximum": np.maximum, "where": np.where,
    "clamp": lambda a, low, high: np.minimum(np.maximum(a, low), high), "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor, "logical_not": np.logical_not, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "bitwise_not": np.invert,
    "relu": lambda a: np.where(a < 0, np.zeros_like(a), a), "threshold": lambda a, threshold, value: np.where(a <= threshold, value, a),
    "leaky_relu": lambda a, slope: np.where(a > 0, a, a * slope),
    "hardtanh": lambda a, low, high: np.minimum(np.maximum(a, low), high),
}
# Where NumPy is not exact or orders its complex arithmetic differently; everything else must agree bit for bit.
TOLERANT = {("exp", "f"), ("exp", "c"), ("sqrt", "c"), ("abs", "c"), ("div", "c"), ("mul", "c")}
TOLERANT |= {(name, "f") for name in ROUNDED}
CASES = [pytest.param(row, dtype, id=f"{row['name']}-{dtype['name']}") for row in ROWS for dtype in DTYPE_ROWS if accepts(row, dtype)]
REFUSED = [pytest.param(row, dtype, id=f"{row['name']}-{dtype['name']}") for row in ROWS for dtype in DTYPES
           if dtype["tier"] in ("compute", "storage") and not accepts(row, dtype)]


def compute_name(row, dtype):
    if row["result"] == "double":
        return "complex128" if dtype["category"] == 3 else "float64"
    if row["result"].startswith("float") and dtype["category"] < 2:
        return "float32"
    return dtype["compute"]


def parameters(row, compute, dtype):
    """The sample parameters in the compute dtype."""
    made = []
    for p in row["parameters"]:
        value = p["sample"]
        if value is None:
            limits = tl.finfo(dtype) if dtype.is_floating_point or dtype.is_complex else None
            value = {"zero": 0, "nan": math.nan, "max": limits and limits.max, "min": limits and limits.min}[p["none"]]
        unused = value is None or compute.kind in "bui" and not math.isfinite(value) or compute.kind == "u" and value < 0
        made.append(None if unused else compute.type(value))
    return made


def finite(a, nan, posinf, neginf):
    """np.nan_to_num, which takes no parameter that is infinite."""
    if a.dtype.kind == "c":
        return finite(a.real, nan.real, posinf.real, neginf.real) + 1j * finite(a.imag, nan.real, posinf.real, neginf.real)
    if a.dtype.kind != "f":
        return a
    return np.where(a != a, nan, np.where(a == math.inf, posinf, np.where(a == -math.inf, neginf, a)))


def to_numpy(t, name):
    """The tensor in a NumPy dtype, through Python numbers (exact for every dtype here)."""
    return np.array(t.tolist(), dtype=name).reshape(tuple(t.shape))


def same(a, b):
    """Equal numbers, NaN equal to NaN, zeros of one sign."""
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, float):
        return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b


def flat(nested):
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


@pytest.mark.parametrize("row, dtype", CASES)
def test_values_agree_with_numpy(row, dtype):
    args = operands(row, dtype, SHAPE, "values")
    got = call(row, args)
    name = compute_name(row, dtype)
    with np.errstate(all="ignore"):
        numbers = [to_numpy(arg, "bool" if row["inputs"][k] in row["masks"] else name) for k, arg in enumerate(args)]
        want = NUMPY[row["name"]](*numbers, *parameters(row, numbers[0].dtype, args[0].dtype))
    if want.dtype != bool or got.dtype != tl.bool:
        stored = tl.tensor(want.tolist(), dtype=getattr(tl, str(want.dtype))).to(got.dtype)
    else:
        stored = tl.tensor(want.tolist(), dtype=tl.bool)
    pairs = list(zip(flat(got.tolist()), flat(stored.tolist()), strict=True))
    assert len(pairs) == math.prod(SHAPE)
    if (row["name"], "bifc"[DTYPES[[d["name"] for d in DTYPES].index(name)]["category"]]) in TOLERANT:
        eps = tl.finfo(got.dtype).eps
        for a, b in pairs:
            if not same(a, b):
                assert abs(a - b) <= 4 * eps * abs(b), (row["name"], dtype["name"], a, b)
    else:
        wrong = [(a, b) for a, b in pairs if not same(a, b)]
        assert not wrong, (row["name"], dtype["name"], wrong[:5])


@pytest.mark.parametrize("row, dtype", CASES)
def test_layouts_give_the_same_values(row, dtype):
    args = operands(row, dtype, SHAPE, "layouts")
    want = payload(call(row, args))
    variants = [list(in_layouts(arg)) for arg in args]
    for combination in range(len(variants[0])):
        for shift in range(len(variants[0])):
            chosen = [v[(combination + k * shift) % len(v)] for k, v in enumerate(variants)]
            got = call(row, [t for _, t in chosen])
            assert payload(got) == want, [(name, t.shape, t.stride(), t.storage_offset()) for name, t in chosen]


@pytest.mark.parametrize("row, dtype", CASES)
def test_broadcast_operands_are_as_if_expanded(row, dtype):
    args = operands(row, dtype, SHAPE, "broadcast")
    if len(args) < 2:
        assert payload(call(row, [args[0][:1].expand(SHAPE)])) == payload(call(row, [args[0][:1].expand(SHAPE).contiguous()]))
        return
    small = [args[1][:, :1], args[1][0], args[1][..., :1], args[1][:1, :, :1]]
    for piece in small:
        full = piece.expand(SHAPE).contiguous()
        rest = args[2:]
        assert payload(call(row, [args[0], piece, *rest])) == payload(call(row, [args[0], full, *rest])), piece.shape
        if not row["masks"]:
            assert payload(call(row, [piece, args[0], *rest])) == payload(call(row, [full, args[0], *rest])), piece.shape


@pytest.mark.parametrize("row, dtype", CASES)
def test_out_writes_its_own_places_only(row, dtype):
    args = operands(row, dtype, SHAPE, "out")
    want = call(row, args)
    whole = tl.zeros((SHAPE[0], SHAPE[1], 2 * SHAPE[2]), dtype=want.dtype)
    untouched = payload(whole[..., 1::2])
    out = whole[..., ::2]
    assert call(row, args, out=out) is out
    assert payload(out) == payload(want)
    assert payload(whole[..., 1::2]) == untouched


@pytest.mark.parametrize("row, dtype", [case for case in CASES if case.values[0]["inplace"]])
def test_in_place_is_out_of_place_cast_back(row, dtype):
    args = operands(row, dtype, SHAPE, "inplace")
    want = call(row, args)
    target = args[0].clone()
    low_category = row["result"].startswith(("float", "double")) and dtype["category"] < 2
    if row["result"].endswith("real") and dtype["category"] == 3 or low_category or row["result"] == "complex":
        with pytest.raises(RuntimeError):
            call_inplace(row, target, args[1:])
        assert payload(target) == payload(args[0])
        return
    assert call_inplace(row, target, args[1:]) is target
    assert payload(target) == payload(want.to(target.dtype))
    permuted = args[0].permute(2, 0, 1).contiguous().permute(1, 2, 0)
    call_inplace(row, permuted, args[1:])
    assert payload(permuted) == payload(want.to(target.dtype))


@pytest.mark.parametrize("row, dtype", CASES)
def test_meta_plans_what_cpu_gives(row, dtype):
    args = operands(row, dtype, SHAPE, "meta")
    views = [list(in_layouts(arg))[1 + k][1] for k, arg in enumerate(args)]
    want = call(row, views)
    got = call(row, [tl.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="meta") for v in views])
    assert (got.device.type, got.shape, got.stride(), got.dtype) == ("meta", want.shape, want.stride(), want.dtype)


@pytest.mark.parametrize("row, dtype", REFUSED)
def test_a_dtype_without_kernel_is_refused(row, dtype):
    args = operands(row, dtype, (2,), "refused")
    with pytest.raises((NotImplementedError, RuntimeError), match=row["shown"]):
        call(row, args)


def test_number_operands_and_reflected_operators():
    x = tl.tensor([1, 2, 3])
    assert (10 - x).tolist() == [9, 8, 7]
    assert (1 / x).dtype == tl.float32
    assert (2.5 * x).tolist() == [2.5, 5.0, 7.5]
    assert (True + x).tolist() == [2, 3, 4]
    assert (x & 1).tolist() == [1, 0, 1]
    assert (6 ^ x).tolist() == [7, 4, 5]
    assert (x + 1j).dtype == tl.complex64
    assert tl.add(5, 5).dtype == tl.int64 and tl.add(5, 5).item() == 10
    assert (x == "a") is False and (x != None) is True  # noqa: E711
    with pytest.raises(TypeError):
        x + "a"


def test_alpha():
    x = tl.tensor([1, 2])
    assert tl.add(x, x, alpha=3).tolist() == [4, 8]
    assert x.sub(x, alpha=2).tolist() == [-1, -2]
    with pytest.raises(RuntimeError, match="floating point"):
        tl.add(x, x, alpha=1.5)
    y = tl.tensor([1.0, 2.0])
    assert y.add_(x, alpha=0.5) is y and y.tolist() == [1.5, 3.0]


def test_integers_compare_by_value_with_numbers_out_of_range():
    x = tl.tensor([1, 255], dtype=tl.uint8)
    assert (x == 257).tolist() == [False, False]
    assert (x < 300).tolist() == [True, True]
    assert (x > -1).tolist() == [True, True]
    assert (-1 < x).tolist() == [True, True]
    assert (300 <= x).tolist() == [False, False]
    assert (x != 10**30).tolist() == [True, True]
    assert (tl.tensor([2**63 - 1]) < 2**64).tolist() == [True]


def test_shapes_that_do_not_fit():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\).*size of tensor b \(2\).*dimension 0"):
        tl.zeros(3) + tl.zeros(2)
    x = tl.zeros(3)
    with pytest.raises(RuntimeError, match="broadcast shape"):
        x += tl.ones(2, 3)
    assert x.tolist() == [0, 0, 0]


def test_overlap_is_refused_before_anything_is_written():
    s = tl.arange(12.0)
    a, b = s[:6], s[3:9]
    with pytest.raises(tl.OverlapError, match="clone"):
        a.add_(b)
    with pytest.raises(tl.OverlapError):
        tl.neg(b, out=a)
    with pytest.raises(tl.OverlapError):
        tl.zeros(1).expand(4).add_(1)
    assert s.tolist() == list(range(12))
    assert a.add_(a).tolist() == [0, 2, 4, 6, 8, 10]
    assert issubclass(tl.OverlapError, RuntimeError) and issubclass(tl.OverlapError, ValueError)


def test_out_is_resized_only_when_it_owns_its_storage_alone():
    out = tl.empty(0)
    assert tl.add(tl.ones(2, 3), 1, out=out) is out and out.tolist() == [[2.0] * 3] * 2
    base = tl.zeros(6)
    with pytest.raises(RuntimeError, match=r"out has shape \[3\]"):
        tl.add(tl.ones(4), 1, out=base[:3])
    assert base.tolist() == [0.0] * 6


def test_large_calls_release_the_interpreter_and_agree():
    n = 100_003
    x = tl.arange(n, dtype=tl.float32)
    assert payload(x + x) == payload(x * 2)
    assert (x.to(tl.float16) + x.to(tl.float16)).dtype == tl.float16


@pytest.mark.parametrize("name", ["uint5", "int3", "bits8", "qint8", "float4_e2m1fn_x2"])
def test_shell_dtypes_take_no_part_in_arithmetic(name):
    shell = tl.empty(2, 3, dtype=getattr(tl, name))
    x = tl.ones(2, 3)
    before = bytes(shell.untyped_storage())
    for make in (lambda: x == shell, lambda: shell * 1.5, lambda: tl.where(x > 0, x, shell), lambda: x.clone().add_(shell),
                 lambda: tl.logical_not(x, out=shell), lambda: tl.eq(x, 1, out=shell)):
        with pytest.raises((NotImplementedError, RuntimeError, TypeError)):
            make()
    assert bytes(shell.untyped_storage()) == before


def test_bools_of_any_byte_are_true():
    x = tl.tensor([2, 3, 0, 255], dtype=tl.uint8).view(tl.bool)
    clean = tl.tensor([True, True, False, True])
    assert x.sum().item() == 3 and x.to(tl.int32).tolist() == [1, 1, 0, 1] and (x * 2).tolist() == [2, 2, 0, 2]
    assert x.mean(dtype=tl.float32).item() == 0.75 and x.all(0).item() is False and x[:2].all().item() is True
    for row in ROWS:
        if "b" in row["on"] and len(row["inputs"]) == 2:
            for a, b in ((x, clean), (clean, x), (x, x)):
                assert payload(call(row, [a, b])) == payload(call(row, [a != 0, b != 0])), row["name"]
            assert payload(call(row, [x, True])) == payload(call(row, [clean, True])), row["name"]
    assert tl.logical_not(x).tolist() == [False, False, True, False] and (~x).tolist() == [False, False, True, False]


def test_out_wider_than_a_reduced_result_gets_the_rounded_value():
    a = tl.tensor([60000.0], dtype=tl.float16)
    assert tl.mul(a, 2, out=tl.zeros(1)).tolist() == [math.inf]
    assert tl.add(tl.ones(700, dtype=tl.float16), 2**-12, out=tl.zeros(700)).tolist() == [1.0] * 700
    x = tl.rand(3, 300).to(tl.bfloat16)
    assert tl.exp(x, out=tl.zeros(3, 300, dtype=tl.float64)).tolist() == tl.exp(x).to(tl.float64).tolist()
    assert tl.exp(x.t(), out=tl.zeros(300, 3)).tolist() == tl.exp(x.t()).to(tl.float32).tolist()


def test_numpy_arrays_beside_a_tensor_are_tensors():
    x = tl.ones(2, 3)
    for y in (np.ones((2, 3)) * x, x * np.ones((2, 3)), np.float64(2) * x, x + np.arange(3), np.ones(3, np.float32) - x):
        assert isinstance(y, tl.Tensor)
    assert (np.float64(2) * x).dtype == tl.float32 and (x + np.arange(3)).dtype == tl.float32
    same = x
    x *= np.full((2, 3), 5, np.float32)
    assert same is x and x.tolist() == [[5.0] * 3] * 2
    assert (x == np.full((2, 3), 5.0)).tolist() == [[True] * 3] * 2


@pytest.mark.parametrize("name", ("float16", "bfloat16"))
@pytest.mark.parametrize("number", (0.1, -2, 70000, 1e39, True, float("nan")))
def test_numbers_beside_halves_mean_the_same_on_every_path(name, number):
    """Dense tensors of a half take a loop of their own; a stepped view goes through the block driver, a float32 through casts."""
    x = tl.tensor([0.5, -1.25, 3.0, 0.1, -0.0, 100.0] * 9, dtype=getattr(tl, name))
    stepped = tl.zeros(2 * x.numel(), dtype=x.dtype)[::2]
    stepped.copy_(x)
    factor = tl.tensor(float(number))
    rounded = factor.to(x.dtype).float()
    for op in ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge"):
        if op == "sub" and number is True:
            continue
        apply = getattr(tl, op)
        wide = apply(x.float(), factor if op in ("mul", "div") else rounded)
        want = wide if wide.dtype == tl.bool else wide.to(x.dtype)
        for got in (apply(x, number), apply(stepped, number), apply(x, number, out=tl.empty(0, dtype=want.dtype))):
            assert got.dtype == want.dtype
            assert all(map(same, got.tolist(), want.tolist())), (op, got, want)
        if op == "div":
            assert all(map(same, (number / x).tolist(), (factor / x.float()).to(x.dtype).tolist()))
        if want.dtype == x.dtype:
            changed = x.clone()
            getattr(changed, op + "_")(number)
            assert all(map(same, changed.tolist(), want.tolist())), op
