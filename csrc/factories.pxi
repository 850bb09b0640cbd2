# Making tensors from a shape and a value: empty, zeros, ones, full, their *_like forms, arange, linspace, eye, ...
#
# Uses: attributes, tensor, scalars, dispatch (fit_out), copy_dispatch (tensor_empty_format) .pxi; kernel_api (K).
# Provides: the public functions; parse_size, check_options, new_dtype, new_device, new_empty_like, fill_value, out_of_shape.
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



# -- arguments --------------------------------------------------------------------------------------------------------

# The functions that take a size as separate integers are C functions with the fast calling convention: a Cython function
# with *args and keywords spends 170 ns on its arguments, twice what making the tensor costs.
cdef enum:
    ARG_SIZE = 0
    ARG_OUT = 1
    ARG_DTYPE = 2
    ARG_LAYOUT = 3
    ARG_DEVICE = 4
    ARG_REQUIRES_GRAD = 5
    ARG_PIN_MEMORY = 6
    ARG_MEMORY_FORMAT = 7
    ARG_GENERATOR = 8
    ARG_COUNT = 9

cdef tuple SIZED_NAMES = ("size", "out", "dtype", "layout", "device", "requires_grad", "pin_memory", "memory_format")
cdef tuple RANDOM_NAMES = SIZED_NAMES + ("generator",)

cdef struct SizedCall:
    Py_ssize_t shape[MAX_DIMS]
    int ndim
    PyObject *arg[ARG_COUNT]      # borrowed; None where absent


cdef int read_keywords(PyObject *const *values, PyObject *kwnames, tuple names, PyObject **arg, str op) except -1:
    """Puts the values of a call's keywords at their names' positions in arg."""
    cdef Py_ssize_t i, k, n = PyTuple_GET_SIZE(names)
    if kwnames == NULL:
        return 0
    for i in range(PyTuple_GET_SIZE(<object>kwnames)):
        for k in range(n):      # almost always the very same string object
            if PyTuple_GET_ITEM(<object>kwnames, i) == PyTuple_GET_ITEM(names, k):
                break
        else:
            name = <object>PyTuple_GET_ITEM(<object>kwnames, i)
            if name not in names:
                raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")
            k = names.index(name)
        arg[k] = values[i]
    return 0


cdef int read_sized(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, tuple names, SizedCall *call,
                    str op) except -1:
    """The arguments of f(*size, keywords): f(2, 3), f((2, 3)), f([2, 3]) or f(size=(2, 3)); and the options' checks."""
    cdef int i
    for i in range(ARG_COUNT):
        call.arg[i] = <PyObject *>None
    read_keywords(args + nargs, kwnames, names, call.arg, op)
    if nargs == 1 and call.arg[ARG_SIZE] == <PyObject *>None:
        call.ndim = parse_one_size(<object>args[0], call.shape, op)
    else:
        call.ndim = parse_size(tuple([<object>args[i] for i in range(nargs)]), <object>call.arg[ARG_SIZE], call.shape, op)
    if (call.arg[ARG_LAYOUT] != <PyObject *>None or call.arg[ARG_REQUIRES_GRAD] != <PyObject *>None
            or call.arg[ARG_PIN_MEMORY] != <PyObject *>None):
        check_options(<object>call.arg[ARG_LAYOUT], <object>call.arg[ARG_REQUIRES_GRAD], <object>call.arg[ARG_PIN_MEMORY], op)
    return 0


ctypedef PyObject *(*fast_function)(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)

cdef extern from "Python.h":
    """
    /* A module function with the fast calling convention.  Its method definition lives as long as the process. */
    typedef PyObject *(*fast_function_c)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
    static PyObject *make_fast_function(const char *name, fast_function_c f, const char *doc) {
        PyObject *module, *made;
        PyMethodDef *def = (PyMethodDef *)calloc(1, sizeof(PyMethodDef));
        if (def == NULL) return PyErr_NoMemory();
        def->ml_name = name;
        def->ml_meth = (PyCFunction)(void (*)(void))f;
        def->ml_flags = METH_FASTCALL | METH_KEYWORDS;
        def->ml_doc = doc;
        module = PyUnicode_FromString("tensorlib");
        if (module == NULL) return NULL;
        made = PyCFunction_NewEx(def, NULL, module);
        Py_DECREF(module);
        return made;
    }
    """
    object make_fast_function(const char *name, fast_function f, const char *doc)


