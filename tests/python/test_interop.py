"""NumPy, the buffer protocol and lists (csrc/interchange.pxi, tensorlib/interop.py, tensorlib/storage.py)."""
import array
import ctypes
import gc
import itertools
import random
import subprocess
import sys
import weakref

import pytest

import tensorlib as tl
from positions import layout, positions, random_base

NUMPY_NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "float32", "float64",
               "complex64", "complex128"]


@pytest.fixture(scope="module")
def np():
    return pytest.importorskip("numpy")


# -- lists and numbers ---------------------------------------------------------------------------------------------------

def test_lists_and_buffers_follow_every_stride():
    rng = random.Random(21)
    for _ in range(300):
        x = random_base(rng)
        count = len(x.untyped_storage()) // 2
        x.as_strided((count,), (1,), 0).copy_(tl.arange(count))
        assert x.tolist() == positions(x).tolist(), layout(x)
        assert memoryview(x).tolist() == x.tolist() or 0 in x.shape, layout(x)
        for dtype in (tl.float32, tl.float16, tl.complex64, tl.uint8):
            assert x.to(dtype).tolist() == x.tolist(), (layout(x), dtype)


def test_tolist_values():
    base = tl.arange(24, dtype=tl.int16).reshape(2, 3, 4)
    for dtype in (tl.bool, tl.uint8, tl.int8, tl.int16, tl.int32, tl.int64, tl.uint16, tl.uint32, tl.uint64, tl.float16,
                  tl.bfloat16,
                  tl.float32, tl.float64, tl.complex32, tl.complex64, tl.complex128):
        t = base.to(dtype)
        for dims in itertools.permutations(range(3)):
            view = t.permute(dims)
            got = view.tolist()
            for index in itertools.product(*map(range, view.shape)):
                value = got[index[0]][index[1]][index[2]]
                original = [0, 0, 0]
                for d, i in zip(dims, index):
                    original[d] = i
                expected = original[0] * 12 + original[1] * 4 + original[2]
                assert value == (bool(expected) if dtype is tl.bool else expected)
    assert tl.zeros(2, 0, 3).tolist() == [[], []] and tl.zeros(0, 2).tolist() == [] and tl.tensor(5).tolist() == 5
    assert tl.ones(1, 3).expand(2, 3).tolist() == [[1, 1, 1]] * 2
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        tl.ones(1, device="meta").tolist()


def test_python_numbers():
    assert int(tl.tensor(2.9)) == 2 and float(tl.tensor(3)) == 3.0 and complex(tl.tensor(1.5)) == 1.5 and int(tl.tensor([7])) == 7
    assert float(tl.tensor(2 + 0j)) == 2.0 and bool(tl.tensor([0.5])) is True and bool(tl.tensor(0j)) is False
    assert [10, 20, 30][tl.tensor(1)] == [10, 20, 30][tl.tensor([[1]], dtype=tl.uint8)] == [10, 20, 30][tl.tensor(True)] == 20
    assert int(tl.tensor(2**64 - 1, dtype=tl.uint64)) == 2**64 - 1
    for t in (tl.tensor(1.0), tl.tensor([1, 2]), tl.tensor(1j)):
        with pytest.raises(TypeError, match="only integer tensors of a single element"):
            [1][t]
    for convert in (int, float, complex):
        with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
            convert(tl.ones(2))
        with pytest.raises(RuntimeError, match=r"Tensor.item\(\) cannot be called on meta tensors"):
            convert(tl.ones(1, device="meta"))
    for convert in (int, float):
        with pytest.raises(RuntimeError, match="without overflow"):
            convert(tl.tensor(1j))
    with pytest.raises(ValueError, match="NaN"):
        int(tl.tensor(float("nan")))
    with pytest.raises(RuntimeError, match="no values is ambiguous"):
        bool(tl.ones(0))
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(tl.ones(2))
    for n in (0, 3):
        with pytest.raises(RuntimeError, match=f"a Tensor with {n} elements cannot be converted to Scalar"):
            tl.ones(n).item()


# -- buffer protocol -----------------------------------------------------------------------------------------------------

def test_buffers_describe_the_tensor():
    t = tl.arange(24, dtype=tl.int16).reshape(2, 3, 4)
    for view in (t, t.permute(2, 0, 1), t[:, ::2], t[1:, 1:, 1:], t[0, 0, 0], t[:, :0], tl.ones(3, 1).expand(3, 4), tl.zeros(0)):
        m = memoryview(view)
        assert m.shape == tuple(view.shape) and m.itemsize == view.itemsize and not m.readonly
        assert m.strides == tuple(s * view.itemsize for s in view.stride()) and m.tolist() == view.tolist()
    for dtype, code in ((tl.bool, "?"), (tl.uint8, "B"), (tl.int8, "b"), (tl.int32, "i"),
                        (tl.int64, "l" if array.array("l").itemsize == 8 else "q"), (tl.float16, "e"), (tl.float32, "f"),
                        (tl.float64, "d"), (tl.complex64, "Zf"), (tl.complex128, "Zd")):
        assert memoryview(tl.ones(1, dtype=dtype)).format == code
    m = memoryview(t)
    m[1, 2, 3] = -7
    assert t[1, 2, 3].item() == -7 and bytes(tl.tensor([1, 2], dtype=tl.uint8)) == b"\1\2"
    (ctypes.c_int16 * 24).from_buffer(t.flatten())[0] = 99
    assert t[0, 0, 0].item() == 99


