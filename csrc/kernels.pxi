# The block driver: runs a pointwise plan of any strides and dtypes with loops that only know contiguous and constant operands.
#
# Uses: copy.pxi (cast, boxes).  Provides: elementwise.
#
# Where every dtype is already the loop's and axis 0 is long, the loop is called on whole rows.  Everything else goes box by
# box (copy.pxi): operands are gathered and converted into blocks on the stack, the loop runs once for the box, and the result
# is converted and scattered.  A box reads all its inputs before it writes, and a loop reads element i before it writes it, so
# an output that is the identical view of an input is safe; other overlaps never get here (dispatch.pxi).
#
# Named notes
#   [still there]   An operand that starts where it did in the last box, and is no longer, is still in its block: constants,
#                   and rows that repeat (a bias along the channels), are read and converted once.
#   [halves]        float16 and bfloat16 have loops of their own (loops.h), for operands that all are of the one dtype, or constant.
#                   Constants those loops take in the compute dtype: factors are not rounded first (dispatch.pxi).
#   [bytes]         Rows that only choose (`where`) do not look at values: if all have the output's dtype, bytes move.

cdef enum:
    LONG_ROW = 64      # elements from which calling a loop on every row beats gathering rows into a box

cdef KernelTable kernels


cdef struct Input:
    int dtype, via, need       # storage dtype, what it is rounded to, what the loop takes
    Py_ssize_t itemsize
    bint filled                # constants too must fill a whole block
    const char *base           # [still there]
    Py_ssize_t held
    const char *block          # what is held
    char *raw                  # the operand as stored, gathered
    char *cooked               # the operand as the loop takes it


cdef struct Blocks:            # of one call, all in one Scratch
    Py_ssize_t room            # elements that each of them holds
    char *made                 # what the loop gives
    char *cooked               # the same in the output's dtype
    char *rounded              # an input on its way


cdef int bytes_dtype(Py_ssize_t itemsize) noexcept nogil:
    if itemsize == 1:
        return DT_UINT8
    if itemsize == 2:
        return DT_UINT16
    if itemsize == 4:
        return DT_UINT32
    return DT_UINT64 if itemsize == 8 else DT_COMPLEX128


cdef inline bint is_mask(int op, int k) noexcept nogil:
    """Whether operand k of the plan is read as bool, whatever the compute dtype."""
    return (op_masks[op] >> (k - 1)) & 1


cdef void elementwise(const Plan *p) noexcept nogil:
    cdef int k, arity = p.operand_count - 1, op = p.op, compute = p.compute, half
    cdef int result
    cdef bint converts = False
    cdef Input inputs[MAX_OPERANDS]
    cdef bint selects_bytes = op_selects[op]
    if p.numel == 0:
        return
    if selects_bytes:
        for k in range(1, arity + 1):
            if not is_mask(op, k) and (p.dtype[k] != p.dtype[0] or p.via[k] != p.dtype[0]):
                selects_bytes = False
    if selects_bytes:
        compute = bytes_dtype(dtype_itemsize[p.dtype[0]])     # [bytes]
    half = -1 if selects_bytes else half_of(p)
    if half >= 0:
        compute = half
    if op_result[op] == RESULT_BOOL:
        result = DT_BOOL
    elif op_result[op] == RESULT_REAL:
        result = dtype_to_real[compute]
    elif op_result[op] == RESULT_COMPLEX:
        result = dtype_to_complex[compute]
    else:
        result = compute
    for k in range(1, arity + 1):
        inputs[k].dtype = p.dtype[k]
        inputs[k].via = p.via[k]
        inputs[k].need = DT_BOOL if is_mask(op, k) else compute
        if half >= 0 and p.dtype[k] != half:
            inputs[k].need = p.compute                        # [halves]
        if selects_bytes and not is_mask(op, k):
            inputs[k].dtype = inputs[k].via = compute
        inputs[k].itemsize = dtype_itemsize[p.dtype[k]]
        inputs[k].base = NULL
        inputs[k].held = 0
        inputs[k].filled = arity != 2
        converts = converts or inputs[k].dtype != inputs[k].need or inputs[k].via != inputs[k].need
    if not selects_bytes and (result != p.dtype[0] or p.via[0] != p.dtype[0]):
        converts = True
    if not converts and run_rows(p, kernels.loops[op][compute], arity, half):
        return
    run_boxes(p, kernels.loops[op][compute], arity, inputs, result, p.dtype[0] if not selects_bytes else result, half)


