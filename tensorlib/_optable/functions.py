"""Functions of one real or complex number: powers, exponentials and their kin."""
from .rows import op, parameter


def _finite(x, part=""):
    """C text: the number `x` (or a part of it), replaced where it is not finite."""
    return f"{x} != {x} ? nan{part} : {x} == INFINITY ? posinf{part} : {x} == -INFINITY ? neginf{part} : {x}"


ROWS = [
    op("sqrt", "input", on="fc", result="float", expr={"f": "sqrt_{t}(a)", "c": "{t}_sqrt(a)"},
       doc="``out[i] = sqrt(input[i])``, NaN below zero.",
       example=("tl.sqrt(tl.tensor([4, 9]))", "tensor([2., 3.])")),
    op("exp", "input", on="fc", result="float", samples="small", expr={"f": "exp_{t}(a)", "c": "{t}_exp(a)"},
       doc="``out[i] = e ** input[i]``.",
       example=("tl.exp(tl.tensor([0., 1.]))", "tensor([1.0000, 2.7183])")),
    op("nan_to_num", "input", on="bifc", out="exact", inplace_function=True,
       parameters=(parameter("nan", 0.0, kind="float", none="zero", sample=-1.5), parameter("posinf", None, kind="float", none="max"),
                   parameter("neginf", None, kind="float", none="min", sample=float("-inf"))),
       expr={"b": "a", "i": "a", "f": _finite("a"), "c": f"{{t}}_make({_finite('a.re', '.re')}, {_finite('a.im', '.re')})"},
       doc="``out[i] = input[i]``, but ``nan`` in place of NaN, ``posinf`` and ``neginf`` in place of the infinities; None means 0 "
           "and the largest and the least finite number of the dtype.",
       example=("tl.nan_to_num(tl.tensor([float('nan'), float('-inf'), 1.]), neginf=-2)", "tensor([ 0., -2.,  1.])")),
]
