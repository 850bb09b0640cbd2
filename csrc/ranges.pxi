# Values that follow from their index: arange, linspace, eye.
#
# Uses: arguments, factories .pxi; kernel_api (K.integer_range, K.float_range, K.cast).  Provides: the public functions.
#
# Integers are computed in int64 and wrap into narrower dtypes, floats in float64 and are rounded once.

cdef object range_number(object x, str name, str op, int *category):
    """A bound of arange or linspace: a number or a zero-dim tensor, as a Python number."""
    category[0] = number_category(x)
    if category[0] < 0:
        if not (isinstance(x, Tensor) and (<TensorBase>x).ndim_ == 0):
            raise TypeError(f"{op}(): argument '{name}' must be Number, not {type_text(x)}")
        x = tensor_item(<TensorBase>x, op)
        category[0] = number_category(x)
    return plain_number(x, category[0])


cdef tuple RANGE_NAMES = ("start", "end", "step", "out", "dtype", "layout", "device", "requires_grad", "pin_memory")


cdef PyObject *fast_arange(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    cdef PyObject *arg[9]
    cdef int i
    for i in range(9):
        arg[i] = <PyObject *>None
    if nargs > 3:
        raise TypeError(f"arange() takes at most 3 positional arguments (start, end, step), got {nargs}")
    read_keywords(args + nargs, kwnames, RANGE_NAMES, arg, "arange")
    if nargs == 1 and <object>arg[1] is None:
        arg[1] = args[0]
    else:
        for i in range(nargs):
            if <object>arg[i] is not None:
                raise TypeError(f"arange() got multiple values for argument '{RANGE_NAMES[i]}'")
            arg[i] = args[i]
    if <object>arg[1] is None:
        raise TypeError("arange() missing 1 required positional argument: \"end\"")
    if arg[5] != <PyObject *>None or arg[7] != <PyObject *>None or arg[8] != <PyObject *>None:
        check_options(<object>arg[5], <object>arg[7], <object>arg[8], "arange")
    return handed(make_range(<object>arg[0], <object>arg[1], <object>arg[2], <object>arg[3], <object>arg[4], <object>arg[6]))


cdef bytes ARANGE_DOC = b"""arange($module, /, start=0, end=None, step=1, *, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False)
--

arange(start=0, end, step=1, out=None, dtype=None, layout=strided, device=None) -> Tensor

``out[i] = start + i * step`` for the ``ceil((end - start) / step)`` indices i before ``end``.  int64 if all three are
integers, else the default dtype; floats are computed in float64 and rounded once.

Raises RuntimeError if the sign of ``step`` leads away from ``end``, a bound is not finite or ``step`` is 0; ValueError if ``step``
is 0 only as an int64.

>>> tl.arange(1, 8, 3)
tensor([1, 4, 7])
"""
arange = make_fast_function("arange", <fast_function>fast_arange, ARANGE_DOC)


cdef Tensor make_range(object start, object end, object step, object out, object dtype, object device):
    cdef Py_ssize_t n
    cdef int dt, c1 = 1, c2 = 1, c3 = 1
    cdef Tensor t
    if out is None and (start is None or PyLong_CheckExact(start)) and PyLong_CheckExact(end) and (
            step is None or PyLong_CheckExact(step)):
        t = small_range(start, end, step, dtype, device)
        if t is not None:
            return t
    start = 0 if start is None else range_number(start, "start", "arange", &c1)
    end = range_number(end, "end", "arange", &c2)
    step = 1 if step is None else range_number(step, "step", "arange", &c3)
    if c1 == 3 or c2 == 3 or c3 == 3:
        raise RuntimeError(f"arange: value cannot be converted to type double without overflow: the bounds must be real, got "
                           f"{number_text(start)}, {number_text(end)}, {number_text(step)}")
    if out is not None:
        dt = need_tensor(out, "out", 0, "arange").dt
    elif dtype is not None:
        dt = dtype_code(dtype)
    else:
        dt = default_dtype if c1 == 2 or c2 == 2 or c3 == 2 else DT_INT64
    if dt >= ARITHMETIC_DTYPES or dtype_category[dt] == 0 or dtype_category[dt] == 3:
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': "
                                  f"{dtype_object(dt)} has no ranges; it takes integral and floating point dtypes")
    n = arange_count(start, end, step, dt)
    if dtype_category[dt] == 1:
        start, step = int(start), int(step)
    else:
        start, step = float(start), float(step)   # here, where a number beyond float64 still leaves out as it is
    if out is not None:
        t = out_of_shape(out, &n, 1, dtype, device, "arange")
    else:
        t = tensor_empty(&n, 1, dt, device_for_new(device))
    if t.dev == DEV_CPU and n > 0:
        arange_write(t, start, step)
    return t


