"""csrc/kernels.pxi, copy.pxi and reduce.pxi: random plans against the plain way of doing the same."""
import random

import numpy as np
import pytest

from kernel_table import BLOCK, Kernels, OPS, ROWS, built_levels, numpy_dtype
from tensorlib import _dtypetable, _optable

COMPUTE = [row["name"] for row in _dtypetable.DTYPES if row["tier"] == "compute"]
CASTABLE = [row["name"] for row in _dtypetable.DTYPES if row["compute"]]
SHELLS = ("bits8", "bits16", "qint32")
CATEGORY = "bifc"


@pytest.fixture(scope="module", params=built_levels())
def kernels(request):
    return Kernels(request.param)


def kernels_of(op):
    row = next(row for row in _optable.OPS if row["name"] == op)
    names = ("float64", "complex128") if row["result"] == "double" else COMPUTE
    return [name for name in names if CATEGORY[ROWS[name]["category"]] in row["on"]
            and (isinstance(row["expr"], str) or row["expr"].get(ROWS[name]["kind"], "") is not None)]


def values(rng, dtype, shape):
    """Small numbers of either sign, with some special ones, exact in every dtype wide enough."""
    draw = np.random.default_rng(rng.getrandbits(32))
    category, kind = ROWS[dtype]["category"], ROWS[dtype]["kind"]
    if category == 0:
        return draw.integers(0, 2, shape).astype(bool)
    if category == 1:
        return draw.integers(0 if kind == "u" else -99, 100, shape).astype(dtype)
    if ROWS[dtype]["tier"] in ("shell", "cast") or category is None:
        return draw.integers(0, 256, (*shape, ROWS[dtype]["itemsize"]), dtype=np.uint8).view(numpy_dtype(dtype))[..., 0]
    x = draw.integers(-64, 65, shape) / 8
    x = np.where(draw.random(shape) < 0.03, draw.choice([np.nan, np.inf, -np.inf, -0.0], shape), x)
    if category == 3:
        x = x + 1j * draw.integers(-8, 9, shape)
    return x


def stored(kernels, rng, dtype, shape):
    x = np.asarray(values(rng, dtype, shape))
    if x.dtype == numpy_dtype(dtype):
        return x
    return kernels.cast(x, "complex128" if x.dtype.kind == "c" else "float64", dtype)


def shapes(rng):
    """Shapes that make every case of the box cutter appear: short and long rows, many axes, sizes around a block."""
    style = rng.randrange(6)
    if style == 0:
        return [rng.choice([1, 2, 63, 64, 65, BLOCK - 1, BLOCK, BLOCK + 1, 1300])]
    if style == 1:
        return [rng.randrange(1, 400), rng.choice([1, 2, 3, 4, 7])]
    if style == 2:
        return [rng.randrange(1, 4), rng.choice([3, 17, 64]), rng.randrange(1, 40), rng.randrange(1, 12)]
    if style == 3:
        return [rng.randrange(20, 70), rng.randrange(20, 70)]
    if style == 4:
        return [2] * rng.randrange(1, 11)
    return [rng.randrange(1, 6) for _ in range(rng.randrange(0, 6))]


def laid_out(rng, x):
    """The same values somewhere in memory: permuted, with gaps, broadcast along no axis."""
    order = list(range(x.ndim))
    if rng.random() < 0.6:
        rng.shuffle(order)
    gaps = [rng.choice([1, 1, 1, 2, 3]) for _ in order]
    if rng.random() < 0.5:
        gaps = [1] * x.ndim
    pad = [rng.choice([0, 0, 1, 5]) if rng.random() < 0.3 else 0 for _ in order]
    memory = np.zeros([x.shape[d] * gaps[d] + pad[d] for d in order], x.dtype)
    view = memory.transpose(np.argsort(order)) if x.ndim else memory
    view = view[(*(slice(0, n * g, g) for n, g in zip(x.shape, gaps, strict=True)), ...)]
    view[...] = x
    return view, memory


