"""Writes the loops of every row and compute dtype: _generated/expressions.h and _generated/loops.pxi.

Called by gen.py with the rows of tensorlib/_optable.py and _dtypetable.py.  expressions.h holds one inline C function for each
expression and conversion; loops.pxi holds the Cython loops over them and fill_loops, which enters them in the tables.

Named notes
  [one loop for both signs]  An integer expression of + - * & | ^ ~ == != and selects gives the same bits for a signed type and
                             the unsigned one of its width, so the loop is written once, for the unsigned one.
  [bool bytes]               Memory from elsewhere may hold bools of any byte (a mask of 0 and 255 read as bool): a bool is read
                             as "not zero" wherever it is computed with.
  [lanes]                    A reduction adds element i to lane i % LANES; csrc/reduce.pxi says why.
"""

import re

SHAPES = (("ALL", "x[i]", "y[i]"), ("RIGHT_CONST", "x[i]", "right"), ("LEFT_CONST", "left", "y[i]"))
LANES = 16
SIZES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}       # a type of each item size, to move bytes
COMPONENT = {"c32": "f16", "c64": "f32", "c128": "f64"}
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


def sign_free(text):
    """[one loop for both signs]"""
    return not set("<>/_") & set(text)


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
    def __init__(self):
        self.header = ["/* Written by csrc/gen_loops.py. */", "#pragma once", '#include "transpose.h"', '#include "vecmath.h"']
        self.externs = []
        self.loops = []
        self.entries = []

    def inline(self, result, name, parameters, text):
        self.header.append(f"INLINE {result} {name}({parameters}) {{ return ({result})({text}); }}"
                           if not result.startswith("c") else f"INLINE {result} {name}({parameters}) {{ return {text}; }}")
        self.externs.append(f"    {result} {name}({parameters})")

    def loop(self, name, parameters, declarations, statement, before=()):
        self.loops += [f"cdef void {name}({parameters}, Py_ssize_t n) noexcept nogil:",
                       *(f"    cdef {text}" for text in declarations),
                       "    cdef Py_ssize_t i", *before, "    for i in range(n):", f"        {statement}", ""]


POINTWISE = "out_ptr out, const char *a, const char *b, const char *c"


def pointwise_loops(w, op, row, dtypes):
    """The loops of one op for one compute dtype; returns their names by shape."""
    text = expression(op["expr"], row)
    t, arity = row["ctype"], len(op["inputs"])
    where = op["form"] == "where"
    result = "bool8" if op["result"] == "bool" else COMPONENT.get(t, t) if op["result"] == "real" else t
    name = f"{op['name']}_{t}"
    names = [op["inputs"][0] if where else "a", "b", "c"][:arity]
    w.inline(result, f"op_{name}", ", ".join(f"{'bool8' if where and k == 0 else t} {names[k]}" for k in range(arity)), text)
    types = ["bool8" if where else t, t, t][:arity]
    pointers = [f"const {types[k]} *{'xyz'[k]} = <const {types[k]} *>{'abc'[k]}" for k in range(arity)]
    out = f"{result} *o = <{result} *>out"
    if arity == 2:
        made = []
        for shape, x, y in SHAPES:
            declarations = [out, *(p for p, used in zip(pointers, (x, y)) if used.endswith("]"))]
            declarations += [f"{t} {side} = (<const {t} *>{p})[0]" for side, p in (("right", "b"), ("left", "a")) if side in (x, y)]
            w.loop(f"{name}_{shape.lower()}", POINTWISE, declarations, f"o[i] = op_{name}({x}, {y})")
            made.append(f"{name}_{shape.lower()}")
        return made
    w.loop(name, POINTWISE, [out, *pointers], f"o[i] = op_{name}({', '.join(f'{v}[i]' for v in 'xyz'[:arity])})")
    return [name]


def all_pointwise(w, ops, dtypes):
    compute = [row for row in dtypes if row["tier"] == "compute"]
    by_bytes = {row["itemsize"]: row["ctype"] for row in compute if row["kind"] == "u"} | {16: "c128"}
    for op in ops:
        made = {}
        for row in compute:
            text = expression(op["expr"], row)
            if LETTER[row["category"]] not in op["on"] or text is None:
                continue
            kept = row
            if op["form"] == "where" or (row["category"] == 1 and sign_free(text)):
                kept = next(r for r in compute if r["ctype"] == by_bytes[row["itemsize"]])
            if kept["ctype"] not in made:
                made[kept["ctype"]] = pointwise_loops(w, op, kept, dtypes)
            for shape, name in enumerate(made[kept["ctype"]]):
                w.entries.append(f"    k.loops[OP_{op['name'].upper()}][DT_{row['name'].upper()}][{shape}] = {name}")


