"""csrc/plan.pxd: results' shapes and strides, and plans checked by walking every element."""

import collections
import itertools
import json
import math
import pathlib
import random

import oracle
import pytest
from tensorlib import _testing as core

DATA = pathlib.Path(__file__).parents[1] / "data"
DTYPE_CODES = range(6)       # of several itemsizes; the planner uses nothing else of a dtype


def walk(shape, steps):
    """Offsets of each operand over a plan's axes (axis 0 fastest), in the order a kernel visits them."""
    for index in itertools.product(*map(range, reversed(shape))):
        yield tuple(sum(i * s for i, s in zip(reversed(index), step, strict=True)) for step in steps)


# -- shapes and strides of results --

def test_broadcast_agrees_with_the_oracle():
    rng = random.Random(1)
    seen = collections.Counter()
    for _ in range(10000):
        shapes = [shape for shape, _ in oracle.random_operands(rng, rng.randint(1, 4))]
        if rng.random() < 0.3:
            shapes[-1] = oracle.random_shape(rng)
        want = oracle.broadcast(shapes)
        assert core.broadcast(shapes) == want, shapes
        seen[isinstance(want, int)] += 1
    assert min(seen.values()) > 500, seen


def test_output_strides_agree_with_the_oracle():
    rng = random.Random(2)
    seen = collections.Counter()
    for _ in range(30000):
        operands = oracle.random_operands(rng, rng.randint(1, 3))
        want = oracle.elementwise_strides(operands)
        assert core.output_strides(operands) == want, operands
        shape, stride = want
        if 0 not in shape:
            assert oracle.numel(shape) > 300 or oracle.is_dense(shape, stride), operands
        seen["contiguous" if stride == oracle.contiguous_strides(shape) else "other"] += 1
    assert min(seen.values()) > 5000, seen


def test_output_strides_agree_with_torch():
    torch = pytest.importorskip("torch")
    rng = random.Random(3)
    base = torch.zeros(10**6, dtype=torch.bool)
    for _ in range(6000):
        operands = oracle.random_operands(rng, rng.randint(1, 3))
        x = [base.as_strided(*layout) for layout in operands]
        result = (torch.logical_not, torch.logical_and, torch.where)[len(x) - 1](*x)
        assert core.output_strides(operands) == (tuple(result.shape), result.stride()), operands


def test_golden_elementwise_strides():
    data = json.loads((DATA / "memory_format.json").read_text())
    for record in data["mixed"]:
        got = core.output_strides([(record["a_size"], record["a_stride"]), (record["b_size"], record["b_stride"])])
        assert list(got[1]) == record["add"], (record["a"], record["b"])
    for record in data["inputs"]:
        x = record["size"], record["stride"]
        for op, operands in (("neg", [x]), ("add_self", [x, x]), ("add_zero_dim", [x, ((), ())]), ("eq_self", [x, x])):
            want = record["ops"][op]
            if isinstance(want, str):
                want = {"in": record["stride"], "c": list(core.contiguous_strides(x[0]))}[want]
            assert list(core.output_strides(operands)[1]) == want, (record["name"], op)


def test_golden_reduction_strides():
    data = json.loads((DATA / "memory_format.json").read_text())
    axes = {"sum_last": (-1,), "sum0_keep": (0,), "sum1": (1,), "sum1_keep": (1,), "sum23_keep": (2, 3), "mean0": (0,),
            "amax1_keep": (1,)}
    checked = 0
    for record in data["inputs"]:
        size, stride, contiguous = record["size"], record["stride"], list(core.contiguous_strides(record["size"]))
        for op in axes.keys() & record["ops"].keys():
            want = record["ops"][op]
            if isinstance(want, dict):
                continue       # amax over no elements
            want = {"in": stride, "c": contiguous}[want] if isinstance(want, str) else want
            gone = {axis % len(size) for axis in axes[op]}
            got = core.reduce_strides(size, stride, [d in gone for d in range(len(size))], "keep" in op)
            assert list(got) == want, (record["name"], op)
            checked += 1
    assert checked > 650


