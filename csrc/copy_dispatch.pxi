# Copies, conversions and fills: what happens when elements move without arithmetic.
#
# Uses: tensor.pxi, scalars.pxi, dispatch.pxi (check_write, check_destination); plan.pxd.
# Provides: tensor_copy, tensor_fill, tensor_clone, tensor_contiguous, tensor_to, tensor_cast.
#
# Overlap rules: decisions 8 and 10.  Memory formats: decisions 1, 3, 4.

cdef object FORMAT_OBJECT_CONTIGUOUS = format_object(FORMAT_CONTIGUOUS)     # defaults of memory_format=
cdef object FORMAT_OBJECT_PRESERVE = format_object(FORMAT_PRESERVE)


cdef int tensor_copy(TensorBase dst, TensorBase src, str op) except -1:
    """dst[...] = src with src broadcast to dst's shape; any dtypes with a defined cast, equal dtypes of any kind."""
    cdef Plan plan
    cdef Operands o
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int d, pad
    need_writable(dst, op)
    check_cast(src.dt, dst.dt, op)
    if dtype_category[src.dt] == 3 and dtype_category[dst.dt] < 3 and dst.dt != DT_BOOL and src.dev == dst.dev:
        warn_complex_discard()                     # before any look at the shapes: a warning may run Python code
    pad = dst.ndim_ - src.ndim_
    for d in range(src.ndim_):
        if (pad + d < 0 and src.shape_[d] != 1) or (pad + d >= 0 and src.shape_[d] != dst.shape_[pad + d] and src.shape_[d] != 1):
            raise RuntimeError(f"{op}: the source of shape {dims_text(src.shape_, src.ndim_)} cannot be broadcast to the "
                               f"destination's shape {dims_text(dst.shape_, dst.ndim_)}")
        if pad < 0 and d < -pad:
            raise RuntimeError(f"{op}: output with shape {dims_text(dst.shape_, dst.ndim_)} doesn't match the broadcast shape "
                               f"{dims_text(src.shape_, src.ndim_)}")
    if dst.dev != src.dev:
        if dst.dev == DEV_CPU:
            need_data(src, op)
        return 0                                   # copying to meta moves nothing
    check_copy_overlap(dst, src, op)
    if dst.dev != DEV_CPU or dst.numel_ == 0:
        return 0
    if identical_view(dst, src):
        return 0
    o.n = 2
    operands_set(&o, 0, dst)
    operands_set(&o, 1, src)
    if pad < 0:                                    # leading 1s of the source do not count
        o.ndim[1] = dst.ndim_
        o.shape[1] = src.shape_ - pad
        o.stride[1] = src.stride_ - pad
    plan_build(&plan, 2, o.ndim, o.shape, o.stride, o.data, o.dtype, dst.shape_, dst.ndim_)
    run_copy(&plan, dst, src)
    return 0


cdef int run_copy(Plan *plan, TensorBase dst, TensorBase src) except -1:
    if plan.numel <= GRAIN:
        K.copy(plan)
        return 0
    dst.storage_.exports += 1
    src.storage_.exports += 1
    with nogil:
        K.copy(plan)
    dst.storage_.exports -= 1
    src.storage_.exports -= 1
    return 0


cdef int check_cast(int src, int dst, str op) except -1:
    if src == dst or (src < CASTABLE_DTYPES and dst < CASTABLE_DTYPES):
        return 0
    raise NotImplementedError(f"{op}: there is no conversion from {dtype_object(src)} to {dtype_object(dst)}; "
                              f"shell dtypes are copied and compared as bytes only")


cdef int warn_complex_discard() except -1:
    import warnings
    warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
    return 0


cdef inline bint identical_view(TensorBase x, TensorBase y) noexcept nogil:
    return (x.dt == y.dt and x.storage_ is y.storage_ and x.offset == y.offset
            and overlap_is_identical(x.shape_, x.stride_, x.ndim_, y.shape_, y.stride_, y.ndim_))


cdef bint same_shape_but_leading_ones(TensorBase x, TensorBase y) noexcept nogil:
    cdef int i = 0, j = 0
    while i < x.ndim_ and x.shape_[i] == 1:
        i += 1
    while j < y.ndim_ and y.shape_[j] == 1:
        j += 1
    return x.ndim_ - i == y.ndim_ - j and same_dims(x.shape_ + i, y.shape_ + j, x.ndim_ - i)


cdef int check_copy_overlap(TensorBase dst, TensorBase src, str op) except -1:
    """Decision 8: identical views and shifted row-major blocks pass (the kernel moves those as memmove does)."""
    if identical_view(dst, src):
        return 0
    if (dst.dt == src.dt and dst.flags & src.flags & TENSOR_CONTIGUOUS and same_shape_but_leading_ones(dst, src)):
        return 0
    if src.ndim_ > 0 or op == "copy_":             # one value may go to one place many times (decision 10)
        check_destination(dst, op)
    return check_write(dst, src, op, "the source")


