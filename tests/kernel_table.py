"""The kernels of a CPU level, called from Python through their table: what a kernel does is tested without a Tensor.

The structs repeat csrc/kernel_api.pxd and csrc/plan_types.pxd; their sizes come from the tables.  NumPy arrays stand for
memory: dtypes that NumPy lacks travel as integers of their size.
"""
import ctypes
import importlib
import pathlib

import numpy as np
from tensorlib import _dtypetable, _optable

OP_ROWS = {row["name"]: row for row in _optable.OPS}

DTYPES = {row["name"]: code for code, row in enumerate(_dtypetable.DTYPES)}
ROWS = {row["name"]: row for row in _dtypetable.DTYPES}
OPS = {row["name"]: code for code, row in enumerate(_optable.OPS)}
REDUCTIONS = {row["name"]: code for code, row in enumerate(_optable.REDUCTIONS)}
MAX_DIMS, MAX_OPERANDS, BLOCK = 64, 4, 512
SSIZE, P = ctypes.c_ssize_t, ctypes.c_void_p


class Plan(ctypes.Structure):
    _fields_ = [("operand_count", ctypes.c_int), ("ndim", ctypes.c_int), ("numel", SSIZE), ("shape", SSIZE * MAX_DIMS),
                ("step_bytes", (SSIZE * MAX_DIMS) * MAX_OPERANDS), ("data", P * MAX_OPERANDS),
                ("dtype", ctypes.c_int * MAX_OPERANDS), ("op", ctypes.c_int), ("compute", ctypes.c_int),
                ("via", ctypes.c_int * MAX_OPERANDS), ("parameters", SSIZE * 8)]


class ReducePlan(ctypes.Structure):
    _fields_ = [("op", ctypes.c_int), ("in_dtype", ctypes.c_int), ("acc_dtype", ctypes.c_int), ("out_dtype", ctypes.c_int),
                ("keep_ndim", ctypes.c_int), ("red_ndim", ctypes.c_int),
                *((name, SSIZE * MAX_DIMS) for name in ("keep_shape", "keep_in_step", "keep_out_step", "red_shape", "red_step")),
                ("keep_numel", SSIZE), ("red_numel", SSIZE), ("input", P), ("output", P)]


class KernelTable(ctypes.Structure):
    _fields_ = [("level", ctypes.c_char_p), ("loops", ((P * 3) * len(_dtypetable.DTYPES)) * len(_optable.OPS)),
                *((name, P) for name in ("elementwise", "copy", "reduce", "cast", "integer_range", "float_range"))]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]


def numpy_dtype(name):
    """The NumPy dtype that carries one of ours."""
    row = ROWS[name]
    return np.dtype(row["numpy"] if row["numpy"] else {1: "u1", 2: "u2", 4: "u4"}[row["itemsize"]])


def parameter_values(op, dtype):
    """The sample parameters of a row as the loops of a dtype take them."""
    compute = numpy_dtype(ROWS[dtype]["compute"])
    values = [0 if p["sample"] is None or abs(p["sample"]) == float("inf") else p["sample"] for p in OP_ROWS[op]["parameters"]]
    return np.array([abs(x) if compute.kind == "u" else x for x in values], dtype=object).astype(compute)


