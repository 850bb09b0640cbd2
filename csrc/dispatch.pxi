# The way of every pointwise call: from Python operands to a plan that a kernel runs.
#
# Uses: attributes, promotion, scalars, tensor .pxi; plan.pxd, overlap.pxd, kernel_api.pxd.
# Provides: pointwise (all arities, out=, in place), check_write, check_destination, fit_out, hold, tensor_empty_dense.
#
# The order of work is the promise "all checks finish before the first byte is written":
#   1 operands   2 device   3 dtypes   4 broadcast shape   5 destination: dtype, shape, read-only, overlap
#   6 allocate   7 plan     8 run
# meta stops after 7, so whatever meta accepts was planned without touching data.
#
# What distinguishes one operation from another is a field of its row (op_* in tables.h): no operation is named here, but for
# the two comparisons that stand for a known answer.
#
# Named notes
#   [number operands]  A Python number is stored once, in the compute dtype, in Operands.value, and enters the plan as a
#                      zero-dim operand of that dtype: no tensor object.  Plan.via rounds it to a reduced common dtype first.
#   [cast operands]    For the strides of the result, an operand of another dtype than the common one counts as its dense cast:
#                      expanded dimensions of it have a say, as they have where the cast is written out.
#   [held]             Numbers may be objects whose __float__ runs Python code, an allocation may run finalizers, and a loop runs
#                      without the GIL: meanwhile somebody may want to resize an operand.  So operands are held, like exported
#                      buffers, from the first look at their shape to the end of the run; resizing a held storage is refused.

from libc.math cimport NAN

cdef const KernelTable *K = NULL            # the kernels of the chosen CPU level, set once at import


def _set_kernels(capsule):
    """Takes the table of a kernel module; called once by tensorlib/__init__.py."""
    global K
    K = <const KernelTable *>PyCapsule_GetPointer(capsule, "tensorlib.kernels")
    return K.level.decode()


cdef extern from "Python.h":
    void *PyCapsule_GetPointer(object capsule, const char *name) except NULL


class OverlapError(RuntimeError, ValueError):
    """A call would write memory that it also reads, or write one place twice; nothing was written."""
    __module__ = "tensorlib"


cdef enum:
    RULE_INPLACE = 1     # operand 0 is also the first input


cdef struct Operands:
    # Operand 0 is the output.  shape and stride point into tensors, or nowhere for numbers.
    int n
    int ndim[MAX_OPERANDS]
    const Py_ssize_t *shape[MAX_OPERANDS]
    const Py_ssize_t *stride[MAX_OPERANDS]
    char *data[MAX_OPERANDS]
    int dtype[MAX_OPERANDS]
    Py_ssize_t value[MAX_OPERANDS][2]     # [number operands]


cdef inline void operands_set(Operands *o, int k, TensorBase t) noexcept:
    o.ndim[k] = t.ndim_
    o.shape[k] = t.shape_
    o.stride[k] = t.stride_
    o.data[k] = tensor_data(t)
    o.dtype[k] = t.dt


cdef inline void operands_set_value(Operands *o, int k, int dt) noexcept:
    o.ndim[k] = 0
    o.shape[k] = NULL
    o.stride[k] = NULL
    o.data[k] = <char *>o.value[k]
    o.dtype[k] = dt


# -- 2 device ---------------------------------------------------------------------------------------------------------

cdef int join_device(TensorBase t, int dev, bint *pinned) except -2:
    """The device of a call so far (-1: none) joined by one more tensor.  A zero-dim cpu tensor joins any device."""
    if dev == -1:
        pinned[0] = t.ndim_ > 0 or t.dev != DEV_CPU
        return t.dev
    if t.dev == dev:
        pinned[0] = pinned[0] or t.ndim_ > 0
        return dev
    if t.dev == DEV_CPU and t.ndim_ == 0:
        return dev
    if dev == DEV_CPU and not pinned[0]:
        pinned[0] = True
        return t.dev
    raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, "
                       f"{device_object(dev)} and {device_object(t.dev)}!")


# -- 3 dtypes ---------------------------------------------------------------------------------------------------------

cdef inline int op_common_dtype(int op, int common) noexcept:
    """The dtype the row computes for: a "float" row takes bool and integers as the default dtype."""
    if op_computes[op] == COMPUTES_PROMOTE:
        return common
    if op_computes[op] == COMPUTES_FLOAT:
        return default_dtype if 0 <= dtype_category[common] < 2 else common
    return DT_COMPLEX128 if dtype_category[common] == 3 else DT_FLOAT64


