# Reductions over chosen dimensions: the rows of REDUCTIONS in _optable/.
#
# Uses: dispatch.pxi (destination checks), plan.pxd (plan_build_reduce, plan_reduce_strides).  Provides: reduce.
#
# The order of work is that of dispatch.pxi.  Which dtype accumulates is the row's rule; every output adds its elements in
# one fixed order, whatever the memory layout, CPU level or thread count (csrc/reduce.pxi says which).


cdef int parse_reduced(object dim, TensorBase x, bint *reduced, str op) except -1:
    """Marks the dimensions to reduce; None and an empty tuple mean all.  Returns how many."""
    cdef int k, n, d, count = 0
    for k in range(x.ndim_):
        reduced[k] = False
    if dim is None or (isinstance(dim, (tuple, list)) and len(dim) == 0):
        for k in range(x.ndim_):
            reduced[k] = True
        return x.ndim_
    dim = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)      # an element's __index__ may change a list
    n = len(dim)
    for k in range(n):
        d = wrap_dim(parse_int(dim[k], f"{op}: dim"), x.ndim_)
        if x.ndim_ == 0:
            count += 1
            if count > 1:
                raise RuntimeError(f"{op}: dim {d} appears multiple times in the list of dims")
            continue
        if reduced[d]:
            raise RuntimeError(f"{op}: dim {d} appears multiple times in the list of dims")
        reduced[d] = True
        count += 1
    return count


cdef int reduce_dtypes(int red, int dt, object dtype, TensorBase out, int *acc) except -1:
    """The accumulator's dtype and the result's, by the row's rules."""
    cdef int category = dtype_category[dt]
    cdef int source, result, compute
    name = red_names[red].decode()
    if category < 0 or dtype_tier[dt] >= TIER_CAST:
        no_reduction(red, dt, dt)
    if red_accumulate[red] == ACCUMULATE_BOOL:
        acc[0] = DT_BOOL
        return DT_UINT8 if dt == DT_UINT8 else DT_BOOL
    source = dt
    if dtype is not None:
        source = dtype_code(dtype)
    elif red_accumulate[red] == ACCUMULATE_WIDE and out is not None:
        if not (red_on[red] >> category) & 1:
            no_reduction(red, dt, dt)
        source = out.dt                          # the input is cast to out's dtype first, as PyTorch does
        if not (red_on[red] >> dtype_category[source]) & 1:
            raise RuntimeError(f"{name}: result type {dtype_scalar_name[dt].decode()} can't be cast to the desired output type "
                               f"{dtype_scalar_name[source].decode()}")
    category = dtype_category[source]
    if category < 0 or dtype_tier[source] >= TIER_CAST:
        no_reduction(red, source, dt)
    if red_result[red] == RED_RESULT_SUM and dtype is None and out is None and category < 2:
        result = DT_UINT64 if dt == DT_UINT64 else DT_INT64
    else:
        result = source
    if not (red_on[red] >> dtype_category[source]) & 1:
        no_reduction(red, source, dt)
    compute = dtype_compute[source]
    if red_accumulate[red] == ACCUMULATE_WIDE:
        if category < 2:
            acc[0] = DT_UINT64 if source == DT_UINT64 else DT_INT64
        else:
            acc[0] = DT_FLOAT64 if category == 2 else DT_COMPLEX128
    else:
        acc[0] = compute
    return result


cdef int no_reduction(int red, int dt, int input) except -1:
    """dt is the dtype that has no such reduction: the input's own, or the one asked for by dtype=."""
    name = red_names[red].decode()
    if name == "mean" and 0 <= dtype_category[dt] < 2:
        what = "Input" if dt == input else "Optional"
        raise RuntimeError(f"mean(): could not infer output dtype. {what} dtype must be either a floating point or complex "
                           f"dtype. Got: {dtype_scalar_name[dt].decode()} for an input of dtype {dtype_names[input].decode()}; "
                           f"pass a floating point or complex dtype=")
    raise NotImplementedError(f"{name}: not implemented for '{dtype_scalar_name[dt].decode()}', the input being "
                              f"{dtype_names[input].decode()} ({dtype_scalar_name[input].decode()})")


