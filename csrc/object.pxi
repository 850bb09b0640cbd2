# Tensor: the last class of the chain, with every method that is not a view, an index or a row of the op table.
#
# The chain: TensorBase (fields) > TensorViews > TensorIndexing > TensorInterchange > TensorMethods (generated) > Tensor.

cdef object device_type = device     # to(device=...) hides the class's name

cdef Py_ssize_t last_serial = 0

cdef object HOOKS = {}       # names of Python functions the object calls: repr, format, storage, ...


def _set_hooks(**hooks):
    """Python pushes its parts down once at import: printing, storage wrappers, NumPy exchange."""
    HOOKS.update(hooks)


cdef class Tensor(TensorMethods):
    """A multi-dimensional array of one dtype on one device: a strided view of a storage that other tensors may share.

    Made by `tensor`, `empty`, `zeros`, `from_numpy` and the other factories; ``Tensor()`` alone is an empty float32 tensor.
    """

    def __init__(self, *args, **kwargs):
        if args or kwargs:
            raise NotImplementedError("Tensor(...): the legacy constructor is not there yet; use tl.tensor(data) for values "
                                      "or tl.empty(size) for a shape")

    __array_priority__ = 1000        # NumPy's operators leave a mixed call to ours

    # -- attributes ---------------------------------------------------------------------------------------------------

    @property
    def dtype(self):
        """The type of the elements."""
        return dtype_object(self.dt)

    @property
    def device(self):
        """Where the elements are."""
        return device_object(self.dev)

    @property
    def layout(self):
        """How the tensor is stored: ``strided``."""
        return layout_object(LAYOUT_STRIDED)

    @property
    def shape(self):
        """The lengths of the dimensions, as a Size."""
        return make_size(self.shape_, self.ndim_)

    @property
    def ndim(self):
        """Number of dimensions."""
        return self.ndim_

    @property
    def itemsize(self):
        """Bytes an element."""
        return dtype_itemsize[self.dt]

    @property
    def nbytes(self):
        """Bytes of all elements: ``numel() * itemsize``, whatever the strides."""
        return <object>self.numel_ * dtype_itemsize[self.dt]      # an expanded tensor's may not fit 64 bits

    @property
    def requires_grad(self):
        """False: there is no autograd."""
        return False

    @property
    def is_sparse(self):
        """Whether the layout is sparse_coo."""
        return False

    @property
    def is_meta(self):
        """Whether the tensor has no data: device ``meta``."""
        return self.dev == DEV_META

    @property
    def is_cpu(self):
        """Whether the elements are in main memory: device ``cpu``."""
        return self.dev == DEV_CPU

    @property
    def is_cuda(self):
        """Whether the elements are on a CUDA device."""
        return False

    def size(self, dim=None):
        """The shape as a Size, or the length of one dimension."""
        if dim is None:
            return make_size(self.shape_, self.ndim_)
        cdef int d = wrap_dim(parse_int(dim, "size: dim"), self.ndim_)
        if self.ndim_ == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return self.shape_[d]

    def stride(self, dim=None):
        """The strides in elements as a tuple, or the stride of one dimension."""
        if dim is None:
            return tuple([self.stride_[d] for d in range(self.ndim_)])
        cdef int k = wrap_dim(parse_int(dim, "stride: dim"), self.ndim_)
        if self.ndim_ == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        return self.stride_[k]

    def storage_offset(self):
        """Position of the first element in the storage, in elements."""
        return self.offset

    def dim(self):
        """Number of dimensions."""
        return self.ndim_

    ndimension = dim

    def numel(self):
        """Number of elements."""
        return self.numel_

    nelement = numel

    def element_size(self):
        """Bytes an element."""
        return dtype_itemsize[self.dt]

    def data_ptr(self):
        """Address of the first element; 0 without data."""
        return <size_t>tensor_data(self)

    def get_device(self):
        """Index of the device; -1 for cpu and meta, which have none."""
        return (self.dev & 0xFF) - 1

    def is_floating_point(self):
        """Whether the dtype is a floating-point one."""
        return dtype_object(self.dt).is_floating_point

    def is_complex(self):
        """Whether the dtype is a complex one."""
        return dtype_object(self.dt).is_complex

    def is_signed(self):
        """Whether the dtype can hold a negative number."""
        return dtype_object(self.dt).is_signed

    def is_contiguous(self, *, memory_format=FORMAT_OBJECT_CONTIGUOUS):
        """Whether the elements lie in that format without gaps; strides of size-1 dimensions never matter (decision 4)."""
        cdef int fmt = format_code(memory_format)
        if fmt == FORMAT_CONTIGUOUS or fmt == FORMAT_PRESERVE:
            return (self.flags & TENSOR_CONTIGUOUS) != 0
        return format_is(self.shape_, self.stride_, self.ndim_, fmt)

    def is_non_overlapping_and_dense(self):
        """Whether the elements fill one block of memory without gaps, each place once, in any order of dimensions."""
        return (self.flags & TENSOR_DENSE) != 0

    def dim_order(self, *, ambiguity_check=False):
        """The dimensions from the outermost in memory to the innermost.

        ``ambiguity_check=True`` raises RuntimeError if another order describes the memory as well; a list of memory formats
        raises unless exactly one of them fits.
        """
        return tensor_dim_order(self, ambiguity_check)

    # -- storage ------------------------------------------------------------------------------------------------------

    def untyped_storage(self):
        """The bytes under this tensor; views return the same object."""
        return self.storage_

    def storage(self):
        """The storage as a sequence of this dtype's numbers, in their physical order."""
        return HOOKS["typed_storage"](self)

    # -- copies -------------------------------------------------------------------------------------------------------

    def clone(self, *, memory_format=FORMAT_OBJECT_PRESERVE):
        """A copy.  preserve_format keeps a dense layout and makes any other contiguous (decision 1)."""
        return tensor_clone(self, format_code(memory_format))

    def contiguous(self, memory_format=FORMAT_OBJECT_CONTIGUOUS):
        """This tensor if it already lies in the format, otherwise a copy in it."""
        return tensor_contiguous(self, format_code(memory_format))

    def copy_(self, src, non_blocking=False):
        """Writes src, broadcast to this shape and converted to this dtype; returns self.

        A number is converted as a zero-dim tensor of it is: 300 becomes 44 in uint8, where fill_ refuses it.

        Raises OverlapError before writing when the memory overlaps otherwise than as the identical view or as two row-major
        tensors of one shape and dtype (those are moved as by memmove).
        """
        if isinstance(src, Tensor):
            tensor_copy(self, <TensorBase>src, "copy_")
        elif number_category(src) >= 0:
            tensor_copy(self, number_tensor(src, "copy_"), "copy_")
        else:
            raise TypeError(f"copy_: argument 'src' must be a Tensor or a number, not {type(src).__name__}")
        return self

    def fill_(self, value):
        """Writes one number (or the value of a zero-dim tensor) to every element; returns self."""
        fill_with(self, value, "fill_")
        return self

    def zero_(self):
        """Writes zero to every element; returns self."""
        tensor_zero(self)
        return self

    def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=FORMAT_OBJECT_PRESERVE):
        """A tensor of the given dtype, device and memory format: self when nothing changes, otherwise a copy.

        Forms: ``to(dtype)``, ``to(device, dtype=None)``, ``to(other)``, each with ``copy`` and ``memory_format``.
        contiguous_format is honoured to the letter (decision 3).
        """
        cdef int dt = self.dt
        cdef int dev = self.dev
        cdef Py_ssize_t i = 0
        if args:
            first = args[0]
            i = 1
            if isinstance(first, Tensor):
                to_once(dtype, "dtype")
                to_once(device, "device")
                dt = (<TensorBase>first).dt
                dev = (<TensorBase>first).dev
            elif first is None or isinstance(first, (str, device_type, int)) and not isinstance(first, bool):
                to_once(device, "device")
                device = first
                if len(args) > 1 and (args[1] is None or is_dtype_like(args[1])):
                    to_once(dtype, "dtype")
                    dtype = args[1]
                    i = 2
            else:
                to_once(dtype, "dtype")
                dtype = first
            rest = args[i:]
            if len(rest) > 2 or not all([isinstance(flag, bool) for flag in rest]):
                raise TypeError(f"to() takes a dtype, a device with an optional dtype, or a tensor, then non_blocking and copy "
                                f"(bools); got ({', '.join([type_text(arg) for arg in args])})")
            if len(rest) == 2:
                copy = rest[1]
        if dtype is not None:
            dt = dtype_code(dtype)
        if device is not None:
            dev = device_for_new(device)
            copy = copy or names_other_index(device, dev)
        return tensor_to(self, dt, dev, copy, format_code(memory_format))

    def type_as(self, Tensor other not None):
        """This tensor in the dtype and on the device of another."""
        return tensor_to(self, other.dt, other.dev, False, FORMAT_PRESERVE)

    def cpu(self, memory_format=FORMAT_OBJECT_PRESERVE):
        """This tensor on the CPU."""
        return tensor_to(self, self.dt, DEV_CPU, False, format_code(memory_format))

    def detach(self):
        """A new tensor object over the same memory."""
        return tensor_alias(self)

    def requires_grad_(self, requires_grad=True):
        """Gradients are not recorded; only False is accepted (decision 33)."""
        refuse_grad(requires_grad)
        return self

    def __reduce_ex__(self, protocol):
        # The storage is pickled as an object of its own, so views of one storage still share it after a round trip or a
        # deepcopy.
        state = getattr(self, "__dict__", None)
        return (_rebuild_tensor, (type(self), self.storage_, dtype_object(self.dt), self.shape, self.stride(), self.offset),
                state or None)

    # -- text ---------------------------------------------------------------------------------------------------------

    def __repr__(self):
        return HOOKS["repr"](self)

    def __str__(self):
        return HOOKS["str"](self)

    def __format__(self, spec):
        return HOOKS["format"](self, spec)

    # -- comparison operators: slots of their own, so that a == [1, 2] is simply False -----------------------------------

    def __richcmp__(self, other, int how):
        cdef int op
        if not is_operand(other):
            other = as_operand(other)
        if not is_operand(other):
            if how == Py_EQ or how == Py_NE:
                if other is None or isinstance(other, (str, list, tuple, dict)):
                    return how == Py_NE
            return NotImplemented
        if how == Py_EQ:
            op = OP_EQ
        elif how == Py_NE:
            op = OP_NE
        elif how == Py_LT:
            op = OP_LT
        elif how == Py_LE:
            op = OP_LE
        elif how == Py_GT:
            op = OP_GT
        else:
            op = OP_GE
        return binary(op, self, other, None)

    def __hash__(self):
        # By identity, like PyTorch, but never that of a dead tensor: an address would come back with the next object.
        global last_serial
        if self.serial == 0:
            last_serial += 1
            self.serial = last_serial
        return self.serial

    def __contains__(self, element):
        if not is_operand(element):
            raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
        return bool(reduce(RED_ANY, binary(OP_EQ, self, element, None), None, False, None, None))

    def __pos__(self):
        if self.dt == DT_BOOL:
            raise RuntimeError("The + operator, on a bool tensor is not supported.")
        return self


