"""tensor, as_tensor, asarray, frombuffer (csrc/construct.pxi) on Python data and plain buffers."""
import array
import collections
import math
import random

import pytest

import tensorlib as tl


def nested(rng, shape, leaf):
    return leaf() if not shape else [nested(rng, shape[1:], leaf) for _ in range(shape[0])]


def test_nested_sequences_come_back_as_they_went_in():
    rng = random.Random(1)
    for _ in range(300):
        shape = [rng.randint(0, 4) for _ in range(rng.randint(0, 5))]
        if 0 in shape:
            shape = shape[:shape.index(0) + 1]          # nothing can be nested in an empty list
        for leaf, dtype in ((lambda: rng.randint(-99, 99), tl.int64), (lambda: rng.choice((True, False)), tl.bool),
                            (lambda: rng.random(), tl.float64), (lambda: complex(rng.random(), 1), tl.complex128)):
            data = nested(rng, shape, leaf)
            t = tl.tensor(data, dtype=dtype)
            assert t.tolist() == data and list(t.shape) == shape and t.is_contiguous()
            if 0 not in shape and dtype in (tl.int64, tl.bool):
                assert tl.tensor(data).dtype is dtype


def test_the_highest_category_wins():
    for data, dtype in (([True, 2], tl.int64), ([1, 2.0], tl.float32), ([True, 1.0], tl.float32), ([1, 2.0, 3j], tl.complex64),
                        ([[1], [2.5]], tl.float32), ([], tl.float32), ([[], []], tl.float32), (range(3), tl.int64),
                        ((1, 2), tl.int64),
                        (collections.deque([1, 2.5]), tl.float32), ([tl.tensor(1), tl.tensor(2.5)], tl.float32),
                        ([tl.tensor(1, dtype=tl.int8), tl.tensor(2, dtype=tl.int16)], tl.int16),
                        ([tl.tensor(1.0, dtype=tl.float64), 2.0], tl.float64), ([[True], [False]], tl.bool)):
        t = tl.tensor(data)
        assert t.dtype is dtype, data
    assert tl.tensor([[[]]]).shape == (1, 1, 0) and tl.tensor([tl.tensor([7])]).tolist() == [7]


