"""Cells of memory_format.json and views_indexing.json: strides, offsets and sharing of what operations return."""

import copy

from conformance.records import IS_TORCH, Cell, differs, lib, tensor_differs

FILES = ["memory_format.json", "views_indexing.json"]
FORMATS = ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format")


def fmt(name):
    return getattr(lib, name)


def contiguous_strides(size):
    out, run = [], 1
    for n in reversed(size):
        out.append(run)
        run *= max(n, 1)
    return out[::-1]


def cast_strides(size, stride):
    """The strides that torch's cast to float64 has: those of a dense tensor, else dense ones in the order of the dimensions.

    The records of mixed dtypes were made with such an operand.  Casting here would give another layout (decision 1), so the
    operand is laid out directly, and the record tests the rule for elementwise results alone.
    """
    if is_dense(size, stride):
        return list(stride)
    inner_first = list(reversed(range(len(size))))
    for i in range(1, len(size)):
        at = i
        for k in range(i - 1, -1, -1):
            outer = further_out(size, stride, inner_first[k], inner_first[at])
            if outer is None:
                continue
            if not outer:
                break
            inner_first[k], inner_first[at] = inner_first[at], inner_first[k]
            at = k
    out, run = [0] * len(size), 1
    for d in inner_first:
        out[d] = run
        run *= max(size[d], 1)
    return out


def further_out(size, stride, a, b):
    """Whether dimension a lies outside b; None where the layout does not tell."""
    if stride[a] == 0 or stride[b] == 0:
        return None
    if stride[a] != stride[b]:
        return stride[a] > stride[b]
    return True if size[a] > size[b] else None


def is_dense(size, stride):
    run = 1
    for s, n in sorted((s, n) for n, s in zip(size, stride) if n != 1):
        if s != run and 0 not in size:
            return False
        run *= n
    return True


def cast(t):
    return lib.empty_strided(tuple(t.shape), cast_strides(list(t.shape), list(t.stride())), dtype=lib.float64).fill_(1)


_storages = {}


def laid_out(size, stride, offset=0, n=None):
    """A float32 tensor of this layout over a storage that nobody writes."""
    need = offset + 1 + sum((s - 1) * st for s, st in zip(size, stride)) if 0 not in size else offset
    n = max(need, n or 0)
    if n not in _storages:
        _storages[n] = lib.ones(n)
    return _storages[n].as_strided(tuple(size), tuple(stride), offset)


def strides_of(t):
    return list(t.stride())


def factory_cells(book):
    make = {
        "empty": lambda size, f: lib.empty(size, memory_format=f),
        "contiguous": lambda size, f: lib.empty(size).contiguous(memory_format=f),
        "to": lambda size, f: lib.empty(size).to(memory_format=f), "clone": lambda size, f: lib.empty(size).clone(memory_format=f),
        "empty_like": lambda size, f: lib.empty_like(lib.empty(size), memory_format=f),
        "to_f64": lambda size, f: lib.empty(size).to(lib.float64, memory_format=f)}
    for i, row in enumerate(book.doc["factories"]):
        for field, want in row.items():
            if field == "size":
                continue
            what, form = field.split(".")
            if want == "same as empty":
                want = row["empty." + form]
            yield Cell("memory_format.json", f"/factories/{i}/{field}", f"{what} of {row['size']} with {form}", want,
                       lambda what=what, form=form, size=tuple(row["size"]): strides_of(make[what](size, fmt(form))))


INPUT_OPS = {
    "clone": "t.clone()", "empty_like": "torch.empty_like(t)", "zeros_like": "torch.zeros_like(t)",
    "rand_like": "torch.rand_like(t)", "full_like": "torch.full_like(t, 1.)", "to_f64": "t.to(torch.float64)",
    "to_same": "t.to(t.dtype)",
    "to_copy": "t.to(t.dtype, copy=True)", "contiguous": "t.contiguous()", "neg": "-t", "abs": "t.abs()", "sqrt": "t.sqrt()",
    "add_scalar": "t + 1", "add_self": "t + t", "add_zero_dim": "t + torch.ones(())",
    "add_f64_self": "t + cast(t)", "eq_self": "t == t", "logical_not": "torch.logical_not(t)", "isnan": "torch.isnan(t)",
    "where_self": "torch.where(t > 0, t, t)", "where_scalar": "torch.where(t > 0, t, 0.)", "clamp": "t.clamp(0, 1)",
    "relu": "t.relu()", "pow2": "t ** 2", "cumsum0": "t.cumsum(0)", "copy_to_empty": "torch.empty(t.shape).copy_(t)",
    "masked_fill": "t.masked_fill(t > 0, 0.)", "flip0": "t.flip(0)", "roll": "torch.roll(t, 1, 0)", "sort0": "torch.sort(t, 0)[0]",
    "softmax0": "torch.softmax(t, 0)", "tril": "torch.tril(t)", "deepcopy": "copy.deepcopy(t)", "new_empty": "t.new_empty(t.shape)",
    "detach": "t.detach()", "cat_self0": "torch.cat([t, t], 0)", "stack_self0": "torch.stack([t, t], 0)",
    "repeat": "t.repeat([1] * max(t.dim(), 1))", "sum_last": "t.sum(-1)", "sum0_keep": "t.sum(0, keepdim=True)", "sum1": "t.sum(1)",
    "sum1_keep": "t.sum(1, keepdim=True)", "sum23_keep": "t.sum((2, 3), keepdim=True)", "mean0": "t.mean(0)",
    "amax1_keep": "t.amax(1, keepdim=True)", "cat_self1": "torch.cat([t, t], 1)", "cat_self3": "torch.cat([t, t], 3)",
    "stack_self1": "torch.stack([t, t], 1)",
    "resize_": "torch.empty(0).resize_(t.shape, memory_format=torch.channels_last)"}


