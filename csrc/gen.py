"""Turns the two tables into sources under csrc/_generated/: run by setup.py before Cython, with the standard library only.

  tables.h, tables.pxd   codes and per-dtype, per-op facts as C arrays        (this file)
  rows.h                 the inner loops of every row and compute dtype       (gen_loops.py)
  functions.pxi, methods.pxi  the public functions and methods                (gen_functions.py)

The tables are read by path, because importing the package needs the core that is being built.  A file is rewritten only when
its text changes, so that an unchanged table rebuilds nothing.
"""
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
GENERATED = HERE / "_generated"

TIERS = ("compute", "storage", "cast", "shell")
CATEGORIES = "bifc"                                  # letter of `on` -> bit position = category
# Values of the rows' fields by code; tables.pxd names each as PREFIX_VALUE.
COMPUTES = ("promote", "float", "double")            # from the operands' common dtype to the one a row computes for
RESULTS = ("common", "bool", "real", "complex")      # from that one to the result's
RESULT_KINDS = {"promote": ("promote", "common"), "float": ("float", "common"), "double": ("double", "common"),
                "bool": ("promote", "bool"), "real": ("promote", "real"), "float_real": ("float", "real"),
                "complex": ("promote", "complex")}   # `result` of a row
OUTS = ("cast", "any", "exact")
ACCUMULATES = ("wide", "same", "bool")
REDUCTION_RESULTS = ("sum", "promote", "bool")
STARTS = ("zero", "one", "first")
KINDS = ("number", "float", "int")                   # of parameters: PyTorch's Scalar, float and int
NONES = ("refused", "zero", "nan", "max", "min")     # what None stands for as a parameter
MAX_PARAMETERS = 4
MEMBERS = {"PARAMETER": KINDS, "NONE": NONES, "TIER": TIERS, "COMPUTES": COMPUTES, "RESULT": RESULTS, "OUT": OUTS,
           "ACCUMULATE": ACCUMULATES, "RED_RESULT": REDUCTION_RESULTS, "START": STARTS}


def load(path):
    """A module or a package read by path, without the package it is in."""
    inside = path / "__init__.py" if path.is_dir() else path
    name = f"tensorlib_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, inside, submodule_search_locations=[str(path)] if path.is_dir() else None)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module                       # for the package's own imports
    spec.loader.exec_module(module)
    return module


def quoted(text):
    return "NULL" if text is None else f'"{text}"'


def enum(prefix, rows):
    return [f"    {prefix}_{row['name'].upper()} = {code}" for code, row in enumerate(rows)]


def category_mask(letters):
    return sum(1 << CATEGORIES.index(letter) for letter in letters if letter in CATEGORIES)


def input_mask(row, names):
    return sum(1 << row["inputs"].index(name) for name in names)


def parameter_codes(row, field, values):
    """MAX_PARAMETERS codes."""
    codes = [values.index(parameter[field]) for parameter in row["parameters"]]
    return codes + [0] * (MAX_PARAMETERS - len(codes))


def reads_parameters(row):
    """The categories whose expression has a parameter in it: elsewhere their values cannot matter."""
    letters = [letter for letter in CATEGORIES for text in [row["expr"] if isinstance(row["expr"], str) else row["expr"].get(letter)]
               if text and any(re.search(rf"\b{parameter['name']}\b", text) for parameter in row["parameters"])]
    return category_mask(letters)


def beyond_answers(row):
    """Bit 0: the answer where the right operand is a number below every element; bit 1: above.  -1: not such a comparison."""
    return -1 if row["beyond"] is None else row["beyond"][0] | row["beyond"][1] << 1


def direct_numbers(row):
    """Which numbers may enter a direct call beside a tensor: bit 4 * category of the tensor + category of the number.

    Those that change neither dtype nor meaning: no higher category, and nothing that the row treats in a way of its own.
    """
    mask = 0
    for tensor in range(4):
        if row["with_number"] is not None and CATEGORIES[tensor] not in row["with_number"]:
            continue
        for number in range(tensor + 1):
            if not (number == 0 and row["refuses_bool"]) and not (number == tensor == 1 and row["beyond"] is not None):
                mask |= 1 << (4 * tensor + number)
    return mask


