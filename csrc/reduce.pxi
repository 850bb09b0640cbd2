# Reductions: the rows of REDUCTIONS in _optable/, over any axes of any layout.
#
# Uses: copy.pxi (cast, move2).  Provides: reduce.
#
# Every output combines its elements in one fixed tree, so its bits depend on their values and logical order alone, not on the
# layout, the vector width, the CPU level or the number of threads:
#   T1 elements are numbered in row-major order of the reduced axes and cut into blocks of BLOCK;
#   T2 inside a block, element i is combined, in order, into lane i % LANES, which starts at the row's start value ("first":
#      at the block's first element, which max and min may meet twice); a block of fewer elements has as many lanes;
#   T3 the lanes there are are combined in halves: lane k with lane k + 8, then k + 4, k + 2, k + 1;
#   T4 the blocks are combined like the digits of a binary counter: two of one size at a time, older with newer; at the end
#      the remaining ones from newest to oldest.  The error of a float sum grows with the logarithm of the count.
# An integer or bool result does not depend on the order; there the axes are walked as they lie in memory.
#
# Two ways to run the same tree: along (one output at a time, lanes side by side in a register) where the reduced axis is the
# contiguous one, and across (a tile of outputs side by side, each with its own lanes) where a kept axis is.

from libc.math cimport NAN
from plan cimport plan_sort_reduced

cdef enum:
    TILE_BYTES = 1024          # of accumulators in a tile, at most: its lanes are 16 KiB, half of an L1
    TILE_RUNS = 128            # runs that a tile may join
    LEVELS = 46                # blocks are counted in 2**46, beyond any address space
    LONG_RUN = 64              # contiguous reduced elements from which going along is at least as fast
    NARROW = 8                 # outputs, or outputs in a row, below which going across does not pay

cdef extern from "rows.h" nogil:
    enum: LANES
    convert_fn combine_side[REDUCTION_COUNT][DTYPE_COUNT]      # out[i] = combine(out[i], in[i])
    convert_fn combine_lanes[REDUCTION_COUNT][DTYPE_COUNT]     # T2
    void fill_loops(loop_fn *loops)


cdef struct Walk:              # over the reduced axes, in logical order
    Py_ssize_t position[MAX_DIMS]
    const char *at


cdef struct Tile:              # outputs side by side, as runs along kept axis 0
    Py_ssize_t n, runs
    const char *input[TILE_RUNS]
    char *output[TILE_RUNS]
    Py_ssize_t count[TILE_RUNS]


cdef inline void walk_start(Walk *w, const ReducePlan *p, const char *at) noexcept nogil:
    cdef int d
    for d in range(p.red_ndim):
        w.position[d] = 0
    w.at = at


cdef inline void walk_forward(Walk *w, const ReducePlan *p, Py_ssize_t count) noexcept nogil:
    """count elements on, which do not cross the end of axis 0."""
    cdef int d = 0
    if p.red_ndim == 0:
        return
    w.position[0] += count
    w.at += count * p.red_step[0]
    while w.position[d] == p.red_shape[d]:
        w.position[d] = 0
        w.at -= p.red_shape[d] * p.red_step[d]
        d += 1
        if d == p.red_ndim:
            return
        w.position[d] += 1
        w.at += p.red_step[d]


cdef void lanes_start(char *lanes, int op, Py_ssize_t size, Py_ssize_t bytes, const char *first, Py_ssize_t first_bytes) noexcept nogil:
    """T2: start values of `bytes` bytes of lanes; `first` is repeated where the row has no identity."""
    cdef Py_ssize_t i = 0
    if red_start[op] == START_FIRST:
        while i < bytes:
            memcpy(lanes + i, first, first_bytes)
            i += first_bytes
    else:
        memset(lanes, 1 if red_start[op] == START_ONE else 0, bytes)      # one is True of bool8


cdef inline void lanes_fold(char *lanes, Py_ssize_t m, Py_ssize_t bytes, convert_fn side, Py_ssize_t n) noexcept nogil:
    """T3: the lanes of a block of m elements, n outputs of `bytes` bytes in all side by side."""
    cdef Py_ssize_t half = LANES // 2, left = m if m < LANES else LANES
    while half > 0:
        if left > half:
            side(lanes, lanes + half * bytes, (left - half) * n)
            left = half
        half >>= 1


cdef void reduce(const ReducePlan *plan) noexcept nogil:
    cdef ReducePlan sorted
    cdef const ReducePlan *p = plan
    cdef bint along
    if p.keep_numel == 0:
        return
    if dtype_category[p.acc_dtype] < 2 and dtype_category[p.in_dtype] < 2 and p.red_ndim > 1:
        sorted = p[0]
        plan_sort_reduced(&sorted)
        p = &sorted
    if p.keep_numel < NARROW:
        along = True
    elif p.red_numel < LONG_RUN:
        along = False
    else:
        along = (p.red_step[0] == dtype_itemsize[p.in_dtype] and p.red_shape[0] >= LONG_RUN) or p.keep_shape[0] < NARROW
    if along:
        reduce_along(p)
    else:
        reduce_across(p)


