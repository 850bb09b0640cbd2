"""Writes the public functions and methods of the op table: _generated/functions.pxi and _generated/methods.pxi.

Called by gen.py with the rows of tensorlib/_optable.py and _dtypetable.py.  One template a calling form, one shared set of
docstring paragraphs; a new row needs nothing here unless it is called in a new way.
"""

ONE = ("input",)

# How the functions and methods of a row call the dispatch.  {OP} the op code's name, {name} the public name.
FUNCTION = {
    "unary": ("input, *, out=None", "unary({OP}, input, check_out(out, '{name}'))"),
    "binary": ("input, other, *, out=None", "binary_tensor({OP}, input, other, check_out(out, '{name}'))"),
    "numbers": ("input, other, *, out=None", "binary({OP}, input, other, check_out(out, '{name}'))"),
    "alpha": ("input, other, *, alpha=1, out=None", "binary_alpha({OP}, {ALPHA}, input, other, alpha, check_out(out, '{name}'))"),
    "clamp": ("input, min=None, max=None, *, out=None", "clamp_call(input, min, max, check_out(out, 'clamp'), 0)"),
    "where": ("condition, input, other, *, out=None",
              "pointwise({OP}, condition, input, other, check_out(out, 'where'), 0)"),
}
METHOD = {
    "unary": ("self", "unary({OP}, self, None)"),
    "binary": ("self, other", "binary({OP}, self, other, None)"),
    "numbers": ("self, other", "binary({OP}, self, other, None)"),
    "alpha": ("self, other, *, alpha=1", "binary_alpha({OP}, {ALPHA}, self, other, alpha, None)"),
    "clamp": ("self, min=None, max=None", "clamp_call(self, min, max, None, 0)"),
    "where": ("self, condition, other", "pointwise({OP}, condition, self, other, None, 0)"),
}
INPLACE = {
    "unary": ("self", "pointwise({OP}, self, None, None, self, RULE_INPLACE)"),
    "binary": ("self, other", "inplace_binary({OP}, self, other)"),
    "numbers": ("self, other", "inplace_binary({OP}, self, other)"),
    "alpha": ("self, other, *, alpha=1", "inplace_alpha({OP}, {ALPHA}, self, other, alpha)"),
    "clamp": ("self, min=None, max=None", "clamp_call(self, min, max, self, RULE_INPLACE)"),
}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")     # their operators share one slot, object.pxi __richcmp__
CATEGORY_TEXT = {"b": "bool", "i": "integral", "f": "floating point", "c": "complex", "8": "float8 (stored as is)"}


def form_of(row):
    return row["form"] or ("alpha" if row["alpha"] else {1: "unary", 2: "binary"}[len(row["inputs"])])


def code(name):
    return "OP_" + name.upper()


def fill(template, row):
    return template.format(OP=code(row["name"]), ALPHA=code(row["alpha"]) if row["alpha"] else "", name=row["name"])


def paragraphs(row, signature):
    """The docstring of a pointwise function: the equation, then what every pointwise function shares."""
    result = {"promote": "promoted from the operands", "float": "promoted from the operands; bool and integers give the default dtype",
              "double": "float64, or complex128 for complex operands", "bool": "bool",
              "real": "as ``input``; complex gives the dtype of its components",
              "float_real": "as ``input``; bool and integers give the default dtype, complex the dtype of its components",
              "complex": "the complex dtype whose components are as the operands"}[row["result"]]
    several = len(row["inputs"]) > 1
    out = {"cast": "any dtype the result can be cast to by category", "any": "any dtype", "exact": "the result's dtype"}[row["out"]]
    lines = [f"{row['name']}({signature}) -> Tensor", "", row["doc"], "",
             "Shape: " + ("the operands broadcast together." if several else "as ``input``.")
             + f"  Takes {', '.join(CATEGORY_TEXT[c] for c in row['on'])} tensors" + (" and numbers." if several else "."),
             f"dtype: {result}.",
             "Memory format: a fresh result keeps the order of the operands' dimensions; ``out`` keeps its own strides.",
             f"out: {out}; the result's shape, or a tensor that owns its whole storage alone and is resized.  It may be an",
             "operand itself; any other overlap with one is refused.",
             "",
             "Raises NotImplementedError for a dtype without a kernel, RuntimeError for shapes or dtypes that do not fit and",
             "OverlapError for unsupported overlap, all before anything is written."]
    if row["example"]:
        lines += ["", f">>> {row['example'][0]}", row["example"][1]]
    return lines


