# What operators, methods and public functions call: the direct path of small tensors, else the general one.
#
# Uses: dispatch.pxi (pointwise, the rules of a row), scalars.pxi, tensor.pxi, kernel_api.pxd.
# Provides: unary, binary, inplace_binary, unary_with and several_with (rows with parameters), the operator_* of the slots, and the
# forms of the generated functions (alpha, clamp).
#
# [direct calls]  Same dtype, same shape, row-major, no conversion: the loop is called without a plan.  It must give what
#                 pointwise gives, strides included.  A row has loops only for dtypes it may compute in, so a loop is leave to
#                 run it; which numbers may join is op_direct_numbers.

cdef inline Tensor tensor_like_contiguous(TensorBase x, int dt):
    """A fresh row-major cpu tensor of x's shape, x being row-major with canonical strides and of at most INLINE_DIMS dims.

    x is looked at before anything is allocated: an allocation may run finalizers, and those may resize x.
    """
    cdef Py_ssize_t dims[2 * INLINE_DIMS]
    cdef Py_ssize_t numel = x.numel_
    cdef int d, ndim = x.ndim_
    cdef Tensor t
    for d in range(ndim):
        dims[d] = x.shape_[d]
        dims[INLINE_DIMS + d] = x.stride_[d]
    t = tensor_new(ndim, dt, DEV_CPU)
    for d in range(ndim):
        t.shape_[d] = dims[d]
        t.stride_[d] = dims[INLINE_DIMS + d]
    t.numel_ = numel
    t.flags = TENSOR_CONTIGUOUS | TENSOR_DENSE
    t.storage_ = storage_new(numel * dtype_itemsize[dt], DEV_CPU)
    return t


cdef inline int exact_category(object x) noexcept:
    """number_category of Python's own numbers, whose conversion runs no Python code; -1 for anything else."""
    if type(x) is float:
        return 2
    if type(x) is int:
        return 1
    return 0 if x is True or x is False else -1


cdef inline bint number_is_direct(int op, int dt, int category) noexcept:
    """Whether a number of that category enters a direct call beside a tensor of dtype dt, which has a loop."""
    return (op_direct_numbers[op] >> (4 * dtype_category[dt] + category)) & 1


cdef inline bint canonical(TensorBase x) noexcept nogil:
    """Whether x is a row-major cpu tensor whose every stride, size-1 axes included, is what empty() would give."""
    cdef Py_ssize_t run = 1
    cdef int d
    if not x.flags & TENSOR_CONTIGUOUS or x.dev != DEV_CPU or x.numel_ == 0 or x.ndim_ > INLINE_DIMS:
        return False
    for d in range(x.ndim_ - 1, -1, -1):
        if x.stride_[d] != run:
            return False
        run *= x.shape_[d]
    return True


cdef inline bint same_canonical(TensorBase x, TensorBase y) noexcept nogil:
    return (x.dt == y.dt and x.ndim_ == y.ndim_ and y.flags & TENSOR_CONTIGUOUS and y.dev == DEV_CPU
            and same_dims(x.shape_, y.shape_, x.ndim_) and canonical(x))


cdef inline bint same_or_apart(TensorBase dst, TensorBase src) noexcept nogil:
    """For row-major tensors of one dtype and shape: the identical view, or no byte in common."""
    cdef const char *p = tensor_data(dst)
    cdef const char *q = tensor_data(src)
    cdef Py_ssize_t nbytes = dst.numel_ * dtype_itemsize[dst.dt]
    return p == q or p + nbytes <= q or q + nbytes <= p


cdef inline int constant_operand(int op, object x, int dt, char *value) except -1:
    """A number as the loop of dt takes its constant: beside a half in float32, rounded as the general path rounds it."""
    cdef char rounded[2]
    if dtype_tier[dt] == TIER_COMPUTE:
        return value_operand(x, dt, value)
    value_operand(x, dtype_compute[dt], value)
    if not op_keeps_zero_dim[op]:
        K.cast(rounded, dt, value, dtype_compute[dt], 1)
        K.cast(value, dtype_compute[dt], rounded, dt, 1)
    return 0


cdef int run_direct(loop_fn loop, TensorBase dst, TensorBase x, char *a, char *b, Storage other,
                    const char *parameters) except -1:
    cdef char *out = tensor_data(dst)
    cdef Py_ssize_t n = dst.numel_
    if n <= GRAIN:
        loop(out, a, b, NULL, parameters, n)
        return 0
    dst.storage_.exports += 1
    x.storage_.exports += 1
    other.exports += 1
    with nogil:
        loop(out, a, b, NULL, parameters, n)
    dst.storage_.exports -= 1
    x.storage_.exports -= 1
    other.exports -= 1
    return 0


