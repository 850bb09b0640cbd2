"""Arithmetic: sums, products, signs, bounds."""
from .rows import op

# 1 - mask and mask - mask each mean two things.
_NO_BOOL_SUB = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
                "`~` or `logical_not()` operator instead.")

ROWS = [
    op("add", "input other", on="bifc", operator="add", alpha="_add_alpha",
       expr={"b": "a | b", "i": "a + b", "f": "a + b", "c": "{t}_add(a, b)"},
       doc="``out[i] = input[i] + alpha * other[i]``; on bool the logical or.",
       example=("tl.add(tl.tensor([1, 2]), 10, alpha=3)", "tensor([31, 32])")),
    op("sub", "input other", on="ifc", operator="sub", alpha="_sub_alpha", aliases=("subtract",), refuses_bool=_NO_BOOL_SUB,
       expr={"i": "a - b", "f": "a - b", "c": "{t}_sub(a, b)"},
       doc="``out[i] = input[i] - alpha * other[i]``.",
       example=("tl.sub(tl.tensor([5, 7]), 2)", "tensor([3, 5])")),
    op("mul", "input other", on="bifc8", operator="mul", form="numbers", zero_dim="kept", aliases=("multiply",),
       expr={"b": "a & b", "i": "a * b", "f": "a * b", "c": "{t}_mul(a, b)"},
       doc="``out[i] = input[i] * other[i]``; on bool the logical and.",
       example=("tl.mul(tl.tensor([1, 2]), 2.5)", "tensor([2.5000, 5.0000])")),
    op("div", "input other", on="fc", result="float", operator="truediv", form="numbers",
       zero_dim="kept", aliases=("divide", "true_divide"), expr={"f": "a / b", "c": "{t}_div(a, b)"},
       doc="``out[i] = input[i] / other[i]``; integers are divided in the default dtype.",
       example=("tl.div(tl.tensor([1, 3]), 2)", "tensor([0.5000, 1.5000])")),
    op("neg", "input", on="ifc", operator="neg", out="exact", aliases=("negative",),
       expr={"i": "-a", "f": "-a", "c": "{t}_neg(a)"},
       doc="``out[i] = -input[i]``; integers wrap.",
       example=("tl.neg(tl.tensor([1, -2]))", "tensor([-1,  2])")),
    op("abs", "input", on="ifc8", result="real", operator="abs", out="exact", aliases=("absolute",),
       expr={"u": "a", "i": "a < 0 ? -a : a", "f": "abs_{t}(a)", "c": "{t}_abs(a)"},
       doc="``out[i] = |input[i]|``; a complex number gives its magnitude, the smallest integer itself.",
       example=("tl.abs(tl.tensor([-3, 4]))", "tensor([3, 4])")),
    op("minimum", "input other", on="bif", inplace=False,
       expr={"b": "a & b", "i": "a < b ? a : b", "f": "minimum_{t}(a, b)"},
       doc="``out[i] = min(input[i], other[i])``; NaN if either is NaN.",
       example=("tl.minimum(tl.tensor([1, 5]), tl.tensor([3, 2]))", "tensor([1, 2])")),
    op("maximum", "input other", on="bif", inplace=False,
       expr={"b": "a | b", "i": "a > b ? a : b", "f": "maximum_{t}(a, b)"},
       doc="``out[i] = max(input[i], other[i])``; NaN if either is NaN.",
       example=("tl.maximum(tl.tensor([1, 5]), tl.tensor([3, 2]))", "tensor([3, 5])")),
    op("clamp", "input min max", on="bif", form="clamp", out="exact", with_number="if", aliases=("clip",),
       expr={"b": "(a | b) & c", "i": "clamp_{t}(a, b, c)", "f": "clamp_{t}(a, b, c)"},
       doc="``out[i] = min(max(input[i], min[i]), max[i])``; either bound may be None, not both; NaN stays NaN, and where "
           "min > max the result is max.",
       example=("tl.clamp(tl.tensor([-2, 0, 7]), 0, 5)", "tensor([0, 0, 5])")),
    # Internal rows: the same loops and driver, no public name.
    op("_add_alpha", "input other alpha", on="bifc", inplace=False, shown="add", promotes="input other",
       expr={"b": "a | (b & c)", "i": "a + c * b", "f": "a + c * b", "c": "{t}_add(a, {t}_mul(c, b))"}, doc=""),
    op("_sub_alpha", "input other alpha", on="ifc", inplace=False, shown="sub", promotes="input other",
       refuses_bool=_NO_BOOL_SUB,
       expr={"i": "a - c * b", "f": "a - c * b", "c": "{t}_sub(a, {t}_mul(c, b))"}, doc=""),
    op("_clamp_min", "input min", on="bif", out="exact", inplace=False, shown="clamp", with_number="if",
       expr={"b": "a | b", "i": "a < b ? b : a", "f": "maximum_{t}(a, b)"}, doc=""),
    op("_clamp_max", "input max", on="bif", out="exact", inplace=False, shown="clamp", with_number="if",
       expr={"b": "a & b", "i": "a > b ? b : a", "f": "minimum_{t}(a, b)"}, doc=""),
]