def fastest_first(out, *others):
    """Permutes all operands so that the output's axes descend in stride, as the planner promises."""
    order = sorted(range(out.ndim), key=lambda d: (-abs(out.strides[d]), d))
    return [x.transpose(order) for x in (out, *others)]


def as_bytes(x):
    """One row of bytes an element."""
    return np.ascontiguousarray(x).reshape(-1).view(np.uint8).reshape(-1, x.itemsize)


def same_bits(a, b):
    return a.shape == b.shape and np.array_equal(as_bytes(a), as_bytes(b))


def numbers_equal(a, b):
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


# -- loops --

REFERENCE = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a, "abs": np.abs,
    "sqrt": np.sqrt, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "minimum": np.minimum, "maximum": np.maximum,
    "clamp": lambda a, b, c: np.minimum(np.maximum(a, b), c), "where": lambda a, b, c: np.where(a, b, c),
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor, "logical_not": np.logical_not,
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
    "bitwise_not": lambda a: ~a, "_add_alpha": lambda a, b, c: a + c * b, "_sub_alpha": lambda a, b, c: a - c * b,
    "_clamp_min": np.maximum, "_clamp_max": np.minimum, "div": lambda a, b: a / b,
}


@pytest.mark.parametrize("op", [op for op in OPS if op in REFERENCE])
def test_loops_agree_with_numpy(kernels, op):
    rng = random.Random(op)
    arity = len(next(row for row in _optable.OPS if row["name"] == op)["inputs"])
    result = next(row for row in _optable.OPS if row["name"] == op)["result"]
    for dtype in kernels_of(op):
        if ROWS[dtype]["category"] == 3 and op in ("abs", "sqrt", "div", "mul", "_add_alpha", "_sub_alpha"):
            continue                               # NumPy rounds otherwise; test_scalar.py has these
        assert kernels.has(op, dtype), dtype
        for n in (1, 5, 33, 200):
            operands = [values(rng, dtype, (n,)).astype(dtype) for _ in range(arity)]
            if op == "where":
                operands[0] = values(rng, "bool", (n,))
            for shape in range(3 if arity == 2 else 1):
                given = [x[:1] if shape == 2 - k and shape else x for k, x in enumerate(operands)]
                with np.errstate(all="ignore"):
                    want = REFERENCE[op](*[x if x.size == n else np.repeat(x, n) for x in given])
                out = np.empty(n, bool if result == "bool" else want.dtype if result == "real" else dtype)
                got = kernels.loop(op, dtype, shape, out, *given)
                assert numbers_equal(got, want.astype(out.dtype)), (dtype, n, shape, operands, got, want)


HALVES = ("float16", "bfloat16")
OF_HALVES = [row["name"] for row in _optable.OPS
             if "f" in row["on"] and len(row["inputs"]) < 3 and row["result"] not in ("double", "complex")]


@pytest.mark.parametrize("op", OPS)
def test_a_row_has_kernels_for_what_it_is_on_and_no_other_dtype(kernels, op):
    halves = HALVES if op in OF_HALVES else ()
    assert [name for name in ROWS if kernels.has(op, name)] == [name for name in ROWS if name in (*kernels_of(op), *halves)]


