"""finfo and iinfo: the limits of a floating-point or integer dtype.

An integer's limits follow from its row.  A float's follow from four facts of its format; the rest is arithmetic:
    max = (2 - 2**-digits) * 2**top            unless the format gives its last code to NaN (`max`)
    smallest_normal = 2**bottom                eps = 2**-digits        resolution = 10**-floor(digits * log10(2))
"""
from . import _core
from ._core import dtype as _dtype
from ._dtypetable import DTYPES
from .dtypes import NAMES

# name: (digits, top, bottom, exceptions): fraction bits, exponent of the largest and of the smallest normal number, and what
# does not follow from them.
_FORMATS = {
    "float16": (10, 15, -14, {}),
    "bfloat16": (7, 127, -126, {}),
    "float32": (23, 127, -126, {}),
    "float64": (52, 1023, -1022, {}),
    "float8_e4m3fn": (3, 8, -6, {"max": 448.0}),                   # 480 would be the code of NaN
    "float8_e5m2": (2, 15, -14, {}),
    "float8_e4m3fnuz": (3, 7, -7, {}),
    "float8_e5m2fnuz": (2, 15, -15, {"eps": 0.125}),               # PyTorch states the spacing below 1, elsewhere above
    "float8_e8m0fnu": (0, 127, -127, {"max": 2.0**127, "min": 2.0**-127}),   # powers of two only: no sign, no zero
}
_LOG10_2 = 0.30102999566398120
_ROWS = {row["name"]: row for row in DTYPES}
_PYTHON_TYPES = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}


def _name(type, caller):
    """Name of the dtype that a caller passed."""
    if isinstance(type, _dtype):
        return type.name
    try:
        return _PYTHON_TYPES[type]
    except (KeyError, TypeError):
        given = type.__class__
        prefix = "tensorlib." if given.__module__ == "tensorlib" else ""
        raise TypeError(f"{caller}(): argument 'type' (position 1) must be tensorlib.dtype, "
                        f"not {prefix}{given.__name__}") from None


class _Info:
    """What finfo and iinfo share: read-only values, equality by dtype, no hash."""
    __slots__ = ()
    __module__ = "tensorlib"
    _made = {}            # (class, dtype or Python type): the object, made once

    def _fill(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    def __setattr__(self, name, value):
        if name in self.__slots__:
            raise AttributeError(f"attribute '{name}' of '{self.__class__.__name__}' objects is not writable")
        raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{name}'")

    def __eq__(self, other):
        if self.__class__ is not other.__class__:
            return NotImplemented
        return self.dtype == other.dtype

    def __reduce__(self):
        return self.__class__, (NAMES[self.dtype],)


class finfo(_Info):
    """finfo(type=None): limits of a floating-point dtype, by default of the default dtype.

    bits: width; max, min: largest and smallest number; tiny, smallest_normal: smallest positive normal number;
    eps: distance from 1 to the next larger number; resolution: the precision as a power of ten; dtype: the name.
    A complex dtype has the limits of its components.  Raises TypeError for other dtypes.

    >>> tl.finfo(tl.float16).max
    65504.0
    """
    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
    __module__ = "tensorlib"

    def __new__(cls, type=None):
        if type is None:
            type = _core._get_default_dtype()
        try:
            return cls._made[cls, type]
        except (KeyError, TypeError):
            return cls._made.setdefault((cls, type), cls._make(_name(type, "finfo")))

    @classmethod
    def _make(cls, name):
        row = _ROWS[name]
        if row["category"] == 3:
            row = next(r for r in DTYPES if r["to_complex"] == name and 2 * r["itemsize"] == row["itemsize"])
        if row["name"] not in _FORMATS:
            raise TypeError(f"tensorlib.finfo() requires a floating point input type. Use tensorlib.iinfo to handle "
                            f"'tensorlib.{name}'")
        digits, top, bottom, exceptions = _FORMATS[row["name"]]
        largest = exceptions.get("max", (2.0 - 2.0**-digits) * 2.0**top)
        return object.__new__(cls)._fill(
            bits=8 * row["itemsize"], max=largest, min=exceptions.get("min", -largest), eps=exceptions.get("eps", 2.0**-digits),
            tiny=2.0**bottom, smallest_normal=2.0**bottom, resolution=float(f"1e-{int(digits * _LOG10_2)}"), dtype=row["name"])

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo(_Info):
    """iinfo(type): limits of an integer dtype.

    bits: width; max, min: largest and smallest number; dtype: the name.
    Raises TypeError for dtypes that are not integers, bool included.

    >>> tl.iinfo(tl.int8).min
    -128
    """
    __slots__ = ("bits", "dtype", "max", "min")
    __module__ = "tensorlib"

    def __new__(cls, type):
        try:
            return cls._made[cls, type]
        except (KeyError, TypeError):
            return cls._made.setdefault((cls, type), cls._make(_name(type, "iinfo")))

    @classmethod
    def _make(cls, name):
        row = _ROWS[name]
        if name == "bool":
            raise TypeError("tensorlib.bool is not supported by tensorlib.iinfo")
        if row["scalar_name"].startswith("Q"):
            raise NotImplementedError(f"iinfo is not implemented for '{row['scalar_name']}': the values of tensorlib.{name} are "
                                      f"not integers")
        if row["category"] != 1:
            raise TypeError(f"tensorlib.iinfo() requires an integer input type. Use tensorlib.finfo to handle "
                            f"'tensorlib.{name}'")
        bits = 8 * row["itemsize"]
        return object.__new__(cls)._fill(
            bits=bits, max=2 ** (bits - row["signed"]) - 1, min=-2 ** (bits - 1) if row["signed"] else 0, dtype=name)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
