"""Writes the public functions and methods of the op table: _generated/functions.pxi and _generated/methods.pxi.

Called by gen.py with the rows of tensorlib/_optable/ and _dtypetable.py.  One template a calling form, one shared set of
docstring paragraphs; a new row needs nothing here unless it is called in a new way.
"""

# How the functions and methods of a row call the dispatch, by form: parameter list and call.  {OP} the op code's name, {name} the
# public name, {inputs} the operands' names, {given} the parameters of the row as they are passed on.
FUNCTION = {
    "unary": "unary({OP}, {inputs}, check_out(out, '{name}'))",
    "binary": "binary_tensor({OP}, {inputs}, check_out(out, '{name}'))",
    "numbers": "binary({OP}, {inputs}, check_out(out, '{name}'))",
    "ternary": "pointwise({OP}, {inputs}, check_out(out, '{name}'), 0)",
    "unary_with": "unary_with({OP}, {inputs}, {given}, check_out(out, '{name}'), 0)",
    "binary_with": "several_with({OP}, {inputs}, None, {given}, check_out(out, '{name}'), 0)",
    "ternary_with": "several_with({OP}, {inputs}, {given}, check_out(out, '{name}'), 0)",
    "alpha": "binary_alpha({OP}, {ALPHA}, {inputs}, alpha, check_out(out, '{name}'))",
    "clamp": "clamp_call({inputs}, check_out(out, 'clamp'), 0)",
    "where": "pointwise({OP}, {inputs}, check_out(out, 'where'), 0)",
}
METHOD = {
    "unary": "unary({OP}, {inputs}, None)",
    "binary": "binary({OP}, {inputs}, None)",
    "numbers": "binary({OP}, {inputs}, None)",
    "ternary": "pointwise({OP}, {inputs}, None, 0)",
    "unary_with": "unary_with({OP}, {inputs}, {given}, None, 0)",
    "binary_with": "several_with({OP}, {inputs}, None, {given}, None, 0)",
    "ternary_with": "several_with({OP}, {inputs}, {given}, None, 0)",
    "alpha": "binary_alpha({OP}, {ALPHA}, {inputs}, alpha, None)",
    "clamp": "clamp_call({inputs}, None, 0)",
    "where": "pointwise({OP}, condition, self, other, None, 0)",
}
INPLACE = {
    "unary": "unary_inplace({OP}, {inputs})",
    "binary": "inplace_binary({OP}, {inputs})",
    "numbers": "inplace_binary({OP}, {inputs})",
    "ternary": "pointwise({OP}, {inputs}, {first}, RULE_INPLACE)",
    "unary_with": "unary_with({OP}, {inputs}, {given}, {first}, RULE_INPLACE)",
    "binary_with": "several_with({OP}, {inputs}, None, {given}, {first}, RULE_INPLACE)",
    "ternary_with": "several_with({OP}, {inputs}, {given}, {first}, RULE_INPLACE)",
    "alpha": "inplace_alpha({OP}, {ALPHA}, {inputs}, alpha)",
    "clamp": "clamp_call({inputs}, {first}, RULE_INPLACE)",
}
DEFAULTS = {"clamp": {"min": "None", "max": "None"}}      # of operands
MODULES = {"": "functions", "nn.functional": "nn_functional", "special": "special_functions"}    # where a function lives: its class
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")     # their operators share one slot, object.pxi __richcmp__
CATEGORY_TEXT = {"b": "bool", "i": "integral", "f": "floating point", "c": "complex", "8": "float8 (stored as is)"}


def form_of(row):
    plain = {1: "unary", 2: "binary", 3: "ternary"}[len(row["inputs"])]
    return row["form"] or ("alpha" if row["alpha"] else plain + ("_with" if row["parameters"] else ""))


def code(name):
    return "OP_" + name.upper()


def fill(template, row, first=None):
    """A call with the row's names; `first` stands for the first operand."""
    inputs = [first or row["inputs"][0], *row["inputs"][1:]]
    given = "(" + "".join(parameter["name"] + ", " for parameter in row["parameters"]).rstrip(" ") + ")"
    return template.format(OP=code(row["name"]), ALPHA=code(row["alpha"]) if row["alpha"] else "", name=row["name"],
                           inputs=", ".join(inputs), first=inputs[0], given=given)


def parameter_text(parameter):
    return parameter["name"] + ("" if parameter["required"] else f"={parameter['default']!r}")


def parameter_list(row, method=False, out=False, flag=False):
    """The parameter list of a function or method: operands, parameters, inplace=, and by keyword alpha=, parameters, out=."""
    form = form_of(row)
    names = list(row["inputs"])
    if method:
        names = ["self", *(names[1:] if form != "where" else ("condition", "other"))]
    defaults = DEFAULTS.get(form, {})
    positional = [name + (f"={defaults[name]}" if name in defaults else "") for name in names]
    positional += [parameter_text(parameter) for parameter in row["parameters"] if not parameter["keyword"]]
    keywords = ["alpha=1"] if form == "alpha" else []
    keywords += [parameter_text(parameter) for parameter in row["parameters"] if parameter["keyword"]]
    keywords += ["out=None"] if out else []
    return ", ".join([*positional, *(["inplace=False"] if flag else []), *(["*", *keywords] if keywords else [])])