@pytest.mark.parametrize("op", OF_HALVES)
def test_loops_of_halves_give_the_float32_loops_rounded(kernels, op):
    """Bit for bit, every half among the operands, at every length of a tail; the constant operand is a float32."""
    row = next(row for row in _optable.OPS if row["name"] == op)
    arity, draw = len(row["inputs"]), np.random.default_rng(3)
    for half in HALVES:
        bits = np.arange(65536, dtype=np.uint16)
        for n in [*range(1, 36), *range(61, 68), *range(125, 131), 65536]:
            operands = [np.roll(bits, 17 * n)[:n], draw.permutation(bits)[:n]][:arity]
            wide = [kernels.cast(x.view(numpy_dtype(half)), half, "float32") for x in operands]
            for shape in range(3 if arity == 2 else 1):
                given, plain = list(operands), list(wide)
                if shape:
                    constant = np.array([draw.choice([0.1, -3.0, 1e-30, np.inf, 70000])], np.float32)
                    given[2 - shape] = plain[2 - shape] = constant
                out = np.full(n + 8, 0xA5A5, np.uint16)
                if row["result"] == "bool":
                    got = kernels.loop(op, half, shape, out.view(np.uint8)[:n], *given)
                    want = kernels.loop(op, "float32", shape, np.empty(n, np.uint8), *plain)
                    after = out.view(np.uint8)[n:]
                else:
                    got = kernels.loop(op, half, shape, out[:n], *given)
                    single = kernels.loop(op, "float32", shape, np.empty(n, np.float32), *plain)
                    nan = np.isnan(single)                         # which NaN an operation gives is not promised
                    want = np.where(nan, 0x7e01, kernels.cast(single, "float32", half).view(np.uint16))
                    assert np.isnan(kernels.cast(got.view(numpy_dtype(half)), half, "float32")[nan]).all()
                    got = np.where(nan, 0x7e01, got)
                    after = out[n:].view(np.uint8)
                assert np.array_equal(got, want), (half, n, shape)
                assert (after == 0xA5).all(), (half, n, shape)


# -- the block driver --

def plainly(kernels, op, compute, operands, dtypes, via, out_dtype):
    """Converted whole, computed whole, converted whole."""
    row = next(row for row in _optable.OPS if row["name"] == op)
    result = "bool" if row["result"] == "bool" else {"complex64": "float32", "complex128": "float64"}.get(compute, compute) \
        if row["result"] == "real" else compute
    ready = []
    for k, x in enumerate(operands):
        need = "bool" if op == "where" and k == 0 else compute
        x = np.asarray(x, order="C")
        for step in (via[k], need):
            if step != dtypes[k]:
                x, dtypes = kernels.cast(x, dtypes[k], step), [*dtypes[:k], step, *dtypes[k + 1:]]
        ready.append(x)
    out = kernels.loop(op, compute, 0, np.empty(ready[0].shape, numpy_dtype(result)), *ready)
    return out if result == out_dtype else kernels.cast(out, result, out_dtype)


@pytest.mark.parametrize("seed", range(12))
def test_elementwise_equals_the_plain_way(kernels, seed):
    rng = random.Random(seed)
    for case in range(40):
        op = rng.choice(list(OPS))
        compute = rng.choice(kernels_of(op))
        arity = len(next(row for row in _optable.OPS if row["name"] == op)["inputs"])
        shape = shapes(rng)
        mixed = rng.random() < 0.5
        dtypes = [rng.choice(CASTABLE) if mixed else compute for _ in range(arity)]
        via = list(dtypes)
        if op == "where":
            dtypes[0] = via[0] = rng.choice(["bool", "bool", "uint8"])
        if mixed and compute == "float32" and op != "where":
            via = [rng.choice([d, "float16", "bfloat16"]) for d in dtypes]
        row = next(row for row in _optable.OPS if row["name"] == op)
        native = "bool" if row["result"] == "bool" else compute
        if row["result"] == "real":
            native = {"complex64": "float32", "complex128": "float64"}.get(compute, compute)
        out_dtype = rng.choice(CASTABLE) if mixed else native
        operands, full = [], []
        for dtype in dtypes:
            kept = [n if rng.random() < 0.75 else 1 for n in shape] if rng.random() < 0.6 else list(shape)
            view, _ = laid_out(rng, stored(kernels, rng, dtype, kept))
            operands.append(np.broadcast_to(view, shape))
            full.append(np.broadcast_to(view, shape))
        out, memory = laid_out(rng, np.zeros(shape, numpy_dtype(out_dtype)))
        memory.reshape(-1).view(np.uint8)[...] = 0xA5
        before = memory.copy()
        in_place = [k for k in range(arity) if dtypes[k] == out_dtype and not (op == "where" and k == 0)]
        if in_place and rng.random() < 0.4:        # the identical view as an input
            k = rng.choice(in_place)
            out[...] = full[k]
            operands[k] = out
            full[k] = np.array(full[k])
            before = memory.copy()
        want = plainly(kernels, op, compute, full, dtypes, via, out_dtype)
        operands[:] = [x if x is out else x for x in operands]
        views = fastest_first(out, *operands)
        kernels.elementwise(op, compute, views[0], out_dtype, views[1:], dtypes, via)
        where = (op, compute, out_dtype, dtypes, via, shape, [x.strides for x in (out, *operands)], seed, case)
        assert same_bits(out, want), where
        inside = np.zeros(memory.shape, bool)
        _mark(inside, memory, out)
        assert np.array_equal(as_bytes(memory)[~inside.ravel()], as_bytes(before)[~inside.ravel()]), where


