"""Arithmetic on large tensors: time per element."""

from measure import Row, np, scopes, shared, shared_float32, tl, torch

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


def unary(name, n):
    operands = scopes(x=shared_float32((n,)), y=shared_float32((n,)))
    return Row("elementwise", f"{name}(x, out=y), float32, {title(4 * n)}", f"lib.{name}(x, out=y)", operands, None, n,
               "element")


def half_add(n):
    if np is None:
        operands = [{"tensorlib": tl.rand(n).to(tl.float16)} for _ in range(3)]
    else:
        operands = [shared(np.random.default_rng(seed).random(n).astype(np.float16)) for seed in range(3)]
    names = scopes(**dict(zip("abc", operands)))
    return Row("elementwise", f"add(a, b, out=c), float16, {title(2 * n)}", ADD_INTO, names, None, n, "element")


def bfloat16_add(n):
    """NumPy has no bfloat16."""
    names = {"tensorlib": {"lib": tl}}
    if torch is not None:
        names["torch"] = {"lib": torch}
    for scope in names.values():
        lib = scope["lib"]
        scope.update(a=lib.rand(n).to(lib.bfloat16), b=lib.rand(n).to(lib.bfloat16), c=lib.zeros(n, dtype=lib.bfloat16))
    return Row("elementwise", f"add(a, b, out=c), bfloat16, {title(2 * n)}", "lib.add(a, b, out=c)", names, None, n, "element")


def rows(quick=False):
    large = [] if quick else [16 * KIB**2, 64 * KIB**2, 128 * KIB**2]
    for nbytes in [64 * KIB, 256 * KIB, KIB**2, 4 * KIB**2, *large]:
        yield add_into(nbytes)   # one at a time: the largest hold 384 MB
    n = 2**18
    for name in ("sqrt", "exp"):
        yield unary(name, n)
    yield half_add(n)
    yield bfloat16_add(n)
    yield Row("elementwise", f"a + b, float32, {title(4 * n)}, fresh result", "a + b",
              scopes(a=shared_float32((n,), 1), b=shared_float32((n,), 2)), None, n, "element")
    yield Row("elementwise", f"x.sum(), float32, {title(4 * n)}", "x.sum()", scopes(x=shared_float32((n,))), None, n, "element")
    side = 512 if quick else 2048
    yield Row("elementwise", f"m + m.T, float32, ({side}, {side})", "m + m.T", scopes(m=shared_float32((side, side))), None,
              side * side, "element")
    yield Row("elementwise", "a < b, float32, 1 MB, fresh result", "a < b",
              scopes(a=shared_float32((n,), 1), b=shared_float32((n,), 2)), None, n, "element")
