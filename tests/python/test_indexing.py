"""x[index] and x[index] = value with basic indices, against NumPy's basic indexing of the storage positions."""
import random

import numpy as np
import pytest

import tensorlib as tl
from positions import DEVICES, cases, check, layout, positions, random_base


def random_index(rng, shape):
    """A basic index that NumPy and tensorlib read alike: integers in range, slices of any bounds, None and one Ellipsis."""
    items = []
    for size in shape[:rng.randrange(len(shape) + 1)]:
        if size and rng.random() < 0.4:
            items.append(rng.randrange(-size, size))
        else:
            items.append(random_slice(rng, size))
    for _ in range(rng.choice([0, 0, 1, 2])):
        items.insert(rng.randrange(len(items) + 1), None)
    if rng.random() < 0.4:
        at = rng.randrange(len(items) + 1)
        tail = [item for item in items[at:] if item is not None]
        # What follows the ellipsis belongs to the last dimensions, so those items are drawn anew.
        items[at:] = [Ellipsis] + [random_slice(rng, size) for size in shape[len(shape) - len(tail):]]
    return items[0] if len(items) == 1 and rng.random() < 0.7 else tuple(items)


def random_slice(rng, size):
    def bound():
        return rng.choice([None, None, rng.randrange(-size - 3, size + 4), 2 ** 70 * rng.choice([-1, 1])])
    return slice(bound(), bound(), rng.choice([None, None, 1, 2, 3, 7]))




def test_get_names_what_numpy_names():
    kinds = {"int": 0, "slice": 0, "tuple": 0, "NoneType": 0, "ellipsis": 0}
    for rng, x, p, what in cases(3000, 21):
        index = random_index(rng, p.shape)
        if x.ndim == 0 and not isinstance(index, tuple) and index not in (None, Ellipsis):
            continue
        kinds[type(index).__name__] += 1
        check(x[index], x, p[index], f"{what} [{index}]")
        assert x[index] is not x, what
    assert all(count > 20 for count in kinds.values()), kinds


def test_an_empty_slice_starts_where_it_was_clamped():
    x = tl.empty(10)
    assert [x[index].storage_offset() for index in (slice(5, 2), slice(100, None), slice(-100, -50), slice(3, 3))] == [5, 10, 0, 3]


def test_strides_of_slices_and_of_new_dimensions():
    x = tl.empty(2, 3, 4)
    assert x[:, None].stride() == (12, 12, 4, 1) and x[None].stride() == (24, 12, 4, 1) and x[..., None].stride() == (12, 4, 1, 1)
    assert x[:, :, ::3].stride() == (12, 4, 3) and x[0, None, 1:].stride() == (12, 4, 1)
    assert tl.empty(6)[::2 ** 62].stride() == (2 ** 62,)
    assert tl.empty(6, 3)[::2 ** 62].stride()[0] > 0


def test_two_ellipses_count_once():
    x = tl.empty(2, 3, 4)
    p = positions(x)
    for index, same in [((..., ...), (...,)), ((..., 1, ...), (..., 1)), ((0, ..., None, ...), (0, ..., None))]:
        check(x[index], x, p[same], str(index))


class Three:
    def __index__(self):
        return 3


def test_whatever_is_an_integer():
    x = tl.arange(20).reshape(4, 5)
    p = positions(x)
    for three in (3, Three(), np.int64(3), np.uint8(3), np.array(3), tl.tensor(3), tl.tensor(3, dtype=tl.int16), -1):
        check(x[three], x, p[3], repr(three))
        check(x[three, 1], x, p[3, 1], repr(three))
        check(x[:, three], x, p[:, int(three)], repr(three))
        check(x[:three], x, p[:int(three)], repr(three))
    y = tl.zeros(5)
    y[tl.tensor(3)] = 1
    y[np.int32(1)] = 2
    assert y.tolist() == [0, 2, 0, 1, 0]


