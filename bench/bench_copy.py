"""Copies that change the order of memory or the dtype, beside a memcpy of the bytes that they write.

Destinations exist already and every library writes into its own, unless a row says "fresh".  The ratio to memcpy says how far a
copy is from the speed of memory.  Tensors are as small as the shapes say: some rows live in L2, some go to main memory.
"""
import ctypes
import math
import random

from measure import LIBRARIES, Row, np, scopes, shared, tl

IMAGES = ((8, 64, 56, 56), (32, 3, 224, 224), (8, 256, 14, 14), (1, 1280, 7, 7), (4, 17, 61, 67), (1, 4, 512, 512))
DTYPES = {1: "uint8", 2: "int16", 4: "float32", 8: "float64"}
BY_SIZE = {1: 2.5, 2: 2.0, 4: 1.8, 8: 1.6}        # times memcpy, by the bytes of an element
PERMUTATIONS = 20
COPY = {"tensorlib": "y.copy_(x)", "torch": "y.copy_(x)", "numpy": "lib.copyto(y, x, casting='unsafe')", "memcpy": "lib.memmove(y, x, n)"}


def filled(shape, dtype):
    """Random bits: copying does not look at them, but pages of zeros would be one page."""
    count = math.prod(shape)
    size = {name: size for size, name in DTYPES.items()}[dtype]
    if np is not None:
        return np.random.default_rng(3).integers(0, 256, count * size, dtype=np.uint8).view(dtype).reshape(shape)
    return tl.randint(0, 256, (count,)).to(getattr(tl, dtype)).reshape(shape)


def operands(array, permutation, out_dtype=None):
    """x, a permuted view of equal data, and y, a contiguous place for it, for each library."""
    views = shared(array) if np is not None else {"tensorlib": array}
    x, y = {}, {}
    for library, view in views.items():
        x[library] = view.transpose(permutation) if library == "numpy" else view.permute(permutation)
        lib = LIBRARIES[library]
        y[library] = lib.zeros(tuple(x[library].shape), dtype=getattr(lib, out_dtype) if out_dtype else x[library].dtype)
        if library != "numpy":
            y[library].copy_(x[library])              # touches every page
    return x, y


def row(name, array, permutation, targets, out_dtype=None, statements=COPY):
    x, y = operands(array, permutation, out_dtype)
    names = scopes(x=x, y=y)
    nbytes = y["tensorlib"].numel() * y["tensorlib"].element_size()
    sink, source = (filled((nbytes,), "uint8") for _ in range(2))
    addresses = [t.ctypes.data if np is not None else t.data_ptr() for t in (sink, source)]
    names["memcpy"] = {"lib": ctypes, "y": addresses[0], "x": addresses[1], "n": nbytes, "keep": (sink, source)}
    return Row("copy", name, statements, names, targets, y["tensorlib"].numel(), "element")


