# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# From operand layouts to a Plan: the result's shape and strides, and the loop nest that the kernels run.
#
# Strides are in elements on the way in and in bytes (`step`) in a plan.  Operand 0 of a plan is the output.  What is
# assumed: at most MAX_OPERANDS operands, each broadcastable to the output shape (plan_broadcast says so), strides >= 0,
# extents that fit in Py_ssize_t.  The cost is a few operations per axis and operand; nothing depends on the data.
#
# The stride rule of a fresh elementwise result (plan_output_strides):
#   R1 every operand has the result's shape, and all are contiguous: contiguous; else all are channels_last (rank 4):
#      channels_last; else all are dense with the same strides: those strides.
#   R2 otherwise the axes are sorted by the operands' strides.  The first operand decides where it can: a stride of 0
#      (broadcast) abstains, equal strides put the larger axis outside, and what nobody decides stays row-major.  The
#      result is dense in that order.

from config cimport MAX_DIMS, MAX_OPERANDS
from layout cimport (layout_axis_order, layout_contiguous_strides, layout_is_contiguous, layout_is_dense, layout_numel,
                     layout_same_shape, layout_strides_equal, layout_strides_equal_ignoring_trivial)
from memory_format cimport FORMAT_CHANNELS_LAST, format_is, format_strides
from plan_types cimport Plan, ReducePlan
from tables cimport dtype_itemsize


cdef inline int plan_broadcast(int n_operands, const Py_ssize_t *const *shapes, const int *ndims,
                               Py_ssize_t *out_shape, int *out_ndim) noexcept nogil:
    """The shape that all shapes broadcast to.  Returns 0, or 1 + the axis (of the result) where two sizes disagree."""
    cdef int k, d, ndim = 0
    cdef Py_ssize_t size
    for k in range(n_operands):
        if ndims[k] > ndim:
            ndim = ndims[k]
    out_ndim[0] = ndim
    for d in range(ndim):
        out_shape[d] = 1
    for k in range(n_operands):
        for d in range(ndim - ndims[k], ndim):
            size = shapes[k][d - (ndim - ndims[k])]
            if out_shape[d] == 1:
                out_shape[d] = size
            elif size != 1 and size != out_shape[d]:
                return 1 + d
    return 0


cdef inline void plan_output_strides(int n_operands, const Py_ssize_t *const *shapes, const Py_ssize_t *const *strides,
                                     const int *ndims, const Py_ssize_t *out_shape, int out_ndim,
                                     Py_ssize_t *out_stride) noexcept nogil:
    """Strides of a fresh elementwise result of the given inputs (no output among them), by R1 and R2."""
    cdef Py_ssize_t expanded[MAX_OPERANDS][MAX_DIMS]
    cdef const Py_ssize_t *rows[MAX_OPERANDS]
    cdef int order[MAX_DIMS]
    cdef bint same = True, contiguous = True, channels_last = True, dense = True
    cdef Py_ssize_t run = 1
    cdef int k, d, pad
    for k in range(n_operands):
        if not layout_same_shape(shapes[k], ndims[k], out_shape, out_ndim):
            same = False
            break
        contiguous = contiguous and layout_is_contiguous(shapes[k], strides[k], out_ndim)
    if same:
        if contiguous:
            layout_contiguous_strides(out_shape, out_ndim, out_stride)
            return
        for k in range(n_operands):
            channels_last = channels_last and format_is(out_shape, strides[k], out_ndim, FORMAT_CHANNELS_LAST)
            dense = dense and layout_strides_equal(out_shape, strides[k], strides[0], out_ndim)
        if channels_last:
            format_strides(out_shape, out_ndim, FORMAT_CHANNELS_LAST, out_stride)
            return
        if dense and layout_is_dense(out_shape, strides[0], out_ndim):
            for d in range(out_ndim):
                out_stride[d] = strides[0][d]
            return
    for k in range(n_operands):
        pad = out_ndim - ndims[k]
        rows[k] = expanded[k]
        for d in range(out_ndim):
            # An axis of size 1 is broadcast only where the result's is larger; beside another 1 its stride still counts.
            if d < pad or (shapes[k][d - pad] == 1 and out_shape[d] != 1):
                expanded[k][d] = 0
            else:
                expanded[k][d] = strides[k][d - pad]
    if not layout_axis_order(n_operands, rows, out_shape, out_ndim, order):
        layout_contiguous_strides(out_shape, out_ndim, out_stride)
        return
    for k in range(out_ndim):
        out_stride[order[k]] = run
        run *= out_shape[order[k]]