cdef Tensor small_range(object start, object end, object step, object dtype, object device):
    """The everyday case without a Python number in it: integers below 2**62 to int64 or float32.  None: not that case."""
    cdef int overflow[3]
    cdef long long first, last, by
    cdef Py_ssize_t n
    cdef int dt = new_dtype(dtype, DT_INT64)
    cdef Tensor t
    overflow[0] = overflow[2] = 0
    first = 0 if start is None else PyLong_AsLongLongAndOverflow(start, &overflow[0])
    last = PyLong_AsLongLongAndOverflow(end, &overflow[1])
    by = 1 if step is None else PyLong_AsLongLongAndOverflow(step, &overflow[2])
    if (overflow[0] or overflow[1] or overflow[2] or by == 0 or not -(<long long>1 << 61) < first < (<long long>1 << 61)
            or not -(<long long>1 << 61) < last < (<long long>1 << 61) or not -(<long long>1 << 61) < by < (<long long>1 << 61)
            or (dt != DT_INT64 and dt != DT_FLOAT32) or (last - first < 0) != (by < 0) and last != first):
        return None
    n = (last - first + by - (1 if by > 0 else -1)) // by
    t = tensor_empty(&n, 1, dt, device_for_new(device))
    if t.dev == DEV_CPU and n > 0:
        range_write(t, first, by, first, by)
    return t


