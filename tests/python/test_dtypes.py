"""The small objects of csrc/attributes.pxi (dtype, layout, memory_format, Size), the default dtype and the fill switches."""
import copy
import gc
import json
import math
import pathlib
import pickle
import random
import re
import sys

import pytest

import tensorlib as tl
from tensorlib._dtypetable import ARITHMETIC, CASTABLE, DTYPES

DATA = pathlib.Path(__file__).parents[1] / "data" / "dtypes.json"
GOLDEN = json.loads(DATA.read_text()) if DATA.exists() else {"dtypes": []}
ALL = [getattr(tl, row["name"]) for row in DTYPES]
LAYOUTS = ["_mkldnn", "jagged", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "strided"]
FORMATS = ["channels_last", "channels_last_3d", "contiguous_format", "preserve_format"]
SINGLETONS = ALL + [getattr(tl, name) for name in LAYOUTS + FORMATS]


@pytest.fixture(autouse=True)
def defaults_restored():
    yield
    tl.set_default_dtype(tl.float32)
    tl.use_deterministic_algorithms(False)
    tl.utils.deterministic.fill_uninitialized_memory = True


def outcome(function):
    """The value, or what was raised, as the golden file writes it."""
    try:
        return function()
    except (RuntimeError, TypeError) as error:
        return {"err": type(error).__name__, "msg": str(error)}


# -- dtype ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("record", GOLDEN["dtypes"], ids=lambda record: record["name"])
def test_golden_attributes(record):
    dtype = getattr(tl, record["name"])
    for name in ("name", "itemsize", "is_floating_point", "is_complex", "abbr"):
        assert getattr(dtype, name) == record[name], name
    assert list(dtype.aliases) == record["aliases"]
    assert all(getattr(tl, alias) is dtype for alias in record["aliases"])
    answers = {"repr": repr(dtype), "is_signed": outcome(lambda: dtype.is_signed),
               "to_real": outcome(lambda: repr(dtype.to_real())), "to_complex": outcome(lambda: repr(dtype.to_complex()))}
    for name, answer in answers.items():
        expected = record[name]
        assert answer == (expected.replace("torch.", "tensorlib.") if isinstance(expected, str) else expected), name


def test_there_are_46_and_no_name_is_used_twice():
    names = [name for dtype in ALL for name in (dtype.name, *dtype.aliases)]
    assert len(ALL) == 46
    assert len(set(map(id, ALL))) == 46
    assert len(set(names)) == len(names)
    assert len({dtype.abbr for dtype in ALL}) == 46


@pytest.mark.parametrize("dtype", ALL[:CASTABLE], ids=str)
def test_facts_that_the_name_states(dtype):
    kind, digits = re.match(r"b?([a-z]+)(\d*)", dtype.name).groups() if dtype is not tl.bool else ("bool", "8")
    assert dtype.itemsize * 8 == int(digits)
    assert dtype.is_floating_point == (kind == "float")
    assert dtype.is_complex == (kind == "complex")
    assert dtype.is_signed == (kind not in ("bool", "uint") and dtype is not tl.float8_e8m0fnu)
    assert dtype.kind == {"bool": "b", "uint": "u", "int": "i", "float": "f", "complex": "c"}[kind]
    if dtype.is_complex:
        assert dtype.to_real().itemsize * 2 == dtype.itemsize
        assert dtype.to_real().to_complex() is dtype
        assert dtype.to_complex() is dtype
    else:
        assert dtype.to_real() is dtype


@pytest.mark.parametrize("value", SINGLETONS, ids=str)
def test_one_object_for_good(value):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) is value
    assert copy.copy(value) is value
    assert copy.deepcopy([value])[0] is value
    assert str(value) == repr(value) == f"tensorlib.{value.name}"
    assert {value: 1}[value] == 1
    assert value != value.name


@pytest.mark.parametrize("name", ["dtype", "layout", "memory_format"])
def test_closed_classes(name):
    cls = getattr(tl, name)
    assert (cls.__module__, cls.__qualname__) == ("tensorlib", name)
    for arguments in ((), ("float32",)):
        with pytest.raises(TypeError, match=rf"^cannot create 'tensorlib\.{name}' instances$"):
            cls(*arguments)
    with pytest.raises(TypeError):
        cls.__new__(cls)
    with pytest.raises(TypeError):
        object.__new__(cls)
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Derived", (cls,), {})


def test_attributes_are_read_only_and_closed():
    with pytest.raises(AttributeError, match="attribute 'abbr' of 'tensorlib.dtype' objects is not writable"):
        tl.float32.abbr = "x"
    with pytest.raises(AttributeError, match="'tensorlib.dtype' object has no attribute 'foo'"):
        tl.float32.foo  # noqa: B018
    with pytest.raises(AttributeError):
        tl.float32.foo = 1
    with pytest.raises(TypeError, match="'<' not supported between instances of 'tensorlib.dtype' and 'tensorlib.dtype'"):
        tl.float32 < tl.float64  # noqa: B015