CONVERSION = "out_ptr out, const char *a"


def conversions(w, dtypes):
    castable = [row for row in dtypes if row["compute"]]
    by_name = {row["name"]: row for row in dtypes}
    compute = [row for row in castable if row["tier"] == "compute"]

    def enter(src, dst, name, table="convert"):
        w.entries.append(f"    {table}[DT_{src['name'].upper()}][DT_{dst['name'].upper()}] = {name}")

    def write(name, s, d):
        w.loop(name, CONVERSION, [f"{d} *o = <{d} *>out", f"const {s} *x = <const {s} *>a"], f"o[i] = {name[3:]}(x[i])")

    made = set()
    for src in sorted(compute, key=lambda row: row["category"]):     # real sources first: complex ones use their functions
        for dst in compute:
            if src is dst:
                continue
            s, d, kept = src["ctype"], dst["ctype"], src
            if {src["category"], dst["category"]} == {1}:            # between integers only the width and the source's sign count
                d = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[dst["itemsize"]]
                if dst["itemsize"] <= src["itemsize"]:
                    s = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[src["itemsize"]]
                    if s == d:
                        continue                                      # the same bytes: cast copies them
                kept = {"ctype": s, "category": 1, "kind": "u"}
            name = f"to_convert_{s}_{d}"
            if name not in made:
                made.add(name)
                w.inline(d, name[3:], f"{s} x", conversion(kept, {**dst, "ctype": d}))
                write(name, s, d)
            enter(src, dst, name)
    for row in castable:
        if row["tier"] == "compute":
            continue
        t, wide = row["ctype"], by_name[row["compute"]]
        c = wide["ctype"]
        if row["name"] in ("float16", "complex32"):
            enter(row, wide, "widen_" + t)
            enter(wide, row, "narrow_" + t)
            continue
        w.externs += [f"    {c} {c}_from_{t}({t} x)", f"    {t} {t}_from_{c}({c} x)"]
        for s, d in ((t, c), (c, t)):
            w.loop(f"to_{d}_from_{s}", CONVERSION, [f"{d} *o = <{d} *>out", f"const {s} *x = <const {s} *>a"],
                   f"o[i] = {d}_from_{s}(x[i])")
        enter(row, wide, f"to_{c}_from_{t}")
        enter(wide, row, f"to_{t}_from_{c}")
    odd = "f32_odd_from_f64"
    for src, dst, text in (("float64", "float32", f"{odd}(x)"), ("complex128", "float32", f"{odd}(x.re)"),
                           ("float64", "complex64", f"c64_make({odd}(x), 0)"),
                           ("complex128", "complex64", f"c64_make({odd}(x.re), {odd}(x.im))")):
        s, d = by_name[src]["ctype"], by_name[dst]["ctype"]
        w.inline(d, f"odd_{s}_{d}", f"{s} x", text)
        write(f"to_odd_{s}_{d}", s, d)
        enter(by_name[src], by_name[dst], f"to_odd_{s}_{d}", "convert_odd")


def lanes_loop(w, name, t, adds):
    """[lanes] Sums stay in registers when the sixteen are unrolled; selects only vectorise when they are not, and the pragma
    that says so has no spelling in Cython, so these loops are C."""
    kept = "" if adds else '_Pragma("GCC unroll 1") '
    w.header += [f"static void lanes_{name}(out_ptr out, const char *a, ptrdiff_t n)", "{",
                 f"    {t} *o = ({t} *)out;", f"    const {t} *x = (const {t} *)a;",
                 f"    ptrdiff_t whole = n / {LANES} * {LANES};",
                 f"    for (ptrdiff_t i = 0; i < whole; i += {LANES})",
                 f"        {kept}for (int k = 0; k < {LANES}; k++)", f"            o[k] = red_{name}(o[k], x[i + k]);",
                 "    for (ptrdiff_t i = whole; i < n; i++)", f"        o[i - whole] = red_{name}(o[i - whole], x[i]);", "}"]
    w.externs.append(f"    void lanes_{name}({CONVERSION}, Py_ssize_t n)")


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
                t = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}[row["itemsize"]]
            key = (text, t)
            if key not in made:
                name = made[key] = f"{red['name']}_{t}"
                w.inline(t, f"red_{name}", f"{t} a, {t} b", text)
                w.loop(f"side_{name}", CONVERSION, [f"{t} *o = <{t} *>out", f"const {t} *x = <const {t} *>a"],
                       f"o[i] = red_{name}(o[i], x[i])")
                lanes_loop(w, name, t, "+" in text or "_add" in text)
            code = f"[RED_{red['name'].upper()}][DT_{row['name'].upper()}]"
            w.entries += [f"    combine_side{code} = side_{made[key]}", f"    combine_lanes{code} = lanes_{made[key]}"]


