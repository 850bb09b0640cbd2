"""What a view names: the storage positions of its elements, as a NumPy array of its shape.

A view is right when its positions are those that NumPy's operation picks from the positions of its base.  No data is read, so
the comparison holds on every device; a storage filled with its own positions (0, 1, 2, ...) shows them as values.
"""
import random

import numpy as np

import tensorlib as tl

DEVICES = ["cpu", "meta"]


def positions(x):
    """The storage position of every element, as an array of x's shape."""
    shape, stride, offset = tuple(x.shape), x.stride(), x.storage_offset()
    out = np.full(shape, offset, np.int64)
    for axis, step in enumerate(stride):
        along = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        out = out + along * step
    return out


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


def random_base(rng, device="cpu", rank=None, smallest=0):
    """A tensor with arbitrary strides (0 and overlaps too) at an arbitrary offset."""
    rank = rng.randrange(5) if rank is None else rank
    shape = [rng.choice([smallest, 1, 1, 2, 3, 4]) for _ in range(rank)]
    stride, run = [], 1
    for size in reversed(shape):
        stride.insert(0, rng.choice([run, run, run, 0, rng.randrange(7), run * 2]))
        run = max(run, stride[0] * max(size, 1), 1)
    if rng.random() < 0.4:
        order = rng.sample(range(rank), rank)
        shape, stride = [shape[i] for i in order], [stride[i] for i in order]
    offset = rng.randrange(4)
    reach = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) + 1 if 0 not in shape else offset
    storage = tl.empty(reach + rng.randrange(3), dtype=tl.int16, device=device)
    return storage.as_strided(shape, stride, offset)


def check(view, base, expected, what):
    """view names the expected positions, over base's own storage, and its numbers about itself are true."""
    assert tuple(view.shape) == expected.shape, what
    assert (positions(view) == expected).all(), what
    assert view.untyped_storage() is base.untyped_storage() and view.dtype is base.dtype and view.device == base.device, what
    assert view.numel() == expected.size, what
    assert view.is_contiguous() == contiguous(view), what
    assert view.is_non_overlapping_and_dense() == dense(view), what
    assert all(step >= 0 for step in view.stride()), what


def contiguous(x):
    run = 1
    if x.numel() == 0:
        return True
    for size, step in reversed(list(zip(x.shape, x.stride(), strict=True))):
        if size != 1 and step != run:
            return False
        run *= size
    return True


def dense(x):
    here = positions(x).ravel()
    return here.size == 0 or (np.unique(here).size == here.size and here.max() - here.min() == here.size - 1)


def cases(count, seed, **options):
    rng = random.Random(seed)
    for i in range(count):
        base = random_base(rng, DEVICES[i % 2], **options)
        yield rng, base, positions(base), f"seed {seed}, case {i}: {layout(base)} on {base.device}"
