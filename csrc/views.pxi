# Other views of the same memory: permuted, reshaped, cut, expanded, regrouped.
#
# Uses: attributes.pxi, tensor.pxi, copy_dispatch.pxi (tensor_contiguous); layout.pxd.
# Provides: the views_* functions, their methods (TensorViews) and their module functions.
#
# A view is a shape, strides and an offset computed on the stack and handed to tensor_view.  No data is read, so every
# device works alike.  Only reshape, flatten and ravel may copy, when no strides show the asked-for shape.
#
# Invariants
#   V1  a view reaches no element that its base does not reach; as_strided, which may, checks the storage's bounds (T2).
#   V2  a call returns a new object, except where it says "input itself".
#   V3  strides can be huge only where they are never multiplied by a position other than 0 (an axis of at most one element,
#       or a tensor without elements); there views_times stops at the largest number instead of wrapping (T3).
#   V4  where Python code may run between two looks at a shape (__index__ of a list's items), the tensor is held, so that
#       nobody resizes it meanwhile.

from bounded_sum cimport checked_add, checked_mul
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE


cdef inline Py_ssize_t views_times(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    cdef Py_ssize_t out
    return PY_SSIZE_T_MAX if checked_mul(a, b, &out) else out


cdef inline Py_ssize_t views_step(Py_ssize_t offset, Py_ssize_t index, Py_ssize_t stride) noexcept nogil:
    """offset + index * stride; offset where that does not fit, which a tensor with elements cannot bring about (T2)."""
    cdef Py_ssize_t way, out
    return offset if checked_mul(index, stride, &way) or checked_add(offset, way, &out) else out


# -- arguments --------------------------------------------------------------------------------------------------------

cdef object MISSING = object()      # default of arguments that may be left out but not be None


cdef int views_sizes(object first, tuple more, Py_ssize_t *out, str op) except -1:
    """Reads x.op(2, 3), x.op((2, 3)) or x.op(sizes=(2, 3)) into out and returns how many numbers there are."""
    cdef Py_ssize_t n = PyTuple_GET_SIZE(more), i
    if isinstance(first, (tuple, list)):
        if n:
            raise TypeError(f"{op}() takes one tuple of integers or the integers themselves, got both")
        return parse_dims(first, out, op)
    if n >= MAX_DIMS:
        raise RuntimeError(f"{op}: at most {MAX_DIMS} dimensions, got {n + 1}")
    out[0] = parse_int(first, op)
    for i in range(n):
        out[i + 1] = parse_int(<object>PyTuple_GET_ITEM(more, i), op)
    return <int>n + 1


cdef int views_sequence(object dims, Py_ssize_t *out, str op, str name, int position) except -1:
    """Reads a tuple or list of integers; a single integer is refused."""
    cdef Py_ssize_t i
    if not isinstance(dims, (tuple, list)):
        raise TypeError(f"{op}(): argument '{name}' (position {position}) must be tuple of ints, not {type_text(dims)}")
    for i in range(len(dims)):
        if type(dims[i]) is not int and not is_index(dims[i]):
            raise TypeError(f"{op}(): argument '{name}' (position {position}) must be tuple of ints, but found element of type "
                            f"{type_text(dims[i])} at pos {i}")
    return parse_dims(dims, out, op)


cdef Tensor views_need_tensor(object other, str op):
    if not isinstance(other, TensorBase):
        raise TypeError(f"{op}(): argument 'other' must be Tensor, not {type_text(other)}")
    return <Tensor>other


# -- the order of dimensions ------------------------------------------------------------------------------------------

cdef Tensor views_permute(TensorBase self, const Py_ssize_t *dims, int n):
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef uint64_t seen = 0, bit
    cdef int i, d
    cdef Tensor out
    if n != self.ndim_:
        raise RuntimeError(f"permute: number of dimensions in the tensor input does not match the length of the desired "
                           f"ordering of dimensions i.e. input.dim() = {self.ndim_} is not equal to len(dims) = {n}")
    for i in range(n):
        d = wrap_dim(dims[i], n)
        bit = <uint64_t>1 << d
        if seen & bit:
            raise RuntimeError(f"permute(): duplicate dims are not allowed: {dims_text(dims, n)}")
        seen |= bit
        shape[i] = self.shape_[d]
        stride[i] = self.stride_[d]
    out = tensor_new(n, self.dt, self.dev)
    for i in range(n):
        out.shape_[i] = shape[i]
        out.stride_[i] = stride[i]
    tensor_set_storage(out, self.storage_)
    out.offset = self.offset
    views_finish_reordered(out, self)
    return out


cdef inline void views_finish_reordered(Tensor out, TensorBase self) noexcept nogil:
    """tensor_finish for the same axes in another order: the number of elements and denseness stay."""
    out.numel_ = self.numel_
    out.flags = self.flags & TENSOR_DENSE
    if out.flags and layout_is_contiguous(out.shape_, out.stride_, out.ndim_):
        out.flags = TENSOR_CONTIGUOUS | TENSOR_DENSE


cdef Tensor views_transpose(TensorBase self, Py_ssize_t dim0, Py_ssize_t dim1):
    cdef int a = wrap_dim(dim0, self.ndim_), b = wrap_dim(dim1, self.ndim_)
    cdef Py_ssize_t shape, stride
    cdef Tensor out = tensor_alias(self)
    if self.ndim_ == 0 or a == b:
        return out
    shape = out.shape_[a]
    stride = out.stride_[a]
    out.shape_[a] = out.shape_[b]
    out.stride_[a] = out.stride_[b]
    out.shape_[b] = shape
    out.stride_[b] = stride
    views_finish_reordered(out, self)
    return out


cdef Tensor views_t(TensorBase self):
    if self.ndim_ > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim_}D")
    return tensor_alias(self) if self.ndim_ < 2 else views_transpose(self, 0, 1)