cdef int half_of(const Plan *p) noexcept nogil:
    """[halves] The reduced dtype whose own loop runs the plan, or -1."""
    cdef int k, d, half = p.dtype[1] if dtype_tier[p.dtype[1]] == TIER_STORAGE else p.dtype[p.operand_count - 1]
    if dtype_tier[half] != TIER_STORAGE or kernels.loops[p.op][half][LOOP_ALL] == NULL or dtype_compute[half] != p.compute:
        return -1
    if p.via[0] != half and op_result[p.op] != RESULT_BOOL:
        return -1
    for k in range(1, p.operand_count):
        if p.dtype[k] == half:
            if p.via[k] != half:
                return -1
        else:
            for d in range(p.ndim):
                if p.step_bytes[k][d] != 0:
                    return -1
    return half


cdef inline const char *widened(float *wide, const Plan *p, const char *constant, int half) noexcept nogil:
    """[halves] A constant of a half dtype as its loop takes it."""
    cast(<char *>wide, p.compute, constant, half, 1)
    return <const char *>wide


cdef bint run_rows(const Plan *p, const loop_fn *loops, int arity, int half) noexcept nogil:
    """Calls a loop on every row along axis 0; False where the rows are too short or have no loop of their shape."""
    cdef int k, d, shape = LOOP_ALL, constant = 0
    cdef float wide
    cdef Py_ssize_t n = 1
    cdef Py_ssize_t position[MAX_DIMS]
    cdef char *data[MAX_OPERANDS]
    cdef loop_fn loop
    cdef const char *parameters = <const char *>p.parameters
    for k in range(arity + 1):
        data[k] = p.data[k]
    if p.ndim > 0:
        n = p.shape[0]
        if p.ndim > 1 and n < LONG_ROW:
            return False
        if p.step_bytes[0][0] != dtype_itemsize[p.dtype[0]]:
            return False
        for k in range(1, arity + 1):
            if p.step_bytes[k][0] == dtype_itemsize[p.dtype[k]]:
                continue
            if p.step_bytes[k][0] != 0 or arity != 2 or shape != LOOP_ALL:
                return False
            shape = LOOP_RIGHT_CONST if k == 2 else LOOP_LEFT_CONST
            constant = k if p.dtype[k] == half else 0
    elif half >= 0 and arity == 2:
        return False
    loop = loops[shape]
    for d in range(1, p.ndim):
        position[d] = 0
    while True:
        if constant == 0:
            loop(data[0], data[1], data[2] if arity > 1 else NULL, data[3] if arity > 2 else NULL, parameters, n)
        elif constant == 1:
            loop(data[0], widened(&wide, p, data[1], half), data[2], NULL, parameters, n)
        else:
            loop(data[0], data[1], widened(&wide, p, data[2], half), NULL, parameters, n)
        d = 1
        while d < p.ndim:
            position[d] += 1
            for k in range(arity + 1):
                data[k] += p.step_bytes[k][d]
            if position[d] < p.shape[d]:
                break
            for k in range(arity + 1):
                data[k] -= p.step_bytes[k][d] * p.shape[d]
            position[d] = 0
            d += 1
        if d >= p.ndim:
            return True


cdef inline bint is_converted(const Input *x) noexcept nogil:
    return x.dtype != x.need or x.via != x.need


cdef void carve(Blocks *blocks, Scratch *scratch, Input *inputs, int arity, Py_ssize_t out_size, bint out_converted) noexcept nogil:
    """Shares the scratch memory out, so that boxes are as large as it allows."""
    cdef Py_ssize_t element = 2 * out_size if out_converted else out_size, rounded = 0
    cdef char *free = scratch.bytes
    cdef int k
    for k in range(1, arity + 1):
        element += inputs[k].itemsize
        if is_converted(&inputs[k]):
            element += dtype_itemsize[inputs[k].need]
            if inputs[k].via != inputs[k].dtype and inputs[k].via != inputs[k].need:
                rounded = max(rounded, dtype_itemsize[inputs[k].via])
    blocks.room = (SCRATCH_BYTES - 64 * (2 * arity + 3)) // (element + rounded)
    blocks.room &= ~511 if blocks.room > 512 else ~15         # whole vectors, and whole lines against the grain
    for k in range(1, arity + 1):
        inputs[k].raw = take(&free, blocks.room * inputs[k].itemsize)
        inputs[k].cooked = take(&free, blocks.room * dtype_itemsize[inputs[k].need]) if is_converted(&inputs[k]) else NULL
    blocks.rounded = take(&free, blocks.room * rounded)
    blocks.made = take(&free, blocks.room * out_size)
    blocks.cooked = free


