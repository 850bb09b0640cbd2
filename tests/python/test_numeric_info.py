"""finfo and iinfo: golden values, NumPy's values, and what the decoded bytes of the 8-bit floats say."""
import copy
import json
import math
import pathlib
import pickle

import pytest

import tensorlib as tl
from tensorlib._dtypetable import DTYPES

DATA = pathlib.Path(__file__).parents[1] / "data" / "dtypes.json"
GOLDEN = json.loads(DATA.read_text()) if DATA.exists() else {"dtypes": [], "float8_decode": {}}
FLOATS = [getattr(tl, row["name"]) for row in DTYPES if row["category"] == 2]
INTEGERS = [getattr(tl, row["name"]) for row in DTYPES if row["category"] == 1]


@pytest.mark.parametrize("kind", ["finfo", "iinfo"])
@pytest.mark.parametrize("record", GOLDEN["dtypes"], ids=lambda record: record["name"])
def test_golden(record, kind):
    dtype, expected = getattr(tl, record["name"]), record[kind]
    if "err" in expected:
        with pytest.raises(Exception) as caught:
            getattr(tl, kind)(dtype)
        assert type(caught.value).__name__ == expected["err"]
        return
    info = getattr(tl, kind)(dtype)
    assert repr(info) == str(info) == expected.pop("repr")
    for name, value in expected.items():
        value = float.fromhex(value["hex"]) if isinstance(value, dict) else value
        assert getattr(info, name) == value, name
        assert type(getattr(info, name)) is type(value), name


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_are_twos_complement(dtype):
    info = tl.iinfo(dtype)
    assert info.bits == 8 * dtype.itemsize
    assert info.max - info.min + 1 == 2**info.bits
    assert info.min == (-info.max - 1 if dtype.is_signed else 0)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64", "complex128"])
def test_agrees_with_numpy(name):
    numpy = pytest.importorskip("numpy")
    ours, theirs = tl.finfo(getattr(tl, name)), numpy.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours, field) == pytest.approx(float(getattr(theirs, field)), rel=1e-3), field
    assert (ours.max, ours.eps) == (float(theirs.max), float(theirs.eps))


@pytest.mark.parametrize("name", sorted(GOLDEN["float8_decode"]))
def test_eight_bit_floats_against_their_decoded_bytes(name):
    info = tl.finfo(getattr(tl, name))
    values = sorted(value for value in map(float, GOLDEN["float8_decode"][name]) if math.isfinite(value))
    assert (info.max, info.min) == (values[-1], values[0])
    positive = [value for value in values if value > 0]
    if name != "float8_e5m2fnuz":      # there PyTorch, and so the golden file, states the spacing below 1
        assert info.eps == min(value for value in positive if value > 1) - 1
    # Below the smallest normal number the spacing no longer halves with the value.
    normal = [value for value in positive if value >= info.tiny]
    digits = sum(1 for value in positive if 1 <= value < 2)
    assert len([value for value in normal if value < 2 * info.tiny]) == digits
    assert len([value for value in positive if info.tiny / 2 <= value < info.tiny]) < digits or digits == 1


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_relations(dtype):
    info = tl.finfo(dtype)
    assert info.tiny == info.smallest_normal
    assert info.bits == 8 * dtype.itemsize
    assert info.dtype == dtype.name
    assert math.frexp(info.eps)[0] == math.frexp(info.tiny)[0] == 0.5     # powers of two
    assert info.resolution >= info.eps / 2


def test_defaults_and_python_types():
    assert tl.finfo() == tl.finfo(tl.float32)
    assert tl.finfo(type=float) == tl.finfo(tl.float64) == tl.finfo(tl.complex128)
    assert tl.iinfo(int) == tl.iinfo(tl.int64)
    assert tl.finfo(tl.float16) != tl.finfo(tl.float32)
    assert tl.finfo(tl.float32) != tl.iinfo(tl.int32)
    tl.set_default_dtype(tl.float64)
    try:
        assert tl.finfo().dtype == "float64"
    finally:
        tl.set_default_dtype(tl.float32)


@pytest.mark.parametrize(("function", "words"), [
    (lambda: tl.finfo("float32"), r"finfo\(\): argument 'type' \(position 1\) must be tensorlib\.dtype, not str"),
    (lambda: tl.finfo([]), "not list"),
    (lambda: tl.iinfo(tl.strided), r"not tensorlib\.layout"),
    (lambda: tl.finfo(tl.int32), r"requires a floating point input type. Use tensorlib\.iinfo"),
    (lambda: tl.finfo(tl.float4_e2m1fn_x2), "floating point input type"),
    (lambda: tl.iinfo(tl.float32), r"requires an integer input type. Use tensorlib\.finfo"),
    (lambda: tl.iinfo(tl.bool), r"tensorlib\.bool is not supported by tensorlib\.iinfo"),
    (lambda: tl.iinfo(), "missing 1 required positional argument")])
def test_errors(function, words):
    with pytest.raises(TypeError, match=words):
        function()


def test_values_are_read_only():
    info = tl.finfo(tl.float32)
    for name in ("max", "dtype", "foo"):
        with pytest.raises(AttributeError):
            setattr(info, name, 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(info)
    assert info.max == 3.4028234663852886e38
    assert copy.deepcopy(info) == pickle.loads(pickle.dumps(info)) == info
    assert type(info).__module__ == "tensorlib"