cdef Tensor views_reversed(TensorBase self):
    cdef Py_ssize_t dims[MAX_DIMS]
    cdef int d
    if self.ndim_ != 2:
        PyErr_WarnEx(UserWarning, b"The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated; "
                     b"use `x.mT` to transpose batches of matrices, or permute", 1)
    for d in range(self.ndim_):
        dims[d] = self.ndim_ - 1 - d
    return views_permute(self, dims, self.ndim_)


cdef Tensor views_matrix_transpose(TensorBase self, str name):
    if self.ndim_ == 0:
        return <Tensor>self
    if self.ndim_ == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return views_transpose(self, -2, -1)


cdef object views_adjoint(TensorBase self, str name):
    out = views_matrix_transpose(self, name)
    if dtype_category[self.dt] != 3:
        return out
    if not hasattr(out, "conj"):
        raise NotImplementedError(f"tensor.{name} of a complex tensor needs conj(), which is not implemented; "
                                  f"mT transposes without it")
    return out.conj()


cdef extern from "Python.h":
    int PyErr_WarnEx(object category, const char *message, Py_ssize_t stack_level) except -1


cdef Tensor views_movedim(TensorBase self, object source, object destination):
    cdef Py_ssize_t src[MAX_DIMS]
    cdef Py_ssize_t dst[MAX_DIMS]
    cdef Py_ssize_t order[MAX_DIMS]
    cdef int src_at[MAX_DIMS]
    cdef int dst_at[MAX_DIMS]
    cdef uint64_t taken = 0, placed = 0
    cdef int n, m, i, d, next_free = 0
    if isinstance(source, (tuple, list)) != isinstance(destination, (tuple, list)):
        raise TypeError(f"movedim: source and destination must both be integers or both be tuples of integers, got "
                        f"{type_text(source)} and {type_text(destination)}")
    n = parse_dims(source, src, "movedim: source")
    m = parse_dims(destination, dst, "movedim: destination")
    if n != m:
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({dims_text(src, n)} dims) should contain the "
                           f"same number of dims as destination ({dims_text(dst, m)} dims)")
    for i in range(n):
        src_at[i] = wrap_dim(src[i], self.ndim_)
        dst_at[i] = wrap_dim(dst[i], self.ndim_)
    for i in range(n):
        if taken & (<uint64_t>1 << src_at[i]):
            raise RuntimeError(f"movedim: repeated dim in `source` ({dims_text(src, n)})")
        taken |= <uint64_t>1 << src_at[i]
    for i in range(n):
        if placed & (<uint64_t>1 << dst_at[i]):
            raise RuntimeError(f"movedim: repeated dim in `destination` ({dims_text(dst, n)})")
        placed |= <uint64_t>1 << dst_at[i]
    if self.ndim_ == 0:
        return tensor_alias(self)
    for i in range(n):
        order[dst_at[i]] = src_at[i]
    for d in range(self.ndim_):             # the others keep their order in the places that are left
        if taken & (<uint64_t>1 << d):
            continue
        while placed & (<uint64_t>1 << next_free):
            next_free += 1
        order[next_free] = d
        next_free += 1
    return views_permute(self, order, self.ndim_)


# -- regrouping: the same elements in the same row-major order under another shape ------------------------------------

cdef int views_infer(TensorBase self, Py_ssize_t *shape, int n) except -1:
    """Replaces -1 by the size that fits, or refuses the shape."""
    cdef InferShape answer = layout_infer_shape(shape, n, self.numel_)
    cdef int d
    if answer == SHAPE_OK:
        return 0
    if answer == SHAPE_TWO_UNKNOWN:
        raise RuntimeError(f"only one dimension can be inferred: {dims_text(shape, n)}")
    if answer == SHAPE_NEGATIVE:
        for d in range(n):
            if shape[d] < -1:
                raise RuntimeError(f"invalid shape dimension {shape[d]} at index {d} of shape {dims_text(shape, n)}")
    if answer == SHAPE_AMBIGUOUS:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {dims_text(shape, n)} because the unspecified "
                           f"dimension size -1 can be any value and is ambiguous")
    raise RuntimeError(f"shape '{dims_text(shape, n)}' is invalid for input of size {self.numel_}")


cdef Tensor views_view_shape(TensorBase self, Py_ssize_t *shape, int n):
    cdef Py_ssize_t stride[MAX_DIMS]
    views_infer(self, shape, n)
    if layout_view_strides(self.shape_, self.stride_, self.ndim_, shape, n, stride) != 0:
        raise RuntimeError(f"view size is not compatible with input tensor's size and stride (at least one dimension spans "
                           f"across two contiguous subspaces). Use .reshape(...) instead: {tensor_layout_text(self)} viewed "
                           f"as {dims_text(shape, n)}")
    return tensor_view(self, shape, stride, n, self.offset)


cdef Tensor views_reshape(TensorBase self, Py_ssize_t *shape, int n):
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef TensorBase base = self
    views_infer(self, shape, n)
    if layout_view_strides(self.shape_, self.stride_, self.ndim_, shape, n, stride) != 0:
        base = tensor_contiguous(self, FORMAT_CONTIGUOUS)
        layout_contiguous_strides(shape, n, stride)
    return tensor_view(base, shape, stride, n, base.offset)


cdef Tensor views_view(TensorBase self, object size, tuple more, object as_dtype):
    """Tensor.view: one argument name for sizes, another for a dtype, and a dtype may also come first."""
    cdef Py_ssize_t shape[MAX_DIMS]
    if as_dtype is not None:
        if size is not MISSING:
            raise TypeError("view() takes sizes or a dtype, not both")
        return views_view_dtype(self, dtype_code(as_dtype))
    if size is MISSING:
        raise TypeError("view() takes the sizes of the view or a dtype; got neither")
    if type(size) is dtype and not more:
        return views_view_dtype(self, dtype_code(size))
    return views_view_shape(self, shape, views_sizes(size, more, shape, "view"))