def test_bools_add_a_dimension_and_copy():
    x = tl.arange(6).reshape(2, 3)
    for index, shape in [(True, (1, 2, 3)), (False, (0, 2, 3)), ((0, True), (1, 3)), ((slice(None), True), (2, 1, 3)),
                         ((True, slice(None), True), (1, 2, 3)), ((slice(None), True, slice(None), True), (1, 2, 3)),
                         ((True, True), (1, 2, 3)), ((True, False), (0, 2, 3)), ((True, None), (1, 1, 2, 3)),
                         (tl.tensor(True), (1, 2, 3)), ((..., tl.tensor(False)), (2, 3, 0)),
                         (tl.tensor(1, dtype=tl.uint8), (1, 2, 3)), ((slice(None), 0, True), (2, 1))]:
        y = x[index]
        assert tuple(y.shape) == shape, index
        assert y.untyped_storage() is not x.untyped_storage(), index
        if y.numel() == 6:
            assert y.reshape(-1).tolist() == list(range(6)), index
    y = tl.arange(6).reshape(3, 2).t()[True]
    assert layout(y) == ((1, 2, 3), (6, 1, 2), 0)           # a dense layout is kept
    x[True] = 5
    x[0, False] = 9
    x[1, True] = tl.tensor([1, 2, 3])
    assert x.tolist() == [[5, 5, 5], [1, 2, 3]]


