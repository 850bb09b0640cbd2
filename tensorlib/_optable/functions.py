"""Functions of one real or complex number: powers, exponentials and their kin."""
from .rows import op, parameter, real_function


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
    real_function("exp2", "``out[i] = 2 ** input[i]``.", "[0., 3., -1.]", "[1.0000, 8.0000, 0.5000]",
                  also=("special.exp2",), samples="small"),
    real_function("expm1", "``out[i] = e ** input[i] - 1``, accurate close to 0 too.",
                  "[0., 1e-10, 1.]", "[0.0000e+00, 1.0000e-10, 1.7183e+00]",
                  also=("special.expm1",), samples="small"),
    real_function("log", "``out[i] = ln(input[i])``, NaN below zero.", "[1., 10., 0.]", "[0.0000, 2.3026,   -inf]"),
    real_function("log2", "``out[i] = log2(input[i])``, NaN below zero.", "[1., 8., 0.5]", "[ 0.,  3., -1.]"),
    real_function("log10", "``out[i] = log10(input[i])``, NaN below zero.", "[1., 1000., 0.1]", "[ 0.,  3., -1.]"),
    real_function("log1p", "``out[i] = ln(1 + input[i])``, accurate close to 0 too; NaN below -1.",
                  "[0., 1e-10, 1.]", "[0.0000e+00, 1.0000e-10, 6.9315e-01]",
                  also=("special.log1p",)),
    real_function("sinh", "``out[i] = (e ** input[i] - e ** -input[i]) / 2``.", "[0., 1., -1.]", "[ 0.0000,  1.1752, -1.1752]",
                  samples="small"),
    real_function("cosh", "``out[i] = (e ** input[i] + e ** -input[i]) / 2``.", "[0., 1., -1.]", "[1.0000, 1.5431, 1.5431]",
                  samples="small"),
    real_function("tanh", "``out[i] = sinh(input[i]) / cosh(input[i])``.", "[0., 1., -1.]", "[ 0.0000,  0.7616, -0.7616]",
                  also=("nn.functional.tanh",)),
    real_function("asinh", "The number whose sinh is ``input[i]``.", "[0., 1., -1.]", "[ 0.0000,  0.8814, -0.8814]",
                  aliases=("arcsinh",)),
    real_function("acosh", "The number from 0 on whose cosh is ``input[i]``, NaN below 1.", "[1., 2.]", "[0.0000, 1.3170]",
                  aliases=("arccosh",)),
    real_function("atanh", "The number whose tanh is ``input[i]``; infinite at -1 and 1, NaN beyond.",
                  "[0., 0.5, 1.]", "[0.0000, 0.5493,    inf]",
                  aliases=("arctanh",)),
    real_function("sigmoid", "``out[i] = 1 / (1 + e ** -input[i])``.", "[0., 2., -2.]", "[0.5000, 0.8808, 0.1192]",
                  also=("special.expit", "nn.functional.sigmoid")),
    op("nan_to_num", "input", on="bifc", out="exact", inplace_function=True,
       parameters=(parameter("nan", 0.0, kind="float", none="zero", sample=-1.5), parameter("posinf", None, kind="float", none="max"),
                   parameter("neginf", None, kind="float", none="min", sample=float("-inf"))),
       expr={"b": "a", "i": "a", "f": _finite("a"), "c": f"{{t}}_make({_finite('a.re', '.re')}, {_finite('a.im', '.re')})"},
       doc="``out[i] = input[i]``, but ``nan`` in place of NaN, ``posinf`` and ``neginf`` in place of the infinities; None means 0 "
           "and the largest and the least finite number of the dtype.",
       example=("tl.nan_to_num(tl.tensor([float('nan'), float('-inf'), 1.]), neginf=-2)", "tensor([ 0., -2.,  1.])")),
]