def input_cells(book):
    file = "memory_format.json"
    for i, row in enumerate(book.doc["inputs"]):
        at, size, stride = f"/inputs/{i}", row["size"], row["stride"]
        spelled = {"in": stride, "c": contiguous_strides(size)}

        def tensor(row=row):
            return laid_out(row["size"], row["stride"], row["offset"], row["n"])
        for form, want in row["is_contiguous"].items():
            yield Cell(file, f"{at}/is_contiguous/{form}", f"{row['name']}: t.is_contiguous(memory_format=torch.{form})", want,
                       lambda tensor=tensor, form=form: tensor().is_contiguous(memory_format=fmt(form)))
        for field, checks in (("dim_order", False), ("dim_order_true", True), ("dim_order_list", "list")):
            def run(tensor=tensor, checks=checks):
                check = [lib.contiguous_format, lib.channels_last] if checks == "list" else checks
                return tensor().dim_order(ambiguity_check=check)
            yield Cell(file, f"{at}/{field}", f"{row['name']}: t.dim_order(ambiguity_check={checks})", row[field], run)
        # density shows through preserve_format: a dense input keeps its strides, any other is made contiguous (decision 1)
        if not (IS_TORCH and row["torch_differs_from_seed_for"]):
            yield Cell(file, f"{at}/seed_preserve", f"{row['name']}: torch.empty_like(t).stride(), as the founding document asks",
                       spelled[row["seed_preserve"]], lambda tensor=tensor: strides_of(lib.empty_like(tensor())))
        for field, code in (("contiguous_returns_self", "t.contiguous() is t"), ("to_noop_returns_self", "t.to(t.dtype) is t"),
                            ("to_channels_last_returns_self", "t.to(memory_format=torch.channels_last) is t")):
            if field in row:
                yield Cell(file, f"{at}/{field}", f"{row['name']}: {code}", row[field],
                           lambda tensor=tensor, code=code: eval(code, {"torch": lib, "t": tensor()}))
        for op, want in row["ops"].items():
            if op in INPUT_OPS:
                code = INPUT_OPS[op]
            else:
                what, form = op.split(".")
                form = "preserve_format" if form == "preserve" else form
                call = "to(torch.float64, " if what == "to_f64" else f"{what}("
                code = f"t.{call}memory_format=torch.{form})"

            def call_op(tensor=tensor, code=code):
                return strides_of(eval(code, {"torch": lib, "t": tensor(), "copy": copy, "cast": cast}))
            yield Cell(file, f"{at}/ops/{op}", f"{row['name']}: {code}", spelled[want] if isinstance(want, str) else want, call_op)


MIXED_OPS = {
    "add": "a + b", "clone then add_": "a.expand(size).clone(memory_format=torch.contiguous_format).add_(b)",
    "cat0": "torch.cat([a, b], 0)", "cat1": "torch.cat([a, b], 1)",
    "cat-1": "torch.cat([a, b], -1)", "stack0": "torch.stack([a, b], 0)", "stack1": "torch.stack([a, b], 1)",
    "add_mixed_dtype": "a + cast(b)", "where(a>0,a,b)": "torch.where(a > 0, a, b)", "where(a>0,b,b)": "torch.where(a > 0, b, b)"}


