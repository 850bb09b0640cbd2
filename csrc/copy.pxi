# Moving and converting elements: cast, copy, ranges, and the boxes that the other kernels are built on.
#
# Uses: loops.h, rows.h (generated).  Provides: cast, copy, integer_range, float_range; for kernels.pxi and reduce.pxi the boxes:
# Boxes, boxes_start, boxes_next, box_is_contiguous, move_box.
#
# A plan that is not one contiguous run is cut into boxes of at most so many elements, whose elements fit into L1.  The box is
# what arithmetic and conversion see: operands that are not contiguous over it are gathered into a buffer first, in the order
# "axis 0 fastest", and results are scattered from one.  A box covers the fastest axes whole and a piece of the next one, so
# that short axes (3 channels) cost no more than long ones.
#
# Named notes
#   [against the grain]  Where some operand's fastest axis t is not axis 0, a box takes TILE elements of axis 0 and as many
#                        of t as the buffer holds (256 bytes and more): every cache line is then read once, not once for
#                        each of its elements, and a page is visited for several lines.
#   [byte moves]         Elements of one dtype, shell dtypes too, are moved by item size; moves run along the smaller step.
#   [cast by steps]      There is a loop for each pair of compute dtypes, and one each way between a reduced dtype and its
#                        compute dtype; everything else is a chain of up to three, block by block.  float64 on its way to a
#                        reduced dtype is rounded to odd first, so that the chain rounds once.

from libc.string cimport memcpy, memmove, memset
from copy_plan cimport *

ctypedef void (*convert_fn)(char *out, const char *a, Py_ssize_t n) noexcept nogil
ctypedef void (*move2_fn)(char *out, Py_ssize_t out0, Py_ssize_t out1, const char *a, Py_ssize_t a0, Py_ssize_t a1,
                          Py_ssize_t n0, Py_ssize_t n1) noexcept nogil

cdef enum:
    BLOCK_BYTES = BLOCK * 16          # of a box that moves against the grain, or is moved without arithmetic
    TILE = 64                         # elements of axis 0 in a box [against the grain]

cdef extern from "rows.h" nogil:      # and loops.h, which it includes
    enum:
        SCRATCH_BYTES
        CAST_STRIP
    ctypedef struct Scratch:
        char bytes[SCRATCH_BYTES]
    ctypedef struct CastScratch:
        char wide[CAST_STRIP]                                     # longer in C
        char middle[CAST_STRIP]
    convert_fn convert[CASTABLE_DTYPES][CASTABLE_DTYPES]          # NULL: same bytes, or a chain
    convert_fn convert_odd[CASTABLE_DTYPES][CASTABLE_DTYPES]      # from float64 and complex128, rounded to odd
    move2_fn move2[17]                                            # by item size
    move2_fn weave[9][5]                                          # by item size and number of planes (2 to 4): planes to
    move2_fn unweave[9][5]                                        # interleaved channels, and back
    move2_fn transpose[17]                                        # by item size: rows to columns (transpose.h)
    move2_fn transpose_streamed[17]                               # the same past the caches


cdef inline char *take(char **free, Py_ssize_t nbytes) noexcept nogil:
    """The next piece of a Scratch, its length rounded up to whole cache lines."""
    cdef char *p = free[0]
    free[0] += (nbytes + 63) & ~63
    return p


# -- cast -------------------------------------------------------------------------------------------------------------

cdef void cast(char *dst, int dst_dtype, const char *src, int src_dtype, Py_ssize_t n) noexcept nogil:
    """n contiguous elements from one castable dtype to another; src and dst are disjoint."""
    cdef convert_fn direct
    cdef Py_ssize_t src_size = dtype_itemsize[src_dtype]
    if src_dtype == dst_dtype:
        memcpy(dst, src, n * src_size)
        return
    direct = convert[src_dtype][dst_dtype]
    if direct != NULL:
        direct(dst, src, n)
        return
    if dtype_tier[src_dtype] == TIER_COMPUTE and dtype_tier[dst_dtype] == TIER_COMPUTE:
        memcpy(dst, src, n * src_size)            # integers of one width
        return
    cast_by_steps(dst, dst_dtype, src, src_dtype, n)


