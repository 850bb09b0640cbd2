# Between Python numbers and the bytes of one element.
#
# Uses: tables.pxd, attributes.pxi, kernel_api (K.cast).
# Provides: Value, number_category, plain_number, value_store, value_operand, value_load, value_compare_range.
#
# Two directions in, because a stored value and an operand follow different rules (decision 15):
#   value_store     tensor(), full, fill_, x[...] = v: what the dtype cannot hold is refused before anything is written; a
#                   negative integer whose magnitude fits wraps into an unsigned dtype.
#   value_operand   a + 300: converted as an element would be, integers modulo 2**bits, never refused for its size.

from libc.float cimport FLT_MAX, DBL_MAX
from libc.math cimport fabs, isfinite

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    double PyLong_AsDouble(object number) except? -1.0
    object PyNumber_Index(object number)
    object PyNumber_Float(object number)
    object PyLong_FromUnsignedLongLong(unsigned long long value)
    bint PyLong_CheckExact(object o)
    bint PyFloat_CheckExact(object o)
    bint PyComplex_CheckExact(object o)
    double PyFloat_AS_DOUBLE(object o)
    double PyComplex_RealAsDouble(object o) except? -1.0
    double PyComplex_ImagAsDouble(object o) except? -1.0
    object PyComplex_FromDoubles(double real, double imag)

# One element of any dtype, aligned for all of them.
ctypedef union Value:
    char bytes[16]
    double align[2]


# A Python integer as sign and magnitude: what 64 bits cannot hold is only known to be huge.
cdef struct Integer:
    bint negative
    bint huge
    uint64_t magnitude


# -- what is a number -------------------------------------------------------------------------------------------------

cdef inline int number_category(object x) except -2:
    """0 bool, 1 integer, 2 float, 3 complex; -1 for anything that is not a number (tensors and arrays included)."""
    if PyFloat_CheckExact(x):
        return 2
    if PyLong_CheckExact(x):
        return 1
    if x is True or x is False:
        return 0
    if PyComplex_CheckExact(x):
        return 3
    if isinstance(x, TensorBase):
        return -1
    return foreign_category(x)


cdef int foreign_category(object x) except -2:
    """Subclasses of Python's numbers, scalars of NumPy and ml_dtypes (they carry a dtype, no length), types with __index__."""
    cls = type(x)
    if hasattr(cls, "__len__"):
        return -1
    if hasattr(cls, "dtype"):
        described = getattr(x, "dtype", None)
        kind = getattr(described, "kind", None)
        if kind == "b":
            return 0
        if kind == "i" or kind == "u":
            return 1 if hasattr(cls, "__index__") else -1
        if kind == "f":
            return 2
        if kind == "c":
            return 3
        if kind == "V" and hasattr(cls, "__float__") and "float" in str(getattr(described, "name", "")):
            return 2
        return -1
    if isinstance(x, float):
        return 2
    if isinstance(x, complex):
        return 3
    if isinstance(x, int) or hasattr(cls, "__index__"):
        return 1
    return -1


cdef inline object plain_number(object x, int category):
    """x as one of Python's own bool, int, float, complex."""
    if category == 2:
        return x if PyFloat_CheckExact(x) else PyNumber_Float(x)
    if category == 1:
        return x if PyLong_CheckExact(x) else PyNumber_Index(x)
    if category == 0:
        return bool(x)
    return x if PyComplex_CheckExact(x) else complex(x)


cdef int need_number(object x, str op) except -1:
    cdef int category = number_category(x)
    if category < 0:
        raise TypeError(f"{op}: the value must be a number, not {type_text(x)}")
    return category


# -- integers ---------------------------------------------------------------------------------------------------------

cdef int integer_read(object number, Integer *out) except -1:
    """Takes a Python int."""
    cdef int overflow = 0
    cdef long long value = PyLong_AsLongLongAndOverflow(number, &overflow)
    out.huge = False
    if overflow == 0:
        out.negative = value < 0
        out.magnitude = -<uint64_t>value if value < 0 else <uint64_t>value
        return 0
    out.negative = overflow < 0
    magnitude = -number if overflow < 0 else number
    if magnitude >> 64:
        out.huge = True
    else:
        out.magnitude = magnitude
    return 0


