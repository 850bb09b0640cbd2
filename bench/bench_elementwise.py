"""Arithmetic on large tensors: time per element."""

from measure import Row, beside_own, np, scopes, shared_float32, tl, torch

ADD_INTO = {"tensorlib": "lib.add(a, b, out=c)", "numpy": "lib.add(a, b, out=c)", "torch": "lib.add(a, b, out=c)"}
KIB = 1024


def title(nbytes):
    return f"{nbytes // KIB} KB" if nbytes < 1024 * KIB else f"{nbytes // KIB**2} MB"


def add_into(nbytes):
    """Contiguous float32; the size is that of one operand."""
    n = nbytes // 4
    operands = {name: shared_float32((n,), seed) for seed, name in enumerate("abc")}
    return Row("elementwise", f"add(a, b, out=c), float32, {title(nbytes)}", ADD_INTO, scopes(**operands), {"numpy": 1.05},
               n, "element")


def add_fresh(nbytes):
    """The result's memory is taken anew each time; "own way" is into a tensor that is there."""
    n = nbytes // 4
    names = beside_own(scopes(a=shared_float32((n,), 1), b=shared_float32((n,), 2)))
    names["tensorlib"]["c"] = tl.empty(n)
    torch_target = 0.3 if nbytes >= 32 * KIB**2 else 1.05
    return Row("elementwise", f"a + b, float32, {title(nbytes)}, fresh result",
               {"tensorlib": "a + b", "numpy": "a + b", "torch": "a + b", "own": "lib.add(a, b, out=c)"}, names,
               {"numpy": 1.05, "torch": torch_target, "own": 1.25}, n, "element")


def chain(a):
    b = a + a
    c = b * a
    d = c - b
    e = d / c
    return e + b


def five_operations(nbytes, targets):
    names = scopes(a=shared_float32((nbytes // 4,)))
    for scope in names.values():
        scope["chain"] = chain
    return Row("elementwise", f"b=a+a; c=b*a; d=c-b; e=d/c; e+b, float32, {title(nbytes)}", "chain(a)", names, targets, nbytes // 4,
               "element")


def zeros(nbytes):
    names = {"tensorlib": {"lib": tl}, "numpy": {"lib": np}, "torch": {"lib": torch}}
    statement = f"lib.zeros({nbytes // 4}, dtype=lib.float32)"
    return Row("elementwise", f"zeros, float32, {title(nbytes)}", statement, names)


def unary(name, n):
    operands = scopes(x=shared_float32((n,)), y=shared_float32((n,)))
    return Row("elementwise", f"{name}(x, out=y), float32, {title(4 * n)}", f"lib.{name}(x, out=y)", operands, None, n,
               "element")


def halves(op, dtype, n, target):
    """float16 and bfloat16; NumPy has only the former."""
    scopes_ = {"tensorlib": {"lib": tl}}
    if torch is not None:
        scopes_["torch"] = {"lib": torch}
    for scope in scopes_.values():
        lib = scope["lib"]
        scope.update({name: lib.rand(n).to(getattr(lib, dtype)) for name in "abc"})
    if np is not None and dtype == "float16":
        scopes_["numpy"] = {"lib": np, **{name: np.random.default_rng(seed).random(n).astype(dtype) for seed, name in enumerate("abc")}}
    spelled = {"numpy": f"lib.{'multiply' if op == 'mul' else op}(a, b, out=c)"}
    statements = {library: spelled.get(library, f"lib.{op}(a, b, out=c)") for library in scopes_}
    return Row("elementwise", f"{op}(a, b, out=c), {dtype}, {n // 1024}K elements", statements, scopes_,
               target and {"torch": target}, n, "element")


def rows(quick=False):
    large = [] if quick else [16 * KIB**2, 64 * KIB**2, 128 * KIB**2]
    for nbytes in [64 * KIB, 256 * KIB, KIB**2, 4 * KIB**2, *large]:
        yield add_into(nbytes)   # one at a time: the largest hold 384 MB
    if not quick:
        large += [32 * KIB**2, 256 * KIB**2]
    for nbytes in [64 * KIB, 256 * KIB, KIB**2, 4 * KIB**2, *sorted(large)]:
        yield add_fresh(nbytes)
    yield five_operations(4 * KIB**2, None)
    if not quick:
        yield five_operations(64 * KIB**2, {"numpy": 0.6, "torch": 0.2})
        yield zeros(4 * KIB**2)
        yield zeros(64 * KIB**2)
    n = 2**18
    for name in ("sqrt", "exp"):
        yield unary(name, n)
    for elements, target in ((2**16, 0.6), (2**18, None), *(() if quick else ((2**22, 0.9),))):
        for dtype in ("float16", "bfloat16"):
            yield halves("add", dtype, elements, target)
            yield halves("mul", dtype, elements, target)
    yield Row("elementwise", f"x.sum(), float32, {title(4 * n)}", "x.sum()", scopes(x=shared_float32((n,))), None, n, "element")
    side = 512 if quick else 2048
    yield Row("elementwise", f"m + m.T, float32, ({side}, {side})", "m + m.T", scopes(m=shared_float32((side, side))), None,
              side * side, "element")
    yield Row("elementwise", "a < b, float32, 1 MB, fresh result", "a < b",
              scopes(a=shared_float32((n,), 1), b=shared_float32((n,), 2)), None, n, "element")
