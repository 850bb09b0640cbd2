# Tensors as Python numbers, lists, buffers and arrays of other libraries; and new tensors like an existing one (new_*).
#
# Uses: scalars, factories, construct, indexing .pxi; tensorlib/interop.py through HOOKS.
# Provides: TensorInterchange, tensor_item, tensor_list.
#
# The buffer protocol shares the memory: while a buffer is out, the storage counts it in `exports` (S4) and is neither moved
# nor freed.

cdef extern from "Python.h":
    object PyList_New(Py_ssize_t n)
    void PyList_SET_ITEM(object list, Py_ssize_t i, PyObject *item)
    PyObject *PyFloat_FromDouble(double x) except NULL
    PyObject *PyLong_FromLongLong(long long x) except NULL
    int PyBUF_C_CONTIGUOUS, PyBUF_F_CONTIGUOUS, PyBUF_ANY_CONTIGUOUS      # the others: storage.pxi


cdef object tensor_item(TensorBase t, str op):
    """The value of a tensor with one element."""
    if t.numel_ != 1:
        raise RuntimeError(f"a Tensor with {t.numel_} elements cannot be converted to Scalar")
    if t.dev != DEV_CPU:
        raise RuntimeError(f"Tensor.item() cannot be called on {device_object(t.dev)} tensors")
    return value_load(tensor_data(t), t.dt)


cdef object python_number(TensorBase t, str what):
    """The element behind int(), float() and complex()."""
    if t.numel_ != 1:
        raise ValueError(f"only one element tensors can be converted to Python scalars: {what}() of {t.numel_} elements")
    return tensor_item(t, what)


cdef double real_number(TensorBase t, str what, str c_name) except? -1.0:
    value = python_number(t, what)
    if PyComplex_CheckExact(value):
        if PyComplex_ImagAsDouble(value) != 0:
            raise RuntimeError(f"value cannot be converted to type {c_name} without overflow: {what}() of {value}")
        return PyComplex_RealAsDouble(value)
    return value


# -- lists ------------------------------------------------------------------------------------------------------------

cdef object tensor_list(TensorBase t):
    """Nested lists of Python numbers, in logical order."""
    if t.dev != DEV_CPU:
        raise NotImplementedError(f"tolist: Cannot copy out of {device_object(t.dev)} tensor; no data!")
    load_need_cast(t.dt, "tolist")
    if t.ndim_ == 0:
        return value_load(tensor_data(t), t.dt)
    hold(t, 1)                 # making lists may run finalizers
    try:
        return list_level(t, 0, tensor_data(t))
    finally:
        hold(t, -1)


cdef list list_level(TensorBase t, int depth, const char *p):
    cdef Py_ssize_t i, n = t.shape_[depth], step = t.stride_[depth] * dtype_itemsize[t.dt]
    if depth == t.ndim_ - 1:
        return list_row(p, n, step, t.dt)
    out = [None] * n
    for i in range(n):
        out[i] = list_level(t, depth + 1, p + i * step if t.numel_ > 0 else p)
    return out


cdef list list_row(const char *p, Py_ssize_t n, Py_ssize_t step, int dt):
    """n elements, step bytes apart.  The types that lists are mostly made of have their own loops."""
    cdef Py_ssize_t i
    out = <list>PyList_New(n)
    if dt == DT_FLOAT32:
        for i in range(n):
            PyList_SET_ITEM(out, i, PyFloat_FromDouble((<const float *>p)[0]))
            p += step
    elif dt == DT_FLOAT64:
        for i in range(n):
            PyList_SET_ITEM(out, i, PyFloat_FromDouble((<const double *>p)[0]))
            p += step
    elif dt == DT_INT64:
        for i in range(n):
            PyList_SET_ITEM(out, i, PyLong_FromLongLong((<const int64_t *>p)[0]))
            p += step
    elif dt == DT_INT32:
        for i in range(n):
            PyList_SET_ITEM(out, i, PyLong_FromLongLong((<const int32_t *>p)[0]))
            p += step
    elif dt == DT_UINT8:
        for i in range(n):
            PyList_SET_ITEM(out, i, PyLong_FromLongLong((<const uint8_t *>p)[0]))
            p += step
    else:
        for i in range(n):
            item = value_load(p, dt)
            Py_INCREF(item)
            PyList_SET_ITEM(out, i, <PyObject *>item)
            p += step
    return out


# -- buffers ----------------------------------------------------------------------------------------------------------

cdef inline char *buffer_format(int dt) noexcept:
    """The table's letter; C's long where that is the 64-bit integer, as NumPy's own int64 is."""
    if sizeof(long) == 8 and dt == DT_INT64:
        return b"l"
    if sizeof(long) == 8 and dt == DT_UINT64:
        return b"L"
    return <char *>dtype_buffer[dt]