class Kernels:
    def __init__(self, level):
        self.level = level
        self.capsule = importlib.import_module(f"tensorlib._kernels_{level}").table
        self.table = ctypes.cast(_pointer(self.capsule, b"tensorlib.kernels"), ctypes.POINTER(KernelTable)).contents

    def _call(self, name, *types):
        return ctypes.CFUNCTYPE(None, *types)(getattr(self.table, name))

    def has(self, op, dtype):
        return bool(self.table.loops[OPS[op]][DTYPES[dtype]][0])

    def loop(self, op, dtype, shape, out, *operands):
        call = ctypes.CFUNCTYPE(None, P, P, P, P, P, SSIZE)(self.table.loops[OPS[op]][DTYPES[dtype]][shape])
        parameters = parameter_values(op, dtype)
        call(out.ctypes.data, *[x.ctypes.data for x in operands], *[None] * (3 - len(operands)), parameters.ctypes.data, out.size)
        return out

    def cast(self, x, src, dst):
        x = np.asarray(x, order="C")
        out = np.empty(x.shape, numpy_dtype(dst))
        call = self._call("cast", P, ctypes.c_int, P, ctypes.c_int, SSIZE)
        call(out.ctypes.data, DTYPES[dst], x.ctypes.data, DTYPES[src], x.size)
        return out

    def plan(self, out, out_dtype, operands, dtypes):
        """Axes as NumPy gives them, the last one fastest, not coalesced; size-1 axes dropped as the planner does."""
        p = Plan(operand_count=1 + len(operands))
        axes = [d for d in range(out.ndim - 1, -1, -1) if out.shape[d] != 1]
        p.ndim, p.numel = len(axes), out.size
        for k, x in enumerate([out, *operands]):
            x = np.broadcast_to(x, out.shape) if k else x
            p.data[k] = x.ctypes.data
            p.dtype[k] = p.via[k] = DTYPES[[out_dtype, *dtypes][k]]
            for i, d in enumerate(axes):
                p.shape[i] = out.shape[d]
                p.step_bytes[k][i] = x.strides[d]
        return p

    def copy(self, out, out_dtype, x, dtype):
        self._call("copy", ctypes.POINTER(Plan))(self.plan(out, out_dtype, [x], [dtype]))
        return out

    def elementwise(self, op, compute, out, out_dtype, operands, dtypes, via=(), result=None):
        p = self.plan(out, out_dtype, operands, dtypes)
        p.op, p.compute = OPS[op], DTYPES[compute]
        values = parameter_values(op, compute)
        ctypes.memmove(p.parameters, values.ctypes.data, values.nbytes)
        if result:
            p.via[0] = DTYPES[result]
        for k, dtype in enumerate(via):
            p.via[k + 1] = DTYPES[dtype]
        self._call("elementwise", ctypes.POINTER(Plan))(p)
        return out

    def reduce(self, red, x, dtype, acc, out_dtype, axes, order=None):
        """Reduces `axes` of x; the kept axes are walked in `order` (positions among them), fastest first."""
        kept = [d for d in range(x.ndim) if d not in axes]
        out = np.empty([x.shape[d] for d in kept], numpy_dtype(out_dtype))
        p = ReducePlan(op=REDUCTIONS[red], in_dtype=DTYPES[dtype], acc_dtype=DTYPES[acc], out_dtype=DTYPES[out_dtype],
                       keep_ndim=len(kept), keep_numel=out.size, red_numel=1, input=x.ctypes.data, output=out.ctypes.data)
        for i, k in enumerate(reversed(range(len(kept))) if order is None else order):
            p.keep_shape[i], p.keep_in_step[i], p.keep_out_step[i] = x.shape[kept[k]], x.strides[kept[k]], out.strides[k]
        for d in sorted(axes, reverse=True):
            p.red_numel *= x.shape[d]
            if p.red_ndim and x.strides[d] == p.red_step[p.red_ndim - 1] * p.red_shape[p.red_ndim - 1]:
                p.red_shape[p.red_ndim - 1] *= x.shape[d]
                continue
            p.red_shape[p.red_ndim], p.red_step[p.red_ndim] = x.shape[d], x.strides[d]
            p.red_ndim += 1
        if out.size:
            self._call("reduce", ctypes.POINTER(ReducePlan))(p)
        return out

    def range(self, name, dtype, start, step, n):
        out = np.empty(n, numpy_dtype(dtype))
        number = ctypes.c_longlong if name == "integer_range" else ctypes.c_double
        self._call(name, P, ctypes.c_int, number, number, SSIZE)(out.ctypes.data, DTYPES[dtype], start, step, n)
        return out


def built_levels():
    """The levels that this build contains and this processor runs, best first."""
    from tensorlib import _core
    package = pathlib.Path(_core.__file__).parent
    return [level for level in ("v4", "v3", "baseline", "neon")
            if _core._cpu_supports(level) and any(package.glob(f"_kernels_{level}.*"))]
