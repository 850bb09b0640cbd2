"""Rows with parameters that are not tensors: how they are given, converted and refused, and tl.nn.functional."""
import math

import pytest
import tensorlib as tl
from tensorlib.nn import functional as F


def test_positions_keywords_and_defaults():
    x = tl.tensor([-2.0, 0.5])
    assert F.leaky_relu(x, 0.5).tolist() == F.leaky_relu(x, negative_slope=0.5).tolist() == [-1.0, 0.5]
    assert F.hardtanh(x, max_val=0.25).tolist() == [-1.0, 0.25]
    assert tl.threshold(x, 0, 7).tolist() == [7.0, 0.5]
    with pytest.raises(TypeError, match="threshold.. takes exactly 3 positional arguments"):
        tl.threshold(x, 0)
    with pytest.raises(TypeError):
        F.hardtanh(x, 0, 1, False, None)


def test_parameters_reach_every_way_of_running():
    """Direct, large, strided, converted, reduced and mixed with an output of another dtype."""
    for n in (1, 16, 1000, 50_000):
        x = tl.arange(n, dtype=tl.float32) - n // 2
        want = [v if v > 0 else v * 0.25 for v in x.tolist()]
        assert F.leaky_relu(x, 0.25).tolist() == want
        wide = tl.zeros(n, 3)
        wide[:, 1] = x
        assert F.leaky_relu(wide[:, 1], 0.25).tolist() == want
        assert F.leaky_relu(x.to(tl.float64), 0.25).tolist() == want
        halves = x.to(tl.bfloat16)
        assert F.leaky_relu(halves, 0.25).tolist() == F.leaky_relu(halves.to(tl.float32), 0.25).to(tl.bfloat16).tolist()
        assert tl.threshold(x, 0.5, -3, out=tl.zeros(n, dtype=tl.float64)).tolist() == [v if v > 0.5 else -3 for v in x.tolist()]


def test_numbers_are_those_that_the_dtype_holds():
    x = tl.tensor([1, 2, 250], dtype=tl.uint8)
    assert tl.threshold(x, 1.9, 7.9).tolist() == [7, 2, 250]
    before = x.tolist()
    for bad in (300, 1e30, math.nan):
        with pytest.raises(RuntimeError, match="without overflow"):
            tl.threshold_(x, bad, 0)
    y = tl.ones(3)
    with pytest.raises(RuntimeError, match="without overflow"):
        F.leaky_relu_(y, 1e300)
    with pytest.raises(RuntimeError, match="1j"):
        F.leaky_relu(y, 1j, out=y)
    assert x.tolist() == before and y.tolist() == [1.0] * 3
    assert F.leaky_relu(-y, math.inf).tolist() == [-math.inf] * 3


def test_what_is_no_number_is_refused():
    x = tl.ones(2)
    for bad in ("a", None, [1], tl.ones(1)):
        with pytest.raises(TypeError, match=r"leaky_relu\(\): argument 'negative_slope' \(position 2\) must be Number"):
            F.leaky_relu(x, bad)
    with pytest.raises(TypeError, match=r"argument 'posinf' \(position 3\) must be float, not complex"):
        tl.nan_to_num(x, posinf=1j)
    with pytest.raises(TypeError, match="must be float, not str"):
        tl.nan_to_num(tl.tensor([1, 2]), "a")
    with pytest.raises(ValueError, match="min_val cannot be greater than max_val"):
        F.hardtanh(x, 2, 1)
    assert tl.threshold(x, tl.tensor(3), tl.tensor(True)).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="input must be a Tensor"):
        F.leaky_relu(3.0)
    with pytest.raises(TypeError, match="input must be a Tensor"):
        tl.relu_(3.0)


def test_none_stands_for_limits():
    inf = tl.tensor([math.inf, -math.inf, math.nan])
    for dtype in (tl.float16, tl.bfloat16, tl.float32, tl.float64):
        limits = tl.finfo(dtype)
        assert tl.nan_to_num(inf.to(dtype)).tolist() == [limits.max, limits.min, 0.0]
        assert tl.nan_to_num(inf.to(dtype)[::2], None).tolist() == [limits.max, 0.0]
    assert tl.nan_to_num(inf, 1, 2, 3).tolist() == [2.0, 3.0, 1.0]
    assert tl.nan_to_num(inf, nan=1e300, posinf=1e300)[0].item() == math.inf       # converted, not refused
    assert tl.nan_to_num(tl.tensor([complex(math.inf, math.nan)]), 1, 2, 3).tolist() == [2 + 1j]
    whole = tl.tensor([1, -2])
    assert tl.nan_to_num(whole, posinf=1e30).tolist() == [1, -2]


def test_inplace_flag_and_functions():
    x = tl.tensor([-1.0, 2.0])
    for function, given in ((F.leaky_relu, (0.5,)), (F.hardtanh, ()), (F.threshold, (0, 3)), (F.relu, ())):
        target = x.clone()
        want = function(x, *given)
        assert function(target, *given, inplace=True) is target and target.tolist() == want.tolist()
        target = x.clone()
        assert getattr(F, function.__name__ + "_")(target, *given) is target and target.tolist() == want.tolist()
    assert x.tolist() == [-1.0, 2.0]
    assert tl.relu_(x) is x and x.tolist() == [0.0, 2.0]
    assert tl.nan_to_num_(x) is x and x.nan_to_num_(posinf=1) is x
    assert not hasattr(tl, "leaky_relu") and not hasattr(tl.Tensor, "threshold") and not hasattr(tl.Tensor, "leaky_relu")


def test_meta_checks_what_cpu_checks():
    x = tl.empty(2, 3, device="meta")
    assert F.hardtanh(x, 0, 2).shape == (2, 3) and F.hardtanh(x).device.type == "meta"
    with pytest.raises(TypeError, match="Number"):
        F.leaky_relu(x, "a")
    with pytest.raises(RuntimeError, match="without overflow"):
        F.leaky_relu(x, 1e300)


def test_number_whose_float_touches_the_operand():
    x = tl.zeros(4)

    class Nasty(float):
        def __float__(self):
            tl.add(tl.ones(9), 1, out=x)
            return 0.5

    with pytest.raises(RuntimeError, match="out can be resized only"):
        F.leaky_relu(x, Nasty(0.5))
    assert x.tolist() == [0.0] * 4


def test_special_and_nn_are_modules_of_the_package():
    assert tl.nn.functional is F and F.relu is not None and "relu" in F.__all__
    assert tl.special.__name__ == "tensorlib.special"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tl.nothing  # noqa: B018
