# Making tensors from data: numbers, nested sequences, buffers, arrays of other libraries, other tensors.
#
# Uses: scalars, factories, copy_dispatch .pxi.
# Provides: tensor, as_tensor, asarray, from_numpy, frombuffer; build (data to tensor), buffer_tensor, tensor_item.
#
# Nested sequences are read in three passes, as PyTorch defines the result:
#   1 sizes   along the first items only: [[1, 2], [3, 4]] is 2 x 2
#   2 dtype   over every element, unless it was given: bool < int64 < default float < default complex; elements that have a
#             dtype of their own (zero-dim tensors, NumPy scalars) are promoted with it
#   3 values  into a fresh row-major tensor; here ragged input is found
# Elements may run Python code (__index__, __len__), so lengths are read again at each step.
#
# A buffer (PEP 3118) is shared through a memoryview, which keeps its owner alive and its memory in place.

from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE

cdef extern from "Python.h":
    bint PyObject_CheckBuffer(object o)
    object PyMemoryView_FromObject(object o)
    Py_buffer *PyMemoryView_GET_BUFFER(object view)
    int PY_LITTLE_ENDIAN      # 1 or 0


# -- 1 sizes ----------------------------------------------------------------------------------------------------------

cdef inline bint is_sequence(object x):
    """What nests: lists, tuples, and anything else with items and a length (ranges, arrays), but no text and no tensor."""
    if isinstance(x, (list, tuple)):
        return True
    if isinstance(x, (str, bytes, TensorBase)) or not PySequence_Check(x) or number_category(x) >= 0:
        return False
    return hasattr(type(x), "__len__") and getattr(x, "shape", None) != ()


cdef int nested_sizes(object data, Py_ssize_t *shape) except -1:
    cdef int ndim = 0
    cdef Py_ssize_t n
    while is_sequence(data):
        if ndim == MAX_DIMS:
            raise ValueError(f"too many dimensions '{type_text(data)}': at most {MAX_DIMS}")
        n = len(data)
        shape[ndim] = n
        ndim += 1
        if n == 0:
            break
        data = data[0]
    return ndim


# -- 2 dtype ----------------------------------------------------------------------------------------------------------

cdef int joined(int so_far, int dt) except -2:
    """-1: nothing seen yet."""
    if so_far == dt or so_far == -1:
        return dt
    return promote_codes(so_far, dt)


cdef int nested_dtype(object data, int so_far, int depth) except -2:
    """The promoted dtype of every element, joined to that of what came before."""
    cdef Py_ssize_t i = 0
    cdef unsigned seen = 0      # one bit a category of Python's own numbers
    cdef int category
    if not is_sequence(data):
        return joined(so_far, element_dtype(data))
    if depth > MAX_DIMS:
        raise ValueError(f"too many dimensions '{type_text(data)}': at most {MAX_DIMS}")
    items = data if type(data) is list else list(data)
    while i < PyList_GET_SIZE(items):
        item = <object>PyList_GET_ITEM(items, i)
        if PyFloat_CheckExact(item):
            seen |= 4
        elif PyLong_CheckExact(item):
            seen |= 2
        elif item is True or item is False:
            seen |= 1
        elif PyComplex_CheckExact(item):
            seen |= 8
        else:
            so_far = nested_dtype(item, so_far, depth + 1)
        i += 1
    for category in range(4):
        if seen >> category & 1:
            so_far = joined(so_far, number_dtype(category))
    return so_far


cdef int element_dtype(object x) except -1:
    cdef int category, dt
    if isinstance(x, TensorBase):
        return (<TensorBase>x).dt
    if isinstance(x, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type_text(x)}'")
    described = getattr(x, "dtype", None)
    if described is not None:
        dt = described_dtype(described)
        if dt >= 0:
            return dt
    category = number_category(x)
    if category < 0:
        raise RuntimeError(f"Could not infer dtype of {type_text(x)}")
    return number_dtype(category)