def test_numpy_dtype():
    numpy = pytest.importorskip("numpy")
    for row, dtype in zip(DTYPES, ALL, strict=True):
        if row["numpy"]:
            assert dtype.__numpy_dtype__ == numpy.dtype(row["name"])
            assert dtype.__numpy_dtype__.itemsize == dtype.itemsize
            assert dtype.__numpy_dtype__.kind == dtype.kind
        elif dtype in ALL[CASTABLE:]:
            with pytest.raises(TypeError, match="view the tensor as uint8"):
                dtype.__numpy_dtype__  # noqa: B018


def test_numpy_dtype_of_what_numpy_lacks(monkeypatch):
    numpy = pytest.importorskip("numpy")
    try:
        import ml_dtypes
    except ImportError:
        pass
    else:
        assert tl.bfloat16.__numpy_dtype__ == numpy.dtype(ml_dtypes.bfloat16)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)      # as if it were not installed
    with pytest.raises(TypeError, match=r"tensorlib\.bfloat16: install ml_dtypes"):
        tl.bfloat16.__numpy_dtype__  # noqa: B018


# -- default dtype and fill switches ----------------------------------------------------------------------------------

def test_default_dtype():
    assert tl.get_default_dtype() is tl.float32
    for dtype in ALL:
        if dtype in (tl.float16, tl.bfloat16, tl.float32, tl.float64):
            tl.set_default_dtype(dtype)
            assert tl.get_default_dtype() is dtype
            assert tl.empty(1).dtype is dtype
        else:
            before = tl.get_default_dtype()
            with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
                tl.set_default_dtype(dtype)
            assert tl.get_default_dtype() is before
    for wrong in ("float32", float, None, 1):
        with pytest.raises(TypeError, match="invalid dtype object: only floating-point types"):
            tl.set_default_dtype(wrong)
    with pytest.raises(TypeError):
        tl.set_default_dtype()
    with pytest.raises(TypeError):
        tl.set_default_dtype(d=tl.float32)


def test_default_complex_follows():
    for dtype, expected in ((tl.float16, tl.complex32), (tl.float32, tl.complex64), (tl.float64, tl.complex128)):
        tl.set_default_dtype(dtype)
        assert tl.tensor(1j).dtype is expected
    tl.set_default_dtype(tl.bfloat16)
    with pytest.raises(RuntimeError, match="invalid default scalar type for complex"):
        tl.tensor(1j)
    assert tl.result_type(1j, 1) is tl.complex64


def test_python_types_stand_for_dtypes():
    for python, dtype in ((float, tl.float64), (int, tl.int64), (bool, tl.bool), (complex, tl.complex128)):
        assert tl.promote_types(python, python) is dtype
        assert tl.empty(2, dtype=python).dtype is dtype
    for wrong, name in (("float32", "str"), (1, "int"), (str, "type"), (tl.strided, r"tensorlib\.layout")):
        with pytest.raises(TypeError, match=rf"must be tensorlib\.dtype, not {name}$"):
            tl.empty(2, dtype=wrong)


def test_deterministic_switches():
    deterministic = tl.utils.deterministic
    assert tl.are_deterministic_algorithms_enabled() is False
    assert deterministic.fill_uninitialized_memory is True
    tl.use_deterministic_algorithms(True)
    assert tl.are_deterministic_algorithms_enabled() is True
    assert all(map(math.isnan, tl.empty(100).tolist()))
    deterministic.fill_uninitialized_memory = False
    assert deterministic.fill_uninitialized_memory is False
    tl.use_deterministic_algorithms(False, warn_only=True)
    assert tl.are_deterministic_algorithms_enabled() is False
    for arguments, keywords in (((1,), {}), ((None,), {}), ((True,), {"warn_only": 0})):
        with pytest.raises(TypeError, match="must be bool"):
            tl.use_deterministic_algorithms(*arguments, **keywords)
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        deterministic.fill_uninitialized_memory = 2
    assert deterministic.fill_uninitialized_memory is False


# -- Size -------------------------------------------------------------------------------------------------------------

class Two:
    def __index__(self):
        return 2


def sized(value):
    """As its tuple says it is, and truly a Size of plain integers."""
    assert type(value) is tl.Size
    assert all(type(item) is int for item in value)
    return tuple(value)