@pytest.mark.parametrize("seed", range(8))
def test_elementwise_of_halves_equals_the_plain_way(kernels, seed):
    """Operands of one half dtype, vectors or constants, one of them perhaps a constant in float32 or something wider."""
    rng = random.Random(2000 + seed)
    for case in range(60):
        op = rng.choice(OF_HALVES)
        row = next(row for row in _optable.OPS if row["name"] == op)
        half, shape = rng.choice(HALVES), shapes(rng)
        dtypes = [half] * len(row["inputs"])
        via = list(dtypes)
        if len(dtypes) == 2 and rng.random() < 0.5:
            k = rng.randrange(2)
            dtypes[k] = rng.choice(["float32", "float32", "int64", "float64"])
            via[k] = rng.choice([half, dtypes[k]])
        full = []
        for dtype in dtypes:
            kept = [n if rng.random() < 0.75 else 1 for n in shape] if rng.random() < 0.6 else list(shape)
            if dtype != half or rng.random() < 0.2:
                kept = [1] * len(shape)
            view, _ = laid_out(rng, stored(kernels, rng, dtype, kept))
            full.append(np.broadcast_to(view, shape))
        native = "bool" if row["result"] == "bool" else half
        out_dtype = rng.choice([native, native, "float32", "float64"])
        out, memory = laid_out(rng, np.zeros(shape, numpy_dtype(out_dtype)))
        operands = list(full)
        if dtypes[0] == out_dtype and rng.random() < 0.3:          # in place
            out[...] = full[0]
            operands[0], full[0] = out, np.array(full[0])
        want = plainly(kernels, op, "float32", full, dtypes, via, native)
        if out_dtype != native:
            want = kernels.cast(want, native, out_dtype)
        views = fastest_first(out, *operands)
        kernels.elementwise(op, "float32", views[0], out_dtype, views[1:], dtypes, via, native if native == half else out_dtype)
        where = (op, half, out_dtype, dtypes, via, shape, [x.strides for x in (out, *operands)], seed, case)
        assert same_bits(out, want), where


