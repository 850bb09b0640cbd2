"""Copies that change the order of memory or the dtype: time per element."""

from measure import Row, np, scopes, shared, shared_float32, tl


def bytes_of(shape):
    if np is not None:
        return shared(np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8))
    return {"tensorlib": tl.randint(0, 256, shape).to(tl.uint8)}


def row(name, shape, operand, tensors, array):
    count = 1
    for extent in shape:
        count *= extent
    statements = {"tensorlib": tensors, "torch": tensors, "numpy": array}
    return Row("copy", f"{name} {shape}", statements, scopes(x=operand), None, count, "element")


def rows(quick=False):
    n = 1 if quick else 8
    shape = (n, 64, 56, 56)
    yield row("NCHW to NHWC, float32", shape, shared_float32(shape), "x.contiguous(memory_format=lib.channels_last)",
              "lib.ascontiguousarray(x.transpose(0, 2, 3, 1))")
    shape = (4 * n, 3, 224, 224)
    yield row("NCHW to NHWC, uint8", shape, bytes_of(shape), "x.contiguous(memory_format=lib.channels_last)",
              "lib.ascontiguousarray(x.transpose(0, 2, 3, 1))")
    shape = (4 * n, 224, 224, 3)
    yield row("NHWC uint8 to NCHW float32", shape, bytes_of(shape),
              "x.permute(0, 3, 1, 2).to(lib.float32, memory_format=lib.contiguous_format)",
              "x.transpose(0, 3, 1, 2).astype(lib.float32, order='C')")
    yield row("uint8 to float32, order kept", shape, bytes_of(shape), "x.to(lib.float32)", "x.astype(lib.float32)")
    shape = (256 * 1024 * n,)
    yield row("clone, float32", shape, shared_float32(shape), "x.clone()", "x.copy()")
    shape = (512, 512 * n)
    yield row("transpose and make contiguous, float32", shape, shared_float32(shape), "x.t().contiguous()",
              "lib.ascontiguousarray(x.T)")
