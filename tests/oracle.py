"""The rules of layouts, memory formats, plans and overlap, restated slowly.

Wherever a rule has a meaning in terms of elements, it is written that way: list every element's offset and look.  Only the
rules that are conventions (which axis order a result takes, what stride an axis of size 1 gets) are written as procedures.
Everything takes and gives plain tuples and ints; strides and offsets are in elements unless a name says bytes.
"""

import itertools
import math

CHANNELS_LAST = (0, 2, 3, 1)
CHANNELS_LAST_3D = (0, 2, 3, 4, 1)


def indices(shape):
    """Every index, row-major."""
    return itertools.product(*map(range, shape))


def offset(index, stride):
    return sum(i * s for i, s in zip(index, stride, strict=True))


def offsets(shape, stride):
    """The offset of every element, in row-major order of the index."""
    return [offset(index, stride) for index in indices(shape)]


def numel(shape):
    return math.prod(shape)


# -- one layout --

def ordered_strides(shape, order, at_least_one=True):
    """Dense strides, nested as in order (outermost first).  at_least_one: a size of 0 counts as 1."""
    inside = {axis: order[place + 1:] for place, axis in enumerate(order)}
    return tuple(math.prod(max(shape[a], 1) if at_least_one else shape[a] for a in inside[axis]) for axis in range(len(shape)))


def contiguous_strides(shape):
    return ordered_strides(shape, tuple(range(len(shape))))


def is_contiguous(shape, stride):
    return offsets(shape, stride) == list(range(numel(shape)))


def is_dense(shape, stride):
    return sorted(offsets(shape, stride)) == list(range(numel(shape)))


def repeats(shape, stride):
    return len(set(offsets(shape, stride))) < numel(shape)


def same_placement(shape, stride, other):
    """Whether the two strides put every element at the same offset."""
    return offsets(shape, stride) == offsets(shape, other)


def extent_bytes(shape, stride, itemsize):
    where = offsets(shape, stride)
    return (itemsize * min(where), itemsize * (max(where) + 1)) if where else (0, 0)


def infer_shape(shape, count):
    """(status, shape): tries every value for the -1."""
    if shape.count(-1) > 1 or any(size < -1 for size in shape):
        first = next(i for i, size in enumerate(shape) if size < -1 or (size == -1 and -1 in shape[:i]))
        return ("negative" if shape[first] < -1 else "two unknown"), shape
    if -1 not in shape:
        return ("ok" if numel(shape) == count else "mismatch"), shape
    fits = []
    for value in range(count + 1):
        candidate = tuple(value if size == -1 else size for size in shape)
        if numel(candidate) == count:
            fits.append(candidate)
    if count == 0 and 0 in shape:
        return "ambiguous", shape
    return ("ok", fits[0]) if fits else ("mismatch", shape)


def view_strides(shape, stride, new_shape):
    """Strides that show the elements in the same order under new_shape, or None if there are none.

    The stride of an axis longer than 1 follows from the elements.  By convention the same shape keeps its strides, a view
    without elements is contiguous, an axis of size 1 gets the extent of the axis inside it, and inside of everything it gets
    the old innermost stride.
    """
    if tuple(new_shape) == tuple(shape):
        return tuple(stride)
    if numel(shape) == 0 or not shape:
        return contiguous_strides(new_shape)
    where = offsets(shape, stride)
    row_major = contiguous_strides(new_shape)
    new_stride = [None] * len(new_shape)
    for axis in reversed(range(len(new_shape))):
        if new_shape[axis] > 1:
            new_stride[axis] = where[row_major[axis]] - where[0]
        elif axis + 1 < len(new_shape):
            new_stride[axis] = new_stride[axis + 1] * new_shape[axis + 1]
        else:
            new_stride[axis] = stride[-1]
    return tuple(new_stride) if offsets(new_shape, new_stride) == where else None


# -- memory formats --

def format_order(fmt, ndim):
    """The nesting of a format's axes, or None for another rank."""
    if fmt in ("contiguous", "preserve"):
        return tuple(range(ndim))
    order = CHANNELS_LAST if fmt == "channels_last" else CHANNELS_LAST_3D
    return order if ndim == len(order) else None


