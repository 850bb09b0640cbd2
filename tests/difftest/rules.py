"""Where tensorlib differs from torch on purpose, restated so that torch's side of a program can be corrected.

Every rule names the decision it follows (csrc and docs/differences cite the same numbers).  A rule never skips a step: it says
what holds instead, computed with torch on other operands or by brute force over addresses.
"""

import math

import torch

UNSIGNED = {torch.uint16: 16, torch.uint32: 32, torch.uint64: 64}
WIDE = {torch.uint16: torch.int64, torch.uint32: torch.int64, torch.uint64: torch.int64, torch.complex32: torch.complex64}
SIGNED_BITS = {torch.int8: 8, torch.int16: 16, torch.int32: 32, torch.int64: 64}
ALL_BITS = {torch.uint8: 8, **UNSIGNED, **SIGNED_BITS}
FLOAT_RESULT = ("div", "sqrt", "exp")
BOOL_RESULT = ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not")


# -- layouts -----------------------------------------------------------------------------------------------------------

def contiguous_strides(size):
    out, run = [], 1
    for n in reversed(size):
        out.append(run)
        run *= max(n, 1)
    return tuple(out[::-1])


def is_dense(t):
    run = 1
    if t.numel() == 0:
        return True
    for s, n in sorted((s, n) for n, s in zip(t.shape, t.stride()) if n != 1):
        if s != run:
            return False
        run *= n
    return True


def addresses(t):
    """The byte address of every element, in row-major order."""
    at = [t.untyped_storage().data_ptr() + t.storage_offset() * t.element_size()]
    for n, s in zip(t.shape, t.stride()):
        at = [a + k * s * t.element_size() for a in at for k in range(n)]
    return at


def repeats(t):
    at = addresses(t)
    return len(set(at)) < len(at)


def plain_layout(t):
    """Start, dtype, and sizes with strides once the axes that do not matter are dropped (decision 9)."""
    pairs = [(n, s) for n, s in zip(t.shape, t.stride()) if n != 1]
    return t.untyped_storage().data_ptr() + t.storage_offset() * t.element_size(), t.dtype, pairs


def same_storage(a, b):
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def disjoint(a, b):
    if not same_storage(a, b):
        return True
    touched = {x + k for x in addresses(a) for k in range(a.element_size())}
    return not any(x + k in touched for x in addresses(b) for k in range(b.element_size()))


def elementwise_write_is_refused(dst, inputs):
    """Decision 9: the destination repeats no place, and each input is disjoint from it or the identical view."""
    if dst.numel() == 0:
        return False
    return repeats(dst) or any(not disjoint(dst, x) and plain_layout(dst) != plain_layout(x) for x in inputs)


def row_major(t):
    return t.numel() == 0 or all(n == 1 or s == c for n, s, c in zip(t.shape, t.stride(), contiguous_strides(t.shape)))


def copy_is_refused(dst, src, op):
    """Decision 8: identical views and dense moves pass; any other shared byte, or a destination that repeats, does not."""
    if dst.numel() == 0 or plain_layout(dst) == plain_layout(src):
        return False
    if disjoint(dst, src):
        return repeats(dst) and not (op == "setitem" and src.numel() == 1)    # one value for all places (decision 10)
    if repeats(dst):
        return True
    a, b = list(dst.shape), list(src.shape)
    while a and a[0] == 1 and len(a) > len(b):
        del a[0]
    while b and b[0] == 1 and len(b) > len(a):
        del b[0]
    return not (dst.dtype == src.dtype and a == b and row_major(dst) and row_major(src))


def relaid(values, stride):
    """The same values with the strides that a rule asks for."""
    out = torch.empty_strided(tuple(values.shape), tuple(stride), dtype=values.dtype)
    return out.copy_(values)


# -- decision 13: unsigned arithmetic, complex32 ----------------------------------------------------------------------

def promote(a, b):
    """torch.promote_types, extended to the unsigned dtypes."""
    if a == b:
        return a
    if a in UNSIGNED or b in UNSIGNED:
        other = b if a in UNSIGNED else a
        mine = a if a in UNSIGNED else b
        if other == torch.bool:
            return mine
        if other.is_floating_point or other.is_complex:
            return other
        if other in UNSIGNED or other == torch.uint8:
            return max(a, b, key=ALL_BITS.get)
        if mine == torch.uint64:
            raise RuntimeError("uint64 with a signed tensor has no common dtype")
        return {16: torch.int32, 32: torch.int64}[UNSIGNED[mine]] if SIGNED_BITS[other] <= UNSIGNED[mine] else other
    return torch.promote_types(a, b)


