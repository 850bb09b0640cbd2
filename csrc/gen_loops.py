"""Writes the loops of every row and compute dtype: _generated/rows.h, one line a loop over the macros of csrc/loops.h.

Called by gen.py with the rows of tensorlib/_optable and _dtypetable.py.  rows.h also enters the loops in tables: convert and the
like by dtype, fill_loops by op and dtype.

Named notes
  [one loop for both signs]  An integer expression of + - * & | ^ ~ == != and selects gives the same bits for a signed type and
                             the unsigned one of its width, so the loop is written once, for the unsigned one.
  [commutes]                 Where a and b only meet around + * & | ^ == != && ||, a left constant is a right one with the operands
                             exchanged.  (Not so minimum: of two zeros it takes the second.)
  [parameters]               What a row's function takes besides tensors (a slope, a bound) reaches its loops as an array in the
                             compute dtype, float32 for halves.
  [bool bytes]               Memory from elsewhere may hold bools of any byte (a mask of 0 and 255 read as bool): a bool is read
                             as "not zero" wherever it is computed with.
"""

import pathlib
import re

HERE = pathlib.Path(__file__).parent
UNSIGNED = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}                  # by item size
BYTES = UNSIGNED | {16: "c128"}                                     # a type of each item size, to move bytes
COMPONENT = {"c32": "f16", "c64": "f32", "c128": "f64"}
COMPLEX_OF = {t: c for c, t in COMPONENT.items()}
SHORT = {"abs_f32", "sqrt_f32", "minimum_f32", "maximum_f32"}      # functions that a few vector instructions compute
STAGED = {name for header in HERE.glob("vecmath*.h")                # functions with a loop of their own (csrc/stages.h)
          for name in re.findall(r"^(?:STAGED|GUARDED|REDUCED)_[1-4]\((\w+),", header.read_text(), re.MULTILINE)}
LETTER = {0: "b", 1: "i", 2: "f", 3: "c"}


def expression(table, row):
    """The row's C text for a dtype, or None where it has none."""
    letter = LETTER[row["category"]]
    if isinstance(table, dict):
        table = table["u"] if row["kind"] == "u" and "u" in table else table.get(letter)
    if table is None:
        return None
    if letter == "b":                      # [bool bytes]
        table = re.sub(r"\b([abc])\b", r"(\1 != 0)", table)
    return table.replace("{t}", row["ctype"])


def pointwise_expression(op, row):
    """[parameters] The same for a pointwise row, whose parameters are s[0], s[1]..."""
    text = expression(op["expr"], row)
    for k, parameter in enumerate(op["parameters"] if text else ()):
        text = re.sub(rf"\b{parameter['name']}\b", f"s[{k}]", text)
    return text


def sign_free(text):
    """[one loop for both signs]"""
    return not set("<>/_") & set(text)


def commutes(text):
    """[commutes]"""
    for found in re.finditer(r" ([+*&|^]|==|!=|&&|\|\|) ", text):
        left, right = text[:found.start()], text[found.end():]
        if not re.search(r"\bb\b", left) and re.sub(r"\ba\b", "b", left) == right:
            return True
    return False


def conversion(src, dst):
    """C text that converts x from one compute dtype to another."""
    s, d = src["ctype"], dst["ctype"]
    if src["category"] == 0:               # [bool bytes]
        return conversion({**src, "category": 1}, dst).replace("x", "(x != 0)", 1) if dst["category"] else "x != 0"
    if src["category"] == 3:
        if dst["category"] == 0:
            return f"{s}_true(x)"
        if dst["category"] == 3:
            return f"{d}_make(({COMPONENT[d]})x.re, ({COMPONENT[d]})x.im)"
        inner = {"ctype": COMPONENT[s], "category": 2, "kind": "f"}
        return f"convert_{inner['ctype']}_{d}(x.re)" if inner["ctype"] != d else "x.re"
    if dst["category"] == 0:
        return "x != 0"
    if dst["category"] == 3:
        return f"{d}_make(({COMPONENT[d]})x, 0)"
    if src["category"] == 2 and dst["category"] == 1:
        return f"{d}_from_{s}(x)"
    return f"({d})x"


