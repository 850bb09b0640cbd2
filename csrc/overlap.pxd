# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# Do two strided views touch a common byte?
#
# Stages, cheapest first: no elements; byte ranges that do not meet; the identical view; and then, exactly, the bounded sum
#     start_a + sum(step_a[i] * x[i]) + s  ==  start_b + sum(step_b[j] * y[j]) + t,    0 <= s < itemsize_a, 0 <= t < itemsize_b
# with 0 <= x[i] < shape_a[i] and 0 <= y[j] < shape_b[j].  Mirroring y and t (v -> most - v) makes every coefficient
# positive.  The item terms have coefficient 1 and would spoil the gcd test, so s + t is not searched: it only matters modulo
# the gcd of the steps, which leaves two values where items are aligned.
# Invariants:  O1 both views have elements   O2 strides are >= 0   O3 both byte ranges lie in the address space
# Source: P. Ramachandran, ANTS-VII, LNCS 4076 (2006), 182-192.

from bounded_sum cimport (SUM_NO, SUM_TERMS, SUM_TOO_HARD, SUM_WORK, SUM_YES, SumAnswer, bounded_sum, checked_add,
                          checked_mul, greatest_common_divisor)
from layout cimport layout_extent, layout_has_no_elements

cdef enum Overlap:
    OVERLAP_NO        # proved: no byte in common
    OVERLAP_SAME      # same bytes, same order: safe for elementwise work in place
    OVERLAP_PARTIAL   # proved: some byte in common, in a different order
    OVERLAP_TOO_HARD  # work limit reached; callers must treat it as PARTIAL


cdef inline bint overlap_is_identical(const Py_ssize_t *a_shape, const Py_ssize_t *a_stride, int a_ndim,
                                      const Py_ssize_t *b_shape, const Py_ssize_t *b_stride, int b_ndim) noexcept nogil:
    """Equal sizes and strides once the axes of size 1 are dropped.

    Enough for "the same element at the same index" when one broadcasts to the other's shape: the axes that are left then
    stand at the same places, counted from the last.
    """
    cdef int i = 0, j = 0
    while True:
        while i < a_ndim and a_shape[i] == 1:
            i += 1
        while j < b_ndim and b_shape[j] == 1:
            j += 1
        if i == a_ndim or j == b_ndim:
            return i == a_ndim and j == b_ndim
        if a_shape[i] != b_shape[j] or a_stride[i] != b_stride[j]:
            return False
        i += 1
        j += 1


cdef inline int _append_terms(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, Py_ssize_t itemsize,
                              Py_ssize_t *step, Py_ssize_t *most, int n) noexcept nogil:
    """Appends one term per axis that moves (O2); -1 when a step does not fit."""
    cdef int d
    for d in range(ndim):
        if shape[d] != 1 and stride[d] != 0:
            if checked_mul(stride[d], itemsize, &step[n]):
                return -1
            most[n] = shape[d] - 1
            n += 1
    return n


cdef inline Overlap _overlap_search(Py_ssize_t a_ahead, Py_ssize_t b_last, const Py_ssize_t *a_shape,
                                    const Py_ssize_t *a_stride, int a_ndim, Py_ssize_t a_itemsize,
                                    const Py_ssize_t *b_shape, const Py_ssize_t *b_stride, int b_ndim,
                                    Py_ssize_t b_itemsize) noexcept nogil:
    """The bounded sum.  a_ahead: start of a less start of b; b_last: bytes from the start of b to its last byte."""
    cdef Py_ssize_t step[SUM_TERMS]
    cdef Py_ssize_t most[SUM_TERMS]
    cdef Py_ssize_t scratch_step[SUM_TERMS]
    cdef Py_ssize_t scratch_most[SUM_TERMS]
    cdef Py_ssize_t target, item, divisor = 0, work = SUM_WORK
    cdef SumAnswer answer
    cdef int i, n
    n = _append_terms(a_shape, a_stride, a_ndim, a_itemsize, step, most, 0)
    if n >= 0:
        n = _append_terms(b_shape, b_stride, b_ndim, b_itemsize, step, most, n)
    if n < 0 or checked_add(b_last, -a_ahead, &target):
        return OVERLAP_TOO_HARD
    for i in range(n):
        divisor = greatest_common_divisor(step[i], divisor)
    # sum(steps) == target - item, where item = s + (itemsize_b - 1 - t)
    item = target % divisor if divisor > 0 else target
    if item < 0 and divisor > 0:
        item += divisor
    while 0 <= item <= a_itemsize + b_itemsize - 2:
        for i in range(n):
            scratch_step[i] = step[i]
            scratch_most[i] = most[i]
        answer = bounded_sum(n, scratch_step, scratch_most, target - item, &work)
        if answer != SUM_NO:
            return OVERLAP_PARTIAL if answer == SUM_YES else OVERLAP_TOO_HARD
        if divisor == 0:
            break
        item += divisor
    return OVERLAP_NO


cdef inline Overlap overlap_views(size_t a_start, const Py_ssize_t *a_shape, const Py_ssize_t *a_stride, int a_ndim,
                                  Py_ssize_t a_itemsize, int a_dtype,
                                  size_t b_start, const Py_ssize_t *b_shape, const Py_ssize_t *b_stride, int b_ndim,
                                  Py_ssize_t b_itemsize, int b_dtype) noexcept nogil:
    """How two views, given by the address of their first element and their layout, share memory.

    OVERLAP_SAME says nothing about repetition inside a view: ask layout_repeats about a destination.  Views of different
    devices or of meta must not be brought here; their addresses mean nothing to each other.
    """
    cdef Py_ssize_t a_lo, a_hi, b_lo, b_hi
    if layout_has_no_elements(a_shape, a_ndim) or layout_has_no_elements(b_shape, b_ndim):
        return OVERLAP_NO
    if (layout_extent(a_shape, a_stride, a_ndim, a_itemsize, &a_lo, &a_hi)
            or layout_extent(b_shape, b_stride, b_ndim, b_itemsize, &b_lo, &b_hi)):
        return OVERLAP_TOO_HARD
    if a_start + <size_t> a_hi <= b_start or b_start + <size_t> b_hi <= a_start:
        return OVERLAP_NO
    if a_start == b_start and a_dtype == b_dtype and a_itemsize == b_itemsize and overlap_is_identical(
            a_shape, a_stride, a_ndim, b_shape, b_stride, b_ndim):
        return OVERLAP_SAME
    # O3 and ranges that meet: the difference of the starts is below an extent, so it fits.
    return _overlap_search(<Py_ssize_t> (a_start - b_start), b_hi - 1, a_shape, a_stride, a_ndim, a_itemsize,
                           b_shape, b_stride, b_ndim, b_itemsize)
