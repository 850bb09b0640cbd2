"""Views: each one names the storage positions that NumPy's operation names, and none moves data.

Compared through the storage positions of the elements (tests/positions.py), so the same checks hold on cpu and on meta.
"""
import itertools
import random

import numpy as np
import pytest

import tensorlib as tl
from positions import DEVICES, cases, check, layout, positions, random_base


def test_reordering():
    for rng, x, p, what in cases(400, 1):
        dims = rng.sample(range(x.ndim), x.ndim)
        signed = [d - x.ndim if rng.random() < 0.3 else d for d in dims]
        for view in (x.permute(signed), x.permute(dims=tuple(signed)), tl.permute(x, signed)):
            check(view, x, p.transpose(dims), f"{what} permute {signed}")
        if x.ndim:
            check(x.permute(*signed), x, p.transpose(dims), what)
            a, b = rng.randrange(-x.ndim, x.ndim), rng.randrange(-x.ndim, x.ndim)
            for view in (x.transpose(a, b), tl.transpose(x, a, b), x.swapaxes(a, b), x.swapdims(a, b), tl.swapaxes(x, a, b)):
                check(view, x, p.swapaxes(a, b), f"{what} transpose {a} {b}")
            check(x.movedim(a, b), x, np.moveaxis(p, a, b), f"{what} movedim {a} {b}")
            k = rng.randrange(x.ndim + 1)
            source, to = rng.sample(range(x.ndim), k), rng.sample(range(x.ndim), k)
            for view in (x.movedim(source, to), tl.moveaxis(x, tuple(source), tuple(to))):
                check(view, x, np.moveaxis(p, source, to), f"{what} movedim {source} {to}")
        if x.ndim <= 2:
            check(x.t(), x, p.T, what)
        if x.ndim == 2:
            for view in (x.T, x.H, x.mT, x.mH, x.adjoint(), tl.t(x)):
                check(view, x, p.T, what)
        if x.ndim > 2:
            for view in (x.mT, x.mH, tl.adjoint(x)):
                check(view, x, p.swapaxes(-1, -2), what)


def test_reversing_other_ranks_warns():
    x = tl.empty(2, 3, 4)
    with pytest.warns(UserWarning, match="deprecated"):
        check(x.T, x, positions(x).T, "T")


def strides_that_show(expected):
    """Strides that name the positions of `expected`, axis by axis; None if there are none."""
    shape = expected.shape
    if expected.size == 0:
        return [0] * len(shape)
    start = expected[(0,) * len(shape)]
    steps = [int(expected[tuple(int(i == axis) for i in range(len(shape)))] - start) if size > 1 else 0
             for axis, size in enumerate(shape)]
    rebuilt = start + sum((np.arange(size).reshape([-1 if i == axis else 1 for i in range(len(shape))]) * steps[axis]
                           for axis, size in enumerate(shape)), np.zeros(shape, np.int64))
    return steps if (rebuilt == expected).all() and min(steps, default=0) >= 0 else None