# -- plans --

def random_plan_operands(rng):
    """Output first, then inputs that broadcast to it.  The output is a fresh result, or anything of the right shape."""
    inputs = oracle.random_operands(rng, rng.randint(1, 3))
    out_shape, out_stride = oracle.elementwise_strides(inputs)
    if rng.random() < 0.4:
        out_stride = oracle.random_strides(rng, out_shape)
    return out_shape, [(out_shape, out_stride), *inputs]


def test_plans_visit_every_element_once():
    rng = random.Random(4)
    seen = collections.Counter()
    for _ in range(8000):
        out_shape, operands = random_plan_operands(rng)
        codes = [rng.choice(DTYPE_CODES) for _ in operands]
        itemsizes = [core.itemsize_of(code) for code in codes]
        numel, shape, steps, count, dtypes = core.build(operands, codes, out_shape)
        case = f"{operands} itemsizes {itemsizes} -> {shape} steps {steps}"
        assert numel == oracle.numel(out_shape) and count == len(operands) and dtypes == codes, case
        seen[min(len(shape), 3)] += 1
        if numel == 0:
            assert shape == ()
            continue
        assert math.prod(shape) == numel and 1 not in shape, case
        want = oracle.operand_places(operands, itemsizes, out_shape)
        assert sorted(walk(shape, steps)) == sorted(want), case

        # The output's fastest axis comes first (an axis that it repeats abstains, and then its order is up to the inputs).
        if 0 not in steps[0]:
            assert list(steps[0]) == sorted(steps[0]), case
        # Nothing is left to coalesce.
        for axis in range(1, len(shape)):
            assert any(step[axis] != step[axis - 1] * shape[axis - 1] for step in steps), case
    assert min(seen.values()) > 300, seen


@pytest.mark.parametrize("rank", range(1, 9))
def test_one_dense_layout_is_one_axis(rank):
    rng = random.Random(rank)
    for _ in range(50):
        shape = tuple(rng.randint(1, 3) for _ in range(rank))
        stride = list(oracle.ordered_strides(shape, rng.sample(range(rank), rank)))
        odd = [rng.randint(0, 99) if size == 1 else step for size, step in zip(shape, stride, strict=True)]
        plan = core.build([(shape, stride), (shape, odd), ((), ())], [0, 0, 0], shape)
        if oracle.numel(shape) > 1:
            itemsize = core.itemsize_of(0)
            assert plan[1:3] == ((oracle.numel(shape),), [(itemsize,), (itemsize,), (0,)]), (shape, stride, odd)


def test_plan_examples():
    size = core.itemsize_of(0)
    # channels-last output, contiguous input: C is the output's fastest axis, H and W are one for both
    numel, shape, steps, *_ = core.build([((2, 3, 4, 5), (60, 1, 15, 3)), ((2, 3, 4, 5), (60, 20, 5, 1))], [0, 0], (2, 3, 4, 5))
    assert (numel, shape, steps) == (120, (3, 20, 2), [(size, 3 * size, 60 * size), (20 * size, size, 60 * size)])
    # a bias per channel beside a channels-last tensor
    assert core.build([((2, 3, 4, 5), (60, 1, 15, 3))] * 2 + [((3, 1, 1), (1, 1, 1))], [0] * 3, (2, 3, 4, 5))[1:3] == (
        (3, 40), [(size, 3 * size), (size, 3 * size), (size, 0)])
    # one element: no axis; no element: nothing to run
    assert core.build([((1, 1), (7, 9)), ((), ())], [0, 0], (1, 1))[:2] == (1, ())
    assert core.build([((0, 3), (3, 1)), ((3,), (1,))], [0, 0], (0, 3))[:2] == (0, ())
    # rank 64
    shape = (2, 1) * 15 + (1,) * 34
    assert core.build([(shape, core.contiguous_strides(shape))] * 2, [0, 0], shape)[:2] == (2**15, (2**15,))