cdef inline PyObject *handed(object result) noexcept:
    """A new reference, for a C function to return."""
    Py_INCREF(result)
    return <PyObject *>result


cdef int parse_size(tuple args, object size, Py_ssize_t *shape, str op) except -1:
    """The shape given as f(2, 3), f((2, 3)), f([2, 3]) or f(size=(2, 3))."""
    if size is not None:
        if args:
            raise TypeError(f"{op}() got multiple values for argument 'size'")
        return parse_one_size(size, shape, op)
    if len(args) == 1:
        return parse_one_size(args[0], shape, op)
    if len(args) == 0:
        raise TypeError(f"{op}() missing 1 required positional arguments: \"size\"")
    return parse_sizes(args, shape, op, isinstance(args[0], (tuple, list)))


cdef int parse_one_size(object size, Py_ssize_t *shape, str op) except -1:
    if PyLong_CheckExact(size):
        shape[0] = size_item(size, 0, op)
        return 1
    if isinstance(size, tuple):
        return parse_sizes(<tuple>size, shape, op, False)
    if isinstance(size, list):
        return parse_sizes(tuple(size), shape, op, False)
    if is_index(size):
        shape[0] = size_item(size, 0, op)
        return 1
    raise TypeError(f"{op}(): argument 'size' (position 1) must be tuple of ints, not {type_text(size)}")


cdef int parse_sizes(tuple items, Py_ssize_t *shape, str op, bint nested) except -1:
    cdef Py_ssize_t n = len(items), i
    if nested:
        raise TypeError(f"{op}() takes 1 positional argument but {n} were given: the size is one tuple, or integers")
    if n > MAX_DIMS:
        raise RuntimeError(f"{op}(): tensors have at most {MAX_DIMS} dimensions, got {n}")
    for i in range(n):
        item = items[i]
        if type(item) is not int and not is_index(item):
            raise TypeError(f"{op}(): argument 'size' failed to unpack the object at pos {i + 1} with error \"type must be "
                            f"tuple of ints,but got {type_text(item)}\"")
        shape[i] = size_item(item, i, op)
    return <int>n


cdef int parse_int_tuple(object value, str name, int position, Py_ssize_t *out, str op) except -1:
    """A tuple or list of integers for a parameter that takes nothing else; returns how many."""
    cdef Py_ssize_t n, i
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{op}(): argument '{name}' (position {position}) must be tuple of ints, not {type_text(value)}")
    items = tuple(value)
    n = len(items)
    if n > MAX_DIMS:
        raise RuntimeError(f"{op}(): tensors have at most {MAX_DIMS} dimensions, got {n}")
    for i in range(n):
        item = items[i]
        if not is_index(item):
            raise TypeError(f"{op}(): argument '{name}' failed to unpack the object at pos {i + 1} with error \"type must be "
                            f"tuple of ints,but got {type_text(item)}\"")
        out[i] = size_item(item, i, op)
    return <int>n


cdef inline bint is_index(object x):
    """An integer, or what stands for one: NumPy's integers, a one-element integer tensor."""
    if type(x) is int:
        return True
    if isinstance(x, TensorBase):
        return (<TensorBase>x).numel_ == 1 and dtype_category[(<TensorBase>x).dt] == 1
    return number_category(x) == 1