cdef int described_dtype(object described) except -2:
    """The dtype with the name of a dtype of another library (NumPy, ml_dtypes); -1 if there is none."""
    name = getattr(described, "name", None)
    if not isinstance(name, str):
        return -1
    encoded = (<str>name).encode()
    cdef int dt
    for dt in range(CASTABLE_DTYPES):
        if encoded == <bytes>dtype_names[dt]:
            return dt
    return -1


# -- 3 values ---------------------------------------------------------------------------------------------------------

cdef int store_element(object x, int dt, char *p) except -1:
    """One element of a nested sequence, whatever it is."""
    cdef int category = number_category(x), overflow = 0
    if category == 1 and dtype_category[dt] == 1 and dt != DT_UINT64:
        x = plain_number(x, 1)
        PyLong_AsLongLongAndOverflow(x, &overflow)
        if overflow:
            raise ValueError(f"Overflow when unpacking long long: {number_text(x)} does not fit int64")
    elif category < 0:
        if isinstance(x, TensorBase):
            if (<TensorBase>x).numel_ != 1:
                raise TypeError(f"only integer tensors of a single element can be converted to an index: an element of a "
                                f"sequence has {(<TensorBase>x).numel_} elements; use stack()")
            x = tensor_item(<TensorBase>x, "tensor")
        elif isinstance(x, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type_text(x)}'")
        elif getattr(x, "shape", None) == () and hasattr(x, "item"):      # a zero-dim array
            x = x.item()
        if number_category(x) < 0:
            if dtype_category[dt] == 1:
                raise TypeError(f"'{type_text(x)}' object cannot be interpreted as an integer")
            raise TypeError(f"must be real number, not {type_text(x)}")
    return value_store(x, dt, p, "tensor", False)


cdef int store_row(list items, Py_ssize_t n, int dt, char *p) except -1:
    """The innermost level: Python's own numbers directly, everything else one by one."""
    cdef Py_ssize_t i = 0, size = dtype_itemsize[dt]
    cdef int overflow = 0
    cdef long long value
    while i < n:
        if i >= PyList_GET_SIZE(items):
            raise RuntimeError(f"tensor: a list changed its length while it was read ({n} to {PyList_GET_SIZE(items)})")
        item = <object>PyList_GET_ITEM(items, i)
        if PyFloat_CheckExact(item):
            if dt == DT_FLOAT32:
                (<float *>p)[i] = <float>PyFloat_AS_DOUBLE(item)
                i += 1
                continue
            if dt == DT_FLOAT64:
                (<double *>p)[i] = PyFloat_AS_DOUBLE(item)
                i += 1
                continue
        elif PyLong_CheckExact(item):
            if dt == DT_INT64:
                value = PyLong_AsLongLongAndOverflow(item, &overflow)
                if not overflow:
                    (<int64_t *>p)[i] = value
                    i += 1
                    continue
            elif dt == DT_UINT8 or dt == DT_INT32:
                value = PyLong_AsLongLongAndOverflow(item, &overflow)
                if not overflow and 0 <= value <= <long long>integer_top(dt):
                    if dt == DT_UINT8:
                        (<uint8_t *>p)[i] = <uint8_t>value
                    else:
                        (<int32_t *>p)[i] = <int32_t>value
                    i += 1
                    continue
        store_element(item, dt, p + i * size)
        i += 1
    return 0