cdef Tensor number_tensor(object number, str op):
    """A Python number as a zero-dim cpu tensor that holds it as Python does."""
    cdef int category = need_number(number, op)
    cdef int dt = DT_BOOL if category == 0 else DT_INT64 if category == 1 else DT_FLOAT64 if category == 2 else DT_COMPLEX128
    cdef Tensor t
    number = plain_number(number, category)
    if dt == DT_INT64 and number >> 63 == 1:
        dt = DT_UINT64
    t = tensor_empty(NULL, 0, dt, DEV_CPU)
    value_store(number, dt, tensor_data(t), op)
    return t


cdef int tensor_fill(TensorBase dst, object value, str op) except -1:
    """Writes one number to every element; the destination may repeat locations (decision 10)."""
    cdef Plan plan
    cdef Operands o
    need_writable(dst, op)
    if dst.dt >= CASTABLE_DTYPES:
        raise NotImplementedError(f"{op}: {dst.dtype} is a shell dtype and takes no numbers; view it as an integer dtype")
    value_store(value, dst.dt, <char *>o.value[1], op)      # may run Python code, so the address is read after it
    operands_set(&o, 0, dst)
    if dst.dev != DEV_CPU or dst.numel_ == 0:
        return 0
    o.n = 2
    operands_set_value(&o, 1, dst.dt)
    plan_build(&plan, 2, o.ndim, o.shape, o.stride, o.data, o.dtype, dst.shape_, dst.ndim_)
    return run_copy(&plan, dst, dst)


# -- fresh copies -----------------------------------------------------------------------------------------------------

cdef Tensor tensor_empty_format(TensorBase like, int dt, int dev, int fmt):
    """A fresh tensor of like's shape; preserve: a dense layout is kept, any other becomes contiguous (decision 1)."""
    cdef Py_ssize_t stride[MAX_DIMS]
    if fmt == FORMAT_PRESERVE:
        if like.flags & TENSOR_DENSE:
            return tensor_empty_dense(like.shape_, like.stride_, like.ndim_, dt, dev)
        fmt = FORMAT_CONTIGUOUS
    format_need_rank(fmt, like.ndim_)
    format_strides(like.shape_, like.ndim_, fmt, stride)
    return tensor_empty_dense(like.shape_, stride, like.ndim_, dt, dev)


cdef int format_need_rank(int fmt, int ndim) except -1:
    if fmt == FORMAT_CHANNELS_LAST and ndim != 4:
        raise RuntimeError(f"required rank 4 tensor to use channels_last format, got rank {ndim}")
    if fmt == FORMAT_CHANNELS_LAST_3D and ndim != 5:
        raise RuntimeError(f"required rank 5 tensor to use channels_last_3d format, got rank {ndim}")
    return 0


cdef Tensor tensor_cast(TensorBase t, int dt, int dev, int fmt, str op):
    """A copy of t in another dtype, device or format."""
    cdef Tensor fresh
    check_cast(t.dt, dt, op)
    if dev == DEV_CPU:
        need_data(t, op)
    fresh = tensor_empty_format(t, dt, dev, fmt)
    tensor_copy(fresh, t, op)
    return fresh


cdef Tensor tensor_clone(TensorBase t, int fmt):
    return tensor_cast_same_device(t, t.dt, fmt, "clone")


cdef Tensor tensor_cast_same_device(TensorBase t, int dt, int fmt, str op):
    cdef Tensor fresh
    check_cast(t.dt, dt, op)
    fresh = tensor_empty_format(t, dt, t.dev, fmt)
    tensor_copy(fresh, t, op)
    return fresh


cdef Tensor tensor_contiguous(TensorBase t, int fmt):
    """t itself when it already lies that way, otherwise a copy in that format."""
    if fmt == FORMAT_PRESERVE:
        if t.flags & TENSOR_CONTIGUOUS:
            return <Tensor>t
        raise RuntimeError("contiguous: preserve memory format is unsupported by the contiguous operator")
    format_need_rank(fmt, t.ndim_)
    if (t.flags & TENSOR_CONTIGUOUS) if fmt == FORMAT_CONTIGUOUS else format_is(t.shape_, t.stride_, t.ndim_, fmt):
        return <Tensor>t
    return tensor_clone(t, fmt)


cdef Tensor tensor_to(TensorBase t, int dt, int dev, bint copy, int fmt):
    """The conversion behind Tensor.to: t itself when dtype, device and format already are as asked and no copy is."""
    if dt == t.dt and dev == t.dev and not copy:
        if fmt == FORMAT_PRESERVE or to_keeps_format(t, fmt):
            return <Tensor>t
    if dev != t.dev:
        return tensor_cast(t, dt, dev, fmt, "to")
    return tensor_cast_same_device(t, dt, fmt, "to")


cdef bint to_keeps_format(TensorBase t, int fmt) noexcept nogil:
    """As PyTorch decides, by the suggested format; contiguous_format must also be there (decision 3)."""
    if fmt == FORMAT_CONTIGUOUS and not t.flags & TENSOR_CONTIGUOUS:
        return False
    return <int>format_suggested(t.shape_, t.stride_, t.ndim_) == fmt