cdef void cast_by_steps(char *dst, int dst_dtype, const char *src, int src_dtype, Py_ssize_t n) noexcept nogil:
    """[cast by steps]"""
    cdef CastScratch scratch
    cdef convert_fn direct
    cdef const char *p
    cdef Py_ssize_t m, src_size = dtype_itemsize[src_dtype], dst_size = dtype_itemsize[dst_dtype]
    cdef int s, target = dtype_compute[dst_dtype]
    while n > 0:
        m = n if n < CAST_STRIP else CAST_STRIP
        p = src
        s = src_dtype
        if dtype_tier[s] != TIER_COMPUTE:
            convert[s][dtype_compute[s]](scratch.wide, p, m)
            s = dtype_compute[s]
            p = scratch.wide
        if dtype_tier[dst_dtype] == TIER_COMPUTE:
            convert[s][dst_dtype](dst, p, m)
        else:
            if s != target:
                direct = convert_odd[s][target]
                if direct == NULL:
                    direct = convert[s][target]
                direct(scratch.middle, p, m)
                p = scratch.middle
            convert[target][dst_dtype](dst, p, m)
        src += m * src_size
        dst += m * dst_size
        n -= m


cdef void integer_range(char *out, int dtype, long long start, long long step, Py_ssize_t n) noexcept nogil:
    cdef Scratch scratch
    cdef unsigned long long *value = <unsigned long long *>scratch.bytes      # wraps
    cdef unsigned long long first = <unsigned long long>start, by = <unsigned long long>step
    cdef Py_ssize_t i, m
    while n > 0:
        m = n if n < BLOCK else BLOCK
        for i in range(m):
            value[i] = first + <unsigned long long>i * by
        cast(out, dtype, <const char *>value, DT_INT64, m)
        first += <unsigned long long>m * by
        out += m * dtype_itemsize[dtype]
        n -= m


cdef void float_range(char *out, int dtype, double start, double step, Py_ssize_t n) noexcept nogil:
    cdef Scratch scratch
    cdef double *value = <double *>scratch.bytes
    cdef Py_ssize_t i, m, done = 0
    while done < n:
        m = n - done if n - done < BLOCK else BLOCK
        for i in range(m):
            value[i] = start + <double>(done + i) * step
        cast(out, dtype, <const char *>value, DT_FLOAT64, m)
        out += m * dtype_itemsize[dtype]
        done += m


# -- boxes ------------------------------------------------------------------------------------------------------------

cdef struct Boxes:
    int count                                     # operands
    int axes                                      # axes that a box spans
    int axis[MAX_DIMS]                            # which, ascending
    int grain                                     # fastest axis of an operand [against the grain], 0 if there is none
    Py_ssize_t chunk[MAX_DIMS]
    Py_ssize_t position[MAX_DIMS]
    Py_ssize_t extent[MAX_DIMS]                   # of the box in hand, by its own axes
    Py_ssize_t numel                              # of the box in hand
    char *data[MAX_OPERANDS]                      # first element of the box in hand


cdef int grain_axis(const Plan *p) noexcept nogil:
    """The fastest axis of the first operand for which that is not axis 0 (0: there is none)."""
    cdef int k, d, fastest
    for k in range(p.operand_count):
        fastest = 0
        if p.step_bytes[k][0] == 0:
            continue
        for d in range(1, p.ndim):
            if 0 < p.step_bytes[k][d] < p.step_bytes[k][fastest]:
                fastest = d
        if fastest != 0:
            return fastest
    return 0


cdef void boxes_start(Boxes *b, const Plan *p, Py_ssize_t limit, Py_ssize_t grain_limit) noexcept nogil:
    """Cuts a plan of ndim >= 1 into boxes of at most `limit` elements (`grain_limit` [against the grain]); the first one is
    in hand."""
    cdef int d, k, t = grain_axis(p)
    cdef Py_ssize_t room, line
    b.count = p.operand_count
    b.grain = t
    for d in range(p.ndim):
        b.chunk[d] = 1
        b.position[d] = 0
    if t != 0:
        limit = grain_limit
        line = limit // TILE
        b.chunk[0] = p.shape[0] if p.shape[0] < TILE else TILE
        if p.shape[t] < line:
            b.chunk[0] = limit // p.shape[t] if limit // p.shape[t] < p.shape[0] else p.shape[0]
        room = limit // b.chunk[0]
        b.chunk[t] = p.shape[t] if p.shape[t] < room else room
        room = room // b.chunk[t] if b.chunk[t] == p.shape[t] and b.chunk[0] == p.shape[0] else 1
    else:
        room = limit
    for d in range(p.ndim):
        if room <= 1:
            break
        if b.chunk[d] == 1:
            b.chunk[d] = p.shape[d] if p.shape[d] < room else room
            room = room // b.chunk[d] if b.chunk[d] == p.shape[d] else 1
    b.axes = 0
    for d in range(p.ndim):
        if b.chunk[d] > 1:
            b.axis[b.axes] = d
            b.axes += 1
    for k in range(b.count):
        b.data[k] = p.data[k]
    boxes_extent(b, p)