def test_size_agrees_with_tuple_on_random_operations():
    rng = random.Random(7)
    for _ in range(2000):
        plain = tuple(rng.randrange(2**40) for _ in range(rng.randrange(6)))
        other = tuple(rng.randrange(9) for _ in range(rng.randrange(4)))
        size = tl.Size(plain)
        cut = slice(*(rng.choice([None, *range(-7, 8)]) for _ in range(2)), rng.choice([None, 1, 2, -1, -3]))
        count = rng.randrange(-1, 4)
        assert sized(size) == plain
        assert size == plain
        assert hash(size) == hash(plain)
        assert sized(size[cut]) == plain[cut]
        assert sized(size + other) == sized(size + tl.Size(other)) == plain + other
        assert sized(other + size) == other + plain
        assert sized(size * count) == sized(count * size) == plain * count
        assert repr(size) == str(size) == f"tensorlib.Size({list(plain)})"
        assert (size < other, size in {plain}, len(size)) == (plain < other, True, len(plain))
        product = 1
        for item in plain:
            product *= item
        assert size.numel() == product
        for i in range(-len(plain), len(plain)):
            assert size[i] == plain[i]


def test_size_takes_integers_only():
    assert sized(tl.Size([True, Two()])) == (1, 2)
    assert sized(tl.Size(iter([1, 2]))) == (1, 2)
    assert sized(tl.Size()) == ()
    assert sized(tl.Size([2**63 - 1, -1])) == (2**63 - 1, -1)
    for wrong, position, kind in (([2, 2.0], 1, "float"), ("a", 0, "str"), ([None], 0, "NoneType"), ([[1]], 0, "list")):
        with pytest.raises(TypeError, match=rf"takes an iterable of 'int' \(item {position} is '{kind}'\)"):
            tl.Size(wrong)
    with pytest.raises(ValueError, match="cannot fit 'int'"):
        tl.Size([2**70])
    size = tl.Size([2, 3])
    for operation in (lambda: size + (1.5,), lambda: (None,) + size, lambda: size + [1], lambda: [1] + size,
                      lambda: size * 1.0, lambda: tl.Size(5), lambda: tl.Size(x=1), lambda: tl.Size([1], [2])):
        with pytest.raises(TypeError):
            operation()
    with pytest.raises(IndexError):
        size[2]
    with pytest.raises(AttributeError):
        size.foo = 1
    assert tl.Size(size) is not size


def test_size_pickles_and_copies():
    size = tl.Size([2, 3])
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert sized(pickle.loads(pickle.dumps(size, protocol))) == (2, 3)
    assert sized(copy.copy(size)) == sized(copy.deepcopy(size)) == (2, 3)
    assert (tl.Size.__module__, tl.Size.__qualname__) == ("tensorlib", "Size")


def test_size_of_a_tensor():
    shape = tl.empty(2, 3, 0).shape
    assert sized(shape) == (2, 3, 0)
    assert shape.numel() == 0
    assert sized(tl.empty(()).shape) == ()
    assert len({shape, (2, 3, 0)}) == 1


def test_size_keeps_no_reference_too_many_or_too_few():
    big = 10**15                                # not one of the small integers that the interpreter keeps
    item = big + 1
    before = sys.getrefcount(item)
    for _ in range(100):
        size = tl.Size([item, Two()])
        size = (size + (item,))[1:] * 3
        size = pickle.loads(pickle.dumps((1,) + size))
        with pytest.raises(TypeError):
            tl.Size([item, item, "x"])
    assert size.numel() == 8 * item**3
    del size
    gc.collect()
    assert sys.getrefcount(item) == before


# -- layout and memory_format -----------------------------------------------------------------------------------------

def test_wrong_format_and_layout_objects_are_named():
    with pytest.raises(TypeError, match=r"'memory_format' must be tensorlib\.memory_format, not str"):
        tl.empty(2, memory_format="channels_last")
    with pytest.raises(TypeError, match=r"'layout' must be tensorlib\.layout, not str"):
        tl.empty(2, layout="strided")
    assert tl.empty(2).layout is tl.strided
    for name in LAYOUTS[:-1]:
        with pytest.raises(NotImplementedError, match=rf"tensorlib\.{name}"):
            tl.empty(2, layout=getattr(tl, name))


def test_layouts_and_formats_under_all_their_names():
    for cls, names in ((tl.layout, LAYOUTS), (tl.memory_format, [*FORMATS, "legacy_contiguous_format"])):
        assert sorted(name for name in dir(tl) if isinstance(getattr(tl, name), cls)) == sorted(names)
    assert tl.legacy_contiguous_format is tl.contiguous_format


def test_tables_and_objects_agree():
    for row, dtype in zip(DTYPES, ALL, strict=True):
        for field in ("name", "aliases", "abbr", "itemsize", "kind"):
            assert getattr(dtype, field) == row[field]
    assert [row["category"] is not None for row in DTYPES[:ARITHMETIC]] == [True] * ARITHMETIC


def test_compiled_classes_carry_the_public_module():
    for name in ("dtype", "layout", "memory_format", "device", "Size", "Tensor", "UntypedStorage"):
        cls = getattr(tl, name)
        assert f"{cls.__module__}.{cls.__qualname__}" == f"tensorlib.{name}"
        assert repr(cls) == f"<class 'tensorlib.{name}'>"
