"""The two tables say only what the generator and the policy layer understand, and the package offers exactly their rows."""

import ast
import re
from pathlib import Path

import pytest

import tensorlib as tl
from tensorlib import _dtypetable, _optable

ROOT = Path(__file__).resolve().parents[2]
DTYPES, OPS, REDUCTIONS = _dtypetable.DTYPES, _optable.OPS, _optable.REDUCTIONS
PUBLIC = [row for row in OPS if not row["name"].startswith("_")]
KINDS = {"b": "b", "u": "i", "i": "i", "f": "f", "c": "c"}     # letter of an expression -> letter of `on`


def by_name(row):
    return row["name"]


def test_names_are_used_once():
    dtype_names = [name for row in DTYPES for name in (row["name"], *row["aliases"])]
    assert len(dtype_names) == len(set(dtype_names))
    op_names = [name for row in OPS for name in (row["name"], *row["aliases"])] + [row["name"] for row in REDUCTIONS]
    assert len(op_names) == len(set(op_names))
    assert len(DTYPES) == 46


def test_dtypes_come_in_the_order_of_their_tiers():
    order = [("compute", "storage"), ("cast",), ("shell",)]
    places = [next(i for i, tiers in enumerate(order) if row["tier"] in tiers) for row in DTYPES]
    assert places == sorted(places)
    assert places.count(0) == _dtypetable.ARITHMETIC
    assert places.count(0) + places.count(1) == _dtypetable.CASTABLE


@pytest.mark.parametrize("row", DTYPES, ids=by_name)
def test_dtype_row(row):
    assert tuple(row) == _dtypetable.FIELDS
    known = {other["name"]: other for other in DTYPES}
    assert row["itemsize"] in (1, 2, 4, 8, 16)
    if row["tier"] == "shell":
        assert row["compute"] is None and row["category"] is None
    else:
        assert row["category"] in (0, 1, 2, 3)
        compute = known[row["compute"]]
        assert compute["tier"] == "compute" and (compute is row) == (row["tier"] == "compute")
        assert compute["itemsize"] >= row["itemsize"] and compute["category"] == row["category"]
    if row["to_complex"]:
        assert known[row["to_complex"]]["category"] == 3
    for name in (row["name"], *row["aliases"]):
        dtype = getattr(tl, name)
        assert isinstance(dtype, tl.dtype) and dtype is getattr(tl, row["name"])
        assert (dtype.itemsize, dtype.abbr, dtype.kind) == (row["itemsize"], row["abbr"], row["kind"])


def expression_for(row, key, letter):
    """The C expression that an element of kind `letter` takes in this row, by the rule the tables state."""
    expression = row[key]
    if isinstance(expression, str):
        return expression
    return expression.get(letter, expression.get("i") if letter == "u" else None)