cdef Py_ssize_t arange_count(object start, object end, object step, int dt) except -1:
    """How many elements; refuses what has no answer.

    The bounds of an int64 range are integers (truncated); other dtypes count in the bounds as given, exactly where they are
    integers and in float64 otherwise.
    """
    for x in (start, end):
        if isinstance(x, float) and x - x != 0:
            raise RuntimeError(f"arange: unsupported range: {start} -> {end}")
    if isinstance(step, float) and step != step:
        raise RuntimeError(f"arange: step must be nonzero, got {step}")
    if dtype_category[dt] == 1:
        for x in (start, end, step):
            if not (-9223372036854775808 <= x <= (18446744073709551615 if dt == DT_UINT64 else 9223372036854775807)):
                raise RuntimeError(f"arange: value cannot be converted to type int64_t without overflow: got {number_text(x)}")
    if step == 0:
        raise RuntimeError("arange: step must be nonzero")
    if dt == DT_INT64:
        start, end = int(start), int(end)
        if int(step) == 0:
            raise ValueError(f"arange: step must be nonzero, but {step} as an int64 is 0")
        step = int(step)
    elif dtype_category[dt] == 2:
        for x in (start, end, step):
            if isinstance(x, int) and not -DBL_MAX <= x <= DBL_MAX:
                raise RuntimeError(f"arange: value cannot be converted to type double without overflow: got {number_text(x)}")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError(f"arange: upper bound and lower bound inconsistent with step sign: {start} -> {end} by {step}")
    if isinstance(start, int) and isinstance(end, int) and isinstance(step, int):
        count = -((start - end) // step)
    else:
        span = (end - start) / step
        if span - span != 0 or span >= 9.2e18:
            raise RuntimeError(f"arange: invalid size, possible overflow? {start} -> {end} by {step}")
        count = ceil_of(span)
    if count > PY_SSIZE_T_MAX:
        raise RuntimeError(f"arange: invalid size, possible overflow? {start} -> {end} by {step}")
    return count


cdef object ceil_of(double x):
    return int(ceil(x))


cdef extern from "math.h" nogil:
    double ceil(double x)


cdef int arange_write(Tensor t, object start, object step) except -1:
    cdef Tensor target = t if t.flags & TENSOR_CONTIGUOUS else tensor_empty(t.shape_, 1, t.dt, DEV_CPU)
    if dtype_category[t.dt] == 1:
        range_write(target, wrap_int64(start), wrap_int64(step), 0, 0)
    else:
        range_write(target, 0, 0, start, step)
    if target is not t:
        tensor_copy(t, target, "arange")
    return 0


cdef int range_write(Tensor t, long long whole, long long whole_step, double first, double step) noexcept:
    """A contiguous range; the integers count for integer dtypes, the floats for the others."""
    cdef char *p = tensor_data(t)
    cdef Py_ssize_t n = t.numel_
    cdef int dt = t.dt
    if n <= GRAIN:
        range_run(p, dt, whole, whole_step, first, step, n)
        return 0
    t.storage_.exports += 1
    with nogil:
        range_run(p, dt, whole, whole_step, first, step, n)
    t.storage_.exports -= 1
    return 0


cdef inline void range_run(char *p, int dt, long long whole, long long whole_step, double first, double step,
                           Py_ssize_t n) noexcept nogil:
    if dtype_category[dt] == 1:
        K.integer_range(p, dt, whole, whole_step, n)
    else:
        K.float_range(p, dt, first, step, n)


cdef inline long long wrap_int64(object x):
    x &= 0xFFFFFFFFFFFFFFFF
    return <long long>(<uint64_t>x)


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """linspace(start, end, steps, out=None, dtype=None, layout=strided, device=None) -> Tensor

    ``steps`` evenly spaced values from ``start`` to ``end``, both included.  The default dtype, or its complex type for a
    complex bound.  Floats are computed in float64, from the nearer end, and rounded once.  For an integer dtype the bounds are
    truncated to it, and the exact values between them towards zero.

    Raises RuntimeError for a negative ``steps`` or a bound that the dtype cannot hold.

    >>> tl.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    cdef int c1, c2, dt
    cdef Py_ssize_t n
    cdef Tensor t, target
    cdef Value first, last
    cdef char *p
    cdef double a[2]
    cdef double b[2]
    cdef IntegerSteps whole
    start = range_number(start, "start", "linspace", &c1)
    end = range_number(end, "end", "linspace", &c2)
    if not is_index(steps):
        raise TypeError(f"linspace(): argument 'steps' (position 3) must be int, not {type_text(steps)}")
    n = size_item(steps, 2, "linspace")
    check_options(layout, requires_grad, pin_memory, "linspace")
    if n < 0:
        raise RuntimeError(f"linspace: number of steps must be non-negative, got {n}")
    if out is not None:
        dt = need_tensor(out, "out", 0, "linspace").dt
    elif dtype is not None:
        dt = dtype_code(dtype)
    else:
        dt = dtype_to_complex[default_dtype] if c1 == 3 or c2 == 3 else default_dtype
    if dt >= ARITHMETIC_DTYPES or dt == DT_BOOL:
        raise NotImplementedError(f"\"linspace_cpu\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': "
                                  f"{dtype_object(dt)} has no ranges; it takes integral, floating point and complex dtypes")
    value_store(start, dt, first.bytes, "linspace")
    value_store(end, dt, last.bytes, "linspace")
    whole.first = whole.step = whole.part = whole.whole = 0
    whole.signed = False
    if dtype_category[dt] == 1:
        integer_steps(&whole, value_load(first.bytes, dt), value_load(last.bytes, dt), n)
    else:
        number_parts(start, a)
        number_parts(end, b)
    if out is not None:
        t = out_of_shape(out, &n, 1, dtype, device, "linspace")
    else:
        t = tensor_empty(&n, 1, dt, device_for_new(device))
    if t.dev != DEV_CPU or n == 0:
        return t
    target = t if t.flags & TENSOR_CONTIGUOUS else tensor_empty(&n, 1, dt, DEV_CPU)
    p = tensor_data(target)
    hold(target, 1)
    with nogil:
        if dtype_category[dt] == 1:
            linspace_integers(p, dt, &whole, n)
        else:
            linspace_write(p, dt, a, b, n)
    hold(target, -1)
    if target is not t:
        tensor_copy(t, target, "linspace")
    return t


cdef struct IntegerSteps:         # value i is floor(first + i * (step + part / whole)), in arithmetic modulo 2**64
    uint64_t first, step, part, whole
    bint signed


cdef int integer_steps(IntegerSteps *s, object first, object last, Py_ssize_t n) except -1:
    s.whole = n - 1 if n > 1 else 1
    step, part = divmod(last - first, s.whole)
    s.first = first & 0xFFFFFFFFFFFFFFFF
    s.step = (step if n > 1 else 0) & 0xFFFFFFFFFFFFFFFF
    s.part = part if n > 1 else 0
    s.signed = first < 0 or last < 0
    return 0


cdef void linspace_integers(char *p, int dt, const IntegerSteps *s, Py_ssize_t n) noexcept nogil:
    """The exact values, towards zero, in blocks of 64-bit integers that wrap into the dtype."""
    cdef uint64_t block[256]
    cdef uint64_t value = s.first, part = 0
    cdef Py_ssize_t i, m
    while n > 0:
        m = n if n < 256 else 256
        for i in range(m):
            block[i] = value + (1 if s.signed and part > 0 and <int64_t>value < 0 else 0)
            value += s.step
            part += s.part
            if part >= s.whole:
                part -= s.whole
                value += 1
        K.cast(p, dt, <char *>block, DT_INT64, m)
        p += m * dtype_itemsize[dt]
        n -= m


cdef int number_parts(object x, double *parts) except -1:
    if PyComplex_CheckExact(x):
        parts[0] = PyComplex_RealAsDouble(x)
        parts[1] = PyComplex_ImagAsDouble(x)
    else:
        parts[0] = x
        parts[1] = 0
    return 0


cdef void linspace_write(char *p, int dt, const double *a, const double *b, Py_ssize_t n) noexcept nogil:
    """In blocks of float64 (pairs for complex), converted once.  Both halves count from their own end, so that the values are
    symmetric and the last one is exactly b.  An infinite bound gives what this arithmetic gives: no space is even then."""
    cdef double block[2 * 256]
    cdef int parts = 2 if dtype_category[dt] == 3 else 1
    cdef int wide = DT_COMPLEX128 if parts == 2 else DT_FLOAT64
    cdef double step[2]
    cdef Py_ssize_t i = 0, j, m
    cdef int k
    cdef bint finite = True
    for k in range(parts):
        step[k] = (b[k] - a[k]) / (n - 1) if n > 1 else 0
        if a[k] - a[k] != 0 or b[k] - b[k] != 0:
            finite = False
        elif step[k] - step[k] != 0:              # bounds further apart than the largest float64
            step[k] = b[k] / (n - 1) - a[k] / (n - 1)
    while i < n:
        m = n - i if n - i < 256 else 256
        for k in range(parts):
            for j in range(m):
                if i + j < n // 2 or n == 1:
                    block[parts * j + k] = a[k] + step[k] * <double>(i + j)
                else:
                    block[parts * j + k] = b[k] - step[k] * <double>(n - 1 - i - j)
        K.cast(p, dt, <char *>block, wide, m)
        p += m * dtype_itemsize[dt]
        i += m
    if finite and n % 2 == 1 and n > 1:           # the middle has no nearer end
        for k in range(parts):
            block[k] = 0.5 * a[k] + 0.5 * b[k]
        K.cast(p - (n - n // 2) * dtype_itemsize[dt], dt, <char *>block, wide, 1)


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """eye(n, m=None, out=None, dtype=None, layout=strided, device=None) -> Tensor

    An n by m matrix (n by n without m) with 1 on the diagonal and 0 elsewhere.

    >>> tl.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    cdef Py_ssize_t shape[2]
    cdef Py_ssize_t diagonal_shape, diagonal_stride
    cdef Value one
    cdef Tensor t, view
    cdef int dt
    for name, value in (("n", n), ("m", m)):
        if value is None and name == "m":
            continue
        if not is_index(value):
            raise TypeError(f"eye(): argument '{name}' must be int, not {type_text(value)}")
        if size_item(value, 0, "eye") < 0:
            raise RuntimeError(f"eye: {name} must be greater or equal to 0, got {value}")
    shape[0] = size_item(n, 0, "eye")
    shape[1] = shape[0] if m is None else size_item(m, 1, "eye")
    check_options(layout, requires_grad, pin_memory, "eye")
    dt = new_dtype(dtype, default_dtype) if out is None else need_tensor(out, "out", 0, "eye").dt
    number_bytes(1, dt, &one, "eye")
    if out is not None:
        check_destination(<TensorBase>out, "eye")
    t = make_number(shape, 2, 0, dtype, device, out, None, "eye")
    diagonal_shape = min(shape[0], shape[1])
    if diagonal_shape > 0:
        diagonal_stride = t.stride_[0] + t.stride_[1]
        view = tensor_view(t, &diagonal_shape, &diagonal_stride, 1, t.offset)
        fill_value(view, &one)
    return t