cdef inline int op_result_dtype(int op, int common) noexcept:
    """The row's rule: from the dtype it computes for to the result's; -1 where there is none (no complex bfloat16)."""
    if op_result[op] == RESULT_COMMON:
        return common
    if op_result[op] == RESULT_BOOL:
        return DT_BOOL
    return dtype_to_real[common] if op_result[op] == RESULT_REAL else dtype_to_complex[common]


cdef inline bint op_has_kernel(int op, int common) noexcept:
    if dtype_compute[common] < 0 or K.loops[op][dtype_compute[common]][LOOP_ALL] == NULL:
        return False
    if dtype_tier[common] < TIER_CAST:
        return True
    return op_on_float8[op] and (op_result[op] != RESULT_REAL or dtype_signed[common])    # e8m0 has no sign to drop


cdef int no_kernel(int op, int common, PyObject **arg, int n) except -1:
    operands = " and ".join([operand_text(<object>arg[k]) for k in range(n)])
    raise NotImplementedError(f"{op_name(op)}: not implemented for '{dtype_scalar_name[common].decode()}', the common dtype of "
                              f"{operands}; it takes {op_domain_text(op)}")


cdef str operand_text(object x):
    if isinstance(x, Tensor):
        return f"{dtype_names[(<TensorBase>x).dt].decode()} ({dtype_scalar_name[(<TensorBase>x).dt].decode()})"
    return f"a Python {type(x).__name__}"


cdef int refuse_bool(int op, PyObject **arg, int n) except -1:
    """For rows whose operation would mean two things on masks."""
    cdef int k
    for k in range(n):
        x = <object>arg[k]
        if promotes(op, k) and (isinstance(x, bool) or (isinstance(x, Tensor) and (<TensorBase>x).dt == DT_BOOL)):
            raise RuntimeError(f"{op_name(op)}: {op_refuses_bool[op].decode()}")
    return 0


cdef str op_name(int op):
    """The name in messages."""
    return op_shown[op].decode()


cdef str op_domain_text(int op):
    names = [text for bit, text in ((1, "bool"), (2, "integral"), (4, "floating point"), (8, "complex")) if op_on[op] & bit]
    if op_computes[op] == COMPUTES_FLOAT:
        return ", ".join(names) + " tensors (bool and integral ones are computed in the default dtype)"
    return ", ".join(names) + " tensors"


cdef bint category_can_cast(int src, int dst) noexcept:
    return dtype_category[src] <= dtype_category[dst]


# -- 5 destination ----------------------------------------------------------------------------------------------------

