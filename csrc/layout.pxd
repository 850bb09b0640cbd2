# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# Questions about one layout: a shape and a stride per axis, in logical order (axis 0 outermost).
#
# Strides are in elements.  What is assumed everywhere: 0 <= ndim <= MAX_DIMS, sizes >= 0, and, unless a function says
# that it checks, that layout_numel and the extents fit in Py_ssize_t.  Strides are >= 0 in a tensor;
# layout_extent also takes negative ones (foreign memory).
# Terms: contiguous = row-major without gaps; dense = no gaps and no repetition, in any axis order; a trivial axis has size 1.

from libc.string cimport memcmp, memcpy

from bounded_sum cimport SUM_NO, SUM_TERMS, SUM_WORK, bounded_sum, checked_add, checked_mul
from config cimport MAX_DIMS


# -- counting --

cdef inline bint layout_has_no_elements(const Py_ssize_t *shape, int ndim) noexcept nogil:
    cdef int d
    for d in range(ndim):
        if shape[d] == 0:
            return True
    return False


cdef inline Py_ssize_t layout_numel(const Py_ssize_t *shape, int ndim) noexcept nogil:
    """The number of elements, or -1 when the product of the sizes other than 0 does not fit.

    Zero sizes are left out of that test's product so that contiguous strides, which count them as 1, fit as well.
    """
    cdef Py_ssize_t product = 1
    cdef bint empty = False
    cdef int d
    for d in range(ndim):
        if shape[d] == 0:
            empty = True
        elif checked_mul(product, shape[d], &product):
            return -1
    return 0 if empty else product


cdef inline bint layout_same_shape(const Py_ssize_t *a_shape, int a_ndim,
                                   const Py_ssize_t *b_shape, int b_ndim) noexcept nogil:
    cdef int d
    if a_ndim != b_ndim:
        return False
    for d in range(a_ndim):
        if a_shape[d] != b_shape[d]:
            return False
    return True


cdef inline int layout_extent(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, Py_ssize_t itemsize,
                              Py_ssize_t *lo, Py_ssize_t *hi) noexcept nogil:
    """The bytes [lo, hi) that the elements touch, counted from the first element's first byte; [0, 0) without elements.

    Returns 0, or -1 when a bound does not fit in Py_ssize_t.
    """
    cdef Py_ssize_t first = 0, last = 0, reach
    cdef int d
    lo[0] = 0
    hi[0] = 0
    if layout_has_no_elements(shape, ndim):
        return 0
    for d in range(ndim):
        if checked_mul(shape[d] - 1, stride[d], &reach):
            return -1
        if reach < 0:
            if checked_add(first, reach, &first):
                return -1
        elif checked_add(last, reach, &last):
            return -1
    if checked_mul(first, itemsize, &first) or checked_mul(last, itemsize, &last) or checked_add(last, itemsize, &last):
        return -1
    lo[0] = first
    hi[0] = last
    return 0


# -- making strides --

cdef inline void layout_contiguous_strides(const Py_ssize_t *shape, int ndim, Py_ssize_t *stride_out) noexcept nogil:
    """Row-major strides; a zero-size axis counts as 1, so that strides stay positive."""
    cdef Py_ssize_t run = 1
    cdef int d
    for d in range(ndim - 1, -1, -1):
        stride_out[d] = run
        if shape[d] > 1:
            run *= shape[d]


cdef inline void layout_ordered_strides(const Py_ssize_t *shape, int ndim, const int *order_outer_to_inner,
                                        Py_ssize_t *stride_out) noexcept nogil:
    """As layout_contiguous_strides, with the axes nested in the given order (a permutation of range(ndim))."""
    cdef Py_ssize_t run = 1
    cdef int i, d
    for i in range(ndim - 1, -1, -1):
        d = order_outer_to_inner[i]
        stride_out[d] = run
        if shape[d] > 1:
            run *= shape[d]


# -- comparing and classifying --

cdef inline bint layout_is_contiguous(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim) noexcept nogil:
    """Row-major without gaps.  Strides of trivial axes do not count, and without elements no stride does."""
    cdef Py_ssize_t run = 1
    cdef int d
    for d in range(ndim - 1, -1, -1):
        if shape[d] != 1:
            if stride[d] != run:
                return layout_has_no_elements(shape, ndim)
            run *= shape[d]
    return True