def _rebuild_tensor(cls, Storage storage not None, dtype kind not None, shape, stride, Py_ssize_t offset):
    """Unpickles a tensor.  Checked like any input: a doctored pickle must not reach outside its storage."""
    cdef Py_ssize_t sizes[MAX_DIMS]
    cdef Py_ssize_t strides[MAX_DIMS]
    cdef Py_ssize_t lo, hi
    cdef int d, ndim = parse_dims(tuple(shape), sizes, "shape")
    cdef Tensor self
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"unpickling a tensor as {cls!r}")
    if parse_dims(tuple(stride), strides, "stride") != ndim:
        raise ValueError("unpickling a tensor: shape and stride differ in length")
    for d in range(ndim):
        if sizes[d] < 0 or strides[d] < 0:
            raise ValueError("unpickling a tensor: negative size or stride")
    if layout_numel(sizes, ndim) < 0 or offset < 0:
        raise ValueError(f"unpickling a tensor: {list(shape)}+{offset} is no shape and offset of a tensor")
    if layout_numel(sizes, ndim) > 0 and (offset < 0 or layout_extent(sizes, strides, ndim, kind.itemsize, &lo, &hi) != 0
            or offset > (storage.nbytes_ - hi) // kind.itemsize or hi > storage.nbytes_):
        raise ValueError(f"unpickling a tensor: {list(shape)}@{list(stride)}+{offset} of {kind} does not fit a storage of "
                         f"{storage.nbytes_} bytes")
    if <size_t>storage.ptr % <size_t>element_alignment(kind.code):
        raise ValueError(f"unpickling a tensor: the memory at {<size_t>storage.ptr:#x} is not aligned for {kind}")
    self = Tensor.__new__(cls)         # not cls.__new__, which may return anything
    tensor_reserve(self, ndim)
    self.ndim_ = ndim
    self.dt = kind.code
    self.dev = storage.dev
    for d in range(ndim):
        self.shape_[d] = sizes[d]
        self.stride_[d] = strides[d]
    tensor_set_storage(self, storage)
    self.offset = offset
    tensor_finish(self)
    return self


cdef int fill_with(TensorBase self, object value, str op) except -1:
    """fill_ and x[...] = value: a number, or a zero-dim tensor (which is copied: it may lie inside the destination)."""
    if isinstance(value, Tensor):
        if (<TensorBase>value).ndim_ != 0:
            raise RuntimeError(f"{op}: only supports a number or a zero-dim tensor, got a tensor with "
                               f"{(<TensorBase>value).ndim_} dimensions")
        return tensor_copy(self, <TensorBase>value, op)
    return tensor_fill(self, value, op)


cdef int tensor_zero(TensorBase self) except -1:
    """All bytes zero, which is zero in every dtype that has one; shell dtypes included."""
    need_writable(self, "zero_")
    if self.dev != DEV_CPU or self.numel_ == 0:
        return 0
    if self.dt < CASTABLE_DTYPES:
        return tensor_fill(self, 0, "zero_")
    if self.flags & TENSOR_DENSE:
        memset(tensor_data(self), 0, self.numel_ * dtype_itemsize[self.dt])
        return 0
    cdef Py_ssize_t one = 0
    cdef Tensor zero = tensor_empty(&one, 0, self.dt, DEV_CPU)
    memset(tensor_data(zero), 0, dtype_itemsize[self.dt])
    return tensor_copy(self, zero, "zero_")


cdef int refuse_grad(object requires_grad) except -1:
    if requires_grad:
        raise NotImplementedError("requires_grad=True: tensorlib has no autograd; leave it False")
    return 0


cdef int to_once(object given, str name) except -1:
    if given is not None:
        raise TypeError(f"to(): {name} is given twice, by position and by name")
    return 0


cdef bint names_other_index(object d, int dev) except -1:
    """cpu:0 is not the cpu that tensors report, so to("cpu:0") copies, as in PyTorch."""
    return device_code(d) != dev


cdef bint is_dtype_like(object x):
    return isinstance(x, dtype) or x is float or x is int or x is bool or x is complex


cdef object tensor_dim_order(TensorBase self, object check):
    """format_dim_order decides; the three kinds of ambiguity_check become its modes here."""
    cdef int order[MAX_DIMS]
    cdef int formats[FORMAT_PRESERVE + 1]
    cdef int mode = ORDER_UNCHECKED, count = 0
    cdef OrderStatus status
    if isinstance(check, (list, tuple)):
        mode = ORDER_OF_FORMATS
        for fmt in set(check):
            if type(fmt) is not memory_format:
                raise TypeError(f"The ambiguity_check argument must be a bool or a list of memory formats, got {check!r}")
            formats[count] = (<memory_format>fmt).code
            count += 1
    elif isinstance(check, bool):
        mode = ORDER_UNIQUE if check else ORDER_UNCHECKED
    else:
        raise TypeError(f"The ambiguity_check argument must be a bool or a list of memory formats, got {type_text(check)}")
    status = format_dim_order(self.shape_, self.stride_, self.ndim_, mode, formats, count, order)
    if status == ORDER_SEVERAL:
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.")
    if status == ORDER_UNDECIDED:
        raise RuntimeError("The tensor does not have unique dim order.")
    return tuple([order[d] for d in range(self.ndim_)])


# -- functions that are methods too -------------------------------------------------------------------------------------

def is_tensor(obj, /):
    """is_tensor(obj) -> bool

    Whether obj is a Tensor (or of a subclass).
    """
    return isinstance(obj, Tensor)


def numel(Tensor input not None):
    """numel(input) -> int

    The number of elements.
    """
    return input.numel_


def is_floating_point(Tensor input not None):
    """is_floating_point(input) -> bool

    Whether the dtype is a floating-point one.
    """
    return input.is_floating_point()


def is_complex(Tensor input not None):
    """is_complex(input) -> bool

    Whether the dtype is a complex one.
    """
    return input.is_complex()


def clone(Tensor input not None, *, memory_format=FORMAT_OBJECT_PRESERVE):
    """clone(input, *, memory_format=preserve_format) -> Tensor

    A copy; see Tensor.clone.
    """
    return tensor_clone(input, format_code(memory_format))


type_rename(Tensor, b"tensorlib.Tensor")
type_rename(Storage, b"tensorlib.UntypedStorage")