def _mark(inside, memory, view):
    """Marks the places of `memory` that `view`, a view of it, sees."""
    start = (view.ctypes.data - memory.ctypes.data) // memory.itemsize
    steps = [s // memory.itemsize for s in view.strides]
    places = np.full(view.shape, start)
    for d, s in enumerate(steps):
        places += (np.arange(view.shape[d]) * s).reshape([-1 if e == d else 1 for e in range(view.ndim)])
    inside.reshape(-1)[places.ravel()] = True


# -- copies --

@pytest.mark.parametrize("seed", range(8))
def test_copy_equals_the_plain_way(kernels, seed):
    rng = random.Random(1000 + seed)
    for case in range(80):
        src_dtype = rng.choice([*CASTABLE, *SHELLS])
        dst_dtype = src_dtype if src_dtype in SHELLS or rng.random() < 0.6 else rng.choice(CASTABLE)
        shape = shapes(rng)
        kept = [n if rng.random() < 0.8 else 1 for n in shape] if rng.random() < 0.4 else list(shape)
        view, _ = laid_out(rng, stored(kernels, rng, src_dtype, kept))
        x = np.broadcast_to(view, shape)
        out, memory = laid_out(rng, np.zeros(shape, numpy_dtype(dst_dtype)))
        memory.reshape(-1).view(np.uint8)[...] = 0x5A
        before = memory.copy()
        want = np.array(x, order="C")
        if src_dtype != dst_dtype:
            want = kernels.cast(want, src_dtype, dst_dtype)
        ordered = fastest_first(out, x)
        kernels.copy(ordered[0], dst_dtype, ordered[1], src_dtype)
        where = (src_dtype, dst_dtype, shape, x.strides, out.strides, seed, case)
        assert same_bits(out, want), where
        inside = np.zeros(memory.shape, bool)
        _mark(inside, memory, out)
        assert np.array_equal(as_bytes(memory)[~inside.ravel()], as_bytes(before)[~inside.ravel()]), where


@pytest.mark.parametrize("shift", (1, 3, 100, 5000))
@pytest.mark.parametrize("dtype", ("uint8", "float32", "complex128"))
def test_contiguous_copies_may_overlap(kernels, dtype, shift):
    for down in (False, True):
        memory = np.arange(20000).astype(dtype)
        want = memory.copy()
        n = memory.size - shift
        src, dst = (slice(shift, None), slice(0, n)) if down else (slice(0, n), slice(shift, None))
        want[dst] = memory[src].copy()
        kernels.copy(memory[dst], dtype, memory[src], dtype)
        assert np.array_equal(memory, want)


def test_ranges(kernels):
    for dtype in CASTABLE:
        for n in (0, 1, 511, 512, 1500):
            step = 1 if n < 200 else 3
            want = np.arange(n, dtype=np.int64) * step - 7
            assert same_bits(kernels.range("integer_range", dtype, -7, step, n),
                             want if dtype == "int64" else kernels.cast(want, "int64", dtype)), dtype
            want = 0.5 + np.arange(n) * 0.1
            assert same_bits(kernels.range("float_range", dtype, 0.5, 0.1, n),
                             want if dtype == "float64" else kernels.cast(want, "float64", dtype)), dtype
    assert kernels.range("integer_range", "int64", 2 ** 62, 2 ** 62, 3).tolist() == [2 ** 62, -2 ** 63, -2 ** 62]


# -- reductions --

def accumulator(row, dtype):
    if row["accumulate"] == "bool":
        return "bool"
    category = ROWS[dtype]["category"]
    if row["accumulate"] == "wide":
        return {0: "int64", 1: "uint64" if dtype == "uint64" else "int64", 2: "float64", 3: "complex128"}[category]
    return ROWS[dtype]["compute"]


def combine(kernels, row, acc, a, b):
    op = {"sum": "add", "mean": "add", "amax": "maximum", "amin": "minimum", "all": "bitwise_and", "any": "bitwise_or"}[row["name"]]
    if acc == "bool" and row["name"] in ("amax", "amin"):
        op = {"amax": "bitwise_or", "amin": "bitwise_and"}[row["name"]]
    return kernels.loop(op, acc, 0, np.empty(a.shape, a.dtype), np.ascontiguousarray(a), np.ascontiguousarray(b))


def tree(kernels, row, acc, x):
    """The tree of csrc/reduce.pxi, step by step; x: (reduced, outputs) in the accumulator's dtype."""
    n, outputs = x.shape
    start = np.full(outputs, {"zero": 0, "one": 1, "first": 0}[row["start"]], x.dtype)
    stack = []
    for number, at in enumerate(range(0, n, BLOCK)):
        block = x[at:at + BLOCK]
        lanes = np.array(np.broadcast_to(block[0] if row["start"] == "first" else start, (16, outputs)), order="C")
        for i in range(0, len(block), 16):
            line = block[i:i + 16]
            lanes[:len(line)] = combine(kernels, row, acc, lanes[:len(line)], line)
        lanes = lanes[:len(block)]
        for half in (8, 4, 2, 1):
            if len(lanes) > half:
                pairs = len(lanes) - half
                lanes = np.concatenate([combine(kernels, row, acc, lanes[:pairs], lanes[half:]), lanes[pairs:half]])
        stack.append(lanes[0])
        while number & 1:
            newer = stack.pop()
            stack[-1] = combine(kernels, row, acc, stack[-1], newer)
            number >>= 1
    while len(stack) > 1:
        newer = stack.pop()
        stack[-1] = combine(kernels, row, acc, stack[-1], newer)
    total = stack[0] if stack else start
    if row["name"] == "mean":
        with np.errstate(invalid="ignore"):
            total = (total.view(np.float64) / np.float64(n)).view(total.dtype)
    if row["accumulate"] == "wide" and total.dtype.kind in "fc":
        parts = total.view(np.float64)
        parts[np.isnan(parts)] = np.nan            # which NaN an addition gives is the processor's affair
    return total


@pytest.mark.parametrize("red", [row["name"] for row in _optable.REDUCTIONS])
def test_reductions_follow_their_tree_in_every_layout(kernels, red):
    row = next(row for row in _optable.REDUCTIONS if row["name"] == red)
    rng = random.Random(red)
    arithmetic = [row["name"] for row in _dtypetable.DTYPES[:_dtypetable.ARITHMETIC]]
    for case in range(80):
        dtype = rng.choice([d for d in arithmetic if CATEGORY[ROWS[d]["category"]] in row["on"]])
        acc = accumulator(row, dtype)
        shape = rng.choice([shapes(rng), [rng.choice([3, 100, 600, 1100, 2600])],
                            [rng.randrange(1, 1300), rng.choice([1, 3, 9, 70, 300])],
                            [rng.choice([3, 20]), rng.randrange(1, 700)], [rng.randrange(0, 3), rng.randrange(0, 5), 2]])
        axes = sorted(rng.sample(range(len(shape)), rng.randrange(0, len(shape) + 1)))
        if row["start"] == "first" and any(shape[d] == 0 for d in axes):
            continue
        x, _ = laid_out(rng, stored(kernels, rng, dtype, shape))
        if rng.random() < 0.2:
            keep = [n if rng.random() < 0.7 else 1 for n in shape]
            x = np.broadcast_to(laid_out(rng, stored(kernels, rng, dtype, keep))[0], shape)
        kept = [d for d in range(len(shape)) if d not in axes]
        whole = np.ascontiguousarray(x.transpose([*axes, *kept]))
        whole = whole.reshape(int(np.prod([shape[d] for d in axes])), -1) if whole.size else \
            np.zeros((int(np.prod([shape[d] for d in axes])), int(np.prod([shape[d] for d in kept]))), whole.dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            total = tree(kernels, row, acc, whole if acc == dtype else kernels.cast(whole, dtype, acc))
        out_dtype = {"sum": acc if ROWS[dtype]["category"] < 2 else dtype, "bool": "bool", "promote": dtype}[row["result"]]
        want = total if out_dtype == acc else kernels.cast(total, acc, out_dtype)
        order = sorted(range(len(kept)), key=lambda k: (x.strides[kept[k]], -k))
        got = kernels.reduce(red, x, dtype, acc, out_dtype, axes, order)
        assert same_bits(got, want.reshape(got.shape)), (dtype, shape, axes, x.strides, case, got, want)


def test_sums_are_accurate(kernels):
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 1, 3_000_001).astype(np.float32)
    got = kernels.reduce("sum", x, "float32", "float64", "float64", [0])
    assert abs(got - np.sum(x.astype(np.longdouble))) / got < 1e-15
    assert np.isnan(kernels.reduce("mean", x[:0], "float32", "float64", "float32", [0]))
    assert kernels.reduce("sum", x[:0], "float32", "float64", "float32", [0]) == 0
    assert kernels.reduce("all", x[:0], "float32", "bool", "bool", [0])
    assert not kernels.reduce("any", x[:0], "float32", "bool", "bool", [0])