cdef object reduce(int red, object input, object dim, bint keepdim, object dtype, object out):
    name = red_names[red].decode()
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}: input must be a Tensor, not {type(input).__name__}")
    hold(input, 1)
    try:
        return reduce_held(red, input, dim, keepdim, dtype, check_out(out, name), name)
    finally:
        hold(input, -1)


cdef object reduce_held(int red, object input, object dim, bint keepdim, object dtype, Tensor dst, str name):
    """The reduction; input is [held] (dispatch.pxi)."""
    cdef bint reduced[MAX_DIMS]
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef ReducePlan plan
    cdef TensorBase x = <TensorBase>input
    cdef int d, ndim = 0, acc, result
    cdef Py_ssize_t count = 1
    parse_reduced(dim, x, reduced, name)
    result = reduce_dtypes(red, x.dt, dtype, dst, &acc)
    for d in range(x.ndim_):
        if reduced[d]:
            count *= x.shape_[d]
            if red_start[red] == START_FIRST and x.shape_[d] == 0:
                raise empty_reduction(name, dim, d)
            if keepdim:
                shape[ndim] = 1
                ndim += 1
        else:
            shape[ndim] = x.shape_[d]
            ndim += 1
    plan_reduce_strides(x.shape_, x.stride_, x.ndim_, reduced, keepdim, stride)
    if dst is None:
        dst = tensor_empty_dense(shape, stride, ndim, result, x.dev)
    else:
        check_reduction_out(red, result, dst, dtype, name)
        if dst.dev != x.dev:
            raise RuntimeError(f"{name}: Expected all tensors to be on the same device, but the input is on "
                               f"{device_object(x.dev)} and out is on {device_object(dst.dev)}!")
        if dst is input and not (dst.ndim_ == ndim and same_dims(dst.shape_, shape, ndim)):
            raise RuntimeError(f"{name}: out is also the input and has shape {dims_text(dst.shape_, dst.ndim_)}, but the "
                               f"result has shape {dims_text(shape, ndim)}")
        need_writable(dst, name)
        check_destination(dst, name)
        fit_out(dst, shape, ndim, stride, name)
        check_write(dst, x, name, "the input")
    if dst.dev != DEV_CPU or dst.numel_ == 0:
        return dst
    plan_build_reduce(&plan, x.shape_, x.stride_, x.ndim_, dtype_itemsize[x.dt], reduced, dst.stride_,
                      dtype_itemsize[dst.dt], keepdim)
    plan.op = red
    plan.in_dtype = x.dt
    plan.acc_dtype = acc
    plan.out_dtype = dst.dt
    plan.input = tensor_data(x)
    plan.output = tensor_data(dst)
    if x.numel_ <= GRAIN:
        K.reduce(&plan)
        return dst
    dst.storage_.exports += 1
    with nogil:
        K.reduce(&plan)
    dst.storage_.exports -= 1
    return dst


cdef object empty_reduction(str name, object dim, int d):
    if dim is None or (isinstance(dim, (tuple, list)) and len(dim) == 0):
        return RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                            f"dim with the 'dim' argument.")
    return IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


cdef int check_reduction_out(int red, int result, TensorBase out, object dtype, str name) except -1:
    """sum takes any out, mean a floating or complex one; amax and amin the input's dtype; any and all bool or uint8."""
    if red_accumulate[red] == ACCUMULATE_BOOL:
        if out.dt == DT_BOOL or out.dt == DT_UINT8:
            return 0
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {dtype_scalar_name[out.dt].decode()}")
    if out.dt != result:
        raise RuntimeError(f"{name}: Expected out tensor to have dtype {dtype_names[result].decode()}, but got "
                           f"{dtype_names[out.dt].decode()} instead")
    return 0
