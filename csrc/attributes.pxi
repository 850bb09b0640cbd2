# The small objects that describe a tensor: dtype, layout, memory_format, Size, device; and the defaults of new tensors.
#
# Uses: tables.pxd.  Provides: each class, its C codes, and for each a pair of functions: object -> code (which checks) and
# code -> object (which is borrowed from a table).  The core works with the codes only.
#
# Invariants
#   A1  dtype, layout and memory_format have one object per code for the life of the process: identity is equality.
#   A2  no object changes after it was made.
#   A3  a device code is type * 256 + (index + 1), index -1 meaning none: plain cpu is 0, and the codes order nothing.

from cpython.contextvars cimport PyContextVar_New, PyContextVar_Get, PyContextVar_Set
from cpython.tuple cimport PyTuple_GET_ITEM

cdef extern from *:
    """
    /* The static types of this module carry the public module in their name, which is where __module__, pickle and the
       interpreter's own error messages take it from. */
    static void type_rename(PyObject *type, const char *name) { ((PyTypeObject *)type)->tp_name = name; }
    """
    void type_rename(object type, const char *name)

cdef extern from "Python.h":
    void Py_INCREF(object o)
    void Py_XDECREF(PyObject *o)


cdef str type_text(object value):
    """The type of a value as error messages name it: 'float', 'tensorlib.dtype'."""
    cls = type(value)
    return f"tensorlib.{cls.__name__}" if cls.__module__ == "tensorlib" else cls.__name__


# dtype ---------------------------------------------------------------------------------------------------------------

cdef PyObject *dtype_objects[DTYPE_COUNT]
cdef bint attributes_sealed = False     # once set, dtype, layout and memory_format make no more instances (A1)


cdef int refuse_instance(str name) except -1:
    if attributes_sealed:
        raise TypeError(f"cannot create 'tensorlib.{name}' instances")
    return 0


@cython.final
cdef class dtype:
    """The type of a tensor's elements, such as ``tensorlib.float32``.

    There is one object per type; they are compared by identity.
    """
    cdef int code
    cdef readonly str name               # canonical name, "float32"
    cdef readonly tuple aliases          # other names of the same object
    cdef readonly str abbr               # "f32"
    cdef readonly Py_ssize_t itemsize    # bytes an element
    cdef readonly bint is_floating_point
    cdef readonly bint is_complex
    cdef readonly str kind               # NumPy's kind letter, "V" where NumPy has none
    cdef object signed
    cdef int real_code
    cdef int complex_code                # -1: none

    def __cinit__(self, *args, **kwargs):
        refuse_instance("dtype")

    @property
    def is_signed(self):
        """Whether the type can hold a negative number; RuntimeError for bits and quantised types, which do not say."""
        if self.signed is None:
            if self.name.startswith("bits"):
                raise RuntimeError("Bits types are undefined")
            raise RuntimeError("isSignedType not supported for quantized types")
        return self.signed

    def to_real(self):
        """The type of the components of a complex type; any other type itself."""
        return dtype_object(self.real_code)

    def to_complex(self):
        """The complex type whose components hold this type; RuntimeError where there is none."""
        if self.complex_code < 0:
            raise RuntimeError(f"Unknown Complex ScalarType for {dtype_scalar_name[self.code].decode()}")
        return dtype_object(self.complex_code)

    @property
    def __numpy_dtype__(self):
        """The ``numpy.dtype`` of the same elements; those that NumPy lacks come from ml_dtypes if it is installed."""
        return HOOKS["numpy_dtype"](self)

    @property
    def __module__(self):      # where pickle looks the object up by the name that __reduce__ returns
        return "tensorlib"

    def __reduce__(self):
        return self.name

    def __repr__(self):
        return f"tensorlib.{self.name}"