cdef object unary(int op, object a, object out):
    cdef loop_fn loop
    cdef TensorBase x
    cdef Tensor dst
    if not isinstance(a, Tensor):
        raise TypeError(f"{op_name(op)}: input must be a Tensor, not {type(a).__name__}")
    x = <TensorBase>a
    if out is None:
        loop = K.loops[op][x.dt][LOOP_ALL]
        if loop != NULL and canonical(x):
            dst = tensor_like_contiguous(x, op_result_dtype(op, x.dt))
            run_direct(loop, dst, x, tensor_data(x), NULL, x.storage_, NULL)
            return dst
    return pointwise(op, a, None, None, out, 0)


cdef object unary_inplace(int op, object a):
    if not isinstance(a, Tensor):
        raise TypeError(f"{op_name(op)}_: input must be a Tensor, not {type(a).__name__}")
    return pointwise(op, a, None, None, a, RULE_INPLACE)


cdef object unary_with(int op, object a, tuple parameters, object out, int rules):
    """A function of one tensor and the parameters of its row."""
    cdef loop_fn loop
    cdef TensorBase x
    cdef Tensor dst
    cdef Py_ssize_t values[2 * MAX_PARAMETERS]
    cdef bint plain = out is None
    if not isinstance(a, Tensor):
        raise TypeError(f"{op_name(op)}: input must be a Tensor, not {type(a).__name__}")
    x = <TensorBase>a
    for parameter in parameters:
        plain = plain and exact_category(parameter) >= 0
    if plain:
        loop = K.loops[op][x.dt][LOOP_ALL]
        if loop != NULL and canonical(x):
            read_parameters(op, parameters, x.dt, <char *>values)
            dst = tensor_like_contiguous(x, op_result_dtype(op, x.dt))
            run_direct(loop, dst, x, tensor_data(x), NULL, x.storage_, <char *>values)
            return dst
    return pointwise_with(op, a, None, None, parameters, out, rules)


cdef object several_with(int op, object a, object b, object c, tuple parameters, object out, int rules):
    """A function of two or three tensors and the parameters of its row."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor) and not isinstance(c, Tensor):
        raise TypeError(f"{op_name(op)}(): argument 'input' (position 1) must be Tensor, not {type(a).__name__}")
    return pointwise_with(op, a, b, c, parameters, out, rules)


cdef object binary(int op, object a, object b, object out):
    cdef loop_fn loop
    cdef TensorBase x, y
    cdef Tensor dst
    cdef Py_ssize_t value[2]
    cdef int category
    if out is None:
        if isinstance(a, Tensor):
            x = <TensorBase>a
            if isinstance(b, Tensor):
                y = <TensorBase>b
                loop = K.loops[op][x.dt][LOOP_ALL]
                if loop != NULL and same_canonical(x, y):
                    dst = tensor_like_contiguous(x, op_result_dtype(op, x.dt))
                    run_direct(loop, dst, x, tensor_data(x), tensor_data(y), y.storage_, NULL)
                    return dst
            else:
                loop = K.loops[op][x.dt][LOOP_RIGHT_CONST]
                category = exact_category(b)
                if loop != NULL and category >= 0 and number_is_direct(op, x.dt, category) and canonical(x) and x.ndim_ > 0:
                    constant_operand(op, b, x.dt, <char *>value)
                    dst = tensor_like_contiguous(x, op_result_dtype(op, x.dt))
                    run_direct(loop, dst, x, tensor_data(x), <char *>value, x.storage_, NULL)
                    return dst
        elif isinstance(b, Tensor):
            y = <TensorBase>b
            loop = K.loops[op][y.dt][LOOP_LEFT_CONST]
            category = exact_category(a)
            if loop != NULL and category >= 0 and number_is_direct(op, y.dt, category) and canonical(y) and y.ndim_ > 0:
                constant_operand(op, a, y.dt, <char *>value)
                dst = tensor_like_contiguous(y, op_result_dtype(op, y.dt))
                run_direct(loop, dst, y, <char *>value, tensor_data(y), y.storage_, NULL)
                return dst
    elif isinstance(a, Tensor) and isinstance(b, Tensor) and op_result[op] == RESULT_COMMON:
        x = <TensorBase>a
        y = <TensorBase>b
        dst = <Tensor>out
        loop = K.loops[op][x.dt][LOOP_ALL]
        if (loop != NULL and same_canonical(x, y) and same_canonical(x, dst) and not dst.storage_.flags & STORAGE_READONLY
                and same_or_apart(dst, x) and same_or_apart(dst, y)):
            run_direct(loop, dst, x, tensor_data(x), tensor_data(y), y.storage_, NULL)
            return out
    return pointwise(op, a, b, None, out, 0)


cdef object inplace_binary(int op, object a, object b):
    """a op= b; a is a Tensor."""
    cdef loop_fn loop
    cdef TensorBase x = <TensorBase>a
    cdef TensorBase y
    cdef Py_ssize_t value[2]
    cdef int category
    cdef Py_ssize_t nbytes
    cdef char *p
    cdef char *q
    if op_result[op] == RESULT_COMMON and not x.storage_.flags & STORAGE_READONLY:
        if isinstance(b, Tensor):
            y = <TensorBase>b
            loop = K.loops[op][x.dt][LOOP_ALL]
            if loop != NULL and same_canonical(x, y):
                p = tensor_data(x)
                q = tensor_data(y)
                nbytes = x.numel_ * dtype_itemsize[x.dt]
                if p == q or p + nbytes <= q or q + nbytes <= p:
                    run_direct(loop, x, x, p, q, y.storage_, NULL)
                    return a
        else:
            loop = K.loops[op][x.dt][LOOP_RIGHT_CONST]
            category = exact_category(b)
            if loop != NULL and category >= 0 and number_is_direct(op, x.dt, category) and canonical(x):
                constant_operand(op, b, x.dt, <char *>value)
                run_direct(loop, x, x, tensor_data(x), <char *>value, x.storage_, NULL)
                return a
    return pointwise(op, a, b, None, a, RULE_INPLACE)


cdef inline bint is_operand(object x):
    """What an operator takes; anything else is NotImplemented, so that the other class gets its chance."""
    return isinstance(x, Tensor) or number_category(x) >= 0


cdef object as_operand(object x):
    """x itself, or the tensor over a NumPy array: beside a tensor an array is a tensor, on either side of an operator."""
    if isinstance(x, Tensor) or exact_category(x) >= 0:
        return x
    return HOOKS["array_operand"](x)


cdef object operator_binary(int op, object a, object b):
    if not (is_operand(a) and is_operand(b)):
        a = as_operand(a)
        b = as_operand(b)
        if not (is_operand(a) and is_operand(b)):
            return NotImplemented
    return binary(op, a, b, None)


cdef object operator_invert(object a):
    if dtype_category[(<TensorBase>a).dt] > 1:
        raise TypeError(f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {a.dtype}")
    return unary(OP_BITWISE_NOT, a, None)


cdef object binary_tensor(int op, object a, object b, object out):
    """A function that wants a tensor among its operands: two numbers are refused, as in PyTorch."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        raise TypeError(f"{op_name(op)}(): argument 'input' (position 1) must be Tensor, not {type(a).__name__}")
    return binary(op, a, b, out)