# -- the blocks' binary counter (T4), for n accumulators side by side --

cdef inline Py_ssize_t counter_push(char *stack, Py_ssize_t depth, Py_ssize_t blocks, Py_ssize_t bytes, convert_fn side,
                                    Py_ssize_t n) noexcept nogil:
    """The newest block lies at stack[depth]; `blocks` came before it.  Returns the new depth."""
    while blocks & 1:
        side(stack + (depth - 1) * bytes, stack + depth * bytes, n)
        depth -= 1
        blocks >>= 1
    return depth + 1


cdef inline void counter_fold(char *stack, Py_ssize_t depth, Py_ssize_t bytes, convert_fn side, Py_ssize_t n) noexcept nogil:
    while depth > 1:
        side(stack + (depth - 2) * bytes, stack + (depth - 1) * bytes, n)
        depth -= 1


cdef void finish(char *value, const ReducePlan *p, Py_ssize_t n) noexcept nogil:
    """What is left to do with n accumulators of sum and mean: the division, and one NaN for all.

    Which NaN an addition of two gives, and its sign, differs between instruction sets and orders of operands.
    """
    cdef double *x = <double *>value
    cdef Py_ssize_t i
    if p.acc_dtype == DT_COMPLEX128:
        n *= 2
    elif p.acc_dtype != DT_FLOAT64:
        return
    if p.op == RED_MEAN:
        for i in range(n):
            x[i] /= <double>p.red_numel
    if red_accumulate[p.op] == ACCUMULATE_WIDE:
        for i in range(n):
            x[i] = x[i] if x[i] == x[i] else NAN


# -- along --

cdef void reduce_along(const ReducePlan *p) noexcept nogil:
    cdef Py_ssize_t position[MAX_DIMS]
    cdef char stack[LEVELS * 16]
    cdef char result[16]
    cdef const char *input = p.input
    cdef char *output = p.output
    cdef Py_ssize_t size = dtype_itemsize[p.acc_dtype]
    cdef int d
    for d in range(p.keep_ndim):
        position[d] = 0
    while True:
        along_one(p, input, stack, size)
        finish(stack, p, 1)
        cast(result, p.out_dtype, stack, p.acc_dtype, 1)
        memcpy(output, result, dtype_itemsize[p.out_dtype])
        d = 0
        while d < p.keep_ndim:
            position[d] += 1
            input += p.keep_in_step[d]
            output += p.keep_out_step[d]
            if position[d] < p.keep_shape[d]:
                break
            input -= p.keep_in_step[d] * p.keep_shape[d]
            output -= p.keep_out_step[d] * p.keep_shape[d]
            position[d] = 0
            d += 1
        if d == p.keep_ndim:
            return


cdef void along_one(const ReducePlan *p, const char *input, char *stack, Py_ssize_t size) noexcept nogil:
    """One output; the result is left in stack[0]."""
    cdef Scratch scratch
    cdef char *raw = scratch.bytes
    cdef char *cooked = raw + BLOCK * 16
    cdef char *lanes = cooked + BLOCK * 16
    cdef const char *block
    cdef Py_ssize_t in_size = dtype_itemsize[p.in_dtype]
    cdef Py_ssize_t left = p.red_numel, blocks = 0, depth = 0, m, got, run
    cdef convert_fn side = combine_side[p.op][p.acc_dtype]
    cdef convert_fn along = combine_lanes[p.op][p.acc_dtype]
    cdef Walk w
    if left == 0:
        lanes_start(stack, p.op, size, size, NULL, 0)
        return
    walk_start(&w, p, input)
    while left > 0:
        m = left if left < BLOCK else BLOCK
        if p.red_ndim == 0 or (p.red_step[0] == in_size and p.red_shape[0] - w.position[0] >= m):
            block = w.at
            walk_forward(&w, p, m)
        else:
            got = 0
            while got < m:
                run = p.red_shape[0] - w.position[0]
                if run > m - got:
                    run = m - got
                move2[in_size](raw + got * in_size, in_size, 0, w.at, p.red_step[0], 0, run, 1)
                walk_forward(&w, p, run)
                got += run
            block = raw
        if p.in_dtype != p.acc_dtype:
            cast(cooked, p.acc_dtype, block, p.in_dtype, m)
            block = cooked
        lanes_start(lanes, p.op, size, (m if m < LANES else LANES) * size, block, size)
        along(lanes, block, m)
        lanes_fold(lanes, m, size, side, 1)
        memcpy(stack + depth * size, lanes, size)
        depth = counter_push(stack, depth, blocks, size, side, 1)
        blocks += 1
        left -= m
    counter_fold(stack, depth, size, side, 1)


# -- across --