cdef Tensor views_view_dtype(TensorBase self, int dt):
    """The same bytes read as another dtype.  The last dimension takes up the difference in width, so it must be packed."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef Py_ssize_t old = dtype_itemsize[self.dt], new = dtype_itemsize[dt], ratio, offset = self.offset
    cdef int d, last = self.ndim_ - 1
    cdef Tensor out
    if <size_t>self.storage_.ptr % element_alignment(dt):
        raise RuntimeError(f"view: the memory begins at an address that is not a multiple of {element_alignment(dt)}, as "
                           f"{dtype_object(dt)} needs; clone() the tensor first")
    if old == new:
        out = tensor_alias(self)
        out.dt = dt
        return out
    if last < 0:
        raise RuntimeError(f"self.dim() cannot be 0 to view {views_widths_text(self.dt, dt)}")
    for d in range(last):
        shape[d] = self.shape_[d]
        stride[d] = self.stride_[d]
    stride[last] = 1
    if new < old:
        views_need_packed(self, dt)
        ratio = old // new
        shape[last] = views_times(self.shape_[last], ratio)
        offset = views_times(offset, ratio)
        for d in range(last):
            stride[d] = views_times(stride[d], ratio)
    else:
        ratio = new // old
        if self.shape_[last] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to view {views_widths_text(self.dt, dt)}, but got "
                               f"{self.shape_[last]}")
        if offset % ratio:
            raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} to view {views_widths_text(self.dt, dt)}, "
                               f"but got {offset}")
        views_need_packed(self, dt)
        for d in range(last):
            if stride[d] % ratio:
                raise RuntimeError(f"self.stride({d}) must be divisible by {ratio} to view {views_widths_text(self.dt, dt)}, "
                                   f"but got {stride[d]}")
            stride[d] //= ratio
        shape[last] = self.shape_[last] // ratio
        offset //= ratio
    views_need_count(shape, self.ndim_, "view")
    out = tensor_view(self, shape, stride, self.ndim_, offset)
    out.dt = dt
    return out


cdef int views_need_count(const Py_ssize_t *shape, int ndim, str op) except -1:
    if layout_numel(shape, ndim) < 0:
        raise RuntimeError(f"{op}: the number of elements of shape {dims_text(shape, ndim)} does not fit in 64 bits")
    return 0


cdef int views_need_packed(TensorBase self, int dt) except -1:
    if self.stride_[self.ndim_ - 1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 to view {views_widths_text(self.dt, dt)}, but got "
                           f"{self.stride_[self.ndim_ - 1]}")
    return 0


cdef str views_widths_text(int old, int new):
    return f"{dtype_scalar_name[old].decode()} as {dtype_scalar_name[new].decode()} (different element sizes)"


cdef Tensor views_flatten(TensorBase self, Py_ssize_t start_dim, Py_ssize_t end_dim):
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef int start = wrap_dim(start_dim, self.ndim_), end = wrap_dim(end_dim, self.ndim_), d, n = 0
    if start > end:
        raise RuntimeError(f"flatten() has invalid args: start_dim cannot come after end_dim (got {start_dim} and {end_dim})")
    if self.ndim_ == 0:
        shape[0] = 1
        return views_reshape(self, shape, 1)
    if start == end:
        return <Tensor>self
    for d in range(self.ndim_):
        if start < d <= end:
            shape[n - 1] *= self.shape_[d]
        else:
            shape[n] = self.shape_[d]
            n += 1
    return views_reshape(self, shape, n)


cdef Tensor views_ravel(TensorBase self):
    cdef Py_ssize_t shape[1]
    shape[0] = self.numel_
    return views_view_shape(tensor_contiguous(self, FORMAT_CONTIGUOUS), shape, 1)


cdef Tensor views_unflatten(TensorBase self, Py_ssize_t dim, object sizes):
    cdef Py_ssize_t given[MAX_DIMS]
    cdef Py_ssize_t shape[2 * MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int d, i, n = views_sequence(sizes, given, "unflatten", "sizes", 2)
    cdef InferShape answer
    if n == 0:
        raise RuntimeError("unflatten: sizes must be non-empty")
    d = wrap_dim(dim, self.ndim_)
    if self.ndim_ == 0:
        raise RuntimeError("unflatten: Dimension specified as 0 but tensor has no dimensions")
    if self.ndim_ - 1 + n > MAX_DIMS:
        raise RuntimeError(f"unflatten: at most {MAX_DIMS} dimensions, got {self.ndim_ - 1 + n}")
    answer = layout_infer_shape(given, n, self.shape_[d])
    if answer == SHAPE_TWO_UNKNOWN:
        raise RuntimeError(f"unflatten: only one dimension can be inferred: {dims_text(given, n)}")
    if answer != SHAPE_OK:
        raise RuntimeError(f"unflatten: Provided sizes {dims_text(given, n)} don't multiply up to the size of dim {d} "
                           f"({self.shape_[d]}) in the input tensor")
    for i in range(d):
        shape[i] = self.shape_[i]
    for i in range(n):
        shape[d + i] = given[i]
    for i in range(d + 1, self.ndim_):
        shape[n - 1 + i] = self.shape_[i]
    n += self.ndim_ - 1
    # One axis always splits, whatever its stride; only the empty case and size-1 strides are the general rule's affair.
    if layout_view_strides(self.shape_, self.stride_, self.ndim_, shape, n, stride) != 0:
        raise SystemError(f"unflatten: {tensor_layout_text(self)} does not split at {d} into {dims_text(shape, n)}")
    return tensor_view(self, shape, stride, n, self.offset)


# -- dimensions of size 1, and of repeated elements -------------------------------------------------------------------

cdef Tensor views_squeeze(TensorBase self, object dim, tuple more):
    """Without dims every dimension of size 1 goes; with dims those among them that have size 1."""
    cdef Py_ssize_t dims[MAX_DIMS]
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef uint64_t chosen = 0
    cdef int d, i, n = 0
    if dim is MISSING or dim is None:
        chosen = ~<uint64_t>0
    else:
        for i in range(views_sizes(dim, more, dims, "squeeze")):
            d = wrap_dim(dims[i], self.ndim_)
            if chosen & (<uint64_t>1 << d):
                raise RuntimeError(f"squeeze: dim {d} appears multiple times in the list of dims")
            chosen |= <uint64_t>1 << d
    for d in range(self.ndim_):
        if self.shape_[d] == 1 and chosen & (<uint64_t>1 << d):
            continue
        shape[n] = self.shape_[d]
        stride[n] = self.stride_[d]
        n += 1
    return tensor_view(self, shape, stride, n, self.offset)


cdef Tensor views_unsqueeze(TensorBase self, Py_ssize_t dim):
    """The new stride is what the axis would have if it grew: size * stride of the axis behind it."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int d, at = wrap_dim(dim, self.ndim_ + 1)
    if self.ndim_ == MAX_DIMS:
        raise RuntimeError(f"unsqueeze: tensors have at most {MAX_DIMS} dimensions")
    for d in range(at):
        shape[d] = self.shape_[d]
        stride[d] = self.stride_[d]
    shape[at] = 1
    stride[at] = views_times(self.shape_[at], self.stride_[at]) if at < self.ndim_ else 1
    for d in range(at, self.ndim_):
        shape[d + 1] = self.shape_[d]
        stride[d + 1] = self.stride_[d]
    return tensor_view(self, shape, stride, self.ndim_ + 1, self.offset)


