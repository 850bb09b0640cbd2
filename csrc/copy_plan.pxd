# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# How a plan of two operands is copied: which strategy, and the loop nest in the order that it wants.
#
# Decided by the geometry alone.  A strategy handles the two innermost axes of the nest in one call of a loop; the axes outside
# of them ascend in the destination's step.
#
# Named notes
#   [wider items]   Where axis 0 is contiguous on both sides and 2, 4, 8 or 16 bytes long, it moves as one element: pairs of
#                   float32 turn as float64 do, complex numbers as their parts side by side.

from config cimport MAX_DIMS
from plan_types cimport Plan
from tables cimport dtype_itemsize

cdef enum CopyStrategy:
    COPY_PLAIN         # none of these: in the plan's own order
    COPY_WEAVE         # 2 to 4 planes to interleaved channels
    COPY_UNWEAVE       # and back
    COPY_TRANSPOSE     # the destination's fastest axis and the source's change places (transpose.h)

cdef enum:
    SHORT_AXIS = 8                    # so few lines stay in L1 whatever their pitch: no buffer needed
    STREAMED_BYTES = 16 << 20         # results of this size are written past the caches

cdef struct CopyPlan:
    CopyStrategy strategy
    bint streamed
    int ndim
    Py_ssize_t itemsize
    Py_ssize_t extent[MAX_DIMS]       # innermost first
    Py_ssize_t dst_step[MAX_DIMS]
    Py_ssize_t src_step[MAX_DIMS]


cdef inline void copy_plan_axis(CopyPlan *c, int i, const Plan *p, int d) noexcept nogil:
    c.extent[i] = p.shape[d]
    c.dst_step[i] = p.step_bytes[0][d]
    c.src_step[i] = p.step_bytes[1][d]


cdef inline bint copy_plan_turn(CopyPlan *c, const Plan *p, int first, Py_ssize_t itemsize) noexcept nogil:
    """Whether the axes from `first` on are woven or transposed elements of so many bytes; fills c if they are."""
    cdef int d, n = 2, t = 0
    if p.ndim - first < 2 or p.step_bytes[0][first] != itemsize or p.step_bytes[1][first] == itemsize:
        return False
    for d in range(first + 1, p.ndim):
        if p.step_bytes[1][d] == itemsize and p.shape[d] > 1:
            t = d
            break
    if t == 0:
        return False
    c.itemsize = itemsize
    c.ndim = p.ndim - first
    copy_plan_axis(c, 0, p, t)
    copy_plan_axis(c, 1, p, first)
    for d in range(first + 1, p.ndim):
        if d != t:
            copy_plan_axis(c, n, p, d)
            n += 1
    c.strategy = COPY_TRANSPOSE
    if itemsize <= 8:
        if c.extent[1] <= 4 and c.dst_step[0] == itemsize * c.extent[1]:
            c.strategy = COPY_WEAVE
        elif c.extent[0] <= 4 and c.src_step[1] == itemsize * c.extent[0]:
            copy_plan_axis(c, 0, p, first)
            copy_plan_axis(c, 1, p, t)
            c.strategy = COPY_UNWEAVE
    c.streamed = c.strategy == COPY_TRANSPOSE and p.numel * dtype_itemsize[p.dtype[0]] >= STREAMED_BYTES
    return True


cdef inline void copy_plan_build(CopyPlan *c, const Plan *p) noexcept nogil:
    """For equal dtypes.  Of a plain copy only the strategy is set."""
    cdef Py_ssize_t itemsize = dtype_itemsize[p.dtype[0]], run
    c.strategy = COPY_PLAIN
    if p.ndim > 1 and p.step_bytes[0][0] == itemsize and p.step_bytes[1][0] == itemsize:
        run = itemsize * p.shape[0]               # [wider items]
        if run == 2 or run == 4 or run == 8 or run == 16:
            copy_plan_turn(c, p, 1, run)
    else:
        copy_plan_turn(c, p, 0, itemsize)
