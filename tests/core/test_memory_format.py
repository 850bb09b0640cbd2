"""csrc/memory_format.pxd against the oracle, the golden table, and PyTorch where it is installed."""

import collections
import json
import pathlib
import random

import oracle
import pytest
from tensorlib import _testing as core

DATA = pathlib.Path(__file__).parents[1] / "data"
FORMATS = ("contiguous", "channels_last", "channels_last_3d")
CHECKS = (False, True, [], ["contiguous"], ["contiguous", "channels_last"], ["channels_last", "channels_last_3d"])


def layouts(seed, count=8000):
    """Mostly rank 4 and 5, where formats differ; many axes of size 1 and some of size 0."""
    rng = random.Random(seed)
    for _ in range(count):
        shape = tuple(rng.choice((0, 1, 1, 2, 2, 3, 4)) if rng.random() < 0.5 else rng.randint(2, 4)
                      for _ in range(rng.choice((0, 1, 2, 3, 4, 4, 4, 5, 5))))
        if rng.random() < 0.3:
            yield shape, oracle.ordered_strides(shape, rng.sample(range(len(shape)), len(shape)), rng.random() < 0.5)
        else:
            yield shape, oracle.random_strides(rng, shape)


def golden():
    overruled = {}
    for entry in json.loads((DATA / "overruled.json").read_text())["entries"]:
        if entry["file"] == "memory_format.json":
            overruled.update({entry["record"]: entry["value"]} if "value" in entry else
                             {entry["record"] + pointer: value for pointer, value in entry["cells"]})
    return json.loads((DATA / "memory_format.json").read_text()), overruled


def test_formats_agree_with_the_oracle():
    seen = collections.Counter()
    for shape, stride in layouts(seed=1):
        for fmt in (*FORMATS, "preserve"):
            want = oracle.is_in_format(shape, stride, fmt)
            assert core.in_format(shape, stride, fmt) == want, (shape, stride, fmt)
            assert core.strides_in_format(shape, fmt) == oracle.format_strides(shape, fmt), (shape, fmt)
            seen[fmt, want] += 1
        want = oracle.suggested_format(shape, stride)
        assert core.suggested_format(shape, stride) == want, (shape, stride)
        seen["suggested", want] += 1
    assert min(seen.values()) > 50, seen


def test_fresh_strides_are_in_their_format():
    rng = random.Random(2)
    for _ in range(2000):
        shape = tuple(rng.randint(0, 3) for _ in range(rng.choice((4, 5))))
        fmt = FORMATS[len(shape) - 3]
        assert core.in_format(shape, core.strides_in_format(shape, fmt), fmt), shape


def test_dim_order_agrees_with_the_oracle():
    seen = collections.Counter()
    for shape, stride in layouts(seed=3):
        for check in CHECKS:
            want = oracle.dim_order(shape, stride, check)
            assert core.dim_order(shape, stride, check) == want, (shape, stride, check)
            seen[want if isinstance(want, str) else "order"] += 1
    assert len(seen) == 3 and min(seen.values()) > 50, seen


def test_golden_formats_and_dim_order():
    data, overruled = golden()
    changed = 0
    for number, record in enumerate(data["inputs"]):
        layout = record["size"], record["stride"]
        for key, fmt in (("contiguous_format", "contiguous"), ("channels_last", "channels_last"),
                         ("channels_last_3d", "channels_last_3d")):
            pointer = f"/inputs/{number}/is_contiguous/{key}"
            assert core.in_format(*layout, fmt) == overruled.get(pointer, record["is_contiguous"][key]), (record["name"], fmt)
            changed += pointer in overruled
        assert core.is_dense(*layout) == record["non_overlapping_and_dense"], record["name"]
        for key, check in (("dim_order", False), ("dim_order_true", True), ("dim_order_list", ["contiguous", "channels_last"])):
            want = overruled.get(f"/inputs/{number}/{key}", record[key])
            if isinstance(want, dict):
                want = "several" if "cannot map" in want["msg"] else "undecided"
            got = core.dim_order(*layout, check)
            assert (got if isinstance(got, str) else list(got)) == want, (record["name"], key)
    assert changed == 1


def test_golden_factories():
    data, _ = golden()
    checked = 0
    for record in data["factories"]:
        for fmt in FORMATS:
            want = record["empty." + fmt + ("_format" if fmt == "contiguous" else "")]
            got = core.strides_in_format(record["size"], fmt)
            assert got == "wrong rank" if isinstance(want, dict) else list(got) == want, (record["size"], fmt)
            checked += 1
    assert checked == 3 * len(data["factories"])


def test_formats_agree_with_torch():
    torch = pytest.importorskip("torch")
    prims = pytest.importorskip("torch._prims_common")
    base = torch.empty(10**6, dtype=torch.int8)
    names = {torch.contiguous_format: "contiguous", torch.channels_last: "channels_last",
             torch.channels_last_3d: "channels_last_3d"}
    kinds = {name: fmt for fmt, name in names.items()}
    for shape, stride in layouts(seed=4, count=3000):
        x = base.as_strided(shape, stride)
        assert core.suggested_format(shape, stride) == names[prims.suggest_memory_format(x)], (shape, stride)
        for check in CHECKS:
            try:
                want = x.dim_order(ambiguity_check=[kinds[name] for name in check] if isinstance(check, list) else check)
            except RuntimeError as error:
                want = "several" if "cannot map" in str(error) else "undecided"
            assert core.dim_order(shape, stride, check) == want, (shape, stride, check)
        if 0 not in shape:      # decision 4: an axis of size 0 does not disqualify
            for fmt, kind in kinds.items():
                assert core.in_format(shape, stride, fmt) == x.is_contiguous(memory_format=kind), (shape, stride, fmt)