cdef Tensor views_expand(TensorBase self, const Py_ssize_t *sizes, int n):
    """A size-1 axis grows by stride 0; so does a new leading axis, unless it has size 1 (then it nests outside the next)."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int i, d, pad = n - self.ndim_
    if pad < 0:
        raise RuntimeError(f"expand(tensorlib.{dtype_scalar_name[self.dt].decode()}Tensor{{{dims_text(self.shape_, self.ndim_)}}}, "
                           f"size={dims_text(sizes, n)}): the number of sizes provided ({n}) must be greater or equal to the "
                           f"number of dimensions in the tensor ({self.ndim_})")
    for i in range(n - 1, -1, -1):
        d = i - pad
        shape[i] = sizes[i]
        if d >= 0:
            if sizes[i] == self.shape_[d] or sizes[i] == -1:
                shape[i] = self.shape_[d]
                stride[i] = self.stride_[d]
                continue
            if self.shape_[d] != 1 or sizes[i] < 0:
                raise RuntimeError(f"The expanded size of the tensor ({sizes[i]}) must match the existing size "
                                   f"({self.shape_[d]}) at non-singleton dimension {i}.  Target sizes: {dims_text(sizes, n)}.  "
                                   f"Tensor sizes: {dims_text(self.shape_, self.ndim_)}")
        elif sizes[i] < 0:
            raise RuntimeError(f"The expanded size of the tensor ({sizes[i]}) isn't allowed in a leading, non-existing "
                               f"dimension {i}.  Target sizes: {dims_text(sizes, n)}")
        stride[i] = views_times(shape[i + 1], stride[i + 1]) if d < 0 and sizes[i] == 1 and self.ndim_ > 0 else 0
    if layout_numel(shape, n) < 0:
        raise RuntimeError(f"expand: the number of elements of shape {dims_text(shape, n)} does not fit in 64 bits")
    return tensor_view(self, shape, stride, n, self.offset)


# -- parts ------------------------------------------------------------------------------------------------------------

cdef Tensor views_cut(TensorBase self, int d, Py_ssize_t start, Py_ssize_t length):
    """Elements start to start + length of axis d, which the caller checked."""
    cdef Tensor out = tensor_alias(self)
    out.offset = views_step(self.offset, start, self.stride_[d])
    out.shape_[d] = length
    tensor_finish(out)
    return out


cdef Tensor views_drop(TensorBase self, int d, Py_ssize_t index):
    """Element `index` of axis d, which the caller checked; the axis goes."""
    cdef int i, n = self.ndim_ - 1
    cdef Tensor out = tensor_new(n, self.dt, self.dev)
    for i in range(d):
        out.shape_[i] = self.shape_[i]
        out.stride_[i] = self.stride_[i]
    for i in range(d, n):
        out.shape_[i] = self.shape_[i + 1]
        out.stride_[i] = self.stride_[i + 1]
    tensor_set_storage(out, self.storage_)
    out.offset = views_step(self.offset, index, self.stride_[d])
    tensor_finish(out)
    return out


cdef Tensor views_narrow(TensorBase self, Py_ssize_t dim, object start, Py_ssize_t length):
    cdef Py_ssize_t begin = parse_int(start, "narrow: start"), size
    cdef int d
    if self.ndim_ == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError(f"narrow(): length must be non-negative, got {length}.")
    d = wrap_dim(dim, self.ndim_)
    size = self.shape_[d]
    if begin < -size or begin > size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {begin})")
    if begin < 0:
        begin += size
    if length > size - begin:
        raise RuntimeError(f"start ({begin}) + length ({length}) exceeds dimension size ({size}).")
    return views_cut(self, d, begin, length)


cdef Tensor views_select(TensorBase self, Py_ssize_t dim, object index):
    cdef Py_ssize_t i = parse_int(index, "select: index"), size
    cdef int d
    if self.ndim_ == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, self.ndim_)
    size = self.shape_[d]
    if i < -size or i >= size:
        raise IndexError(f"select(): index {i} out of range for tensor of size {dims_text(self.shape_, self.ndim_)} at "
                         f"dimension {d}")
    return views_drop(self, d, i + size if i < 0 else i)


cdef tuple views_unbind(TensorBase self, Py_ssize_t dim):
    cdef int d = wrap_dim(dim, self.ndim_)
    cdef Py_ssize_t i
    if self.ndim_ == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return tuple([views_drop(self, d, i) for i in range(self.shape_[d])])


cdef tuple views_pieces(TensorBase self, int d, Py_ssize_t piece, Py_ssize_t count):
    """count pieces of `piece` elements along axis d, the last one smaller if the axis ends before."""
    cdef Py_ssize_t i, start, size = self.shape_[d]
    out = []
    for i in range(count):
        start = i * piece
        out.append(views_cut(self, d, start, min(piece, size - start)))
    return tuple(out)


cdef tuple views_split(TensorBase self, object sizes, Py_ssize_t dim):
    """By one size or by a list of sizes.  The list may be longer than a tensor has dimensions."""
    self.storage_.exports += 1          # V4
    try:
        return views_split_held(self, sizes, dim)
    finally:
        self.storage_.exports -= 1


cdef tuple views_split_held(TensorBase self, object sizes, Py_ssize_t dim):
    cdef Py_ssize_t size, piece, start = 0
    cdef int d
    cdef list pieces
    if self.ndim_ == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if not isinstance(sizes, (tuple, list)):
        piece = parse_int(sizes, "split: sizes")
        if piece < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={piece}")
        d = wrap_dim(dim, self.ndim_)
        size = self.shape_[d]
        if piece == 0 and size != 0:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        return views_pieces(self, d, piece, 1 if piece >= size else (size - 1) // piece + 1)
    d = wrap_dim(dim, self.ndim_)
    size = self.shape_[d]
    pieces = [parse_int(item, "split: sizes") for item in sizes]
    for piece in pieces:
        if piece < 0:
            raise RuntimeError(f"split_with_sizes expects split_sizes have only non-negative entries, but got "
                               f"split_sizes={pieces}")
    if sum(pieces) != size:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension "
                           f"{d}), but got split_sizes={pieces}")
    out = []
    for piece in pieces:
        out.append(views_cut(self, d, start, piece))
        start += piece
    return tuple(out)


cdef tuple views_chunk(TensorBase self, Py_ssize_t chunks, Py_ssize_t dim):
    """At most `chunks` pieces of one size; an empty axis still gives `chunks` empty pieces."""
    cdef Py_ssize_t size, piece
    cdef int d
    if self.ndim_ == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    d = wrap_dim(dim, self.ndim_)
    size = self.shape_[d]
    if size == 0:
        return views_pieces(self, d, 0, chunks)
    piece = (size - 1) // chunks + 1
    return views_pieces(self, d, piece, (size - 1) // piece + 1)


cdef tuple views_tensor_split(TensorBase self, object sections, Py_ssize_t dim):
    """By a number of sections, the first ones larger by one where it does not divide; or before each index of a list."""
    self.storage_.exports += 1          # V4
    try:
        return views_tensor_split_held(self, sections, dim)
    finally:
        self.storage_.exports -= 1


cdef tuple views_tensor_split_held(TensorBase self, object sections, Py_ssize_t dim):
    cdef Py_ssize_t size, n, i, start = 0, end, length
    cdef int d
    if self.ndim_ == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, self.ndim_)
    size = self.shape_[d]
    if isinstance(sections, TensorBase):
        sections = sections.tolist()
    out = []
    if not isinstance(sections, (tuple, list)):
        n = parse_int(sections, "tensor_split: sections")
        if n <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {n}")
        for i in range(n):
            length = size // n + (1 if i < size % n else 0)
            out.append(views_cut(self, d, start, length))
            start += length
        return tuple(out)
    ends = [parse_int(item, "tensor_split: indices") for item in sections]
    ends.append(size)
    for end in ends:                        # each piece is x[start:end] as Python slices it
        i = views_clamp(start, size)
        length = views_clamp(end, size) - i
        out.append(views_cut(self, d, i, length if length > 0 else 0))
        start = end
    return tuple(out)


cdef inline Py_ssize_t views_clamp(Py_ssize_t i, Py_ssize_t size) noexcept nogil:
    """A slice bound: negative from the end, then moved into 0..size."""
    if i < 0:
        i += size
        return 0 if i < 0 else i
    return size if i > size else i


# -- strides by hand --------------------------------------------------------------------------------------------------

cdef Tensor views_as_strided(TensorBase self, object size, object strides, object storage_offset):
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef Py_ssize_t offset = self.offset, lo, hi, start, need, itemsize = dtype_itemsize[self.dt]
    cdef int d, n = views_sequence(size, shape, "as_strided", "size", 1)
    cdef int m = views_sequence(strides, stride, "as_strided", "stride", 2)
    if storage_offset is not None:
        offset = parse_int(storage_offset, "as_strided: storage_offset")
    if n != m:
        raise RuntimeError(f"as_strided: mismatch in length of strides and shape: {m} and {n}")
    for d in range(n):
        if stride[d] < 0:
            raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: "
                               f"{dims_text(stride, n)}")
        if shape[d] < 0:
            raise RuntimeError(f"as_strided: sizes must not be negative: sizes={dims_text(shape, n)} and "
                               f"strides={dims_text(stride, n)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if (layout_numel(shape, n) < 0 or layout_extent(shape, stride, n, itemsize, &lo, &hi) != 0
            or checked_mul(offset, itemsize, &start) or checked_add(start, hi, &need)):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={dims_text(shape, n)}, strides={dims_text(stride, n)} "
                           f"and storage offset {offset}")
    if hi > 0 and need > self.storage_.nbytes_:
        raise RuntimeError(f"setStorage: sizes {dims_text(shape, n)}, strides {dims_text(stride, n)}, storage offset {offset}, and "
                           f"itemsize {itemsize} requiring a storage size of {need} are out of bounds for storage of size "
                           f"{self.storage_.nbytes_}")
    return tensor_view(self, shape, stride, n, offset)


cdef Tensor views_unfold(TensorBase self, Py_ssize_t dimension, Py_ssize_t size, Py_ssize_t step):
    """Windows of `size` elements, one every `step`, along one axis; the windows' elements become the last axis."""
    cdef Py_ssize_t shape[MAX_DIMS + 1]
    cdef Py_ssize_t stride[MAX_DIMS + 1]
    cdef int d = wrap_dim(dimension, self.ndim_), i, n = self.ndim_
    cdef Py_ssize_t extent = self.shape_[d] if n > 0 else 1
    if size < 0:
        raise RuntimeError(f"unfold: size is {size} but must be >= 0")
    if size > extent:
        raise RuntimeError(f"unfold: maximum size for tensor at dimension {d} is {extent} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"unfold: step is {step} but must be > 0")
    if n == MAX_DIMS:
        raise RuntimeError(f"unfold: tensors have at most {MAX_DIMS} dimensions")
    for i in range(n):
        shape[i] = self.shape_[i]
        stride[i] = self.stride_[i]
    shape[n] = size
    stride[n] = 1
    if n > 0:
        stride[n] = stride[d]
        shape[d] = (extent - size) // step + 1
        stride[d] = views_times(stride[d], step)
    views_need_count(shape, n + 1, "unfold")
    return tensor_view(self, shape, stride, n + 1, self.offset)


cdef Tensor views_diagonal(TensorBase self, Py_ssize_t offset, Py_ssize_t dim1, Py_ssize_t dim2):
    """The elements whose indices differ by `offset` between two axes; they become the last axis."""
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef Py_ssize_t stride[MAX_DIMS]
    cdef int a = wrap_dim(dim1, self.ndim_), b = wrap_dim(dim2, self.ndim_), d, n = 0
    cdef Py_ssize_t length, begin = self.offset
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    for d in range(self.ndim_):
        if d != a and d != b:
            shape[n] = self.shape_[d]
            stride[n] = self.stride_[d]
            n += 1
    # min over both axes of what lies behind the first element; an offset past the edge leaves nothing
    if offset >= 0:
        length = min(self.shape_[a], self.shape_[b] - min(offset, self.shape_[b]))
        if length > 0:
            begin = views_step(begin, offset, self.stride_[b])
    else:
        length = min(self.shape_[a] + max(offset, -self.shape_[a]), self.shape_[b])
        if length > 0:
            begin = views_step(begin, -offset, self.stride_[a])
    shape[n] = length
    if checked_add(self.stride_[a], self.stride_[b], &stride[n]):
        stride[n] = PY_SSIZE_T_MAX
    return tensor_view(self, shape, stride, n + 1, begin)


# -- methods ----------------------------------------------------------------------------------------------------------

cdef class TensorViews(TensorBase):
    # The functions below the class have the full docstrings.

    def permute(self, dims, *more):
        """See tensorlib.permute; the dims may also be given one by one."""
        cdef Py_ssize_t order[MAX_DIMS]
        return views_permute(self, order, views_sizes(dims, more, order, "permute"))

    def transpose(self, dim0, dim1):
        """See tensorlib.transpose."""
        return views_transpose(self, parse_int(dim0, "transpose: dim0"), parse_int(dim1, "transpose: dim1"))

    def swapaxes(self, axis0, axis1):
        """Another name of transpose."""
        return views_transpose(self, parse_int(axis0, "swapaxes: axis0"), parse_int(axis1, "swapaxes: axis1"))

    def swapdims(self, dim0, dim1):
        """Another name of transpose."""
        return views_transpose(self, parse_int(dim0, "swapdims: dim0"), parse_int(dim1, "swapdims: dim1"))

    def t(self):
        """See tensorlib.t."""
        return views_t(self)

    @property
    def T(self):
        """A view with the dimensions in reverse order; deprecated for other than two dimensions."""
        return views_reversed(self)

    @property
    def mT(self):
        """A view with the last two dimensions exchanged.  RuntimeError for one dimension."""
        return views_matrix_transpose(self, "mT")

    @property
    def H(self):
        """The conjugate transpose of a matrix: for real dtypes a view.  RuntimeError unless there are two dimensions."""
        if self.ndim_ == 0 or self.ndim_ == 2:
            return views_adjoint(self, "H")
        hint = " For batches of matrices, consider using tensor.mH" if self.ndim_ > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim_}-D tensor.{hint}")

    @property
    def mH(self):
        """The conjugate transpose of the last two dimensions: for real dtypes a view."""
        return views_adjoint(self, "mH")

    def adjoint(self):
        """See tensorlib.adjoint."""
        return views_adjoint(self, "adjoint()")

    def movedim(self, source, destination):
        """See tensorlib.movedim."""
        return views_movedim(self, source, destination)

    def moveaxis(self, source, destination):
        """Another name of movedim."""
        return views_movedim(self, source, destination)

    def reshape(self, shape, *more):
        """See tensorlib.reshape; the sizes may also be given one by one."""
        cdef Py_ssize_t sizes[MAX_DIMS]
        return views_reshape(self, sizes, views_sizes(shape, more, sizes, "reshape"))

    def reshape_as(self, other):
        """``self.reshape(other.shape)``."""
        cdef Py_ssize_t shape[MAX_DIMS]
        return views_reshape(self, shape, views_shape_of(other, shape, "reshape_as"))

    def view(self, size=MISSING, *more, dtype=None):
        """view(*size) or view(dtype) -> Tensor

        A view of the same elements in the same row-major order under another shape; one size may be -1 and is then inferred.
        With a dtype, the same bytes read as that type: the last dimension grows or shrinks by the ratio of the widths.

        Raises RuntimeError if the sizes do not hold the same number of elements, or if no strides show them that way (reshape
        copies then); for a dtype of another width if the last dimension is not packed or does not divide.
        """
        return views_view(self, size, more, dtype)

    def view_as(self, other):
        """``self.view(other.shape)``."""
        cdef Py_ssize_t shape[MAX_DIMS]
        return views_view_shape(self, shape, views_shape_of(other, shape, "view_as"))

    def flatten(self, start_dim=0, end_dim=-1):
        """See tensorlib.flatten."""
        return views_flatten(self, parse_int(start_dim, "flatten: start_dim"), parse_int(end_dim, "flatten: end_dim"))

    def ravel(self):
        """See tensorlib.ravel."""
        return views_ravel(self)

    def unflatten(self, dim, sizes):
        """See tensorlib.unflatten."""
        return views_unflatten(self, parse_int(dim, "unflatten: dim"), sizes)

    def squeeze(self, dim=MISSING, *more):
        """See tensorlib.squeeze."""
        return views_squeeze(self, dim, more)

    def unsqueeze(self, dim):
        """See tensorlib.unsqueeze."""
        return views_unsqueeze(self, parse_int(dim, "unsqueeze: dim"))

    def expand(self, size, *more):
        """expand(*size) -> Tensor

        A view in which dimensions of size 1 are repeated up to the given sizes, by stride 0; -1 keeps a size.  New dimensions
        come in front.  Several elements share one place, so most in-place operations refuse the result.

        Raises RuntimeError if a dimension of another size than 1 would change, or if there are fewer sizes than dimensions.
        """
        cdef Py_ssize_t sizes[MAX_DIMS]
        return views_expand(self, sizes, views_sizes(size, more, sizes, "expand"))

    def expand_as(self, other):
        """``self.expand(other.shape)``."""
        cdef Py_ssize_t shape[MAX_DIMS]
        return views_expand(self, shape, views_shape_of(other, shape, "expand_as"))

    def broadcast_to(self, size):
        """See tensorlib.broadcast_to."""
        cdef Py_ssize_t sizes[MAX_DIMS]
        return views_expand(self, sizes, views_sequence(size, sizes, "broadcast_to", "size", 2))

    def narrow(self, dim, start, length):
        """See tensorlib.narrow."""
        return views_narrow(self, parse_int(dim, "narrow: dim"), start, parse_int(length, "narrow: length"))

    def select(self, dim, index):
        """See tensorlib.select."""
        return views_select(self, parse_int(dim, "select: dim"), index)

    def unbind(self, dim=0):
        """See tensorlib.unbind."""
        return views_unbind(self, parse_int(dim, "unbind: dim"))

    def split(self, split_size, dim=0):
        """See tensorlib.split."""
        return views_split(self, split_size, parse_int(dim, "split: dim"))

    def chunk(self, chunks, dim=0):
        """See tensorlib.chunk."""
        return views_chunk(self, parse_int(chunks, "chunk: chunks"), parse_int(dim, "chunk: dim"))

    def tensor_split(self, indices_or_sections, dim=0):
        """See tensorlib.tensor_split."""
        return views_tensor_split(self, indices_or_sections, parse_int(dim, "tensor_split: dim"))

    def as_strided(self, size, stride, storage_offset=None):
        """See tensorlib.as_strided."""
        return views_as_strided(self, size, stride, storage_offset)

    def unfold(self, dimension, size, step):
        """unfold(dimension, size, step) -> Tensor

        ``out[..., i, ..., j] = self[..., i * step + j, ...]``: windows of ``size`` elements along one dimension, as a view
        whose last dimension runs through a window.  Windows overlap where ``step < size``.

        Raises RuntimeError if size is negative or larger than the dimension, or if step is not positive.
        """
        return views_unfold(self, parse_int(dimension, "unfold: dimension"), parse_int(size, "unfold: size"),
                            parse_int(step, "unfold: step"))

    def diagonal(self, offset=0, dim1=0, dim2=1):
        """See tensorlib.diagonal."""
        return views_diagonal(self, parse_int(offset, "diagonal: offset"), parse_int(dim1, "diagonal: dim1"),
                              parse_int(dim2, "diagonal: dim2"))


