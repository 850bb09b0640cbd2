# x[index] and x[index] = value for basic indices: integers, slices, None, ... and bools, alone or in a tuple.
#
# Uses: views.pxi, copy_dispatch.pxi (tensor_copy, tensor_fill, tensor_clone).
# Provides: TensorIndexing (the mapping slots), index_view, index_assign.
#
# An index becomes a shape, strides and an offset on the stack (Cut), one item after the other, and then a view.  A value is
# assigned by copying or filling that view, so every check of a copy holds here too.
# A zero-dim integer tensor is an integer, a zero-dim bool or uint8 tensor a bool.  A bool adds a dimension of size 1 (True) or
# 0 (False); as PyTorch defines it, reading through one gives a copy.
#
# Invariants
#   N1  items are read from left to right, and all of them before anything is written.
#   N2  Cut holds at most MAX_DIMS dimensions at any time (cut_add checks).
#   N3  the tensor is held while an index is read, since __index__ may run Python code: nobody resizes it meanwhile.

cdef extern from "Python.h":
    bint PyIndex_Check(object o)
    bint PySequence_Check(object o)
    Py_ssize_t PyNumber_AsSsize_t(object o, object exc) except? -1
    int PySlice_Unpack(object slice, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1
    long long borrowed_long "PyLong_AsLongLongAndOverflow" (PyObject *o, int *overflow) except? -1
    bint borrowed_is_int "PyLong_CheckExact" (PyObject *o)
    PyObject *Py_None
    ctypedef struct PySliceObject:
        PyObject *start
        PyObject *stop
        PyObject *step


cdef enum IndexKind:
    INDEX_INT
    INDEX_SLICE
    INDEX_NONE
    INDEX_ELLIPSIS
    INDEX_BOOL
    INDEX_ARRAY     # selects by position or by mask: lists, ranges, tensors with dimensions
    INDEX_NO        # not an index


cdef struct Cut:
    int ndim
    int axis            # the next axis of the tensor to be cut
    int bool_at         # where the dimension of the bools lies; -1: there is none
    int bool_size       # 1, or 0 once one of them was False
    bint bool_closed    # another dimension came since, so a further bool moves it to the front
    Py_ssize_t offset
    Py_ssize_t shape[MAX_DIMS]
    Py_ssize_t stride[MAX_DIMS]


cdef inline IndexKind index_kind(object item) except *:
    if type(item) is int:
        return INDEX_INT
    if type(item) is slice:
        return INDEX_SLICE
    if item is None:
        return INDEX_NONE
    if item is Ellipsis:
        return INDEX_ELLIPSIS
    return index_kind_of_other(item)


cdef IndexKind index_kind_of_other(object item) except *:
    cdef TensorBase t
    if isinstance(item, bool):
        return INDEX_BOOL
    if isinstance(item, TensorBase):
        t = item
        if t.dt == DT_BOOL or t.dt == DT_UINT8:
            return INDEX_BOOL if t.ndim_ == 0 else INDEX_ARRAY
        if dtype_category[t.dt] == 1:
            if t.ndim_ == 0:
                return INDEX_INT
            if t.dt == DT_INT64 or t.dt == DT_INT32:
                return INDEX_ARRAY
        return INDEX_NO
    if PyIndex_Check(item) and getattr(item, "ndim", 0) == 0:     # NumPy's integers; its arrays have the slot as well
        return INDEX_INT
    if PySequence_Check(item) and not isinstance(item, (str, dict)):
        return INDEX_ARRAY
    return INDEX_NO


cdef int refuse_index(object item) except -1:
    if isinstance(item, TensorBase):
        raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors, not "
                         f"{dtype_object((<TensorBase>item).dt)}")
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    raise IndexError(f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                     f"(got {type_text(item)})")


cdef int refuse_array(object item) except -1:
    raise NotImplementedError(f"indexing with {type_text(item)} is not supported yet; indices are integers, slices, None, ... "
                              f"and bools, alone or in a tuple")


cdef inline bint index_bool(object item) except -1:
    return bool(item)


cdef inline int cut_add(Cut *cut, Py_ssize_t size, Py_ssize_t stride) except -1:
    if cut.ndim == MAX_DIMS:
        raise RuntimeError(f"indexing: tensors have at most {MAX_DIMS} dimensions")
    cut.shape[cut.ndim] = size
    cut.stride[cut.ndim] = stride
    cut.ndim += 1
    return 0


cdef inline Py_ssize_t index_value(object index) except? -1:
    """An integer index; IndexError for one that no dimension could have."""
    cdef int overflow = 0
    cdef Py_ssize_t value
    if type(index) is int:
        value = borrowed_long(<PyObject *>index, &overflow)
        if overflow == 0:
            return value
    return PyNumber_AsSsize_t(index, IndexError)


