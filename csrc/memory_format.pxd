# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# Memory formats: named axis orders, and which of them a layout is in.
#
# channels_last is for rank 4 (N, C, H, W nested as N, H, W, C), channels_last_3d for rank 5.  Conventions as in layout.pxd.
# Three questions that are easily confused:
#   format_is          is the layout in that format?  Several formats may fit (C == 1, or H == W == 1).
#   format_suggested   which one format should a result take?  Ordered strides suffice, gaps do not matter.
#   format_dim_order   the nesting of the axes, and whether it is the only one.

from config cimport MAX_DIMS
from layout cimport _outer_or_inner, layout_axis_order, layout_contiguous_strides, layout_is_contiguous

cdef enum MemoryFormat:
    FORMAT_CONTIGUOUS
    FORMAT_CHANNELS_LAST
    FORMAT_CHANNELS_LAST_3D
    FORMAT_PRESERVE

cdef enum FormatStatus:
    FORMAT_OK
    FORMAT_WRONG_RANK      # channels_last needs rank 4, channels_last_3d rank 5
    FORMAT_UNSUPPORTED     # preserve_format names no strides by itself


cdef inline int format_rank(int fmt) noexcept nogil:
    """The only rank a channels-last format is for; 0 for the formats of any rank."""
    if fmt == FORMAT_CHANNELS_LAST:
        return 4
    return 5 if fmt == FORMAT_CHANNELS_LAST_3D else 0


cdef inline int _channels_last_axis(int i, int ndim) noexcept nogil:
    """The axis at nesting depth i from inside: channels, then the spatial axes from the last, then the batch."""
    if i == 0:
        return 1
    return ndim - i if i < ndim - 1 else 0


cdef inline bint _is_channels_last(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim,
                                   bint ignore_empty_axes) noexcept nogil:
    cdef Py_ssize_t run = 1
    cdef int i, d
    for i in range(ndim):
        d = _channels_last_axis(i, ndim)
        if shape[d] != 1 and not (ignore_empty_axes and shape[d] == 0):
            if stride[d] != run:
                return False
        run *= shape[d]
    return True


cdef inline bint format_is(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, int fmt) noexcept nogil:
    """is_contiguous(memory_format=fmt): no gaps in the format's axis order.

    The stride of an axis of size 0 or 1 does not count.  False for another rank; preserve_format asks the same as
    contiguous_format.
    """
    cdef int rank = format_rank(fmt)
    if rank == 0:
        return layout_is_contiguous(shape, stride, ndim)
    return ndim == rank and _is_channels_last(shape, stride, ndim, True)


cdef inline FormatStatus format_strides(const Py_ssize_t *shape, int ndim, int fmt, Py_ssize_t *stride_out) noexcept nogil:
    """Strides of a fresh tensor in the format.  Channels-last strides are plain products: 0 outside a zero-size axis."""
    cdef Py_ssize_t run = 1
    cdef int i, d, rank = format_rank(fmt)
    if fmt == FORMAT_PRESERVE:
        return FORMAT_UNSUPPORTED
    if rank == 0:
        layout_contiguous_strides(shape, ndim, stride_out)
        return FORMAT_OK
    if ndim != rank:
        return FORMAT_WRONG_RANK
    for i in range(ndim):
        d = _channels_last_axis(i, ndim)
        stride_out[d] = run
        run *= shape[d]
    return FORMAT_OK


cdef inline MemoryFormat format_suggested(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim) noexcept nogil:
    """The format a result derived from this layout takes: channels-last if the strides nest that way, else contiguous.

    Each axis must start where the ones inside it end, or farther out; trivial axes count, because they tell a (N, 1, H, W)
    made as channels-last from a contiguous one.  Where nothing tells them apart (no elements, one channel stride 0, or a
    batch stride equal to the extent of nothing but the channel's) the answer is contiguous.
    """
    cdef Py_ssize_t ends = 0
    cdef int i, d
    if (ndim != 4 and ndim != 5) or stride[1] == 0:
        return FORMAT_CONTIGUOUS
    for i in range(ndim):
        d = _channels_last_axis(i, ndim)
        if shape[d] == 0 or stride[d] < ends or (d == 0 and ends == stride[1]):
            return FORMAT_CONTIGUOUS
        ends = stride[d] * shape[d]
    return FORMAT_CHANNELS_LAST if ndim == 4 else FORMAT_CHANNELS_LAST_3D


cdef enum OrderCheck:
    ORDER_UNCHECKED        # any legal order will do
    ORDER_UNIQUE           # only one order may be possible
    ORDER_OF_FORMATS       # as ORDER_UNIQUE, but being in exactly one of the given formats settles it

cdef enum OrderStatus:
    ORDER_OK
    ORDER_SEVERAL          # a trivial axis or neighbours of equal stride, and no single format to settle it
    ORDER_UNDECIDED        # the strides leave two axes undecided


cdef inline OrderStatus format_dim_order(const Py_ssize_t *shape, const Py_ssize_t *stride, int ndim, int check,
                                         const int *formats, int format_count, int *order_outer_to_inner) noexcept nogil:
    """The axes from outermost to innermost.  formats is read for ORDER_OF_FORMATS only.

    In one of contiguous and channels_last (rank 4), the order is that format's; in both or neither, the axes are sorted
    by stride.  An axis of size 0 counts like any other here: formats are told apart by its stride.
    """
    cdef int inner[MAX_DIMS]
    cdef const Py_ssize_t *strides[1]
    cdef bint several = False, contiguous, channels_last
    cdef int i, rank, fitting = 0
    if check != ORDER_UNCHECKED:
        for i in range(ndim):
            several = several or shape[i] == 1 or (i > 0 and stride[i] == stride[i - 1])
        if several:
            if check == ORDER_OF_FORMATS:
                for i in range(format_count):
                    rank = format_rank(formats[i])
                    if rank == 0:
                        fitting += layout_is_contiguous(shape, stride, ndim)
                    else:
                        fitting += ndim == rank and _is_channels_last(shape, stride, ndim, False)
            if fitting != 1:
                return ORDER_SEVERAL
    contiguous = layout_is_contiguous(shape, stride, ndim)
    channels_last = ndim == 4 and _is_channels_last(shape, stride, ndim, False)
    if ndim < 2 or (contiguous and not channels_last):
        for i in range(ndim):
            order_outer_to_inner[i] = i
        return ORDER_OK
    if channels_last and not contiguous:
        for i in range(ndim):
            order_outer_to_inner[ndim - 1 - i] = _channels_last_axis(i, ndim)
        return ORDER_OK
    strides[0] = stride
    layout_axis_order(1, strides, shape, ndim, inner)
    for i in range(ndim):
        order_outer_to_inner[ndim - 1 - i] = inner[i]
    if check == ORDER_UNIQUE or (check == ORDER_OF_FORMATS and format_count > 0):
        for i in range(ndim - 1):
            if _outer_or_inner(1, strides, shape, inner[i], inner[i + 1]) >= 0:
                return ORDER_UNDECIDED
    return ORDER_OK