cdef inline uint64_t integer_top(int dt) noexcept nogil:
    """The largest value of an integer dtype."""
    cdef int bits = 8 * <int>dtype_itemsize[dt] - (1 if dtype_signed[dt] else 0)
    return <uint64_t>-1 >> (64 - bits)


cdef inline bint integer_fits(const Integer *x, int dt) noexcept nogil:
    """Whether a store takes the integer: in range, or negative with a magnitude that an unsigned dtype holds."""
    if x.huge:
        return False
    return x.magnitude <= integer_top(dt) + (1 if x.negative and dtype_signed[dt] else 0)


cdef inline void integer_write(uint64_t bits, int dt, char *out) noexcept nogil:
    cdef Py_ssize_t size = dtype_itemsize[dt]
    if size == 8:
        (<uint64_t *>out)[0] = bits
    elif size == 4:
        (<uint32_t *>out)[0] = <uint32_t>bits
    elif size == 2:
        (<uint16_t *>out)[0] = <uint16_t>bits
    else:
        (<uint8_t *>out)[0] = <uint8_t>bits


cdef inline uint64_t integer_bits(const Integer *x) noexcept nogil:
    return -x.magnitude if x.negative else x.magnitude


cdef int integer_as_float(object number, const Integer *x, int dt, char *out) except -1:
    """Rounds a Python int once to a floating or complex dtype.  OverflowError beyond what a double holds."""
    cdef double value
    cdef uint64_t bits
    if dt == DT_FLOAT64:
        (<double *>out)[0] = PyLong_AsDouble(number)
    elif x.huge or (x.negative and x.magnitude > <uint64_t>1 << 63):
        value = PyLong_AsDouble(number)
        K.cast(out, dt, <char *>&value, DT_FLOAT64, 1)
    else:
        bits = integer_bits(x)
        K.cast(out, dt, <char *>&bits, DT_INT64 if x.negative else DT_UINT64, 1)
    return 0


# -- range of a stored value ------------------------------------------------------------------------------------------

cdef double float_tops[DTYPE_COUNT]     # 0: not asked for yet


cdef double float_top(int dt) noexcept:
    """The largest finite value of a floating dtype (of the component of a complex one)."""
    cdef double value, top = 0
    cdef int code
    cdef uint16_t narrow
    dt = dtype_to_real[dt]
    if dt == DT_FLOAT32:
        return FLT_MAX
    if dt == DT_FLOAT64:
        return DBL_MAX
    if float_tops[dt] == 0:     # a reduced type: the codes are few enough to look at all of them
        for code in range(1 << (8 * dtype_itemsize[dt])):
            narrow = <uint16_t>code
            K.cast(<char *>&value, DT_FLOAT64, <char *>&narrow, dt, 1)
            if isfinite(value) and value > top:
                top = value
        float_tops[dt] = top
    return float_tops[dt]


cdef int store_overflow(object number, int dt, str op) except -1:
    text = (<bytes>dtype_names[dt]).decode()
    if dtype_category[dt] == 1:
        c_name = "int" if dt == DT_INT32 else f"{text}_t"
        held = f"{-<object>integer_top(dt) - 1 if dtype_signed[dt] else 0} to {integer_top(dt)}"
    else:
        c_name = {DT_FLOAT32: "float", DT_FLOAT64: "double"}.get(dt, (<bytes>dtype_scalar_name[dt]).decode())
        held = f"finite values up to {float_top(dt)!r}" if dtype_category[dt] == 2 else f"components up to {float_top(dt)!r}"
    raise RuntimeError(f"value cannot be converted to type {c_name} without overflow: {op} got {number_text(number)}, "
                       f"tensorlib.{text} holds {held}")


cdef str number_text(object number):
    """As repr, but an integer of thousands of digits is not worth (nor allowed, from 4300 on) its text."""
    if isinstance(number, int) and not isinstance(number, bool) and number.bit_length() > 300:
        return f"an integer of {number.bit_length()} bits"
    return repr(number)