def _make_dtypes(list rows):
    """Makes the dtype objects from the rows of _dtypetable, in order, and returns them as a list."""
    cdef dtype self
    cdef int code = 0
    if len(rows) != DTYPE_COUNT:
        raise SystemError(f"_dtypetable has {len(rows)} rows, the core was built for {DTYPE_COUNT}: rebuild it")
    if dtype_objects[0] != NULL:
        return [dtype_object(code) for code in range(DTYPE_COUNT)]
    made = []
    codes = {}
    for row in rows:
        self = dtype.__new__(dtype)
        self.code = code
        self.name = row["name"]
        self.aliases = row["aliases"]
        self.abbr = row["abbr"]
        self.itemsize = row["itemsize"]
        self.is_floating_point = "float" in self.name
        self.is_complex = row["category"] == 3
        self.kind = row["kind"]
        self.signed = row["signed"]
        self.real_code = dtype_to_real[code]
        self.complex_code = dtype_to_complex[code]
        made.append(self)
        Py_INCREF(self)                  # the table owns one reference for good
        dtype_objects[code] = <PyObject *>self
        code += 1
    return made


cdef inline dtype dtype_object(int code):
    return <dtype>dtype_objects[code]


cdef inline int dtype_code(object value) except -1:
    """Code of a dtype, or of the Python type that stands for one."""
    if type(value) is dtype:
        return (<dtype>value).code
    return dtype_code_of_type(value)


cdef int dtype_code_of_type(object value) except -1:
    if value is float:
        return DT_FLOAT64
    if value is int:
        return DT_INT64
    if value is bool:
        return DT_BOOL
    if value is complex:
        return DT_COMPLEX128
    raise TypeError(f"argument 'dtype' must be tensorlib.dtype, not {type_text(value)}")


cdef int default_dtype = DT_FLOAT32     # of new floating-point tensors; changed by _set_default_dtype only


cdef int default_complex() except -1:
    """The complex type of the default dtype's precision, for complex data.  (full and linspace take complex64 under a half.)"""
    if default_dtype == DT_BFLOAT16:    # complex64 would be wider than what was asked for
        raise RuntimeError("invalid default scalar type for complex: the default dtype is bfloat16, which has no complex "
                           "type of its width; pass dtype=, or set another default dtype")
    return dtype_to_complex[default_dtype]


def _set_default_dtype(value):
    global default_dtype
    cdef int code
    if type(value) is not dtype:
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    code = (<dtype>value).code
    if code >= ARITHMETIC_DTYPES or dtype_category[code] != 2:
        raise TypeError(f"only floating-point types are supported as the default type (float16, bfloat16, float32, float64), "
                        f"not {value}")
    default_dtype = code


def _get_default_dtype():
    return dtype_object(default_dtype)


# Filling of memory that nobody wrote: both switches on means that empty() and its relatives write a fixed value.
cdef bint deterministic_algorithms = False
cdef bint fill_uninitialized_memory = True


cdef inline bint deterministic_fill() noexcept:
    return deterministic_algorithms and fill_uninitialized_memory


def _set_deterministic_algorithms(bint mode):
    global deterministic_algorithms
    deterministic_algorithms = mode


def _get_deterministic_algorithms():
    return deterministic_algorithms


def _set_fill_uninitialized_memory(bint mode):
    global fill_uninitialized_memory
    fill_uninitialized_memory = mode


def _get_fill_uninitialized_memory():
    return fill_uninitialized_memory


# layout and memory_format --------------------------------------------------------------------------------------------

cdef enum:
    LAYOUT_STRIDED = 0
    LAYOUT_SPARSE_COO = 1


@cython.final
cdef class layout:
    """How a tensor's elements are kept: ``tensorlib.strided``, ``tensorlib.sparse_coo``, ...

    PyTorch's other layouts have their names here, so that they can be compared and passed; no tensor is made in them.
    """
    cdef int code
    cdef readonly str name

    def __cinit__(self, *args, **kwargs):
        refuse_instance("layout")

    @property
    def __module__(self):
        return "tensorlib"

    def __reduce__(self):
        return self.name

    def __repr__(self):
        return f"tensorlib.{self.name}"