cdef int check_write(TensorBase dst, TensorBase src, str op, str src_name) except -1:
    """The one question before every write: may src be read while dst is written?  (decisions 6, 7, 9)

    Identical views and disjoint memory pass; everything else raises.  Step by step exactness is overlap.pxd's affair.
    """
    cdef Overlap answer
    if dst.storage_.ptr == NULL or src.storage_.ptr == NULL:
        if dst.storage_ is not src.storage_:       # meta: only views of one storage can meet
            return 0
    answer = overlap_views(<size_t>dst.storage_.ptr + dst.offset * dtype_itemsize[dst.dt], dst.shape_, dst.stride_,
                           dst.ndim_, dtype_itemsize[dst.dt], dst.dt,
                           <size_t>src.storage_.ptr + src.offset * dtype_itemsize[src.dt], src.shape_, src.stride_,
                           src.ndim_, dtype_itemsize[src.dt], src.dt)
    if answer == OVERLAP_NO or answer == OVERLAP_SAME:
        return 0
    raise OverlapError(f"{op}: {src_name} {tensor_layout_text(src)} overlaps the destination {tensor_layout_text(dst)}; "
                       f"unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                       f"single memory location. Please clone() {src_name} before performing the operation.")


cdef int check_destination(TensorBase dst, str op) except -1:
    """A destination of distinct values must be writable and repeat no location."""
    need_writable(dst, op)
    if dst.flags & TENSOR_DENSE == 0 and layout_repeats(dst.shape_, dst.stride_, dst.ndim_):
        raise OverlapError(f"{op}: destination {tensor_layout_text(dst)} maps several elements to one place; unsupported "
                           f"operation: more than one element of the written-to tensor refers to a single memory location. "
                           f"Please clone() the tensor before performing the operation.")
    return 0


cdef int fit_out(TensorBase out, const Py_ssize_t *shape, int ndim, const Py_ssize_t *stride, str op) except -1:
    """Gives `out` the result's shape if it has another one and may change (decision 11); strides as a fresh result's."""
    cdef int d
    cdef Py_ssize_t nbytes
    cdef bint same = out.ndim_ == ndim
    if same:
        for d in range(ndim):
            if out.shape_[d] != shape[d]:
                same = False
                break
    if same:
        return 0
    nbytes = shape_nbytes(shape, ndim, out.dt)
    if out.storage_ is EMPTY_STORAGE:
        out.storage_ = storage_new(0, out.dev)
    if out.storage_.flags or out.storage_.exports or not owns_storage_alone(out):
        raise RuntimeError(f"{op}: out has shape {dims_text(out.shape_, out.ndim_)}, but the result has shape "
                           f"{dims_text(shape, ndim)}; out can be resized only if it owns its whole storage alone and "
                           f"nothing else uses it now")
    if nbytes < out.storage_.nbytes_:
        out.storage_.nbytes_ = nbytes                # the memory stays until the storage goes; it is all out's own either way
    elif nbytes > out.storage_.nbytes_:
        storage_resize(out.storage_, nbytes, op)
    if ndim > (INLINE_DIMS if out.shape_ == out.inline_dims else out.ndim_):
        tensor_reserve(out, ndim)
    out.ndim_ = ndim
    for d in range(ndim):
        out.shape_[d] = shape[d]
        out.stride_[d] = stride[d]
    tensor_finish(out)
    return 0


cdef bint owns_storage_alone(TensorBase t):
    """Whether t sees all of its storage and no other tensor or storage object shares it."""
    return (t.offset == 0 and t.numel_ * dtype_itemsize[t.dt] == t.storage_.nbytes_
            and reference_count(<PyObject *>t.storage_) == 1)


cdef extern from "Python.h":
    Py_ssize_t reference_count "Py_REFCNT" (PyObject *o)      # of a borrowed pointer: passing an object could add one


# -- the general way --------------------------------------------------------------------------------------------------

cdef inline void hold(object x, Py_ssize_t by) noexcept:
    """[held] Adds to the exports of a tensor's storage."""
    if isinstance(x, Tensor):
        (<TensorBase>x).storage_.exports += by


cdef object pointwise(int op, object a, object b, object c, object out, int rules):
    """One pointwise call.  Unused operands are None; `out` is None or a tensor (`a` itself in place)."""
    return pointwise_with(op, a, b, c, None, out, rules)


cdef object pointwise_with(int op, object a, object b, object c, tuple parameters, object out, int rules):
    """The same with the parameters of the row, which are None for a row without."""
    hold(a, 1)
    hold(b, 1)
    hold(c, 1)
    try:
        return pointwise_held(op, a, b, c, parameters, out, rules)
    finally:
        hold(a, -1)
        hold(b, -1)
        hold(c, -1)


cdef object pointwise_held(int op, object a, object b, object c, tuple parameters, object out, int rules):
    """The call, step by step."""
    cdef Operands o
    cdef ResultType types
    cdef Plan plan
    cdef PyObject *arg[3]
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef Py_ssize_t cast_stride[3][MAX_DIMS]       # [cast operands]
    cdef const Py_ssize_t *ordered[3]
    cdef int via[MAX_OPERANDS]
    cdef int k, category, status, ndim, compute, common, result, ordering, n = op_arity[op]
    cdef int dev = -1
    cdef bint as_unary, pinned = False
    cdef TensorBase t
    cdef Tensor dst
    arg[0] = <PyObject *>a
    arg[1] = <PyObject *>b
    arg[2] = <PyObject *>c
    o.n = n + 1

    # 1 operands, 2 device, 3 dtypes
    result_start(&types)
    for k in range(n):
        if isinstance(<object>arg[k], Tensor):
            t = <TensorBase>arg[k]
            dev = join_device(t, dev, &pinned)
            operands_set(&o, k + 1, t)
            if promotes(op, k):
                result_add_tensor(&types, t.dt, t.ndim_)
        else:
            category = number_category(<object>arg[k])
            if category < 0:
                raise TypeError(f"{op_name(op)}: argument {k + 1} must be a Tensor or a number, not "
                                f"{type(<object>arg[k]).__name__}")
            operands_set_value(&o, k + 1, -1)
            if promotes(op, k):
                result_add_scalar(&types, category)
    if dev == -1:
        dev = DEV_CPU
    if op_masks[op]:
        check_masks(op, arg, n)
    common = result_final(&types)
    if op_beyond[op] >= 0 and dtype_category[common] == 1:
        k = beyond_range(op, a, b, common)
        if k >= 0:
            t = <TensorBase>(a if isinstance(a, Tensor) else b)      # as a comparison with the least number of its dtype
            least = -(<object>1 << (8 * dtype_itemsize[t.dt] - 1)) if dtype_signed[t.dt] else 0
            return pointwise(OP_GE if k else OP_LT, t, least, None, out, rules)
    if op_refuses_bool[op] != NULL:
        refuse_bool(op, arg, n)
    common = op_common_dtype(op, common)
    result = op_result_dtype(op, common)
    if result < 0:
        no_kernel(op, common, arg, n)
    as_unary = n > 1 and op_with_number[op] >= 0 and not isinstance(<object>arg[1], Tensor)
    dst = <Tensor>out
    if out is not None:
        if rules & RULE_INPLACE:
            check_inplace_shape(op, &o, dst)
        check_result_dtype(op, common, result, dst.dt, rules)
    if not convertible(arg, n) or not op_has_kernel(op, common) or (
            as_unary and not (op_with_number[op] >> dtype_category[common]) & 1):
        no_kernel(op, common, arg, n)
    compute = dtype_compute[common]
    for k in range(1, n + 1):
        if o.dtype[k] < 0:
            value_operand(<object>arg[k - 1], compute, <char *>o.value[k])
            o.dtype[k] = compute
        # A dimensioned operand is rounded to a reduced common dtype before it is widened, as if it had been cast first.
        # So is a zero-dim one, a number included (float16(0.1) == 0.1), unless the row keeps them (factors and divisors).
        via[k] = common if (dtype_tier[common] != TIER_COMPUTE and (o.ndim[k] > 0 or not op_keeps_zero_dim[op])
                            and promotes(op, k - 1)) else o.dtype[k]

    if parameters is not None:
        read_parameters(op, parameters, common, <char *>plan.parameters)

    # 4 shape
    status = plan_broadcast(n, &o.shape[1], &o.ndim[1], shape, &ndim)
    if status != 0:
        broadcast_error(op, &o)

    # 5 destination
    for k in range(1, n + 1):
        ordered[k - 1] = o.stride[k]
        if o.ndim[k] > 0 and o.dtype[k] != (DT_BOOL if (op_masks[op] >> (k - 1)) & 1 else common):
            if not (<TensorBase>arg[k - 1]).flags & TENSOR_DENSE:
                plan_output_strides(1, &o.shape[k], &o.stride[k], &o.ndim[k], o.shape[k], o.ndim[k], cast_stride[k - 1])
                ordered[k - 1] = cast_stride[k - 1]
    ordering = 1 if as_unary else n
    if out is None:
        plan_output_strides(ordering, &o.shape[1], ordered, &o.ndim[1], shape, ndim, stride)
        dst = tensor_empty_dense(shape, stride, ndim, result, dev)
    else:
        if dst.dev != dev:
            raise RuntimeError(f"{op_name(op)}: Expected all tensors to be on the same device, but the operands are on "
                               f"{device_object(dev)} and the destination is on {device_object(dst.dev)}!")
        if dst.ndim_ != ndim or not same_dims(dst.shape_, shape, ndim):
            need_writable(dst, op_name(op))
            for k in range(n):
                if arg[k] == <PyObject *>dst:
                    raise RuntimeError(f"{op_name(op)}: out is also an input and has shape "
                                       f"{dims_text(dst.shape_, dst.ndim_)}, but the result has shape {dims_text(shape, ndim)}")
            plan_output_strides(ordering, &o.shape[1], ordered, &o.ndim[1], shape, ndim, stride)
            check_destination(dst, op_name(op))
            fit_out(dst, shape, ndim, stride, op_name(op))
        check_destination(dst, op_name(op))
        for k in range(n):
            if arg[k] != <PyObject *>dst and isinstance(<object>arg[k], Tensor):
                check_write(dst, <TensorBase>arg[k], op_name(op), f"input {k + 1}" if n > 1 else "the input")

    # 7 plan, 8 run
    if dst.dev != DEV_CPU or dst.numel_ == 0:
        return dst
    operands_set(&o, 0, dst)
    plan_build(&plan, o.n, o.ndim, o.shape, o.stride, o.data, o.dtype, shape, ndim)
    plan.op = op
    plan.compute = compute
    plan.via[0] = dst.dt if dtype_tier[result] == TIER_COMPUTE else result     # rounded to the result's dtype, then stored
    for k in range(1, o.n):
        plan.via[k] = via[k]
    run_pointwise(&plan, dst)
    return dst


cdef int read_parameters(int op, tuple parameters, int common, char *out) except -1:
    """The parameters of a call as the loops take them, values of the compute dtype.

    A "number" must be one that the dtype holds; a "float" is converted as an element is.  Both as in PyTorch.
    """
    cdef int k, category, kind, none, compute = dtype_compute[common]
    cdef double value
    for k in range(<int>PyTuple_GET_SIZE(parameters)):
        x = parameters[k]
        kind = op_parameter_kind[op * MAX_PARAMETERS + k]
        none = op_parameter_none[op * MAX_PARAMETERS + k]
        if isinstance(x, Tensor) and (<TensorBase>x).ndim_ == 0 and (<TensorBase>x).dev == DEV_CPU:
            x = value_load(tensor_data(<TensorBase>x), (<TensorBase>x).dt)
        if x is None and none != NONE_REFUSED:
            x = value_of_none(none, common)
        category = number_category(x)
        if category < 0 or (kind == PARAMETER_INT and category != 1) or (kind == PARAMETER_FLOAT and category == 3):
            wanted = "Number" if kind == PARAMETER_NUMBER else "float" if kind == PARAMETER_FLOAT else "int"
            raise TypeError(f"{op_name(op)}(): argument '{op_parameters[op].decode().split()[k]}' (position "
                            f"{op_arity[op] + k + 1}) must be {wanted}, not {type_text(x)}")
        if not (op_reads_parameters[op] >> dtype_category[common]) & 1:
            continue
        if kind == PARAMETER_FLOAT:
            value = PyLong_AsDouble(plain_number(x, 1)) if category < 2 else plain_number(x, 2)
            K.cast(out + k * dtype_itemsize[compute], compute, <char *>&value, DT_FLOAT64, 1)
        else:
            value_store(x, compute, out + k * dtype_itemsize[compute], op_name(op))
    return 0


cdef object value_of_none(int none, int dt):
    """What a parameter of None stands for beside elements of dtype dt."""
    if none == NONE_ZERO:
        return 0
    return NAN if none == NONE_NAN else limit_of(dtype_to_real[dt], none == NONE_MIN)


cdef object limit_of(int dt, bint least):
    """The largest finite value of a dtype, or the least one."""
    if dtype_category[dt] == 0:
        return not least
    if dtype_category[dt] == 1:
        return (-<object>integer_top(dt) - 1 if dtype_signed[dt] else 0) if least else integer_top(dt)
    return -float_top(dt) if least else float_top(dt)


cdef int run_pointwise(Plan *plan, TensorBase dst) except -1:
    """Runs a finished plan, above GRAIN without the GIL.  The inputs are [held]; the destination is here."""
    if plan.numel <= GRAIN:
        K.elementwise(plan)
        return 0
    dst.storage_.exports += 1
    with nogil:
        K.elementwise(plan)
    dst.storage_.exports -= 1
    return 0


cdef inline bint convertible(PyObject **arg, int n) noexcept:
    """Whether every operand's elements can be converted: some shell dtypes promote with numbers all the same."""
    cdef int k
    for k in range(n):
        if isinstance(<object>arg[k], Tensor) and (<TensorBase>arg[k]).dt >= CASTABLE_DTYPES:
            return False
    return True


cdef int check_inplace_shape(int op, const Operands *o, TensorBase dst) except -1:
    """In place, the other operands must broadcast to the shape that is there."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int ndim
    if plan_broadcast(o.n - 1, &o.shape[1], &o.ndim[1], shape, &ndim) != 0:
        broadcast_error(op, o)
    if dst.ndim_ != ndim or not same_dims(dst.shape_, shape, ndim):
        raise RuntimeError(f"{op_name(op)}_: output with shape {dims_text(dst.shape_, dst.ndim_)} doesn't match the broadcast "
                           f"shape {dims_text(shape, ndim)}")
    return 0


cdef inline bint promotes(int op, int k) noexcept:
    """Whether input k takes part in promotion: all but masks, the factor alpha and the like."""
    return (op_promotes[op] >> k) & 1


cdef inline bint same_dims(const Py_ssize_t *x, const Py_ssize_t *y, int ndim) noexcept nogil:
    cdef int d
    for d in range(ndim):
        if x[d] != y[d]:
            return False
    return True


cdef int check_masks(int op, PyObject **arg, int n) except -1:
    cdef int k, dt
    for k in range(n):
        if not (op_masks[op] >> k) & 1:
            continue
        name = op_inputs[op].decode().split()[k]
        if not isinstance(<object>arg[k], Tensor):
            raise TypeError(f"{op_name(op)}: {name} must be a Tensor, not {type(<object>arg[k]).__name__}")
        dt = (<TensorBase>arg[k]).dt
        if dt != DT_BOOL and dt != DT_UINT8:
            raise RuntimeError(f"{op_name(op)} expected {name} to be a boolean tensor, but got a tensor with dtype "
                               f"{dtype_scalar_name[dt].decode()}")
    return 0


cdef int beyond_range(int op, object a, object b, int common) except -2:
    """Decision 14: an integer tensor beside a Python integer that its dtype cannot hold compares by value.

    Returns the answer that holds for every element (1 true, 0 false), or -1 when the comparison has to be made.
    """
    cdef int side
    if isinstance(b, Tensor):
        if isinstance(a, Tensor):
            return -1
        side = -value_compare_range(a, common)      # a number above every element is a left operand below none
        return -1 if side == 0 else beyond_answer(op, side)
    if not isinstance(a, Tensor):
        return -1
    side = value_compare_range(b, common)
    return -1 if side == 0 else beyond_answer(op, side)


cdef inline int beyond_answer(int op, int side) noexcept:
    """side +1: right operand above every left one; -1: below."""
    return (op_beyond[op] >> (side > 0)) & 1


cdef int check_result_dtype(int op, int common, int result, int out, int rules) except -1:
    cdef int rule = op_out[op]
    if rules & RULE_INPLACE:
        if rule == OUT_ANY:
            return 0
        if op_result[op] == RESULT_REAL and dtype_category[out] == 3:
            raise RuntimeError(f"In-place {op_name(op)} is not supported for complex tensors.")
        rule = OUT_CAST
    elif op_result[op] == RESULT_REAL and dtype_category[common] == 3 and (dtype_category[out] <= 2 or out == common):
        rule = OUT_CAST                           # the magnitude of complex numbers goes into any float, or into their own dtype
    if rule == OUT_CAST and not category_can_cast(result, out):
        raise RuntimeError(f"result type {dtype_scalar_name[result].decode()} can't be cast to the desired output type "
                           f"{dtype_scalar_name[out].decode()}")
    if rule == OUT_EXACT and result != out:
        raise RuntimeError(f"{op_name(op)}: Found dtype {dtype_scalar_name[out].decode()} but expected "
                           f"{dtype_scalar_name[result].decode()}")
    if dtype_tier[out] == TIER_SHELL:
        raise RuntimeError(f"{op_name(op)}: result type {dtype_object(result)} can't be cast to {dtype_object(out)}")
    return 0


cdef int broadcast_error(int op, const Operands *o) except -1:
    """Names the first pair of sizes that do not match, counted from the last dimension."""
    cdef int j, k, d, span
    cdef Py_ssize_t x, y
    for k in range(2, o.n):
        for j in range(1, k):
            span = min(o.ndim[j], o.ndim[k])
            for d in range(1, span + 1):
                x = o.shape[j][o.ndim[j] - d]
                y = o.shape[k][o.ndim[k] - d]
                if x != y and x != 1 and y != 1:
                    raise RuntimeError(f"{op_name(op)}: The size of tensor {'abc'[j - 1]} ({x}) must match the size of tensor "
                                       f"{'abc'[k - 1]} ({y}) at non-singleton dimension "
                                       f"{max(o.ndim[j], o.ndim[k]) - d}")
    raise RuntimeError(f"{op_name(op)}: the shapes cannot be broadcast together, or the result is too large")


cdef Tensor tensor_empty_dense(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, int dt, int dev):
    """A fresh tensor of dense strides: as many bytes as elements need."""
    cdef Py_ssize_t nbytes = shape_nbytes(shape, ndim, dt)
    cdef Tensor t = tensor_new(ndim, dt, dev)
    cdef int d
    for d in range(ndim):
        t.shape_[d] = shape[d]
        t.stride_[d] = stride[d]
    tensor_finish(t)
    t.storage_ = storage_new(nbytes, dev)
    return t