cdef int views_shape_of(object other, Py_ssize_t *out, str op) except -1:
    cdef TensorBase t = views_need_tensor(other, op)
    cdef int d
    for d in range(t.ndim_):
        out[d] = t.shape_[d]
    return t.ndim_


# -- module functions -------------------------------------------------------------------------------------------------

def permute(Tensor input not None, dims):
    """permute(input, dims) -> Tensor

    ``out.shape[i] = input.shape[dims[i]]``: a view with the dimensions in the given order.

    Raises RuntimeError unless dims names every dimension once, IndexError if one does not exist.
    """
    cdef Py_ssize_t order[MAX_DIMS]
    return views_permute(input, order, views_sequence(dims, order, "permute", "dims", 2))


def transpose(Tensor input not None, dim0, dim1):
    """transpose(input, dim0, dim1) -> Tensor

    A view with two dimensions exchanged.  Raises IndexError if one does not exist.
    """
    return views_transpose(input, parse_int(dim0, "transpose: dim0"), parse_int(dim1, "transpose: dim1"))


def swapaxes(Tensor input not None, axis0, axis1):
    """Another name of transpose."""
    return views_transpose(input, parse_int(axis0, "swapaxes: axis0"), parse_int(axis1, "swapaxes: axis1"))


def swapdims(Tensor input not None, dim0, dim1):
    """Another name of transpose."""
    return views_transpose(input, parse_int(dim0, "swapdims: dim0"), parse_int(dim1, "swapdims: dim1"))