def test_buffers_that_are_refused():
    for dtype in (tl.bfloat16, tl.complex32, tl.float8_e5m2, tl.bits8):
        with pytest.raises(BufferError, match="no format.*view"):
            memoryview(tl.zeros(1, dtype=dtype))
    with pytest.raises(BufferError, match="meta"):
        memoryview(tl.ones(1, device="meta"))
    with pytest.raises((BufferError, TypeError), match="not contiguous|contiguous"):
        (ctypes.c_float * 6).from_buffer(tl.ones(2, 3).t())
    read_only = tl.frombuffer(b"abcd", dtype=tl.uint8)
    assert memoryview(read_only).readonly
    with pytest.raises((BufferError, TypeError)):
        (ctypes.c_char * 4).from_buffer(read_only)


def test_memory_in_use_is_not_moved():
    t = tl.ones(4)
    m = memoryview(t)
    with pytest.raises(RuntimeError, match="owns its whole storage alone|exported"):
        tl.zeros(1000, out=t)
    assert m.tolist() == [1] * 4
    m.release()
    assert tl.zeros(1000, out=t).shape == (1000,)


def test_memory_outlives_its_tensor():
    m = memoryview(tl.full((1000,), 3.0))
    gc.collect()
    assert m[999] == 3.0 and set(m.tolist()) == {3.0}

    class Owner(array.array):
        pass

    owner = Owner("d", [1, 2])
    gone = weakref.ref(owner)
    t = tl.asarray(owner)
    del owner
    gc.collect()
    assert gone() is not None and t.tolist() == [1, 2]
    view = t[1:]
    del t
    gc.collect()
    assert view.tolist() == [2]
    del view
    gc.collect()
    assert gone() is None


def test_typed_storage_shows_the_physical_order():
    x = tl.arange(24).reshape(2, 3, 4)
    for view in (x, x.permute(2, 0, 1), x[1, :, 1:]):
        s = view.storage()
        assert list(s) == s.tolist() == list(range(24)) and len(s) == s.size() == 24 and s[-1] == 23 and s[2:4] == [2, 3]
        assert s.dtype is tl.int64 and s.nbytes() == 192 and s.untyped() is x.untyped_storage() and s == x.storage()
    s[0] = 50
    assert x[0, 0, 0].item() == 50
    nhwc = tl.arange(8).reshape(1, 2, 2, 2).contiguous(memory_format=tl.channels_last)
    assert list(nhwc.storage()) == [0, 4, 1, 5, 2, 6, 3, 7]
    with pytest.raises(IndexError):
        s[24]
    assert "size 24" in repr(s) and s.data_ptr() == x.data_ptr() and s.element_size() == 8


# -- NumPy ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_numpy_and_back(np, name):
    rng = random.Random(name)
    dtype = getattr(tl, name)
    for _ in range(40):
        shape = [rng.choice([0, 1, 2, 3, 4]) for _ in range(rng.randint(0, 5))]
        t = tl.arange(2**10).to(dtype)[:1].expand(shape).clone() if 0 in shape else tl.randint(0, 2, shape).to(dtype)
        t = t.permute(rng.sample(range(t.ndim), t.ndim))
        if t.ndim and t.shape[0] > 1:
            t = t[::rng.randint(1, 2)]
        a = t.numpy()
        assert a.dtype == np.dtype(name) and a.shape == tuple(t.shape) and a.tolist() == t.tolist()
        back = tl.from_numpy(a)
        assert back.dtype is dtype and back.tolist() == t.tolist() and back.shape == t.shape
        if t.numel():
            assert a.strides == tuple(s * t.itemsize for s in t.stride()) and a.ctypes.data == t.data_ptr() == back.data_ptr()
            assert back.stride() == t.stride() and np.shares_memory(a, np.asarray(t))
        assert tl.tensor(a).tolist() == tl.as_tensor(a).tolist() == t.tolist() and tl.tensor(a).dtype is dtype


def test_writes_go_both_ways(np):
    a = np.zeros((2, 3), np.float32)
    t = tl.from_numpy(a)
    t[1, 2] = 5
    a[0, 0] = 7
    assert a[1, 2] == 5 and t[0, 0].item() == 7
    x = tl.zeros(3)
    x.numpy()[1] = 4
    assert x.tolist() == [0, 4, 0]
    with pytest.raises(RuntimeError, match="owns its whole storage|exported"):
        kept = x.numpy()
        tl.ones(500, out=x)
    assert kept.tolist() == [0, 4, 0]


