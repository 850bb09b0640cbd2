"""The operations, one row each: kernels, public functions, methods, operators, docs, stubs and tests derive from these rows.

Pure data that imports nothing: csrc/gen.py reads it by path at build time, the package and the tests at run time.

Fields of a pointwise row (`op`)
  name      public name: tl.<name> and Tensor.<name>; an opening underscore means internal
  shown     the name in messages, where it is another one (an internal row speaks for a public one)
  inputs    names of the tensor operands, in order; their number is the arity of the loops
  on        categories with a kernel: "b" bool, "i" integral, "f" floating, "c" complex; "8" the float8 dtypes too
  result    "promote": the common dtype of the operands   "float": the same, bool and integers as the default dtype
            "double": float64, or complex128 for complex   "bool": computed in the common dtype, the result is bool
            "real": as promote, complex gives its component   "float_real": as float, complex gives its component
            "complex": computed in the common dtype, the result is the complex dtype of such components
  promotes  inputs that take part in promotion; the others are converted to the compute dtype (default: all but the masks)
  masks     the first of three inputs, if it must be a mask (bool, or uint8), which the loops read as bool
  selects   the expression only chooses between its operands, so that values move as bytes
  zero_dim  zero-dim operands and numbers beside a reduced float (float16, ...): "rounded" to it first, or "kept" as they are
  with_number  None, or the categories with a kernel where the second operand is a number: the call is then a function of its
            first operand alone, which decides the strides of the result
  refuses_bool  None, or why bool operands are refused (the rest of the message)
  beyond    None, or a comparison's answer where the right operand is an integer (below, above) all that the left one can hold
  expr      one C expression over a, b, c (values of the compute dtype), or {kind letter: expression}; letters as `kind` in
            _dtypetable, where "i" stands for "u" too unless "u" is given; {t} is the C type's name
  out       which dtype `out=` may have: "cast" anything the result can be cast to by category (in place likewise),
            "any" every dtype, "exact" the result's dtype alone
  alpha     the function takes alpha=1 and computes with alpha * other, through the ternary row named here
  inplace   there is a method <name>_
  operator  the Python operator ("add" gives __add__, __radd__, __iadd__)
  form      how it is called where that is not plain: "clamp", "where"; "numbers": the function takes two numbers as well,
            where the plain form wants a tensor among its operands (templates in csrc/gen_functions.py)
  samples   which sample values the tests draw: "any", "small" (no overflow in exp), "nonneg", "nonzero_right"
  doc       the defining equation and what is special; the shared paragraphs come from the generator
  example   (call, printed result), with tl for tensorlib; run by the doctest suite
"""


def op(name, inputs, *, on, expr, doc, result="promote", out="cast", alpha=None, inplace=True, operator=None, samples="any",
       aliases=(), form=None, example=None, shown=None, promotes=None, masks="", selects=False, zero_dim="rounded",
       with_number=None, refuses_bool=None, beyond=None):
    inputs, masks = inputs.split(), masks.split()
    promotes = [name for name in inputs if name not in masks] if promotes is None else promotes.split()
    return {"name": name, "inputs": inputs, "on": on, "expr": expr, "doc": doc, "result": result, "out": out,
            "alpha": alpha, "inplace": inplace, "operator": operator, "samples": samples, "aliases": aliases, "form": form,
            "example": example, "shown": shown or name, "promotes": promotes, "masks": masks, "selects": selects,
            "zero_dim": zero_dim, "with_number": with_number, "refuses_bool": refuses_bool, "beyond": beyond}


def _printed(values):
    """The short list as a tensor prints it: bools are padded to five characters."""
    texts = [f"{value!s:>5}" if isinstance(value, bool) else str(value) for value in values]
    return f"tensor([{', '.join(texts)}])"


def _compare(name, sign, answer, beyond, on="bif", **expr):
    return op(name, "input other", on=on, result="bool", out="any", operator=name, beyond=beyond,
              expr=expr or f"a {sign} b", doc=f"``out[i] = input[i] {sign} other[i]``.",
              example=(f"tl.{name}(tl.tensor([1, 2, 3]), 2)", _printed(answer)))


def _logical(name, sign, answer):
    test = {"b": f"a {sign} b", "i": f"(a != 0) {sign} (b != 0)", "f": f"(a != 0) {sign} (b != 0)",
            "c": f"{{t}}_true(a) {sign} {{t}}_true(b)"}
    return op(name, "input other", on="bifc", result="bool", out="any", expr=test,
              doc=f"``out[i] = bool(input[i]) {sign} bool(other[i])``, where every value other than zero is True.",
              example=(f"tl.{name}(tl.tensor([0, 1, 2]), tl.tensor([0, 0, 1]))", _printed(answer)))


def _bitwise(name, sign, answer):
    return op(name, "input other", on="bi", expr=f"a {sign} b", operator=name[8:], form="numbers",
              doc=f"``out[i] = input[i] {sign} other[i]``, bit by bit.",
              example=(f"tl.{name}(tl.tensor([12, 10]), 6)", _printed(answer)))


# 1 - mask and mask - mask each mean two things.
_NO_BOOL_SUB = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
                "`~` or `logical_not()` operator instead.")