class Writer:
    """The lines of rows.h: the loops, the entries of fill_loops, and those of each table."""

    def __init__(self):
        self.lines, self.entries = [], []
        self.tables = {name: [] for name in ("convert", "convert_odd", "combine_side", "combine_lanes")}

    def macro(self, name, *arguments):
        self.lines.append(f"{name}({', '.join(arguments)})")

    def enter(self, table, first, second, function):
        self.tables[table].append(f"    [{first}][{second}] = {function},")


def code(prefix, row):
    return f"{prefix}_{row['name'].upper()}"


def pointwise_loops(w, op, row):
    """The loops of one op for one compute dtype; returns their names by shape."""
    text, count = pointwise_expression(op, row), str(len(op["parameters"]))
    t, arity = row["ctype"], len(op["inputs"])
    name = f"{op['name']}_{t}"
    result = {"bool": "bool8", "real": COMPONENT.get(t, t), "float_real": COMPONENT.get(t, t),
              "complex": COMPLEX_OF.get(t)}.get(op["result"], t)
    if arity == 1 and text.endswith("(a)") and text[:-3] in STAGED:
        w.macro("UNARY_STAGED", name, t, text[:-3])
    elif arity == 3:
        w.macro("TERNARY", name, result, "bool8" if op["inputs"][0] in op["masks"] else t, t, count, text)
    else:
        w.macro("UNARY" if arity == 1 else "BINARY_COMMUTES" if commutes(text) else "BINARY", name, result, t, count, text)
    return [f"loop_{name}{shape}" for shape in (("", "_right_const", "_left_const") if arity == 2 else ("",))]


def computed_in(op, row):
    """Whether the row's rule of dtypes ever ends at this one: a direct call takes a loop for leave to run it."""
    if op["result"] == "double":
        return row["ctype"] in ("f64", "c128")
    return row["category"] >= 2 or not op["result"].startswith("float")


def all_pointwise(w, ops, dtypes):
    compute = [row for row in dtypes if row["tier"] == "compute"]
    for op in ops:
        made = {}
        for row in compute:
            text = pointwise_expression(op, row)
            if LETTER[row["category"]] not in op["on"] or text is None or not computed_in(op, row):
                continue
            kept = row
            if op["selects"] or (row["category"] == 1 and sign_free(text)):
                kept = next(r for r in compute if r["ctype"] == BYTES[row["itemsize"]])
            if kept["ctype"] not in made:
                made[kept["ctype"]] = pointwise_loops(w, op, kept)
            for shape, name in enumerate(made[kept["ctype"]]):
                w.entries.append(f"    AT({code('OP', op)}, {code('DT', row)}, {shape}) = {name};")


def half_loops(w, ops, dtypes):
    """The loops of float16 and bfloat16 over the float32 expressions: strips of short ones, blocks of the rest (csrc/loops.h)."""
    single = next(row for row in dtypes if row["name"] == "float32")
    for op in ops:
        arity = len(op["inputs"])
        text, count = pointwise_expression(op, single), str(len(op["parameters"]))
        if "f" not in op["on"] or text is None or arity > 2 or not computed_in(op, single) or op["result"] == "complex":
            continue
        shape = "UNARY" if arity == 1 else "BINARY"
        name = op["name"]
        for row in dtypes:
            if row["tier"] != "storage" or row["compute"] != "float32":
                continue
            t = row["ctype"]
            if op["result"] != "bool" and set(re.findall(r"(\w+)\(", text)) <= SHORT:
                w.macro(f"HALF_{shape}{'_COMMUTES' if arity == 2 and commutes(text) else ''}_{t}", name, count)
            else:
                w.macro(f"HALF_BLOCKS_{shape}", name, t, f"widen_{t}", "NULL" if op["result"] == "bool" else f"narrow_{t}")
            for place, suffix in enumerate(("", "_right_const", "_left_const")[:1 if arity == 1 else 3]):
                w.entries.append(f"    AT({code('OP', op)}, {code('DT', row)}, {place}) = loop_{name}_{t}{suffix};")