cdef Py_ssize_t tile_width(const ReducePlan *p) noexcept nogil:
    """Outputs in a tile: what the scratch memory holds of lanes, blocks not yet combined, and rows."""
    cdef Py_ssize_t size = dtype_itemsize[p.acc_dtype], blocks = p.red_numel // BLOCK + 1, levels = 1
    cdef Py_ssize_t out_size = dtype_itemsize[p.out_dtype], room
    while blocks > 1:                              # T4: as many as the digits of their number
        blocks >>= 1
        levels += 1
    room = (SCRATCH_BYTES - 4 * 64) // ((LANES + levels) * size + dtype_itemsize[p.in_dtype] + max(size, out_size))
    return min(room, TILE_BYTES // size)


cdef void reduce_across(const ReducePlan *p) noexcept nogil:
    cdef Py_ssize_t position[MAX_DIMS]
    cdef Tile tile
    cdef const char *input = p.input
    cdef char *output = p.output
    cdef Py_ssize_t width = tile_width(p), done = 0, take
    cdef int d
    for d in range(p.keep_ndim):
        position[d] = 0
    while done < p.keep_numel:
        tile.n = tile.runs = 0
        while tile.n < width and tile.runs < TILE_RUNS and done < p.keep_numel:
            if tile.runs > 0 and p.keep_shape[0] >= width:
                break                              # long runs are not worth joining
            take = p.keep_shape[0] - position[0]
            if take > width - tile.n:
                take = width - tile.n
            tile.input[tile.runs] = input
            tile.output[tile.runs] = output
            tile.count[tile.runs] = take
            tile.runs += 1
            tile.n += take
            done += take
            position[0] += take
            input += take * p.keep_in_step[0]
            output += take * p.keep_out_step[0]
            d = 0
            while d < p.keep_ndim and position[d] == p.keep_shape[d]:
                position[d] = 0
                input -= p.keep_in_step[d] * p.keep_shape[d]
                output -= p.keep_out_step[d] * p.keep_shape[d]
                d += 1
                if d < p.keep_ndim:
                    position[d] += 1
                    input += p.keep_in_step[d]
                    output += p.keep_out_step[d]
        across_tile(p, &tile, width)


cdef void across_tile(const ReducePlan *p, const Tile *tile, Py_ssize_t width) noexcept nogil:
    cdef Scratch scratch
    cdef char *free = scratch.bytes
    cdef char *raw = take(&free, width * dtype_itemsize[p.in_dtype])
    cdef char *cooked = take(&free, width * max(dtype_itemsize[p.acc_dtype], dtype_itemsize[p.out_dtype]))
    cdef char *lanes = take(&free, LANES * width * dtype_itemsize[p.acc_dtype])
    cdef char *stack = free
    cdef Py_ssize_t size = dtype_itemsize[p.acc_dtype], out_size = dtype_itemsize[p.out_dtype]
    cdef Py_ssize_t bytes = tile.n * size
    cdef Py_ssize_t left = p.red_numel, blocks = 0, depth = 0, m, i, k, at
    cdef convert_fn side = combine_side[p.op][p.acc_dtype]
    cdef const char *row
    cdef Walk w
    if left == 0:
        lanes_start(stack, p.op, size, bytes, NULL, 0)
    walk_start(&w, p, NULL)
    while left > 0:
        m = left if left < BLOCK else BLOCK
        for i in range(m):
            row = tile_row(p, tile, w.at, raw, cooked)
            if i == 0:
                lanes_start(lanes, p.op, size, (m if m < LANES else LANES) * bytes, row, bytes)
            side(lanes + (i % LANES) * bytes, row, tile.n)
            walk_forward(&w, p, 1)
        lanes_fold(lanes, m, bytes, side, tile.n)
        memcpy(stack + depth * bytes, lanes, bytes)
        depth = counter_push(stack, depth, blocks, bytes, side, tile.n)
        blocks += 1
        left -= m
    counter_fold(stack, depth, bytes, side, tile.n)
    finish(stack, p, tile.n)
    cast(cooked, p.out_dtype, stack, p.acc_dtype, tile.n)
    at = 0
    for k in range(tile.runs):
        move2[out_size](tile.output[k], p.keep_out_step[0], 0, cooked + at, out_size, 0, tile.count[k], 1)
        at += tile.count[k] * out_size


cdef inline const char *tile_row(const ReducePlan *p, const Tile *tile, const char *offset, char *raw, char *cooked) noexcept nogil:
    """The elements of the tile's outputs at one reduced position, contiguous and in the accumulator's dtype."""
    cdef Py_ssize_t in_size = dtype_itemsize[p.in_dtype], at = 0, k
    cdef const char *row = tile.input[0] + <Py_ssize_t>offset
    if tile.runs > 1 or p.keep_in_step[0] != in_size:
        for k in range(tile.runs):
            move2[in_size](raw + at, in_size, 0, tile.input[k] + <Py_ssize_t>offset, p.keep_in_step[0], 0, tile.count[k], 1)
            at += tile.count[k] * in_size
        row = raw
    if p.in_dtype == p.acc_dtype:
        return row
    cast(cooked, p.acc_dtype, row, p.in_dtype, tile.n)
    return cooked


# -- the table that the core gets --

cdef void kernels_fill(const char *level) noexcept:
    kernels.level = level
    fill_loops(&kernels.loops[0][0][0])
    kernels.elementwise = elementwise
    kernels.copy = copy
    kernels.reduce = reduce
    kernels.cast = cast
    kernels.integer_range = integer_range
    kernels.float_range = float_range
