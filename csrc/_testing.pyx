# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
#
# The level-1 functions (layout, memory_format, plan, overlap, bounded_sum) for the tests: tuples in, tuples out.
#
# Nothing here decides anything.  Where the C function returns a status or writes nothing, the answer is the status or
# None.  Not part of a wheel.

from bounded_sum cimport SUM_TERMS, SUM_WORK, bounded_sum
from config cimport MAX_DIMS, MAX_OPERANDS
from layout cimport (layout_contiguous_strides, layout_extent, layout_infer_shape, layout_is_contiguous, layout_is_dense,
                     layout_numel, layout_ordered_strides, layout_repeats, layout_strides_equal,
                     layout_strides_equal_ignoring_trivial, layout_view_strides)
from memory_format cimport (FORMAT_CHANNELS_LAST, FORMAT_CHANNELS_LAST_3D, FORMAT_CONTIGUOUS, FORMAT_PRESERVE, FORMAT_OK,
                            ORDER_OF_FORMATS, ORDER_OK, ORDER_UNCHECKED, ORDER_UNIQUE, format_dim_order, format_is,
                            format_strides, format_suggested)
from overlap cimport overlap_views
from plan cimport (plan_broadcast, plan_build, plan_build_reduce, plan_output_strides, plan_reduce_strides,
                   plan_sort_reduced)
from plan_types cimport Plan, ReducePlan
from tables cimport dtype_itemsize

FORMATS = {"contiguous": FORMAT_CONTIGUOUS, "channels_last": FORMAT_CHANNELS_LAST,
           "channels_last_3d": FORMAT_CHANNELS_LAST_3D, "preserve": FORMAT_PRESERVE}
INFER = ("ok", "two unknown", "negative", "mismatch", "ambiguous")
FORMAT_STATUS = ("ok", "wrong rank", "unsupported")
ORDER_STATUS = ("ok", "several", "undecided")
OVERLAP = ("no", "same", "partial", "too hard")
SUM = ("no", "yes", "too hard")


cdef int _read(object numbers, Py_ssize_t *out) except -1:
    cdef int n = 0
    if len(numbers) > MAX_DIMS:
        raise ValueError(f"{len(numbers)} numbers, at most {MAX_DIMS}")
    for number in numbers:
        out[n] = number
        n += 1
    return n


cdef int _read_layout(object shape, object stride, Py_ssize_t *shape_out, Py_ssize_t *stride_out) except -1:
    if len(shape) != len(stride):
        raise ValueError(f"{shape} and {stride} differ in length")
    _read(stride, stride_out)
    return _read(shape, shape_out)


cdef tuple _tuple(const Py_ssize_t *numbers, int n):
    return tuple([numbers[i] for i in range(n)])


# -- layout --

def numel(shape):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef int n = _read(shape, s)
    return layout_numel(s, n)


def contiguous_strides(shape):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read(shape, s)
    layout_contiguous_strides(s, n, t)
    return _tuple(t, n)


def ordered_strides(shape, order):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int o[MAX_DIMS]
    cdef int n = _read(shape, s), i
    for i in range(n):
        o[i] = order[i]
    layout_ordered_strides(s, n, o, t)
    return _tuple(t, n)


def is_contiguous(shape, stride):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    return bool(layout_is_contiguous(s, t, n))


def is_dense(shape, stride):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    return bool(layout_is_dense(s, t, n))


def repeats(shape, stride):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    return bool(layout_repeats(s, t, n))