cdef inline int cut_integer(Cut *cut, TensorBase self, Py_ssize_t index) except -1:
    cdef Py_ssize_t size = self.shape_[cut.axis]
    if index < -size or index >= size:
        raise IndexError(f"index {index} is out of bounds for dimension {cut.axis} with size {size}")
    cut.offset = views_step(cut.offset, index + size if index < 0 else index, self.stride_[cut.axis])
    cut.axis += 1
    return 0


cdef inline bint plain_bound(PyObject *bound, Py_ssize_t *out) except -1:
    """Reads None (out keeps its default) or an int that fits, and says whether it was one: what most slices are made of."""
    cdef int overflow = 0
    if bound == Py_None:
        return True
    if not borrowed_is_int(bound):
        return False
    out[0] = borrowed_long(bound, &overflow)
    return overflow == 0


cdef inline int read_slice(object item, Py_ssize_t size, Py_ssize_t *start, Py_ssize_t *length, Py_ssize_t *step) except -1:
    """Which elements of `size` a slice names: `length` from `start`, which is clamped even if the slice is empty."""
    cdef PySliceObject *parts = <PySliceObject *>item
    cdef Py_ssize_t stop = PY_SSIZE_T_MAX
    start[0] = 0
    step[0] = 1
    if not (plain_bound(parts.start, start) and plain_bound(parts.stop, &stop) and plain_bound(parts.step, step)
            and step[0] != 0):
        PySlice_Unpack(item, start, &stop, step)
    if step[0] <= 0:
        raise ValueError(f"step must be greater than zero, got {step[0]}")
    start[0] = views_clamp(start[0], size)
    stop = views_clamp(stop, size)
    if stop <= start[0]:
        length[0] = 0
    elif step[0] == 1:
        length[0] = stop - start[0]
    else:
        length[0] = (stop - start[0] - 1) // step[0] + 1
    return 0


cdef inline int cut_slice(Cut *cut, TensorBase self, object item) except -1:
    cdef Py_ssize_t start, length, step
    read_slice(item, self.shape_[cut.axis], &start, &length, &step)
    cut.offset = views_step(cut.offset, start, self.stride_[cut.axis])
    cut_add(cut, length, self.stride_[cut.axis] if step == 1 else views_times(self.stride_[cut.axis], step))
    cut.axis += 1
    return 0


cdef inline Py_ssize_t cut_new_stride(Cut *cut, TensorBase self) noexcept nogil:
    """Stride of an axis of size 1 put before the next axis of the tensor, as unsqueeze gives it."""
    if cut.axis == self.ndim_:
        return 1
    return views_times(self.shape_[cut.axis], self.stride_[cut.axis])


cdef int cut_bool(Cut *cut, TensorBase self, bint value) except -1:
    """All bools of one index share a dimension: at the first of them, or in front if something lies between them."""
    cdef Py_ssize_t stride
    cdef int d
    if cut.bool_at < 0:
        cut.bool_at = cut.ndim
        cut.bool_size = value
        return cut_add(cut, value, cut_new_stride(cut, self))
    if not value:
        cut.bool_size = 0
    if cut.bool_closed:
        stride = cut.stride[cut.bool_at]
        for d in range(cut.bool_at, 0, -1):
            cut.shape[d] = cut.shape[d - 1]
            cut.stride[d] = cut.stride[d - 1]
        cut.stride[0] = stride
        cut.bool_at = 0
    cut.shape[cut.bool_at] = cut.bool_size
    return 0


cdef int cut_tuple(Cut *cut, TensorBase self, tuple items) except -1:
    """Reads a whole index.  The items that take an axis are counted first, so that ... knows how many it stands for."""
    cdef Py_ssize_t n = PyTuple_GET_SIZE(items), i
    cdef int taken = 0, fill
    cdef IndexKind kind
    cdef object item
    for i in range(n):
        kind = index_kind(<object>PyTuple_GET_ITEM(items, i))
        if kind == INDEX_INT or kind == INDEX_SLICE or kind == INDEX_NO:
            taken += 1
        elif kind == INDEX_ARRAY:
            refuse_array(<object>PyTuple_GET_ITEM(items, i))
    if taken > self.ndim_:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim_}")
    fill = self.ndim_ - taken
    for i in range(n):
        item = <object>PyTuple_GET_ITEM(items, i)
        kind = index_kind(item)
        if kind == INDEX_INT:
            cut_integer(cut, self, index_value(item))
        elif kind == INDEX_BOOL:
            cut_bool(cut, self, index_bool(item))
        elif kind == INDEX_NO:
            refuse_index(item)
        else:
            cut.bool_closed = cut.bool_at >= 0
            if kind == INDEX_SLICE:
                cut_slice(cut, self, item)
            elif kind == INDEX_NONE:
                cut_add(cut, 1, cut_new_stride(cut, self))
            else:
                while fill > 0:
                    cut_add(cut, self.shape_[cut.axis], self.stride_[cut.axis])
                    cut.axis += 1
                    fill -= 1
    return 0