def conditions(row):
    """The lines that check the parameters before anything else."""
    if row["requires"] is None:
        return []
    condition, error, text = row["requires"]
    return [f"if not ({condition}):", f"    raise {error}(\"{row['shown']}: {text}\")"]


def paragraphs(row, signature):
    """The docstring of a pointwise function: the equation, then what every pointwise function shares."""
    result = {"promote": "promoted from the operands", "float": "promoted from the operands; bool and integers give the default dtype",
              "double": "float64, or complex128 for complex operands", "bool": "bool",
              "real": "as ``input``; complex gives the dtype of its components",
              "float_real": "as ``input``; bool and integers give the default dtype, complex the dtype of its components",
              "complex": "the complex dtype whose components are as the operands"}[row["result"]]
    several = len(row["inputs"]) > 1
    where = f"{row['module']}." if row["module"] else ""
    out = {"cast": "any dtype the result can be cast to by category", "any": "any dtype", "exact": "the result's dtype"}[row["out"]]
    lines = [f"{where}{row['name']}({signature}) -> Tensor", "", row["doc"], "",
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


def definition(indent, name, signature, body, doc=None, static=False, before=()):
    pad = " " * indent
    out = [f"{pad}@staticmethod"] if static else []
    out.append(f"{pad}def {name}({signature}):")
    if doc:
        text = "\n".join(doc).replace("\n", f"\n{pad}    ").replace(f"\n{pad}    \n", "\n\n")
        out.append(f'{pad}    """{text}\n{pad}    """')
    out += [f"{pad}    {line}" for line in before]
    out.append(f"{pad}    return {body}")
    return out + [""]


def public(rows):
    return [row for row in rows if not row["name"].startswith("_")]


def functions_of(row, module):
    """The functions of a row in one of the modules."""
    form = form_of(row)
    flag = row["inplace_flag"] and module == "nn.functional"
    signature = parameter_list(row, out=True, flag=flag)
    before = conditions(row)
    if flag:
        before = [*before, "if inplace:", f"    return {fill(INPLACE[form], row)}"]
    out = definition(4, row["name"], signature, fill(FUNCTION[form], row), paragraphs(row, signature), static=True, before=before)
    if row["inplace_function"] and module != "special":
        doc = [f"tensorlib.{row['module']}{'.' if row['module'] else ''}{row['name']} written to its first operand, which it returns."]
        out += definition(4, row["name"] + "_", parameter_list(row), fill(INPLACE[form], row), doc, static=True,
                          before=conditions(row))
    return out


def functions_text(ops, reductions):
    out = {module: [f"class {name}:", f'    """The public functions of {"tensorlib." + module if module else "tensorlib"}, which takes '
                    'them from here, so that no name of', '    theirs hides a builtin inside this unit."""', ""]
           for module, name in MODULES.items()}
    for row in public(ops):
        out[row["module"]] += functions_of(row, row["module"])
        out[row["module"]] += [f"    {alias} = {row['name']}" for alias in row["aliases"]]
        for also in row["also"]:
            module, _, name = also.rpartition(".")
            if row["inplace_flag"] and module == "nn.functional" != row["module"]:
                out[module] += functions_of(row, module)
            else:
                out[module].append(f"    {name} = {MODULES[row['module']]}.{row['name']}")
    for row in reductions:
        dtype = ", dtype=None" if row["dtype"] else ""
        signature = f"input, dim=None, keepdim=False, *{dtype}, out=None"
        body = f"reduce(RED_{row['name'].upper()}, input, dim, keepdim, {'dtype' if dtype else 'None'}, out)"
        out[""] += definition(4, row["name"], signature, body, reduction_paragraphs(row, signature), static=True)
    lines = [line for lines in out.values() for line in lines]
    return "\n".join(["# Written by csrc/gen_functions.py from tensorlib/_optable/.", "", *lines])


def methods_text(ops, reductions, dtypes):
    out = ["# Written by csrc/gen_functions.py from tensorlib/_optable/ and _dtypetable.py.", "",
           "cdef class TensorMethods(TensorInterchange):", ""]
    for row in public(ops):
        form = form_of(row)
        see = [f"See tensorlib.{row['name']}."]
        before = conditions(row)
        if row["method"]:
            signature, body = parameter_list(row, method=True), fill(METHOD[form], row, "self")
            for name in (row["name"], *row["aliases"]):
                out += definition(4, name, signature, body, see, before=before)
        if row["method"] and row["inplace"]:
            body = fill(INPLACE[form], row, "self")
            doc = [f"tensorlib.{row['name']} written to this tensor, whose dtype and shape stay; returns self."]
            for name in (row["name"], *row["aliases"]):
                out += definition(4, name + "_", signature, body, doc, before=before)
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
