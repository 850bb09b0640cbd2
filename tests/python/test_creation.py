"""Factories (csrc/factories.pxi): shapes, strides, dtypes, values, options and errors."""
import itertools
import math
import random
from fractions import Fraction

import pytest

import tensorlib as tl

SIZED = [tl.empty, tl.zeros, tl.ones, tl.rand, tl.randn]
ARITHMETIC = [tl.bool, tl.uint8, tl.int8, tl.int16, tl.int32, tl.int64, tl.uint16, tl.uint32, tl.uint64, tl.float16, tl.bfloat16,
              tl.float32, tl.float64, tl.complex32, tl.complex64, tl.complex128]


def contiguous(shape):
    stride, run = [], 1
    for n in reversed(shape):
        stride.insert(0, run)
        run *= max(n, 1)
    return tuple(stride)


# -- sizes --------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("make", SIZED, ids=lambda f: f.__name__)
def test_every_way_to_write_a_size(make):
    class Two:
        def __index__(self):
            return 2

    for shape in ((), (0,), (5,), (2, 3), (2, 0, 3), (1,) * 12, (1, 2, 1, 3, 1, 1, 2, 1, 1)):
        for t in (make(shape), make(list(shape)), make(size=shape), make(tl.Size(shape))):
            assert t.shape == shape and t.stride() == contiguous(shape) and t.storage_offset() == 0
            assert t.dtype is tl.float32 and t.device == tl.device("cpu")
        if shape:
            assert make(*shape).shape == shape
    assert make(Two(), 3).shape == make((Two(), 3)).shape == (2, 3)
    assert make(Two()).shape == make(tl.tensor(2)).shape == (2,)


@pytest.mark.parametrize("make", SIZED, ids=lambda f: f.__name__)
def test_sizes_that_are_refused(make):
    name = make.__name__
    for args, text in (((2.0,), "not float"), (("a",), "not str"), ((None,), "not NoneType"), ((True,), "not bool"),
                       (((2, "a"),), "pos 2.*got str"), ((2, 2.0), "pos 2.*got float"), (((2,), 3), "takes 1 positional argument"),
                       ((), "missing 1 required")):
        with pytest.raises(TypeError, match=rf"{name}\(\).*{text}"):
            make(*args)
    with pytest.raises(TypeError, match="multiple values"):
        make(2, size=(2,))
    with pytest.raises(TypeError, match="unexpected keyword argument 'shape'"):
        make(shape=(2,))
    for args, number in (((-1,), -1), (((2, -3),), -3)):
        with pytest.raises(RuntimeError, match=f"negative dimension {number}: "):
            make(*args)
    for args in ((2**40, 2**40), (2**62,)):
        with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
            make(*args)
    with pytest.raises(RuntimeError, match="64 dimensions"):
        make((1,) * 65)
    with pytest.raises(TypeError, match="overflow"):
        make(2**70)


def test_no_memory():
    with pytest.raises(MemoryError, match="cannot allocate"):
        tl.empty(2**50, dtype=tl.uint8)
    assert tl.empty(2**50, device="meta").shape == (2**50,)


