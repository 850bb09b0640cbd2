"""Cells of dtypes.json: attributes of the 46 dtypes, float8 decoding, casts bit by bit, inference, deterministic fill."""

from conformance.records import ABSENT, Cell, default_dtype, differs, is_error, lib, ours, tensor_differs

FILE = "dtypes.json"
# What the record says about the manual of torch, not about the dtype.
ABOUT_THE_MANUAL = ("name", "shell_in_manual", "shell_like_unlisted")
BITS = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}

SUPPORTS = {
    "empty": "torch.empty(2, dtype=d)",
    "zeros": "torch.zeros(2, dtype=d)",
    "ones": "torch.ones(2, dtype=d)",
    "tensor_from_list": "torch.tensor([0, 1], dtype=d)",
    "cast_to_f32": "torch.empty(2, dtype=d).to(torch.float32)",
    "cast_from_f32": "torch.ones(2).to(d)",
    "clone": "torch.empty(2, dtype=d).clone()",
    "cat": "torch.cat([torch.empty(2, dtype=d), torch.empty(2, dtype=d)])",
    "view_uint8": "torch.empty(2, dtype=d).view(torch.uint8)",
    "item": "torch.empty(1, dtype=d).item()",
    "repr": "repr(torch.empty(2, dtype=d))",
    "add": "torch.empty(2, dtype=d) + torch.empty(2, dtype=d)",
    "mul": "torch.empty(2, dtype=d) * torch.empty(2, dtype=d)",
    "eq": "torch.empty(2, dtype=d) == 1",
    "neg": "-torch.empty(2, dtype=d)",
    "abs": "torch.empty(2, dtype=d).abs()",
    "sum": "torch.empty(2, dtype=d).sum()",
    "isnan": "torch.isnan(torch.ones(2, dtype=d))",
    "index": "torch.empty(2, dtype=d)[0]",
    "adv_index": "torch.empty(2, dtype=d)[torch.tensor([0])]",
    "where": "torch.where(torch.tensor([True, False]), torch.empty(2, dtype=d), torch.ones(2, dtype=d))",
    "sort": "torch.sort(torch.empty(2, dtype=d))",
    "arange": "torch.arange(2, dtype=d)",
    "copy_": "torch.empty(2, dtype=d).copy_(torch.empty(2, dtype=d))",
    "fill_": "torch.empty(2, dtype=d).fill_(1)",
    "bitwise_or": "torch.empty(2, dtype=d) | torch.empty(2, dtype=d)",
    "lt": "torch.empty(2, dtype=d) < torch.empty(2, dtype=d)",
    "max": "torch.empty(2, dtype=d).max()",
}


def supported(code, d):
    try:
        eval(code, {"torch": lib, "d": d})
    except AttributeError:
        raise                     # the operation itself is missing: neither supported nor refused
    except Exception as error:
        if ABSENT.search(str(error)):
            raise                 # as is a feature of it
        return False
    return True


def attribute_cells(book):
    for i, row in enumerate(book.doc["dtypes"]):
        name = row["name"]
        for field, want in row.items():
            pointer = f"/dtypes/{i}/{field}"
            if field in ABOUT_THE_MANUAL:
                continue
            if field == "supports":
                for op, can in want.items():
                    code = SUPPORTS[op]
                    # values made up by a missing cast do not matter: bool only says whether the call is accepted
                    yield Cell(FILE, f"{pointer}/{op}", f"{code}, d = torch.{name}", can,
                               lambda code=code, name=name: supported(code, getattr(lib, name)))
            elif field in ("finfo", "iinfo"):
                make = getattr(lib, field)
                if is_error(want):
                    yield Cell(FILE, pointer, f"torch.{field}(torch.{name})", want,
                               lambda make=make, name=name: repr(make(getattr(lib, name))), lenient=True)
                    continue
                for key, value in want.items():
                    get = (lambda make=make, name=name: repr(make(getattr(lib, name)))) if key == "repr" else (
                        lambda make=make, name=name, key=key: getattr(make(getattr(lib, name)), key))
                    yield Cell(FILE, f"{pointer}/{key}", f"torch.{field}(torch.{name}).{key}", value, get, info_differs)
            elif field == "aliases":
                yield Cell(FILE, pointer, f"aliases of torch.{name}", want, lambda name=name: sorted(
                    n for n in dir(lib) if getattr(lib, n) is getattr(lib, name) and n != name))
            elif field == "repr":
                yield Cell(FILE, pointer, f"repr(torch.{name})", want, lambda name=name: repr(getattr(lib, name)))
            elif field == "in_torch_namespace":
                yield Cell(FILE, pointer, f"torch.{name}", want, lambda name=name: isinstance(getattr(lib, name), lib.dtype))
            elif field in ("quantized", "bits"):
                yield Cell(FILE, pointer, f"the name of torch.{name} says that it is {field}", want,
                           lambda name=name, field=field: str(getattr(lib, name)).rsplit(".", 1)[1].startswith(
                               ("qint", "quint") if field == "quantized" else "bits"))
            else:
                method = field.startswith("to_")
                yield Cell(FILE, pointer, f"torch.{name}.{field}{'()' * method}", want, lambda name=name, field=field, m=method: (
                    getattr(getattr(lib, name), field)() if m else getattr(getattr(lib, name), field)))