cdef Py_ssize_t size_item(object item, Py_ssize_t position, str op) except? -1:
    cdef int overflow = 0
    cdef Py_ssize_t value
    if type(item) is not int:
        item = item.__index__()
    value = PyLong_AsLongLongAndOverflow(item, &overflow)
    if overflow:
        raise TypeError(f"{op}(): argument at pos {position + 1} is too large for a size: {number_text(item)} (overflow of "
                        f"64 bits)")
    return value


cdef int check_options(object layout_, object requires_grad, object pin_memory, str op) except -1:
    """The keywords of every factory that have one usable value here."""
    if layout_ is not None and layout_code(layout_) != LAYOUT_STRIDED:
        raise NotImplementedError(f"{op}(...) is not implemented for sparse layout {layout_}: make a strided tensor and call "
                                  f"to_sparse(), or use sparse_coo_tensor()")
    if requires_grad is not False and requires_grad is not None:
        refuse_grad(requires_grad)
    if pin_memory is not False and pin_memory:
        raise RuntimeError(f"{op}: pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           f"is available on this system")
    return 0


cdef inline int new_dtype(object value, int otherwise) except -1:
    return otherwise if value is None else dtype_code(value)


cdef Tensor need_tensor(object value, str name, int position, str op):
    if not isinstance(value, Tensor):
        raise TypeError(f"{op}(): argument '{name}' (position {position}) must be Tensor, not {type_text(value)}")
    return <Tensor>value


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
    else:
        t = need_tensor(out, "out", 0, op)
        number_bytes(number, t.dt, &v, op)
        t = out_of_shape(out, shape, ndim, dtype_, device_, op)
    fill_value(t, &v)
    return t


cdef int number_bytes(int number, int dt, Value *v, str op) except -1:
    """The bytes of 0 or 1.  Zero is all bytes 0 in every dtype, those included that take no numbers."""
    memset(v.bytes, 0, 16)
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
            dt = number_dtype(category)
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
    fill_value(t, &v)
    return t


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


# -- ranges -----------------------------------------------------------------------------------------------------------

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

Raises RuntimeError if the sign of ``step`` leads away from ``end``, or a bound is not finite; ValueError or RuntimeError
if ``step`` is 0.

>>> tl.arange(1, 8, 3)
tensor([1, 4, 7])
"""
arange = make_fast_function("arange", <fast_function>fast_arange, ARANGE_DOC)


cdef Tensor make_range(object start, object end, object step, object out, object dtype, object device):
    cdef Py_ssize_t n
    cdef int dt, c1 = 1, c2 = 1, c3 = 1
    cdef Tensor t
    start = 0 if start is None else range_number(start, "start", "arange", &c1)
    end = range_number(end, "end", "arange", &c2)
    step = 1 if step is None else range_number(step, "step", "arange", &c3)
    if c1 == 3 or c2 == 3 or c3 == 3:
        raise RuntimeError(f"arange: value cannot be converted to type double without overflow: the bounds must be real, got "
                           f"{start!r}, {end!r}, {step!r}")
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
    if out is not None:
        t = out_of_shape(out, &n, 1, dtype, device, "arange")
    else:
        t = tensor_empty(&n, 1, dt, device_for_new(device))
    if t.dev == DEV_CPU and n > 0:
        arange_write(t, start, step)
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
                raise RuntimeError(f"arange: value cannot be converted to type int64_t without overflow: got {x}")
        if dt == DT_INT64:
            start, end, step = int(start), int(end), int(step)
    if step == 0:
        if dt == DT_INT64:      # PyTorch's type for a step that truncates to 0 is ValueError, for a plain 0 RuntimeError
            raise StepError("arange: step must be nonzero")
        raise RuntimeError("arange: step must be nonzero")
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


class StepError(RuntimeError, ValueError):
    """A range whose step is zero."""
    __module__ = "tensorlib"


cdef object ceil_of(double x):
    return int(ceil(x))


cdef extern from "math.h" nogil:
    double ceil(double x)


cdef int arange_write(Tensor t, object start, object step) except -1:
    cdef Tensor target = t if t.flags & TENSOR_CONTIGUOUS else tensor_empty(t.shape_, 1, t.dt, DEV_CPU)
    cdef double first, by
    cdef long long whole, whole_step
    cdef char *p = tensor_data(target)
    cdef int dt = t.dt
    cdef Py_ssize_t n = t.numel_
    if dtype_category[dt] == 1:
        whole = wrap_int64(int(start))
        whole_step = wrap_int64(int(step))
        if n <= GRAIN:
            K.integer_range(p, dt, whole, whole_step, n)
        else:
            with nogil:
                K.integer_range(p, dt, whole, whole_step, n)
    else:
        first = start
        by = step
        if n <= GRAIN:
            K.float_range(p, dt, first, by, n)
        else:
            with nogil:
                K.float_range(p, dt, first, by, n)
    if target is not t:
        tensor_copy(t, target, "arange")
    return 0


cdef inline long long wrap_int64(object x):
    x &= 0xFFFFFFFFFFFFFFFF
    return <long long>(<uint64_t>x)


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """linspace(start, end, steps, out=None, dtype=None, layout=strided, device=None) -> Tensor

    ``steps`` evenly spaced values from ``start`` to ``end``, both included.  The default dtype, or its complex type for a
    complex bound.  Computed in float64, from the nearer end, and rounded once; integer dtypes truncate.

    Raises RuntimeError for a negative ``steps`` or a bound that the dtype cannot hold.

    >>> tl.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    cdef int c1, c2, dt
    cdef Py_ssize_t n
    cdef Tensor t, target
    cdef Value v
    cdef char *p
    cdef double a[2]
    cdef double b[2]
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
        dt = default_complex() if c1 == 3 or c2 == 3 else default_dtype
    if dt >= ARITHMETIC_DTYPES or dt == DT_BOOL:
        raise NotImplementedError(f"\"linspace_cpu\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': "
                                  f"{dtype_object(dt)} has no ranges; it takes integral, floating point and complex dtypes")
    value_store(start, dt, v.bytes, "linspace")
    value_store(end, dt, v.bytes, "linspace")
    if out is not None:
        t = out_of_shape(out, &n, 1, dtype, device, "linspace")
    else:
        t = tensor_empty(&n, 1, dt, device_for_new(device))
    if t.dev != DEV_CPU or n == 0:
        return t
    number_parts(start, a)
    number_parts(end, b)
    target = t if t.flags & TENSOR_CONTIGUOUS else tensor_empty(&n, 1, dt, DEV_CPU)
    p = tensor_data(target)
    with nogil:
        linspace_write(p, dt, a, b, n)
    if target is not t:
        tensor_copy(t, target, "linspace")
    return t


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
    symmetric and the last one is exactly b."""
    cdef double block[2 * 256]
    cdef int parts = 2 if dtype_category[dt] == 3 else 1
    cdef int wide = DT_COMPLEX128 if parts == 2 else DT_FLOAT64
    cdef double step[2]
    cdef Py_ssize_t i = 0, j, m
    cdef int k
    for k in range(parts):
        step[k] = (b[k] - a[k]) / (n - 1) if n > 1 else 0
    while i < n:
        m = n - i if n - i < 256 else 256
        for k in range(parts):
            for j in range(m):
                if 2 * (i + j) < n:
                    block[parts * j + k] = a[k] + step[k] * <double>(i + j)
                else:
                    block[parts * j + k] = b[k] - step[k] * <double>(n - 1 - i - j)
        K.cast(p, dt, <char *>block, wide, m)
        p += m * dtype_itemsize[dt]
        i += m
    if n % 2 == 1 and n > 1:        # the middle has no nearer end
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
    t = make_number(shape, 2, 0, dtype, device, out, None, "eye")
    diagonal_shape = min(shape[0], shape[1])
    if diagonal_shape > 0:
        diagonal_stride = t.stride_[0] + t.stride_[1]
        view = tensor_view(t, &diagonal_shape, &diagonal_stride, 1, t.offset)
        fill_value(view, &one)
    return t