def conversions(w, dtypes):
    castable = [row for row in dtypes if row["compute"]]
    by_name = {row["name"]: row for row in dtypes}
    compute = [row for row in castable if row["tier"] == "compute"]

    def enter(src, dst, name, table="convert"):
        w.enter(table, code("DT", src), code("DT", dst), name)

    made = set()
    for src in sorted(compute, key=lambda row: row["category"]):     # real sources first: complex ones use their functions
        for dst in compute:
            if src is dst:
                continue
            s, d, kept = src["ctype"], dst["ctype"], src
            if {src["category"], dst["category"]} == {1}:            # between integers only the width and the source's sign count
                d = UNSIGNED[dst["itemsize"]]
                if dst["itemsize"] <= src["itemsize"]:
                    s = UNSIGNED[src["itemsize"]]
                    if s == d:
                        continue                                      # the same bytes: cast copies them
                kept = {"ctype": s, "category": 1, "kind": "u"}
            name = f"convert_{s}_{d}"
            if name not in made:
                made.add(name)
                w.macro("CONVERT", name, d, s, conversion(kept, {**dst, "ctype": d}))
            enter(src, dst, "to_" + name)
    for row in castable:
        if row["tier"] == "compute":
            continue
        t, wide = row["ctype"], by_name[row["compute"]]
        c = wide["ctype"]
        if row["name"] not in ("float16", "complex32"):               # those are in loops.h
            w.macro("CONVERT_BY", "widen_" + t, c, t, f"{c}_from_{t}")
            w.macro("CONVERT_BY", "narrow_" + t, t, c, f"{t}_from_{c}")
        enter(row, wide, "widen_" + t)
        enter(wide, row, "narrow_" + t)
    odd = "f32_odd_from_f64"
    for src, dst, text in (("float64", "float32", f"{odd}(x)"), ("complex128", "float32", f"{odd}(x.re)"),
                           ("float64", "complex64", f"c64_make({odd}(x), 0)"),
                           ("complex128", "complex64", f"c64_make({odd}(x.re), {odd}(x.im))")):
        s, d = by_name[src]["ctype"], by_name[dst]["ctype"]
        w.macro("CONVERT", f"odd_{s}_{d}", d, s, text)
        enter(by_name[src], by_name[dst], f"to_odd_{s}_{d}", "convert_odd")


def reductions(w, rows, dtypes):
    """For each way to combine: a loop over outputs side by side, and one over the lanes of one output."""
    by_name = {row["name"]: row for row in dtypes}
    compute = [row for row in dtypes if row["tier"] == "compute"]
    made = {}
    for red in rows:
        if red["accumulate"] == "wide":
            chosen = [by_name[n] for n in ("int64", "uint64", "float64", "complex128")]
        elif red["accumulate"] == "bool":
            chosen = [by_name["bool"]]
        else:
            chosen = [row for row in compute if LETTER[row["category"]] in red["on"]]
        for row in chosen:
            text, t = expression(red["combine"], row), row["ctype"]
            if text is None:
                continue
            if row["category"] == 1 and sign_free(text):
                t = UNSIGNED[row["itemsize"]]
            key = (text, t)
            if key not in made:
                made[key] = f"{red['name']}_{t}"
                adds = "+" in text or "_add" in text
                w.macro("COMBINE", made[key], t, "UNROLL_ALL" if adds else "UNROLL_NONE", text)
            for way in ("side", "lanes"):
                w.enter(f"combine_{way}", code("RED", red), code("DT", row), f"{way}_{made[key]}")


def generate(ops, reduction_rows, dtypes):
    w = Writer()
    all_pointwise(w, ops, dtypes)
    conversions(w, dtypes)
    half_loops(w, ops, dtypes)
    reductions(w, reduction_rows, dtypes)
    castable = sum(1 for row in dtypes if row["compute"])
    lines = ["/* Written by csrc/gen_loops.py. */", "#pragma once", '#include "loops.h"']
    lines += [f"enum {{ {', '.join(code(prefix, row) for row in rows)} }};"
              for prefix, rows in (("DT", dtypes), ("OP", ops), ("RED", reduction_rows))]
    lines += w.lines
    for table, entries in w.tables.items():
        shape = f"[{castable}][{castable}]" if table.startswith("convert") else f"[{len(reduction_rows)}][{len(dtypes)}]"
        lines += [f"static convert_function *const {table}{shape} = {{", *entries, "};"]
    lines += [f"#define AT(op, dtype, shape) loops[(op * {len(dtypes)} + dtype) * 3 + shape]",
              "static void fill_loops(loop_function **loops)", "{", *w.entries, "}"]
    return {"rows.h": "\n".join(lines) + "\n"}