def info_differs(got, want):
    if isinstance(want, dict):                 # {"repr": ..., "hex": ...}
        return None if repr(got) == want["repr"] and got.hex() == want["hex"] else f"got {got!r}, expected {want['repr']}"
    return differs(got, want)


def decode_cells(book):
    for name, values in book.doc["float8_decode"].items():
        for code, want in enumerate(values):
            yield Cell(FILE, f"/float8_decode/{name}/{code}", f"byte {code} as torch.{name}", want, lambda name=name, code=code: (
                lib.tensor([code], dtype=lib.uint8).view(getattr(lib, name)).to(lib.float32).tolist()[0]))


def cast_cells(book):
    for i, row in enumerate(book.doc["float_casts"]):
        for field, want in row.items():
            if field == "float64":
                continue
            target = field.removesuffix("_bits")
            yield Cell(FILE, f"/float_casts/{i}/{field}", f"torch.tensor({row['float64']}, dtype=torch.float64).to(torch.{target})",
                       want, lambda target=target, v=float(row["float64"]): bits_of(
                           lib.tensor(v, dtype=lib.float64).to(getattr(lib, target))))
    for i, row in enumerate(book.doc["int_casts"]):
        value = row["value"]
        if isinstance(value, str):
            value = complex(value) if "j" in value else float(value)
        for field, want in row.items():
            if field in ("from", "value"):
                continue
            yield Cell(FILE, f"/int_casts/{i}/{field}", f"torch.tensor([{value}], dtype=torch.{row['from']}).to(torch.{field})",
                       want, lambda field=field, source=row["from"], value=value: (
                           lib.tensor([value], dtype=getattr(lib, source)).to(getattr(lib, field)).tolist()[0]))


def bits_of(t):
    return t.view(getattr(lib, BITS[t.element_size()])).item()


def infer_cells(book):
    for i, row in enumerate(book.doc["infer"]):
        def run(row=row):
            with default_dtype(row["default"]):
                return eval(row["expr"], {"torch": lib})

        def match(got, want):
            return tensor_differs(got, want) if "dtype" in want else None if got is None else f"gave {got!r}"
        yield Cell(FILE, f"/infer/{i}", f"default {row['default']}: {row['expr']}", row, run, match, lenient=True)


FILL = {
    "empty": "torch.empty(3, dtype=d)",
    "empty_strided": "torch.empty_strided((3,), (1,), dtype=d)",
    "empty_permuted": "torch.empty_permuted((2, 3), (1, 0), dtype=d).t().flatten()",
    "empty_like": "torch.empty_like(plain)",
    "new_empty": "plain.new_empty(3)",
    "resize_": "torch.empty(0, dtype=d).resize_(3)",
}


def fill_cells(book):
    for i, row in enumerate(book.doc["deterministic_fill"]):
        fn, dtype = row["fn"], row["dtype"]
        if fn in FILL:
            def run(fn=fn, dtype=dtype):
                d = getattr(lib, dtype)
                plain = lib.empty(3, dtype=d)
                with deterministic():
                    return eval(FILL[fn], {"torch": lib, "d": d, "plain": plain})

            def match(t, want):
                raw = t.view(lib.uint8).tolist()[-t.element_size():]
                if raw != want["bytes_le"]:
                    return f"the last element's bytes are {raw}, expected {want['bytes_le']}"
                if "last_element" in want and ours(str(t.tolist()[-1])) != want["last_element"]:
                    return f"the last element is {t.tolist()[-1]}, expected {want['last_element']}"
                return None
        else:
            def run(fn=fn):
                with deterministic():
                    if fn.startswith("empty_strided((2,2),(4,1))"):
                        del [lib.zeros(6) for _ in range(200)][:]      # what is reused holds no NaN of an earlier fill
                        return [v != v for v in lib.empty_strided((2, 2), (4, 1)).as_strided((6,), (1,)).tolist()]
                    if fn == "zeros(2).resize_(5)":
                        return [v != v for v in lib.zeros(2).resize_(5).tolist()]
                    if fn == "fill_uninitialized_memory = 1":
                        lib.utils.deterministic.fill_uninitialized_memory = 1
                    if fn == "flag: fill_uninitialized_memory set False reads back":
                        lib.utils.deterministic.fill_uninitialized_memory = False
                        return lib.utils.deterministic.fill_uninitialized_memory
                    raise AssertionError(f"no recipe for {fn}")

            def match(got, want):
                return differs(got, want.get("is_nan", want.get("value")))
        yield Cell(FILE, f"/deterministic_fill/{i}", f"deterministic {fn} of {dtype}", row, run, match, lenient=True)


class deterministic:
    def __enter__(self):
        lib.use_deterministic_algorithms(True)
        lib.utils.deterministic.fill_uninitialized_memory = True

    def __exit__(self, *exc):
        lib.utils.deterministic.fill_uninitialized_memory = True
        lib.use_deterministic_algorithms(False)


def misc_cells(book):
    for i, row in enumerate(book.doc["misc"]):
        yield Cell(FILE, f"/misc/{i}", row["expr"], row, lambda row=row: eval(row["expr"], {"torch": lib}),
                   lambda got, want: None if repr(got) == ours(want["result"]) else
                   f"got {got!r}, expected {ours(want['result'])}", lenient=True)


def cells(book):
    for part in (attribute_cells, decode_cells, cast_cells, infer_cells, fill_cells, misc_cells):
        yield from part(book)