@cython.final
cdef class memory_format:
    """The order of a tensor's elements in memory, such as ``tensorlib.channels_last``."""
    cdef int code
    cdef readonly str name

    def __cinit__(self, *args, **kwargs):
        refuse_instance("memory_format")

    @property
    def __module__(self):
        return "tensorlib"

    def __reduce__(self):
        return self.name

    def __repr__(self):
        return f"tensorlib.{self.name}"


cdef tuple layout_objects = ()      # by code
cdef tuple format_objects = ()      # by code: FORMAT_* of memory_format.pxd


cdef layout layout_make(int code, str name):
    cdef layout self = layout.__new__(layout)
    self.code = code
    self.name = name
    return self


cdef memory_format format_make(int code, str name):
    cdef memory_format self = memory_format.__new__(memory_format)
    self.code = code
    self.name = name
    return self


cdef inline layout layout_object(int code):
    return <layout>layout_objects[code]


cdef inline memory_format format_object(int code):
    return <memory_format>format_objects[code]


cdef int layout_code(object value) except -1:
    if type(value) is layout:
        return (<layout>value).code
    raise TypeError(f"argument 'layout' must be tensorlib.layout, not {type_text(value)}")


cdef int format_code(object value) except -1:
    if type(value) is memory_format:
        return (<memory_format>value).code
    raise TypeError(f"argument 'memory_format' must be tensorlib.memory_format, not {type_text(value)}")


def _seal_attributes():
    """Ends the making of dtypes, layouts and memory formats; returns the layouts and the formats."""
    global attributes_sealed
    attributes_sealed = True
    return layout_objects, format_objects


# Size ----------------------------------------------------------------------------------------------------------------

cdef extern from "size.h":
    object size_type_ready()
    tuple make_size "size_from_dims" (const Py_ssize_t *dims, int ndim)

Size = size_type_ready()


# device --------------------------------------------------------------------------------------------------------------

cdef enum:
    DEV_CPU = 0
    DEV_META = 256
    DEV_MAX_INDEX = 127

# A3: positions in this tuple.  The names PyTorch knows; a backend must register before tensors can be made on one.
cdef tuple DEVICE_TYPES = ("cpu", "meta", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga",
                           "maia", "xla", "lazy", "vulkan", "mps", "hpu", "mtia", "privateuseone")
cdef dict device_type_codes = {name: code for code, name in enumerate(DEVICE_TYPES)}
cdef dict device_by_code = {}       # objects handed out for codes
cdef dict device_by_string = {}     # codes of strings seen before; only valid ones get in, so it stays small

# The innermost `with device` block.  The variable holds None, or (device, what was innermost before): nothing is kept in
# the device object, so the same one can be entered again, in other threads and tasks, and left in any order.
cdef object device_blocks = PyContextVar_New("tensorlib.default_device", NULL)
cdef bint device_blocks_used = False    # until the first block nobody asks the variable (8 ns)
cdef int device_base = DEV_CPU      # under all blocks: set_default_device