cdef inline void plan_build(Plan *p, int n_operands, const int *ndims, const Py_ssize_t *const *shapes,
                            const Py_ssize_t *const *strides, char *const *data, const int *dtypes,
                            const Py_ssize_t *out_shape, int out_ndim) noexcept nogil:
    """Fills the geometry of p for operand 0 = f(operands 1..), all broadcast to out_shape; the caller sets the codes.

    Promises: the plan's index space covers every element of out_shape once; the axes ascend in the output's step (ties are
    broken by the inputs in order; an output that repeats places, with a step of 0, leaves those axes to the inputs);
    neighbouring axes that step evenly in every operand are one axis; no axis of size 1.  Only the ndim axes in use are
    written.
    """
    cdef Py_ssize_t step[MAX_OPERANDS][MAX_DIMS]
    cdef Py_ssize_t size[MAX_DIMS]
    cdef const Py_ssize_t *rows[MAX_OPERANDS]
    cdef int order[MAX_DIMS]
    cdef int k, d, i, axis, pad, n = 0, last
    cdef bint merges
    p.operand_count = n_operands
    for k in range(n_operands):
        p.data[k] = data[k]
        p.dtype[k] = dtypes[k]
    p.numel = layout_numel(out_shape, out_ndim)
    p.ndim = 0
    if p.numel < 2:
        return

    # One axis without a sort: a dense output, and inputs that are laid out like it or have rank 0.
    if layout_same_shape(shapes[0], ndims[0], out_shape, out_ndim) and layout_is_dense(out_shape, strides[0], out_ndim):
        for k in range(1, n_operands):
            if ndims[k] == 0:
                p.step_bytes[k][0] = 0
            elif (layout_same_shape(shapes[k], ndims[k], out_shape, out_ndim)
                    and layout_strides_equal_ignoring_trivial(out_shape, strides[k], strides[0], out_ndim)):
                p.step_bytes[k][0] = dtype_itemsize[dtypes[k]]
            else:
                break
        else:
            p.step_bytes[0][0] = dtype_itemsize[dtypes[0]]
            p.shape[0] = p.numel
            p.ndim = 1
            return

    for d in range(out_ndim):
        if out_shape[d] == 1:
            continue
        size[n] = out_shape[d]
        for k in range(n_operands):
            pad = out_ndim - ndims[k]
            step[k][n] = 0 if d < pad or shapes[k][d - pad] == 1 else strides[k][d - pad] * dtype_itemsize[dtypes[k]]
        n += 1
    for k in range(n_operands):
        rows[k] = step[k]
    layout_axis_order(n_operands, rows, size, n, order)

    last = -1
    for i in range(n):
        axis = order[i]
        merges = last >= 0
        if merges:
            for k in range(n_operands):
                if step[k][axis] != p.step_bytes[k][last] * p.shape[last]:
                    merges = False
                    break
        if merges:
            p.shape[last] *= size[axis]
        else:
            last += 1
            p.shape[last] = size[axis]
            for k in range(n_operands):
                p.step_bytes[k][last] = step[k][axis]
    p.ndim = last + 1


# -- reductions --

cdef inline void plan_reduce_strides(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, const bint *reduced,
                                     bint keepdim, Py_ssize_t *out_stride) noexcept nogil:
    """Strides of a fresh reduction result: contiguous, whatever the input's strides.

    Every record of the reference data agrees, with keepdim and without, for channels-last and permuted inputs too.  With
    keepdim there is an entry per axis, otherwise one per kept axis.
    """
    cdef Py_ssize_t run = 1
    cdef int d, n = 0
    for d in range(ndim):
        n += keepdim or not reduced[d]
    for d in range(ndim - 1, -1, -1):
        if reduced[d]:
            if not keepdim:
                continue
        n -= 1
        out_stride[n] = run
        if not reduced[d] and shape[d] > 1:
            run *= shape[d]