cdef inline bint layout_is_dense(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim) noexcept nogil:
    """No gaps and no repetition, in any axis order: some permutation of the nontrivial axes is contiguous."""
    cdef Py_ssize_t run = 1
    cdef int d, open_axes = 0
    if layout_is_contiguous(shape, stride, ndim):
        return True
    for d in range(ndim):
        open_axes += shape[d] != 1
    while open_axes > 0:
        # The next axis outwards must have stride `run`.  Runs grow at each step (sizes >= 2), so no axis is taken twice.
        for d in range(ndim):
            if stride[d] == run and shape[d] != 1:
                break
        else:
            return False
        run *= shape[d]
        open_axes -= 1
    return True


cdef inline bint layout_strides_equal(const Py_ssize_t *shape, const Py_ssize_t *s1, const Py_ssize_t *s2,
                                      int ndim) noexcept nogil:
    """Equal number for number, trivial axes included."""
    return memcmp(s1, s2, <size_t> ndim * sizeof(Py_ssize_t)) == 0


cdef inline bint layout_strides_equal_ignoring_trivial(const Py_ssize_t *shape, const Py_ssize_t *s1,
                                                       const Py_ssize_t *s2, int ndim) noexcept nogil:
    """Every element has the same offset under both: trivial axes do not count, and without elements no axis does."""
    cdef int d
    for d in range(ndim):
        if s1[d] != s2[d] and shape[d] != 1:
            return layout_has_no_elements(shape, ndim)
    return True


cdef inline int _outer_or_inner(int n, const Py_ssize_t *const *strides, const Py_ssize_t *shape, int a, int b) noexcept nogil:
    """1: axis a lies outside axis b; -1: inside; 0: the strides do not say.  The first operand that has an opinion decides."""
    cdef Py_ssize_t sa, sb
    cdef int k
    for k in range(n):
        sa = strides[k][a]
        sb = strides[k][b]
        if sa == 0 or sb == 0:      # a broadcast operand abstains
            continue
        if sa != sb:
            return 1 if sa > sb else -1
        if shape[a] > shape[b]:     # equal strides: the larger axis goes outside
            return 1
    return 0


cdef inline bint layout_axis_order(int n, const Py_ssize_t *const *strides, const Py_ssize_t *shape, int ndim,
                                   int *order_inner_to_outer) noexcept nogil:
    """Orders the axes by the strides of n operands, innermost first; undecided pairs keep the row-major order.

    Whether the order differs from row-major.  "Does not say" is not transitive, so this is an insertion that looks past
    undecided neighbours and stops at a decided one; which order it gives is part of the stride rule (plan.pxd), so do
    not replace it by another sort.
    """
    cdef int i, j, k, side, axis
    cdef bint moved = False
    for i in range(ndim):
        order_inner_to_outer[i] = ndim - 1 - i
    for i in range(1, ndim):
        j = i
        for k in range(i - 1, -1, -1):
            side = _outer_or_inner(n, strides, shape, order_inner_to_outer[k], order_inner_to_outer[j])
            if side < 0:
                break
            if side > 0:
                axis = order_inner_to_outer[k]
                order_inner_to_outer[k] = order_inner_to_outer[j]
                order_inner_to_outer[j] = axis
                j = k
                moved = True
    if not moved:
        return False
    for i in range(ndim):
        if order_inner_to_outer[i] != ndim - 1 - i:
            return True
    return False


