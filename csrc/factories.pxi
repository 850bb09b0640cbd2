# Making tensors from a shape and a value: empty, zeros, ones, full, their *_like forms and the others without data.
#
# Uses: arguments, tensor, scalars, dispatch (fit_out), copy_dispatch (tensor_empty_format) .pxi.
# Provides: the public functions; new_formatted, new_empty_like, make_number, make_full, fill_value, out_of_shape.
#
# Every function has three steps: read the shape; read dtype, device and the options; make and fill.  All checks, those of
# the value included, come before memory is asked for.
# [fresh fill]  A fresh tensor of dense strides is one block: it is filled as such, whatever the order of its dimensions.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    /* n elements of `size` bytes, all equal to the one at v. */
    static void fill_pattern(char *out, const char *v, int size, Py_ssize_t n) {
        Py_ssize_t i;
        switch (size) {
        case 1: memset(out, *v, (size_t)n); break;
        case 2: { uint16_t x; memcpy(&x, v, 2); uint16_t *p = (uint16_t *)out; for (i = 0; i < n; i++) p[i] = x; break; }
        case 4: { uint32_t x; memcpy(&x, v, 4); uint32_t *p = (uint32_t *)out; for (i = 0; i < n; i++) p[i] = x; break; }
        case 8: { uint64_t x; memcpy(&x, v, 8); uint64_t *p = (uint64_t *)out; for (i = 0; i < n; i++) p[i] = x; break; }
        default: {
            uint64_t x, y; memcpy(&x, v, 8); memcpy(&y, v + 8, 8); uint64_t *p = (uint64_t *)out;
            for (i = 0; i < n; i++) { p[2 * i] = x; p[2 * i + 1] = y; }
        } }
    }
    """
    void fill_pattern(char *out, const char *v, int size, Py_ssize_t n) noexcept nogil


# -- making -----------------------------------------------------------------------------------------------------------

cdef Tensor new_formatted(const Py_ssize_t *shape, int ndim, int dt, int dev, object memory_format_, str op):
    """A fresh tensor of a shape in a memory format; None means contiguous_format."""
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int fmt
    if memory_format_ is None:
        return tensor_empty(shape, ndim, dt, dev)
    fmt = format_code(memory_format_)
    if fmt == FORMAT_CONTIGUOUS:
        return tensor_empty(shape, ndim, dt, dev)
    if fmt == FORMAT_PRESERVE:
        raise RuntimeError(f"{op}: unsupported memory format Preserve: there is no input whose format could be preserved")
    format_need_rank(fmt, ndim)
    shape_nbytes(shape, ndim, dt)
    format_strides(shape, ndim, fmt, stride)
    return tensor_empty_dense(shape, stride, ndim, dt, dev)


cdef Tensor out_of_shape(object out, const Py_ssize_t *shape, int ndim, object dtype_, object device_, str op):
    """The tensor that out= names, with the wanted shape; dtype= and device= may only repeat what it is."""
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef Tensor t = need_tensor(out, "out", 0, op)
    cdef int dt
    if dtype_ is not None:
        dt = dtype_code(dtype_)
        if dt != t.dt:
            raise RuntimeError(f"{op}: dtype {(<bytes>dtype_scalar_name[dt]).decode()} does not match dtype of out parameter "
                               f"({(<bytes>dtype_scalar_name[t.dt]).decode()})")
    if device_ is not None and device_for_new(device_) != t.dev:
        raise RuntimeError(f"{op}: device {device_object(device_for_new(device_))} does not match device of out parameter "
                           f"({device_object(t.dev)})")
    need_writable(t, op)
    shape_nbytes(shape, ndim, t.dt)
    layout_contiguous_strides(shape, ndim, stride)
    fit_out(t, shape, ndim, stride, op)
    return t


cdef int fill_value(TensorBase t, const Value *v) except -1:
    """Writes one element's bytes everywhere."""
    cdef Plan plan
    cdef Operands o
    cdef char *p
    cdef int size
    if t.dev != DEV_CPU or t.numel_ == 0:
        return 0
    if t.flags & TENSOR_DENSE:      # [fresh fill]
        size = <int>dtype_itemsize[t.dt]
        p = tensor_data(t)
        if t.numel_ <= GRAIN:
            fill_pattern(p, v.bytes, size, t.numel_)
            return 0
        t.storage_.exports += 1
        with nogil:
            fill_pattern(p, v.bytes, size, t.numel_)
        t.storage_.exports -= 1
        return 0
    operands_set(&o, 0, t)
    memcpy(o.value[1], v.bytes, 16)
    o.n = 2
    operands_set_value(&o, 1, t.dt)
    plan_build(&plan, 2, o.ndim, o.shape, o.stride, o.data, o.dtype, t.shape_, t.ndim_)
    return run_copy(&plan, t, t)


