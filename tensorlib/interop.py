"""Exchange with NumPy (and ml_dtypes).  The only module that imports NumPy, and only when a call needs it.

The core shares memory through the buffer protocol by itself; what needs NumPy's own objects comes here through its hooks.
"""
import sys

from . import _core
from ._dtypetable import CASTABLE, DTYPES

_SUPPORTED = ("float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
              "and bool")
_ROWS = {row["name"]: row for row in DTYPES}


_imported = None      # NumPy once a call needed it; an import statement that finds it loaded still costs 200 ns


def _numpy(what):
    global _imported
    if _imported is None:
        try:
            import numpy
        except ImportError as e:
            raise ImportError(f"{what} needs NumPy: pip install numpy") from e
        _imported = numpy
    return _imported


def is_ndarray(value):
    """Whether a value is a NumPy array, for from_numpy()."""
    return isinstance(value, _numpy("from_numpy()").ndarray)


def array_operand(value):
    """The tensor over a NumPy array that stands beside a tensor in an operator; any other value as it is."""
    numpy = sys.modules.get("numpy")
    return _core.from_numpy(value) if numpy is not None and isinstance(value, numpy.ndarray) else value


def array_without_buffer(array, share):
    """A tensor from an array whose dtype the buffer protocol does not know: ml_dtypes' types go through their bytes."""
    dtype = getattr(array, "dtype", None)
    name = getattr(dtype, "name", None)
    names = [row["name"] for row in DTYPES[:CASTABLE]]
    is_array = hasattr(array, "view") and hasattr(array, "__array_interface__")
    if is_array and name in names and dtype.itemsize == _ROWS[name]["itemsize"] and dtype.kind == "V":
        t = _core._from_buffer(array.view(f"u{dtype.itemsize}"), share)
        return None if t is None else t.view(_core._make_dtypes(DTYPES)[names.index(name)])
    if dtype is not None:
        kind = getattr(dtype, "type", dtype)
        text = f"{kind.__module__}.{kind.__name__}" if isinstance(kind, type) else str(kind)
        raise TypeError(f"can't convert np.ndarray of type {text}. The only supported types are: {_SUPPORTED}.")
    raise TypeError(f"the elements of the {type(array).__name__} have no dtype here (format {memoryview(array).format!r})")


def as_array(value):
    """The NumPy array of an object that offers __array__ or __array_interface__."""
    return _numpy(f"the array inside a {type(value).__name__}").asarray(value)


def numpy_dtype(dtype):
    """dtype.__numpy_dtype__: NumPy's own dtype, else the one of ml_dtypes."""
    numpy = _numpy("dtype.__numpy_dtype__")
    row = _ROWS[dtype.name]
    if row["numpy"] is not None:
        return numpy.dtype(row["numpy"])
    if row["tier"] == "shell":
        raise TypeError(f"NumPy has no dtype for {dtype}: view the tensor as uint8 to pass its bytes")
    try:
        import ml_dtypes
        return numpy.dtype(getattr(ml_dtypes, dtype.name))
    except (ImportError, AttributeError):
        raise TypeError(f"NumPy has no dtype for {dtype}: install ml_dtypes (a version with {dtype.name}), or convert to a type "
                        f"that NumPy has") from None


def to_numpy(t):
    """Tensor.numpy() for the first tensor of a dtype, for tensors without elements, and for those that cannot be arrays."""
    numpy = _numpy("Tensor.numpy()")
    if not t.is_cpu:
        raise TypeError(f"can't convert {t.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                        f"memory first.")
    try:
        wanted = numpy_dtype(t.dtype)
    except TypeError as e:
        raise TypeError(f"Got unsupported ScalarType {_ROWS[t.dtype.name]['scalar_name']}: {e}") from None
    if t.numel() == 0:
        strides = [step * t.itemsize for step in t.stride()]
        return numpy.lib.stride_tricks.as_strided(numpy.empty(t.shape, wanted), strides=strides)
    _core._remember_numpy(numpy.ndarray, t.dtype, wanted)
    return t.numpy()


def to_array(t, dtype, copy):
    """Tensor.__array__: NumPy's protocol, with its copy argument."""
    numpy = _numpy("Tensor.__array__()")
    array = t.numpy()
    if dtype is not None and numpy.dtype(dtype) != array.dtype:
        if copy is False:
            raise ValueError(f"a tensor of {t.dtype} cannot become an array of {numpy.dtype(dtype)} without a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


_core._set_hooks(is_ndarray=is_ndarray, array_operand=array_operand, array_without_buffer=array_without_buffer,
                 as_array=as_array, to_numpy=to_numpy, to_array=to_array, numpy_dtype=numpy_dtype)