cdef int store_float_in_integer(double value, object number, int dt, char *out, str op) except -1:
    """Truncates; refuses NaN and what lies outside the range (no wrapping for floats)."""
    cdef uint64_t top = integer_top(dt)
    cdef double over = <double>top      # 64-bit tops round up to the power of two, which itself is outside
    cdef bint inside
    if dtype_itemsize[dt] == 8:
        inside = value < over
    else:
        inside = value <= over
    inside = inside and (value >= -over - (1.0 if dtype_itemsize[dt] < 8 else 0.0) if dtype_signed[dt] else value >= 0)
    if not inside:
        return store_overflow(number, dt, op)
    integer_write(<uint64_t><int64_t>value if dtype_signed[dt] else <uint64_t>value, dt, out)
    return 0


cdef int store_need_cast(int dt, str op) except -1:
    if dt >= CASTABLE_DTYPES:
        raise NotImplementedError(f"\"{op}\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': "
                                  f"{dtype_object(dt)} takes no numbers; view the tensor as an integer dtype")
    return 0


cdef int value_store(object number, int dt, char *out, str op, bint strict=True) except -1:
    """The bytes of a number that is stored.  RuntimeError when dt cannot hold it; nothing is written then.

    strict is the rule of full and fill_; tensor(data, dtype=) is not strict: a finite float beyond a floating dtype becomes
    what the conversion gives (inf, for most), and a complex number for a real dtype is a TypeError.
    """
    cdef Integer whole
    cdef double value = 0, imag = 0
    cdef int category, kind = dtype_category[dt]
    if PyFloat_CheckExact(number):
        category = 2
    else:
        category = need_number(number, op)
        number = plain_number(number, category)
    store_need_cast(dt, op)
    if dt == DT_BOOL:
        out[0] = number != 0
        return 0
    if category == 2:
        value = PyFloat_AS_DOUBLE(number)
    elif category == 3:
        value = PyComplex_RealAsDouble(number)
        imag = PyComplex_ImagAsDouble(number)
        if kind < 3:
            if not strict:
                raise TypeError("'complex' object cannot be interpreted as an integer" if kind == 1 else
                                "must be real number, not complex")
            if imag != 0:
                return store_overflow(number, dt, op)
    else:
        integer_read(number, &whole)
        if kind == 1:
            if not integer_fits(&whole, dt):
                return store_overflow(number, dt, op)
            integer_write(integer_bits(&whole), dt, out)
            return 0
        try:
            value = PyLong_AsDouble(number)
        except OverflowError:
            return store_overflow(number, dt, op)
        if strict and fabs(value) > float_top(dt):
            return store_overflow(number, dt, op)
        return integer_as_float(number, &whole, dt, out)
    if kind == 1:
        return store_float_in_integer(value, number, dt, out, op)
    if strict and dt != DT_FLOAT64 and dt != DT_COMPLEX128:
        if (isfinite(value) and fabs(value) > float_top(dt)) or (isfinite(imag) and fabs(imag) > float_top(dt)):
            return store_overflow(number, dt, op)
    float_write(value, imag, dt, out)
    return 0


cdef inline void float_write(double value, double imag, int dt, char *out) noexcept:
    """One conversion from double; a real dtype ignores imag."""
    cdef double parts[2]
    if dt == DT_FLOAT32:
        (<float *>out)[0] = <float>value
    elif dt == DT_FLOAT64:
        (<double *>out)[0] = value
    elif dt == DT_COMPLEX64:
        (<float *>out)[0] = <float>value
        (<float *>out)[1] = <float>imag
    elif dt == DT_COMPLEX128:
        (<double *>out)[0] = value
        (<double *>out)[1] = imag
    else:
        parts[0] = value
        parts[1] = imag
        K.cast(out, dt, <char *>parts, DT_COMPLEX128 if dtype_category[dt] == 3 else DT_FLOAT64, 1)


# -- operands ---------------------------------------------------------------------------------------------------------