def test_read_only_arrays(np):
    a = np.arange(3)
    a.flags.writeable = False
    t = tl.from_numpy(a)
    with pytest.raises(RuntimeError, match="read-only"):
        t.add_(1)
    assert not t.numpy().flags.writeable and t.tolist() == [0, 1, 2]


def test_arrays_that_cannot_be_shared(np):
    record = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])
    record["b"] = [1, 2, 3]
    for a, text in ((np.arange(4)[::-1], "At least one stride in the given numpy array is negative"),
                    (np.arange(6.0).reshape(2, 3)[:, ::-1], "negative"), (np.array([1, 2], ">i4"), "byte order"),
                    (record["b"], "not a multiple of the element byte size"),
                    (np.frombuffer(bytearray(9), np.int32, 2, 1), "not aligned")):
        with pytest.raises(ValueError, match=text):
            tl.from_numpy(a)
        for copied in (tl.tensor(a), tl.as_tensor(a), tl.asarray(a, copy=True)):
            assert copied.tolist() == a.tolist()            # a copy is possible
        with pytest.raises(ValueError, match="copy"):
            tl.asarray(a, copy=False)
    assert tl.tensor(np.array([1 + 2j], ">c8")).tolist() == [1 + 2j]
    for a in (np.array(["a"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, np.longdouble), record):
        for convert in (tl.from_numpy, tl.tensor, tl.asarray):
            with pytest.raises(TypeError, match="can't convert np.ndarray of type numpy.*only supported types are"):
                convert(a)
    for other in ([1], 1, np.float32(1), tl.ones(1)):
        with pytest.raises(TypeError, match="expected np.ndarray"):
            tl.from_numpy(other)


def test_numpy_scalars_and_nested_arrays(np):
    for value, dtype in ((np.float32(1.5), tl.float32), (np.int16(3), tl.int16), (np.bool_(True), tl.bool),
                         (np.float16(1), tl.float16),
                         (np.complex64(1j), tl.complex64)):
        assert tl.tensor(value).dtype is dtype and tl.tensor([value, value]).dtype is dtype and tl.tensor(value).item() == value
    assert tl.tensor([np.int16(1), np.uint8(2)]).dtype is tl.int16 and tl.tensor([np.int16(1), 2]).dtype is tl.int64
    nested = tl.tensor([np.array([1.0, 2]), np.array([3, 4])])
    assert nested.tolist() == [[1, 2], [3, 4]] and nested.dtype is tl.float64
    assert tl.tensor([np.array(5), 6]).tolist() == [5, 6]


def test_array_protocol(np):
    t = tl.arange(4, dtype=tl.float32)
    assert np.asarray(t).ctypes.data == t.data_ptr() and np.asarray(t, dtype=np.int8).tolist() == [0, 1, 2, 3]
    assert np.array(t).ctypes.data != t.data_ptr() and np.array(t, copy=False).ctypes.data == t.data_ptr()
    with pytest.raises(ValueError, match="copy"):
        t.__array__(np.float64, copy=False)
    assert np.add(t, 1).tolist() == [1, 2, 3, 4]

    class Offers:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3, dtype=np.int8)

    assert tl.tensor(Offers()).dtype is tl.int8 and tl.asarray(Offers()).tolist() == [0, 1, 2]

    class Interface:
        array = np.arange(4.0)
        __array_interface__ = array.__array_interface__

    assert tl.asarray(Interface()).data_ptr() == Interface.array.ctypes.data


def test_dtypes_without_numpy(np):
    assert tl.ones(2, dtype=tl.bfloat16).float().numpy().tolist() == [1, 1]
    with pytest.raises(TypeError, match="Got unsupported ScalarType ComplexHalf"):
        tl.ones(2, dtype=tl.complex32).numpy()
    with pytest.raises(TypeError, match="can't convert meta device type tensor to numpy"):
        tl.ones(2, device="meta").numpy()
    with pytest.raises(NotImplementedError, match="no data"):
        tl.ones(2, device="meta").numpy(force=True)
    assert tl.ones(2).numpy(force=True).tolist() == [1, 1]
    try:
        import ml_dtypes
    except ImportError:
        with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
            tl.ones(2, dtype=tl.bfloat16).numpy()
        return
    a = tl.tensor([1.5, 2], dtype=tl.bfloat16).numpy()
    assert a.dtype == np.dtype(ml_dtypes.bfloat16) and tl.from_numpy(a).tolist() == [1.5, 2]


def test_numpy_is_imported_only_when_needed():
    code = ("import sys, tensorlib as tl; t = tl.tensor([[1, 2.5]]); t.tolist(); memoryview(t); tl.asarray(bytearray(4)); repr(t); "
            "assert 'numpy' not in sys.modules; sys.modules['numpy'] = None\n"
            "for f in (t.numpy, lambda: tl.from_numpy(t), t.__array__):\n"
            "    try: f()\n"
            "    except ImportError as e: assert 'pip install numpy' in str(e), e\n"
            "    else: raise SystemExit('no error')\n")
    subprocess.run([sys.executable, "-c", code], check=True)