class GeometricMean(Row):
    """One line for many rows: the geometric mean of their times."""

    def __init__(self, name, parts, targets):
        super().__init__("copy", name, {}, {}, targets)
        self.parts = parts

    def measure(self, rounds, slice_seconds):
        times = {}
        for part in self.parts():
            part.measure(max(3, rounds // 4), slice_seconds)
            self.problem = self.problem or part.problem
            for library, taken in part.seconds.items():
                times.setdefault(library, []).append(math.log(taken))
        means = {library: math.exp(sum(logs) / len(logs)) for library, logs in times.items()}
        self.seconds = {library: min(taken, self.seconds.get(library, taken)) for library, taken in means.items()}


def permuted(elements):
    rng = random.Random(4)
    for _ in range(PERMUTATIONS):
        rank = rng.randint(3, 6)
        side = elements ** (1 / rank)
        shape = [max(2, round(side * rng.uniform(0.5, 1.5))) for _ in range(rank)]
        order = list(range(rank))
        while order[-1] == rank - 1:                  # the fastest axis moves
            rng.shuffle(order)
        yield row(f"{shape} by {order}", filled(shape, "float32"), order, {})


def format_rows(quick):
    for shape in IMAGES[-3:] if quick else IMAGES:
        n, c, h, w = shape
        for size, dtype in DTYPES.items():
            large = math.prod(shape) * size > 4 << 20
            targets = {"memcpy": 1.4 if large and size >= 4 else BY_SIZE[size], "torch": 0.5, "numpy": 0.6}
            yield row(f"{shape} {dtype} to NHWC", filled(shape, dtype), (0, 2, 3, 1), targets)
            yield row(f"{shape} {dtype} to NCHW", filled((n, h, w, c), dtype), (0, 3, 1, 2), targets)


def fresh_row(shape):
    own = row(f"{shape} float32 to(channels_last), fresh", filled(shape, "float32"), (0, 1, 2, 3), {"memcpy": 1.8, "torch": 0.35})
    own.statements = {**COPY, "numpy": "lib.ascontiguousarray(x.transpose(0, 2, 3, 1))",
                      **dict.fromkeys(("tensorlib", "torch"), "x.to(memory_format=lib.channels_last)")}
    return own


def joined_rows(elements):
    """cat, flip and repeat of float32, as far as they exist."""
    for name, tensors, arrays, pieces in (("cat of 8", "lib.cat(list(x))", "lib.concatenate(x)", 8),
                                          ("flip", "lib.flip(x, (0,))", "lib.flip(x, 0).copy()", 8),
                                          ("repeat by 8", "x[0].repeat(8)", "lib.tile(x[0], 8)", 8)):
        if hasattr(tl, name.split()[0]) or hasattr(tl.Tensor, name.split()[0]):
            yield row(f"{name}, {elements} float32 each", filled((pieces, elements), "float32"), (0, 1),
                      {"memcpy": 1.3, "torch": 0.8, "numpy": 0.9},
                      statements={"tensorlib": tensors, "torch": tensors, "numpy": arrays, "memcpy": COPY["memcpy"]})


def rows(quick=False):
    few = 8 if quick else 1
    yield from format_rows(quick)
    yield row("NCDHW to NDHWC (2,32,16,56,56) float32", filled((2, 32, 16 // few, 56, 56), "float32"), (0, 2, 3, 4, 1),
              {"memcpy": 1.4, "torch": 0.5, "numpy": 0.6})
    large = {"memcpy": 1.6, "torch": 0.6, "numpy": 0.12}
    yield row("transposed 4096x4096 float32", filled((4096 // few, 4096), "float32"), (1, 0), {} if quick else large)
    yield row("transposed 4093x4099 float64", filled((4093 // few, 4099), "float64"), (1, 0), {} if quick else large)
    mixed = {"memcpy": 1.8, "torch": 0.4, "numpy": 0.4}
    yield row("(64,48,40,36) by (3,1,0,2) float32", filled((64 // few, 48, 40, 36), "float32"), (3, 1, 0, 2), mixed)
    yield GeometricMean(f"{PERMUTATIONS} permutations of rank 3 to 6, mean", lambda: permuted((4 << 20) // few), mixed)
    yield row("uint8 NHWC to float32 NCHW (32,224,224,3)", filled((32 // few, 224, 224, 3), "uint8"), (0, 3, 1, 2),
              {"memcpy": 1.6, "torch": 0.4, "numpy": 0.5}, "float32")
    yield row("float32 NCHW to uint8 NHWC (32,3,224,224)", filled((32 // few, 3, 224, 224), "uint8").astype("float32")
              if np is not None else filled((32 // few, 3, 224, 224), "float32"), (0, 2, 3, 1), {}, "uint8")
    yield fresh_row((8, 64, 56, 56))
    yield from joined_rows((1 << 20) // few)
    yield row("order kept, uint8 to float32", filled((32 // few, 224, 224, 3), "uint8"), (0, 1, 2, 3), {}, "float32")
    yield row("m + m.T 4096x4096 float32", filled((4096 // few, 4096), "float32") if quick else small_floats((4096, 4096)), (0, 1),
              {} if quick else {"memcpy": 3, "torch": 0.25, "numpy": 0.25},
              statements={"tensorlib": "lib.add(x, x.T, out=y)", "torch": "lib.add(x, x.T, out=y)",
                          "numpy": "lib.add(x, x.T, out=y)", "memcpy": COPY["memcpy"]}) if not quick else \
        row("clone", filled((1 << 20,), "float32"), (0,), {}, statements={**COPY, "tensorlib": "x.clone()", "torch": "x.clone()"})


def small_floats(shape):
    return np.random.default_rng(5).random(shape, dtype=np.float32) if np is not None else tl.rand(*shape)