cdef object with_alpha(int op, int alpha_op, object a, object b, object alpha, object out, int rules):
    """add and sub with a factor: checked against the result's category, applied in the compute dtype."""
    cdef int category = number_category(alpha)
    cdef int common
    if category < 0:
        raise TypeError(f"{op_name(op)}: alpha must be a number, not {type(alpha).__name__}")
    common = common_dtype(a, b)
    if category == 0 and dtype_category[common] != 0:
        raise RuntimeError(f"{op_name(op)}: Boolean alpha only supported for Boolean results.")
    if category == 2 and dtype_category[common] < 2:
        raise RuntimeError(f"{op_name(op)}: For integral input tensors, argument alpha must not be a floating point number.")
    if category == 3 and dtype_category[common] < 3:
        raise RuntimeError(f"{op_name(op)}: For non-complex input tensors, argument alpha must not be a complex number.")
    return pointwise(alpha_op, a, b, alpha, out, rules)


cdef int common_dtype(object a, object b) except -1:
    cdef ResultType types
    cdef int category
    result_start(&types)
    for x in (a, b):
        if isinstance(x, Tensor):
            result_add_tensor(&types, (<TensorBase>x).dt, (<TensorBase>x).ndim_)
        else:
            category = number_category(x)
            if category < 0:
                raise TypeError(f"operands must be Tensors or numbers, not {type(x).__name__}")
            result_add_scalar(&types, category)
    return result_final(&types)


cdef Tensor check_out(object out, str op):
    if out is not None and not isinstance(out, Tensor):
        raise TypeError(f"{op}: out must be a Tensor, not {type(out).__name__}")
    return <Tensor>out


# -- what the generated functions call ----------------------------------------------------------------------------------

cdef object binary_alpha(int op, int alpha_op, object a, object b, object alpha, object out):
    if type(alpha) is int and alpha == 1:
        return binary(op, a, b, out)
    return with_alpha(op, alpha_op, a, b, alpha, out, 0)


cdef object inplace_alpha(int op, int alpha_op, object a, object b, object alpha):
    if type(alpha) is int and alpha == 1:
        return inplace_binary(op, a, b)
    return with_alpha(op, alpha_op, a, b, alpha, a, RULE_INPLACE)


cdef object operator_inplace(int op, object a, object b):
    if not is_operand(b):
        b = as_operand(b)
        if not is_operand(b):
            return NotImplemented
    return inplace_binary(op, a, b)


cdef object clamp_call(object input, object low, object high, object out, int rules):
    """clamp with one bound or two."""
    if not isinstance(input, Tensor):
        raise TypeError(f"clamp: input must be a Tensor, not {type(input).__name__}")
    if low is None and high is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    if high is None:
        return pointwise(OP__CLAMP_MIN, input, low, None, out, rules)
    if low is None:
        return pointwise(OP__CLAMP_MAX, input, high, None, out, rules)
    return pointwise(OP_CLAMP, input, low, high, out, rules)
