"""Operands for tests of the op table: every dtype, every layout, the values that break things.

Used by the tests of this folder and, without pytest or NumPy, by level_digest.py.
"""
import random

import tensorlib as tl
from tensorlib._dtypetable import ARITHMETIC, DTYPES
from tensorlib._optable import OPS, REDUCTIONS

ROWS = [row for row in OPS if not row["name"].startswith("_")]
DTYPE_ROWS = DTYPES[:ARITHMETIC]
CATEGORY_LETTERS = "bifc"
INT_RANGES = {row["name"]: (-(1 << (8 * row["itemsize"] - 1)) if row["signed"] else 0,
                            (1 << (8 * row["itemsize"] - row["signed"])) - 1) for row in DTYPE_ROWS if row["category"] == 1}
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 3.140625, 1e-3, 123.5, -65504.0, 1e-30, 6e-8, float("inf"), float("-inf"), float("nan")]


def accepts(row, dtype_row):
    """Whether the op takes the dtype; a "float" row converts bool and integers first."""
    category = dtype_row["category"]
    if isinstance(row["expr"], dict) and row["expr"].get(dtype_row["kind"], "") is None:
        return False
    return CATEGORY_LETTERS[category] in row["on"] or (row["result"].startswith(("float", "double")) and category < 2)


def draw(rng, dtype_row, kind="any"):
    """One Python number for the dtype."""
    category, name = dtype_row["category"], dtype_row["name"]
    if category == 0:
        return clipped(rng.random() < 0.5, kind)
    if category == 1:
        low, high = INT_RANGES[name]
        value = rng.choice([low, high, 0, 1, rng.randint(low, high), rng.randint(max(low, -9), 9)])
        return clipped(value, kind)
    if category == 2:
        value = rng.choice(FLOATS) if rng.random() < 0.4 else rng.uniform(-8, 8)
        return clipped(value, kind)
    return clipped(complex(rng.uniform(-4, 4), rng.uniform(-4, 4)), kind)


def clipped(value, kind):
    """The value as the row's `samples` wants it."""
    if kind == "small" and abs(value) > 80:
        return type(value)(80 if value > 0 else -80)
    if kind == "nonzero" and value == 0:
        return type(value)(1)
    return value


def values(dtype_row, n, seed, kind="any"):
    rng = random.Random(f"{dtype_row['name']}/{seed}")
    return [draw(rng, dtype_row, kind) for _ in range(n)]


def tensor(dtype_row, shape, seed, kind="any"):
    """A contiguous tensor of drawn values."""
    n = 1
    for size in shape:
        n *= size
    dtype = getattr(tl, dtype_row["name"])
    data = values(dtype_row, n, seed, kind)
    if dtype_row["category"] == 2:      # through float64, so that values beyond the dtype round as a cast does
        return tl.tensor(data, dtype=tl.float64).to(dtype).reshape(shape)
    return tl.tensor(data, dtype=dtype).reshape(shape)


def in_layouts(t):
    """The same values in other layouts: [(name, tensor)].  t has 3 dimensions or more."""
    reverse = tuple(range(t.dim()))[::-1]
    yield "contiguous", t
    yield "transposed", t.permute(reverse).clone(memory_format=tl.contiguous_format).permute(reverse)
    yield "swapped", t.transpose(0, 1).clone(memory_format=tl.contiguous_format).transpose(0, 1)
    shape = list(t.shape)
    wide = tl.empty(shape[:-1] + [2 * shape[-1] + 1], dtype=t.dtype)
    stepped = wide[..., 1::2]
    stepped.copy_(t)
    yield "stepped", stepped
    tall = tl.empty([3 * shape[0]] + shape[1:], dtype=t.dtype)
    rows = tall[2::3]
    rows.copy_(t)
    yield "rows", rows


def operands(row, dtype_row, shape, seed):
    """The tensors of one call; masks are bool."""
    bool_row = DTYPE_ROWS[0]
    count = len(row["inputs"])
    kinds = ["small" if row["samples"] == "small" else "any"] * count
    if row["samples"] == "nonzero_right":
        kinds[-1] = "nonzero"
    return [tensor(bool_row if row["inputs"][k] in row["masks"] else dtype_row, shape, f"{seed}/{k}", kinds[k])
            for k in range(count)]


def function_of(row, suffix=""):
    """The public function of a row, in the module where it lives."""
    place = tl
    for name in [*filter(None, row["module"].split(".")), row["name"] + suffix]:
        place = getattr(place, name)
    return place


def call(row, args, **kwargs):
    """The row's function of the operands, with the parameters of its samples."""
    given = {p["name"]: p["sample"] for p in row["parameters"]}
    return function_of(row)(*args, **given, **kwargs)


def call_inplace(row, target, others):
    """The row's in-place method, or its in-place function where it has no method."""
    given = {p["name"]: p["sample"] for p in row["parameters"]}
    if row["method"]:
        return getattr(target, row["name"] + "_")(*others, **given)
    return function_of(row, "_")(target, *others, **given)


def payload(t):
    """The elements' bytes in logical order."""
    return bytes(t.contiguous().untyped_storage())[t.contiguous().storage_offset() * t.element_size():][:t.numel() * t.element_size()]


__all__ = ["ROWS", "REDUCTIONS", "DTYPE_ROWS", "accepts", "call", "call_inplace", "function_of", "in_layouts", "operands",
           "payload", "tensor", "values"]
