# The fields of a tensor and the functions that make one.
#
# Uses: attributes.pxi, storage.pxi, layout.pxd.  Provides: TensorBase, tensor_new, tensor_empty, tensor_empty_strided,
# tensor_view, tensor_data, tensor_layout_text and the checks every part shares.  Views, indexing, arithmetic and the public
# methods come after it; they see only these functions and fields.
#
# Invariants
#   T1  storage_ is never None; shape_ and stride_ address ndim_ numbers each: inline_dims, or one heap block beyond
#       INLINE_DIMS.
#   T2  every element lies inside the storage: offset + sum((shape[d] - 1) * stride[d]) < nbytes / itemsize unless numel_ == 0.
#       Memory is addressed through storage_.ptr at each use, because resize_ may move it.
#   T3  strides are in elements and never negative.
#   T4  flags and numel_ follow from shape and stride (tensor_finish); whoever writes those calls it.
#   T5  a plain Tensor is not tracked by the garbage collector unless its storage has an owner: nothing else it holds can point
#       back to it.  tensor_set_storage is the only way to give it a storage that may have one.

cdef enum:
    TENSOR_CONTIGUOUS = 1   # row-major without gaps (size-1 axes ignored)
    TENSOR_DENSE = 2        # no gaps, no overlap, any axis order


cdef extern from "pool.h":
    int tensor_pool_start(object type, Py_ssize_t array) except -1
    object tensor_make(int ndim, int dt, int dev)
    Py_ssize_t small_int(object o, int *small) noexcept


@cython.no_gc_clear        # T1 holds while the collector works; a cycle is broken at the storage's owner or a subclass's __dict__
cdef class TensorBase:
    cdef Storage storage_
    cdef Py_ssize_t *shape_
    cdef Py_ssize_t *stride_
    cdef Py_ssize_t offset
    cdef Py_ssize_t numel_
    cdef int ndim_
    cdef int dt
    cdef int dev
    cdef unsigned flags
    cdef Py_ssize_t serial       # for hash(): 0 until asked for
    cdef object __weakref__
    cdef Py_ssize_t inline_dims[2 * INLINE_DIMS]     # last, see pool.h

    def __cinit__(self):
        # Valid from the first moment on, whoever calls __new__: an empty float32 tensor of one dimension.
        self.storage_ = EMPTY_STORAGE
        self.shape_ = self.inline_dims
        self.stride_ = self.inline_dims + INLINE_DIMS
        self.ndim_ = 1
        self.shape_[0] = 0
        self.stride_[0] = 1
        self.offset = 0
        self.numel_ = 0
        self.serial = 0
        self.dt = DT_FLOAT32
        self.dev = DEV_CPU
        self.flags = TENSOR_CONTIGUOUS | TENSOR_DENSE

    def __dealloc__(self):
        if self.shape_ != self.inline_dims:
            free(self.shape_)


cdef class TensorViews(TensorBase)               # views.pxi
cdef class TensorIndexing(TensorViews)           # indexing.pxi
cdef class TensorInterchange(TensorIndexing)     # interchange.pxi
cdef class TensorMethods(TensorInterchange)      # generated: one method an op row
cdef class Tensor(TensorMethods)                 # object.pxi: everything else

cdef TensorBase first_tensor = TensorBase.__new__(TensorBase)
tensor_pool_start(Tensor, <char *>first_tensor.inline_dims - <char *><PyObject *>first_tensor)


cdef inline void tensor_set_storage(TensorBase t, Storage storage) noexcept:
    """Puts a tensor over a storage.  Only over foreign memory can it be part of a cycle, so only there is it tracked (T5)."""
    t.storage_ = storage
    if storage.owner is not None:
        gc_track_once(<PyObject *>t)


cdef inline char *tensor_data(TensorBase t) noexcept nogil:
    """Address of the first element; NULL without data (meta, no elements ever allocated)."""
    if t.storage_.ptr == NULL:
        return NULL
    return t.storage_.ptr + t.offset * dtype_itemsize[t.dt]


cdef Tensor tensor_new(int ndim, int dt, int dev):
    """An object with room for ndim dims; the caller fills shape_, stride_, storage_, offset and calls tensor_finish."""
    cdef Tensor t = <Tensor>tensor_make(ndim, dt, dev)
    t.flags = TENSOR_CONTIGUOUS | TENSOR_DENSE
    if ndim > INLINE_DIMS:
        tensor_reserve(t, ndim)
    return t


cdef int tensor_reserve(TensorBase t, int ndim) except -1:
    """Makes room for ndim dims (contents of shape_ and stride_ are then undefined)."""
    cdef Py_ssize_t *block = NULL
    if ndim > MAX_DIMS:
        raise RuntimeError(f"tensors have at most {MAX_DIMS} dimensions, got {ndim}")
    if ndim > INLINE_DIMS:
        block = <Py_ssize_t *>malloc(2 * ndim * sizeof(Py_ssize_t))
        if block == NULL:
            raise MemoryError("cannot allocate the dimensions of a tensor")
    if t.shape_ != t.inline_dims:
        free(t.shape_)
    if block != NULL:
        t.shape_ = block
        t.stride_ = block + ndim
    else:
        t.shape_ = t.inline_dims
        t.stride_ = t.inline_dims + INLINE_DIMS
    return 0


cdef inline void tensor_finish(TensorBase t) noexcept nogil:
    """Derives numel and flags from shape and stride (T4)."""
    cdef int d
    cdef Py_ssize_t n = 1, last = 0
    for d in range(t.ndim_):
        n *= t.shape_[d]
        last += (t.shape_[d] - 1) * t.stride_[d]
    t.numel_ = n
    if layout_is_contiguous(t.shape_, t.stride_, t.ndim_):
        t.flags = TENSOR_CONTIGUOUS | TENSOR_DENSE
    # n elements without gaps end at n - 1, so a last element elsewhere settles most slices at once.
    elif last == n - 1 and layout_is_dense(t.shape_, t.stride_, t.ndim_):
        t.flags = TENSOR_DENSE
    else:
        t.flags = 0


