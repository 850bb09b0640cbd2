"""Cells of repr.json, extra.json and field_cases.json."""

import contextlib
import json
import math
import re

from conformance.records import MODULE, Cell, default_dtype, differs, lib, name_of, ours, tensor_differs

FILES = ["repr.json", "extra.json", "field_cases.json"]


@contextlib.contextmanager
def print_options(**options):
    lib.set_printoptions(profile="default")
    try:
        lib.set_printoptions(**options)
        yield
    finally:
        lib.set_printoptions(profile="default")


def repr_cells(book):
    doc = book.doc
    for i, row in enumerate(doc["records"]):
        def run_record(row=row):
            with print_options(**row.get("printoptions", {})):
                t = eval(row["code"], {"torch": lib})
                shown = {"repr": repr(t), "str_same": str(t) == repr(t), "dtype": name_of(t.dtype), "size": list(t.shape)}
                if "format" in row:
                    shown["format"] = f"{t}"
                return shown
        yield Cell("repr.json", f"/records/{i}", f"{row['code']} {row.get('printoptions', '')}", row, run_record, same_text)
    for i, row in enumerate(doc["other_default_dtype"]):
        def run_dtype(row=row):
            with default_dtype(row["default_dtype"]):
                return {"repr": repr(eval(row["code"], {"torch": lib}))}
        yield Cell("repr.json", f"/other_default_dtype/{i}", f"default {row['default_dtype']}: {row['code']}", row, run_dtype,
                   same_text)
    for i, row in enumerate(doc["other_default_device"]):
        def run_device(row=row):
            with lib.device(row["default_device"]):
                return {"repr": repr(eval(row["code"], {"torch": lib}))}
        yield Cell("repr.json", f"/other_default_device/{i}", f"default {row['default_device']}: {row['code']}", row, run_device,
                   same_text)
    for i, row in enumerate(doc["formatting"]):
        code = row["code"]
        if MODULE != "torch":                  # decision 35: a public name for torch's private one
            code = code.replace("torch._tensor_str.get_printoptions", "torch.get_printoptions")

        def run_format(code=code):
            with print_options():
                return eval(code, {"torch": lib})
        yield Cell("repr.json", f"/formatting/{i}", code, row, run_format, same_format)


def same_text(got, want):
    for field, value in got.items():
        wanted = ours(want[field]) if isinstance(want[field], str) else want[field]
        if value != wanted:
            return f"{field} is {value!r}, expected {wanted!r}"
    return None


def same_format(got, want):
    wanted = want["result"]
    if isinstance(wanted, dict):
        got = {field: got[field] if isinstance(got, dict) else getattr(got, field) for field in wanted}
        return None if got == wanted else f"got {got}, expected {wanted}"
    return differs(got, wanted)


def extra_cells(book):
    for i, row in enumerate(book.doc["records"]):
        source = row.get("expr") or row["code"]

        def run(row=row):
            scope = {"torch": lib}
            exec(row.get("setup", ""), scope)
            if "expr" in row:
                return eval(row["expr"], scope)
            before = scope["s"].tolist()
            try:
                exec(row["code"], scope)
            except Exception:
                after = scope["s"].tolist()
                if after != before:
                    raise AssertionError(f"the refused call changed s from {before} to {after}") from None
                raise
            return scope["s"].tolist()

        def match(got, want):
            if "expr" not in want:
                return None if plain(got) == want["s"] else f"s is {got}, expected {want['s']}"
            if isinstance(want["result"], dict) and "size" in want["result"]:
                return tensor_differs(got, want["result"])
            return differs(got, want["result"])
        yield Cell("extra.json", f"/records/{i}", f"{row.get('setup', '')}; {source}".removeprefix("; "), row, run, match)


def plain(v):
    """Values as field_cases.json spells them."""
    if v is None or isinstance(v, (bool, str)):
        return v
    if isinstance(v, int):
        return int(v)
    if isinstance(v, float):
        return v if math.isfinite(v) else "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"
    if isinstance(v, complex):
        return [plain(v.real), plain(v.imag)]
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    if isinstance(v, lib.device):
        return str(v)
    if isinstance(v, (lib.dtype, lib.memory_format, lib.layout)):
        return name_of(v)
    return plain(v.tolist())


def field_cells(book):
    for i, case in enumerate(book.doc):
        expect = case["expect"]
        refuses = isinstance(expect, dict) and set(expect) <= {"raises", "match"} and "raises" in expect

        def run(case=case):
            scope = {"tl": lib, "__name__": "field_case"}
            exec(compile(case["setup"], case["id"], "exec"), scope)
            return plain(eval(case["expr"], scope))

        def run_refused(case=case, run=run, expect=expect):
            try:
                return json.dumps(run())
            except Exception as error:
                if not {c.__name__ for c in type(error).__mro__} & set(expect["raises"].split("|")):
                    raise
                if not re.search(expect.get("match", ""), " ".join(str(error).split())):
                    return f"message {error} does not match"
                return "refused"

        if MODULE == "torch" and not case["torch_agrees"]:
            continue
        yield Cell("field_cases.json", f"/{i}", case["id"] + ": " + case["expr"], "refused" if refuses else expect,
                   run_refused if refuses else run,
                   lambda got, want: None if got == want and json.dumps(got) == json.dumps(want) else
                   f"gave {got!r}, expected {want!r}")


def cells(book):
    return {"repr.json": repr_cells, "extra.json": extra_cells, "field_cases.json": field_cells}[book.name](book)
