"""Functions of one real or complex number: powers, exponentials and their kin."""
from .rows import op, parameter

_PLAIN = {"on": "f", "result": "float", "inplace_function": True}          # functions that every float dtype has


def _finite(x, part=""):
    """C text: the number `x` (or a part of it), replaced where it is not finite."""
    return f"{x} != {x} ? nan{part} : {x} == INFINITY ? posinf{part} : {x} == -INFINITY ? neginf{part} : {x}"


ROWS = [
    op("sqrt", "input", on="fc", result="float", inplace_function=True, expr={"f": "sqrt_{t}(a)", "c": "{t}_sqrt(a)"},
       doc="``out[i] = sqrt(input[i])``, NaN below zero.",
       example=("tl.sqrt(tl.tensor([4, 9]))", "tensor([2., 3.])")),
    op("exp", "input", on="fc", result="float", inplace_function=True, samples="small", expr={"f": "exp_{t}(a)", "c": "{t}_exp(a)"},
       doc="``out[i] = e ** input[i]``.",
       example=("tl.exp(tl.tensor([0., 1.]))", "tensor([1.0000, 2.7183])")),
    op("exp2", "input", **_PLAIN, also=("special.exp2",), samples="small", expr="exp2_{t}(a)",
       doc="``out[i] = 2 ** input[i]``.",
       example=("tl.exp2(tl.tensor([0., 3., -1.]))", "tensor([1.0000, 8.0000, 0.5000])")),
    op("expm1", "input", **_PLAIN, also=("special.expm1",), samples="small", expr="expm1_{t}(a)",
       doc="``out[i] = e ** input[i] - 1``, accurate close to 0 too.",
       example=("tl.expm1(tl.tensor([0., 1e-10, 1.]))", "tensor([0.0000e+00, 1.0000e-10, 1.7183e+00])")),
    op("log", "input", **_PLAIN, expr="log_{t}(a)",
       doc="``out[i] = ln(input[i])``, NaN below zero.",
       example=("tl.log(tl.tensor([1., 10., 0.]))", "tensor([0.0000, 2.3026,   -inf])")),
    op("log2", "input", **_PLAIN, expr="log2_{t}(a)",
       doc="``out[i] = log2(input[i])``, NaN below zero.",
       example=("tl.log2(tl.tensor([1., 8., 0.5]))", "tensor([ 0.,  3., -1.])")),
    op("log10", "input", **_PLAIN, expr="log10_{t}(a)",
       doc="``out[i] = log10(input[i])``, NaN below zero.",
       example=("tl.log10(tl.tensor([1., 1000., 0.1]))", "tensor([ 0.,  3., -1.])")),
    op("log1p", "input", **_PLAIN, also=("special.log1p",), expr="log1p_{t}(a)",
       doc="``out[i] = ln(1 + input[i])``, accurate close to 0 too; NaN below -1.",
       example=("tl.log1p(tl.tensor([0., 1e-10, 1.]))", "tensor([0.0000e+00, 1.0000e-10, 6.9315e-01])")),
    op("sinh", "input", **_PLAIN, samples="small", expr="sinh_{t}(a)",
       doc="``out[i] = (e ** input[i] - e ** -input[i]) / 2``.",
       example=("tl.sinh(tl.tensor([0., 1., -1.]))", "tensor([ 0.0000,  1.1752, -1.1752])")),
    op("cosh", "input", **_PLAIN, samples="small", expr="cosh_{t}(a)",
       doc="``out[i] = (e ** input[i] + e ** -input[i]) / 2``.",
       example=("tl.cosh(tl.tensor([0., 1., -1.]))", "tensor([1.0000, 1.5431, 1.5431])")),
    op("tanh", "input", **_PLAIN, also=("nn.functional.tanh",), expr="tanh_{t}(a)",
       doc="``out[i] = sinh(input[i]) / cosh(input[i])``.",
       example=("tl.tanh(tl.tensor([0., 1., -1.]))", "tensor([ 0.0000,  0.7616, -0.7616])")),
    op("asinh", "input", **_PLAIN, aliases=("arcsinh",), expr="asinh_{t}(a)",
       doc="The number whose sinh is ``input[i]``.",
       example=("tl.asinh(tl.tensor([0., 1., -1.]))", "tensor([ 0.0000,  0.8814, -0.8814])")),
    op("acosh", "input", **_PLAIN, aliases=("arccosh",), expr="acosh_{t}(a)",
       doc="The number from 0 on whose cosh is ``input[i]``, NaN below 1.",
       example=("tl.acosh(tl.tensor([1., 2.]))", "tensor([0.0000, 1.3170])")),
    op("atanh", "input", **_PLAIN, aliases=("arctanh",), expr="atanh_{t}(a)",
       doc="The number whose tanh is ``input[i]``; infinite at -1 and 1, NaN beyond.",
       example=("tl.atanh(tl.tensor([0., 0.5, 1.]))", "tensor([0.0000, 0.5493,    inf])")),
    op("sigmoid", "input", **_PLAIN, also=("special.expit", "nn.functional.sigmoid"), expr="sigmoid_{t}(a)",
       doc="``out[i] = 1 / (1 + e ** -input[i])``.",
       example=("tl.sigmoid(tl.tensor([0., 2., -2.]))", "tensor([0.5000, 0.8808, 0.1192])")),
    op("nan_to_num", "input", on="bifc", out="exact", inplace_function=True,
       parameters=(parameter("nan", 0.0, kind="float", none="zero", sample=-1.5), parameter("posinf", None, kind="float", none="max"),
                   parameter("neginf", None, kind="float", none="min", sample=float("-inf"))),
       expr={"b": "a", "i": "a", "f": _finite("a"), "c": f"{{t}}_make({_finite('a.re', '.re')}, {_finite('a.im', '.re')})"},
       doc="``out[i] = input[i]``, but ``nan`` in place of NaN, ``posinf`` and ``neginf`` in place of the infinities; None means 0 "
           "and the largest and the least finite number of the dtype.",
       example=("tl.nan_to_num(tl.tensor([float('nan'), float('-inf'), 1.]), neginf=-2)", "tensor([ 0., -2.,  1.])")),
]
