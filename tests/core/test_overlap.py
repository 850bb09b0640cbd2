"""csrc/overlap.pxd and csrc/bounded_sum.pxd against the listing of every byte."""

import collections
import random

import oracle
import pytest
from tensorlib import _testing as core

BASE = 2**20     # an address; only differences matter


def random_pair(rng):
    """Two views near each other: slices of one array, windows, permutations, or anything; also of different itemsizes."""
    itemsize = rng.choice((1, 2, 4, 8, 16))
    a_shape, a_stride = oracle.random_layout(rng, max_ndim=4, max_numel=150)
    kind = rng.choice(("shift", "same strides", "free", "reversed axes"))
    b_shape, b_stride, b_itemsize = a_shape, a_stride, itemsize
    if kind == "same strides":
        b_shape = tuple(max(size - rng.randint(0, 1), 0) for size in a_shape)
    elif kind == "reversed axes":
        b_shape, b_stride = a_shape[::-1], a_stride[::-1]
    elif kind == "free":
        b_shape, b_stride = oracle.random_layout(rng, max_ndim=4, max_numel=150)
        b_itemsize = rng.choice((1, 2, 4, 8, 16))
    if rng.random() < 0.2:
        b_shape, b_stride = (1, *b_shape), (rng.randint(0, 9), *b_stride)
    reach = oracle.extent_bytes(a_shape, a_stride, itemsize)[1] + 16
    shift = 0 if rng.random() < 0.25 else rng.randint(-reach, reach)
    if rng.random() < 0.8:
        shift -= shift % itemsize
    dtype = 0 if rng.random() < 0.9 else 1
    return (BASE, a_shape, a_stride, itemsize, 0), (BASE + shift, b_shape, b_stride, b_itemsize, dtype)


def test_overlap_agrees_with_the_listing_of_bytes():
    rng = random.Random(1)
    seen = collections.Counter()
    for _ in range(30000):
        a, b = random_pair(rng)
        want = oracle.overlap(a, b)
        assert core.overlap(a, b) == want, (a, b)
        assert core.overlap(b, a) == want, (b, a)
        ranges_meet = max(a[0], b[0]) < min(a[0] + oracle.extent_bytes(*a[1:4])[1], b[0] + oracle.extent_bytes(*b[1:4])[1])
        seen[want, ranges_meet] += 1
    assert min(seen["same", True], seen["partial", True], seen["no", True], seen["no", False]) > 1000, seen


@pytest.mark.parametrize("a, b, answer", [
    # columns of a matrix: interleaved, no byte in common
    ((0, (1000, 500), (1000, 2), 4, 0), (4, (1000, 500), (1000, 2), 4, 0), "no"),
    ((0, (1000, 500), (1000, 2), 4, 0), (8, (1000, 500), (1000, 2), 4, 0), "partial"),
    # left and right half
    ((0, (1000, 500), (1000, 1), 4, 0), (2000, (1000, 500), (1000, 1), 4, 0), "no"),
    ((0, (1000, 500), (1000, 1), 4, 0), (1996, (1000, 500), (1000, 1), 4, 0), "partial"),
    # a matrix and its transpose; shifted rows; one element of it
    ((0, (512, 512), (512, 1), 4, 0), (0, (512, 512), (1, 512), 4, 0), "partial"),
    ((2048, (511, 512), (512, 1), 4, 0), (0, (511, 512), (512, 1), 4, 0), "partial"),
    ((0, (512, 512), (512, 1), 4, 0), (4 * 777, (), (), 4, 0), "partial"),
    # the identical view, with other words for axes of size 1; of another dtype
    ((0, (1, 4), (4, 1), 4, 0), (0, (4,), (1,), 4, 0), "same"),
    ((0, (4, 1), (1, 3), 4, 0), (0, (4, 1), (1, 8), 4, 0), "same"),
    ((0, (4,), (1,), 4, 0), (0, (4,), (1,), 4, 1), "partial"),
    ((0, (4,), (2,), 4, 0), (4, (8,), (1,), 2, 1), "partial"),
    # real and imaginary parts of complex numbers
    ((0, (100,), (2,), 4, 0), (4, (100,), (2,), 4, 0), "no"),
    # 4 bytes every 12 and 8 bytes every 24: in the gaps, and one byte to either side
    ((0, (10,), (3,), 4, 0), (4, (10,), (3,), 8, 1), "no"),
    ((0, (10,), (3,), 4, 0), (3, (10,), (3,), 8, 1), "partial"),
    ((0, (10,), (3,), 4, 0), (5, (10,), (3,), 8, 1), "partial"),
    ((0, (10,), (3,), 4, 0), (4, (5,), (6,), 2, 1), "no"),
    # no elements
    ((0, (0, 4), (4, 1), 4, 0), (0, (4,), (1,), 4, 0), "no"),
    # far beyond what can be listed: 2**40 elements each
    ((0, (2**20, 2**20), (2**21, 2), 4, 0), (4, (2**20, 2**20), (2**21, 2), 4, 0), "no"),
    ((0, (2**20, 2**20), (2**21, 2), 4, 0), (4, (2**20, 2**20), (2**21, 3), 4, 0), "partial"),
])
def test_overlap_examples(a, b, answer):
    assert core.overlap(a, b) == answer
    assert core.overlap(b, a) == answer


