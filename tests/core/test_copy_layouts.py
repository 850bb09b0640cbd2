"""The copy kernels of every CPU level between layouts: each element arrives, and not one byte beside the destination's changes.

The oracle is an index at a time in plain Python where arrays are small, NumPy's strided assignment otherwise.  Both buffers lie
in larger ones of random bytes, at offsets that no vector is aligned to.
"""
import itertools
import random

import numpy as np
import pytest

from kernel_table import Kernels, built_levels

LEVELS = built_levels()
DTYPES = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 47, 64, 65, 130)
GUARD = 256


def element_offsets(shape, strides):
    return sum((np.arange(n).reshape([-1 if d == k else 1 for d in range(len(shape))]) * s
                for k, (n, s) in enumerate(zip(shape, strides))), np.zeros([1] * len(shape), int))


class Place:
    """Memory for a view of `shape` whose axes lie in `order`, outermost first, with `gap` more elements in each row."""

    def __init__(self, rng, shape, order, itemsize, shift=0, gap=0, scale=1):
        strides, run = [0] * len(shape), itemsize * scale
        for d in reversed(order):
            strides[d] = run
            run = run * shape[d] + gap * itemsize
        self.itemsize, self.shape, self.strides, self.start = itemsize, shape, strides, GUARD + shift
        self.memory = rng.integers(0, 256, run + 2 * GUARD + 64, dtype=np.uint8)

    def view(self):
        dtype = np.dtype(DTYPES[self.itemsize])
        raw = self.memory[self.start:]
        raw = raw[:len(raw) // self.itemsize * self.itemsize].view(dtype)       # NumPy takes views of any address
        return np.lib.stride_tricks.as_strided(raw, self.shape, self.strides)

    def bytes_of(self):
        """The address of each byte of each element, by index."""
        return self.start + (element_offsets(self.shape, self.strides)[..., None] + np.arange(self.itemsize))


def check(levels, rng, shape, src_order, dst_order, itemsize, **places):
    """Copies at every level and compares all of the destination's memory, guards too."""
    src = Place(rng, shape, src_order, itemsize, places.get("src_shift", 0), places.get("src_gap", 0), places.get("src_scale", 1))
    dst = Place(rng, shape, dst_order, itemsize, places.get("dst_shift", 0), places.get("dst_gap", 0), places.get("dst_scale", 1))
    before = src.memory.copy()
    want = dst.memory.copy()
    want[dst.bytes_of()] = src.memory[src.bytes_of()]
    fresh = dst.memory.copy()
    for kernels in levels:
        dst.memory[:] = fresh
        out, x = dst.view(), src.view()
        order = sorted(range(len(shape)), key=lambda d: -out.strides[d])        # as the planner sorts axes
        kernels.copy(out.transpose(order), DTYPES[itemsize], x.transpose(order), DTYPES[itemsize])
        wrong = np.flatnonzero(dst.memory != want)
        assert wrong.size == 0, (kernels.level, shape, src_order, dst_order, itemsize, places, wrong[:8] - dst.start)
        assert np.array_equal(src.memory, before)


@pytest.fixture(scope="module")
def kernels():
    return [Kernels(level) for level in LEVELS]


@pytest.mark.parametrize("itemsize", DTYPES)
def test_matrices_of_every_tail(kernels, itemsize):
    rng = np.random.default_rng(itemsize)
    for n0, n1 in itertools.product(SIZES, SIZES):
        check(kernels, rng, (n0, n1), (1, 0), (0, 1), itemsize, src_shift=int(rng.integers(64)), dst_shift=int(rng.integers(64)),
              src_gap=int(rng.integers(3)), dst_gap=int(rng.integers(3)))


@pytest.mark.parametrize("itemsize", DTYPES)
def test_rows_that_share_cache_sets(kernels, itemsize):
    """Pitches that few sets of L1 serve; multiples of 4096 bytes are read a tile's rows at a time."""
    rng = np.random.default_rng(itemsize)
    for pitch in (512, 1024, 4096):
        for n0, n1 in itertools.product((16, 17, 65, 100), (40, 64, 129, 300)):
            n0, n1 = min(n0, pitch // itemsize), min(n1, 4096)
            gap = pitch // itemsize - n0
            check(kernels, rng, (n0, n1), (1, 0), (0, 1), itemsize, src_gap=gap, dst_shift=int(rng.integers(64)))
            gap = -n1 % (pitch // itemsize)
            check(kernels, rng, (n0, n1), (1, 0), (0, 1), itemsize, dst_gap=gap, src_shift=int(rng.integers(64)))


@pytest.mark.parametrize("itemsize", DTYPES)
def test_channels(kernels, itemsize):
    """2 to 20 channels between planes and interleaved, in batches."""
    rng = np.random.default_rng(itemsize)
    for channels in range(2, 21):
        for pixels in (1, 3, 16, 49, 130):
            for src, dst in (((0, 1, 2), (0, 2, 1)), ((0, 2, 1), (0, 1, 2)), ((1, 0, 2), (2, 0, 1))):
                check(kernels, rng, (2, channels, pixels), src, dst, itemsize, src_shift=int(rng.integers(32)),
                      dst_shift=int(rng.integers(32)), dst_gap=int(rng.integers(2)), src_gap=int(rng.integers(2)))


@pytest.mark.parametrize("itemsize", DTYPES)
def test_random_permutations(kernels, itemsize):
    """Ranks 1 to 6, gaps between rows, and sometimes steps inside them on one side."""
    rng, choice = np.random.default_rng(itemsize), random.Random(itemsize)
    for _ in range(250):
        rank = choice.randint(1, 6)
        shape = [choice.choice((1, 2, 3, 4, 5, 8, 9, 16, 17, 20)) for _ in range(rank)]
        while np.prod(shape) > 20000:
            shape[choice.randrange(rank)] = 2
        src, dst = list(range(rank)), list(range(rank))
        choice.shuffle(src)
        choice.shuffle(dst)
        check(kernels, rng, tuple(shape), src, dst, itemsize, src_shift=choice.randrange(64), dst_shift=choice.randrange(64),
              src_gap=choice.randrange(3), dst_gap=choice.randrange(3), src_scale=choice.choice((1, 1, 2)),
              dst_scale=choice.choice((1, 1, 1, 3)))


@pytest.mark.parametrize("itemsize", (1, 4, 8))
def test_results_past_the_caches(kernels, itemsize):
    """Large enough for streamed stores, with rows of whole lines and others, at addresses that lines begin at and others."""
    rng = np.random.default_rng(itemsize)
    rows, columns = (17 << 20) // itemsize // 1031 + 1, 1031
    for shape in ((rows, columns), (columns, rows)):
        whole_lines = -shape[1] % (64 // itemsize)           # only such rows are streamed
        for dst_shift, dst_gap in ((0, 0), (24, 5), (0, whole_lines), (24, whole_lines)):
            check(kernels, rng, shape, (1, 0), (0, 1), itemsize, dst_shift=dst_shift, dst_gap=dst_gap)
