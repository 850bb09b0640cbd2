# Reading the arguments that factories share: a size, dtype=, device=, and the keywords with one usable value.
#
# Uses: attributes, tensor, scalars .pxi.  Provides: read_sized and make_fast_function (functions called as f(2, 3) or f((2, 3))),
# parse_size, parse_int_tuple, is_index, size_item, check_options, new_dtype, need_tensor.
#
# All of it runs before memory is asked for, so a call that is refused has done nothing.

# The functions that take a size as separate integers are C functions with the fast calling convention: a Cython function
# with *args and keywords spends 170 ns on its arguments, twice what making the tensor costs.
cdef enum:
    ARG_SIZE = 0
    ARG_OUT = 1
    ARG_DTYPE = 2
    ARG_LAYOUT = 3
    ARG_DEVICE = 4
    ARG_REQUIRES_GRAD = 5
    ARG_PIN_MEMORY = 6
    ARG_MEMORY_FORMAT = 7
    ARG_GENERATOR = 8
    ARG_COUNT = 9

cdef tuple SIZED_NAMES = ("size", "out", "dtype", "layout", "device", "requires_grad", "pin_memory", "memory_format")
cdef tuple RANDOM_NAMES = SIZED_NAMES + ("generator",)

cdef struct SizedCall:
    Py_ssize_t shape[MAX_DIMS]
    int ndim
    PyObject *arg[ARG_COUNT]      # borrowed; None where absent


cdef int read_keywords(PyObject *const *values, PyObject *kwnames, tuple names, PyObject **arg, str op) except -1:
    """Puts the values of a call's keywords at their names' positions in arg."""
    cdef Py_ssize_t i, k, n = PyTuple_GET_SIZE(names)
    if kwnames == NULL:
        return 0
    for i in range(PyTuple_GET_SIZE(<object>kwnames)):
        for k in range(n):      # almost always the very same string object
            if PyTuple_GET_ITEM(<object>kwnames, i) == PyTuple_GET_ITEM(names, k):
                break
        else:
            name = <object>PyTuple_GET_ITEM(<object>kwnames, i)
            if name not in names:
                raise TypeError(f"{op}() got an unexpected keyword argument '{name}'")
            k = names.index(name)
        arg[k] = values[i]
    return 0


cdef int read_sized(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, tuple names, SizedCall *call,
                    str op) except -1:
    """The arguments of f(*size, keywords): f(2, 3), f((2, 3)), f([2, 3]) or f(size=(2, 3)); and the options' checks."""
    cdef int i
    for i in range(ARG_COUNT):
        call.arg[i] = <PyObject *>None
    read_keywords(args + nargs, kwnames, names, call.arg, op)
    if nargs == 1 and call.arg[ARG_SIZE] == <PyObject *>None:
        call.ndim = parse_one_size(<object>args[0], call.shape, op)
    elif 1 < nargs <= MAX_DIMS and call.arg[ARG_SIZE] == <PyObject *>None and all_exact_integers(args, nargs):
        for i in range(nargs):
            call.shape[i] = size_item(<object>args[i], i, op)
        call.ndim = <int>nargs
    else:
        call.ndim = parse_size(tuple([<object>args[i] for i in range(nargs)]), <object>call.arg[ARG_SIZE], call.shape, op)
    if (call.arg[ARG_LAYOUT] != <PyObject *>None or call.arg[ARG_REQUIRES_GRAD] != <PyObject *>None
            or call.arg[ARG_PIN_MEMORY] != <PyObject *>None):
        check_options(<object>call.arg[ARG_LAYOUT], <object>call.arg[ARG_REQUIRES_GRAD], <object>call.arg[ARG_PIN_MEMORY], op)
    return 0