def test_extents_that_do_not_fit_count_as_overlap():
    huge = (0, (2, 2), (2**62, 2**62), 4, 0)
    assert core.overlap(huge, (0, (4,), (1,), 4, 0)) == "too hard"


def test_sums_agree_with_brute_force():
    rng = random.Random(2)
    seen = collections.Counter()
    for _ in range(20000):
        n = rng.randint(0, 5)
        scale = rng.choice((1, 1, 2, 6, 10))
        coefficients = [scale * rng.randint(1, rng.choice((4, 12, 60))) for _ in range(n)]
        most = [rng.randint(1, rng.choice((1, 3, 6))) for _ in range(n)]
        total = sum(c * m for c, m in zip(coefficients, most, strict=True))
        target = rng.randint(-2, total + 2)
        want = "yes" if oracle.sum_is_reachable(coefficients, most, target) else "no"
        answer, nodes = core.sum_is_reachable(coefficients, most, target)
        assert answer == want, (coefficients, most, target)
        seen[want, nodes > 0] += 1
    assert len(seen) == 4 and min(seen.values()) > 100, seen


def test_large_sums_that_bounds_and_gcds_settle():
    assert core.sum_is_reachable([3 * 2**40, 5 * 2**40], [2**18, 2**18], 7 * 2**40) == ("no", 0)
    assert core.sum_is_reachable([3 * 2**40, 5 * 2**40], [2**18, 2**18], 8 * 2**40)[0] == "yes"
    assert core.sum_is_reachable([6, 10, 15], [2**40] * 3, 2**41 + 1)[0] == "yes"
    assert core.sum_is_reachable([6, 10, 15], [2**40] * 3, 29)[0] == "no"         # the largest number they cannot make
    assert core.sum_is_reachable([2**62, 2**62 - 1], [1, 1], 2**62 + 5)[0] == "no"
    assert core.sum_is_reachable([2**62], [4], 2**62)[0] == "too hard"


def test_the_work_limit_holds():
    """A subset-sum that needs search: with a small limit the answer is "too hard", never a guess."""
    rng = random.Random(3)
    gave_up = 0
    for _ in range(200):
        coefficients = [rng.randrange(2**30, 2**31) for _ in range(16)]
        most = [1] * 16
        target = sum(rng.sample(coefficients, 8)) + rng.randint(0, 1)
        truth = core.sum_is_reachable(coefficients, most, target, 10**9)[0]
        answer, nodes = core.sum_is_reachable(coefficients, most, target, 50)
        assert nodes <= 51 and answer in ("too hard", truth), (coefficients, target)
        gave_up += answer == "too hard"
    assert gave_up > 100