def is_in_format(shape, stride, fmt, skip_empty_axes=True):
    """No gaps in the format's order.  Without elements a channels-last format still looks at the strides of axes above 1.

    (skip_empty_axes: an axis of size 0 does not count either.)
    """
    order = format_order(fmt, len(shape))
    if order is None:
        return False
    if fmt in ("contiguous", "preserve") or numel(shape) > 0:
        return is_contiguous([shape[a] for a in order], [stride[a] for a in order])
    wanted = ordered_strides(shape, order, at_least_one=False)
    return all(stride[a] == wanted[a] for a in order if shape[a] > 1 or (shape[a] == 0 and not skip_empty_axes))


def format_strides(shape, fmt):
    order = format_order(fmt, len(shape))
    if fmt == "preserve":
        return "unsupported"
    if order is None:
        return "wrong rank"
    return ordered_strides(shape, order, at_least_one=fmt == "contiguous")


def suggested_format(shape, stride):
    fmt = {4: "channels_last", 5: "channels_last_3d"}.get(len(shape))
    if fmt is None or 0 in shape or stride[1] == 0:
        return "contiguous"
    order = format_order(fmt, len(shape))
    for outer, inner in itertools.pairwise(order):
        if stride[outer] < stride[inner] * shape[inner]:
            return "contiguous"
    # A batch that starts right where one channel ends: nothing shows that channels are innermost.
    return "contiguous" if stride[order[1]] * shape[order[1]] == stride[1] else fmt


def outside(a, b, shape, strides):
    """True: axis a nests outside axis b; False: inside; None: the strides do not say."""
    for stride in strides:
        if 0 in (stride[a], stride[b]):
            continue
        if stride[a] != stride[b]:
            return stride[a] > stride[b]
        if shape[a] > shape[b]:
            return True
    return None


def nesting(shape, strides):
    """The axes from innermost to outermost.  Starts row-major; each axis in turn moves inwards past all that belong outside.

    An undecided neighbour is passed over, not passed: the axis may still change places with one farther in.
    """
    axes = list(reversed(range(len(shape))))
    for start in range(1, len(axes)):
        place = start
        for other in reversed(range(start)):
            answer = outside(axes[other], axes[place], shape, strides)
            if answer is False:
                break
            if answer is True:
                axes[other], axes[place] = axes[place], axes[other]
                place = other
    return axes


def dim_order(shape, stride, check=False):
    """Outermost to innermost, or why not: "several", "undecided".  check: False, True, or a list of formats."""
    ndim = len(shape)
    if check is not False:
        several = 1 in shape or any(s == t for s, t in itertools.pairwise(stride))
        formats = check if isinstance(check, list) else []
        if several and sum(is_in_format(shape, stride, fmt, skip_empty_axes=False) for fmt in formats) != 1:
            return "several"
    contiguous = is_contiguous(shape, stride)
    channels_last = is_in_format(shape, stride, "channels_last", skip_empty_axes=False)
    if ndim < 2 or (contiguous and not channels_last):
        return tuple(range(ndim))
    if channels_last and not contiguous:
        return CHANNELS_LAST
    axes = nesting(shape, [stride])
    if check and any(outside(a, b, shape, [stride]) is not False for a, b in itertools.pairwise(axes)):
        return "undecided"
    return tuple(reversed(axes))


# -- results --

def broadcast(shapes):
    """The common shape, or the number of an axis that disagrees, the first found taking the shapes in order."""
    ndim = max(map(len, shapes))
    result = [1] * ndim
    for shape in shapes:
        for axis, size in enumerate(shape, ndim - len(shape)):
            if 1 not in (size, result[axis]) and size != result[axis]:
                return axis
            result[axis] = size if result[axis] == 1 else result[axis]
    return tuple(result)


def expand(shape, stride, out_shape):
    """Strides under out_shape: 0 where the axis is new or grows."""
    pad = len(out_shape) - len(shape)
    grown = (0 if size == 1 and out != 1 else step for size, step, out in zip(shape, stride, out_shape[pad:], strict=True))
    return (0,) * pad + tuple(grown)


def elementwise_strides(layouts):
    """(shape, stride) of a fresh result of inputs [(shape, stride), ...]."""
    shape = broadcast([s for s, _ in layouts])
    strides = [tuple(t) for _, t in layouts]
    if all(tuple(s) == shape for s, _ in layouts):
        if all(is_contiguous(shape, t) for t in strides):
            return shape, contiguous_strides(shape)
        if all(is_in_format(shape, t, "channels_last", skip_empty_axes=False) for t in strides):
            return shape, ordered_strides(shape, CHANNELS_LAST)
        if len(set(strides)) == 1 and is_dense(shape, strides[0]):
            return shape, strides[0]
    axes = nesting(shape, [expand(s, t, shape) for s, t in layouts])
    if axes == list(reversed(range(len(shape)))):
        return shape, contiguous_strides(shape)
    return shape, ordered_strides(shape, axes[::-1], at_least_one=False)