cdef inline bint all_exact_integers(PyObject *const *args, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        if not PyLong_CheckExact(<object>args[i]):
            return False
    return True


ctypedef PyObject *(*fast_function)(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)

cdef extern from "Python.h":
    """
    /* A module function with the fast calling convention.  Its method definition lives as long as the process. */
    typedef PyObject *(*fast_function_c)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
    static PyObject *make_fast_function(const char *name, fast_function_c f, const char *doc) {
        PyObject *module, *made;
        PyMethodDef *def = (PyMethodDef *)calloc(1, sizeof(PyMethodDef));
        if (def == NULL) return PyErr_NoMemory();
        def->ml_name = name;
        def->ml_meth = (PyCFunction)(void (*)(void))f;
        def->ml_flags = METH_FASTCALL | METH_KEYWORDS;
        def->ml_doc = doc;
        module = PyUnicode_FromString("tensorlib");
        if (module == NULL) return NULL;
        made = PyCFunction_NewEx(def, NULL, module);
        Py_DECREF(module);
        return made;
    }
    """
    object make_fast_function(const char *name, fast_function f, const char *doc)


cdef inline PyObject *handed(object result) noexcept:
    """A new reference, for a C function to return."""
    Py_INCREF(result)
    return <PyObject *>result


cdef int parse_size(tuple args, object size, Py_ssize_t *shape, str op) except -1:
    """The shape given as f(2, 3), f((2, 3)), f([2, 3]) or f(size=(2, 3))."""
    if size is not None:
        if args:
            raise TypeError(f"{op}() got multiple values for argument 'size'")
        return parse_one_size(size, shape, op)
    if len(args) == 1:
        return parse_one_size(args[0], shape, op)
    if len(args) == 0:
        raise TypeError(f"{op}() missing 1 required positional arguments: \"size\"")
    return parse_sizes(args, shape, op, isinstance(args[0], (tuple, list)))


cdef int parse_one_size(object size, Py_ssize_t *shape, str op) except -1:
    if PyLong_CheckExact(size):
        shape[0] = size_item(size, 0, op)
        return 1
    if isinstance(size, tuple):
        return parse_sizes(<tuple>size, shape, op, False)
    if isinstance(size, list):
        return parse_sizes(tuple(size), shape, op, False)
    if is_index(size):
        shape[0] = size_item(size, 0, op)
        return 1
    raise TypeError(f"{op}(): argument 'size' (position 1) must be tuple of ints, not {type_text(size)}")


cdef int parse_sizes(tuple items, Py_ssize_t *shape, str op, bint nested) except -1:
    cdef Py_ssize_t n = len(items), i
    if nested:
        raise TypeError(f"{op}() takes 1 positional argument but {n} were given: the size is one tuple, or integers")
    if n > MAX_DIMS:
        raise RuntimeError(f"{op}(): tensors have at most {MAX_DIMS} dimensions, got {n}")
    for i in range(n):
        item = items[i]
        if type(item) is not int and not is_index(item):
            raise TypeError(f"{op}(): argument 'size' failed to unpack the object at pos {i + 1} with error \"type must be "
                            f"tuple of ints,but got {type_text(item)}\"")
        shape[i] = size_item(item, i, op)
    return <int>n


cdef int parse_int_tuple(object value, str name, int position, Py_ssize_t *out, str op) except -1:
    """A tuple or list of integers for a parameter that takes nothing else; returns how many."""
    cdef Py_ssize_t n, i
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{op}(): argument '{name}' (position {position}) must be tuple of ints, not {type_text(value)}")
    items = tuple(value)
    n = len(items)
    if n > MAX_DIMS:
        raise RuntimeError(f"{op}(): tensors have at most {MAX_DIMS} dimensions, got {n}")
    for i in range(n):
        item = items[i]
        if not is_index(item):
            raise TypeError(f"{op}(): argument '{name}' (position {position}) must be tuple of ints, but found element of type "
                            f"{type_text(item)} at pos {i}")
        out[i] = size_item(item, i, op)
    return <int>n


cdef inline bint is_index(object x):
    """An integer, or what stands for one: NumPy's integers, a one-element integer tensor."""
    if type(x) is int:
        return True
    if isinstance(x, TensorBase):
        return (<TensorBase>x).numel_ == 1 and dtype_category[(<TensorBase>x).dt] == 1
    return number_category(x) == 1


cdef Py_ssize_t size_item(object item, Py_ssize_t position, str op) except? -1:
    cdef int overflow = 0, small = 0
    cdef Py_ssize_t value
    if type(item) is not int:
        item = item.__index__()
    value = small_int(item, &small)
    if small:
        return value
    value = PyLong_AsLongLongAndOverflow(item, &overflow)
    if overflow:
        raise TypeError(f"{op}(): argument at pos {position + 1} is too large for a size: {number_text(item)} (overflow of "
                        f"64 bits)")
    return value


cdef int check_options(object layout_, object requires_grad, object pin_memory, str op) except -1:
    """The keywords of every factory that have one usable value here."""
    if layout_ is not None and layout_code(layout_) != LAYOUT_STRIDED:
        raise NotImplementedError(f"{op}(...) is not implemented for sparse layout {layout_}: make a strided tensor and call "
                                  f"to_sparse(), or use sparse_coo_tensor()")
    if requires_grad is not False and requires_grad is not None:
        refuse_grad(requires_grad)
    if pin_memory is not False and pin_memory:
        raise RuntimeError(f"{op}: pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           f"is available on this system")
    return 0


cdef inline int new_dtype(object value, int otherwise) except -1:
    return otherwise if value is None else dtype_code(value)


cdef Tensor need_tensor(object value, str name, int position, str op):
    if not isinstance(value, Tensor):
        raise TypeError(f"{op}(): argument '{name}' (position {position}) must be Tensor, not {type_text(value)}")
    return <Tensor>value