@cython.final
cdef class device:
    """Where a tensor lives: a type such as ``"cpu"`` or ``"cuda"``, and optionally an index.

    ``device("cuda:1")``, ``device("cuda", 1)`` and ``device(type="cuda", index=1)`` mean the same; ``device(1)`` is that index
    of the current accelerator.  ``with device(...):`` makes it the default device of the block.
    """
    cdef int code

    def __cinit__(self, *args, **kwargs):
        self.code = device_parse_call(args, kwargs)

    @property
    def type(self):
        """Name of the device's type."""
        return <str>DEVICE_TYPES[self.code >> 8]

    @property
    def index(self):
        """Number among the devices of the type, None for the current one."""
        return (self.code & 255) - 1 if self.code & 255 else None

    def __enter__(self):
        global device_blocks_used
        device_blocks_used = True
        PyContextVar_Set(device_blocks, (self, device_innermost()))
        return self

    def __exit__(self, *exception):
        blocks = device_innermost()
        fewer = device_block_removed(blocks, self.code)
        if fewer is not blocks:
            PyContextVar_Set(device_blocks, fewer)

    def __richcmp__(self, other, int op):
        if op != Py_EQ and op != Py_NE:
            raise TypeError("comparison not implemented")
        if not isinstance(self, device) or not isinstance(other, device):
            return NotImplemented
        return ((<device>self).code == (<device>other).code) == (op == Py_EQ)

    def __hash__(self):
        return self.code

    def __reduce__(self):
        return device, ((self.type, self.index) if self.code & 255 else (self.type,))

    def __str__(self):
        return f"{self.type}:{self.index}" if self.code & 255 else self.type

    def __repr__(self):
        return f"device(type='{self.type}', index={self.index})" if self.code & 255 else f"device(type='{self.type}')"


cdef object device_innermost():
    cdef PyObject *value = NULL
    PyContextVar_Get(device_blocks, NULL, &value)
    if value == NULL:
        return None
    found = <object>value
    Py_XDECREF(value)
    return found


cdef object device_block_removed(object blocks, int code):
    """The blocks without the innermost one of this device; the same object if there is none (left twice, or elsewhere)."""
    inner = []                           # what lies inside it, innermost first; a loop, because blocks may be very many
    rest = blocks
    while rest is not None:
        top, rest = rest
        if (<device>top).code == code:
            for top in reversed(inner):
                rest = (top, rest)
            return rest
        inner.append(top)
    return blocks


cdef int device_default() except -1:
    """The default device: the innermost block's, or the base."""
    cdef PyObject *value = NULL
    cdef int code = device_base
    if not device_blocks_used:
        return code
    PyContextVar_Get(device_blocks, NULL, &value)
    if value != NULL:
        if value != <PyObject *>None:
            code = (<device>PyTuple_GET_ITEM(<object>value, 0)).code
        Py_XDECREF(value)
    return code


cdef inline device device_object(int code):
    return DEVICE_CPU if code == DEV_CPU else device_object_other(code)


cdef device device_object_other(int code):
    found = device_by_code.get(code)
    if found is None:
        found = device.__new__(device, "cpu")
        (<device>found).code = code
        device_by_code[code] = found
    return <device>found


