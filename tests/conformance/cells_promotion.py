"""Cells of promotion.json: promote_types, can_cast, result_type, and what each operation gives for each pair of dtypes."""

import operator

from conformance.records import Cell, default_dtype, differs, lib, name_of

FILE = "promotion.json"
PYTHON = {"bool": True, "int": 3, "float": 2.0, "complex": 1 + 1j}
ERRORS = {"promote_types": "promote_errors", "result_type": "result_type_errors", "inplace": "inplace_errors",
          "binary": "binary_errors", "scalar": "binary_errors", "true_div": "binary_errors", "out_cast": "out_errors",
          "unary": "unary_reduction_errors", "reductions": "unary_reduction_errors"}
CPP_WORDS = {"bool": "bool", "int32": "int", "float32": "float", "float64": "double"}

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
             "%": operator.mod, "**": operator.pow, "|": operator.or_, "&": operator.and_, "<<": operator.lshift,
             "==": operator.eq, "<": operator.lt}
IN_PLACE = {"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "//=": operator.ifloordiv,
            "%=": operator.imod, "**=": operator.ipow, "|=": operator.ior, "&=": operator.iand, "^=": operator.ixor,
            "<<=": operator.ilshift}
IN_PLACE_CODE = {
    "div_(floor)": "a.div_(b, rounding_mode='floor')", "div_(trunc)": "a.div_(b, rounding_mode='trunc')",
    "copy_": "a.copy_(b) if isinstance(b, torch.Tensor) else a.fill_(b)",
    "eq_": "a.eq_(b)", "lt_": "a.lt_(b)", "clamp_min": "a.clamp_(min=b)",
    "masked_fill_": "a.masked_fill_(torch.tensor([True, False]), b)"}
BINARY_CODE = {
    "div_floor": "torch.div(a, b, rounding_mode='floor')", "div_trunc": "torch.div(a, b, rounding_mode='trunc')",
    "lshift": "a << b", "where": "torch.where(torch.tensor([True, False]), a, b)", "cat": "torch.cat([a, b])",
    "stack": "torch.stack([a, b])", "lerp": "torch.lerp(a, b, 0.5)", "matmul": "torch.matmul(m, n)",
    "clamp_tensor": "torch.clamp(a, b)", "addcmul": "torch.addcmul(a, b, b)"}
UNARY_CODE = {"softmax0": "torch.softmax(a, 0)", "clone": "a.clone()", "real": "a.real", "imag": "a.imag", "t": "a.t()"}
REDUCTION_CODE = {
    "sum_dim": "m.sum(0)", "cumsum": "torch.cumsum(a, 0)", "cumprod": "torch.cumprod(a, 0)", "max_dim": "torch.max(m, 0)[0]",
    "max_dim_idx": "torch.max(m, 0)[1]", "amax": "torch.amax(m, 0)", "aminmax": "torch.aminmax(a)[0]",
    "any_dim": "torch.any(m, 0)", "all_dim": "torch.all(m, 0)", "median": "torch.median(a)", "mode": "torch.mode(a)[0]",
    "logsumexp": "torch.logsumexp(a, 0)", "sort": "torch.sort(a)[0]", "topk": "torch.topk(a, 1)[0]",
    "cummax": "torch.cummax(a, 0)[0]", "trace": "torch.trace(m)", "std_mean": "torch.std_mean(a)[0]",
    "quantile": "torch.quantile(a, 0.5)", "softmax(dtype=float64)": "torch.softmax(a, 0, dtype=torch.float64)"}
OUT_CODE = {
    "bitwise_or": "torch.bitwise_or(a, a, out=o)", "lt": "torch.lt(a, a, out=o)", "sum": "torch.sum(m, 0, out=o)",
    "prod": "torch.prod(m, 0, out=o)", "mean": "torch.mean(m, 0, out=o)", "cumsum": "torch.cumsum(a, 0, out=o)",
    "argmax": "torch.argmax(m, 0, out=o)", "amax": "torch.amax(m, 0, out=o)", "any": "torch.any(m, 0, out=o)",
    "all": "torch.all(m, 0, out=o)", "cat": "torch.cat([a], out=o)", "stack": "torch.stack([s, s], out=o)",
    "where": "torch.where(torch.tensor([True, False]), a, a, out=o)", "clamp": "torch.clamp(a, 0, 1, out=o)",
    "matmul": "torch.matmul(m, a, out=o)", "index_select": "torch.index_select(a, 0, torch.tensor([0, 1]), out=o)",
    "take": "torch.take(a, torch.tensor([0, 1]), out=o)", "isnan->isposinf": "torch.isposinf(a, out=o)",
    "arange": "torch.arange(2, out=o)", "copy via real": "torch.complex(a, a, out=o)"}
OUT_UNARY = ("logical_not", "sqrt", "exp", "abs", "neg", "bitwise_not", "ceil", "sign")

_made = {}