def mixed_cells(book):
    file = "memory_format.json"
    for i, row in enumerate(book.doc["mixed"]):
        for field in ("size", *MIXED_OPS):
            pointer, want = f"/mixed/{i}/{field}", row.get(field)
            if want is None:                   # a key that is absent has the strides of add, where the operation is possible
                if field.startswith(("cat", "stack")):
                    continue
                pointer, want = f"/mixed/{i}/add?{field}", row["add"]
            code = MIXED_OPS["add" if field == "size" else field]

            def run(row=row, code=code, field=field):
                a, b = laid_out(row["a_size"], row["a_stride"]), laid_out(row["b_size"], row["b_stride"])
                t = eval(code, {"torch": lib, "size": row["size"], "a": a, "b": b, "cast": cast})
                return list(t.shape) if field == "size" else strides_of(t)
            yield Cell(file, pointer, f"{code}, a = {row['a']}, b = {row['b']}" + " (shape)" * (field == "size"), want, run)


def call_cells(book, section, file):
    for i, row in enumerate(book.doc[section]):
        yield Cell(file, f"/{section}/{i}", row["expr"], row, lambda row=row: eval(row["expr"], {"torch": lib}),
                   lambda got, want: differs(got, want["result"]))


def probe_cells(book):
    columns = (("stride", lambda t: strides_of(t)),
               ("is_contiguous", lambda t: [t.is_contiguous(), t.is_contiguous(memory_format=lib.channels_last)]),
               ("clone", lambda t: strides_of(t.clone())), ("t + 1", lambda t: strides_of(t + 1)),
               ("t + t", lambda t: strides_of(t + t)),
               ("to(float64)", lambda t: strides_of(t.to(lib.float64))),
               ("contiguous(channels_last)", lambda t: strides_of(t.contiguous(memory_format=lib.channels_last))),
               ("dim_order", lambda t: list(t.dim_order())))
    for i, row in enumerate(book.doc["probe"]):
        for j, (name, get) in enumerate(columns, 2):
            yield Cell("memory_format.json", f"/probe/{i}/{j}", f"{name} of torch.empty_permuted({row[0]}, {row[1]})", row[j],
                       lambda row=row, get=get: get(lib.empty_permuted(tuple(row[0]), tuple(row[1])).fill_(1)))


# ---------------------------------------------------------------------------------------------- views_indexing.json

def shares(a, b):
    x, y = a.untyped_storage(), b.untyped_storage()
    return x.nbytes() > 0 and x.data_ptr() == y.data_ptr()


def view_differs(pair, want):
    x, got = pair
    if "value" in want:
        return differs(got, want["value"])
    if "tuple" in want:
        if type(got).__name__ != want["tuple"] or len(got) != len(want["items"]):
            return f"got a {type(got).__name__} of {len(got)}, expected a {want['tuple']} of {len(want['items'])}"
        for part, item in zip(got, want["items"]):
            if (found := view_differs((x, part), item)) is not None:
                return found
        return None
    if (found := tensor_differs(got, want)) is not None:
        return found
    if shares(x, got) != want["shares_storage"]:
        return f"shares storage: {shares(x, got)}, expected {want['shares_storage']}"
    if "is_self" in want and (got is x) != want["is_self"]:
        return f"is x itself: {got is x}, expected {want['is_self']}"
    return None


def view_cells(book):
    file, doc = "views_indexing.json", book.doc
    code = {}
    for i, base in enumerate(doc["bases"]):
        code[base["name"]] = ready = compile(base["code"], base["name"], "eval")
        yield Cell(file, f"/bases/{i}", base["code"], base, lambda ready=ready: eval(ready, {"torch": lib}))
    for i, row in enumerate(doc["records"]):
        def run(row=row):
            x = eval(code[row["x"]], {"torch": lib})
            return x, eval(row["expr"], {"torch": lib, "x": x})
        yield Cell(file, f"/records/{i}", f"x = {row['x']}: {row['expr']}", row, run, view_differs)
    for i, row in enumerate(doc["view_legality"]):
        for target, want in row["view"].items():
            if isinstance(want, str):          # both need another element count or a copy
                want = {"raises": "RuntimeError"}
            yield Cell(file, f"/view_legality/{i}/view/{target}", f"{row['size']}@{row['stride']} viewed as {target}", want,
                       lambda row=row, target=target: strides_of(laid_out(row["size"], row["stride"]).view(
                           tuple(int(n) for n in target.strip("[]").split(",") if n))))
    for i, row in enumerate(doc["assignment"]):
        def assign(row=row):
            scope = {"torch": lib}
            exec(row["setup"], scope)
            exec(row["code"], scope)
            return scope["x"]
        yield Cell(file, f"/assignment/{i}", f"{row['setup']}; {row['code']}", row, assign,
                   lambda got, want: tensor_differs(got, want["x"]))
    yield from call_cells(book, "size_one_and_dtype_views", file)


def cells(book):
    if book.name == "views_indexing.json":
        yield from view_cells(book)
        return
    for part in (factory_cells, input_cells, mixed_cells, probe_cells):
        yield from part(book)
    yield from call_cells(book, "calls", book.name)