OPS = [
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
    op("div", "input other", on="fc", result="float", operator="truediv", samples="nonzero_right", form="numbers",
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
    op("sqrt", "input", on="fc", result="float", samples="nonneg", expr={"f": "sqrt_{t}(a)", "c": "{t}_sqrt(a)"},
       doc="``out[i] = sqrt(input[i])``, NaN below zero.",
       example=("tl.sqrt(tl.tensor([4, 9]))", "tensor([2., 3.])")),
    op("exp", "input", on="fc", result="float", samples="small", expr={"f": "exp_{t}(a)", "c": "{t}_exp(a)"},
       doc="``out[i] = e ** input[i]``.",
       example=("tl.exp(tl.tensor([0., 1.]))", "tensor([1.0000, 2.7183])")),
    _compare("eq", "==", [False, True, False], (False, False), on="bifc8", b="a == b", i="a == b", f="a == b", c="{t}_eq(a, b)"),
    _compare("ne", "!=", [True, False, True], (True, True), on="bifc8", b="a != b", i="a != b", f="a != b", c="!{t}_eq(a, b)"),
    _compare("lt", "<", [True, False, False], (False, True)), _compare("le", "<=", [True, True, False], (False, True)),
    _compare("gt", ">", [False, False, True], (True, False)), _compare("ge", ">=", [False, True, True], (True, False)),
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
    op("where", "condition input other", on="bifc8", form="where", out="exact", inplace=False,
       masks="condition", selects=True, expr="a ? b : c",
       doc="``out[i] = input[i] if condition[i] else other[i]``.",
       example=("tl.where(tl.tensor([True, False]), tl.tensor([1, 2]), 0)", "tensor([1, 0])")),
    _logical("logical_and", "&&", [False, False, True]), _logical("logical_or", "||", [False, True, True]),
    _logical("logical_xor", "!=", [False, True, False]),
    op("logical_not", "input", on="bifc", result="bool", out="any",
       expr={"b": "!a", "i": "a == 0", "f": "a == 0", "c": "!{t}_true(a)"},
       doc="``out[i] = not bool(input[i])``.",
       example=("tl.logical_not(tl.tensor([0, 3]))", "tensor([ True, False])")),
    _bitwise("bitwise_and", "&", [4, 2]), _bitwise("bitwise_or", "|", [14, 14]), _bitwise("bitwise_xor", "^", [10, 12]),
    op("bitwise_not", "input", on="bi", operator="invert", out="exact", expr={"b": "!a", "i": "~a"},
       doc="``out[i] = ~input[i]``, bit by bit; on bool the logical not.",
       example=("tl.bitwise_not(tl.tensor([0, 5]))", "tensor([-1, -6])")),
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


def reduction(name, *, on, accumulate, result, combine, start, doc, example, dtype=False):
    return {"name": name, "on": on, "accumulate": accumulate, "result": result, "combine": combine, "start": start,
            "doc": doc, "dtype": dtype, "example": (f"tl.{name}(tl.tensor({example[0]}), {example[1]})", example[2])}


# Fields of a reduction row
#   accumulate  "wide": bool and integers in int64 (uint64 in uint64), floats up to float32 in float64, complex64 in complex128
#               "same": the compute dtype       "bool": bool
#   result      "sum": integers int64 (uint64 for uint64), the rest their own dtype     "promote": the input's dtype
#               "bool": bool, but uint8 for uint8
#   combine     C expression over the accumulator a and a value b, both of the accumulating dtype
#   start       value of the accumulator before the first element: "zero", "one" (True), "first" (no identity, so that
#               reducing no elements is an error)
#   dtype       the function takes dtype=, to which the input is cast first
#   example     (values, dim, printed result)
REDUCTIONS = [
    reduction("sum", on="bifc", accumulate="wide", result="sum", combine={"i": "a + b", "f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", dtype=True, doc="The sum of the elements over ``dim``.",
              example=("[[1, 2], [3, 4]]", 0, "tensor([4, 6])")),
    reduction("mean", on="fc", accumulate="wide", result="promote", combine={"f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", dtype=True, doc="The sum over ``dim`` divided by the number of elements; NaN over none.",
              example=("[[1., 2.], [3., 4.]]", 1, "tensor([1.5000, 3.5000])")),
    reduction("amax", on="bif", accumulate="same", result="promote",
              combine={"b": "a | b", "i": "a > b ? a : b", "f": "maximum_{t}(a, b)"},
              start="first", doc="The largest element over ``dim``; NaN if any is NaN.",
              example=("[[1, 5], [3, 2]]", 0, "tensor([3, 5])")),
    reduction("amin", on="bif", accumulate="same", result="promote",
              combine={"b": "a & b", "i": "a < b ? a : b", "f": "minimum_{t}(a, b)"},
              start="first", doc="The smallest element over ``dim``; NaN if any is NaN.",
              example=("[[1, 5], [3, 2]]", 0, "tensor([1, 2])")),
    reduction("all", on="bifc", accumulate="bool", result="bool", combine={"b": "a & b"}, start="one",
              doc="Whether every element over ``dim`` is true; True over none.",
              example=("[[1, 0], [3, 4]]", 1, "tensor([False,  True])")),
    reduction("any", on="bifc", accumulate="bool", result="bool", combine={"b": "a | b"}, start="zero",
              doc="Whether some element over ``dim`` is true; False over none.",
              example=("[[0, 0], [3, 0]]", 1, "tensor([False,  True])")),
]