def t(Tensor input not None):
    """t(input) -> Tensor

    A view with the two dimensions of a matrix exchanged; a tensor of fewer dimensions is viewed as it is.
    Raises RuntimeError for more than two dimensions.
    """
    return views_t(input)


def adjoint(Tensor input not None):
    """adjoint(input) -> Tensor

    The last two dimensions exchanged and, for complex dtypes, conjugated.  Raises RuntimeError for one dimension.
    """
    return views_adjoint(input, "adjoint()")


def movedim(Tensor input not None, source, destination):
    """movedim(input, source, destination) -> Tensor

    A view in which dimension ``source`` (one or several) lies at position ``destination``; the others keep their order.

    Raises RuntimeError if a position is named twice or the numbers of dimensions differ, IndexError if one does not exist.
    """
    return views_movedim(input, source, destination)


def moveaxis(Tensor input not None, source, destination):
    """Another name of movedim."""
    return views_movedim(input, source, destination)


def reshape(Tensor input not None, shape):
    """reshape(input, shape) -> Tensor

    The same elements in the same row-major order under another shape; one size may be -1 and is then inferred.  A view where
    strides can show it, otherwise a contiguous copy.  The shape it already has keeps its strides.

    Raises RuntimeError if the sizes do not hold the same number of elements.
    """
    cdef Py_ssize_t sizes[MAX_DIMS]
    return views_reshape(input, sizes, views_sequence(shape, sizes, "reshape", "shape", 2))