@pytest.mark.parametrize("make", SIZED, ids=lambda f: f.__name__)
def test_options(make):
    assert make(2, dtype=tl.float64, layout=tl.strided, device="cpu", requires_grad=False, pin_memory=False).dtype is tl.float64
    assert make(2, dtype=float).dtype is tl.float64
    assert make(2, device="meta").device == tl.device("meta")
    with tl.device("meta"):
        assert make(2).device.type == "meta" and make(2, device="cpu").device.type == "cpu"
    with pytest.raises(RuntimeError, match="autograd"):
        make(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        make(2, pin_memory=True)
    with pytest.raises(NotImplementedError, match="sparse"):
        make(2, layout=tl.sparse_coo)
    with pytest.raises(TypeError, match="dtype"):
        make(2, dtype="float32")
    with pytest.raises(RuntimeError, match="cuda"):
        make(2, device="cuda")


@pytest.mark.parametrize("make", [*SIZED, lambda *a, **k: tl.full(*a, 3, **k), lambda *a, **k: tl.randint(0, 5, *a, **k),
                                  lambda *a, **k: tl.ones(1).new_zeros(*a, **k), lambda *a, **k: tl.ones(1).new_empty(*a, **k)])
def test_memory_formats(make):
    t = make((2, 3, 4, 5), memory_format=tl.channels_last)
    assert t.stride() == (60, 1, 15, 3) and t.is_contiguous(memory_format=tl.channels_last)
    assert make((2, 3, 2, 2, 2), memory_format=tl.channels_last_3d).stride() == (24, 1, 12, 6, 3)
    assert make((2, 0, 4, 5), memory_format=tl.channels_last).stride() == (0, 1, 0, 0)
    assert make((2, 3), memory_format=tl.contiguous_format).stride() == (3, 1)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        make((2, 3), memory_format=tl.channels_last)
    with pytest.raises(RuntimeError, match="unsupported memory format Preserve"):
        make((2, 3), memory_format=tl.preserve_format)


# -- values -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
@pytest.mark.parametrize("n", [0, 1, 7, 1000, 40000])
def test_filled_values(dtype, n):
    assert tl.zeros(n, dtype=dtype).tolist() == [0] * n
    assert tl.ones(n, dtype=dtype).tolist() == [1] * n
    assert tl.full((n,), 1, dtype=dtype).dtype is dtype
    value = True if dtype is tl.bool else 3
    t = tl.full((n,), value, dtype=dtype)
    assert t.tolist() == [value] * n and len(t.untyped_storage()) == n * dtype.itemsize


def test_full_takes_its_dtype_from_the_number():
    for value, dtype in ((True, tl.bool), (1, tl.int64), (1.0, tl.float32), (1j, tl.complex64), (tl.tensor(2), tl.int64),
                         (tl.tensor(2.5, dtype=tl.float64), tl.float32)):
        t = tl.full((2,), value)
        assert t.dtype is dtype and t.tolist() == [value, value]
    assert tl.scalar_tensor(3).dtype is tl.float32 and tl.scalar_tensor(True).item() == 1.0
    assert tl.scalar_tensor(300, dtype=tl.int16).item() == 300
    with pytest.raises(TypeError, match="argument 'size' .* not int"):
        tl.full(2, 1)
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.scalar_tensor(3j)


def test_default_dtype():
    try:
        tl.set_default_dtype(tl.float64)
        assert {f(2).dtype for f in SIZED} == {tl.float64}
        assert tl.full((1,), 1j).dtype is tl.complex128 and tl.arange(2.0).dtype is tl.linspace(0, 1, 2).dtype is tl.float64
        tl.set_default_dtype(tl.bfloat16)
        assert tl.ones(1).dtype is tl.bfloat16
        assert tl.full((1,), 1j).dtype is tl.linspace(0, 1j, 2).dtype is tl.complex64 and tl.full((1,), 1.0).dtype is tl.bfloat16
        tl.set_default_dtype(tl.float16)
        assert tl.full((1,), 1j).dtype is tl.complex64 and tl.linspace(0, 1j, 2).dtype is tl.complex32
    finally:
        tl.set_default_dtype(tl.float32)


@pytest.mark.parametrize("dtype", [tl.bits8, tl.bits16, tl.uint4, tl.int3, tl.float4_e2m1fn_x2], ids=str)
def test_shell_dtypes_can_be_zero(dtype):
    t = tl.zeros(3, dtype=dtype)
    assert t.untyped_storage().tolist() == [0] * (3 * dtype.itemsize)
    assert tl.zeros_like(t).dtype is dtype
    with pytest.raises(NotImplementedError, match="not implemented for"):
        tl.ones(3, dtype=dtype)


# -- *_like -------------------------------------------------------------------------------------------------------------

LIKE = [tl.empty_like, tl.zeros_like, tl.ones_like, lambda t, **k: tl.full_like(t, 1, **k), tl.rand_like, tl.randn_like,
        lambda t, **k: tl.randint_like(t, 5, **k)]


@pytest.mark.parametrize("like", LIKE)
def test_like_keeps_dense_strides_and_nothing_else(like):
    nhwc = tl.empty((2, 3, 4, 5), memory_format=tl.channels_last)
    for t in (nhwc, tl.empty(4, 3).t(), tl.empty(2, 3, 4).permute(2, 0, 1), tl.empty_strided((1, 4), (7, 1)), tl.empty(())):
        assert like(t).stride() == t.stride() and like(t).shape == t.shape
    for t in (nhwc[:, ::2], tl.empty(4, 6).t()[::2], tl.empty(3, 1).expand(3, 4), tl.empty_strided((2, 2), (1, 1))):
        assert like(t).stride() == contiguous(t.shape)
    assert like(nhwc, memory_format=tl.contiguous_format).stride() == (60, 20, 5, 1)
    assert like(tl.empty(2, 3, 4, 5), memory_format=tl.channels_last).stride() == (60, 1, 15, 3)
    assert like(nhwc, dtype=tl.float64).dtype is tl.float64 and like(nhwc, device="meta").device.type == "meta"
    with tl.device("meta"):
        assert like(nhwc).device.type == "cpu"         # the default device plays no part
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        like([1])
    with pytest.raises(RuntimeError, match="required rank 5"):
        like(nhwc, memory_format=tl.channels_last_3d)
    with pytest.raises(RuntimeError, match="autograd"):
        like(nhwc, requires_grad=True)


def test_like_values():
    t = tl.empty(4, 3, dtype=tl.int16).t()
    assert tl.zeros_like(t).tolist() == [[0] * 4] * 3 and tl.ones_like(t).tolist() == [[1] * 4] * 3
    assert tl.full_like(t, -2).tolist() == [[-2] * 4] * 3 and tl.full_like(t, 2.9).dtype is tl.int16
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.full_like(t, 40000)
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.full_like(tl.empty(1), 1j)


# -- strides ------------------------------------------------------------------------------------------------------------

def test_empty_strided():
    for size, stride, nbytes in (((2, 3), (1, 2), 24), ((2, 3), (0, 0), 4), ((2, 2), (4, 1), 24), ((0, 3), (5, 5), 0), ((), (), 4),
                                 ((3, 3), (1, 1), 20)):
        t = tl.empty_strided(size, stride)
        assert t.shape == size and t.stride() == stride and len(t.untyped_storage()) == nbytes
    with pytest.raises(RuntimeError, match=r"dimensionality of sizes \(2\) must match dimensionality of strides \(1\)"):
        tl.empty_strided((2, 3), (1,))
    with pytest.raises(RuntimeError, match="overflowed.*strides=\\[-1, 1\\]"):
        tl.empty_strided((2, 3), (-1, 1))
    with pytest.raises(RuntimeError, match="overflowed"):
        tl.empty_strided((2, 3), (2**62, 1))
    with pytest.raises(TypeError, match="argument 'size' .* not int"):
        tl.empty_strided(2, 1)


def test_empty_permuted_for_every_order():
    for size in ((2, 3, 5, 7), (2, 1, 0, 3), (1, 1)):
        for order in itertools.permutations(range(len(size))):
            t = tl.empty_permuted(size, order)
            steps = contiguous([size[d] for d in order])
            assert all(t.stride(order[i]) == steps[i] for i in range(len(size)))
            assert t.shape == size and t.is_non_overlapping_and_dense()
    assert tl.empty_permuted((), ()).shape == ()
    t = tl.empty_permuted([2, 3], [1, 0], dtype=tl.int8, layout=tl.strided, device="meta", requires_grad=False, pin_memory=False)
    assert (t.stride(), t.dtype, t.device.type) == ((1, 2), tl.int8, "meta")


def test_empty_permuted_refuses():
    for size, order, kind, text in (
            ((2, 3), (0, 0), RuntimeError, "Duplicate dim not allowed"),
            ((2, 3), (0, -1), RuntimeError, r"between 0 and 1, but got -1 at index 1\).*negative dims not currently supported"),
            ((2, 3), (0, 5), RuntimeError, "between 0 and 1, but got 5 at index 1"),
            ((2, 3), (0,), RuntimeError, r"len\(size\) = 2 is not equal to len\(physical_layout\) = 1"),
            ((-1, 3), (0, 1), RuntimeError, r"negative dimension -1: \[-1, 3\]"),
            ((2, 3), (0, 1.0), TypeError, "physical_layout"), ((2, 3), (0, True), TypeError, "physical_layout"),
            (2, (0,), TypeError, "argument 'size'"), ((2, 3), 1, TypeError, "physical_layout")):
        with pytest.raises(kind, match=text):
            tl.empty_permuted(size, order)
    with pytest.raises(RuntimeError, match="autograd"):
        tl.empty_permuted((2, 3), (1, 0), requires_grad=True)
    with pytest.raises(TypeError):
        tl.empty_permuted((2, 3), (1, 0), tl.float32)


# -- out= ---------------------------------------------------------------------------------------------------------------

def test_out():
    for make, value in ((lambda **k: tl.zeros(2, 3, **k), 0), (lambda **k: tl.ones((2, 3), **k), 1),
                        (lambda **k: tl.full((2, 3), 5, **k), 5)):
        out = tl.empty(2, 3, dtype=tl.int32)
        assert make(out=out) is out and out.tolist() == [[value] * 3] * 2
        wide = tl.full((2, 6), 9)
        assert make(out=wide[:, ::2]).tolist() == [[value] * 3] * 2 and wide[:, 1::2].tolist() == [[9] * 3] * 2
        small = tl.empty(0)
        assert make(out=small) is small and small.shape == (2, 3) and small.tolist() == [[value] * 3] * 2
        with pytest.raises(RuntimeError, match="dtype Float does not match dtype of out parameter"):
            make(out=out, dtype=tl.float32)
        base = tl.zeros(4)
        with pytest.raises(RuntimeError, match="owns its whole storage"):
            make(out=base[1:3])
        assert base.tolist() == [0] * 4
        with pytest.raises(TypeError, match="must be Tensor"):
            make(out=[1])
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.full((2,), 300, out=tl.zeros(2, dtype=tl.int8))
    read_only = tl.frombuffer(b"abcd", dtype=tl.uint8)
    with pytest.raises(RuntimeError, match="read-only"):
        tl.zeros(4, out=read_only)
    for make, values in ((lambda **k: tl.arange(3, **k), [0, 1, 2]), (lambda **k: tl.linspace(0, 2, 3, **k), [0, 1, 2])):
        wide = tl.full((6,), 7, dtype=tl.int16)
        assert make(out=wide[::2]).tolist() == values and wide.tolist() == [0, 7, 1, 7, 2, 7]


# -- ranges -------------------------------------------------------------------------------------------------------------

def test_integer_ranges_are_pythons():
    rng = random.Random(3)
    for _ in range(400):
        start, end, step = rng.randint(-50, 50), rng.randint(-50, 50), rng.choice([-7, -3, -1, 1, 2, 5])
        if (end - start) * step < 0:
            with pytest.raises(RuntimeError, match="upper bound and lower bound inconsistent with step sign"):
                tl.arange(start, end, step)
            continue
        expected = list(range(start, end, step))
        assert tl.arange(start, end, step).tolist() == expected
        assert tl.arange(start, end, step, dtype=tl.float64).tolist() == expected
        assert tl.arange(start, end, step, dtype=tl.int8).tolist() == expected
    assert tl.arange(2**63 - 3, 2**63 - 1).tolist() == [2**63 - 3, 2**63 - 2]
    assert tl.arange(2**53 + 1, 2**53 + 3, dtype=tl.int64).tolist() == [2**53 + 1, 2**53 + 2]
    assert tl.arange(-1, 3, dtype=tl.uint8).tolist() == [255, 0, 1, 2]
    assert tl.arange(40000)[-1].item() == 39999


def test_float_ranges():
    rng = random.Random(4)
    for _ in range(300):
        start, end, step = rng.uniform(-5, 5), rng.uniform(-5, 5), rng.uniform(0.01, 1)
        step = math.copysign(step, end - start)
        got = tl.arange(start, end, step, dtype=tl.float64).tolist()
        assert len(got) == math.ceil((end - start) / step)
        assert got == [start + i * step for i in range(len(got))]
    assert tl.arange(1, 1.3, 0.1).numel() == 4 and tl.arange(0, 3, 0.5, dtype=tl.int32).tolist() == [0] * 6
    assert tl.arange(0.5, 3, 1, dtype=tl.int64).tolist() == [0, 1, 2]
    assert tl.arange(2.5).dtype is tl.float32 and tl.arange(0, 3, 1.0).dtype is tl.float32 and tl.arange(3).dtype is tl.int64


def test_how_a_range_is_called():
    assert tl.arange(end=3).tolist() == tl.arange(0, end=3).tolist() == tl.arange(start=0, end=3).tolist() == [0, 1, 2]
    assert tl.arange(1, 8, step=3).tolist() == tl.arange(1, 8, 3).tolist() == [1, 4, 7]
    assert tl.arange(tl.tensor(3)).tolist() == [0, 1, 2] and tl.arange(True).tolist() == [0]
    for args, kwargs in (((), {}), ((), {"start": 1}), ((1, 2, 3, 4), {}), ((1,), {"start": 0, "end": 2}), (("a",), {})):
        with pytest.raises(TypeError):
            tl.arange(*args, **kwargs)


def test_ranges_that_are_refused():
    for args, kwargs, kind, text in (
            ((0, 3, 0), {}, RuntimeError, "step must be nonzero"), ((0, 3, 0.0), {}, RuntimeError, "step must be nonzero"),
            ((0, 3, 0.5), {"dtype": tl.int64}, ValueError, "step must be nonzero, but 0.5 as an int64 is 0"),
            ((0, 10**400, 10**399), {"dtype": tl.float64}, RuntimeError, "type double without overflow: got an integer of"),
            ((10**400,), {}, RuntimeError, "int64_t without overflow: got an integer of 1329 bits"),
            ((math.inf,), {}, RuntimeError, "unsupported range"), ((math.nan,), {}, RuntimeError, "unsupported range"),
            ((1j,), {}, RuntimeError, "without overflow"), ((2**63,), {}, RuntimeError, "int64_t without overflow"),
            ((1e20,), {}, RuntimeError, "invalid size"), ((0, 2**62), {}, RuntimeError, "Storage size calculation overflowed"),
            ((3,), {"dtype": tl.bool}, NotImplementedError, '"arange_cpu" not implemented for \'Bool\''),
            ((3,), {"dtype": tl.complex64}, NotImplementedError, "ComplexFloat"),
            ((3,), {"requires_grad": True}, RuntimeError, "autograd")):
        with pytest.raises(kind, match=text):
            tl.arange(*args, **kwargs)


def test_linspace_is_symmetric_and_ends_exactly():
    rng = random.Random(6)
    for _ in range(200):
        a, b, n = rng.uniform(-9, 9), rng.uniform(-9, 9), rng.randint(2, 700)
        got = tl.linspace(a, b, n, dtype=tl.float64).tolist()
        assert got[0] == a and got[-1] == b and got[::-1] == tl.linspace(b, a, n, dtype=tl.float64).tolist()
        for i in (0, n // 3, n // 2, n - 1):
            exact = Fraction(a) + (Fraction(b) - Fraction(a)) * i / (n - 1)
            assert abs(Fraction(got[i]) - exact) <= Fraction(math.ulp(max(abs(a), abs(b)))) * 2
    assert tl.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1] and tl.linspace(0, 1, 0).tolist() == []
    assert tl.linspace(3, 9, 1).tolist() == [3] and tl.linspace(0, 10, 4, dtype=tl.int32).tolist() == [0, 3, 6, 10]
    assert tl.linspace(10, 0, 4, dtype=tl.uint8).tolist() == [10, 6, 3, 0]
    assert tl.linspace(0, 1j, 3).tolist() == [0, 0.5j, 1j] and tl.linspace(0, 4, 3, dtype=tl.complex64).tolist() == [0, 2, 4]
    assert tl.linspace(tl.tensor(1.0), end=2, steps=3).dtype is tl.float32


def test_integer_linspace_is_exact_between_truncated_bounds():
    rng = random.Random(7)
    dtypes = (tl.uint8, 2**8), (tl.int8, 2**8), (tl.int16, 2**16), (tl.int32, 2**32), (tl.int64, 2**64), (tl.uint64, 2**64)
    for _ in range(300):
        dtype, span = rng.choice(dtypes)
        low = -span // 2 if dtype.is_signed else 0
        a, b = (min(max(round(rng.choice([low, 0, low + span - 1]) + rng.gauss(0, 300)), low), low + span - 1) for _ in range(2))
        n = rng.randrange(2, 1000)
        exact = [a + Fraction(i * (b - a), n - 1) for i in range(n)]
        assert tl.linspace(a, b, n, dtype=dtype).tolist() == [math.trunc(x) for x in exact], (dtype, a, b, n)
    assert tl.linspace(2**53 + 1, 2**53 + 5, 3, dtype=tl.int64).tolist() == [2**53 + 1, 2**53 + 3, 2**53 + 5]
    assert tl.linspace(0.7, 5.9, 5, dtype=tl.int32).tolist() == [0, 1, 2, 3, 5]
    assert tl.linspace(-1.9, 1.9, 7, dtype=tl.int64).tolist() == [-1, 0, 0, 0, 0, 0, 1]
    assert tl.linspace(-5, 5, 4, dtype=tl.uint8).tolist() == [251, 169, 87, 5]
    assert tl.linspace(9, 3, 1, dtype=tl.int32).tolist() == [9] and tl.linspace(9, 3, 0, dtype=tl.int32).tolist() == []


def test_linspace_between_bounds_far_apart():
    assert tl.linspace(-1e308, 1e308, 5, dtype=tl.float64).tolist() == [-1e308, -5e307, 0, 5e307, 1e308]
    assert tl.linspace(0, math.inf, 1).tolist() == [0]
    assert str(tl.linspace(0, math.inf, 5).tolist()) == "[nan, inf, nan, nan, nan]"         # as PyTorch: no space is even
    assert str(tl.linspace(-math.inf, 0, 5).tolist()) == "[nan, nan, -inf, -inf, nan]"


def test_a_range_that_is_refused_leaves_out_as_it_is():
    for make in (lambda out: tl.arange(0, 10**400, 10**399, out=out), lambda out: tl.linspace(0, 10**400, 7, out=out),
                 lambda out: tl.arange(0, math.inf, out=out), lambda out: tl.arange(0, 5, 0, out=out)):
        out = tl.full((3,), 7.0)
        with pytest.raises(RuntimeError):
            make(out)
        assert out.tolist() == [7, 7, 7]


def test_linspace_refuses():
    with pytest.raises(RuntimeError, match="number of steps must be non-negative, got -1"):
        tl.linspace(0, 1, -1)
    with pytest.raises(TypeError, match="'steps'"):
        tl.linspace(0, 1, 2.0)
    with pytest.raises(TypeError):
        tl.linspace(0, 1)
    with pytest.raises(RuntimeError, match="without overflow"):
        tl.linspace(0, 300, 4, dtype=tl.uint8)
    with pytest.raises(NotImplementedError, match="linspace_cpu"):
        tl.linspace(0, 1, 2, dtype=tl.bool)


def test_eye():
    for n, m in ((0, 0), (1, 1), (3, 3), (2, 4), (4, 2), (3, 0)):
        for dtype in (tl.float32, tl.bool, tl.int8, tl.complex64, tl.float16):
            assert tl.eye(n, m, dtype=dtype).tolist() == [[int(i == j) for j in range(m)] for i in range(n)]
    assert tl.eye(2).shape == (2, 2)
    out = tl.ones(4, 3).t()
    assert tl.eye(3, 4, out=out).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    repeated = tl.full((3,), 7).expand(3, 3)
    with pytest.raises(tl.OverlapError):
        tl.eye(3, out=repeated)
    assert repeated[0].tolist() == [7, 7, 7]
    for args, kind, text in (((-1,), RuntimeError, "n must be greater or equal to 0, got -1"), ((2, -1), RuntimeError, "m must be"),
                             ((2.0,), TypeError, "must be int, not float")):
        with pytest.raises(kind, match=text):
            tl.eye(*args)


# -- deterministic fill --------------------------------------------------------------------------------------------------

@pytest.fixture
def deterministic():
    tl.use_deterministic_algorithms(True)
    yield
    tl.use_deterministic_algorithms(False)
    tl.utils.deterministic.fill_uninitialized_memory = True


UNWRITTEN = {tl.bool: b"\x01", tl.uint8: b"\xff", tl.int8: b"\x7f", tl.int64: b"\xff" * 7 + b"\x7f", tl.uint32: b"\xff" * 4,
             tl.float32: b"\0\0\xc0\x7f", tl.float64: b"\0" * 6 + b"\xf8\x7f", tl.float16: b"\0\x7e", tl.bfloat16: b"\xc0\x7f",
             tl.complex64: b"\0\0\xc0\x7f\0\0\0\0", tl.complex32: b"\0\x7e\0\0", tl.float8_e4m3fn: b"\x7f",
             tl.float8_e5m2: b"\x7f", tl.float8_e4m3fnuz: b"\x80", tl.float8_e8m0fnu: b"\xff", tl.bits16: b"\xff\xff",
             tl.uint4: b"\xff", tl.float4_e2m1fn_x2: b"\xff"}


@pytest.mark.parametrize("dtype", UNWRITTEN, ids=str)
def test_unwritten_memory_has_a_fixed_value(dtype, deterministic):
    for t in (tl.empty(3, dtype=dtype), tl.empty_strided((3,), (1,), dtype=dtype), tl.empty_permuted((3, 1), (1, 0), dtype=dtype),
              tl.empty_like(tl.zeros(3, dtype=dtype)), tl.zeros(1, dtype=dtype).new_empty(3)):
        assert bytes(t.untyped_storage().tolist()) == UNWRITTEN[dtype] * 3
    tl.utils.deterministic.fill_uninitialized_memory = False
    kept = tl.empty(3, dtype=dtype)          # no promise about its contents, but the call works
    assert kept.shape == (3,)


def test_gaps_of_a_strided_allocation_are_not_filled(deterministic):
    t = tl.empty_strided((2, 2), (4, 1))
    whole = t.as_strided((6,), (1,), 0)
    whole[2:4] = 5.0
    again = tl.empty_strided((2, 2), (4, 1))
    assert all(math.isnan(v) for row in again.tolist() for v in row) and whole[2:4].tolist() == [5, 5]


# -- new_* ---------------------------------------------------------------------------------------------------------------

def test_new_tensors_take_dtype_and_device_of_self():
    t = tl.ones(1, dtype=tl.int16)
    assert t.new_zeros(2, 3).tolist() == [[0] * 3] * 2 and t.new_ones((2,)).tolist() == [1, 1]
    assert t.new_full((2,), 7).tolist() == [7, 7] and t.new_tensor([1.9, 2]).tolist() == [1, 2]
    made = [t.new_empty(2), t.new_zeros(2), t.new_ones(2), t.new_full((2,), 1), t.new_tensor([1]), t.new_empty_strided((2,), (3,))]
    assert {x.dtype for x in made} == {tl.int16}
    with tl.device("meta"):
        assert {x.device.type for x in (t.new_empty(2), t.new_zeros(2), t.new_full((2,), 1), t.new_tensor([1]))} == {"cpu"}
    assert tl.ones(1, device="meta").new_full((2,), 3).device.type == "meta"
    assert t.new_empty(2, dtype=tl.float32, device="meta").dtype is tl.float32
    with pytest.raises(RuntimeError, match="without overflow"):
        t.new_full((1,), 70000)


def test_signatures_are_readable():
    import inspect
    for f in (*SIZED, tl.arange, tl.full, tl.linspace):
        assert "dtype" in inspect.signature(f).parameters and f.__doc__ and f.__module__
