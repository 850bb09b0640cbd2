# From the dtypes of operands to the dtype a call is computed in.
#
# Uses: attributes.pxi, tensor.pxi, tables.pxd.  Provides: promote_codes, the three buckets (result_*), and the public
# promote_types, result_type and can_cast.
#
# The lattice of two dtypes is written down in tensorlib/promotion.py and arrives here as a matrix; what the matrix does not
# answer is asked of Python, which answers or raises.  How operands of different rank combine is here: dimensioned tensors,
# zero-dim tensors and Python numbers are three buckets of falling priority, and a lower bucket counts only if its category
# (bool < integral < floating < complex) is higher.  Values never matter.

from libc.string cimport memcpy

cdef enum:
    PROMOTION_ASK = 255     # matrix entry: no common dtype; promotion_explain says why

cdef unsigned char promotion_matrix[ARITHMETIC_DTYPES][ARITHMETIC_DTYPES]
cdef object promotion_explain = None


def _set_promotion(bytes matrix, explain):
    """Takes the lattice, row by row in code order, and the function that answers for everything else."""
    global promotion_explain
    if len(matrix) != sizeof(promotion_matrix):
        raise SystemError(f"the promotion matrix has {len(matrix)} entries, not {ARITHMETIC_DTYPES} squared")
    memcpy(promotion_matrix, <const char *>matrix, sizeof(promotion_matrix))
    promotion_explain = explain


cdef inline int promote_codes(int a, int b) except -1:
    """The smallest dtype that holds both, as promotion.py defines it."""
    cdef int common
    if a == b:
        return a
    if a < ARITHMETIC_DTYPES and b < ARITHMETIC_DTYPES:
        common = promotion_matrix[a][b]
        if common != PROMOTION_ASK:
            return common
    return dtype_code(promotion_explain(dtype_object(a), dtype_object(b)))


cdef struct ResultType:
    int dim        # common dtype of the dimensioned tensors so far, -1: none
    int zero       # of the zero-dim tensors
    int wrapped    # of the Python numbers


cdef inline void result_start(ResultType *types) noexcept:
    types.dim = types.zero = types.wrapped = -1


cdef inline int result_add_tensor(ResultType *types, int dt, int ndim) except -1:
    if ndim > 0:
        types.dim = dt if types.dim < 0 else promote_codes(types.dim, dt)
    else:
        types.zero = dt if types.zero < 0 else promote_codes(types.zero, dt)
    return 0


cdef inline int result_add_scalar(ResultType *types, int category) except -1:
    """A Python number: bool, int64, the default dtype, or the complex type of the default dtype."""
    cdef int dt
    if category == 0:
        dt = DT_BOOL
    elif category == 1:
        dt = DT_INT64
    elif category == 2:
        dt = default_dtype
    else:
        dt = dtype_to_complex[default_dtype]
    types.wrapped = dt if types.wrapped < 0 else promote_codes(types.wrapped, dt)
    return 0


cdef inline int result_combine(int higher, int lower) except -1:
    """A bucket joined by one of lower priority; -1 stands for an empty one."""
    if lower < 0 or higher < 0:
        return lower if higher < 0 else higher
    cdef int category = dtype_category[higher]
    cdef int other = dtype_category[lower]
    if category == 2 and other == 3 and dtype_to_complex[higher] >= 0:
        return dtype_to_complex[higher]       # complex, but as wide as the bucket that has priority
    if category < 2 and (other >= 2 or category == 0):
        return promote_codes(higher, lower)
    return higher


cdef inline int result_final(ResultType *types) except -1:
    """The common dtype of all operands added, of which there must be one."""
    cdef int low = types.wrapped
    if types.zero >= 0:
        low = types.zero if low < 0 else result_combine(types.zero, low)
    if types.dim >= 0:
        low = types.dim if low < 0 else result_combine(types.dim, low)
    return low


cdef bint codes_can_cast(int src, int dst):
    """By category alone, never by width: nothing complex to real, nothing fractional to integers, only bool to bool."""
    cdef dtype a = dtype_object(src)
    cdef dtype b = dtype_object(dst)
    if a.is_complex:
        return b.is_complex
    if src != DT_BOOL and dst == DT_BOOL:
        return False
    return not (a.is_floating_point and dtype_category[dst] == 1)


def promote_types(type1, type2):
    """promote_types(type1, type2) -> dtype

    The smallest dtype, in size and category, to which both can be converted.

    Across categories (bool < integral < floating < complex) the higher one wins as it is, except that a complex type is
    widened to hold a wider floating one.  Within a category the wider one wins; float16 and bfloat16 give float32; an unsigned
    and a signed integer give the smallest signed type that holds both.

    Raises RuntimeError for pairs without an answer: uint64 with a signed integer, and most dtypes that are only stored.

    >>> tl.promote_types(tl.int32, tl.float16)
    tensorlib.float16
    >>> tl.promote_types(tl.uint8, tl.int8)
    tensorlib.int16
    """
    return dtype_object(promote_codes(dtype_code(type1), dtype_code(type2)))


def can_cast(from_, to):
    """can_cast(from_, to) -> bool

    Whether an operation may store a result of dtype ``from_`` in a tensor of dtype ``to``.  Only the category counts: complex
    to real, floating to integral, and anything but bool to bool are refused; a narrower type of the same category is not.

    >>> tl.can_cast(tl.float64, tl.float16), tl.can_cast(tl.float32, tl.int64)
    (True, False)
    """
    return codes_can_cast(dtype_code(from_), dtype_code(to))


def result_type(tensor, other):
    """result_type(tensor, other) -> dtype

    The dtype in which two operands, tensors or Python numbers, are combined.

    Dimensioned tensors come before zero-dim tensors, and those before Python numbers: an operand of lower rank decides only if
    its category (bool < integral < floating < complex) is higher.  A float counts as the default dtype.

    >>> tl.result_type(tl.tensor([1, 2], dtype=tl.int8), 1.0)
    tensorlib.float32
    >>> tl.result_type(tl.tensor([1., 2.]), tl.tensor(1., dtype=tl.float64))
    tensorlib.float32
    """
    cdef ResultType types
    cdef int category
    result_start(&types)
    for operand in (tensor, other):
        if isinstance(operand, Tensor):
            result_add_tensor(&types, (<TensorBase>operand).dt, (<TensorBase>operand).ndim_)
        else:
            category = number_category(operand)
            if category < 0:
                raise TypeError(f"result_type() received an invalid combination of arguments - got ({type(tensor).__name__}, "
                                f"{type(other).__name__}), but expected two Tensors or numbers")
            result_add_scalar(&types, category)
    return dtype_object(result_final(&types))