def operand(spec):
    """'dim:int8', 'zero:int8' or 'py:int'.  Operands are only read, so one of each is enough."""
    if spec not in _made:
        bucket, name = spec.split(":")
        _made[spec] = PYTHON[name] if bucket == "py" else lib.ones((2,) if bucket == "dim" else (), dtype=getattr(lib, name))
    return _made[spec]


def matrix(dtype):
    if (key := "matrix:" + dtype) not in _made:
        _made[key] = lib.ones((2, 2), dtype=getattr(lib, dtype))
    return _made[key]


def fresh(spec):
    bucket, name = spec.split(":")
    return lib.ones((2,) if bucket == "dim" else (), dtype=getattr(lib, name))


class Table:
    """Turns '!k' into the error it stands for, and the '<T>' of a text into the dtypes that take part."""

    def __init__(self, book, section):
        self.errors = {f"!{e['id']}": e for e in book.doc[ERRORS[section]]}

    def __call__(self, entry, *dtypes):
        error = self.errors.get(entry) if isinstance(entry, str) else None
        if error is None:
            return entry
        expect = {"err": error["err"], "msg": error["msg"]}
        if "<T>" in error["msg"]:
            expect["about"] = [d.split(":")[-1] for d in dtypes]
            expect["msg"] = error["msg"].replace("<T>", "some dtype")
        if "INTERNAL ASSERT" in error["msg"]:
            expect["msg"] = ""
        return expect


def gives(want):
    """The dtype name of the result; '.' = the dtype of the written tensor."""
    def match(got, expect):
        if want in ("True", "False"):
            return differs(got, want == "True")
        name = name_of(got if isinstance(got, lib.dtype) else got.dtype)
        return None if name == want else f"gives {name}, expected {want}"
    return match


def compiled(code):
    return compile(code, code, "eval")


def run_code(code, **names):
    return eval(code, {"torch": lib, **names})


def promotion_cells(book):
    doc, order = book.doc, book.doc["promote_order"]
    table = Table(book, "promote_types")
    for i, row in enumerate(doc["promote_types"]):
        for j, entry in enumerate(row["row"]):
            a, b = row["a"], order[j]
            yield Cell(FILE, f"/promote_types/{i}/row/{j}", f"torch.promote_types(torch.{a}, torch.{b})", table(entry, a, b),
                       lambda a=a, b=b: lib.promote_types(getattr(lib, a), getattr(lib, b)), gives(entry))
    order = doc["can_cast"]["order"]
    for i, row in enumerate(doc["can_cast"]["rows_from_cols_to"]):
        for j, entry in enumerate(row):
            a, b = order[i], order[j]
            yield Cell(FILE, f"/can_cast/rows_from_cols_to/{i}/{j}", f"torch.can_cast(torch.{a}, torch.{b})", entry == "1",
                       lambda a=a, b=b: lib.can_cast(getattr(lib, a), getattr(lib, b)))
    columns = doc["result_type_columns"]
    table = Table(book, "result_type")
    rows = {row["a"]: row["row"] for row in doc["result_type_float32"]}
    for i, row in enumerate(doc["result_type_float32"]):
        for j, entry in enumerate(row["row"]):
            yield result_type_cell(f"/result_type_float32/{i}/row/{j}", "float32", row["a"], columns[j], entry, table)
    # The delta lists the cells that differ for other defaults; every other cell is as for float32.
    delta = {}
    for i, row in enumerate(doc["result_type_delta"]):
        delta[row["default"], row["a"], row["b"]] = (f"/result_type_delta/{i}", row["result"])
    for default in sorted({row["default"] for row in doc["result_type_delta"]}):
        for a in columns:
            for j, b in enumerate(columns):
                pointer, entry = delta.get((default, a, b)) or (f"/result_type_float32/{columns.index(a)}/row/{j}?{default}",
                                                               rows[a][j])
                yield result_type_cell(pointer, default, a, b, entry, table)


def result_type_cell(pointer, default, a, b, entry, table):
    def run():
        with default_dtype(default):
            return lib.result_type(operand(a), operand(b))
    return Cell(FILE, pointer, f"default {default}: torch.result_type({a}, {b})", table(entry, a, b), run, gives(entry))


def in_place_cells(book):
    doc, table = book.doc, Table(book, "inplace")
    for section in ("inplace", "inplace_zero_dim_self"):
        for i, row in enumerate(doc[section]):
            op, code = row["op"], IN_PLACE_CODE.get(row["op"])
            code = code and compiled(code)
            for j, entry in enumerate(row["row"]):
                b = doc["inplace_columns"][j]

                def run(op=op, code=code, a=row["self"], b=b):
                    a, b = fresh(a), operand(b)
                    return run_code(code, a=a, b=b) if code else IN_PLACE[op](a, b)
                yield Cell(FILE, f"/{section}/{i}/row/{j}", f"{op} with self {row['self']}, other {b}",
                           table(entry, row["self"], b), run, gives(row["self"].split(":")[1]), lenient=True)