def category(dtype):
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 0 if dtype == torch.bool else 1


def common_dtype(operands):
    """result_type over dimensioned tensors, zero-dim tensors and numbers, with the unsigned dtypes."""
    buckets = [None, None, None]
    for x in operands:
        if isinstance(x, torch.Tensor):
            k, dtype = (0 if x.dim() else 1), x.dtype
        else:
            k = 2
            dtype = {bool: torch.bool, int: torch.int64, float: torch.get_default_dtype(), complex: torch.complex64}[type(x)]
        buckets[k] = dtype if buckets[k] is None else promote(buckets[k], dtype)
    higher = None
    for dtype in buckets:
        if dtype is None:
            continue
        if higher is None:
            higher = dtype
        elif category(dtype) > category(higher):
            if category(dtype) == 3 and category(higher) == 2:
                dtype = {torch.float16: torch.complex32, torch.bfloat16: torch.complex64, torch.float32: torch.complex64,
                         torch.float64: torch.complex128}[higher]
            higher = dtype
    return higher


def result_dtype(step, operands):
    common = common_dtype(operands)
    if step.op in BOOL_RESULT:
        return torch.bool
    if step.op in FLOAT_RESULT and category(common) < 2:
        return torch.get_default_dtype()
    if step.op == "abs" and common.is_complex:
        return {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}[common]
    return common


def widened(t):
    """The tensor in a dtype that torch computes in: unsigned integers modulo 2**64 in int64, complex32 in complex64."""
    return in_dtype(t, WIDE.get(t.dtype, t.dtype))


def in_dtype(t, dtype):
    """The tensor in another dtype over a storage laid out the same, with the strides and the repetitions it has."""
    if t.dtype == dtype:
        return t
    whole = torch.empty(0, dtype=t.dtype).set_(t.untyped_storage()).to(dtype)
    return whole.as_strided(t.shape, t.stride(), t.storage_offset())


# -- decision 14: comparison with numbers that the dtype cannot hold ----------------------------------------------------

def compared_by_value(step, t):
    """The boolean that holds everywhere, or None where the comparison is an ordinary one."""
    number = step.facts.get("number")
    if step.op not in ("eq", "ne", "lt", "le", "gt", "ge") or type(number) is not int or category(t.dtype) != 1:
        return None
    bits = ALL_BITS[t.dtype]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if t.dtype in SIGNED_BITS else (0, (1 << bits) - 1)
    if low <= number <= high:
        return None
    above = number > high
    if step.facts.get("left"):
        return {"eq": False, "ne": True, "lt": not above, "le": not above, "gt": above, "ge": above}[step.op]
    return {"eq": False, "ne": True, "lt": above, "le": above, "gt": not above, "ge": not above}[step.op]


# -- decision 15: numbers that a float cannot hold -------------------------------------------------------------------------

def too_large(number, dtype):
    """A finite number beyond the largest one of the dtype raises wherever it is stored; torch's setitem makes it infinite."""
    if isinstance(number, bool) or category(dtype) < 2:
        return False
    parts = (number.real, number.imag) if isinstance(number, complex) else (number,)
    limit = torch.finfo(dtype).max
    return any(math.isfinite(p) and abs(p) > limit for p in parts)


# -- decision 16: floats to integers ------------------------------------------------------------------------------------

def truncated(value, dtype):
    """One float (or the real part of a complex number) as an integer of this dtype."""
    if isinstance(value, complex):
        value = value.real
    if dtype == torch.bool:
        return bool(value)
    if math.isnan(value):
        return 0
    bits = ALL_BITS[dtype]
    if dtype == torch.uint8:                   # through int64, then modulo 256
        return saturated(value, -(1 << 63), (1 << 63) - 1) % 256
    low, high = (0, (1 << bits) - 1) if dtype in UNSIGNED else (-(1 << bits - 1), (1 << bits - 1) - 1)
    return saturated(value, low, high)


def saturated(value, low, high):
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(value), low), high)


def cast(t, dtype):
    """t.to(dtype) by decision 16 where floats become integers; the strides are torch's."""
    plain = t.to(dtype)
    if category(t.dtype) < 2 or category(dtype) != 1:
        return plain
    source = t.to(torch.complex64) if t.dtype == torch.complex32 else t
    flat = [truncated(v, dtype) for v in source.flatten().tolist()]
    return relaid(torch.tensor(flat, dtype=dtype).reshape(t.shape), plain.stride()) if not repeats(plain) else plain
