"""Cells of layout_overlap.json: writing through views that share memory, as_strided, storages, sparse_coo.

A refused write is also checked to have changed nothing, byte by byte over the whole storage.
"""

from conformance.records import IS_TORCH, Cell, differs, lib, ours, tensor_differs

FILE = "layout_overlap.json"


def outcome(book, entry):
    """'ok', '!k' or an overruled value, as something `verdict` understands."""
    if entry == "ok" or entry == {"ok": True}:
        return "ok"
    if isinstance(entry, str):
        return {k: book.errors[entry][k] for k in ("err", "msg")}
    return entry


def attempt(setup, code, written):
    """Run the operation; a refusal must leave the whole storage as it was."""
    scope = {"torch": lib}
    exec(setup, scope)
    storage = scope[written].untyped_storage()
    before = storage.tolist()
    try:
        exec(code, scope)
    except Exception as error:
        if not IS_TORCH and storage.tolist() != before:     # torch writes some parts before it refuses others
            raise AssertionError(f"refused, but only after writing: {error}") from error
        raise
    return scope


def succeeded(got, want):
    return None


def same_as_snapshot(setup, code):
    """The written tensor equals what the operation gives when b is a copy made beforehand."""
    direct = attempt(setup, code, "a")["a"].tolist()
    scope = {"torch": lib}
    exec(setup + "; b = b.clone()", scope)
    exec(code, scope)
    snapshot = scope["a"].tolist()
    return True if repr(direct) == repr(snapshot) else f"gives {direct}, from a snapshot {snapshot}"


class KeepsAlive:
    """The library, but what ones() made lives as long as this: whether a freed address is used again is no record's matter."""

    def __init__(self):
        self.made = []

    def __getattr__(self, name):
        return getattr(lib, name)

    def ones(self, *args, **kwargs):
        self.made.append(lib.ones(*args, **kwargs))
        return self.made[-1]


def spec_cells(section, i, row, names):
    for key, name in names:
        def run(row=row, name=name):
            scope = {"torch": lib}
            exec(row["setup"], scope)
            return scope[name]
        yield Cell(FILE, f"/{section}/{i}/{key}", f"{row['setup']}: layout of {name}", row[key], run, tensor_differs)


def cells(book):
    doc = book.doc
    book.errors = {f"!{e['id']}": e for e in doc["errors"]}
    code = {op["name"]: compile(op["code"], op["name"], "exec") for op in doc["internal_ops"] + doc["pair_ops"]}
    text = {op["name"]: op["code"] for op in doc["internal_ops"] + doc["pair_ops"]}
    for i, row in enumerate(doc["internal"]):
        yield from spec_cells("internal", i, row, [("input", "x")])
        if not IS_TORCH:
            yield Cell(FILE, f"/internal/{i}/really_aliases", f"{row['setup']}; torch.has_internal_overlap(x)",
                       row["really_aliases"], lambda row=row: lib.has_internal_overlap(attempt(row["setup"], "", "x")["x"]))
        for op, entry in row["outcome"].items():
            yield Cell(FILE, f"/internal/{i}/outcome/{op}", f"{row['setup']}; {text[op]}", outcome(book, entry),
                       lambda row=row, op=op: attempt(row["setup"], code[op], "x"), succeeded)
    for i, row in enumerate(doc["pairs"]):
        yield from spec_cells("pairs", i, row, [("a", "a"), ("b", "b")])
        for op, entry in row["outcome"].items():
            yield Cell(FILE, f"/pairs/{i}/outcome/{op}", f"{row['setup']}; {text[op]}", outcome(book, entry),
                       lambda row=row, op=op: attempt(row["setup"], code[op], "a"), succeeded)
        for op, agrees in row.get("matches_snapshot_of_b", {}).items():
            # where torch's result depends on the order the outcome above is an error, by decision 6
            if agrees and outcome(book, row["outcome"][op]) == "ok":
                yield Cell(FILE, f"/pairs/{i}/matches_snapshot_of_b/{op}", f"{row['setup']}; {text[op]}, against b.clone()", True,
                           lambda row=row, op=op: same_as_snapshot(row["setup"], code[op]),
                           lambda got, want: None if got is True else got)
    for i, row in enumerate(doc["calls"]):
        yield Cell(FILE, f"/calls/{i}", row["expr"], row, lambda row=row: eval(row["expr"], {"torch": KeepsAlive()}),
                   lambda got, want: differs(got, want["result"]))
    for i, row in enumerate(doc["sparse_coo"]):
        yield Cell(FILE, f"/sparse_coo/{i}", row["expr"], row, lambda row=row: eval(row["expr"], {"torch": lib}),
                   lambda got, want: None if repr(got) == ours(want["repr"]) else f"got {got!r}, expected {want['repr']}")