def tables(dtypes, ops, reductions, version):
    """(tables.h, tables.pxd)"""
    code = {row["name"]: position for position, row in enumerate(dtypes.DTYPES)}
    real = {row["to_complex"]: row["name"] for row in reversed(dtypes.DTYPES) if row["to_complex"] and row["category"] == 2}
    real["complex64"] = "float32"
    header, declarations = ["/* Written by csrc/gen.py. */", "#pragma once", "#include <stddef.h>"], []

    def array(name, values, ctype="int"):
        values = list(values)
        declared = f"static const {ctype} " if ctype == "int" else f"static {ctype} const "
        header.append(f"__attribute__((unused)) {declared}{name}[{len(values)}] = {{{', '.join(map(str, values))}}};")
        declarations.append(f"    const {ctype} {name}[{len(values)}]" if ctype == "int" else f"    {ctype} {name}[{len(values)}]")

    rows = dtypes.DTYPES
    array("dtype_itemsize", (row["itemsize"] for row in rows))
    array("dtype_category", (-1 if row["category"] is None else row["category"] for row in rows))
    array("dtype_compute", (-1 if row["compute"] is None else code[row["compute"]] for row in rows))
    array("dtype_tier", (TIERS.index(row["tier"]) for row in rows))
    array("dtype_signed", (int(bool(row["signed"])) for row in rows))
    array("dtype_to_complex", (-1 if row["to_complex"] is None else code[row["to_complex"]] for row in rows))
    array("dtype_to_real", (code[real.get(row["name"], row["name"])] for row in rows))
    array("dtype_names", (quoted(row["name"]) for row in rows), "const char *")
    array("dtype_scalar_name", (quoted(row["scalar_name"]) for row in rows), "const char *")
    array("dtype_buffer", (quoted(row["buffer"]) for row in rows), "const char *")
    array("op_names", (quoted(row["name"]) for row in ops.OPS), "const char *")
    array("op_shown", (quoted(row["shown"]) for row in ops.OPS), "const char *")
    array("op_inputs", (quoted(" ".join(row["inputs"])) for row in ops.OPS), "const char *")
    array("op_arity", (len(row["inputs"]) for row in ops.OPS))
    array("op_computes", (COMPUTES.index(RESULT_KINDS[row["result"]][0]) for row in ops.OPS))
    array("op_result", (RESULTS.index(RESULT_KINDS[row["result"]][1]) for row in ops.OPS))
    array("op_out", (OUTS.index(row["out"]) for row in ops.OPS))
    array("op_on", (category_mask(row["on"]) for row in ops.OPS))
    array("op_on_float8", (int("8" in row["on"]) for row in ops.OPS))
    array("op_promotes", (input_mask(row, row["promotes"]) for row in ops.OPS))
    array("op_masks", (input_mask(row, row["masks"]) for row in ops.OPS))
    array("op_selects", (int(row["selects"]) for row in ops.OPS))
    array("op_keeps_zero_dim", (int(row["zero_dim"] == "kept") for row in ops.OPS))
    array("op_with_number", (-1 if row["with_number"] is None else category_mask(row["with_number"]) for row in ops.OPS))
    array("op_refuses_bool", (quoted(row["refuses_bool"]) for row in ops.OPS), "const char *")
    array("op_beyond", map(beyond_answers, ops.OPS))
    array("op_direct_numbers", map(direct_numbers, ops.OPS))
    array("op_parameters", (quoted(" ".join(p["name"] for p in row["parameters"])) for row in ops.OPS), "const char *")
    array("op_reads_parameters", map(reads_parameters, ops.OPS))
    array("op_parameter_kind", (value for row in ops.OPS for value in parameter_codes(row, "kind", KINDS)))
    array("op_parameter_none", (value for row in ops.OPS for value in parameter_codes(row, "none", NONES)))
    array("red_names", (quoted(row["name"]) for row in reductions), "const char *")
    array("red_accumulate", (ACCUMULATES.index(row["accumulate"]) for row in reductions))
    array("red_result", (REDUCTION_RESULTS.index(row["result"]) for row in reductions))
    array("red_start", (STARTS.index(row["start"]) for row in reductions))
    array("red_on", (category_mask(row["on"]) for row in reductions))
    numbers = ["cdef enum:", f"    DTYPE_COUNT = {len(rows)}", f"    OP_COUNT = {len(ops.OPS)}",
               f"    REDUCTION_COUNT = {len(reductions)}", f"    MAX_PARAMETERS = {MAX_PARAMETERS}",
               f"    ARITHMETIC_DTYPES = {dtypes.ARITHMETIC}",
               f"    CASTABLE_DTYPES = {dtypes.CASTABLE}"]
    numbers += [f"    {prefix}_{value.upper()} = {position}" for prefix, values in MEMBERS.items()
                for position, value in enumerate(values)]
    numbers += enum("DT", rows) + enum("OP", ops.OPS) + enum("RED", reductions)
    header.append(f'#define BUILD_VERSION "{version}"')
    declarations.append("    const char *BUILD_VERSION")
    pxd = ["# Written by csrc/gen.py from tensorlib/_dtypetable.py and _optable/.", *numbers, "",
           'cdef extern from "tables.h" nogil:', *declarations]
    return "\n".join(header) + "\n", "\n".join(pxd) + "\n"


def write(name, text):
    path = GENERATED / name
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    package = HERE.parent / "tensorlib"
    dtypes, ops = load(package / "_dtypetable.py"), load(package / "_optable")
    GENERATED.mkdir(exist_ok=True)
    header, pxd = tables(dtypes, ops, ops.REDUCTIONS, load(package / "_version.py").__version__)
    write("tables.h", header)
    write("tables.pxd", pxd)
    for generator in ("gen_loops", "gen_functions"):
        path = HERE / f"{generator}.py"
        if path.exists():
            for name, text in load(path).generate(ops.OPS, ops.REDUCTIONS, dtypes.DTYPES).items():
                write(name, text)


if __name__ == "__main__":
    sys.exit(main())