cdef int buffer_export(TensorBase t, Py_buffer *view, int flags) except -1:
    cdef Py_ssize_t *dims
    cdef Py_ssize_t item = dtype_itemsize[t.dt]
    cdef int d
    if t.dev != DEV_CPU:
        raise BufferError(f"the tensor is on {device_object(t.dev)} and has no data to share")
    if dtype_buffer[t.dt] == NULL:
        raise BufferError(f"{dtype_object(t.dt)} has no format in the buffer protocol: convert the tensor, or share its bytes "
                          f"with view(tensorlib.uint{8 * min(item, 8)})")
    if flags & PyBUF_WRITABLE and t.storage_.flags & STORAGE_READONLY:
        raise BufferError("the tensor is over read-only memory; clone() it to get writable memory")
    if not t.flags & TENSOR_CONTIGUOUS:
        if flags & PyBUF_STRIDES != PyBUF_STRIDES or flags & PyBUF_C_CONTIGUOUS == PyBUF_C_CONTIGUOUS:
            raise BufferError(f"the tensor {tensor_layout_text(t)} is not contiguous; call contiguous() first")
        if ((flags & PyBUF_F_CONTIGUOUS == PyBUF_F_CONTIGUOUS or flags & PyBUF_ANY_CONTIGUOUS == PyBUF_ANY_CONTIGUOUS)
                and not is_fortran(t)):
            raise BufferError(f"the tensor {tensor_layout_text(t)} is not contiguous; call contiguous() first")
    elif flags & PyBUF_F_CONTIGUOUS == PyBUF_F_CONTIGUOUS and not is_fortran(t):
        raise BufferError(f"the tensor {tensor_layout_text(t)} is not in Fortran order")
    dims = <Py_ssize_t *>malloc((2 * t.ndim_ + 1) * sizeof(Py_ssize_t))
    if dims == NULL:
        raise MemoryError("buffer: cannot allocate the dimensions")
    for d in range(t.ndim_):
        dims[d] = t.shape_[d]
        dims[t.ndim_ + d] = t.stride_[d] * item
    view.buf = tensor_data(t)
    if view.buf == NULL:
        view.buf = <void *>dims          # no elements: any address that is not NULL
    if t.numel_ > PY_SSIZE_T_MAX // item:
        raise BufferError(f"the buffer protocol counts bytes in 64 bits; {t.numel_} elements of {item} bytes are too many")
    view.len = t.numel_ * item
    view.itemsize = item
    view.readonly = (t.storage_.flags & STORAGE_READONLY) != 0
    view.format = buffer_format(t.dt) if flags & PyBUF_FORMAT else NULL
    view.ndim = t.ndim_ if flags & PyBUF_ND else 1
    view.shape = dims if flags & PyBUF_ND and t.ndim_ > 0 else NULL
    view.strides = dims + t.ndim_ if flags & PyBUF_STRIDES == PyBUF_STRIDES and t.ndim_ > 0 else NULL
    view.suboffsets = NULL
    view.internal = dims
    t.storage_.exports += 1
    return 0


cdef bint is_fortran(TensorBase t) noexcept:
    """Column-major without gaps (strides of size-1 axes do not count)."""
    cdef Py_ssize_t run = 1
    cdef int d
    if t.numel_ == 0:
        return True
    for d in range(t.ndim_):
        if t.shape_[d] != 1:
            if t.stride_[d] != run:
                return False
            run *= t.shape_[d]
    return True


# -- NumPy arrays -----------------------------------------------------------------------------------------------------

cdef PyObject *numpy_class = NULL                  # numpy.ndarray, once NumPy was needed; kept for the life of the process
cdef PyObject *numpy_dtypes[DTYPE_COUNT]           # numpy.dtype by code, as they are asked for; NULL before


def _remember_numpy(cls, dtype_, numpy_dtype):
    """Lets numpy() make arrays of a dtype without asking tensorlib/interop.py again."""
    global numpy_class
    cdef int dt = dtype_code(dtype_)
    if numpy_class == NULL:
        Py_INCREF(cls)
        numpy_class = <PyObject *>cls
    if numpy_dtypes[dt] == NULL:
        Py_INCREF(numpy_dtype)
        numpy_dtypes[dt] = <PyObject *>numpy_dtype


cdef object numpy_array(TensorBase t):
    """An array over the tensor's memory.  A memoryview of the storage is its base and keeps the storage exported: from the
    tensor itself NumPy would take the buffer, note the address and give the buffer back."""
    cdef Py_ssize_t item = dtype_itemsize[t.dt]
    cdef int d
    if numpy_class == NULL or numpy_dtypes[t.dt] == NULL or t.dev != DEV_CPU or t.numel_ == 0:
        return HOOKS["to_numpy"](t)
    shape = tuple([t.shape_[d] for d in range(t.ndim_)])
    strides = tuple([t.stride_[d] * item for d in range(t.ndim_)])
    return (<object>numpy_class)(shape, <object>numpy_dtypes[t.dt], PyMemoryView_FromObject(t.storage_), t.offset * item, strides)