def reduction_paragraphs(row, signature):
    result = {"sum": "int64 for bool and integers (uint64 for uint64), otherwise as ``input``", "promote": "as ``input``",
              "bool": "bool; uint8 for uint8"}[row["result"]]
    return [f"{row['name']}({signature}) -> Tensor", "", row["doc"], "",
            f"Takes {', '.join(CATEGORY_TEXT[c] for c in row['on'])} tensors; dim: an integer, several, or None (or empty) for all",
            "dimensions; keepdim: reduced dimensions stay with length 1.",
            f"dtype: {result}" + ("; with dtype= the input is cast to it first." if row["dtype"] else "."),
            "Memory format: the kept dimensions keep their order.  out must not overlap the input.", "",
            "Raises IndexError for a dimension out of range or, without an identity, of length 0; RuntimeError for repeated",
            "dimensions or an out of another dtype.", "", f">>> {row['example'][0]}", row["example"][1]]


def definition(indent, name, signature, body, doc=None, static=False):
    pad = " " * indent
    out = [f"{pad}@staticmethod"] if static else []
    out.append(f"{pad}def {name}({signature}):")
    if doc:
        text = "\n".join(doc).replace("\n", f"\n{pad}    ").replace(f"\n{pad}    \n", "\n\n")
        out.append(f'{pad}    """{text}\n{pad}    """')
    out.append(f"{pad}    return {body}")
    return out + [""]


def public(rows):
    return [row for row in rows if not row["name"].startswith("_")]


def functions_text(ops, reductions):
    out = ["# Written by csrc/gen_functions.py from tensorlib/_optable.py.", "",
           "class functions:", '    """The public functions; tensorlib/__init__.py takes them from here, so that no name of theirs hides a',
           '    builtin inside this unit."""', ""]
    for row in public(ops):
        signature, body = FUNCTION[form_of(row)]
        out += definition(4, row["name"], signature, fill(body, row), paragraphs(row, signature), static=True)
        out += [f"    {alias} = {row['name']}" for alias in row["aliases"]]
    for row in reductions:
        dtype = ", dtype=None" if row["dtype"] else ""
        signature = f"input, dim=None, keepdim=False, *{dtype}, out=None"
        body = f"reduce(RED_{row['name'].upper()}, input, dim, keepdim, {'dtype' if dtype else 'None'}, out)"
        out += definition(4, row["name"], signature, body, reduction_paragraphs(row, signature), static=True)
    return "\n".join(out)


def methods_text(ops, reductions, dtypes):
    out = ["# Written by csrc/gen_functions.py from tensorlib/_optable.py and _dtypetable.py.", "",
           "cdef class TensorMethods(TensorInterchange):", ""]
    for row in public(ops):
        form = form_of(row)
        see = [f"See tensorlib.{row['name']}."]
        signature, body = METHOD[form]
        out += definition(4, row["name"], signature, fill(body, row), see)
        out += definitions_of_aliases(row["aliases"], signature, fill(body, row), see, "")
        if row["inplace"]:
            signature, body = INPLACE[form]
            doc = [f"tensorlib.{row['name']} written to this tensor, whose dtype and shape stay; returns self."]
            out += definition(4, row["name"] + "_", signature, fill(body, row), doc)
            out += definitions_of_aliases(row["aliases"], signature, fill(body, row), doc, "_")
        if row["operator"] and row["name"] not in COMPARISONS:
            if len(row["inputs"]) == 1:
                body = "operator_invert(self)" if row["operator"] == "invert" else f"unary({code(row['name'])}, self, None)"
                out += definition(4, f"__{row['operator']}__", "self", body)
            else:
                out += definition(4, f"__{row['operator']}__", "a, b", f"operator_binary({code(row['name'])}, a, b)")
                out += definition(4, f"__i{row['operator']}__", "self, other",
                                  f"operator_inplace({code(row['name'])}, self, other)")
    for row in reductions:
        dtype = ", dtype=None" if row["dtype"] else ""
        signature = "self, dim=None, keepdim=False" + (f", *{dtype}" if dtype else "")
        body = f"reduce(RED_{row['name'].upper()}, self, dim, keepdim, {'dtype' if dtype else 'None'}, None)"
        out += definition(4, row["name"], signature, body, [f"See tensorlib.{row['name']}."])
    for position, row in enumerate(dtypes):
        for name in conversion_names(row):
            out += definition(4, name, "self, memory_format=FORMAT_OBJECT_PRESERVE",
                              f"tensor_to(self, {position}, self.dev, False, format_code(memory_format))",
                              [f"This tensor as {row['name']}; itself if it already is."])
    return "\n".join(out)


def definitions_of_aliases(aliases, signature, body, doc, suffix):
    out = []
    for alias in aliases:
        out += definition(4, alias + suffix, signature, body, doc)
    return out


def conversion_names(row):
    """x.float(), x.half(), x.long(), x.cfloat(): PyTorch's method names are its scalar or alias names."""
    if row["category"] is None or row["tier"] == "cast" or row["name"] in ("uint16", "uint32", "uint64"):
        return []
    if row["category"] == 3:
        return list(row["aliases"])
    return [row["scalar_name"].lower()]


def generate(ops, reductions, dtypes):
    """{file name: text}"""
    return {"functions.pxi": functions_text(ops, reductions), "methods.pxi": methods_text(ops, reductions, dtypes)}