cdef int fill_unwritten(TensorBase t) except -1:
    """Deterministic fill (decision 29): what reads of memory that nobody wrote give when both switches are on."""
    cdef Value v
    unwritten_value(t.dt, &v)
    return fill_value(t, &v)


cdef void unwritten_value(int dt, Value *v) noexcept:
    """NaN for floats, NaN+0j, the largest integer, True; bytes of 0xFF where there is neither."""
    cdef double nan[2]
    memset(v.bytes, 0xFF, 16)
    if dt == DT_BOOL:
        v.bytes[0] = 1
    elif dtype_category[dt] == 1:
        integer_write(integer_top(dt), dt, v.bytes)
    elif dtype_category[dt] >= 2:
        nan[0] = float_nan
        nan[1] = 0
        float_write(nan[0], nan[1], dt, v.bytes)


cdef double float_nan = float("nan")


cdef Tensor finish_empty(Tensor t):
    if deterministic_fill():
        fill_unwritten(t)
    return t


cdef Tensor make_number(const Py_ssize_t *shape, int ndim, int number, object dtype_, object device_, object out,
                        object memory_format_, str op):
    """zeros and ones."""
    cdef Value v
    cdef Tensor t
    cdef int dt
    if out is None:
        dt = new_dtype(dtype_, default_dtype)
        number_bytes(number, dt, &v, op)
        t = new_formatted(shape, ndim, dt, device_for_new(device_), memory_format_, op)
        if number == 0:
            return fresh_zeros(t)
    else:
        t = need_tensor(out, "out", 0, op)
        number_bytes(number, t.dt, &v, op)
        t = out_of_shape(out, shape, ndim, dtype_, device_, op)
    fill_value(t, &v)
    return t


cdef Tensor fresh_zeros(Tensor t):
    """A tensor that was just made, filled with zero: pages fresh from the system are that already."""
    if t.dev == DEV_CPU and t.numel_ > 0:
        storage_zero(t.storage_)
    return t


cdef int number_bytes(int number, int dt, Value *v, str op) except -1:
    """The bytes of 0 or 1.  Zero is all bytes 0 in every dtype, those included that take no numbers; but which quantised
    number a byte stands for, nobody knows."""
    memset(v.bytes, 0, 16)
    if dtype_scalar_name[dt][0] == c"Q":
        raise NotImplementedError(f"{op}: not implemented for '{dtype_scalar_name[dt].decode()}' ({dtype_object(dt)})")
    if number == 0:
        return 0
    return value_store(number, dt, v.bytes, op)


# -- empty ------------------------------------------------------------------------------------------------------------