@pytest.mark.parametrize("row", OPS, ids=by_name)
def test_op_row(row):
    names = {other["name"]: other for other in OPS}
    assert set(row["on"]) <= set("bifc8") and row["on"]
    assert row["result"] in ("promote", "float", "double", "bool", "real", "float_real", "complex")
    assert row["out"] in ("cast", "any", "exact") and row["zero_dim"] in ("rounded", "kept")
    assert row["promotes"] and set(row["promotes"]) <= set(row["inputs"]) and not set(row["promotes"]) & set(row["masks"])
    assert row["masks"] in ([], row["inputs"][:1]) and (not row["masks"] or len(row["inputs"]) == 3)
    assert row["with_number"] is None or (set(row["with_number"]) <= set(row["on"]) and len(row["inputs"]) > 1)
    assert row["beyond"] is None or (row["result"] == "bool" and len(row["inputs"]) == 2 and len(row["beyond"]) == 2)
    assert not row["refuses_bool"] or "b" not in row["on"]
    if row["result"].startswith("float"):
        assert not set(row["on"]) & set("bi"), "bool and integers are computed as the default dtype"
    assert row["samples"] in ("any", "small", "nonzero_right")
    assert row["module"] in ("", "nn.functional", "special") and not (row["module"] and row["method"])
    assert all(also.rpartition(".")[0] in ("nn.functional", "special") for also in row["also"])
    assert not row["inplace_flag"] or "nn.functional" in (row["module"], *(also.rpartition(".")[0] for also in row["also"]))
    assert len(row["parameters"]) <= 4 and not (row["parameters"] and row["form"])
    for parameter in row["parameters"]:
        assert parameter["none"] in ("refused", "zero", "nan", "max", "min") and parameter["kind"] in ("number", "float", "int")
        assert not (parameter["required"] and parameter["none"] != "refused")
        assert parameter["sample"] is not None or parameter["none"] != "refused"
        assert re.fullmatch(r"[a-z_]{2,}", parameter["name"])
    assert 1 <= len(row["inputs"]) <= 3
    operands = "abc"[:len(row["inputs"])]
    for letter, category in KINDS.items():
        expression = expression_for(row, "expr", letter)
        if category in row["on"] and not (letter == "u" and expression is None):
            assert expression, f"{row['name']} has no expression for {letter}"
            used = set(re.findall(r"(?<!\w)[abc](?!\w)", expression))
            assert used == set(operands), f"{row['name']} on {letter}: {expression} reads {used}"
            unused = [p["name"] for p in row["parameters"] if not re.search(rf"\b{p['name']}\b", expression)]
            assert unused in ([], [p["name"] for p in row["parameters"]]), f"{row['name']} on {letter} does not use {unused}"
    assert (row["alpha"] is None) or len(names[row["alpha"]]["inputs"]) == len(row["inputs"]) + 1
    if not row["name"].startswith("_"):
        assert row["doc"].endswith((".", ". ")) and row["example"]


@pytest.mark.parametrize("row", REDUCTIONS, ids=by_name)
def test_reduction_row(row):
    assert row["accumulate"] in ("wide", "same", "bool") and row["result"] in ("sum", "promote", "bool")
    assert row["start"] in ("zero", "one", "first")
    wanted = {"b"} if row["accumulate"] == "bool" else {c for c in row["on"] if c != "b" or row["accumulate"] == "same"}
    for letter in wanted:
        assert set(re.findall(r"(?<!\w)[ab](?!\w)", row["combine"][letter])) == {"a", "b"}


@pytest.mark.parametrize("row", PUBLIC, ids=by_name)
def test_package_offers_the_row(row):
    place = {"": tl, "nn.functional": tl.nn.functional, "special": tl.special}
    home = place[row["module"]]
    for name in (row["name"], *row["aliases"]):
        assert callable(getattr(home, name)), name
        assert hasattr(tl.Tensor, name) == row["method"], name
        assert hasattr(tl.Tensor, name + "_") == (row["method"] and row["inplace"]), name
        assert (home is tl) == hasattr(tl, name), name
    assert hasattr(home, row["name"] + "_") == row["inplace_function"]
    for also in row["also"]:
        module, _, name = also.rpartition(".")
        assert callable(getattr(place[module], name)), also
    assert row["doc"].split("``")[1] in getattr(home, row["name"]).__doc__
    if row["operator"]:
        assert hasattr(tl.Tensor, f"__{row['operator']}__")


def test_package_offers_the_reductions():
    for row in REDUCTIONS:
        assert callable(getattr(tl, row["name"])) and callable(getattr(tl.Tensor, row["name"]))


def test_no_other_list_of_dtypes():
    """Four or more dtype names in one list of the package belong into the table (a dict may add facts about dtypes)."""
    names = {name for row in DTYPES for name in (row["name"], *row["aliases"])}
    found = []
    for path in (ROOT / "tensorlib").rglob("*.py"):
        if path.name in ("_dtypetable.py", "selftest.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
                words = {item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)}
                if len(words & names) >= 4:
                    found.append(f"{path.name}, line {node.lineno}: {sorted(words & names)}")
    assert not found, "\n".join(found)


def test_versions_agree():
    """The version that pip reads, the one the core was built with and the one users see."""
    text = (ROOT / "tensorlib" / "_version.py").read_text()
    assert re.fullmatch(r'__version__ = "\d+\.\d+\.\d+"\n', text)
    assert f'"{tl.__version__}"' in text
    assert f"## {tl.__version__}" in (ROOT / "CHANGELOG.md").read_text()
