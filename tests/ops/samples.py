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
    return CATEGORY_LETTERS[category] in row["on"] or (row["result"] == "float" and category < 2)


def draw(rng, dtype_row, kind="any"):
    """One Python number for the dtype."""
    category, name = dtype_row["category"], dtype_row["name"]
    if category == 0:
        return rng.random() < 0.5
    if category == 1:
        low, high = INT_RANGES[name]
        value = rng.choice([low, high, 0, 1, rng.randint(low, high), rng.randint(max(low, -9), 9)])
        return value
    if category == 2:
        value = rng.choice(FLOATS) if rng.random() < 0.4 else rng.uniform(-8, 8)
        return clipped(value, kind)
    return complex(rng.uniform(-4, 4), rng.uniform(-4, 4))


def clipped(value, kind):
    if kind == "small" and abs(value) > 80:
        return 80.0 if value > 0 else -80.0
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
    kinds = [row["samples"] if row["samples"] in ("small",) else "any"] * count
    return [tensor(bool_row if row["inputs"][k] in row["masks"] else dtype_row, shape, f"{seed}/{k}", kinds[k])
            for k in range(count)]


def call(row, args, **kwargs):
    return getattr(tl, row["name"])(*args, **kwargs)


def payload(t):
    """The elements' bytes in logical order."""
    return bytes(t.contiguous().untyped_storage())[t.contiguous().storage_offset() * t.element_size():][:t.numel() * t.element_size()]


__all__ = ["ROWS", "REDUCTIONS", "DTYPE_ROWS", "accepts", "call", "in_layouts", "operands", "payload", "tensor", "values"]
