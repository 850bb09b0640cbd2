"""Memory that somebody wants to move or free while it is used: user code inside calls, the collector, threads, pickles."""
import copy
import gc
import pickle
import threading
import warnings
import weakref

import pytest
import tensorlib as tl


def grower(x, shape=(2, 10**6), value=1):
    """A number whose conversion resizes x."""
    class Number:
        def __index__(self):
            tl.zeros(shape, out=x)
            return value
    return Number()


@pytest.mark.parametrize("call", [
    lambda x: x.fill_(grower(x)), lambda x: x.copy_(grower(x)), lambda x: x.add_(grower(x)), lambda x: x + grower(x),
    lambda x: tl.add(x, 1, alpha=grower(x)), lambda x: tl.clamp(x, grower(x), 2), lambda x: x.clamp(min=grower(x)),
    lambda x: tl.where(x > 0, x, grower(x)), lambda x: x.__setitem__(..., grower(x)),
])
def test_a_number_that_resizes_an_operand_is_harmless(call):
    x = tl.zeros(1000)
    try:
        call(x)
    except (RuntimeError, TypeError) as error:
        assert "resized" in str(error) or "number" in str(error) or "assign" in str(error)
    assert set(x.reshape(-1)[:10].tolist()) <= {0.0, 1.0, 2.0}


@pytest.mark.parametrize("call", [
    lambda x, n: x[n:], lambda x, n: x[:n], lambda x, n: x[::n], lambda x, n: x[..., n:], lambda x, n: x[n:, None],
    lambda x, n: x.__setitem__(slice(n, None), 5), lambda x, n: x.split([n, 1]), lambda x, n: x.tensor_split(n),
    lambda x, n: x.tensor_split([n, 5]),
])
def test_an_index_that_resizes_the_tensor_is_refused(call):
    x = tl.zeros(100)
    with pytest.raises(RuntimeError, match="out can be resized only if"):
        call(x, grower(x, value=99))
    assert x.shape == (100,) and x.tolist() == [0.0] * 100


def test_lists_that_shrink_while_they_are_read():
    dims = []

    class Dim:
        def __index__(self):
            dims.clear()
            return 0

    dims[:] = [Dim(), 1, 2]
    assert tl.zeros(2, 3, 4).permute(dims).shape == (2, 3, 4)
    dims[:] = [Dim(), 1]
    assert tl.sum(tl.zeros(2, 3, 4), dim=dims).shape == (4,)


def test_a_warning_hook_may_resize_the_destination(monkeypatch):
    d = tl.zeros(3)
    monkeypatch.setattr(warnings, "showwarning", lambda *a, **k: tl.zeros(10**6, out=d))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *a, **k: tl.zeros(10**6, out=d)
        with pytest.raises(RuntimeError, match="broadcast"):
            d.copy_(tl.zeros(3, dtype=tl.complex64))


def test_a_finalizer_may_run_during_tolist():
    x = tl.zeros(1000, 2)

    def callback(phase, info):
        gc.callbacks.clear()
        try:
            tl.ones(10**6, out=x)
        except RuntimeError:
            pass

    threshold = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(50)
    try:
        rows = x.tolist()
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.clear()
    assert rows == [[0.0, 0.0]] * 1000


def test_an_exported_tensor_in_a_garbage_cycle():
    for cls in (tl.Tensor, type("Sub", (tl.Tensor,), {})):
        t = tl.ones(4) if cls is tl.Tensor else tl.ones(4).__reduce_ex__(2)[0](cls, *tl.ones(4).__reduce_ex__(2)[1][1:])
        trash = [memoryview(t)]
        trash.append(trash)
        del t, trash
        gc.collect()
    assert tl.ones(2).tolist() == [1.0, 1.0]


def test_a_cycle_through_foreign_memory_is_collected():
    class Owner(bytearray):
        pass

    owner = Owner(b"12345678")
    t = tl.frombuffer(owner, dtype=tl.uint8)
    view = t[2:]
    owner.keep = (t, view)
    watch = weakref.ref(t)
    del owner, t, view
    gc.collect()
    assert watch() is None


def test_views_keep_memory_alive():
    x = tl.arange(100)
    v = x[50:]
    del x
    gc.collect()
    assert v.tolist() == list(range(50, 100))


def test_out_may_shrink_and_grow_and_start_from_nothing():
    out = tl.Tensor()
    for n in (3, 100, 2, 50, 1000, 1):
        assert tl.add(tl.ones(n), 1, out=out).tolist() == [2.0] * n
    assert tl.Tensor().untyped_storage().nbytes() == 0
    with pytest.raises(RuntimeError, match="made already"):
        tl.Tensor().untyped_storage().__init__(64)


def test_an_exported_buffer_keeps_its_place():
    out = tl.zeros(4)
    with memoryview(out):
        with pytest.raises(RuntimeError, match="resized"):
            tl.add(tl.ones(1000), 1, out=out)
    assert out.tolist() == [0.0] * 4
    assert tl.add(tl.ones(1000), 1, out=out).shape == (1000,)


