"""copy_, clone, contiguous, to, fill_: every pair of dtypes and layouts, memory formats, overlap."""
import math
import struct
from fractions import Fraction

import pytest
import tensorlib as tl

from tensorlib._dtypetable import CASTABLE, DTYPES
from ops.samples import DTYPE_ROWS, in_layouts, payload, tensor

SHAPE = (4, 3, 7)
PAIRS = [pytest.param(a, b, id=f"{a['name']}-{b['name']}") for a in DTYPE_ROWS for b in DTYPE_ROWS]
RANGES = {row["name"]: (-(1 << (8 * row["itemsize"] - 1)) if row["signed"] else 0,
                        (1 << (8 * row["itemsize"] - row["signed"])) - 1) for row in DTYPES if row["category"] == 1}


def flat(nested):
    return [x for part in nested for x in flat(part)] if isinstance(nested, list) else [nested]


def wrapped(value, name):
    low, high = RANGES[name]
    return (value - low) % (high - low + 1) + low


def nearest(value, name):
    """A finite real number rounded once, half to even, to a binary format; infinity beyond it."""
    bits = {"float16": (11, -14, 65504), "bfloat16": (8, -126, float.fromhex("0x1.fep127")),
            "float32": (24, -126, float.fromhex("0x1.fffffep127"))}[name]
    precision, lowest, top = bits
    if value == 0 or value != value or math.isinf(value):
        return value
    exponent = max(math.frexp(value)[1] - 1, lowest)
    ulp = Fraction(2) ** (exponent - precision + 1)
    rounded = float(round(Fraction(value) / ulp) * ulp)
    return math.copysign(math.inf if abs(rounded) > top else abs(rounded), value)


def to_int(value, name):
    """Decision 16: truncation; uint8 through int64 and wrapped; NaN is 0 and the rest saturates."""
    low, high = RANGES["int64" if name == "uint8" else name]
    if value != value:
        return 0
    whole = (high if value > 0 else low) if math.isinf(value) else min(max(int(value), low), high)
    return wrapped(whole, name)


def converted(value, source, target):
    """One value of dtype row `source` as dtype row `target`, from the rules."""
    if target["category"] == 0:
        return value != 0
    if isinstance(value, complex) and target["category"] < 3:
        value = value.real
    if target["category"] == 1:
        return to_int(value, target["name"]) if isinstance(value, float) else wrapped(int(value), target["name"])
    if target["category"] == 3:
        real = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}[target["name"]]
        row = next(r for r in DTYPES if r["name"] == real)
        value = complex(value)
        return complex(converted(value.real, source, row), converted(value.imag, source, row))
    if source["category"] == 1 and target["name"] in ("float16", "bfloat16"):
        value = struct.unpack("f", struct.pack("f", nearest_int(int(value), 24)))[0]      # integers pass through float32
        return nearest(value, target["name"])
    if source["category"] == 1:
        return float(nearest_int(int(value), {"float32": 24, "float64": 53}[target["name"]]))
    return float(value) if target["name"] == "float64" else nearest(float(value), target["name"])


def nearest_int(value, precision):
    """An integer rounded half to even to so many bits."""
    excess = abs(value).bit_length() - precision
    if excess <= 0:
        return value
    return round(Fraction(value, 1 << excess)) << excess


def same(a, b):
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, float):
        return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return a == b


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("source, target", PAIRS)
def test_conversions_follow_the_rules(source, target):
    t = tensor(source, SHAPE, "cast")
    got = flat(t.to(getattr(tl, target["name"])).tolist())
    want = [converted(value, source, target) for value in flat(t.tolist())]
    wrong = [(v, a, b) for v, a, b in zip(flat(t.tolist()), got, want, strict=True) if not same(a, b)]
    assert not wrong, wrong[:5]


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("source, target", PAIRS)
def test_layouts_convert_alike(source, target):
    t = tensor(source, SHAPE, "layouts")
    dtype = getattr(tl, target["name"])
    want = payload(t.to(dtype))
    for name, view in in_layouts(t):
        assert payload(view.to(dtype)) == want, name
        for other, destination in in_layouts(tl.zeros(SHAPE, dtype=dtype)):
            assert payload(destination.copy_(view)) == want, (name, other)


@pytest.mark.parametrize("row", DTYPES, ids=lambda row: row["name"])
def test_every_dtype_is_copied_byte_for_byte(row):
    dtype = getattr(tl, row["name"])
    raw = bytes(i % 251 + 1 for i in range(24 * row["itemsize"]))
    if row["category"] == 0:
        raw = bytes([1, 0, 1] * 8)
    t = tl.frombuffer(bytearray(raw), dtype=dtype).reshape(2, 3, 4)
    assert payload(t.clone()) == raw
    assert payload(t.permute(2, 0, 1).contiguous().permute(1, 2, 0)) == raw
    assert payload(tl.empty_like(t).copy_(t)) == raw


