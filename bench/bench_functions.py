"""Functions of one number over tensors that fit into a cache: time per element."""

from measure import Row, np, scopes, shared

# name, (low, high) of the operands, largest ratio to torch in float32 and float64
FUNCTIONS = (
    ("sin", (-10, 10), 0.6, 1.0),
    ("cos", (-10, 10), 0.6, 1.0),
)
NUMPY_TARGET = {"float32": 2.2, "float64": 2.0}     # NumPy's own float32 functions err by 1.4 to 3.4 ULP


def function(name, interval, dtype, torch_target, n):
    rng = np.random.default_rng(1)
    operands = scopes(x=shared(rng.uniform(*interval, n).astype(dtype)), y=shared(np.empty(n, dtype)))
    return Row("functions", f"{name}(x, out=y), {dtype}, {n // 2**10}K elements", f"lib.{name}(x, out=y)", operands,
               {"numpy": NUMPY_TARGET[dtype], "torch": torch_target}, n, "element")


def rows(quick=False):
    if np is None:
        return
    n = 2**16 if quick else 2**20
    for name, interval, single, double in FUNCTIONS:
        yield function(name, interval, "float32", single, n)
        yield function(name, interval, "float64", double, n)
