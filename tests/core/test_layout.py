"""csrc/layout.pxd against the oracle, the golden table of views, and PyTorch where it is installed."""

import collections
import json
import pathlib
import random

import oracle
import pytest
from tensorlib import _testing as core

DATA = pathlib.Path(__file__).parents[1] / "data"
BIG = 2**63 - 1
CASES = 6000


def layouts(seed, count=CASES):
    rng = random.Random(seed)
    for _ in range(count):
        yield oracle.random_layout(rng)


def test_layouts_agree_with_the_oracle():
    seen = collections.Counter()
    for shape, stride in layouts(seed=1):
        where = f"{shape}@{stride}"
        contiguous = oracle.is_contiguous(shape, stride)
        dense = oracle.is_dense(shape, stride)
        repeats = oracle.repeats(shape, stride)
        assert core.numel(shape) == oracle.numel(shape), where
        assert core.contiguous_strides(shape) == oracle.contiguous_strides(shape), where
        assert core.is_contiguous(shape, stride) == contiguous, where
        assert core.is_dense(shape, stride) == dense, where
        assert core.repeats(shape, stride) == repeats, where
        assert core.extent(shape, stride, 8) == oracle.extent_bytes(shape, stride, 8), where
        seen["contiguous", contiguous] += 1
        seen["dense", dense and not contiguous] += 1
        seen["repeats", repeats] += 1
        seen["gaps", not repeats and not dense] += 1
        seen["empty", 0 in shape] += 1
        seen["rank 0", shape == ()] += 1
    assert min(seen.values()) > CASES / 50, seen


def test_ordered_strides_agree_with_the_oracle():
    rng = random.Random(2)
    for _ in range(CASES):
        shape = oracle.random_shape(rng)
        order = rng.sample(range(len(shape)), len(shape))
        assert core.ordered_strides(shape, order) == oracle.ordered_strides(shape, order), (shape, order)


def test_stride_comparison_agrees_with_the_oracle():
    rng = random.Random(3)
    seen = collections.Counter()
    for shape, stride in layouts(seed=4):
        other = tuple(s + (rng.random() < 0.2) for s in stride)
        raw, placed = stride == other, oracle.same_placement(shape, stride, other)
        assert core.strides_equal(shape, stride, other) == raw, (shape, stride, other)
        assert core.strides_equal_ignoring_trivial(shape, stride, other) == placed, (shape, stride, other)
        seen[raw, placed] += 1
    assert len(seen) == 3 and min(seen.values()) > CASES / 50, seen


@pytest.mark.parametrize("shape, numel", [
    ((), 1), ((0,), 0), ((BIG,), BIG), ((BIG, 1), BIG), ((BIG, 2), -1), ((2**32, 2**31), -1), ((2**31, 2**31), 2**62),
    ((2**40, 0, 2**40), -1),       # contiguous strides, which count 0 as 1, would not fit
    ((2,) * 62, 2**62), ((2,) * 63, -1), ((1,) * 64, 1),
])
def test_numel_reports_overflow(shape, numel):
    assert core.numel(shape) == numel