@pytest.mark.parametrize("row", [r for r in DTYPES if DTYPES.index(r) >= CASTABLE], ids=lambda row: row["name"])
def test_shell_dtypes_are_not_converted(row):
    t = tl.empty(3, dtype=getattr(tl, row["name"]))
    with pytest.raises(NotImplementedError, match=row["name"]):
        t.to(tl.float32)
    with pytest.raises(NotImplementedError, match=row["name"]):
        tl.zeros(3).to(t.dtype)


def test_clone_keeps_a_dense_layout_and_makes_others_contiguous():
    nhwc = tl.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=tl.channels_last)
    assert nhwc.clone().stride() == (60, 1, 15, 3)
    assert nhwc[:, ::2].clone().stride() == (40, 20, 5, 1)
    assert tl.arange(12).reshape(3, 4).t()[::2].clone().stride() == (3, 1)
    assert nhwc.clone(memory_format=tl.contiguous_format).is_contiguous()
    assert nhwc.contiguous(memory_format=tl.channels_last) is nhwc


def test_to_honours_the_format_it_is_given():
    x = tl.arange(12.0).reshape(3, 4).t()
    assert x.to(tl.float32) is x
    assert x.to(memory_format=tl.contiguous_format).stride() == (3, 1)
    assert x.to(tl.float64).stride() == (1, 4)
    assert x.to(tl.float32, copy=True) is not x
    with pytest.raises(RuntimeError, match="rank 4"):
        x.to(memory_format=tl.channels_last)
    assert x.to("meta").device.type == "meta"
    with pytest.raises(NotImplementedError, match="no data"):
        x.to("meta").cpu()


def test_overlapping_copies():
    s = tl.arange(10)
    s[2:8].copy_(s[0:6])                       # shifted, row-major: moved as by memmove
    assert s.tolist() == [0, 1, 0, 1, 2, 3, 4, 5, 8, 9]
    s = tl.arange(10)
    s[0:6].copy_(s[2:8])
    assert s.tolist() == [2, 3, 4, 5, 6, 7, 6, 7, 8, 9]
    m = tl.arange(9).reshape(3, 3)
    with pytest.raises(tl.OverlapError):
        m.copy_(m.t())
    assert m.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert m.copy_(m) is m and m.t().copy_(m.t()).tolist() == m.t().tolist()
    with pytest.raises(tl.OverlapError):
        tl.zeros(1).expand(3).copy_(tl.arange(3.0))


def test_filling_may_write_a_repeated_place():
    x = tl.zeros(1)
    x.expand(4).fill_(3)
    assert x.item() == 3
    y = tl.zeros(2, 3)
    y[:, 1].fill_(5)
    assert y.tolist() == [[0, 5, 0], [0, 5, 0]]
    with pytest.raises(RuntimeError, match="overflow"):
        tl.zeros(2, dtype=tl.uint8).fill_(300)


def test_shapes_and_read_only_memory():
    with pytest.raises(RuntimeError, match=r"\[2\].*\[3\]"):
        tl.zeros(3).copy_(tl.zeros(2))
    with pytest.raises(RuntimeError):
        tl.zeros(3).copy_(tl.zeros(1, 3))
    frozen = tl.frombuffer(b"abc", dtype=tl.uint8)
    for write in (lambda: frozen.fill_(1), lambda: frozen.add_(1), lambda: frozen.copy_(tl.zeros(3, dtype=tl.uint8)),
                  lambda: tl.add(frozen, 1, out=frozen), lambda: frozen[:2].zero_()):
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    assert bytes(frozen.tolist()) == b"abc"


def test_complex_to_real_warns():
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert tl.tensor([1 + 2j]).to(tl.float32).tolist() == [1.0]


def test_a_number_is_copied_as_a_zero_dim_tensor_of_it():
    assert tl.zeros(2, dtype=tl.uint8).copy_(300).tolist() == [44, 44] == tl.zeros(2, dtype=tl.uint8).copy_(tl.tensor(300)).tolist()
    assert tl.zeros(2, dtype=tl.float16).copy_(1e5).tolist() == [math.inf, math.inf]
    assert tl.zeros(2, dtype=tl.int8).copy_(-1.9).tolist() == [-1, -1] and tl.zeros(2).copy_(True).tolist() == [1, 1]
    assert tl.zeros(2, dtype=tl.uint64).copy_(2**63).tolist() == [2**63] * 2
    assert tl.zeros(2, dtype=tl.complex64).copy_(1 + 2j).tolist() == [1 + 2j] * 2
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert tl.zeros(2).copy_(3 + 4j).tolist() == [3, 3]
    x = tl.zeros(3)
    for wrong, kind, words in ((2**70, RuntimeError, "int64_t without overflow"), ([1], TypeError, "not list"), (None, TypeError, "None")):
        with pytest.raises(kind, match=words):
            x.copy_(wrong)
    with pytest.raises(tl.OverlapError):
        tl.zeros(1).expand(3).copy_(2)
    assert x.tolist() == [0, 0, 0]
