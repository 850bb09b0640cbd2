"""Which dtype holds the values of two others: the lattice of type promotion, and why some pairs have none.

The rules are computed once from the rows of _dtypetable and pushed down to the core as a matrix of codes; the core asks back
only for pairs that the matrix does not answer.  How operands of different rank combine is in csrc/promotion.pxi.

Where the rules come from: PyTorch's, except for uint16, uint32 and uint64, which take part like any other integer.
"""
from . import _core
from ._dtypetable import ARITHMETIC, DTYPES

BOOL, INTEGRAL, FLOATING, COMPLEX = range(4)   # values of "category"
ASK = 255                                      # the core's "no answer in the matrix"

_code = {row["name"]: code for code, row in enumerate(DTYPES)}


def common_row(a, b):
    """The row that holds the values of two arithmetic rows; None if there is none."""
    if a["category"] > b["category"]:
        a, b = b, a
    if a["category"] == b["category"] == INTEGRAL and a["signed"] != b["signed"]:
        return _signed_row_for_both(a, b)
    if a["category"] == FLOATING and b["category"] == COMPLEX:
        return _wider(DTYPES[_code[a["to_complex"]]], b)
    if a["category"] < b["category"]:
        return b                                   # the higher category as it is: int64 with float16 is float16
    if a["itemsize"] == b["itemsize"] and a is not b:
        return DTYPES[_code["float32"]]            # float16 and bfloat16: neither holds the other
    return _wider(a, b)


def _wider(a, b):
    return a if a["itemsize"] > b["itemsize"] else b


def _signed_row_for_both(a, b):
    """The smallest signed integer for an unsigned and a signed one: it must be wider than the unsigned."""
    unsigned, signed = (b, a) if a["signed"] else (a, b)
    if signed["itemsize"] > unsigned["itemsize"]:
        return signed
    for row in DTYPES[:ARITHMETIC]:
        if row["category"] == INTEGRAL and row["signed"] and row["itemsize"] == 2 * unsigned["itemsize"]:
            return row
    return None


def promotion_matrix():
    """The codes of all pairs of arithmetic dtypes, row by row; ASK where there is no common dtype."""
    matrix = bytearray([ASK]) * (ARITHMETIC * ARITHMETIC)
    for i, a in enumerate(DTYPES[:ARITHMETIC]):
        for j, b in enumerate(DTYPES[:i + 1]):
            row = common_row(a, b)
            if row is not None:
                matrix[i * ARITHMETIC + j] = matrix[j * ARITHMETIC + i] = _code[row["name"]]
    return matrix


def explain(a, b):
    """The answer for a pair of different dtypes outside the matrix: almost always an error that says why."""
    for integer, number in ((a, b), (b, a)):
        if _is_plain_unsigned(integer) and _is_plain_float(number):
            return number
    names = [DTYPES[_code[dtype.name]]["scalar_name"] for dtype in (a, b)]
    both = f"attempted to promote {names[0]} and {names[1]}"
    remedy = f"; convert one operand first, {a} and {b} have no common dtype"
    if any(name.startswith("Q") for name in names):
        raise RuntimeError(f"Promotion with quantized types is not defined, offending types: {names[0]} {names[1]}{remedy}")
    if any(name.startswith("Bits") for name in names):
        raise RuntimeError(f"Promotion from {names[0]} and {names[1]} is unsupported{remedy}")
    if any(name.startswith("Float8") for name in names):
        raise RuntimeError(f"Promotion for Float8 Types is not supported, {both}{remedy}")
    if all(_code[dtype.name] < ARITHMETIC for dtype in (a, b)):
        raise RuntimeError(f"Promotion for uint64 with a signed integer is not supported (unlike uint16 and uint32 it has no "
                           f"signed type that holds both), {both}{remedy}")
    raise RuntimeError(f"Promotion for sub-byte types is not supported, {both}{remedy}")


def _is_plain_unsigned(dtype):
    """Unsigned integers other than uint8; beside a float, the float is the answer, even for the sub-byte ones."""
    return dtype.name.startswith("uint") and dtype.name != "uint8"


def _is_plain_float(dtype):
    return dtype.is_floating_point and not dtype.name.startswith("float8")


_core._set_promotion(bytes(promotion_matrix()), explain)