cdef Tensor index_tuple(TensorBase self, tuple items, bint *through_bool):
    cdef Cut cut
    cut.ndim = 0
    cut.axis = 0
    cut.bool_at = -1
    cut.bool_closed = False
    cut.offset = self.offset
    cut_tuple(&cut, self, items)
    through_bool[0] = cut.bool_at >= 0
    while cut.axis < self.ndim_:
        cut_add(&cut, self.shape_[cut.axis], self.stride_[cut.axis])
        cut.axis += 1
    return tensor_view(self, cut.shape, cut.stride, cut.ndim, cut.offset)


cdef Tensor index_integer(TensorBase self, Py_ssize_t index):
    cdef Py_ssize_t size
    if self.ndim_ == 0:
        if index == 0:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                             "convert a 0-dim tensor to a number")
        raise IndexError(f"index {index} is out of bounds for dimension 0 with size 0")
    size = self.shape_[0]
    if index < -size or index >= size:
        raise IndexError(f"index {index} is out of bounds for dimension 0 with size {size}")
    return views_drop(self, 0, index + size if index < 0 else index)


cdef Tensor index_slice(TensorBase self, object item):
    cdef Py_ssize_t start, length, step
    cdef Tensor out
    read_slice(item, self.shape_[0] if self.ndim_ > 0 else 0, &start, &length, &step)
    if self.ndim_ == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    out = tensor_alias(self)
    out.offset = views_step(self.offset, start, self.stride_[0])
    out.shape_[0] = length
    if step != 1:
        out.stride_[0] = views_times(self.stride_[0], step)
    tensor_finish(out)
    return out


cdef Tensor index_view(TensorBase self, object index, bint *through_bool):
    """The view that an index names; through_bool tells that bools take part, so that reading means copying."""
    through_bool[0] = False
    if type(index) is int:
        return index_integer(self, index_value(index))
    self.storage_.exports += 1          # N3
    try:
        return index_view_held(self, index, through_bool)
    finally:
        self.storage_.exports -= 1


cdef Tensor index_view_held(TensorBase self, object index, bint *through_bool):
    cdef IndexKind kind
    if isinstance(index, tuple):
        return index_tuple(self, <tuple>index, through_bool)
    kind = index_kind(index)
    if kind == INDEX_SLICE:
        return index_slice(self, index)
    if kind == INDEX_ELLIPSIS:
        return tensor_alias(self)
    if kind == INDEX_INT and not isinstance(index, TensorBase):
        return index_integer(self, index_value(index))
    return index_tuple(self, (index,), through_bool)


cdef Tensor index_copy(Tensor view):
    """What reading through a bool gives: a dense view keeps its strides, with the added dimension outermost in memory."""
    if view.numel_ == 0:
        return tensor_clone(view, FORMAT_CONTIGUOUS)
    if view.flags & TENSOR_DENSE and view.shape_[0] == 1:
        view.stride_[0] = view.numel_
    return tensor_clone(view, FORMAT_PRESERVE)


cdef int index_assign(Tensor target, object value) except -1:
    """target[...] = value: a tensor of any dtype that expands to target's shape, or one number."""
    cdef TensorBase source
    cdef int ones = 0
    if isinstance(value, TensorBase):
        source = value
        while ones < source.ndim_ and source.shape_[ones] == 1:     # leading 1s do not count
            ones += 1
        if ones:
            source = tensor_view(source, source.shape_ + ones, source.stride_ + ones, source.ndim_ - ones, source.offset)
        if source.ndim_ > 0 and not layout_same_shape(source.shape_, source.ndim_, target.shape_, target.ndim_):
            source = views_expand(source, target.shape_, target.ndim_)
        return tensor_copy(target, source, "setitem")
    if isinstance(value, (int, float, complex)):
        return tensor_fill(target, value, "fill_")
    if hasattr(value, "item") and hasattr(value, "dtype") and not hasattr(value, "__len__"):     # NumPy's scalars
        return tensor_fill(target, value.item(), "fill_")
    raise TypeError(f"can't assign a {type_text(value)} to a tensorlib.{dtype_scalar_name[target.dt].decode()}Tensor")


cdef class TensorIndexing(TensorViews):

    def __getitem__(self, index):
        cdef bint through_bool
        cdef Tensor out = index_view(self, index, &through_bool)
        return index_copy(out) if through_bool else out

    def __setitem__(self, index, value):
        cdef bint through_bool
        index_assign(index_view(self, index, &through_bool), value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __len__(self):
        if self.ndim_ == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape_[0]

    def __iter__(self):
        if self.ndim_ == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(views_unbind(self, 0))
