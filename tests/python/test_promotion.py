"""Type promotion: the lattice of two dtypes, the three buckets, casts by category; golden grids and independent oracles."""
import itertools
import json
import pathlib
import random

import pytest

import tensorlib as tl
from tensorlib._dtypetable import ARITHMETIC, DTYPES

DATA = pathlib.Path(__file__).parents[1] / "data"
ALL = [getattr(tl, row["name"]) for row in DTYPES]
NUMBERS = ALL[:ARITHMETIC]
INTEGERS = [dtype for dtype in NUMBERS if dtype.kind in "iu"]
DEFAULTS = [tl.float16, tl.bfloat16, tl.float32, tl.float64]
UNDEFINED = "undefined"


@pytest.fixture(autouse=True)
def default_restored():
    yield
    tl.set_default_dtype(tl.float32)


def name_or_error(function, *arguments):
    try:
        return function(*arguments).name
    except RuntimeError:
        return UNDEFINED


# -- oracles: each rule said slowly, from what the dtypes can hold ----------------------------------------------------

def holds(dtype, other):
    """Whether every value of an integer or bool dtype is one of another's."""
    def limits(d):
        return (0, 1) if d is tl.bool else (tl.iinfo(d).min, tl.iinfo(d).max)
    return limits(dtype)[0] <= limits(other)[0] and limits(other)[1] <= limits(dtype)[1]


def precision(dtype):
    """(exponent bits, fraction bits) of a floating dtype, or of a complex one's components."""
    return {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}[dtype.to_real().name]


def lattice(a, b):
    """The smallest dtype of the higher category that holds both."""
    kinds = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    top = max(kinds[a.kind], kinds[b.kind])
    if top < 2:
        candidates = [d for d in NUMBERS if kinds[d.kind] == top and holds(d, a) and holds(d, b)]
        candidates = [d for d in candidates if d in (a, b) or d.kind == "i"]
        return min(candidates, key=lambda d: (d.itemsize, d not in (a, b)), default=None)
    needed = [precision(d) for d in (a, b) if kinds[d.kind] >= 2]
    candidates = [d for d in NUMBERS if kinds[d.kind] == top and d.to_real() is not tl.bfloat16 or d in (a, b)]
    candidates = [d for d in candidates if kinds[d.kind] == top
                  and all(e <= precision(d)[0] and f <= precision(d)[1] for e, f in needed)]
    return min(candidates, key=lambda d: d.itemsize)


def buckets(operands):
    """Three buckets; a lower one counts only if its category is higher, and takes its width from the higher one."""
    rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    found = [None, None, None]
    for operand in operands:
        if isinstance(operand, tl.Tensor):
            where, dtype = (0 if operand.dim() else 1), operand.dtype
        else:
            default = tl.get_default_dtype()
            where, dtype = 2, {bool: tl.bool, int: tl.int64, float: default, complex: default.to_complex()}[type(operand)]
        if found[where] is not None:
            dtype = lattice(found[where], dtype)
            if dtype is None:
                return None
        found[where] = dtype
    result = found[2]
    for dtype in (found[1], found[0]):
        if dtype is None or result is None:
            result = dtype or result
        elif dtype.kind == "f" and result.kind == "c":
            result = dtype.to_complex()
        elif rank[dtype.kind] >= rank[result.kind]:
            result = dtype
    return result


# -- promote_types ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("a", NUMBERS, ids=str)
def test_lattice_agrees_with_the_oracle(a):
    for b in NUMBERS:
        expected = lattice(a, b)
        assert name_or_error(tl.promote_types, a, b) == (expected.name if expected else UNDEFINED), (a, b)


def test_lattice_is_symmetric_and_idempotent():
    for a, b in itertools.product(ALL, ALL):
        assert name_or_error(tl.promote_types, a, b) == name_or_error(tl.promote_types, b, a), (a, b)
    for a in ALL:
        assert tl.promote_types(a, a) is a


def test_lattice_is_associative_without_the_wide_unsigned_types():
    classic = [d for d in NUMBERS if d not in (tl.uint16, tl.uint32, tl.uint64)]
    for a, b, c in itertools.product(classic, classic, classic):
        left = tl.promote_types(tl.promote_types(a, b), c)
        assert left is tl.promote_types(a, tl.promote_types(b, c)), (a, b, c)


def test_only_uint64_with_signed_is_undefined_among_numbers():
    undefined = {frozenset((a.name, b.name)) for a in NUMBERS for b in NUMBERS
                 if name_or_error(tl.promote_types, a, b) == UNDEFINED}
    assert undefined == {frozenset(("uint64", f"int{bits}")) for bits in (8, 16, 32, 64)}


@pytest.mark.parametrize(("a", "b", "words"), [
    ("uint64", "int8", ["UInt64", "Char", "signed"]),
    ("float8_e5m2", "float32", ["Float8 Types is not supported", "Float8_e5m2 and Float"]),
    ("bits8", "uint8", ["Promotion from Bits8 and Byte is unsupported"]),
    ("qint8", "float32", ["quantized", "QInt8", "Float"]),
    ("int4", "float32", ["sub-byte", "Int4 and Float"])])
