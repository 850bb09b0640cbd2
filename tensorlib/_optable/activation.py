"""Activation functions of neural networks; those that PyTorch has only in torch.nn.functional live in tl.nn.functional."""
from .rows import op, parameter

ROWS = [
    op("relu", "input", on="if", out="exact", refuses_bool="Boolean inputs not supported for relu", also=("nn.functional.relu",),
       inplace_function=True, inplace_flag=True, expr="a < 0 ? 0 : a",
       doc="``out[i] = max(input[i], 0)``; NaN stays NaN.",
       example=("tl.relu(tl.tensor([-1., 2.]))", "tensor([0., 2.])")),
    op("threshold", "input", on="if", method=False, also=("nn.functional.threshold",), inplace_function=True, inplace_flag=True,
       parameters=(parameter("threshold", sample=0.5), parameter("value", sample=3)), expr="a <= threshold ? value : a",
       doc="``out[i] = input[i] if input[i] > threshold else value``; NaN stays NaN.",
       example=("tl.threshold(tl.tensor([1., 2., 3.]), 1.5, 0)", "tensor([0., 2., 3.])")),
    op("leaky_relu", "input", on="f", module="nn.functional", out="exact", inplace_function=True, inplace_flag=True,
       parameters=(parameter("negative_slope", 0.01, sample=0.25),), expr="a > 0 ? a : a * negative_slope",
       doc="``out[i] = input[i] if input[i] > 0 else negative_slope * input[i]``.",
       example=("tl.nn.functional.leaky_relu(tl.tensor([-1., 2.]), 0.5)", "tensor([-0.5000,  2.0000])")),
    op("hardtanh", "input", on="if", module="nn.functional", out="exact", inplace_function=True, inplace_flag=True,
       refuses_bool="Bool inputs not supported for hardtanh",
       parameters=(parameter("min_val", -1.0, sample=-0.5), parameter("max_val", 1.0, sample=2.5)),
       requires=("min_val <= max_val", "ValueError", "min_val cannot be greater than max_val"),
       expr={"u": None, "i": "clamp_{t}(a, min_val, max_val)", "f": "clamp_{t}(a, min_val, max_val)"},
       doc="``out[i] = min(max(input[i], min_val), max_val)``; NaN stays NaN; unsigned integers, which have no negative limit, "
           "are refused.",
       example=("tl.nn.functional.hardtanh(tl.tensor([-2., 0.5, 3.]))", "tensor([-1.0000,  0.5000,  1.0000])")),
]