cdef int store_nested(object data, const Py_ssize_t *shape, int ndim, int depth, Py_ssize_t block, int dt, char *p) except -1:
    """block: bytes of one item at this depth."""
    cdef Py_ssize_t i, n = shape[depth]
    if not is_sequence(data):
        raise TypeError(f"not a sequence: expected one of length {n} at dim {depth}, got {type_text(data)}")
    items = data if type(data) is list else list(data)
    if PyList_GET_SIZE(items) != n:
        raise ValueError(f"expected sequence of length {n} at dim {depth} (got {PyList_GET_SIZE(items)})")
    if depth == ndim - 1:
        return store_row(items, n, dt, p)
    for i in range(n):
        if i >= PyList_GET_SIZE(items):
            raise RuntimeError(f"tensor: a list changed its length while it was read ({n} to {PyList_GET_SIZE(items)})")
        item = <object>PyList_GET_ITEM(items, i)      # a reference of our own: reading it may empty the list
        store_nested(item, shape, ndim, depth + 1, block // shape[depth + 1], dt, p + i * block)
    return 0


cdef Tensor nested_tensor(object data, int dt):
    """A cpu tensor from a nested sequence or a number; dt -1 infers."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int ndim = nested_sizes(data, shape)
    cdef Tensor t
    if dt < 0:
        dt = nested_dtype(data, -1, 0)
        if dt < 0:
            dt = default_dtype
    store_need_cast(dt, "tensor")
    t = tensor_empty(shape, ndim, dt, DEV_CPU)
    if ndim == 0:
        store_element(data, dt, tensor_data(t))
    elif t.numel_ > 0:
        store_nested(data, shape, ndim, 0, t.numel_ // shape[0] * dtype_itemsize[dt], dt, tensor_data(t))
    else:
        check_nested(data, shape, ndim, 0)
    return t


cdef int check_nested(object data, const Py_ssize_t *shape, int ndim, int depth) except -1:
    """The lengths of a sequence without elements."""
    if depth == ndim:
        return 0
    if not is_sequence(data):
        raise TypeError(f"not a sequence: expected one of length {shape[depth]} at dim {depth}, got {type_text(data)}")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    for item in data:
        check_nested(item, shape, ndim, depth + 1)
    return 0


# -- buffers ----------------------------------------------------------------------------------------------------------

cdef enum BufferProblem:
    BUFFER_OK             # can be shared as it is
    BUFFER_FORMAT         # no dtype for its elements
    BUFFER_SWAPPED        # not this machine's byte order
    BUFFER_NEGATIVE       # a negative stride
    BUFFER_STRIDE         # a stride that is no multiple of the element
    BUFFER_ALIGNMENT      # an address that is no multiple of the element's alignment
    BUFFER_INDIRECT       # suboffsets

# What from_numpy and asarray(copy=False) say of each.
cdef tuple BUFFER_PROBLEMS = (
    "", "its elements have no dtype here",
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not "
    "supported: call array.astype(array.dtype.newbyteorder('=')) first",
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. "
    "(You can probably work around this by making a copy of your array with array.copy().)",
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.",
    "given numpy array is not aligned to its element size. Copy the numpy array to reallocate the memory.",
    "the buffer is reached through pointers (suboffsets). Copy it first.")


cdef int format_dtype(const char *format, Py_ssize_t itemsize, bint *swapped) noexcept:
    """The dtype of a struct-module format with one element; -1 if there is none.  Letters say the kind, itemsize the width."""
    cdef char letter
    swapped[0] = False
    if format == NULL:
        return DT_UINT8 if itemsize == 1 else -1
    if format[0] == b"@" or format[0] == b"=":
        format += 1
    elif format[0] == b"<" or format[0] == b">" or format[0] == b"!":
        swapped[0] = (format[0] == b"<") != PY_LITTLE_ENDIAN and itemsize > 1
        format += 1
    if format[0] == b"Z" and format[1] != 0 and format[2] == 0:
        return DT_COMPLEX64 if format[1] == b"f" else DT_COMPLEX128 if format[1] == b"d" else -1
    if format[0] == 0 or format[1] != 0:
        return -1
    letter = format[0]
    if letter == b"F" or letter == b"D":
        return DT_COMPLEX64 if letter == b"F" else DT_COMPLEX128
    if letter == b"?":
        return DT_BOOL
    if letter == b"e" or letter == b"f" or letter == b"d":
        return DT_FLOAT16 if letter == b"e" else DT_FLOAT32 if letter == b"f" else DT_FLOAT64
    if letter == b"b" or letter == b"h" or letter == b"i" or letter == b"l" or letter == b"q" or letter == b"n":
        return DT_INT8 if itemsize == 1 else DT_INT16 if itemsize == 2 else DT_INT32 if itemsize == 4 else DT_INT64
    if letter == b"B" or letter == b"H" or letter == b"I" or letter == b"L" or letter == b"Q" or letter == b"N":
        return DT_UINT8 if itemsize == 1 else DT_UINT16 if itemsize == 2 else DT_UINT32 if itemsize == 4 else DT_UINT64
    return -1


cdef BufferProblem buffer_read(const Py_buffer *b, int *dt, Py_ssize_t *shape, Py_ssize_t *stride) noexcept:
    """Dtype, shape and strides (in elements) of a buffer, and what keeps it from being shared.  dt and shape are set for
    every problem but BUFFER_FORMAT."""
    cdef bint swapped
    cdef BufferProblem problem = BUFFER_OK
    cdef int d
    dt[0] = format_dtype(b.format, b.itemsize, &swapped)
    if dt[0] < 0 or dtype_itemsize[dt[0]] != b.itemsize:
        return BUFFER_FORMAT
    for d in range(b.ndim):
        shape[d] = b.shape[d]
    for d in range(b.ndim):
        if b.suboffsets != NULL and b.suboffsets[d] >= 0:
            return BUFFER_INDIRECT
    if swapped:
        return BUFFER_SWAPPED
    for d in range(b.ndim):
        if b.strides[d] < 0 and b.shape[d] > 1:
            problem = BUFFER_NEGATIVE
        if b.strides[d] % b.itemsize != 0:
            if problem == BUFFER_OK:
                problem = BUFFER_STRIDE
        stride[d] = b.strides[d] // b.itemsize if b.strides[d] > 0 or b.shape[d] > 1 else 0
    if problem == BUFFER_OK and <size_t>b.buf % element_alignment(dt[0]) != 0 and b.len > 0:
        return BUFFER_ALIGNMENT
    return problem


cdef inline size_t element_alignment(int dt) noexcept:
    """Of the component, for complex dtypes."""
    return dtype_itemsize[dtype_to_real[dt]] if dtype_category[dt] == 3 else dtype_itemsize[dt]


cdef Tensor tensor_over(object view, const Py_buffer *b, int dt, const Py_ssize_t *shape, const Py_ssize_t *stride):
    """A tensor that shares the memory of a memoryview, which its storage keeps."""
    cdef Py_ssize_t lo, hi
    cdef Tensor t
    cdef int d
    shape_nbytes(shape, b.ndim, dt)
    if layout_extent(shape, stride, b.ndim, dtype_itemsize[dt], &lo, &hi) != 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={dims_text(shape, b.ndim)} and "
                           f"strides={dims_text(stride, b.ndim)}")
    t = tensor_new(b.ndim, dt, DEV_CPU)
    for d in range(b.ndim):
        t.shape_[d] = shape[d]
        t.stride_[d] = stride[d]
    tensor_finish(t)
    tensor_set_storage(t, storage_foreign(b.buf, hi, b.readonly, view))
    return t


cdef Tensor buffer_tensor(object data, bint share, BufferProblem *problem):
    """A tensor from an object with a buffer: sharing its memory, or (share False) as a fresh row-major copy.

    None when a shared one is wanted and impossible, or the format is unknown; *problem says why.
    """
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int dt
    cdef Py_buffer *b
    cdef Tensor t
    try:
        view = PyMemoryView_FromObject(data)
    except (BufferError, ValueError, TypeError, NotImplementedError):   # NumPy: dtypes that the protocol cannot describe
        problem[0] = BUFFER_FORMAT
        return None
    b = PyMemoryView_GET_BUFFER(view)
    problem[0] = buffer_read(b, &dt, shape, stride)
    if problem[0] == BUFFER_OK:
        keep_trivial_strides(data, b, stride)
        t = tensor_over(view, b, dt, shape, stride)
        return t if share else tensor_clone(t, FORMAT_PRESERVE)
    if share or problem[0] == BUFFER_FORMAT or problem[0] == BUFFER_INDIRECT:
        return None
    t = tensor_empty(shape, b.ndim, dt, DEV_CPU)
    if t.numel_ > 0:
        buffer_gather(tensor_data(t), <const char *>b.buf, b.shape, b.strides, b.ndim, b.itemsize,
               dtype_itemsize[dtype_to_real[dt]] if dtype_category[dt] == 3 else b.itemsize, problem[0] == BUFFER_SWAPPED)
    problem[0] = BUFFER_OK
    return t


cdef int keep_trivial_strides(object data, const Py_buffer *b, Py_ssize_t *stride) except -1:
    """NumPy's buffers invent the strides of size-1 axes; its arrays tell the real ones, which say what the memory format is."""
    cdef int d
    cdef Py_ssize_t step
    cdef object steps = None
    for d in range(b.ndim):
        if b.shape[d] == 1:
            if steps is None:
                steps = getattr(data, "strides", None)
                if not isinstance(steps, tuple) or len(<tuple>steps) != b.ndim:
                    return 0
            step = (<tuple>steps)[d]
            if step >= 0 and step % b.itemsize == 0:
                stride[d] = step // b.itemsize
    return 0


cdef char *buffer_gather(char *out, const char *p, const Py_ssize_t *shape, const Py_ssize_t *strides, int ndim, Py_ssize_t size,
                  Py_ssize_t part, bint swap) noexcept nogil:
    """Copies elements one by one from any strides, negative and odd ones too, turning the bytes of each part round if asked."""
    cdef Py_ssize_t i, j, k
    if ndim == 0:
        if not swap:
            memcpy(out, p, size)
        else:
            j = 0
            while j < size:
                for k in range(part):
                    out[j + k] = p[j + part - 1 - k]
                j += part
        return out + size
    for i in range(shape[0]):
        out = buffer_gather(out, p + i * strides[0], shape + 1, strides + 1, ndim - 1, size, part, swap)
    return out


# -- from any data ----------------------------------------------------------------------------------------------------

cdef Tensor foreign_tensor(object data, bint share, bint *found):
    """A tensor from an object that is an array of some kind; found says whether it is one.

    None with found: it cannot be shared.
    """
    cdef BufferProblem problem = BUFFER_OK
    cdef Tensor t
    found[0] = False
    if isinstance(data, (list, tuple, str, bytes)) or PyLong_CheckExact(data) or PyFloat_CheckExact(data):
        return None
    if PyObject_CheckBuffer(data):
        found[0] = True
        t = buffer_tensor(data, share, &problem)
        if t is not None or problem != BUFFER_FORMAT:
            return t
        t = HOOKS["array_without_buffer"](data, share)      # ml_dtypes, or a TypeError that names the dtype
        return t
    if hasattr(type(data), "__array__") or hasattr(type(data), "__array_interface__"):
        found[0] = True
        array = HOOKS["as_array"](data)
        t = buffer_tensor(array, share, &problem)
        if t is not None or problem != BUFFER_FORMAT:
            return t
        return HOOKS["array_without_buffer"](array, share)
    return None


cdef Tensor build(object data, int dt, int dev, str op):
    """A fresh tensor with a copy of any data; dt -1: the data's own."""
    cdef bint found
    cdef Tensor t
    if isinstance(data, (list, tuple)) or number_category(data) >= 0 and not PyObject_CheckBuffer(data):
        t = nested_tensor(data, dt)
    else:
        t = foreign_tensor(data, False, &found)
        if not found:
            t = nested_tensor(data, dt)
        elif t is None:
            raise TypeError(f"{op}: cannot read the {type_text(data)}: {BUFFER_PROBLEMS[<int>BUFFER_INDIRECT]}")
    if dt < 0:
        dt = t.dt
    if dt != t.dt or dev != t.dev:
        return tensor_cast(t, dt, dev, FORMAT_PRESERVE, op)
    return t


cdef int device_of_existing(object device_, TensorBase t) except -1:
    """device= of as_tensor, asarray and tensor for a tensor: absent, a default device that was set moves it (as PyTorch does),
    otherwise it stays."""
    cdef int code
    if device_ is not None:
        return device_for_new(device_)
    code = device_default()
    return t.dev if code == DEV_CPU else device_for_new(None)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """tensor(data, *, dtype=None, device=None) -> Tensor

    A new tensor with a copy of the data: a number, a nested sequence of numbers, a tensor, or anything with a buffer or
    ``__array__`` (a NumPy array, array.array, a memoryview), which keeps its own dtype.

    dtype, when not given: bool, int64, the default dtype or its complex type, the highest that occurs.  Memory format: that of
    a dense tensor or array, otherwise contiguous.
    Raises ValueError for ragged sequences and for integers beyond int64; RuntimeError for a number that the dtype cannot hold
    (a finite float beyond a floating dtype becomes inf instead); TypeError for what is not a number.

    >>> tl.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    cdef int dt = -1 if dtype is None else dtype_code(dtype)
    cdef TensorBase source
    check_options(None, requires_grad, pin_memory, "tensor")
    if isinstance(data, Tensor):
        source = <TensorBase>data
        return copy_of(source, source.dt if dt < 0 else dt, device_of_existing(device, source), "tensor")
    return build(data, dt, device_for_new(device), "tensor")


cdef Tensor copy_of(TensorBase t, int dt, int dev, str op):
    if dev == t.dev:
        return tensor_cast_same_device(t, dt, FORMAT_PRESERVE, op)
    return tensor_cast(t, dt, dev, FORMAT_PRESERVE, op)


def as_tensor(data, dtype=None, device=None):
    """as_tensor(data, dtype=None, device=None) -> Tensor

    The data as a tensor, without a copy where possible: a tensor of the right dtype and device is returned itself, an array
    with a buffer is shared.  Anything else is copied as ``tensor`` does.
    """
    return existing_or_new(data, dtype, device, 0, "as_tensor")


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """asarray(obj, *, dtype=None, device=None, copy=None) -> Tensor

    The object as a tensor.  ``copy=True`` always copies, ``copy=False`` never does (ValueError where that is impossible),
    ``copy=None`` copies only when it must: for sequences and numbers, another dtype or device, or strides that tensors do not
    have.
    """
    check_options(None, requires_grad, False, "asarray")
    return existing_or_new(obj, dtype, device, 0 if copy is None else (1 if copy else -1), "asarray")


cdef Tensor existing_or_new(object data, object dtype_, object device_, int copy, str op):
    """copy 1: always, 0: if needed, -1: never."""
    cdef int dt = -1 if dtype_ is None else dtype_code(dtype_)
    cdef int dev
    cdef bint found = False
    cdef Tensor t
    if isinstance(data, Tensor):
        t = <Tensor>data
        dev = device_of_existing(device_, t)
    else:
        dev = device_for_new(device_)
        t = None if copy == 1 else foreign_tensor(data, True, &found)
        if t is None:
            if copy == -1:
                raise ValueError(f"{op}: can't alias arbitrary sequence into a tensor." if not found else
                                 f"{op}: can't alias the {type_text(data)}: its strides, alignment or byte order need a copy")
            return build(data, dt, dev, op)
    if dt < 0:
        dt = t.dt
    if dt == t.dt and dev == t.dev:
        return copy_of(t, dt, dev, op) if copy == 1 else t
    if copy == -1:
        if dt != t.dt:
            raise ValueError(f"{op}: can't alias tensor with dtype '{(<bytes>dtype_scalar_name[t.dt]).decode()}' into dtype "
                             f"'{(<bytes>dtype_scalar_name[dt]).decode()}'.")
        raise ValueError(f"{op}: can't alias tensor from device '{device_object(t.dev)}' to '{device_object(dev)}'.")
    return copy_of(t, dt, dev, op)


cdef object ndarray_type = None      # the class of the last array that from_numpy was given: it need not ask twice


def from_numpy(ndarray):
    """from_numpy(ndarray) -> Tensor

    A tensor that shares the memory of a NumPy array, strides included; an array that is not writable gives a read-only tensor.

    Raises TypeError for anything but an ndarray of a dtype that tensors have; ValueError for negative strides, strides that
    are no multiple of the element, and foreign byte order: copy the array first.
    """
    global ndarray_type
    cdef BufferProblem problem = BUFFER_OK
    cdef Tensor t
    if type(ndarray) is not ndarray_type:
        if not HOOKS["is_ndarray"](ndarray):
            raise TypeError(f"expected np.ndarray (got {type_text(ndarray)})")
        ndarray_type = type(ndarray)
    t = buffer_tensor(ndarray, True, &problem)
    if t is None:
        if problem == BUFFER_FORMAT:
            return HOOKS["array_without_buffer"](ndarray, True)
        raise ValueError(<str>BUFFER_PROBLEMS[<int>problem])
    return t


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """frombuffer(buffer, *, dtype, count=-1, offset=0) -> Tensor

    A one-dimensional tensor over the bytes of an object with a buffer, shared, from byte ``offset`` on: ``count`` elements,
    or all that are left when it is negative.  A read-only buffer gives a read-only tensor.

    Raises ValueError when the bytes do not make up the elements, or do not start at a multiple of the element's size.

    >>> tl.frombuffer(bytearray(8), dtype=tl.int32)
    tensor([0, 0], dtype=tensorlib.int32)
    """
    cdef Py_ssize_t wanted = parse_int(count, "frombuffer: count")
    cdef Py_ssize_t skip = parse_int(offset, "frombuffer: offset")
    cdef Py_ssize_t length, item, one = 1
    cdef Py_buffer *b
    cdef int dt = dtype_code(dtype)
    cdef Tensor t
    check_options(None, requires_grad, False, "frombuffer")
    if not PyObject_CheckBuffer(buffer):
        raise ValueError(f"frombuffer: object does not implement Python buffer protocol: got {type_text(buffer)}")
    view = PyMemoryView_FromObject(buffer)
    if not view.c_contiguous:
        raise ValueError("frombuffer: the buffer is not contiguous; copy it first")
    b = PyMemoryView_GET_BUFFER(view)
    length = b.len
    item = dtype_itemsize[dt]
    if length == 0 or wanted == 0:
        raise ValueError(f"both buffer length ({length}) and count ({wanted}) must not be 0")
    if skip < 0 or skip >= length:
        raise ValueError(f"offset ({skip} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus "
                         f"1")
    if wanted < 0:
        if (length - skip) % item != 0:
            raise ValueError(f"buffer length ({length - skip} bytes) after offset ({skip} bytes) must be a multiple of element "
                             f"size ({item})")
        wanted = (length - skip) // item
    elif wanted > (length - skip) // item:
        raise ValueError(f"requested buffer length ({wanted} * {item} bytes) after offset ({skip} bytes) must not be greater "
                         f"than actual buffer length ({length} bytes)")
    if (<size_t>b.buf + skip) % element_alignment(dt) != 0:
        raise ValueError(f"frombuffer: the elements would not be aligned: offset {skip} leaves an address that is no multiple of "
                         f"{element_alignment(dt)}; copy the bytes first, for example bytes(buffer[offset:])")
    t = tensor_new(1, dt, DEV_CPU)
    t.shape_[0] = wanted
    t.stride_[0] = one
    tensor_finish(t)
    tensor_set_storage(t, storage_foreign(<char *>b.buf + skip, wanted * item, b.readonly, view))
    return t


def _from_buffer(data, share):
    """buffer_tensor for tensorlib/interop.py; None when it cannot be shared."""
    cdef BufferProblem problem = BUFFER_OK
    t = buffer_tensor(data, share, &problem)
    if t is None and problem == BUFFER_FORMAT:
        raise TypeError(f"{type_text(data)}: {BUFFER_PROBLEMS[<int>problem]}")
    if t is None and not share:
        raise ValueError(<str>BUFFER_PROBLEMS[<int>problem])
    return t