def preserved_strides(shape, stride):
    """What clone, to and *_like keep: a dense layout as it is, any other becomes contiguous (decision 1)."""
    return tuple(stride) if is_dense(shape, stride) else contiguous_strides(shape)


def operand_places(layouts, itemsizes, out_shape):
    """For each index of out_shape: the byte offset of every operand."""
    rows = []
    for (shape, stride), itemsize in zip(layouts, itemsizes, strict=True):
        rows.append([itemsize * place for place in offsets(out_shape, expand(shape, stride, out_shape))])
    return list(zip(*rows, strict=True))


def reduced_places(shape, stride, reduced, out_stride, keepdim):
    """{output offset: [input offsets in row-major order]}, in elements."""
    places = {}
    for index in indices(shape):
        kept = [i for i, gone in zip(index, reduced, strict=True) if not gone]
        if keepdim:
            kept = [0 if gone else i for i, gone in zip(index, reduced, strict=True)]
        places.setdefault(offset(kept, out_stride), []).append(offset(index, stride))
    return places


# -- overlap --

def bytes_touched(view):
    start, shape, stride, itemsize, _ = view
    return {start + itemsize * place + b for place in offsets(shape, stride) for b in range(itemsize)}


def overlap(a, b):
    """How two views (start in bytes, shape, stride, itemsize, dtype) share memory: "no", "same" or "partial"."""
    if not bytes_touched(a) & bytes_touched(b):
        return "no"

    def essence(view):
        start, shape, stride, itemsize, dtype = view
        return start, [(n, s) for n, s in zip(shape, stride, strict=True) if n != 1], itemsize, dtype

    return "same" if essence(a) == essence(b) else "partial"


def sum_is_reachable(coefficients, most, target):
    return any(offset(x, coefficients) == target for x in itertools.product(*(range(m + 1) for m in most)))


# -- random layouts, with every odd case well represented --

def random_shape(rng, max_ndim=5, max_numel=400):
    """Any rank from 0; sizes from 0 to 7, 1 often."""
    while True:
        ndim = rng.randint(0, max_ndim)
        shape = tuple(0 if rng.random() < 0.03 else rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 7)) for _ in range(ndim))
        if numel(shape) <= max_numel:
            return shape


def random_strides(rng, shape, dense_only=False):
    """Contiguous, channels-last, permuted, gapped, broadcast, overlapping or arbitrary; axes of size 1 are often odd."""
    ndim = len(shape)
    order = list(range(ndim))
    kind = rng.choice(("contiguous", "format", "permuted", "permuted", "gaps", "gaps", "broadcast", "window", "any"))
    if dense_only:
        kind = rng.choice(("contiguous", "format", "permuted"))
    if kind == "format" and ndim in (4, 5):
        order = list(CHANNELS_LAST if ndim == 4 else CHANNELS_LAST_3D)
    elif kind != "contiguous":
        rng.shuffle(order)
    stride = [0] * ndim
    run = 1
    for axis in reversed(order):
        if kind in ("gaps", "window") and rng.random() < 0.5:
            run = run * rng.choice((2, 3)) if kind == "gaps" else max(run - rng.randint(0, 2), 0)
        stride[axis] = run
        run *= max(shape[axis], 1)
    for axis in range(ndim):
        if kind == "any":
            stride[axis] = rng.randint(0, 12)
        if kind == "broadcast" and rng.random() < 0.4:
            stride[axis] = 0
        if shape[axis] == 1 and rng.random() < 0.4:
            stride[axis] = rng.randint(0, 40)
    return tuple(stride)


def random_layout(rng, **limits):
    shape = random_shape(rng, **limits)
    return shape, random_strides(rng, shape)


def random_operands(rng, count, **limits):
    """Layouts that broadcast together; about half of the time all of one shape, sometimes all of one layout."""
    shape = random_shape(rng, **limits)
    same_shape = rng.random() < 0.5
    operands = []
    for _ in range(count):
        own = shape
        if not same_shape and rng.random() < 0.7:
            own = tuple(1 if rng.random() < 0.3 else size for size in shape[rng.randint(0, len(shape)):])
        operands.append((own, random_strides(rng, own)))
    return [operands[0]] * count if rng.random() < 0.15 else operands