def flatten(Tensor input not None, start_dim=0, end_dim=-1):
    """flatten(input, start_dim=0, end_dim=-1) -> Tensor

    Dimensions start_dim to end_dim (inclusive) as one: input itself if that is one already, a view where strides can show it,
    otherwise a contiguous copy.  Raises RuntimeError if start_dim comes after end_dim.
    """
    return views_flatten(input, parse_int(start_dim, "flatten: start_dim"), parse_int(end_dim, "flatten: end_dim"))


def ravel(Tensor input not None):
    """ravel(input) -> Tensor

    All elements in row-major order as one dimension: a view of a contiguous tensor, a copy of any other.
    """
    return views_ravel(input)


def unflatten(Tensor input not None, dim, sizes):
    """unflatten(input, dim, sizes) -> Tensor

    A view with one dimension split into several; one of the sizes may be -1 and is then inferred.
    Raises RuntimeError if the sizes do not multiply up to the dimension's.
    """
    return views_unflatten(input, parse_int(dim, "unflatten: dim"), sizes)


def squeeze(Tensor input not None, dim=MISSING):
    """squeeze(input, dim=None) -> Tensor

    A view without the dimensions of size 1, or without those among ``dim`` (an integer or a tuple) that have size 1.
    Raises IndexError if a dimension does not exist, RuntimeError if one is named twice.
    """
    return views_squeeze(input, dim, ())