cdef inline void plan_build_reduce(ReducePlan *p, const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim,
                                   Py_ssize_t in_itemsize, const bint *reduced, const Py_ssize_t *out_stride,
                                   Py_ssize_t out_itemsize, bint keepdim) noexcept nogil:
    """Fills the axes of p; the caller sets codes and pointers.  out_stride is laid out as by plan_reduce_strides.

    Promises: the kept index space covers every output element once, and the reduced one every input element of it once.
    Kept axes ascend in the input's step (ties and steps of 0 are left to the output's), so that a kernel that accumulates a
    block of outputs reads along memory.  Reduced axes keep the row-major order of the logical index: walking them with axis 0
    fastest meets the elements in the same order for every layout, so a float result does not depend on the layout.
    """
    cdef Py_ssize_t size[2][MAX_DIMS]         # [0] kept, [1] reduced, outermost first, without axes of size 1
    cdef Py_ssize_t in_step[2][MAX_DIMS]
    cdef Py_ssize_t out_step[MAX_DIMS]
    cdef const Py_ssize_t *rows[2]
    cdef int order[MAX_DIMS]
    cdef int n[2]
    cdef int d, i, part, axis, last, kept_axis = 0
    n[0] = n[1] = 0
    p.keep_numel = p.red_numel = 1
    for d in range(ndim):
        part = 1 if reduced[d] else 0
        if part:
            p.red_numel *= shape[d]
        else:
            p.keep_numel *= shape[d]
        if shape[d] != 1:
            size[part][n[part]] = shape[d]
            in_step[part][n[part]] = stride[d] * in_itemsize
            if part == 0:
                out_step[n[0]] = out_stride[kept_axis] * out_itemsize
            n[part] += 1
        kept_axis += keepdim or part == 0

    rows[0] = in_step[0]
    rows[1] = out_step
    layout_axis_order(2, rows, size[0], n[0], order)
    last = -1
    for i in range(n[0]):
        axis = order[i]
        if (last >= 0 and in_step[0][axis] == p.keep_in_step[last] * p.keep_shape[last]
                and out_step[axis] == p.keep_out_step[last] * p.keep_shape[last]):
            p.keep_shape[last] *= size[0][axis]
            continue
        last += 1
        p.keep_shape[last] = size[0][axis]
        p.keep_in_step[last] = in_step[0][axis]
        p.keep_out_step[last] = out_step[axis]
    p.keep_ndim = last + 1

    last = -1
    for axis in range(n[1] - 1, -1, -1):
        if last >= 0 and in_step[1][axis] == p.red_step[last] * p.red_shape[last]:
            p.red_shape[last] *= size[1][axis]
            continue
        last += 1
        p.red_shape[last] = size[1][axis]
        p.red_step[last] = in_step[1][axis]
    p.red_ndim = last + 1


cdef inline void plan_sort_reduced(ReducePlan *p) noexcept nogil:
    """Sorts the reduced axes by step and coalesces again: for integer and bool accumulators, where order cannot matter.

    It gives up the fixed order of plan_build_reduce for reading along memory.
    """
    cdef Py_ssize_t step, size
    cdef int i, j, last = 0
    for i in range(1, p.red_ndim):
        step = p.red_step[i]
        size = p.red_shape[i]
        j = i
        while j > 0 and p.red_step[j - 1] > step:
            p.red_step[j] = p.red_step[j - 1]
            p.red_shape[j] = p.red_shape[j - 1]
            j -= 1
        p.red_step[j] = step
        p.red_shape[j] = size
    for i in range(1, p.red_ndim):
        if p.red_step[i] == p.red_step[last] * p.red_shape[last]:
            p.red_shape[last] *= p.red_shape[i]
        else:
            last += 1
            p.red_step[last] = p.red_step[i]
            p.red_shape[last] = p.red_shape[i]
    if p.red_ndim > 0:
        p.red_ndim = last + 1