cdef inline void boxes_extent(Boxes *b, const Plan *p) noexcept nogil:
    cdef int i, d
    cdef Py_ssize_t left
    b.numel = 1
    for i in range(b.axes):
        d = b.axis[i]
        left = p.shape[d] - b.position[d]
        b.extent[i] = left if left < b.chunk[d] else b.chunk[d]
        b.numel *= b.extent[i]


cdef inline bint boxes_next(Boxes *b, const Plan *p) noexcept nogil:
    """The next box, or False after the last."""
    cdef int d, k
    cdef Py_ssize_t back
    for d in range(p.ndim):
        b.position[d] += b.chunk[d]
        if b.position[d] < p.shape[d]:
            for k in range(b.count):
                b.data[k] += b.chunk[d] * p.step_bytes[k][d]
            boxes_extent(b, p)
            return True
        back = b.position[d] - b.chunk[d]
        for k in range(b.count):
            b.data[k] -= back * p.step_bytes[k][d]
        b.position[d] = 0
    return False


cdef inline bint box_is_contiguous(const Boxes *b, const Py_ssize_t *step, Py_ssize_t itemsize) noexcept nogil:
    cdef int i
    cdef Py_ssize_t run = itemsize
    for i in range(b.axes):
        if b.extent[i] != 1 and step[b.axis[i]] != run:
            return False
        run *= b.extent[i]
    return True


cdef inline bint box_is_constant(const Boxes *b, const Py_ssize_t *step) noexcept nogil:
    cdef int i
    for i in range(b.axes):
        if b.extent[i] != 1 and step[b.axis[i]] != 0:
            return False
    return True


cdef inline void swap(Py_ssize_t *x, Py_ssize_t *y) noexcept nogil:
    cdef Py_ssize_t t = x[0]
    x[0] = y[0]
    y[0] = t


cdef void move_nest(char *out, const Py_ssize_t *out_step, const char *a, const Py_ssize_t *a_step, const Py_ssize_t *extent,
                    int n, Py_ssize_t itemsize) noexcept nogil:
    """A nest of n axes, the first one innermost, from any steps to any steps."""
    cdef move2_fn move = move2[itemsize]
    if n > 1 and extent[1] <= 4 and itemsize <= 8:
        if out_step[0] == itemsize and a_step[1] == itemsize and a_step[0] == itemsize * extent[1]:
            move = unweave[itemsize][extent[1]]
        elif a_step[0] == itemsize and out_step[1] == itemsize and out_step[0] == itemsize * extent[1]:
            move = weave[itemsize][extent[1]]
    elif n > 1 and out_step[1] == itemsize and a_step[0] == itemsize and extent[0] > SHORT_AXIS and extent[1] > SHORT_AXIS:
        move = transpose[itemsize]
    walk_nest(move, out, out_step, a, a_step, extent, n, itemsize)


cdef void walk_nest(move2_fn move, char *out, const Py_ssize_t *out_step, const char *a, const Py_ssize_t *a_step,
                    const Py_ssize_t *extent, int n, Py_ssize_t itemsize) noexcept nogil:
    """Moves the two innermost axes of a nest of n at a time, the others in ascending order."""
    cdef Py_ssize_t position[MAX_DIMS]
    cdef int d
    if n < 2:
        move(out, out_step[0] if n else itemsize, 0, a, a_step[0] if n else itemsize, 0, extent[0] if n else 1, 1)
        return
    for d in range(2, n):
        position[d] = 0
    while True:
        move(out, out_step[0], out_step[1], a, a_step[0], a_step[1], extent[0], extent[1])
        d = 2
        while d < n:
            position[d] += 1
            out += out_step[d]
            a += a_step[d]
            if position[d] < extent[d]:
                break
            out -= out_step[d] * extent[d]
            a -= a_step[d] * extent[d]
            position[d] = 0
            d += 1
        if d >= n:
            return