def test_threads_cannot_resize_what_a_call_without_the_gil_uses():
    n = 2_000_000
    for call in (lambda o: tl.linspace(0, 1, n, out=o), lambda o: tl.arange(0, n, out=o), lambda o: o.add_(1),
                 lambda o: tl.sum(o), lambda o: o.copy_(tl.ones(n, dtype=tl.float64))):
        o = tl.zeros(n, dtype=tl.float32)
        started = threading.Event()
        outcome = []

        def other(o=o, started=started, outcome=outcome):
            started.wait()
            for _ in range(20):
                try:
                    tl.empty(n + 1, out=o)
                    break
                except RuntimeError as error:
                    outcome.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        started.set()
        try:
            call(o)
        except RuntimeError as error:         # the other thread resized it first
            assert "shape" in str(error) or "size" in str(error)
        thread.join()
        assert o.shape[0] in (n, n + 1)


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_share_storages(protocol):
    x = tl.arange(60.0).reshape(6, 10)
    a, b, c = pickle.loads(pickle.dumps([x, x[2:], x.t()], protocol=protocol))
    assert a.tolist() == x.tolist() and b.tolist() == x[2:].tolist() and c.stride() == x.t().stride()
    assert a.untyped_storage() is b.untyped_storage() is c.untyped_storage()
    a.fill_(7)
    assert b[0, 0].item() == 7 and x[0, 1].item() == 1


def test_pickles_out_of_band_share_memory_and_stay_read_only():
    x = tl.arange(1000.0)
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 500 and len(buffers) == 1
    shared = pickle.loads(data, buffers=buffers)
    assert shared.data_ptr() == x.data_ptr()
    frozen = pickle.loads(data, buffers=[memoryview(bytes(memoryview(x)))])
    with pytest.raises(RuntimeError, match="read-only"):
        frozen.fill_(0)


def test_deepcopy_and_meta():
    frozen = tl.frombuffer(b"abcd", dtype=tl.uint8)
    assert copy.deepcopy(frozen).add_(1).tolist() == list(b"bcde")
    m = pickle.loads(pickle.dumps(tl.empty(2, 3, device="meta")))
    assert m.device.type == "meta" and m.shape == (2, 3)


def test_doctored_pickles_are_refused():
    rebuild, args = tl.zeros(3).__reduce_ex__(2)[:2]
    cls, storage, dtype, shape, stride, offset = args
    for bad in [(int, storage, dtype, shape, stride, 0), (cls, storage, dtype, (4,), (1,), 0), (cls, storage, dtype, (3,), (1,), 1),
                (cls, storage, dtype, (3,), (2,), 0), (cls, storage, dtype, (-1,), (1,), 0), (cls, storage, dtype, (3,), (-1,), 0),
                (cls, storage, dtype, (3, 1), (1,), 0), (cls, storage, tl.complex128, (3,), (1,), 0),
                (cls, storage, dtype, (2**62, 2**62), (1, 1), 0), (cls, storage, dtype, (3,), (2**62,), 0)]:
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            rebuild(*bad)

    class Evil(tl.Tensor):
        def __new__(cls):
            return "hello"

    assert type(rebuild(Evil, *args[1:])) is Evil


def test_misaligned_memory_gets_no_wider_view():
    base = bytearray(33)
    odd = tl.frombuffer(base, dtype=tl.uint8, offset=1 if tl.frombuffer(base, dtype=tl.uint8).data_ptr() % 2 == 0 else 0, count=32)
    with pytest.raises(RuntimeError, match="clone"):
        odd.view(tl.float32)
    assert odd.clone().view(tl.float32).shape == (8,)


def test_a_list_emptied_while_it_is_read():
    count = 0

    class Item:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            if i >= 2:
                raise IndexError
            return 1.0

        @property
        def shape(self):
            nonlocal count
            count += 1
            if count > 3:
                outer.clear()
            raise AttributeError

    outer = [Item(), Item(), Item()]
    try:
        assert tl.tensor(outer).tolist() == [[1.0, 1.0]] * 3
    except (RuntimeError, ValueError) as error:
        assert "length" in str(error)


def test_a_long_chain_of_tensors_over_tensors_is_freed():
    t = tl.zeros(8, dtype=tl.uint8)
    for _ in range(100_000):
        t = tl.frombuffer(t, dtype=tl.uint8)
    del t
    assert tl.ones(2).tolist() == [1.0, 1.0]


def test_counts_beyond_64_bits():
    x = tl.zeros(1).expand(2**62 + 4)
    assert x.nbytes == 4 * (2**62 + 4)
    with pytest.raises(BufferError, match="64 bits"):
        memoryview(x)
    with pytest.raises(RuntimeError, match="64 bits"):
        tl.zeros(1, dtype=tl.uint8).expand(2**33 - 1).unfold(0, 2**32, 1)
    with pytest.raises(RuntimeError, match="64 bits"):
        tl.zeros(4, dtype=tl.float64).as_strided((2**60, 4), (0, 1)).view(tl.uint8)
    with pytest.raises(ValueError, match="64 bits"):
        tl.zeros(2, 3).sum(10**30)