def test_errors_name_both_dtypes(a, b, words):
    with pytest.raises(RuntimeError) as caught:
        tl.promote_types(getattr(tl, a), getattr(tl, b))
    for word in (*words, f"tensorlib.{a}", f"tensorlib.{b}"):
        assert word in str(caught.value)


def test_arguments_must_be_dtypes():
    for function in (tl.promote_types, tl.can_cast):
        with pytest.raises(TypeError, match=r"must be tensorlib\.dtype, not str"):
            function(tl.float32, "float32")
    assert tl.promote_types(float, tl.int8) is tl.float64


# -- can_cast ---------------------------------------------------------------------------------------------------------

def test_can_cast_looks_at_categories_only():
    order = "b i f c"
    for a, b in itertools.product(NUMBERS, NUMBERS):
        kinds = [order.index("i" if d.kind == "u" else d.kind) for d in (a, b)]
        assert tl.can_cast(a, b) == (kinds[0] <= kinds[1]), (a, b)


# -- result_type ------------------------------------------------------------------------------------------------------

def operand(rank, dtype):
    if rank == "py":
        return {"bool": True, "int": 7, "float": 2.5, "complex": 1j}[dtype]
    return tl.empty((2,) if rank == "dim" else (), dtype=getattr(tl, dtype))


COLUMNS = [(rank, d.name) for rank in ("dim", "zero") for d in NUMBERS] + [("py", k) for k in ("bool", "int", "float", "complex")]


@pytest.mark.parametrize("default", DEFAULTS, ids=str)
def test_result_type_agrees_with_the_oracle(default):
    tl.set_default_dtype(default)
    operands = [operand(*column) for column in COLUMNS]
    defined = 0
    for (i, a), (j, b) in itertools.product(enumerate(operands), enumerate(operands)):
        expected = buckets([a, b])
        assert name_or_error(tl.result_type, a, b) == (expected.name if expected else UNDEFINED), (COLUMNS[i], COLUMNS[j])
        defined += expected is not None
    assert 0 < len(operands)**2 - defined < 100


def test_results_of_calls_have_the_result_type():
    rng = random.Random(3)
    for _ in range(300):
        a, b = (operand(*rng.choice(COLUMNS)) for _ in range(2))
        if not (isinstance(a, tl.Tensor) or isinstance(b, tl.Tensor)):
            continue
        expected = buckets([a, b])
        if expected is None:
            with pytest.raises(RuntimeError):
                tl.add(a, b)
        else:
            assert tl.add(a, b).dtype is expected
            assert tl.eq(a, b).dtype is tl.bool


def test_a_tensor_of_one_element_or_of_none_is_not_zero_dim():
    f64 = tl.empty((), dtype=tl.float64)
    assert tl.result_type(tl.empty(1, dtype=tl.float32), f64) is tl.float32
    assert tl.result_type(tl.empty(0, dtype=tl.float32), f64) is tl.float32
    assert tl.result_type(tl.empty((), dtype=tl.float32), f64) is tl.float64
    assert tl.result_type(tl.empty(0, dtype=tl.int8), f64) is tl.float64


def test_result_type_refuses_other_objects():
    for wrong in ("a", None, [1], tl.float32):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            tl.result_type(tl.empty(2), wrong)


# -- golden grids -----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def golden():
    if not ((DATA / "promotion.json").exists() and (DATA / "overruled.json").exists()):
        pytest.skip("tests/data has no promotion.json")
    grids = json.loads((DATA / "promotion.json").read_text())
    for entry in json.loads((DATA / "overruled.json").read_text())["entries"]:
        if entry["file"] == "promotion.json" and entry["record"] in ("/promote_types", "/result_type_float32"):
            for pointer, value in entry["cells"]:
                _, row, _, column = pointer.split("/")
                grids[entry["record"][1:]][int(row)]["row"][int(column)] = value
    return grids


def cell(text):
    return UNDEFINED if text.startswith("!") else text


def test_golden_promote_types(golden):
    order = golden["promote_order"]
    for record in golden["promote_types"]:
        for name, expected in zip(order, record["row"], strict=True):
            answer = name_or_error(tl.promote_types, getattr(tl, record["a"]), getattr(tl, name))
            assert answer == cell(expected), (record["a"], name)


def test_golden_can_cast(golden):
    order = [getattr(tl, name) for name in golden["can_cast"]["order"]]
    for a, row in zip(order, golden["can_cast"]["rows_from_cols_to"], strict=True):
        assert "".join(str(int(tl.can_cast(a, b))) for b in order) == row, a


@pytest.mark.parametrize("default", DEFAULTS, ids=str)
def test_golden_result_type(golden, default):
    delta = {(d["a"], d["b"]): d["result"] for d in golden["result_type_delta"] if d["default"] == default.name}
    tl.set_default_dtype(default)
    columns = golden["result_type_columns"]
    for record in golden["result_type_float32"]:
        for column, expected in zip(columns, record["row"], strict=True):
            expected = delta.get((record["a"], column), expected)
            answer = name_or_error(tl.result_type, operand(*record["a"].split(":")), operand(*column.split(":")))
            assert answer == cell(expected), (record["a"], column)