def moves(w):
    """For each item size: a box of two axes from any byte steps to any byte steps."""
    for size, t in SIZES.items():
        w.loops += [f"""cdef void move2_{size}(char *out, Py_ssize_t out0, Py_ssize_t out1, const char *a, Py_ssize_t a0,
                   Py_ssize_t a1, Py_ssize_t n0, Py_ssize_t n1) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef {t} *o
    cdef const {t} *x
    cdef {t} value
    for j in range(n1):
        prefetch_lines(a + AHEAD * a1, n0 * {size})
        prefetch_lines(out + AHEAD * out1, n0 * {size})
        o = <{t} *>out
        if out0 == {size}:
            if a0 == {size}:
                if n0 * {size} >= 64:
                    memcpy(out, a, n0 * {size})
                else:
                    x = <const {t} *>a
                    for i in range(n0):
                        o[i] = x[i]
            elif a0 == 0:
                value = (<const {t} *>a)[0]
                for i in range(n0):
                    o[i] = value
            else:
                for i in range(n0):
                    o[i] = (<const {t} *>(a + i * a0))[0]
        elif a0 == {size}:
            x = <const {t} *>a
            for i in range(n0):
                (<{t} *>(out + i * out0))[0] = x[i]
        else:
            for i in range(n0):
                (<{t} *>(out + i * out0))[0] = (<const {t} *>(a + i * a0))[0]
        out += out1
        a += a1
"""]
    w.entries += [f"    move2[{size}] = move2_{size}" for size in SIZES]
    for size in (1, 2, 4, 8):                          # planes: the few channels of an image, all at once
        for planes in (2, 3, 4):
            weave_loop(w, size, planes, "weave")
            weave_loop(w, size, planes, "unweave")
    w.entries += [f"    {way}[{size}][{planes}] = {way}_{size}_{planes}" for size in (1, 2, 4, 8) for planes in (2, 3, 4)
                  for way in ("weave", "unweave")]


def weave_loop(w, size, planes, way):
    t = SIZES[size]
    one, many = ("o", "x") if way == "weave" else ("x", "o")
    w.loops += [f"cdef void {way}_{size}_{planes}(out_ptr out, Py_ssize_t out0, Py_ssize_t out1, const char *a, Py_ssize_t a0, "
                "Py_ssize_t a1,", "                 Py_ssize_t n0, Py_ssize_t n1) noexcept nogil:", "    cdef Py_ssize_t i"]
    for k in range(planes):
        w.loops += [f"    cdef {t} *o{k} = <{t} *>(out + {k} * out1)" if many == "o"
                    else f"    cdef const {t} *x{k} = <const {t} *>(a + {k} * a1)"]
    w.loops += [f"    cdef {t} *o = <{t} *>out" if one == "o" else f"    cdef const {t} *x = <const {t} *>a",
                "    for i in range(n0):"]
    for k in range(planes):
        place = f"[{planes} * i + {k}]"
        w.loops += [f"        o{place} = x{k}[i]" if one == "o" else f"        o{k}[i] = x{place}"]
    w.loops += [""]


def generate(ops, reduction_rows, dtypes):
    w = Writer()
    all_pointwise(w, ops, dtypes)
    conversions(w, dtypes)
    reductions(w, reduction_rows, dtypes)
    moves(w)
    ctypes = sorted({row["ctype"] for row in dtypes if row["compute"]})
    pxi = ["# Written by csrc/gen_loops.py.", 'cdef extern from "expressions.h" nogil:', "    ctypedef char *out_ptr"]
    plain = {"f32": "float", "f64": "double", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long",
             "u32": "unsigned int", "u64": "unsigned long long", "u16": "unsigned short", "f16": "unsigned short",
             "bf16": "unsigned short"}
    pxi += [f"    ctypedef {plain.get(t, 'unsigned char')} {t}" for t in ctypes if not t.startswith("c")]
    for t in ctypes:
        if t.startswith("c"):
            pxi += [f"    ctypedef struct {t}:", f"        {COMPONENT[t]} re", f"        {COMPONENT[t]} im"]
    pxi += [*w.externs, "", "cdef enum:", f"    LANES = {LANES}", "", *w.loops,
            "cdef void fill_loops(KernelTable *k) noexcept nogil:", *w.entries, ""]
    return {"expressions.h": "\n".join(w.header) + "\n", "loops.pxi": "\n".join(pxi)}
