# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# Is there a solution of   a[0] x[0] + ... + a[n-1] x[n-1] = target   in integers 0 <= x[i] <= most[i] ?
#
# The question behind "do two views share a byte" (overlap.pxd) and "does a layout map two elements to one place"
# (layout.pxd).  It is subset-sum in disguise, so the worst case is exponential; a depth-first search from the largest
# coefficient down settles what people write, and a work limit bounds the rest.  A branch is cut by
#   - bounds: what is left must lie between 0 and the most that the remaining terms can add up to;
#   - the gcd of the remaining coefficients: it must divide what is left, so x[i] walks one residue class only;
#   - saturation: where the remaining terms reach every multiple of their gcd up to their sum, the answer is yes.
# One and two distinct coefficients are settled without search.
# Invariants:  S1 a[i] > 0 and most[i] > 0   S2 coefficients are distinct and descending after the preparation
#              S3 on entering a level, its gcd divides what is left and its sum is not exceeded
# Source of the bounds and gcd pruning: P. Ramachandran, ANTS-VII, LNCS 4076 (2006), 182-192.

cdef extern from *:
    """
    #ifndef TENSORLIB_CHECKED_ARITHMETIC
    #define TENSORLIB_CHECKED_ARITHMETIC
    static inline int checked_mul(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *out) { return __builtin_mul_overflow(a, b, out); }
    static inline int checked_add(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *out) { return __builtin_add_overflow(a, b, out); }
    /* a * b mod m for 0 <= a, b < m, without overflow. */
    static inline Py_ssize_t product_mod(Py_ssize_t a, Py_ssize_t b, Py_ssize_t m) {
    #ifdef __SIZEOF_INT128__
        return (Py_ssize_t)((unsigned __int128)a * (unsigned __int128)b % (unsigned __int128)m);
    #else
        return (Py_ssize_t)((unsigned long long)a * (unsigned long long)b % (unsigned long long)m);  /* 32-bit sizes */
    #endif
    }
    #endif
    """
    # Each returns nonzero when the result does not fit.
    bint checked_mul(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *out) noexcept nogil
    bint checked_add(Py_ssize_t a, Py_ssize_t b, Py_ssize_t *out) noexcept nogil
    Py_ssize_t product_mod(Py_ssize_t a, Py_ssize_t b, Py_ssize_t m) noexcept nogil

cdef enum:
    SUM_TERMS = 130          # two views of 64 axes each, and two to spare
    SUM_WORK = 100000        # nodes visited before giving up: about a millisecond, and 20 times what any test layout needs

cdef enum SumAnswer:
    SUM_NO          # proved: no solution
    SUM_YES         # proved: there is one
    SUM_TOO_HARD    # work limit reached, or the sums do not fit in Py_ssize_t


cdef inline Py_ssize_t greatest_common_divisor(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    cdef Py_ssize_t rest
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a


cdef inline Py_ssize_t inverse_mod(Py_ssize_t a, Py_ssize_t m) noexcept nogil:
    """The inverse of a modulo m, for coprime a and m >= 1; 0 for m == 1."""
    cdef Py_ssize_t r0 = m, r1 = a % m, t0 = 0, t1 = 1, quotient, swap
    while r1 != 0:
        quotient = r0 // r1
        swap = r0 - quotient * r1
        r0 = r1
        r1 = swap
        swap = t0 - quotient * t1
        t0 = t1
        t1 = swap
    if t0 < 0:
        t0 += m
    return t0 % m


cdef inline int _sort_and_merge(int n, Py_ssize_t *a, Py_ssize_t *most) noexcept nogil:
    """Brings the terms into S2 and returns how many are left, or -1 when a merged bound does not fit."""
    cdef int i, j, kept = 0
    cdef Py_ssize_t coefficient, bound
    for i in range(1, n):
        coefficient = a[i]
        bound = most[i]
        j = i
        while j > 0 and a[j - 1] < coefficient:
            a[j] = a[j - 1]
            most[j] = most[j - 1]
            j -= 1
        a[j] = coefficient
        most[j] = bound
    for i in range(n):
        if kept > 0 and a[kept - 1] == a[i]:
            if checked_add(most[kept - 1], most[i], &most[kept - 1]):
                return -1
        else:
            a[kept] = a[i]
            most[kept] = most[i]
            kept += 1
    return kept


cdef inline SumAnswer bounded_sum(int n, Py_ssize_t *a, Py_ssize_t *most, Py_ssize_t target, Py_ssize_t *work) noexcept nogil:
    """Answers the question at the top.  a and most (S1, at most SUM_TERMS) are scratch; work: nodes that may be visited."""
    cdef Py_ssize_t divisor[SUM_TERMS + 1]     # gcd of a[i:]
    cdef Py_ssize_t total[SUM_TERMS + 1]       # the most that terms i.. add up to
    cdef bint saturated[SUM_TERMS + 1]         # terms i.. reach every multiple of divisor[i] up to total[i]
    cdef Py_ssize_t stride[SUM_TERMS]          # distance of the candidates for x[i]: S3 must hold one level down
    cdef Py_ssize_t inverse[SUM_TERMS]
    cdef Py_ssize_t left[SUM_TERMS]            # what terms i.. must still add up to
    cdef Py_ssize_t x[SUM_TERMS]
    cdef Py_ssize_t last[SUM_TERMS]
    cdef Py_ssize_t reach, low, residue, rest
    cdef int i
    if target == 0:
        return SUM_YES
    if target < 0 or n == 0:
        return SUM_NO
    n = _sort_and_merge(n, a, most)
    if n < 0:
        return SUM_TOO_HARD
    divisor[n] = 0
    total[n] = 0
    saturated[n] = True
    for i in range(n - 1, -1, -1):
        if checked_mul(a[i], most[i], &reach) or checked_add(total[i + 1], reach, &total[i]):
            return SUM_TOO_HARD
        divisor[i] = greatest_common_divisor(a[i], divisor[i + 1])
        # A term joins without leaving a hole if its step is at most one past what the smaller ones reach.
        saturated[i] = saturated[i + 1] and (
            i == n - 1 or (divisor[i] == divisor[i + 1] and a[i] - divisor[i] <= total[i + 1]))
    if target > total[0] or target % divisor[0] != 0:
        return SUM_NO
    if saturated[0]:
        return SUM_YES
    for i in range(n - 1):
        stride[i] = divisor[i + 1] // divisor[i]
        inverse[i] = inverse_mod(a[i] // divisor[i], stride[i])
    i = 0
    left[0] = target
    while True:
        # Enter level i (S3 holds; never the last level, which is saturated).
        low = 0
        if left[i] > total[i + 1]:
            low = (left[i] - total[i + 1] + a[i] - 1) // a[i]
        last[i] = left[i] // a[i]
        if last[i] > most[i]:
            last[i] = most[i]
        # a x = left (mod divisor[i + 1])  <=>  x = (left / divisor[i]) * inverse (mod stride)
        residue = product_mod((left[i] // divisor[i]) % stride[i], inverse[i], stride[i])
        rest = (residue - low) % stride[i]
        if rest < 0:
            rest += stride[i]
        x[i] = low if rest == 0 else (low + rest if last[i] - low >= rest else last[i] + 1)
        while x[i] > last[i]:
            i -= 1
            if i < 0:
                return SUM_NO
            if stride[i] > last[i] - x[i]:
                x[i] = last[i] + 1
            else:
                x[i] += stride[i]
        work[0] -= 1
        if work[0] < 0:
            return SUM_TOO_HARD
        if saturated[i + 1]:
            return SUM_YES
        left[i + 1] = left[i] - a[i] * x[i]
        i += 1