def test_ragged_and_unfit_data():
    loop = []
    loop.append(loop)
    deep = 1
    for _ in range(70):
        deep = [deep]
    for data, kind, text in (
            ([[1], [2, 3]], ValueError, r"expected sequence of length 1 at dim 1 \(got 2\)"),
            ([[[1, 2], [3, 4]], [[1, 2]]], ValueError, r"length 2 at dim 1 \(got 1\)"),
            ([[], [1]], ValueError, r"length 0 at dim 1"),
            ([[1], 2], TypeError, "not a sequence"), ([1, [2]], TypeError, "'list' object"),
            ([[1], [[2]]], TypeError, "'list' object"),
            ([1.5, [2]], TypeError, "must be real number, not list"), ("a", TypeError, r"new\(\): invalid data type 'str'"),
            ([1, "a"], TypeError, "'str'"), (b"abc", TypeError, "'bytes'"),
            (None, RuntimeError, "Could not infer dtype of NoneType"),
            ([None], RuntimeError, "NoneType"), ({1, 2}, RuntimeError, "Could not infer dtype of set"),
            ({}, RuntimeError, "Could not infer dtype of dict"), (object(), RuntimeError, "Could not infer dtype of object"),
            (2**63, ValueError, "Overflow when unpacking long long"), ([2**64], ValueError, "Overflow"),
            (-2**63 - 1, ValueError, "Over"),
            ([tl.tensor([1, 2])], TypeError, "only integer tensors of a single element"),
            (loop, ValueError, "too many dimensions 'list'"),
            ([1, loop], (ValueError, TypeError), "too many dimensions|list"), (deep, ValueError, "too many dimensions")):
        with pytest.raises(kind, match=text):
            tl.tensor(data)
    with pytest.raises(TypeError):
        tl.tensor()
    with pytest.raises(TypeError):
        tl.tensor([1], tl.int8)
    with pytest.raises(RuntimeError, match="autograd"):
        tl.tensor([1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="pin_memory"):
        tl.tensor([1.0], pin_memory=True)
    assert tl.tensor([2**63], dtype=tl.uint64).tolist() == [2**63]


def test_lists_that_change_while_they_are_read():
    class Shrinks:
        def __index__(self):
            data.clear()
            return 1

    data = [1, Shrinks(), 3, 4]
    with pytest.raises((RuntimeError, ValueError), match="changed its length|expected sequence"):
        tl.tensor(data, dtype=tl.int16)


def test_tensors_are_copied_by_tensor_and_kept_by_as_tensor():
    t = tl.empty(2, 3, 4, 5, dtype=tl.float64).permute(0, 2, 3, 1)
    t.zero_()
    copy = tl.tensor(t)
    assert copy.data_ptr() != t.data_ptr() and copy.stride() == t.stride() and copy.dtype is tl.float64
    assert tl.tensor(t[:, ::2]).is_contiguous()
    assert tl.as_tensor(t) is t and tl.asarray(t) is t and tl.asarray(t, copy=False) is t
    assert tl.asarray(t, copy=True) is not t and tl.as_tensor(t, dtype=tl.float32).dtype is tl.float32
    assert tl.as_tensor(t, tl.float32, "meta").device.type == "meta"
    with pytest.raises(ValueError, match="can't alias tensor with dtype 'Double' into dtype 'Char'"):
        tl.asarray(t, dtype=tl.int8, copy=False)
    with pytest.raises(ValueError, match="can't alias tensor from device"):
        tl.asarray(t, device="meta", copy=False)
    for data in ([1, 2], 3, (1.5,)):
        with pytest.raises(ValueError, match="can't alias arbitrary sequence"):
            tl.asarray(data, copy=False)
    assert tl.asarray(3).item() == 3 and tl.as_tensor([1.0]).dtype is tl.float32


def test_default_device_moves_existing_tensors_too():
    t = tl.ones(2)
    with tl.device("meta"):
        for made in (tl.tensor([1.0]), tl.tensor(t), tl.as_tensor(t), tl.asarray(t), tl.tensor(2)):
            assert made.device.type == "meta"
        assert tl.tensor(t, device="cpu").device.type == "cpu"
    assert tl.tensor(tl.ones(2, device="meta")).device.type == "meta"
    with pytest.raises(ValueError, match="expected sequence"):
        tl.tensor([[1], [2, 3]], device="meta")


CODES = {"b": tl.int8, "B": tl.uint8, "h": tl.int16, "H": tl.uint16, "i": tl.int32, "I": tl.uint32, "q": tl.int64, "Q": tl.uint64,
         "l": tl.int64, "L": tl.uint64, "f": tl.float32, "d": tl.float64}


@pytest.mark.parametrize("code", CODES)
def test_buffers_keep_their_dtype(code):
    source = array.array(code, [1, 2, 3])
    copied, shared = tl.tensor(source), tl.asarray(source)
    assert copied.dtype is shared.dtype is (CODES[code] if array.array(code).itemsize == CODES[code].itemsize else copied.dtype)
    source[0] = 9
    assert copied.tolist() == [1, 2, 3] and shared.tolist() == [9, 2, 3]
    shared[2] = 8
    assert source.tolist() == [9, 2, 8]
    assert tl.tensor(source, dtype=tl.float16).tolist() == [9, 2, 8]
    with pytest.raises(BufferError):
        source.append(1)                # its memory is in use
    del shared
    source.append(1)


def test_memoryviews_of_any_shape():
    square = memoryview(bytes(range(12))).cast("B", (3, 4))
    assert tl.tensor(square).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    backwards = memoryview(array.array("h", range(6)))[::-2]
    assert tl.tensor(backwards).tolist() == [5, 3, 1] == tl.asarray(backwards).tolist()
    with pytest.raises(ValueError, match="need a copy"):
        tl.asarray(backwards, copy=False)
    assert tl.asarray(memoryview(array.array("h", range(6)))[::2]).stride() == (2,)
    with pytest.raises(TypeError, match="no dtype"):
        tl.tensor(memoryview(b"abc").cast("c"))


def test_read_only_buffers_give_read_only_tensors():
    t = tl.asarray(memoryview(b"\1\2"))
    for write in (lambda: t.fill_(0), lambda: t.copy_(tl.zeros(2)), lambda: t.add_(1), lambda: tl.zeros(2, out=t)):
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    assert t.tolist() == [1, 2] and t.clone().fill_(0).tolist() == [0, 0]


def test_frombuffer():
    data = bytearray(range(16))
    t = tl.frombuffer(data, dtype=tl.int32)
    assert t.tolist() == array.array("i", bytes(data)).tolist()
    t[0] = 0
    assert data[:4] == b"\0\0\0\0"
    assert tl.frombuffer(data, dtype=tl.uint8, count=2, offset=5).tolist() == [5, 6]
    assert tl.frombuffer(data, dtype=tl.int16, offset=14, count=-7).numel() == 1
    assert tl.frombuffer(b"\0\0\x80?", dtype=tl.float32).tolist() == [1.0]
    for kwargs, text in (({"offset": 1}, r"\(15 bytes\) after offset \(1 bytes\) must be a multiple of element size \(4\)"),
                         ({"offset": 16}, r"offset \(16 bytes\) must be non-negative and no greater than buffer length \(16"),
                         ({"offset": -1}, "offset"), ({"count": 5}, r"\(5 \* 4 bytes\) after offset \(0 bytes\)"),
                         ({"count": 2**62}, "requested buffer length"), ({"count": 0}, r"count \(0\) must not be 0"),
                         ({"offset": 2, "count": 3}, "not be aligned")):
        with pytest.raises(ValueError, match=text):
            tl.frombuffer(data, dtype=tl.int32, **kwargs)
    with pytest.raises(ValueError, match=r"buffer length \(0\)"):
        tl.frombuffer(bytearray(), dtype=tl.int8)
    with pytest.raises(ValueError, match="does not implement Python buffer protocol"):
        tl.frombuffer([1], dtype=tl.int8)
    with pytest.raises(TypeError):
        tl.frombuffer(data)
    del t
    data.extend(b"1")


def test_values_convert_as_stored_numbers():
    assert tl.tensor([1.9, -1.9], dtype=tl.int32).tolist() == [1, -1] and tl.tensor(2, dtype=tl.bool).item() is True
    assert tl.tensor([-1], dtype=tl.uint8).tolist() == [255] and math.isinf(tl.tensor(1e5, dtype=tl.float16).item())
    for value in (300, -300, math.nan, 1e10):
        with pytest.raises(RuntimeError, match="uint8"):
            tl.tensor([0, value], dtype=tl.uint8)
