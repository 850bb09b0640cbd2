"""How a row is written, and what its fields mean.

Fields of a pointwise row (`op`)
  name      public name: tl.<name> and Tensor.<name>; an opening underscore means internal
  module    where the function lives instead: "nn.functional" or "special"; there is no method then
  method    whether there is a method (default: unless `module` says otherwise)
  also      further names of the function, with their modules: "special.expit", "nn.functional.relu"
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
            _dtypetable, where "i" stands for "u" too unless "u" is given (None: no kernel); {t} is the C type's name
  out       which dtype `out=` may have: "cast" anything the result can be cast to by category (in place likewise),
            "any" every dtype, "exact" the result's dtype alone
  alpha     the function takes alpha=1 and computes with alpha * other, through the ternary row named here
  inplace   there is a method <name>_ (where there is a method)
  inplace_function  there is a function <name>_ too, beside the function and in nn.functional if the function is
  inplace_flag  the function in nn.functional takes inplace=False
  parameters  what the function takes besides tensors: a tuple of parameter(name, default, keyword=, kind=, none=, sample=).
            `expr` uses them by name, as values of the compute dtype.  No default: it must be given; keyword: by keyword only;
            kind: PyTorch's "number" (Scalar: what the dtype cannot hold is refused), "float" (converted as an element is) or
            "int"; none: what None stands for ("zero", "nan", "max" and "min" of the dtype computed for; else it is "refused");
            sample: the value that the tests pass
  requires  None, or a condition on the parameters in Python, the name of the exception and its text
  operator  the Python operator ("add" gives __add__, __radd__, __iadd__)
  form      how it is called where that is not plain: "clamp", "where"; "numbers": the function takes two numbers as well,
            where the plain form wants a tensor among its operands (templates in csrc/gen_functions.py)
  samples   which values the tests draw: "any", "small" (at most 80 in size), "nonzero_right" (no zero in the last operand)
  doc       the defining equation and what is special; the shared paragraphs come from the generator
  example   (call, printed result), with tl for tensorlib; run by the doctest suite

Fields of a reduction row (`reduction`)
  accumulate  "wide": bool and integers in int64 (uint64 in uint64), floats up to float32 in float64, complex64 in complex128
              "same": the compute dtype       "bool": bool
  result      "sum": integers int64 (uint64 for uint64), the rest their own dtype     "promote": the input's dtype
              "bool": bool, but uint8 for uint8
  combine     C expression over the accumulator a and a value b, both of the accumulating dtype
  start       value of the accumulator before the first element: "zero", "one" (True), "first" (no identity, so that
              reducing no elements is an error)
  dtype       the function takes dtype=, to which the input is cast first
  example     (values, dim, printed result)
"""


def op(name, inputs, *, on, expr, doc, result="promote", out="cast", alpha=None, inplace=True, operator=None, samples="any",
       aliases=(), form=None, example=None, shown=None, promotes=None, masks="", selects=False, zero_dim="rounded",
       with_number=None, refuses_bool=None, beyond=None, module="", method=None, also=(), inplace_function=False,
       inplace_flag=False, parameters=(), requires=None):
    inputs, masks = inputs.split(), masks.split()
    promotes = [name for name in inputs if name not in masks] if promotes is None else promotes.split()
    return {"name": name, "inputs": inputs, "on": on, "expr": expr, "doc": doc, "result": result, "out": out,
            "alpha": alpha, "inplace": inplace, "operator": operator, "samples": samples, "aliases": aliases, "form": form,
            "example": example, "shown": shown or name, "promotes": promotes, "masks": masks, "selects": selects,
            "zero_dim": zero_dim, "with_number": with_number, "refuses_bool": refuses_bool, "beyond": beyond,
            "module": module, "method": not module if method is None else method, "also": also,
            "inplace_function": inplace_function, "inplace_flag": inplace_flag, "parameters": parameters, "requires": requires}


def real_function(name, doc, call, shown, **fields):
    """A function of one real number, NAME_f32 and NAME_f64 in csrc/vecmath_*.h, which bool and integers enter as floats."""
    return op(name, "input", on="f", result="float", inplace_function=True, expr=f"{name}_{{t}}(a)", doc=doc,
              example=(f"tl.{name}(tl.tensor({call}))", f"tensor({shown})"), **fields)


REQUIRED = object()


def parameter(name, default=REQUIRED, *, keyword=False, kind="number", none="refused", sample=None):
    return {"name": name, "required": default is REQUIRED, "default": None if default is REQUIRED else default, "keyword": keyword,
            "kind": kind, "none": none, "sample": default if sample is None else sample}


def reduction(name, *, on, accumulate, result, combine, start, doc, example, dtype=False):
    return {"name": name, "on": on, "accumulate": accumulate, "result": result, "combine": combine, "start": start,
            "doc": doc, "dtype": dtype, "example": (f"tl.{name}(tl.tensor({example[0]}), {example[1]})", example[2])}


def printed(values):
    """The short list as a tensor prints it: bools are padded to five characters."""
    texts = [f"{value!s:>5}" if isinstance(value, bool) else str(value) for value in values]
    return f"tensor([{', '.join(texts)}])"