def strides_equal(shape, stride, other):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t u[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    _read(other, u)
    return bool(layout_strides_equal(s, t, u, n))


def strides_equal_ignoring_trivial(shape, stride, other):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t u[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    _read(other, u)
    return bool(layout_strides_equal_ignoring_trivial(s, t, u, n))


def extent(shape, stride, Py_ssize_t itemsize):
    """(lo, hi), or None when they do not fit."""
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t lo, hi
    cdef int n = _read_layout(shape, stride, s, t)
    if layout_extent(s, t, n, itemsize, &lo, &hi) != 0:
        return None
    return lo, hi


def view_strides(shape, stride, new_shape):
    """The strides, or None when the shape needs a copy."""
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t v[MAX_DIMS]
    cdef Py_ssize_t w[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t), m = _read(new_shape, v)
    if layout_view_strides(s, t, n, v, m, w) != 0:
        return None
    return _tuple(w, m)


def infer_shape(new_shape, Py_ssize_t numel):
    """(status, shape after the call)."""
    cdef Py_ssize_t s[MAX_DIMS]
    cdef int n = _read(new_shape, s)
    status = INFER[<int> layout_infer_shape(s, n, numel)]
    return status, _tuple(s, n)


# -- memory_format --

def in_format(shape, stride, fmt):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    return bool(format_is(s, t, n, FORMATS[fmt]))


def strides_in_format(shape, fmt):
    """The strides, or the status that is not ok."""
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read(shape, s)
    cdef int status = format_strides(s, n, FORMATS[fmt], t)
    return _tuple(t, n) if status == FORMAT_OK else FORMAT_STATUS[status]


def suggested_format(shape, stride):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t)
    cdef int fmt = format_suggested(s, t, n)
    return next(name for name, code in FORMATS.items() if code == fmt)


def dim_order(shape, stride, check=False):
    """The order, or the status that is not ok.  check: False, True, or a list of format names."""
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef int order[MAX_DIMS]
    cdef int formats[8]
    cdef int n = _read_layout(shape, stride, s, t), count = 0, how = ORDER_UNIQUE if check is True else ORDER_UNCHECKED, status
    if isinstance(check, list):
        how = ORDER_OF_FORMATS
        for fmt in check:
            formats[count] = FORMATS[fmt]
            count += 1
    status = format_dim_order(s, t, n, how, formats, count, order)
    return tuple([order[i] for i in range(n)]) if status == ORDER_OK else ORDER_STATUS[status]


# -- plan --

cdef struct Views:
    int n
    int ndim[MAX_OPERANDS]
    Py_ssize_t shapes[MAX_OPERANDS][MAX_DIMS]
    Py_ssize_t strides[MAX_OPERANDS][MAX_DIMS]
    const Py_ssize_t *shape[MAX_OPERANDS]
    const Py_ssize_t *stride[MAX_OPERANDS]


cdef int _read_views(object layouts, Views *v) except -1:
    cdef int k
    if len(layouts) > MAX_OPERANDS:
        raise ValueError(f"at most {MAX_OPERANDS} operands")
    v.n = len(layouts)
    for k in range(v.n):
        v.ndim[k] = _read_layout(layouts[k][0], layouts[k][1], v.shapes[k], v.strides[k])
        v.shape[k] = v.shapes[k]
        v.stride[k] = v.strides[k]
    return 0


def broadcast(shapes):
    """The shape, or the axis where the shapes disagree."""
    cdef Views v
    cdef Py_ssize_t out[MAX_DIMS]
    cdef int ndim, status
    _read_views([(s, s) for s in shapes], &v)
    status = plan_broadcast(v.n, v.shape, v.ndim, out, &ndim)
    return status - 1 if status else _tuple(out, ndim)


def output_strides(layouts):
    """(shape, stride) of a fresh result of inputs [(shape, stride), ...]."""
    cdef Views v
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int ndim
    _read_views(layouts, &v)
    if plan_broadcast(v.n, v.shape, v.ndim, shape, &ndim) != 0:
        raise ValueError("the shapes do not broadcast")
    plan_output_strides(v.n, v.shape, v.stride, v.ndim, shape, ndim, stride)
    return _tuple(shape, ndim), _tuple(stride, ndim)


def itemsize_of(int dtype_code):
    return dtype_itemsize[dtype_code]


def build(layouts, dtype_codes, out_shape):
    """A Plan as (numel, shape, steps per operand, operand count, dtypes), axis 0 fastest."""
    cdef Views v
    cdef Plan p
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef char *data[MAX_OPERANDS]
    cdef int dtypes[MAX_OPERANDS]
    cdef int k, ndim = _read(out_shape, shape)
    _read_views(layouts, &v)
    for k in range(v.n):
        data[k] = NULL
        dtypes[k] = dtype_codes[k]
    plan_build(&p, v.n, v.ndim, v.shape, v.stride, data, dtypes, shape, ndim)
    return (p.numel, _tuple(p.shape, p.ndim), [_tuple(p.step_bytes[k], p.ndim) for k in range(p.operand_count)],
            p.operand_count, [p.dtype[k] for k in range(p.operand_count)])


def reduce_strides(shape, stride, reduced, bint keepdim):
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t out[MAX_DIMS]
    cdef bint which[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t), d, kept = 0
    for d in range(n):
        which[d] = reduced[d]
        kept += keepdim or not reduced[d]
    plan_reduce_strides(s, t, n, which, keepdim, out)
    return _tuple(out, kept)


def build_reduce(shape, stride, Py_ssize_t in_itemsize, reduced, out_stride, Py_ssize_t out_itemsize, bint keepdim,
                 bint any_order=False):
    """A ReducePlan as (keep_numel, red_numel, keep_shape, keep_in_step, keep_out_step, red_shape, red_step)."""
    cdef ReducePlan p
    cdef Py_ssize_t s[MAX_DIMS]
    cdef Py_ssize_t t[MAX_DIMS]
    cdef Py_ssize_t out[MAX_DIMS]
    cdef bint which[MAX_DIMS]
    cdef int n = _read_layout(shape, stride, s, t), d
    _read(out_stride, out)
    for d in range(n):
        which[d] = reduced[d]
    plan_build_reduce(&p, s, t, n, in_itemsize, which, out, out_itemsize, keepdim)
    if any_order:
        plan_sort_reduced(&p)
    return (p.keep_numel, p.red_numel, _tuple(p.keep_shape, p.keep_ndim), _tuple(p.keep_in_step, p.keep_ndim),
            _tuple(p.keep_out_step, p.keep_ndim), _tuple(p.red_shape, p.red_ndim), _tuple(p.red_step, p.red_ndim))


# -- overlap --

def overlap(a, b):
    """How two views (start in bytes, shape, stride, itemsize, dtype code) share memory."""
    cdef Py_ssize_t a_shape[MAX_DIMS]
    cdef Py_ssize_t a_stride[MAX_DIMS]
    cdef Py_ssize_t b_shape[MAX_DIMS]
    cdef Py_ssize_t b_stride[MAX_DIMS]
    cdef int a_ndim = _read_layout(a[1], a[2], a_shape, a_stride), b_ndim = _read_layout(b[1], b[2], b_shape, b_stride)
    return OVERLAP[<int> overlap_views(a[0], a_shape, a_stride, a_ndim, a[3], a[4], b[0], b_shape, b_stride, b_ndim, b[3],
                                       b[4])]


def sum_is_reachable(coefficients, most, Py_ssize_t target, Py_ssize_t work=SUM_WORK):
    """(answer, nodes visited) of bounded_sum."""
    cdef Py_ssize_t a[SUM_TERMS]
    cdef Py_ssize_t u[SUM_TERMS]
    cdef Py_ssize_t left = work
    cdef int n = len(coefficients), i
    if n > SUM_TERMS:
        raise ValueError(f"at most {SUM_TERMS} terms")
    for i in range(n):
        a[i] = coefficients[i]
        u[i] = most[i]
    answer = SUM[<int> bounded_sum(n, a, u, target, &left)]
    return answer, work - left


def nanoseconds(name, layouts, int repeat=1000000):
    """Time of one call, for the budget of small calls: "build", "output_strides", "overlap" or "repeats"."""
    import time
    cdef Views v
    cdef Plan p
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef char *data[MAX_OPERANDS]
    cdef int dtypes[MAX_OPERANDS]
    cdef int i, k, ndim, which = ("build", "output_strides", "overlap", "repeats").index(name)
    cdef Py_ssize_t sink = 0
    _read_views(layouts, &v)
    for k in range(v.n):
        data[k] = NULL
        dtypes[k] = 0
    plan_broadcast(v.n, v.shape, v.ndim, shape, &ndim)
    start = time.perf_counter_ns()
    for i in range(repeat):
        if which == 0:
            plan_build(&p, v.n, v.ndim, v.shape, v.stride, data, dtypes, shape, ndim)
            sink += p.ndim
        elif which == 1:
            plan_output_strides(v.n, v.shape, v.stride, v.ndim, shape, ndim, stride)
            sink += stride[0]
        elif which == 2:
            sink += overlap_views(4096, v.shape[0], v.stride[0], v.ndim[0], 4, 0, 4096 + (i & 3), v.shape[1], v.stride[1],
                                  v.ndim[1], 4, 0)
        else:
            sink += layout_repeats(v.shape[0], v.stride[0], v.ndim[0])
        v.strides[0][MAX_DIMS - 1] = sink      # keeps the call in the loop
    return (time.perf_counter_ns() - start) / repeat