@pytest.mark.parametrize("shape, stride, itemsize, extent", [
    ((3,), (-2,), 4, (-16, 4)),
    ((3, 2), (-2, 5), 1, (-4, 6)),
    ((0, 3), (BIG, BIG), 8, (0, 0)),
    ((1,), (BIG,), 8, (0, 8)),
    ((2,), (BIG,), 1, None),
    ((2,), (BIG // 8,), 8, None),
    ((3,), (BIG // 2 + 1,), 1, None),
    ((2, 2), (BIG // 2, BIG // 2), 1, (0, BIG)),
    ((2, 2), (BIG // 2, BIG // 2 + 1), 1, None),
    ((2,), (-BIG,), 2, None),
])
def test_extent_handles_negative_strides_and_overflow(shape, stride, itemsize, extent):
    assert core.extent(shape, stride, itemsize) == extent


def random_reshape(rng, shape):
    """Another shape of the same number of elements, most often one that splits, merges or pads axes."""
    sizes = []
    for size in shape:
        parts = [size]
        if size > 3 and rng.random() < 0.5 and any(size % k == 0 for k in (2, 3)):
            k = 2 if size % 2 == 0 else 3
            parts = [k, size // k] if rng.random() < 0.5 else [size // k, k]
        sizes += parts
    new = []
    for size in sizes:
        if new and rng.random() < 0.4:
            new[-1] *= size
        else:
            new.append(size)
        if rng.random() < 0.2:
            new.append(1)
    if rng.random() < 0.15:
        rng.shuffle(new)
    return tuple(size for size in new if size != 1 or rng.random() < 0.7)


def test_view_strides_agree_with_the_oracle():
    rng = random.Random(5)
    seen = collections.Counter()
    for shape, stride in layouts(seed=6, count=20000):
        new = random_reshape(rng, shape)
        want = oracle.view_strides(shape, stride, new)
        assert core.view_strides(shape, stride, new) == want, f"{shape}@{stride} -> {new}"
        seen["viewable", want is not None] += 1
        seen["same shape", new == shape] += 1
    assert min(seen.values()) > 400, seen


def test_view_strides_agree_with_torch():
    torch = pytest.importorskip("torch")
    rng = random.Random(7)
    base = torch.empty(10**6, dtype=torch.int8)
    for shape, stride in layouts(seed=8, count=4000):
        new = random_reshape(rng, shape)
        if new == shape:
            continue      # decision 4: ours keeps the strides, PyTorch normalises those of size-1 axes
        x = base.as_strided(shape, stride)
        try:
            want = x.view(new).stride()
        except RuntimeError:
            want = None
        assert core.view_strides(shape, stride, new) == want, f"{shape}@{stride} -> {new}"


def test_view_legality_matches_the_golden_table():
    overruled = {e["record"]: e["value"] for e in json.loads((DATA / "overruled.json").read_text())["entries"]
                 if e["file"] == "views_indexing.json" and "value" in e}
    checked = changed = 0
    for number, record in enumerate(json.loads((DATA / "views_indexing.json").read_text())["view_legality"]):
        for text, golden in record["view"].items():
            pointer = f"/view_legality/{number}/view/{text}"
            want = overruled.get(pointer, golden)
            changed += pointer in overruled
            status, new = core.infer_shape(json.loads(text), core.numel(record["size"]))
            got = "numel"
            if status == "ok":
                got = core.view_strides(record["size"], record["stride"], new)
                got = "incompatible" if got is None else list(got)
            assert got == want, (record["size"], record["stride"], text)
            checked += 1
    assert checked == 672 and changed == 4


def test_infer_shape_agrees_with_the_oracle():
    rng = random.Random(9)
    seen = collections.Counter()
    for _ in range(CASES):
        shape = tuple(rng.choice((-1, -1, 0, 1, 2, 3, 4, 6)) if rng.random() < 0.97 else rng.randint(-9, -2)
                      for _ in range(rng.randint(0, 4)))
        count = rng.choice((0, 1, 2, 4, 6, 12, 24))
        want = oracle.infer_shape(shape, count)
        assert core.infer_shape(shape, count) == want, (shape, count)
        seen[want[0]] += 1
    assert len(seen) == 5 and min(seen.values()) > 20, seen


def test_infer_shape_refuses_sizes_that_overflow():
    assert core.infer_shape((2**40, 2**40), 0)[0] == "mismatch"
    assert core.infer_shape((2**40, 2**40, 0), 0)[0] == "mismatch"
    assert core.infer_shape((2**40, 2**40, -1), 12)[0] == "mismatch"


@pytest.mark.parametrize("shape, stride, repeats", [
    ((3, 2), (2, 3), False),              # interleaved, but no place twice
    ((3, 3), (2, 3), False),
    ((4, 3), (2, 3), True),               # 3 * 2 == 2 * 3
    ((2,) * 30, tuple(2**i for i in range(30)), False),
    ((2,) * 30, (*tuple(2**i for i in range(29)), 3), True),
    ((3,) * 39, tuple(3**i for i in range(39)), False),
    ((1000, 1000), (1001, 1000), False),
    ((1002, 1002), (1001, 1000), True),
    ((2,), (0,), True), ((1,), (0,), False), ((0, 2), (0, 0), False),
])
def test_repetition_is_exact_beyond_what_can_be_listed(shape, stride, repeats):
    assert core.repeats(shape, stride) is repeats


def test_rank_64():
    shape, stride = (2, 1) * 32, core.contiguous_strides((2, 1) * 32)
    assert stride[0] == 2**31
    assert core.is_contiguous(shape, stride) and core.is_dense(shape, stride) and not core.repeats(shape, stride)
    assert core.is_dense(shape[::-1], stride[::-1]) and not core.is_contiguous(shape[::-1], stride[::-1])
    assert core.view_strides(shape, stride, (2**32,)) == (1,)