cdef PyObject *fast_empty(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    cdef SizedCall call
    cdef Tensor t
    read_sized(args, nargs, kwnames, SIZED_NAMES, &call, "empty")
    if call.arg[ARG_OUT] != <PyObject *>None:
        return handed(out_of_shape(<object>call.arg[ARG_OUT], call.shape, call.ndim, <object>call.arg[ARG_DTYPE],
                                   <object>call.arg[ARG_DEVICE], "empty"))
    t = new_formatted(call.shape, call.ndim, new_dtype(<object>call.arg[ARG_DTYPE], default_dtype),
                      device_for_new(<object>call.arg[ARG_DEVICE]), <object>call.arg[ARG_MEMORY_FORMAT], "empty")
    return handed(finish_empty(t))


cdef bytes EMPTY_DOC = b"""empty($module, /, *size, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False, memory_format=None)
--

empty(*size, out=None, dtype=None, layout=strided, device=None, memory_format=contiguous_format) -> Tensor

A tensor of the given size whose elements are whatever the memory holds (a fixed value when
``use_deterministic_algorithms`` is on).

Raises RuntimeError for a negative size, or one whose bytes do not fit an address; MemoryError when there is no memory.

>>> tl.empty((2, 3, 4, 5), memory_format=tl.channels_last).stride()
(60, 1, 15, 3)
"""
empty = make_fast_function("empty", <fast_function>fast_empty, EMPTY_DOC)


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """empty_strided(size, stride, dtype=None, layout=strided, device=None) -> Tensor

    An uninitialised tensor of the given size and stride (in elements).  Its storage reaches exactly to its last element;
    strides may overlap or be 0.

    >>> tl.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t steps[MAX_DIMS]
    cdef int ndim = parse_int_tuple(size, "size", 1, shape, "empty_strided")
    cdef int nstride = parse_int_tuple(stride, "stride", 2, steps, "empty_strided")
    cdef int d
    check_options(layout, requires_grad, pin_memory, "empty_strided")
    if ndim != nstride:
        raise RuntimeError(f"empty_strided: dimensionality of sizes ({ndim}) must match dimensionality of strides ({nstride})")
    cdef int dt = new_dtype(dtype, default_dtype)
    cdef int dev = device_for_new(device)
    shape_nbytes(shape, ndim, dt)
    for d in range(ndim):
        if steps[d] < 0:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={dims_text(shape, ndim)} and "
                               f"strides={dims_text(steps, ndim)}: strides must not be negative")
    return finish_empty(tensor_empty_strided(shape, steps, ndim, dt, dev))


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """empty_permuted(size, physical_layout, *, dtype=None, layout=strided, device=None, requires_grad=False,
    pin_memory=False) -> Tensor

    An uninitialised, dense tensor of the given size whose dimensions lie in memory in the order ``physical_layout``, from the
    outermost to the innermost: with ``contiguous`` the row-major strides of the sizes in that order,
    ``stride(physical_layout[i]) == contiguous[i]``.

    Raises RuntimeError unless ``physical_layout`` is a permutation of the dimension numbers 0 .. len(size) - 1.

    >>> tl.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()
    (105, 1, 21, 3)
    """
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t given[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int order[MAX_DIMS]
    cdef bint seen[MAX_DIMS]
    cdef int ndim = parse_int_tuple(size, "size", 1, shape, "empty_permuted")
    cdef int count = parse_int_tuple(physical_layout, "physical_layout", 2, given, "empty_permuted")
    cdef int i
    check_options(layout, requires_grad, pin_memory, "empty_permuted")
    if ndim != count:
        raise RuntimeError(f"empty_permuted: Number of dimensions in size does not match the length of the physical_layout; "
                           f"i.e. len(size) = {ndim} is not equal to len(physical_layout) = {count}")
    for i in range(ndim):
        seen[i] = False
    for i in range(ndim):
        if given[i] < 0 or given[i] >= ndim:
            raise RuntimeError(f"empty_permuted: Dimension out of range (expected to be between 0 and {ndim - 1}, but got "
                               f"{given[i]} at index {i}).  NB: negative dims not currently supported")
        if seen[given[i]]:
            raise RuntimeError(f"empty_permuted: Duplicate dim not allowed, got {given[i]} again at index {i}")
        seen[given[i]] = True
        order[i] = <int>given[i]
    cdef int dt = new_dtype(dtype, default_dtype)
    shape_nbytes(shape, ndim, dt)
    layout_ordered_strides(shape, ndim, order, stride)
    return finish_empty(tensor_empty_dense(shape, stride, ndim, dt, device_for_new(device)))


# -- zeros, ones, full ------------------------------------------------------------------------------------------------

cdef PyObject *fast_zeros(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    cdef SizedCall call
    read_sized(args, nargs, kwnames, SIZED_NAMES, &call, "zeros")
    return handed(make_number(call.shape, call.ndim, 0, <object>call.arg[ARG_DTYPE], <object>call.arg[ARG_DEVICE],
                              <object>call.arg[ARG_OUT], <object>call.arg[ARG_MEMORY_FORMAT], "zeros"))


cdef bytes ZEROS_DOC = b"""zeros($module, /, *size, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False, memory_format=None)
--

zeros(*size, out=None, dtype=None, layout=strided, device=None, memory_format=contiguous_format) -> Tensor

A tensor filled with 0.

>>> tl.zeros(2, 3).sum().item()
0.0
"""
zeros = make_fast_function("zeros", <fast_function>fast_zeros, ZEROS_DOC)


cdef PyObject *fast_ones(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    cdef SizedCall call
    read_sized(args, nargs, kwnames, SIZED_NAMES, &call, "ones")
    return handed(make_number(call.shape, call.ndim, 1, <object>call.arg[ARG_DTYPE], <object>call.arg[ARG_DEVICE],
                              <object>call.arg[ARG_OUT], <object>call.arg[ARG_MEMORY_FORMAT], "ones"))


cdef bytes ONES_DOC = b"""ones($module, /, *size, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False, memory_format=None)
--

ones(*size, out=None, dtype=None, layout=strided, device=None, memory_format=contiguous_format) -> Tensor

A tensor filled with 1.

>>> tl.ones(2, dtype=tl.int8)
tensor([1, 1], dtype=tensorlib.int8)
"""
ones = make_fast_function("ones", <fast_function>fast_ones, ONES_DOC)


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
         memory_format=None):
    """full(size, fill_value, out=None, dtype=None, layout=strided, device=None, memory_format=contiguous_format) -> Tensor

    A tensor filled with one number.  The dtype follows the number: bool, int64, the default dtype, or its complex type.

    Raises RuntimeError if the number cannot be held: an integer or a finite float out of the dtype's range.  A negative
    integer whose magnitude fits wraps into an unsigned dtype.

    >>> tl.full((2,), 7)
    tensor([7, 7])
    """
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int ndim = parse_int_tuple(size, "size", 1, shape, "full")
    check_options(layout, requires_grad, pin_memory, "full")
    return make_full(shape, ndim, fill_value, -1, dtype, device, out, memory_format, "full")


cdef Tensor make_full(const Py_ssize_t *shape, int ndim, object number, int dt, object dtype_, object device_, object out,
                      object memory_format_, str op):
    """dt -1: the dtype follows the number unless dtype= says otherwise."""
    cdef Value v
    cdef Tensor t
    cdef int category
    number = fill_number(number, op, &category)
    memset(v.bytes, 0, 16)
    if out is not None:
        t = need_tensor(out, "out", 0, op)
        value_store(number, t.dt, v.bytes, op)
        t = out_of_shape(out, shape, ndim, dtype_, device_, op)
    else:
        if dtype_ is not None:
            dt = dtype_code(dtype_)
        elif dt < 0:
            dt = number_dtype(category) if category < 3 else DT_COMPLEX128 if default_dtype == DT_FLOAT64 else DT_COMPLEX64
        value_store(number, dt, v.bytes, op)
        t = new_formatted(shape, ndim, dt, device_for_new(device_), memory_format_, op)
    fill_value(t, &v)
    return t


cdef object fill_number(object number, str op, int *category):
    """A number, or the value of a zero-dim tensor."""
    category[0] = number_category(number)
    if category[0] < 0:
        if isinstance(number, Tensor) and (<TensorBase>number).ndim_ == 0:
            number = tensor_item(<TensorBase>number, op)
            category[0] = number_category(number)
        else:
            raise TypeError(f"{op}(): argument 'fill_value' must be Number, not {type_text(number)}")
    return number


cdef int number_dtype(int category) except -1:
    """The dtype that a Python number has by itself."""
    if category == 0:
        return DT_BOOL
    if category == 1:
        return DT_INT64
    return default_dtype if category == 2 else default_complex()


def scalar_tensor(s, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """scalar_tensor(s, dtype=None, layout=strided, device=None) -> Tensor

    A zero-dim tensor of the default dtype, whatever the kind of the number.

    >>> tl.scalar_tensor(3).dtype
    tensorlib.float32
    """
    check_options(layout, requires_grad, pin_memory, "scalar_tensor")
    if number_category(s) < 0 and not (isinstance(s, Tensor) and (<TensorBase>s).ndim_ == 0):
        raise TypeError(f"scalar_tensor(): argument 's' (position 1) must be Number, not {type_text(s)}")
    return make_full(NULL, 0, s, default_dtype, dtype, device, None, None, "scalar_tensor")


# -- *_like -----------------------------------------------------------------------------------------------------------

cdef Tensor new_empty_like(object input, object dtype_, object device_, object layout_, object requires_grad,
                           object pin_memory, object memory_format_, str op):
    """As the input in shape, dtype, device and (when dense) strides, except for what the keywords name."""
    cdef Tensor like = need_tensor(input, "input", 1, op)
    check_options(layout_, requires_grad, pin_memory, op)
    return tensor_empty_format(like, new_dtype(dtype_, like.dt), like.dev if device_ is None else device_for_new(device_),
                               FORMAT_PRESERVE if memory_format_ is None else format_code(memory_format_))


def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """empty_like(input, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    An uninitialised tensor of the input's shape, dtype, device and layout.  preserve_format keeps the strides of a dense
    input; any other input gives a contiguous tensor.
    """
    return finish_empty(new_empty_like(input, dtype, device, layout, requires_grad, pin_memory, memory_format, "empty_like"))


def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """zeros_like(input, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    As ``empty_like``, filled with 0.
    """
    cdef Value v
    cdef Tensor t = new_empty_like(input, dtype, device, layout, requires_grad, pin_memory, memory_format, "zeros_like")
    number_bytes(0, t.dt, &v, "zeros_like")
    return fresh_zeros(t)


def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False, memory_format=None):
    """ones_like(input, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    As ``empty_like``, filled with 1.
    """
    cdef Value v
    cdef Tensor like = need_tensor(input, "input", 1, "ones_like")
    number_bytes(1, new_dtype(dtype, like.dt), &v, "ones_like")
    cdef Tensor t = new_empty_like(input, dtype, device, layout, requires_grad, pin_memory, memory_format, "ones_like")
    fill_value(t, &v)
    return t


def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
              memory_format=None):
    """full_like(input, fill_value, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    As ``empty_like``, filled with one number, which must fit the input's dtype (see ``full``).
    """
    cdef Value v
    cdef int category
    cdef Tensor like = need_tensor(input, "input", 1, "full_like")
    number = fill_number(fill_value, "full_like", &category)
    memset(v.bytes, 0, 16)
    value_store(number, new_dtype(dtype, like.dt), v.bytes, "full_like")
    cdef Tensor t = new_empty_like(input, dtype, device, layout, requires_grad, pin_memory, memory_format, "full_like")
    fill_bytes(t, &v)
    return t


cdef int fill_bytes(TensorBase t, const Value *v) except -1:
    """fill_value, for functions that have a parameter of that name."""
    return fill_value(t, v)