cdef Py_ssize_t shape_nbytes(const Py_ssize_t *shape, int ndim, int dt) except -1:
    """Bytes of a dense tensor; refuses negative sizes and what does not fit an address."""
    cdef int d
    cdef Py_ssize_t n
    for d in range(ndim):
        if shape[d] < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {shape[d]}: {dims_text(shape, ndim)}")
    n = layout_numel(shape, ndim)
    if n < 0 or n > PY_SSIZE_T_MAX // dtype_itemsize[dt]:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={dims_text(shape, ndim)}")
    return n * dtype_itemsize[dt]


cdef Tensor tensor_empty(const Py_ssize_t *shape, int ndim, int dt, int dev):
    """A fresh contiguous tensor, not initialised."""
    cdef Py_ssize_t nbytes = shape_nbytes(shape, ndim, dt)
    cdef Tensor t = tensor_new(ndim, dt, dev)
    cdef int d
    for d in range(ndim):
        t.shape_[d] = shape[d]
    layout_contiguous_strides(shape, ndim, t.stride_)
    t.numel_ = nbytes // dtype_itemsize[dt]
    t.storage_ = storage_new(nbytes, dev)
    return t


cdef Tensor tensor_empty_strided(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, int dt, int dev):
    """A fresh tensor of the given strides (non-negative), not initialised; its storage reaches to its last element."""
    cdef Tensor t
    cdef int d
    cdef Py_ssize_t lo, hi
    shape_nbytes(shape, ndim, dt)
    if layout_extent(shape, stride, ndim, dtype_itemsize[dt], &lo, &hi) != 0 or lo < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={dims_text(shape, ndim)} and "
                           f"strides={dims_text(stride, ndim)}")
    t = tensor_new(ndim, dt, dev)
    for d in range(ndim):
        t.shape_[d] = shape[d]
        t.stride_[d] = stride[d]
    tensor_finish(t)
    t.storage_ = storage_new(hi, dev)
    return t


cdef Tensor tensor_view(TensorBase base, const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, Py_ssize_t offset):
    """Another tensor over the same storage; the caller guarantees T2 and T3.  offset in elements from the storage's start."""
    cdef Tensor t = tensor_new(ndim, base.dt, base.dev)
    cdef int d
    for d in range(ndim):
        t.shape_[d] = shape[d]
        t.stride_[d] = stride[d]
    tensor_set_storage(t, base.storage_)
    t.offset = offset
    tensor_finish(t)
    return t


cdef Tensor tensor_alias(TensorBase base):
    """A new object with the same view."""
    cdef Tensor t = tensor_new(base.ndim_, base.dt, base.dev)
    cdef int d
    for d in range(base.ndim_):
        t.shape_[d] = base.shape_[d]
        t.stride_[d] = base.stride_[d]
    tensor_set_storage(t, base.storage_)
    t.offset = base.offset
    t.numel_ = base.numel_
    t.flags = base.flags
    return t


cdef str dims_text(const Py_ssize_t *dims, int ndim):
    """[2, 3]"""
    return str([dims[d] for d in range(ndim)])


cdef str tensor_layout_text(TensorBase t):
    """The layout as error messages show it: sizes@strides+offset, in elements."""
    shape = ",".join([str(t.shape_[d]) for d in range(t.ndim_)])
    stride = ",".join([str(t.stride_[d]) for d in range(t.ndim_)])
    return f"[{shape}]@[{stride}]+{t.offset}"


cdef int need_data(TensorBase t, str op) except -1:
    """Refuses what has no elements to read."""
    if t.dev != DEV_CPU:
        raise NotImplementedError(f"{op}: Cannot copy out of {device_object(t.dev)} tensor; no data!")
    return 0


cdef int need_writable(TensorBase t, str op) except -1:
    if t.storage_.flags & STORAGE_READONLY:
        raise RuntimeError(f"{op}: the destination is read-only memory; clone() it first")
    return 0


cdef inline int wrap_dim(Py_ssize_t dim, int ndim) except -1:
    """A dimension number, negative from the end; a zero-dim tensor counts as one dimension, as in PyTorch."""
    cdef int span = ndim if ndim > 0 else 1
    if dim < -span or dim >= span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})")
    return <int>(dim + span if dim < 0 else dim)


cdef int parse_dims(object dims, Py_ssize_t *out, str what) except -1:
    """Reads a tuple, list or Size of integers (or one integer) into out; returns how many.  bool is not an integer here."""
    cdef Py_ssize_t n, i
    if isinstance(dims, (tuple, list)):
        dims = tuple(dims)                  # an element's __index__ may change a list
        n = len(dims)
        if n > MAX_DIMS:
            raise RuntimeError(f"{what}: at most {MAX_DIMS} dimensions, got {n}")
        for i in range(n):
            out[i] = parse_int(dims[i], what)
        return <int>n
    out[0] = parse_int(dims, what)
    return 1


cdef Py_ssize_t parse_int(object value, str what) except? -1:
    """An argument that is an integer, or stands for one; bool is not one here."""
    cdef int overflow = 0
    cdef Py_ssize_t number
    if type(value) is not int:
        if isinstance(value, bool) or not hasattr(type(value), "__index__"):
            raise TypeError(f"{what}: must be int, not {type(value).__name__} ({value!r})")
        value = value.__index__()
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow:
        raise ValueError(f"{what}: {number_text(value)} does not fit in 64 bits")
    return number