cdef void gather_box(char *buffer, const Boxes *b, const char *a, const Py_ssize_t *step, Py_ssize_t itemsize) noexcept nogil:
    """The box's elements of one operand into a contiguous buffer."""
    cdef Py_ssize_t out_step[MAX_DIMS]
    cdef Py_ssize_t a_step[MAX_DIMS]
    cdef Py_ssize_t extent[MAX_DIMS]
    cdef int n = box_nest(b, step, itemsize, out_step, a_step, extent)
    move_nest(buffer, out_step, a, a_step, extent, n, itemsize)


cdef void scatter_box(char *out, const Boxes *b, const char *buffer, const Py_ssize_t *step, Py_ssize_t itemsize) noexcept nogil:
    """A contiguous buffer to the box's elements of one operand."""
    cdef Py_ssize_t buffer_step[MAX_DIMS]
    cdef Py_ssize_t out_step[MAX_DIMS]
    cdef Py_ssize_t extent[MAX_DIMS]
    cdef int n = box_nest(b, step, itemsize, buffer_step, out_step, extent)
    move_nest(out, out_step, buffer, buffer_step, extent, n, itemsize)


cdef int box_nest(const Boxes *b, const Py_ssize_t *step, Py_ssize_t itemsize, Py_ssize_t *buffer_step, Py_ssize_t *own_step,
                  Py_ssize_t *extent) noexcept nogil:
    """The box's axes as a nest, the operand's smallest step innermost [byte moves]; returns their number."""
    cdef Py_ssize_t run = itemsize
    cdef int i, n = 0, smallest = 0
    for i in range(b.axes):
        if b.extent[i] == 1:
            continue
        buffer_step[n] = run
        own_step[n] = step[b.axis[i]]
        extent[n] = b.extent[i]
        run *= b.extent[i]
        if n > 0 and own_step[n] == own_step[n - 1] * extent[n - 1]:
            extent[n - 1] *= extent[n]
            continue
        if own_step[n] != 0 and (own_step[smallest] > own_step[n] or (own_step[smallest] == 0 and extent[n] > extent[smallest])):
            smallest = n
        n += 1
    if n > 1 and extent[smallest] < SHORT_AXIS:
        for i in range(n):                        # few elements a turn would cost more than their order saves
            if extent[i] > extent[smallest]:
                smallest = i
    if smallest != 0:
        swap(&buffer_step[0], &buffer_step[smallest])
        swap(&own_step[0], &own_step[smallest])
        swap(&extent[0], &extent[smallest])
    return n


# -- copy -------------------------------------------------------------------------------------------------------------

cdef void copy(const Plan *p) noexcept nogil:
    """Operand 1 to operand 0.  Disjoint, or both one contiguous run of one dtype, which moves as memmove does."""
    cdef int d, src_dtype = p.dtype[1], dst_dtype = p.dtype[0]
    cdef Py_ssize_t src_size = dtype_itemsize[src_dtype], dst_size = dtype_itemsize[dst_dtype]
    cdef bint constant = True
    cdef char value[16]
    if p.numel == 0:
        return
    if p.ndim == 0 or (p.ndim == 1 and p.step_bytes[0][0] == dst_size and p.step_bytes[1][0] == src_size):
        if src_dtype == dst_dtype:
            memmove(p.data[0], p.data[1], p.numel * src_size)
        else:
            cast(p.data[0], dst_dtype, p.data[1], src_dtype, p.numel)
        return
    if src_dtype == dst_dtype:
        copy_bytes(p, p.data[1])
        return
    for d in range(p.ndim):
        if p.step_bytes[1][d] != 0:
            constant = False
            break
    if constant:
        cast(value, dst_dtype, p.data[1], src_dtype, 1)
        fill(p, value, dst_size)
    else:
        copy_converting(p)


