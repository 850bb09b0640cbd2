"""The operations, one row each: kernels, public functions, methods, operators, docs, stubs and tests derive from these rows.

Pure data that imports nothing: csrc/gen.py reads it by path at build time, the package and the tests at run time.

Fields of a pointwise row (`op`)
  name      public name: tl.<name>, and Tensor.<name> unless `function_only`; an opening underscore means internal
  inputs    names of the tensor operands, in order; their number is the arity of the loops
  on        categories with a kernel: "b" bool, "i" integral, "f" floating, "c" complex
  result    "promote": the common dtype   "float": the common dtype, integral ones as the default dtype
            "bool": computed in the common dtype, the result is bool   "real": as promote, complex gives its component
  expr      one C expression over a, b, c (values of the compute dtype), or {kind letter: expression}; letters as `kind` in
            _dtypetable, where "i" stands for "u" too unless "u" is given; {t} is the C type's name
  out       which dtype `out=` may have: "cast" anything the result can be cast to by category (in place likewise),
            "any" every dtype, "exact" the result's dtype alone
  alpha     the function takes alpha=1 and computes with alpha * other, through the ternary row named here
  inplace   there is a method <name>_
  operator  the Python operator ("add" gives __add__, __radd__, __iadd__)
  samples   which sample values the tests draw: "any", "small" (no overflow in exp), "nonneg", "nonzero_right"
  doc       the defining equation and what is special; the shared paragraphs come from the generator
"""


def op(name, inputs, *, on, expr, doc, result="promote", out="cast", alpha=None, inplace=True, operator=None, samples="any",
       aliases=()):
    return {"name": name, "inputs": inputs.split(), "on": on, "expr": expr, "doc": doc, "result": result, "out": out,
            "alpha": alpha, "inplace": inplace, "operator": operator, "samples": samples, "aliases": aliases}


def _compare(name, sign, on="bif", **expr):
    return op(name, "input other", on=on, result="bool", out="any", operator=name,
              expr=expr or f"a {sign} b", doc=f"``out[i] = input[i] {sign} other[i]``.")


def _logical(name, sign):
    test = {"b": f"a {sign} b", "i": f"(a != 0) {sign} (b != 0)", "f": f"(a != 0) {sign} (b != 0)",
            "c": f"{{t}}_true(a) {sign} {{t}}_true(b)"}
    return op(name, "input other", on="bifc", result="bool", out="any", expr=test,
              doc=f"``out[i] = bool(input[i]) {sign} bool(other[i])``, where every value other than zero is True.")


def _bitwise(name, sign):
    return op(name, "input other", on="bi", expr=f"a {sign} b", operator=name[8:],
              doc=f"``out[i] = input[i] {sign} other[i]``, bit by bit.")