# -- the class --------------------------------------------------------------------------------------------------------

cdef class TensorInterchange(TensorIndexing):

    def item(self):
        """The value of a tensor with one element as a Python bool, int, float or complex."""
        return tensor_item(self, "item")

    def tolist(self):
        """The elements as nested lists of Python numbers; a zero-dim tensor gives the number itself."""
        return tensor_list(self)

    def __bool__(self):
        if self.numel_ != 1:
            if self.numel_ == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self.dev == DEV_CPU and self.dt == DT_BOOL:
            return tensor_data(self)[0] != 0
        return bool(tensor_item(self, "bool"))

    def __int__(self):
        if self.numel_ == 1 and dtype_category[self.dt] < 2:
            return int(python_number(self, "int"))
        return int(real_number(self, "int", "int64_t"))

    def __float__(self):
        return real_number(self, "float", "double")

    def __complex__(self):
        return complex(python_number(self, "complex"))

    def __index__(self):
        if self.numel_ != 1 or dtype_category[self.dt] < 0 or dtype_category[self.dt] > 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(tensor_item(self, "index"))

    def __getbuffer__(self, Py_buffer *view, int flags):
        buffer_export(self, view, flags)
        view.obj = self

    def __releasebuffer__(self, Py_buffer *view):
        free(view.internal)
        self.storage_.exports -= 1

    def numpy(self, *, force=False):
        """The tensor as a NumPy array over the same memory, strides included.

        ``force`` is accepted for PyTorch's sake: there is no gradient to drop and no other device to copy from yet.  Raises
        TypeError for dtypes that neither NumPy nor ml_dtypes has, and for tensors without data; ImportError when NumPy is not
        installed.
        """
        if force and self.dev != DEV_CPU:
            return (<object>self).cpu().numpy()
        return numpy_array(self)

    def __array__(self, dtype=None, copy=None):
        return HOOKS["to_array"](self, dtype, copy)

    # new_*: the dtype and device of this tensor unless the keywords say otherwise.

    def new_empty(self, *args, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
                  memory_format=None):
        """An uninitialised tensor of the given size with this tensor's dtype and device."""
        return new_sized(self, args, size, -1, dtype, layout, device, requires_grad, pin_memory, memory_format, "new_empty")

    def new_zeros(self, *args, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
                  memory_format=None):
        """A tensor of zeros of the given size with this tensor's dtype and device."""
        return new_sized(self, args, size, 0, dtype, layout, device, requires_grad, pin_memory, memory_format, "new_zeros")

    def new_ones(self, *args, size=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
                 memory_format=None):
        """A tensor of ones of the given size with this tensor's dtype and device."""
        return new_sized(self, args, size, 1, dtype, layout, device, requires_grad, pin_memory, memory_format, "new_ones")

    def new_full(self, size, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
                 memory_format=None):
        """A tensor filled with one number, of the given size and with this tensor's dtype and device."""
        cdef Py_ssize_t shape[MAX_DIMS]
        cdef int ndim = parse_int_tuple(size, "size", 1, shape, "new_full")
        check_options(layout, requires_grad, pin_memory, "new_full")
        return make_full(shape, ndim, fill_value, self.dt, dtype, new_device(self, device), None, memory_format, "new_full")

    def new_empty_strided(self, size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
        """As ``empty_strided``, with this tensor's dtype and device."""
        return empty_strided(size, stride, dtype=dtype_object(self.dt) if dtype is None else dtype, layout=layout,
                             device=new_device(self, device), requires_grad=requires_grad, pin_memory=pin_memory)

    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
        """A new tensor with a copy of the data, of this tensor's dtype and device (see ``tensor``)."""
        return tensor(data, dtype=dtype_object(self.dt) if dtype is None else dtype, device=new_device(self, device),
                      requires_grad=requires_grad, pin_memory=pin_memory)


cdef object new_device(TensorBase self, object device_):
    """What the new_* methods pass on as device=: the default device plays no part in them."""
    return device_object(self.dev) if device_ is None else device_


cdef Tensor new_sized(TensorBase self, tuple args, object size, int number, object dtype_, object layout_, object device_,
                      object requires_grad, object pin_memory, object memory_format_, str op):
    """new_empty (number -1), new_zeros, new_ones."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int ndim = parse_size(args, size, shape, op)
    cdef int dt = new_dtype(dtype_, self.dt)
    cdef int dev = self.dev if device_ is None else device_for_new(device_)
    cdef Value v
    cdef Tensor t
    check_options(layout_, requires_grad, pin_memory, op)
    if number >= 0:
        number_bytes(number, dt, &v, op)
    t = new_formatted(shape, ndim, dt, dev, memory_format_, op)
    if number >= 0:
        fill_value(t, &v)
        return t
    return finish_empty(t)