# -- reductions --

def test_reduce_plans_visit_every_element_in_row_major_order():
    rng = random.Random(5)
    seen = collections.Counter()
    for _ in range(6000):
        shape, stride = oracle.random_layout(rng)
        reduced = [rng.random() < 0.5 for _ in shape]
        keepdim = rng.random() < 0.5
        out_shape = [1 if gone else size for size, gone in zip(shape, reduced, strict=True) if keepdim or not gone]
        out_stride = core.reduce_strides(shape, stride, reduced, keepdim)
        assert out_stride == oracle.contiguous_strides(out_shape), (shape, reduced, keepdim)
        if rng.random() < 0.3:
            out_stride = oracle.random_strides(rng, out_shape, dense_only=True)
        keep_numel, red_numel, keep_shape, keep_in, keep_out, red_shape, red_step = core.build_reduce(
            shape, stride, 4, reduced, out_stride, 2, keepdim)
        case = f"{shape}@{stride} over {reduced}, keepdim {keepdim}, to {out_stride}"
        assert keep_numel == oracle.numel(out_shape), case
        assert red_numel == math.prod(size for size, gone in zip(shape, reduced, strict=True) if gone), case
        seen[keep_numel == 0, red_numel == 0, len(keep_shape) > 1, len(red_shape) > 1] += 1
        if keep_numel == 0:
            continue
        kept = list(walk(keep_shape, [keep_out, keep_in]))
        assert len(kept) == keep_numel and len({out for out, _ in kept}) == keep_numel, case
        assert 1 not in keep_shape and 1 not in red_shape, case
        if red_numel == 0:
            continue
        want = oracle.reduced_places(shape, stride, reduced, out_stride, keepdim)
        got = {out // 2: [(first + inside) // 4 for (inside,) in walk(red_shape, [red_step])] for out, first in kept}
        assert got == want, case
        if 0 not in keep_in:
            assert list(keep_in) == sorted(keep_in), case

        # In any order: the same elements, read along memory.
        *keep, any_shape, any_step = core.build_reduce(shape, stride, 4, reduced, out_stride, 2, keepdim, True)
        assert keep == [keep_numel, red_numel, keep_shape, keep_in, keep_out], case
        assert sorted(walk(any_shape, [any_step])) == sorted(walk(red_shape, [red_step])), case
        assert list(any_step) == sorted(any_step) and len(any_shape) <= len(red_shape), case
    assert len(seen) > 6, seen


def test_reduced_axes_keep_their_order_whatever_the_layout():
    shape = (2, 3, 4, 5)
    contiguous = core.build_reduce(shape, core.contiguous_strides(shape), 4, [False, True, True, True], (1,), 4, False)
    assert contiguous[5:] == ((60,), (4,))
    channels_last = core.build_reduce(shape, (60, 1, 15, 3), 4, [False, True, True, True], (1,), 4, False)
    assert channels_last[5:] == ((20, 3), (12, 4))       # H and W are one axis, then C
    assert core.build_reduce(shape, (60, 1, 15, 3), 4, [False, True, True, True], (1,), 4, False, True)[5:] == ((60,), (4,))


# -- the budget of small calls --

@pytest.mark.parametrize("name, layouts, limit_ns", [
    ("build", [((16,), (1,))] * 3, 200),
    ("build", [((2, 3, 4, 5), (60, 20, 5, 1))] * 3, 300),
    ("output_strides", [((2, 3, 4, 5), (60, 20, 5, 1))] * 2, 300),
    ("repeats", [((2, 3, 4, 5), (600, 200, 50, 1))], 500),
])
def test_planning_is_cheap(name, layouts, limit_ns):
    """Loose, so that a busy machine passes: ten times what it takes.  The best of several runs counts."""
    best = min(core.nanoseconds(name, layouts, 20000) for _ in range(5))
    assert best < limit_ns, f"{name}: {best:.0f} ns"