OPS = [
    op("add", "input other", on="bifc", operator="add", alpha="_add_alpha",
       expr={"b": "a | b", "i": "a + b", "f": "a + b", "c": "{t}_add(a, b)"},
       doc="``out[i] = input[i] + alpha * other[i]``; on bool the logical or."),
    op("sub", "input other", on="ifc", operator="sub", alpha="_sub_alpha", aliases=("subtract",),
       expr={"i": "a - b", "f": "a - b", "c": "{t}_sub(a, b)"},
       doc="``out[i] = input[i] - alpha * other[i]``."),
    op("mul", "input other", on="bifc", operator="mul", aliases=("multiply",),
       expr={"b": "a & b", "i": "a * b", "f": "a * b", "c": "{t}_mul(a, b)"},
       doc="``out[i] = input[i] * other[i]``; on bool the logical and."),
    op("div", "input other", on="fc", result="float", operator="truediv", samples="nonzero_right",
       aliases=("divide", "true_divide"), expr={"f": "a / b", "c": "{t}_div(a, b)"},
       doc="``out[i] = input[i] / other[i]``; integers are divided in the default dtype."),
    op("neg", "input", on="ifc", operator="neg", out="exact", aliases=("negative",),
       expr={"i": "-a", "f": "-a", "c": "{t}_neg(a)"},
       doc="``out[i] = -input[i]``; integers wrap."),
    op("abs", "input", on="ifc", result="real", operator="abs", out="exact", aliases=("absolute",),
       expr={"u": "a", "i": "a < 0 ? -a : a", "f": "abs_{t}(a)", "c": "{t}_abs(a)"},
       doc="``out[i] = |input[i]|``; a complex number gives its magnitude, the smallest integer itself."),
    op("sqrt", "input", on="fc", result="float", samples="nonneg", expr={"f": "sqrt_{t}(a)", "c": "{t}_sqrt(a)"},
       doc="``out[i] = sqrt(input[i])``, NaN below zero."),
    op("exp", "input", on="fc", result="float", samples="small", expr={"f": "exp_{t}(a)", "c": "{t}_exp(a)"},
       doc="``out[i] = e ** input[i]``."),
    _compare("eq", "==", on="bifc", b="a == b", i="a == b", f="a == b", c="{t}_eq(a, b)"),
    _compare("ne", "!=", on="bifc", b="a != b", i="a != b", f="a != b", c="!{t}_eq(a, b)"),
    _compare("lt", "<"), _compare("le", "<="), _compare("gt", ">"), _compare("ge", ">="),
    op("minimum", "input other", on="bif", inplace=False,
       expr={"b": "a & b", "i": "a < b ? a : b", "f": "minimum_{t}(a, b)"},
       doc="``out[i] = min(input[i], other[i])``; NaN if either is NaN."),
    op("maximum", "input other", on="bif", inplace=False,
       expr={"b": "a | b", "i": "a > b ? a : b", "f": "maximum_{t}(a, b)"},
       doc="``out[i] = max(input[i], other[i])``; NaN if either is NaN."),
    op("clamp", "input min max", on="if", out="exact", aliases=("clip",),
       expr={"i": "clamp_{t}(a, b, c)", "f": "clamp_{t}(a, b, c)"},
       doc="``out[i] = min(max(input[i], min[i]), max[i])``; either bound may be None, not both; NaN stays NaN, and where "
           "min > max the result is max."),
    op("where", "condition input other", on="bifc", out="exact", inplace=False,
       expr="condition ? b : c",
       doc="``out[i] = input[i] if condition[i] else other[i]``."),
    _logical("logical_and", "&&"), _logical("logical_or", "||"), _logical("logical_xor", "!="),
    op("logical_not", "input", on="bifc", result="bool", out="any",
       expr={"b": "!a", "i": "a == 0", "f": "a == 0", "c": "!{t}_true(a)"},
       doc="``out[i] = not bool(input[i])``."),
    _bitwise("bitwise_and", "&"), _bitwise("bitwise_or", "|"), _bitwise("bitwise_xor", "^"),
    op("bitwise_not", "input", on="bi", operator="invert", out="exact", expr={"b": "!a", "i": "~a"},
       doc="``out[i] = ~input[i]``, bit by bit; on bool the logical not."),
    # Internal rows: the same loops and driver, no public name.
    op("_add_alpha", "input other alpha", on="bifc", inplace=False,
       expr={"b": "a | (b & c)", "i": "a + c * b", "f": "a + c * b", "c": "{t}_add(a, {t}_mul(c, b))"}, doc=""),
    op("_sub_alpha", "input other alpha", on="ifc", inplace=False,
       expr={"i": "a - c * b", "f": "a - c * b", "c": "{t}_sub(a, {t}_mul(c, b))"}, doc=""),
    op("_clamp_min", "input min", on="if", inplace=False, expr={"i": "a < b ? b : a", "f": "maximum_{t}(a, b)"}, doc=""),
    op("_clamp_max", "input max", on="if", inplace=False, expr={"i": "a > b ? b : a", "f": "minimum_{t}(a, b)"}, doc=""),
]


def reduction(name, *, on, accumulate, result, combine, start, doc, empty=True):
    return {"name": name, "on": on, "accumulate": accumulate, "result": result, "combine": combine, "start": start,
            "doc": doc, "empty": empty}


# Fields of a reduction row
#   accumulate  "wide": bool and integers in int64 (uint64 in uint64), floats up to float32 in float64, complex64 in complex128
#               "same": the compute dtype       "bool": bool
#   result      "sum": integers int64 (uint64 for uint64), the rest their own dtype     "promote": the input's dtype
#               "bool": bool, but uint8 for uint8
#   combine     C expression over the accumulator a and a value b, both of the accumulating dtype
#   start       value of the accumulator before the first element: "zero", "one" (True), "first" (no identity)
#   empty       whether reducing zero elements has an answer
REDUCTIONS = [
    reduction("sum", on="bifc", accumulate="wide", result="sum", combine={"i": "a + b", "f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", doc="The sum of the elements over ``dim`` (all dimensions when it is None)."),
    reduction("mean", on="fc", accumulate="wide", result="promote", combine={"f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", doc="The sum over ``dim`` divided by the number of elements; NaN over none."),
    reduction("amax", on="bif", accumulate="same", result="promote",
              combine={"b": "a | b", "i": "a > b ? a : b", "f": "maximum_{t}(a, b)"},
              start="first", empty=False, doc="The largest element over ``dim``; NaN if any is NaN."),
    reduction("amin", on="bif", accumulate="same", result="promote",
              combine={"b": "a & b", "i": "a < b ? a : b", "f": "minimum_{t}(a, b)"},
              start="first", empty=False, doc="The smallest element over ``dim``; NaN if any is NaN."),
    reduction("all", on="bifc", accumulate="bool", result="bool", combine={"b": "a & b"}, start="one",
              doc="Whether every element over ``dim`` is true; True over none."),
    reduction("any", on="bifc", accumulate="bool", result="bool", combine={"b": "a | b"}, start="zero",
              doc="Whether some element over ``dim`` is true; False over none."),
]