cdef void fill(const Plan *p, const char *value, Py_ssize_t itemsize) noexcept nogil:
    """One value to every element of operand 0."""
    cdef Py_ssize_t zero[MAX_DIMS]
    cdef int d
    if itemsize == 1 and p.ndim == 1 and p.step_bytes[0][0] == 1:
        memset(p.data[0], value[0], p.numel)
        return
    for d in range(p.ndim):
        zero[d] = 0
    move_nest(p.data[0], p.step_bytes[0], value, zero, p.shape, p.ndim, itemsize)


cdef void copy_bytes(const Plan *p, const char *src) noexcept nogil:
    """Equal dtypes, any steps."""
    cdef Boxes b
    cdef Scratch scratch
    cdef char *buffer = scratch.bytes
    cdef Py_ssize_t itemsize = dtype_itemsize[p.dtype[0]]
    cdef Py_ssize_t src_step[MAX_DIMS]
    cdef Py_ssize_t dst_step[MAX_DIMS]
    cdef int i, inner, t
    cdef CopyPlan c
    cdef move2_fn move
    copy_plan_build(&c, p)
    if c.strategy != COPY_PLAIN:
        move = (weave[c.itemsize][c.extent[1]] if c.strategy == COPY_WEAVE else
                unweave[c.itemsize][c.extent[1]] if c.strategy == COPY_UNWEAVE else
                transpose_streamed[c.itemsize] if c.streamed else transpose[c.itemsize])
        walk_nest(move, p.data[0], c.dst_step, src, c.src_step, c.extent, c.ndim, c.itemsize)
        return
    t = grain_axis(p)
    if t == 0 and (p.shape[0] > SHORT_AXIS or p.ndim == 1):
        move_nest(p.data[0], p.step_bytes[0], src, p.step_bytes[1], p.shape, p.ndim, itemsize)
        return
    boxes_start(&b, p, BLOCK_BYTES // itemsize, BLOCK_BYTES // itemsize)
    if p.shape[0] <= SHORT_AXIS or p.shape[t] <= SHORT_AXIS:
        inner = 1 if p.shape[0] <= SHORT_AXIS and b.axes > 1 and b.chunk[b.axis[1]] > p.shape[0] else 0
        while True:
            for i in range(b.axes):
                dst_step[i] = p.step_bytes[0][b.axis[i]]
                src_step[i] = p.step_bytes[1][b.axis[i]]
            if inner:                             # the long axis innermost
                swap(&dst_step[0], &dst_step[1])
                swap(&src_step[0], &src_step[1])
                swap(&b.extent[0], &b.extent[1])
            move_nest(b.data[0], dst_step, b.data[1], src_step, b.extent, b.axes, itemsize)
            if not boxes_next(&b, p):
                return
    while True:
        if box_is_contiguous(&b, p.step_bytes[0], itemsize):
            gather_box(b.data[0], &b, b.data[1], p.step_bytes[1], itemsize)
        else:
            gather_box(buffer, &b, b.data[1], p.step_bytes[1], itemsize)
            scatter_box(b.data[0], &b, buffer, p.step_bytes[0], itemsize)
        if not boxes_next(&b, p):
            return


cdef void copy_converting(const Plan *p) noexcept nogil:
    """Different dtypes, any steps."""
    cdef Boxes b
    cdef Scratch scratch
    cdef char *raw = scratch.bytes
    cdef char *cooked = scratch.bytes + BLOCK_BYTES
    cdef const char *src
    cdef Py_ssize_t src_size = dtype_itemsize[p.dtype[1]], dst_size = dtype_itemsize[p.dtype[0]]
    boxes_start(&b, p, BLOCK, BLOCK_BYTES // (src_size if src_size > dst_size else dst_size))
    while True:
        src = b.data[1]
        if not box_is_contiguous(&b, p.step_bytes[1], src_size):
            gather_box(raw, &b, src, p.step_bytes[1], src_size)
            src = raw
        if box_is_contiguous(&b, p.step_bytes[0], dst_size):
            cast(b.data[0], p.dtype[0], src, p.dtype[1], b.numel)
        else:
            cast(cooked, p.dtype[0], src, p.dtype[1], b.numel)
            scatter_box(b.data[0], &b, cooked, p.step_bytes[0], dst_size)
        if not boxes_next(&b, p):
            return