cdef int device_code(object value) except -1:
    """Code of what a caller passed as device=; None means the default device."""
    if value is None:
        return device_default()
    if type(value) is device:
        return (<device>value).code
    if isinstance(value, str):
        return device_parse(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return device_parse_ordinal(value)
    raise TypeError(f"argument 'device' must be tensorlib.device, not {type_text(value)}")


cdef inline int device_normalize(int code) noexcept:
    """What a tensor records: cpu and meta have no index."""
    return code & ~255 if code < DEV_META + 256 else code


cdef int device_missing(int code) except -1:
    where = device_object(code)
    raise RuntimeError(f"no tensor can be made on device '{where}': there is no usable backend for '{where.type}' devices here; "
                       f"cpu and meta are available")


cdef inline int device_for_new(object value) except -1:
    """Code that a new tensor gets for device=value: resolved, normalised, and usable."""
    cdef int code = device_normalize(device_code(value))
    if code > DEV_META:
        device_missing(code)
    return code


cdef int device_parse(str text) except -1:
    """Reads 'type' or 'type:index'."""
    known = device_by_string.get(text)
    if known is not None:
        return <int>known
    cdef str name, colon, digits
    cdef int index = -1
    if not text:
        raise RuntimeError("Device string must not be empty")
    name, colon, digits = text.partition(":")
    if not name.replace("_", "a").isalpha() or not name.isascii():
        raise RuntimeError(f"Invalid device string: '{text}'")
    if colon:
        if not digits.isdigit() or not digits.isascii() or (digits[0] == "0" and len(digits) > 1):
            raise RuntimeError(f"Invalid device string: '{text}'")
        if len(digits) > 3 or int(digits) > DEV_MAX_INDEX:
            raise RuntimeError(f"Could not parse device index '{digits}' in device string '{text}': an index is "
                               f"0 to {DEV_MAX_INDEX}")
        index = int(digits)
    if name not in device_type_codes:
        raise RuntimeError(f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of device string: {text}")
    cdef int code = device_type_codes[name] * 256 + index + 1
    device_by_string[text] = code
    return code


cdef int device_parse_index(object value) except -1:
    index = value.__index__()
    if index < 0:
        raise RuntimeError(f"Device index must not be negative, got {index}")
    if index > DEV_MAX_INDEX:
        raise RuntimeError(f"Device index must be 0 to {DEV_MAX_INDEX}, got {index}")
    return index


cdef int device_parse_ordinal(object value) except -1:
    """A bare number is an index of the current accelerator."""
    if value < 0:
        raise RuntimeError(f"Device index must not be negative, got {value}")
    raise RuntimeError("Cannot access accelerator device when none is available.")


cdef int device_parse_call(tuple args, dict kwargs) except -1:
    """The arguments of device(...): (device), or (type, index)."""
    cdef int code
    given = dict(zip(("type", "index"), args))
    if len(args) <= 2 and not (given.keys() & kwargs.keys()):
        given.update(kwargs)
        if len(given) == 1 and (args or "device" in given or "type" in given):
            one = args[0] if args else given.get("device", given.get("type"))
            if isinstance(one, bytes):
                one = one.decode("ascii", "replace")
            if isinstance(one, str):
                return device_parse(one)
            if "type" not in kwargs:
                if isinstance(one, device):
                    return (<device>one).code
                if isinstance(one, int) and not isinstance(one, bool):
                    return device_parse_ordinal(one)
        elif given.keys() == {"type", "index"}:
            kind, index = given["type"], given["index"]
            if not isinstance(kind, str):
                raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type_text(kind)}")
            if index is not None and (isinstance(index, bool) or not hasattr(type(index), "__index__")):
                raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type_text(index)}")
            code = device_parse(kind)
            if ":" in kind:
                raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {kind}")
            return code if index is None else code + device_parse_index(index) + 1
    got = [type_text(value) for value in args] + [f"{name}={type_text(value)}" for name, value in kwargs.items()]
    raise TypeError(f"device() received an invalid combination of arguments - got ({', '.join(got)}), but expected one of: "
                    f"(tensorlib.device device), (str type, int index = -1)")


def _set_default_device(value):
    """Changes the base; None means cpu."""
    global device_base
    cdef int code = DEV_CPU if value is None else device_parse_call((value,), {})
    if code > DEV_META and not code & 255:
        # Without an index it would mean the current device of the type, and there is none to ask for.
        device_missing(code)
    device_base = code


def _get_default_device():
    return device_object(device_default())


# Module set-up -------------------------------------------------------------------------------------------------------

type_rename(dtype, b"tensorlib.dtype")
type_rename(layout, b"tensorlib.layout")
type_rename(memory_format, b"tensorlib.memory_format")
type_rename(device, b"tensorlib.device")
# By code: LAYOUT_STRIDED, LAYOUT_SPARSE_COO, then the names alone.
layout_objects = tuple([layout_make(code, name) for code, name in enumerate((
    "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn"))])
format_objects = (format_make(FORMAT_CONTIGUOUS, "contiguous_format"), format_make(FORMAT_CHANNELS_LAST, "channels_last"),
                  format_make(FORMAT_CHANNELS_LAST_3D, "channels_last_3d"), format_make(FORMAT_PRESERVE, "preserve_format"))
cdef device DEVICE_CPU = device("cpu")