cdef int value_operand(object number, int dt, char *out) except -1:
    """The bytes of a number that takes part in arithmetic: converted as an element, integers modulo 2**bits.

    OverflowError only for an integer that 64 bits cannot hold (for an integer dtype) or a double cannot (for the others).
    """
    cdef Integer whole
    cdef double parts[2]
    cdef int category, kind
    if PyFloat_CheckExact(number):
        if dt == DT_FLOAT32:
            (<float *>out)[0] = <float>PyFloat_AS_DOUBLE(number)
            return 0
        category = 2
    else:
        category = need_number(number, "operand")
        number = plain_number(number, category)
    store_need_cast(dt, "operand")
    kind = dtype_category[dt]
    if category == 2:
        parts[0] = PyFloat_AS_DOUBLE(number)
        if kind >= 2:
            float_write(parts[0], 0, dt, out)
        else:
            K.cast(out, dt, <char *>parts, DT_FLOAT64, 1)
        return 0
    if category == 3:
        parts[0] = PyComplex_RealAsDouble(number)
        parts[1] = PyComplex_ImagAsDouble(number)
        K.cast(out, dt, <char *>parts, DT_COMPLEX128, 1)
        return 0
    if kind == 0:
        out[0] = number != 0
        return 0
    integer_read(number, &whole)
    if kind >= 2:
        return integer_as_float(number, &whole, dt, out)
    if whole.huge or (whole.negative and whole.magnitude > <uint64_t>1 << 63):
        raise OverflowError(f"int too big to convert: {number_text(number)} does not fit 64 bits")
    integer_write(integer_bits(&whole), dt, out)
    return 0


cdef int value_compare_range(object number, int dt) except -2:
    """Where an integer lies against the range of an integer (or bool) dtype: -1 below, 0 inside, +1 above.

    Anything but an integer beside an integer dtype is 0: such a comparison is made in the promoted dtype.
    """
    cdef Integer whole
    if number_category(number) != 1 or not (dtype_category[dt] == 0 or dtype_category[dt] == 1):
        return 0
    integer_read(plain_number(number, 1), &whole)
    if dtype_category[dt] == 0:
        return -1 if whole.negative else (1 if whole.huge or whole.magnitude > 1 else 0)
    if whole.negative:
        return 0 if dtype_signed[dt] and integer_fits(&whole, dt) else -1
    return 0 if integer_fits(&whole, dt) else 1


# -- out --------------------------------------------------------------------------------------------------------------

cdef object value_load(const char *p, int dt):
    """One element as a Python bool, int, float or complex, exactly."""
    cdef double parts[2]
    if dt == DT_FLOAT32:
        return <double>(<const float *>p)[0]
    if dt == DT_FLOAT64:
        return (<const double *>p)[0]
    if dt == DT_INT64:
        return (<const int64_t *>p)[0]
    if dt == DT_INT32:
        return (<const int32_t *>p)[0]
    if dt == DT_UINT8:
        return (<const uint8_t *>p)[0]
    if dt == DT_BOOL:
        return p[0] != 0
    if dt == DT_INT16:
        return (<const int16_t *>p)[0]
    if dt == DT_INT8:
        return <int>(<const signed char *>p)[0]
    if dt == DT_UINT16:
        return (<const uint16_t *>p)[0]
    if dt == DT_UINT32:
        return (<const uint32_t *>p)[0]
    if dt == DT_UINT64:
        return PyLong_FromUnsignedLongLong((<const uint64_t *>p)[0])
    load_need_cast(dt, "item")
    if dtype_category[dt] == 3:
        K.cast(<char *>parts, DT_COMPLEX128, p, dt, 1)
        return PyComplex_FromDoubles(parts[0], parts[1])
    K.cast(<char *>parts, DT_FLOAT64, p, dt, 1)
    return parts[0]


cdef int load_need_cast(int dt, str op) except -1:
    if dt >= CASTABLE_DTYPES:
        raise NotImplementedError(f"\"{op}\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': an element of "
                                  f"{dtype_object(dt)} is no number; view the tensor as an integer dtype")
    return 0