def unsqueeze(Tensor input not None, dim):
    """unsqueeze(input, dim) -> Tensor

    A view with a dimension of size 1 inserted at ``dim``, -input.dim()-1 to input.dim().  Raises IndexError outside of that.
    """
    return views_unsqueeze(input, parse_int(dim, "unsqueeze: dim"))


def broadcast_to(Tensor input not None, size):
    """broadcast_to(input, size) -> Tensor

    ``input.expand(size)``: dimensions of size 1 repeated by stride 0.  Raises RuntimeError where the sizes do not fit.
    """
    cdef Py_ssize_t sizes[MAX_DIMS]
    return views_expand(input, sizes, views_sequence(size, sizes, "broadcast_to", "size", 2))


def narrow(Tensor input not None, dim, start, length):
    """narrow(input, dim, start, length) -> Tensor

    The elements start to start + length of one dimension, as a view; a negative start counts from the end.
    Raises IndexError if start lies outside of the dimension, RuntimeError if start + length does.
    """
    return views_narrow(input, parse_int(dim, "narrow: dim"), start, parse_int(length, "narrow: length"))


def select(Tensor input not None, dim, index):
    """select(input, dim, index) -> Tensor

    One element of a dimension, as a view without that dimension.  Raises IndexError if it does not exist.
    """
    return views_select(input, parse_int(dim, "select: dim"), index)


def unbind(Tensor input not None, dim=0):
    """unbind(input, dim=0) -> tuple of Tensor

    ``input.select(dim, i)`` for every i, in order.  Raises IndexError for a zero-dim tensor.
    """
    return views_unbind(input, parse_int(dim, "unbind: dim"))


def split(Tensor tensor not None, split_size_or_sections, dim=0):
    """split(tensor, split_size_or_sections, dim=0) -> tuple of Tensor

    Views of consecutive parts of one dimension: of one size (the last may be smaller), or of the sizes in a list.
    Raises RuntimeError if a size is negative, if a list does not sum to the dimension's size, or for a zero-dim tensor.
    """
    return views_split(tensor, split_size_or_sections, parse_int(dim, "split: dim"))


def chunk(Tensor input not None, chunks, dim=0):
    """chunk(input, chunks, dim=0) -> tuple of Tensor

    Views of at most ``chunks`` consecutive parts of one dimension, all of one size except the last.
    Raises RuntimeError if chunks is not positive or the tensor is zero-dim.
    """
    return views_chunk(input, parse_int(chunks, "chunk: chunks"), parse_int(dim, "chunk: dim"))


def tensor_split(Tensor input not None, indices_or_sections, dim=0):
    """tensor_split(input, indices_or_sections, dim=0) -> tuple of Tensor

    Views of exactly ``sections`` parts of one dimension, whose sizes differ by at most one; or of the parts between the given
    indices, each taken as Python slices.  Raises RuntimeError if the number is not positive or the tensor is zero-dim.
    """
    return views_tensor_split(input, indices_or_sections, parse_int(dim, "tensor_split: dim"))


def as_strided(Tensor input not None, size, stride, storage_offset=None):
    """as_strided(input, size, stride, storage_offset=None) -> Tensor

    ``out[i, j, ...] = storage[storage_offset + i * stride[0] + j * stride[1] + ...]``, a view of input's storage in units of
    its dtype.  The offset is input's own unless given.

    Raises RuntimeError if a number is negative, the lengths differ, or an element would lie outside of the storage.
    """
    return views_as_strided(input, size, stride, storage_offset)


def diagonal(Tensor input not None, offset=0, dim1=0, dim2=1):
    """diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor

    ``out[..., i] = input[i, i + offset]`` over two dimensions, as a view; the others stay in front, in order.
    Raises RuntimeError if dim1 and dim2 are the same.
    """
    return views_diagonal(input, parse_int(offset, "diagonal: offset"), parse_int(dim1, "diagonal: dim1"),
                          parse_int(dim2, "diagonal: dim2"))