cdef void run_boxes(const Plan *p, const loop_fn *loops, int arity, Input *inputs, int result, int stored,
                    int half) noexcept nogil:
    """`result` is the loop's output dtype, `stored` the output's; half: [halves]."""
    cdef Boxes b
    cdef Scratch scratch
    cdef Blocks blocks
    cdef const char *arg[MAX_OPERANDS]
    cdef bint constant[MAX_OPERANDS]
    cdef int k, shape
    cdef Py_ssize_t out_size = dtype_itemsize[stored], widest = max(out_size, dtype_itemsize[p.compute if half < 0 else half])
    cdef float wide
    cdef bint direct
    cdef bint rounds = p.via[0] != result and p.via[0] != stored and p.dtype[0] == stored     # float16 + float16 into float32
    cdef char *made
    cdef char *cooked
    cdef char *out
    carve(&blocks, &scratch, inputs, arity, max(out_size, dtype_itemsize[result]), rounds or result != stored)
    made = blocks.made
    cooked = blocks.cooked
    arg[2] = arg[3] = NULL
    if p.ndim == 0:
        for k in range(1, arity + 1):
            inputs[k].filled = False
            arg[k] = load(&inputs[k], NULL, p.data[k], p.step_bytes[k], 1, blocks.rounded, True)
        shape = LOOP_ALL if half < 0 or arity == 1 else LOOP_LEFT_CONST if inputs[1].need != half else LOOP_RIGHT_CONST
        if half >= 0 and shape != LOOP_ALL and inputs[1].need == inputs[2].need:
            arg[2] = widened(&wide, p, arg[2], half)
        loops[shape](made, arg[1], arg[2], arg[3], <const char *>p.parameters, 1)
        if rounds:
            cast(cooked, p.via[0], made, result, 1)
            cast(made, result, cooked, p.via[0], 1)
        cast(p.data[0], stored, made, result, 1)
        return
    for k in range(1, arity + 1):
        widest = max(widest, inputs[k].itemsize)
    boxes_start(&b, p, min(BLOCK, blocks.room), min(BLOCK_BYTES // widest, blocks.room))
    while True:
        for k in range(1, arity + 1):
            constant[k] = box_is_constant(&b, p.step_bytes[k])
        shape = LOOP_ALL
        if arity == 2:
            if constant[1] and (not constant[2] or half >= 0 and inputs[1].need != half):
                shape = LOOP_LEFT_CONST
            elif constant[2]:
                shape = LOOP_RIGHT_CONST
            inputs[1].filled = shape != LOOP_LEFT_CONST        # of two constants one is a vector
            inputs[2].filled = shape != LOOP_RIGHT_CONST
        for k in range(1, arity + 1):
            arg[k] = load(&inputs[k], &b, b.data[k], p.step_bytes[k], b.numel, blocks.rounded, constant[k])
        if half >= 0 and shape != LOOP_ALL:
            k = 2 if shape == LOOP_RIGHT_CONST else 1
            if inputs[k].need == half:
                arg[k] = widened(&wide, p, arg[k], half)
        direct = box_is_contiguous(&b, p.step_bytes[0], out_size)
        out = b.data[0] if direct and result == stored and not rounds else made
        loops[shape](out, arg[1], arg[2], arg[3], <const char *>p.parameters, b.numel)
        if rounds:
            cast(cooked, p.via[0], made, result, b.numel)
            out = b.data[0] if direct else made
            cast(out, stored, cooked, p.via[0], b.numel)
        elif result != stored:
            out = b.data[0] if direct else cooked
            cast(out, stored, made, result, b.numel)
        if not direct:
            scatter_box(b.data[0], &b, out, p.step_bytes[0], out_size)
        if not boxes_next(&b, p):
            return


cdef const char *load(Input *x, const Boxes *b, const char *base, const Py_ssize_t *step, Py_ssize_t n, char *rounded,
                      bint constant) noexcept nogil:
    """An operand's elements of the box in hand, contiguous and as the loop takes them; of a constant the first one only,
    unless it must fill its block.  What is held may lie in x.raw or x.cooked, but not in `rounded`, which all operands share."""
    cdef const char *src = base
    cdef Py_ssize_t m = 1 if constant and not x.filled else n
    if x.base == base and m <= x.held:            # [still there]
        return x.block
    x.held = 0
    if m > 1 and (constant or not box_is_contiguous(b, step, x.itemsize)):
        gather_box(x.raw, b, base, step, x.itemsize)
        src = x.raw
    if is_converted(x):
        if x.via == x.dtype or x.via == x.need:
            cast(x.cooked, x.need, src, x.dtype, m)
        else:
            cast(rounded, x.via, src, x.dtype, m)
            cast(x.cooked, x.need, rounded, x.via, m)
        src = x.cooked
    if src != base and (constant or repeats(b, step)):
        x.base = base
        x.held = m
        x.block = src
    return src


cdef inline bint repeats(const Boxes *b, const Py_ssize_t *step) noexcept nogil:
    """Whether moving along the box's last axis leaves the operand where it is."""
    return step[b.axis[b.axes - 1]] == 0