def contents(x):
    """Fills x's storage with its positions; returns the tensor that shows the storage."""
    storage = x.as_strided((x.untyped_storage().nbytes() // 2,), (1,), 0)
    storage.copy_(tl.arange(storage.numel(), dtype=tl.int16))
    return storage


def test_set_writes_what_numpy_writes():
    written = 0
    for seed in range(1500):
        rng = random.Random(seed)
        x = random_base(rng)
        storage = contents(x)
        p = positions(x)
        expected = np.arange(storage.numel(), dtype=np.int16)
        index = random_index(rng, p.shape)
        if x.ndim == 0 and not isinstance(index, tuple) and index not in (None, Ellipsis):
            continue
        target = p[index]
        what = f"seed {seed}: {layout(x)} [{index}]"
        repeats = np.unique(target).size != target.size
        if rng.random() < 0.5 or repeats:
            value = rng.choice([7, -3, True])
            x[index] = value                    # one number may be written to repeated places
            expected[target.ravel()] = value
        else:
            shape = [size if rng.random() < 0.7 else 1 for size in target.shape][rng.randrange(target.ndim + 1):]
            shape = [1] * rng.choice([0, 0, 2]) + shape if len(shape) == target.ndim else shape
            value = np.array(rng.sample(range(1000, 1000 + 500), int(np.prod(shape))), np.int16).reshape(shape)
            x[index] = tl.tensor(value.tolist(), dtype=rng.choice([tl.int16, tl.int64, tl.float32])).reshape(shape)
            expected[target] = value.reshape(shape[-target.ndim:] if target.ndim else ())
        assert storage.tolist() == expected.tolist(), what
        written += target.size
    assert written > 2000


def test_leading_ones_of_a_value_do_not_count():
    x = tl.zeros(2, 3)
    x[0] = tl.ones(1, 1, 3)
    x[1, 1] = tl.full((1, 1), 4.0)
    assert x.tolist() == [[1, 1, 1], [0, 4, 0]]
    for value, words in [(tl.ones(2, 1, 3), ["[2, 1, 3]", "[3]", "(1)", "(3)"]), (tl.ones(2), ["(3)", "(2)", "[3]", "[2]"])]:
        with pytest.raises(RuntimeError) as info:
            x[0] = value
        assert all(word in str(info.value) for word in words), str(info.value)
    x[:, :0] = tl.ones(1)
    with pytest.raises(RuntimeError, match=r"\(0\).*\(2\)"):
        x[:, :0] = tl.ones(2)
    assert x.tolist() == [[1, 1, 1], [0, 4, 0]]


def test_values_that_are_no_numbers():
    x = tl.zeros(3)
    for value, name in [([1.0], "list"), (None, "NoneType"), ("a", "str"), (np.ones(3), "ndarray"), (object(), "object")]:
        with pytest.raises(TypeError, match=f"can't assign a .*{name} to a tensorlib.FloatTensor"):
            x[0] = value
    for value in (np.float32(1.5), np.int8(2), np.bool_(True), True, 2.5):
        x[0] = value
        assert x[0].item() == float(value)
    with pytest.raises(RuntimeError, match="complex|overflow"):
        x[0] = 1j
    assert x.tolist() == [2.5, 0, 0]


def test_in_place_arithmetic_on_a_part():
    x = tl.arange(12).reshape(3, 4)
    x[1:, ::2] += 100
    x[0] *= tl.tensor(2)
    assert x.tolist() == [[0, 2, 4, 6], [104, 5, 106, 7], [108, 9, 110, 11]]


def test_overlap_is_refused_before_anything_is_written():
    x = tl.arange(12).reshape(3, 4)
    with pytest.raises(tl.OverlapError):
        x[:, 1:] = x[:, :-1]
    with pytest.raises(tl.OverlapError):
        x[:2].expand(2, 4)[...] = x[1]
    with pytest.raises(tl.OverlapError):
        tl.zeros(1, 3).expand(2, 3)[...] = tl.ones(2, 3)
    assert x.tolist() == np.arange(12).reshape(3, 4).tolist()
    x[1:] = x[:-1]                              # rows of a row-major tensor move as by memmove
    assert x.tolist() == [[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7]]
    x[...] = x
    x[0:2] = x[0:2]


ERRORS = [
    ("x[2]", IndexError, ["2", "dimension 0", "size 2"]), ("x[-3]", IndexError, ["-3"]),
    ("x[:, 3]", IndexError, ["3", "dimension 1"]), ("x[..., 4]", IndexError, ["4", "dimension 2"]),
    ("x[0, 0, 0, 0]", IndexError, ["too many", "3"]), ("x[9, :, :, :]", IndexError, ["too many", "3"]),
    ("x[2 ** 62]", IndexError, ["4611686018427387904"]), ("x[2 ** 70]", IndexError, []),
    ("x[-2 ** 63]", IndexError, ["-9223372036854775808"]), ("x[::-1]", ValueError, ["greater than zero"]),
    ("x[::0]", ValueError, ["zero"]), ("x[0, :, ::-2]", ValueError, ["greater"]), ("x[::-2 ** 70]", ValueError, ["greater"]),
    ("x[1.0]", IndexError, ["float"]), ("x['a']", TypeError, ["str"]), ("x[0, 1.0]", IndexError, ["float"]),
    ("x[object()]", IndexError, ["object"]), ("x[{}]", IndexError, ["dict"]), ("x[1.0:]", TypeError, ["slice indices"]),
    ("x[tl.empty(2)]", IndexError, ["float32"]), ("x[tl.empty(())]", IndexError, ["float32"]),
    ("s[0]", IndexError, ["0-dim", "item"]), ("s[-1]", IndexError, ["-1"]), ("s[1:]", IndexError, ["slice", "0-dim"]),
    ("s[::-1]", ValueError, ["greater"]), ("s[0, 0]", IndexError, ["too many", "0"]),
    ("s[None, 0]", IndexError, ["too many"]), ("s[..., ::2]", IndexError, ["too many"]),
    ("s[1.0]", IndexError, ["too many"]), ("e[0]", IndexError, ["0", "size 0"]), ("len(s)", TypeError, ["0-d"]),
    ("iter(s)", TypeError, ["0-d"]), ("x.__delitem__(0)", TypeError, ["delet"]),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[call for call, _, _ in ERRORS])
def test_errors_say_what_was_given(call, kind, words, device):
    names = {"tl": tl, "x": tl.empty(2, 3, 4, device=device), "s": tl.empty((), device=device), "e": tl.empty(0, 3, device=device)}
    with pytest.raises(kind) as info:
        eval(call, names)
    assert type(info.value) is kind
    assert all(word in str(info.value) for word in words), str(info.value)
    if "[" in call and "(" not in call.split("[")[0]:       # writing refuses the same index in the same way
        with pytest.raises(kind) as again:
            exec(f"{call} = 1", names)
        assert str(again.value) == str(info.value)


def test_meta_takes_values_without_writing():
    x = tl.empty(2, 3, device="meta")
    x[0] = 1
    x[:, 1:] = tl.empty(2, device="meta")
    with pytest.raises(RuntimeError, match=r"\(3\).*\(2\)"):
        x[0] = tl.empty(2, device="meta")
    with pytest.raises(RuntimeError):
        tl.empty(3)[tl.empty((), dtype=tl.int64, device="meta")]


def test_length_and_iteration():
    x = tl.arange(6).reshape(3, 2)
    assert len(x) == 3 and [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert all(row.untyped_storage() is x.untyped_storage() for row in x)
    a, b, c = x
    assert b.tolist() == [2, 3] and list(tl.empty(0, 2)) == []


def test_rank_limit():
    x = tl.empty(2, 3)
    assert x[(None,) * 62].ndim == 64
    with pytest.raises(RuntimeError, match="64"):
        x[(None,) * 63]