def pair_cells(book):
    doc = book.doc
    table, columns = Table(book, "binary"), doc["binary_columns"]
    for i, row in enumerate(doc["binary"]):
        code = BINARY_CODE.get(row["op"], f"torch.{row['op']}(a, b)")
        ready = compiled(code)
        for j, entry in enumerate(row["row"]):
            a, b = row["a"], columns[j]
            yield Cell(FILE, f"/binary/{i}/row/{j}", f"{code}, a {a}, b {b}", table(entry, a, b), lambda a=a, b=b, ready=ready: (
                run_code(ready, a=operand("dim:" + a), b=operand("dim:" + b), m=matrix(a), n=matrix(b))),
                gives(entry), lenient=True)
    columns = doc["scalar_columns"]
    for i, row in enumerate(doc["scalar"]):
        op, left = OPERATORS[row["op"]], row["side"] == "tensor op scalar"
        for j, entry in enumerate(row["row"]):
            pair = (row["tensor"], columns[j]) if left else (columns[j], row["tensor"])
            yield Cell(FILE, f"/scalar/{i}/row/{j}", f"{pair[0]} {row['op']} {pair[1]}", table(entry, *pair),
                       lambda op=op, pair=pair: op(operand(pair[0]), operand(pair[1])), gives(entry), lenient=True)
    columns = doc["true_div_int_columns"]
    for i, row in enumerate(doc["true_div_int"]):
        for j, entry in enumerate(row["row"]):
            def run(default=row["default"], a="dim:" + row["a"], b="dim:" + columns[j]):
                with default_dtype(default):
                    return operand(a) / operand(b)
            yield Cell(FILE, f"/true_div_int/{i}/row/{j}", f"default {row['default']}: {row['a']} / {columns[j]}",
                       table(entry, row["a"], columns[j]), run, gives(entry), lenient=True)


def out_cells(book):
    table = Table(book, "out_cast")
    for i, row in enumerate(book.doc["out_cast"]):
        op = row["op"]
        code = OUT_CODE.get(op) or (f"torch.{op}(a, out=o)" if op in OUT_UNARY else f"torch.{op}(a, a, out=o)")
        ready = compiled(code)
        for j, entry in enumerate(row["row"]):
            a, o = row["in"], book.doc["out_columns"][j]
            yield Cell(FILE, f"/out_cast/{i}/row/{j}", f"{code}, a {a}, out {o}", table(entry, a, o),
                       lambda a=a, o=o, ready=ready: run_code(
                           ready, a=operand("dim:" + a), m=matrix(a), s=operand("zero:" + a), o=fresh("dim:" + o)),
                       gives(o if entry == "." else entry), lenient=True)


def one_operand_cells(book):
    doc, table = book.doc, Table(book, "unary")
    for i, row in enumerate(doc["unary"]):
        op, default = row["op"], row["default"]
        code = UNARY_CODE.get(op, f"torch.{op}(a)")
        for part, source in (("row", code), ("inplace_row", f"a.{op}_()")):
            ready = compiled(source)
            for j, entry in enumerate(row.get(part) or ()):
                a = doc["unary_columns"][j]

                def run(default=default, a=a, ready=ready):
                    with default_dtype(default):
                        return run_code(ready, a=fresh("dim:" + a))
                yield Cell(FILE, f"/unary/{i}/{part}/{j}", f"default {default}: {source}, a {a}", table(entry, a), run,
                           gives(a if entry == "." else entry), lenient=True)
    table = Table(book, "reductions")
    for i, row in enumerate(doc["reductions"]):
        op = row["op"]
        if op.startswith("empty "):
            code = f"torch.{op[6:]}(e)"
        elif op.endswith(")") and op not in REDUCTION_CODE:
            name, dtype = op[:-1].split("(dtype=")
            code = f"torch.{name}(a, dtype=torch.{dtype})"
        else:
            code = REDUCTION_CODE.get(op, f"torch.{op}(a)")
        ready = compiled(code)
        for j, entry in enumerate(row["row"]):
            a = doc["unary_columns"][j]

            def run(a=a, ready=ready):
                return run_code(ready, a=operand("dim:" + a), m=matrix(a), e=lib.empty(0, dtype=getattr(lib, a)))
            yield Cell(FILE, f"/reductions/{i}/row/{j}", f"{code}, a {a}", table(entry, a), run, gives(entry), lenient=True)


def source_cells(book):
    for section in ("values", "extra"):
        for i, row in enumerate(book.doc[section]):
            def run(row=row):
                return eval(row["expr"], {"torch": lib})

            def match(got, want):
                return differs(got, want["result"])
            yield Cell(FILE, f"/{section}/{i}", row["expr"], row, run, match, lenient=True)


def cells(book):
    for part in (promotion_cells, in_place_cells, pair_cells, out_cells, one_operand_cells, source_cells):
        yield from part(book)