def factorings(n, most):
    """Every shape of n elements with at most `most` dimensions, sizes of 1 included once per place."""
    if most == 0:
        return [()] if n == 1 else []
    out = [()] if n == 1 else []
    for size in range(1, n + 1):
        if n % size == 0:
            out += [(size, *rest) for rest in factorings(n // size, most - 1)]
    return out


def test_view_exists_exactly_where_strides_do():
    legal = refused = 0
    for rng, x, p, what in cases(500, 2, smallest=1):
        shapes = factorings(x.numel(), 3) if x.numel() <= 24 else [tuple(rng.sample(list(x.shape), x.ndim))]
        for shape in rng.sample(shapes, min(6, len(shapes))):
            expected = p.reshape(shape)
            if strides_that_show(expected) is None:
                refused += 1
                with pytest.raises(RuntimeError, match="reshape"):
                    x.view(shape)
            else:
                legal += 1
                check(x.view(shape), x, expected, f"{what} view {shape}")
                check(x.reshape(shape), x, expected, f"{what} reshape {shape}")
    assert legal > 500 and refused > 200


def test_inferred_size():
    for rng, x, _, what in cases(300, 3, smallest=1):
        shape = list(rng.choice(factorings(x.numel(), 3)) if x.numel() <= 24 else x.shape)
        if not shape:
            continue
        known = tuple(shape)
        shape[rng.randrange(len(shape))] = -1
        assert tuple(x.reshape(shape).shape) == known, what
        assert x.reshape(*shape).stride() == x.reshape(known).stride(), what


def test_same_shape_keeps_strides():
    for device in DEVICES:
        x = tl.empty(100, device=device).as_strided((1, 4, 1), (7, 1, 55), 3)
        for view in (x.view(1, 4, 1), x.view(1, -1, 1), x.reshape(1, 4, 1), x.reshape_as(x), x.view_as(x)):
            assert layout(view) == layout(x) and view is not x


def test_reshape_copies_what_no_view_shows():
    for seed in range(200):
        rng = random.Random(seed)
        x = random_base(rng)
        storage = x.as_strided((x.untyped_storage().nbytes() // 2,), (1,), 0)
        storage.copy_(tl.arange(storage.numel(), dtype=tl.int16))
        p = positions(x)
        for y, expected in ((x.reshape(-1), p.reshape(-1)), (x.flatten(), p.reshape(-1)), (x.ravel(), p.reshape(-1)),
                            (x.reshape([1, *reversed(x.shape)]), p.reshape([1, *reversed(x.shape)]))):
            assert y.tolist() == expected.tolist(), f"seed {seed}"
            if y.untyped_storage() is not x.untyped_storage():
                assert y.is_contiguous() and y.storage_offset() == 0, f"seed {seed}"
                y.fill_(-1)
                assert storage.tolist() == list(range(storage.numel())), f"seed {seed}: the copy is not one"


def test_flatten():
    for rng, x, p, what in cases(300, 4):
        if x.ndim == 0:
            assert tuple(x.flatten().shape) == (1,)
            continue
        start = rng.randrange(x.ndim)
        end = rng.randrange(start, x.ndim)
        y = x.flatten(start, end - x.ndim)
        shape = p.shape[:start] + (int(np.prod(p.shape[start:end + 1])),) + p.shape[end + 1:]
        assert tuple(y.shape) == shape, what
        if start == end:
            assert y is x
        elif y.untyped_storage() is x.untyped_storage():
            check(y, x, p.reshape(shape), f"{what} flatten {start} {end}")
        else:
            assert strides_that_show(p.reshape(shape)) is None, f"{what}: flatten {start} {end} copied without need"


def test_unflatten():
    for rng, x, p, what in cases(300, 5, smallest=1):
        if x.ndim == 0:
            continue
        dim = rng.randrange(x.ndim)
        sizes = list(rng.choice([s for s in factorings(x.shape[dim], 3) if s]))
        shape = p.shape[:dim] + tuple(sizes) + p.shape[dim + 1:]
        sizes[rng.randrange(len(sizes))] = -1
        check(x.unflatten(dim - x.ndim, sizes), x, p.reshape(shape), f"{what} unflatten {dim} {sizes}")


def test_squeeze_and_unsqueeze():
    for rng, x, p, what in cases(400, 6):
        check(x.squeeze(), x, p.squeeze(), what)
        dims = rng.sample(range(x.ndim), rng.randrange(x.ndim + 1))
        ones = tuple(d for d in dims if p.shape[d] == 1)
        for view in (x.squeeze(dims), tl.squeeze(x, tuple(dims))):
            check(view, x, p.squeeze(ones), f"{what} squeeze {dims}")
        if len(dims) == 1:
            check(x.squeeze(dims[0] - x.ndim), x, p.squeeze(ones), f"{what} squeeze {dims}")
        at = rng.randrange(-x.ndim - 1, x.ndim + 1)
        for view in (x.unsqueeze(at), tl.unsqueeze(x, dim=at)):
            check(view, x, np.expand_dims(p, at), f"{what} unsqueeze {at}")
        assert layout(x.unsqueeze(at).squeeze(at)) == layout(x), what
        at %= x.ndim + 1
        assert x.unsqueeze(at).stride(at) == (x.shape[at] * x.stride(at) if at < x.ndim else 1), what


def test_expand():
    for rng, x, p, what in cases(400, 7):
        shape = [rng.randrange(4) if size == 1 and rng.random() < 0.6 else size for size in p.shape]
        lead = [rng.randrange(1, 4) for _ in range(rng.randrange(3))]
        given = lead + [-1 if size == old and rng.random() < 0.3 else size for size, old in zip(shape, p.shape, strict=True)]
        expected = np.broadcast_to(p, lead + shape)
        views = [x.expand(given), x.expand(size=given), tl.broadcast_to(x, given), x.broadcast_to(given)]
        views += [x.expand(*given)] if given else []
        views += [x.expand_as(tl.empty(lead + shape))]
        for view in views:
            check(view, x, expected, f"{what} expand {given}")
        for size, old, step in zip(shape, x.shape, views[0].stride()[len(lead):], strict=True):
            assert size == old or step == 0, what


def test_parts():
    for rng, x, p, what in cases(400, 8):
        if x.ndim == 0:
            continue
        dim = rng.randrange(x.ndim)
        size = x.shape[dim]
        start, length = rng.randint(0, size), 0
        length = rng.randint(0, size - start)
        expected = p.take(np.arange(start, start + length), dim)
        signed = start - size if start < size and rng.random() < 0.5 else start
        for view in (x.narrow(dim, signed, length), tl.narrow(x, dim - x.ndim, signed, length)):
            check(view, x, expected, f"{what} narrow {dim} {signed} {length}")
        if size:
            i = rng.randrange(-size, size)
            for view in (x.select(dim, i), tl.select(x, dim=dim, index=i)):
                check(view, x, p.take(i, dim), f"{what} select {dim} {i}")
        pieces = x.unbind(dim)
        assert isinstance(pieces, tuple) and len(pieces) == size, what
        for i, view in enumerate(pieces):
            check(view, x, p.take(i, dim), f"{what} unbind {dim}")
        step = rng.randrange(1, 5)
        check_pieces(x.split(step, dim), x, p, dim, [step] * (size // step) + ([size % step] if size % step or not size else []),
                     f"{what} split {step}")
        cuts = sorted(rng.randint(0, size) for _ in range(rng.randrange(3)))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
        check_pieces(tl.split(x, sizes, dim=dim), x, p, dim, sizes, f"{what} split {sizes}")
        check_pieces(x.tensor_split(cuts, dim), x, p, dim, sizes, f"{what} tensor_split {cuts}")
        count = rng.randrange(1, 5)
        check_pieces(tl.tensor_split(x, count, dim), x, p, dim, [a.size for a in np.array_split(np.arange(size), count)],
                     f"{what} tensor_split {count}")
        most = -(-size // count)
        check_pieces(x.chunk(count, dim), x, p, dim,
                     [min(most, size - i) for i in range(0, size, most)] if size else [0] * count, f"{what} chunk {count}")


def check_pieces(pieces, x, p, dim, sizes, what):
    assert isinstance(pieces, tuple) and [piece.shape[dim] for piece in pieces] == sizes, what
    start = 0
    for piece, size in zip(pieces, sizes, strict=True):
        check(piece, x, p.take(np.arange(start, start + size), dim), what)
        start += size


def test_tensor_split_takes_indices_as_slices_do():
    x = tl.empty(6)
    for indices in itertools.product(range(-8, 9), repeat=2):
        pieces = x.tensor_split(indices)
        bounds = [None, *indices, None]
        want = [list(range(6))[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
        assert [positions(piece).tolist() for piece in pieces] == want, indices


def test_diagonal_and_unfold():
    for rng, x, p, what in cases(500, 9):
        if x.ndim >= 2:
            a, b = rng.sample(range(x.ndim), 2)
            k = rng.randrange(-5, 6)
            for view in (x.diagonal(k, a, b - x.ndim), tl.diagonal(x, offset=k, dim1=a, dim2=b)):
                check(view, x, p.diagonal(k, a, b), f"{what} diagonal {k} {a} {b}")
        if x.ndim:
            dim = rng.randrange(x.ndim)
            size, step = rng.randint(0, x.shape[dim]), rng.randrange(1, 4)
            windows = np.stack([p.take(np.arange(i, i + size), dim) for i in range(0, x.shape[dim] - size + 1, step)], dim)
            check(x.unfold(dim, size, step), x, np.moveaxis(windows, dim + 1, -1), f"{what} unfold {dim} {size} {step}")


def test_as_strided_reaches_the_whole_storage_and_nothing_else():
    inside = outside = 0
    for rng, x, _, what in cases(800, 10):
        rank = rng.randrange(4)
        shape, stride = [rng.randrange(4) for _ in range(rank)], [rng.randrange(5) for _ in range(rank)]
        offset = rng.randrange(6)
        count = x.untyped_storage().nbytes() // 2
        reach = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
        if 0 in shape or reach < count:
            inside += 1
            y = tl.as_strided(x, shape, stride, offset)
            assert layout(y) == (tuple(shape), tuple(stride), offset), what
            check(y, x, positions(y), what)
        else:
            outside += 1
            with pytest.raises(RuntimeError, match="out of bounds"):
                x.as_strided(shape, stride, offset)
    assert inside > 200 and outside > 200
    x = tl.empty(8)[3:]
    assert layout(x.as_strided((2,), (2,))) == ((2,), (2,), 3)


@pytest.mark.parametrize("device", DEVICES)
def test_view_as_another_dtype(device):
    widths = {1: tl.uint8, 2: tl.int16, 4: tl.float32, 8: tl.int64, 16: tl.complex128}
    numpy_types = {1: np.uint8, 2: np.int16, 4: np.float32, 8: np.int64, 16: np.complex128}
    whole = np.zeros((4, 6, 64), np.uint8)
    done = refused = 0
    for old, new in itertools.product(widths, widths):
        for start, stop, step in itertools.product((0, 1, 2), (3, 4), (1, 2)):
            a = whole.view(numpy_types[old])[:, ::step, start:stop]
            x = tl.empty(4, 6, 64, dtype=tl.uint8, device=device).view(widths[old])[:, ::step, start:stop]
            offset = (a.__array_interface__["data"][0] - whole.__array_interface__["data"][0])
            # NumPy neither asks for an aligned start nor for strides that divide.
            fits = old == new or new < old or (offset % new == 0 and all(s % new == 0 for s in a.strides[:-1]))
            try:
                want = a.view(numpy_types[new]) if fits else None
            except ValueError:
                want = None
            if want is None:
                refused += 1
                with pytest.raises(RuntimeError, match="to view"):
                    x.view(widths[new])
                continue
            done += 1
            for y in (x.view(widths[new]), x.view(dtype=widths[new])):
                assert y.dtype is widths[new]
                assert tuple(y.shape) == want.shape
                assert [step * new for step in y.stride()] == list(want.strides)
                assert y.storage_offset() * new == offset
                assert y.untyped_storage() is x.untyped_storage()
    assert done > 100 and refused > 50


def test_view_dtype_shows_the_bytes():
    x = tl.tensor([1.0, -2.0], dtype=tl.float32)
    assert x.view(tl.int32).tolist() == [0x3F800000, 0xC0000000 - (1 << 32)]
    assert x.view(tl.uint8).tolist() == list(np.array([1, -2], np.float32).tobytes())
    zero_dim = tl.tensor(1.0)
    assert zero_dim.view(tl.int32).item() == 0x3F800000
    with pytest.raises(RuntimeError, match="dim.. cannot be 0 to view Float as Short"):
        zero_dim.view(tl.int16)


def test_view_takes_sizes_or_a_dtype():
    x = tl.empty(4)
    for args, named in [((), {}), (((2, 2),), {"dtype": tl.int32}), (([2, 2], 1), {}), (("float64",), {}), ((2.0, 2), {}),
                        ((True, 4), {}), ((tl.int32, 2), {})]:
        with pytest.raises(TypeError):
            x.view(*args, **named)


ERRORS = [
    ("x.permute(0, 0, 1)", RuntimeError, ["duplicate", "0, 0, 1"]), ("x.permute(0, 1)", RuntimeError, ["3", "2"]),
    ("x.permute(0, 1, 3)", IndexError, ["-3", "2", "3"]), ("x.permute()", TypeError, []),
    ("x.transpose(0, 3)", IndexError, ["-3", "2", "3"]), ("x.t()", RuntimeError, ["t()", "3D"]),
    ("v.mT", RuntimeError, ["mT", "1-D"]), ("x.H", RuntimeError, ["H", "3-D", "mH"]), ("v.adjoint()", RuntimeError, ["1-D"]),
    ("x.movedim((0, 0), (1, 2))", RuntimeError, ["source", "0, 0"]),
    ("x.movedim((0, 1), (1, 1))", RuntimeError, ["destination"]),
    ("x.movedim((0, 1), (1,))", RuntimeError, ["[0, 1]", "[1]"]), ("x.movedim(0, (1,))", TypeError, ["int", "tuple"]),
    ("x.movedim(0, 3)", IndexError, ["3"]), ("x.reshape(5, -1)", RuntimeError, ["[5, -1]", "24"]),
    ("x.reshape(-1, -1)", RuntimeError, ["only one"]), ("x.reshape(-2, 12)", RuntimeError, ["-2", "index 0", "[-2, 12]"]),
    ("x.reshape(0, -1)", RuntimeError, ["[0, -1]", "24"]), ("e.reshape(0, -1)", RuntimeError, ["ambiguous", "[0, -1]"]),
    ("x.reshape(7)", RuntimeError, ["[7]", "24"]), ("x.reshape(2 ** 40, 2 ** 40)", RuntimeError, ["1099511627776", "24"]),
    ("x.reshape()", TypeError, []), ("x.reshape(2.0, -1)", TypeError, ["float"]),
    ("x.reshape(True, -1)", TypeError, ["bool"]), ("x.reshape('a')", TypeError, ["str"]),
    ("x.reshape((2, 3), 4)", TypeError, ["reshape"]), ("x.reshape(*[1] * 65)", RuntimeError, ["64", "65"]),
    ("tl.reshape(x, 24)", TypeError, ["shape", "int"]), ("x.flatten(1, 0)", RuntimeError, ["start_dim", "1", "0"]),
    ("x.flatten(0, 9)", IndexError, ["9"]), ("x.unflatten(2, (3, 2))", RuntimeError, ["[3, 2]", "2", "4"]),
    ("x.unflatten(2, ())", RuntimeError, ["non-empty"]), ("x.unflatten(0, 2)", TypeError, ["tuple"]),
    ("s.unflatten(0, (1,))", RuntimeError, ["no dimensions"]), ("x.squeeze((0, 0))", RuntimeError, ["0"]),
    ("x.squeeze(3)", IndexError, ["3"]), ("x.unsqueeze(4)", IndexError, ["-4", "3", "4"]),
    ("x.unsqueeze(-5)", IndexError, ["-5"]),
    ("x.expand(2, 3, 5)", RuntimeError, ["5", "4", "dimension 2", "[2, 3, 5]", "[2, 3, 4]"]),
    ("x.expand(3, 4)", RuntimeError, ["[2, 3, 4]", "[3, 4]", "(2)", "(3)"]),
    ("x.expand(-1, 2, 3, 4)", RuntimeError, ["-1", "dimension 0"]), ("x[:1].expand(-2, 3, 4)", RuntimeError, ["-2"]),
    ("x[:1, :1, :1].expand(2 ** 40, 2 ** 40, 1)", RuntimeError, ["1099511627776"]),
    ("x.expand_as([1])", TypeError, ["Tensor", "list"]), ("x.view_as(None)", TypeError, ["Tensor", "NoneType"]),
    ("x.narrow(2, 3, 2)", RuntimeError, ["3", "2", "4"]), ("x.narrow(2, 5, 0)", IndexError, ["-4", "4", "5"]),
    ("x.narrow(2, 0, -1)", RuntimeError, ["-1"]), ("s.narrow(0, 0, 1)", RuntimeError, ["0-dim"]),
    ("x.narrow(2, 1, 2 ** 63 - 1)", RuntimeError, ["9223372036854775807"]),
    ("x.select(1, 3)", IndexError, ["3", "[2, 3, 4]", "dimension 1"]), ("x.select(1, -4)", IndexError, ["-4"]),
    ("s.select(0, 0)", IndexError, ["0-dim"]), ("x.select(1, True)", TypeError, ["bool"]),
    ("s.unbind()", IndexError, ["no dimensions"]), ("x.unbind(3)", IndexError, ["3"]), ("x.split(-1)", RuntimeError, ["-1"]),
    ("x.split(0)", RuntimeError, ["2"]), ("x.split([1, 2], 2)", RuntimeError, ["4", "[1, 2]"]),
    ("x.split([-1, 5], 2)", RuntimeError, ["[-1, 5]"]), ("x.split([2 ** 62, 2 ** 62], 2)", RuntimeError, ["4"]),
    ("s.split(1)", RuntimeError, ["1-dimensional"]), ("x.chunk(0)", RuntimeError, ["0"]),
    ("s.chunk(1)", RuntimeError, ["1-dimensional"]), ("x.tensor_split(0)", RuntimeError, ["0"]),
    ("s.tensor_split(2)", RuntimeError, ["0"]), ("x.as_strided((2,), (1, 1))", RuntimeError, ["2", "1"]),
    ("x.as_strided((2,), (-1,))", RuntimeError, ["-1"]), ("x.as_strided((-2,), (1,))", RuntimeError, ["-2"]),
    ("x.as_strided((2,), (1,), -1)", RuntimeError, ["-1"]),
    ("x.as_strided((2 ** 40, 2 ** 40), (1, 1))", RuntimeError, ["1099511627776"]),
    ("x.as_strided((3,), (2 ** 62,))", RuntimeError, ["4611686018427387904"]),
    ("x.as_strided((1,), (1,), 2 ** 62)", RuntimeError, ["4611686018427387904"]), ("x.as_strided(2, 1)", TypeError, ["int"]),
    ("x.unfold(2, 5, 1)", RuntimeError, ["5", "4", "dimension 2"]), ("x.unfold(2, -1, 1)", RuntimeError, ["-1"]),
    ("x.unfold(2, 1, 0)", RuntimeError, ["0"]), ("x.unfold(3, 1, 1)", IndexError, ["3"]),
    ("x.diagonal(0, 1, 1)", RuntimeError, ["1, 1"]), ("v.diagonal()", IndexError, ["1"]),
    ("x[:, :2].permute(0, 2, 1).view(16)", RuntimeError, ["reshape", "[2,4,2]@[12,1,4]+0"]),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("call", "kind", "words"), ERRORS, ids=[call for call, _, _ in ERRORS])
def test_errors_say_what_was_given(call, kind, words, device):
    names = {"tl": tl, "x": tl.empty(2, 3, 4, device=device), "v": tl.empty(5, device=device),
             "s": tl.empty((), device=device), "e": tl.empty(0, 3, device=device)}
    with pytest.raises(kind) as info:
        eval(call, names)
    assert type(info.value) is kind
    assert all(word in str(info.value) for word in words), str(info.value)


@pytest.mark.parametrize("name, arguments", [
    ("transpose", 2), ("swapaxes", 2), ("swapdims", 2), ("movedim", 2), ("flatten", 2), ("unsqueeze", 1), ("squeeze", 1), ("narrow", 3),
    ("select", 2), ("unbind", 1), ("split", 2), ("chunk", 2), ("tensor_split", 2), ("diagonal", 3), ("unfold", 3), ("permute", 2)])
def test_integer_arguments_are_named_when_they_are_none(name, arguments):
    """Too large for 64 bits: ValueError, as in PyTorch; bool and float: TypeError."""
    x = tl.zeros(4, 4)
    calls = [getattr(x, name)]
    if hasattr(tl, name) and name != "permute":
        calls.append(lambda *given: getattr(tl, name)(x, *given))
    for call in calls:
        for position in range(arguments):
            given = [1] * arguments
            for wrong, kind, words in ((2**70, ValueError, f"{2**70} does not fit in 64 bits"), (True, TypeError, "bool"),
                                       (0.5, TypeError, "float"), (None, TypeError, "NoneType")):
                if wrong is None and (name, position) in (("squeeze", 0), ("tensor_split", 0)):
                    continue
                given[position] = wrong
                with pytest.raises(kind, match=f"{name}.*{words}"):
                    call(*given)
    assert x.transpose(tl.tensor(0), np.int64(1)).stride() == (1, 4)


def test_zero_dim():
    s = tl.empty(())
    for view in (s.permute(()), s.transpose(0, -1), s.t(), s.movedim(0, 0), s.reshape(()), s.view(()), s.squeeze(),
                 s.squeeze(0), s.expand(())):
        assert layout(view) == ((), (), 0) and view is not s
    assert layout(s.reshape(1, 1)) == ((1, 1), (1, 1), 0)
    assert layout(s.unsqueeze(0)) == ((1,), (1,), 0)
    assert layout(s.expand(2, 3)) == ((2, 3), (0, 0), 0)
    assert layout(s.unfold(0, 1, 1)) == ((1,), (1,), 0)
    assert s.mT is s


def test_up_to_64_dimensions():
    x = tl.empty(3)
    for _ in range(63):
        x = x.unsqueeze(0)
    assert x.ndim == 64 and x.shape[-1] == 3
    assert layout(x.permute(*reversed(range(64))).squeeze()) == ((3,), (1,), 0)
    assert x.transpose(0, 63).shape[0] == 3 and x.flatten().shape == (3,)
    for call in (lambda: x.unsqueeze(0), lambda: x.expand(1, *x.shape), lambda: x.unfold(63, 1, 1), lambda: x.unflatten(63, (1, 3)),
                 lambda: x.reshape(1, *x.shape)):
        with pytest.raises(RuntimeError, match="64"):
            call()


def test_huge_strides_without_elements_stay_numbers():
    x = tl.empty(0).as_strided((0, 4, 4), (2 ** 62, 2 ** 62, 1))
    for view in (x.unsqueeze(1), x.unfold(1, 2, 2), x.diagonal(0, 0, 1), x.select(1, 3), x[:, ::3], x[:, 3], x[None],
                 x.view(tl.uint8), x.expand(1, 0, 4, 4)):
        assert view.numel() == 0 and min(view.stride()) >= 0 and view.storage_offset() >= 0


def test_views_keep_their_storage_alive_and_write_through():
    x = tl.zeros(2, 3)
    y = x.t()[1].unsqueeze(0)
    storage = x.untyped_storage()
    y.fill_(7)
    assert x.tolist() == [[0, 7, 0], [0, 7, 0]]
    del x
    assert y.tolist() == [[7, 7]] and y.untyped_storage() is storage