cdef inline bint layout_repeats(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim) noexcept nogil:
    """Whether two elements lie at one place.  Exact within SUM_WORK; past it the answer is True.

    Two index tuples meet iff their difference d, |d[i]| < shape[i], not all zero, gives sum(stride[i] * d[i]) == 0.  With
    the axes in descending stride and the first nonzero d taken positive, that is one bounded sum per leading axis, and for
    an axis whose stride exceeds what the smaller ones reach the target is negative: no search.
    """
    cdef Py_ssize_t step[MAX_DIMS]
    cdef Py_ssize_t most[MAX_DIMS]
    cdef Py_ssize_t a[SUM_TERMS]
    cdef Py_ssize_t bound[SUM_TERMS]
    cdef Py_ssize_t reach, inner, term, work = SUM_WORK
    cdef int n = 0, d, i, j
    if layout_has_no_elements(shape, ndim):
        return False
    for d in range(ndim):
        if shape[d] == 1:
            continue
        if stride[d] == 0:
            return True
        i = n
        while i > 0 and step[i - 1] > (stride[d] if stride[d] > 0 else -stride[d]):    # ascending; mirroring changes nothing
            step[i] = step[i - 1]
            most[i] = most[i - 1]
            i -= 1
        step[i] = stride[d] if stride[d] > 0 else -stride[d]
        most[i] = shape[d] - 1
        n += 1
    inner = 0       # what the axes below i reach
    for i in range(n):
        if step[i] <= inner:
            # step[i] * (1 + e) = inner - sum(step[j] * z[j]), 0 <= e < most[i], 0 <= z[j] <= 2 * most[j]
            a[0] = step[i]
            bound[0] = most[i] - 1
            d = 1 if most[i] > 1 else 0
            for j in range(i):
                a[d] = step[j]
                bound[d] = 2 * most[j]
                d += 1
            if bounded_sum(d, a, bound, inner - step[i], &work) != SUM_NO:
                return True
        if checked_mul(step[i], most[i], &reach) or checked_add(inner, reach, &term):
            return True
        inner = term
    return False


# -- reshaping --

cdef inline int layout_view_strides(const Py_ssize_t *old_shape, const Py_ssize_t *old_stride, int old_ndim,
                                    const Py_ssize_t *new_shape, int new_ndim, Py_ssize_t *new_stride_out) noexcept nogil:
    """Strides that show the same elements in the same row-major order under new_shape (of the same numel).

    Returns 0, or -1 when a new axis would have to cross from one evenly spaced run of old axes into another.  The same
    shape keeps the strides it has, trivial axes included; without elements the result is contiguous.
    """
    cdef Py_ssize_t step, room, used
    cdef int i = old_ndim - 1, d = new_ndim - 1
    if layout_same_shape(old_shape, old_ndim, new_shape, new_ndim):
        memcpy(new_stride_out, old_stride, <size_t> old_ndim * sizeof(Py_ssize_t))
        return 0
    if old_ndim == 0 or layout_has_no_elements(old_shape, old_ndim):
        layout_contiguous_strides(new_shape, new_ndim, new_stride_out)
        return 0
    while i >= 0:
        # One evenly spaced run: the axes up to the first whose stride is not the run's length.
        step = old_stride[i]
        room = old_shape[i]
        i -= 1
        while i >= 0 and (old_shape[i] == 1 or old_stride[i] == room * step):
            room *= old_shape[i]
            i -= 1
        # The new axes that fill it; trivial ones beside it belong to it too.
        used = 1
        while d >= 0 and (used < room or new_shape[d] == 1):
            new_stride_out[d] = used * step
            used *= new_shape[d]
            d -= 1
        if used != room:
            return -1
    return 0 if d < 0 else -1


cdef enum InferShape:
    SHAPE_OK
    SHAPE_TWO_UNKNOWN      # more than one -1
    SHAPE_NEGATIVE         # a size below -1
    SHAPE_MISMATCH         # the known sizes do not make up, or do not divide, the number of elements
    SHAPE_AMBIGUOUS        # -1 beside a zero size: any value would do


cdef inline InferShape layout_infer_shape(Py_ssize_t *new_shape, int ndim, Py_ssize_t numel) noexcept nogil:
    """Replaces the one -1 in new_shape by what makes it hold numel elements; new_shape changes only on SHAPE_OK."""
    cdef Py_ssize_t known = 1
    cdef int d, unknown = -1
    cdef bint empty = False
    for d in range(ndim):
        if new_shape[d] == -1:
            if unknown >= 0:
                return SHAPE_TWO_UNKNOWN
            unknown = d
        elif new_shape[d] < 0:
            return SHAPE_NEGATIVE
        elif new_shape[d] == 0:
            empty = True
        elif checked_mul(known, new_shape[d], &known):
            return SHAPE_MISMATCH
    if empty:
        known = 0
    if unknown < 0:
        return SHAPE_OK if known == numel else SHAPE_MISMATCH
    if known == 0:
        return SHAPE_AMBIGUOUS if numel == 0 else SHAPE_MISMATCH
    if numel % known != 0:
        return SHAPE_MISMATCH
    new_shape[unknown] = numel // known
    return SHAPE_OK
