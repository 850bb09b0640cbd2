# Random tensors: rand, randn, randint, randperm, their *_like forms, and the generator behind them.
#
# Uses: factories.pxi, copy_dispatch.pxi; philox.h; kernel_api (K.cast).
# Provides: the public functions, Generator.
#
# The value at logical index i of a call depends on (seed, number of the call since seeding, i) only: not on threads, CPU
# level, memory format or on how much was asked for before.  A call advances the generator by one, whatever its size.
# Reduced dtypes: uniform values have as many random bits as the dtype's significand, so they are exact and below 1; normal
# values are computed in float64 and rounded once.

cdef extern from "philox.h" nogil:
    enum: PHILOX_LANES
    void philox_one(const uint32_t *counter, const uint32_t *key, uint32_t *out)
    void philox_uniform32(uint64_t key, uint64_t call, uint64_t first_block, int bits, float *out, int n)
    void philox_words64(uint64_t key, uint64_t call, uint64_t first_block, uint64_t *out, int n)
    double philox_unit(uint64_t bits)
    void philox_normal(uint64_t key, uint64_t call, uint64_t first_block, double *out, int n)
    uint64_t philox_below(uint64_t bits, uint64_t span)

cdef enum RandomKind:
    RANDOM_UNIFORM
    RANDOM_NORMAL
    RANDOM_INTEGER


# -- the generator ----------------------------------------------------------------------------------------------------

@cython.final
cdef class Generator:
    """A source of random numbers: a seed, and the number of calls made since it was set.

    Every random function takes ``generator=``; without it they use one generator of the process.
    """
    cdef uint64_t key
    cdef uint64_t calls

    def __init__(self, device=None):
        if device is not None and device_for_new(device) != DEV_CPU:
            raise RuntimeError(f"Generator: random numbers are made on cpu only, not on {device_object(device_code(device))}")
        self.key = 67280421310721      # any fixed number: a program that never seeds gives the same numbers at each run
        self.calls = 0

    @property
    def device(self):
        return device_object(DEV_CPU)

    def manual_seed(self, seed):
        """Starts the sequence of a seed (64 bits, negative numbers modulo 2**64); returns self."""
        seed = seed_number(seed)
        self.key = seed
        self.calls = 0
        return self

    def seed(self):
        """Seeds with a number from the operating system, and returns it."""
        from os import urandom
        self.manual_seed(int.from_bytes(urandom(8), "little"))
        return self.key

    def initial_seed(self):
        """The seed in use."""
        return self.key

    def get_state(self):
        """The state as a uint8 tensor of 16 bytes: seed, calls."""
        cdef Py_ssize_t n = 16
        cdef Tensor t = tensor_empty(&n, 1, DT_UINT8, DEV_CPU)
        memcpy(tensor_data(t), &self.key, 8)
        memcpy(tensor_data(t) + 8, &self.calls, 8)
        return t

    def set_state(self, state):
        """Goes back to a state that get_state returned; returns self."""
        cdef Tensor t
        if not isinstance(state, Tensor) or (<TensorBase>state).dt != DT_UINT8:
            raise TypeError("set_state: expected a uint8 tensor from get_state()")
        if (<TensorBase>state).numel_ != 16 or (<TensorBase>state).dev != DEV_CPU:
            raise RuntimeError(f"set_state: RNG state is wrong size: 16 bytes on cpu expected, got "
                               f"{(<TensorBase>state).numel_}")
        t = tensor_contiguous(<TensorBase>state, FORMAT_CONTIGUOUS)
        memcpy(&self.key, tensor_data(t), 8)
        memcpy(&self.calls, tensor_data(t) + 8, 8)
        return self


cdef object seed_number(object seed):
    if number_category(seed) != 1 and not is_index(seed):
        raise TypeError(f"manual_seed: the seed must be an int, not {type_text(seed)}")
    seed = seed.__index__()
    if not -(1 << 63) <= seed < 1 << 64:
        raise ValueError(f"Overflow when unpacking long long: the seed {number_text(seed)} does not fit 64 bits")
    return seed & 0xFFFFFFFFFFFFFFFF


cdef Generator default_generator = Generator()


cdef Generator generator_of(object generator, str op):
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"{op}: generator must be a tensorlib.Generator, not {type_text(generator)}")
    return <Generator>generator


def manual_seed(seed):
    """manual_seed(seed) -> Generator

    Starts the default generator's sequence of a seed; the same seed gives the same numbers on every machine.
    """
    return default_generator.manual_seed(seed)


def seed():
    """seed() -> int

    Seeds the default generator with a number from the operating system, and returns it.
    """
    return default_generator.seed()


def initial_seed():
    """initial_seed() -> int

    The seed that the default generator uses.
    """
    return default_generator.initial_seed()


def get_rng_state():
    """get_rng_state() -> Tensor

    The state of the default generator.
    """
    return default_generator.get_state()


def set_rng_state(new_state):
    """set_rng_state(new_state)

    Takes the default generator back to a state from ``get_rng_state``.
    """
    default_generator.set_state(new_state)


def _philox(counter, key):
    """One block of Philox 4x32-10, for the known-answer tests."""
    cdef uint32_t c[4]
    cdef uint32_t k[2]
    cdef uint32_t out[4]
    cdef int i
    for i in range(4):
        c[i] = counter[i]
    for i in range(2):
        k[i] = key[i]
    philox_one(c, k, out)
    return [out[i] for i in range(4)]


# -- filling ----------------------------------------------------------------------------------------------------------

cdef int significand_bits(int dt) noexcept nogil:
    """Bits of a floating dtype's significand, the hidden one included: how many random bits a uniform value can show."""
    dt = dtype_to_real[dt]
    return 53 if dt == DT_FLOAT64 else 24 if dt == DT_FLOAT32 else 11 if dt == DT_FLOAT16 else 8


cdef int random_fill(TensorBase t, RandomKind kind, Generator g, uint64_t low, uint64_t span) except -1:
    """Fills in logical order; the generator advances even where there is nothing to write, so that meta keeps in step."""
    cdef Tensor block
    cdef uint64_t key = g.key, call = g.calls
    cdef char *p
    cdef Py_ssize_t n
    cdef int dt = t.dt
    g.calls += 1
    if t.dev != DEV_CPU or t.numel_ == 0:
        return 0
    if not t.flags & TENSOR_CONTIGUOUS:
        block = tensor_empty(t.shape_, t.ndim_, dt, DEV_CPU)
        g.calls -= 1
        random_fill(block, kind, g, low, span)
        return tensor_copy(t, block, "random")
    p = tensor_data(t)
    n = t.numel_
    if n <= GRAIN // 8:
        random_write(p, n, dt, kind, key, call, low, span, significand_bits(dt))
        return 0
    t.storage_.exports += 1
    with nogil:
        random_write(p, n, dt, kind, key, call, low, span, significand_bits(dt))
    t.storage_.exports -= 1
    return 0


cdef void random_write(char *p, Py_ssize_t n, int dt, RandomKind kind, uint64_t key, uint64_t call, uint64_t low,
                       uint64_t span, int bits) noexcept nogil:
    cdef float narrow[4 * PHILOX_LANES]
    cdef double wide[2 * PHILOX_LANES]
    cdef uint64_t words[2 * PHILOX_LANES]
    cdef int real = dtype_to_real[dt], m, j, wide_dt
    cdef Py_ssize_t i = 0
    cdef uint64_t block = 0
    cdef Py_ssize_t size = dtype_itemsize[real]
    cdef double scale = 1
    if dtype_category[dt] == 3:     # a complex tensor is twice as many components; each has half the variance
        n *= 2
        scale = 0.70710678118654752440
    if kind == RANDOM_UNIFORM and bits <= 24:
        while i < n:
            m = <int>(n - i) if n - i < 4 * PHILOX_LANES else 4 * PHILOX_LANES
            if real == DT_FLOAT32:
                philox_uniform32(key, call, block, bits, <float *>p, m)
            else:
                philox_uniform32(key, call, block, bits, narrow, m)
                K.cast(p, real, <char *>narrow, DT_FLOAT32, m)
            i += m
            p += m * size
            block += PHILOX_LANES
        return
    while i < n:
        m = <int>(n - i) if n - i < 2 * PHILOX_LANES else 2 * PHILOX_LANES
        wide_dt = DT_FLOAT64
        if kind == RANDOM_NORMAL:
            philox_normal(key, call, block, wide, m)
            if scale != 1:
                for j in range(m):
                    wide[j] *= scale
        else:
            philox_words64(key, call, block, words, m)
            if kind == RANDOM_UNIFORM:
                for j in range(m):
                    wide[j] = philox_unit(words[j])
            else:
                for j in range(m):
                    words[j] = low + philox_below(words[j], span)
                wide_dt = DT_INT64 if dt != DT_UINT64 else DT_UINT64
        if wide_dt != DT_FLOAT64:
            K.cast(p, real, <char *>words, wide_dt, m)
        elif real == DT_FLOAT64:
            memcpy(p, wide, m * 8)
        else:
            K.cast(p, real, <char *>wide, DT_FLOAT64, m)
        i += m
        p += m * size
        block += PHILOX_LANES


# -- rand, randn ------------------------------------------------------------------------------------------------------

cdef int need_float(int dt, str op) except -1:
    if dt >= ARITHMETIC_DTYPES or dtype_category[dt] < 2:
        raise NotImplementedError(f"\"{op}\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}': "
                                  f"{dtype_object(dt)}; it takes floating point and complex dtypes")
    return 0


cdef Tensor random_sized(RandomKind kind, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, str op):
    cdef SizedCall call
    cdef Generator g
    cdef Tensor t
    cdef int dt
    read_sized(args, nargs, kwnames, RANDOM_NAMES, &call, op)
    g = generator_of(<object>call.arg[ARG_GENERATOR], op)
    out = <object>call.arg[ARG_OUT]
    if out is not None:
        need_float(need_tensor(out, "out", 0, op).dt, op)
        t = out_of_shape(out, call.shape, call.ndim, <object>call.arg[ARG_DTYPE], <object>call.arg[ARG_DEVICE], op)
        check_destination(t, op)
    else:
        dt = new_dtype(<object>call.arg[ARG_DTYPE], default_dtype)
        need_float(dt, op)
        t = new_formatted(call.shape, call.ndim, dt, device_for_new(<object>call.arg[ARG_DEVICE]),
                          <object>call.arg[ARG_MEMORY_FORMAT], op)
    random_fill(t, kind, g, 0, 0)
    return t


cdef PyObject *fast_rand(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    return handed(random_sized(RANDOM_UNIFORM, args, nargs, kwnames, "rand"))


cdef bytes RAND_DOC = b"""rand($module, /, *size, generator=None, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False, memory_format=None)
--

rand(*size, generator=None, out=None, dtype=None, layout=strided, device=None) -> Tensor

Uniform values in [0, 1): multiples of 2**-53 for float64, 2**-24 for float32, 2**-11 for float16, 2**-8 for bfloat16; both
parts of a complex dtype.

>>> bool((tl.rand(100) < 1).all())
True
"""
rand = make_fast_function("rand", <fast_function>fast_rand, RAND_DOC)


cdef PyObject *fast_randn(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) except NULL:
    return handed(random_sized(RANDOM_NORMAL, args, nargs, kwnames, "randn"))


cdef bytes RANDN_DOC = b"""randn($module, /, *size, generator=None, out=None, dtype=None, layout=None,
device=None, requires_grad=False, pin_memory=False, memory_format=None)
--

randn(*size, generator=None, out=None, dtype=None, layout=strided, device=None) -> Tensor

Values of the standard normal distribution; the parts of a complex dtype have variance 1/2 each.
"""
randn = make_fast_function("randn", <fast_function>fast_randn, RANDN_DOC)


cdef Tensor random_like(RandomKind kind, object input, object generator, object dtype_, object layout_, object device_,
                        object requires_grad, object pin_memory, object memory_format_, str op):
    cdef Tensor like = need_tensor(input, "input", 1, op)
    cdef Generator g = generator_of(generator, op)
    cdef Tensor t
    need_float(new_dtype(dtype_, like.dt), op)
    t = new_empty_like(input, dtype_, device_, layout_, requires_grad, pin_memory, memory_format_, op)
    random_fill(t, kind, g, 0, 0)
    return t


def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
              memory_format=None):
    """rand_like(input, generator=None, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    ``rand`` with the input's shape, dtype, device and layout (see ``empty_like``).
    """
    return random_like(RANDOM_UNIFORM, input, generator, dtype, layout, device, requires_grad, pin_memory, memory_format,
                       "rand_like")


def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
               memory_format=None):
    """randn_like(input, generator=None, dtype=None, layout=None, device=None, memory_format=preserve_format) -> Tensor

    ``randn`` with the input's shape, dtype, device and layout (see ``empty_like``).
    """
    return random_like(RANDOM_NORMAL, input, generator, dtype, layout, device, requires_grad, pin_memory, memory_format,
                       "randn_like")


# -- integers ---------------------------------------------------------------------------------------------------------

cdef int integer_range_of(object low, object high, int dt, uint64_t *first, uint64_t *span, str op) except -1:
    """Checks [low, high) against the dtype, as PyTorch words it."""
    cdef uint64_t top
    name = (<bytes>dtype_scalar_name[dt]).decode()
    low, high = low.__index__(), high.__index__()
    if dt >= ARITHMETIC_DTYPES or dtype_category[dt] == 3:
        raise RuntimeError(f"{op}: check_random_bounds handles only integral, floating-point and boolean types, not {name}")
    if low >= high:
        raise RuntimeError(f"{op}: random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype_category[dt] == 2:
        bound = 1 << significand_bits(dt)
        least, most = -bound, bound
        if dt == DT_FLOAT64:
            least, most = -(1 << 53), 1 << 53
    elif dt == DT_BOOL:
        least, most = 0, 1
    else:
        most = integer_top(dt)
        least = -most - 1 if dtype_signed[dt] else 0
    if low < least or low > most:
        raise RuntimeError(f"{op}: from is out of bounds for {name}: {low} is not in {least} to {most}")
    if high - 1 > most:
        raise RuntimeError(f"{op}: to - 1 is out of bounds for {name}: {high - 1} is not in {least} to {most}")
    first[0] = low & 0xFFFFFFFFFFFFFFFF
    span[0] = (high - low) & 0xFFFFFFFFFFFFFFFF
    return 0


cdef tuple randint_arguments(tuple args, object low, object high, object size, str op, str last):
    """(low, high, last) from the forms (high, last) and (low, high, last), each also by keyword."""
    given = list(args)
    if last and size is None and given:
        size = given.pop()
    if high is None and len(given) == 1:
        high = given.pop()
    elif len(given) == 2 and low is None and high is None:
        low, high = given
        given = []
    elif len(given) == 1 and low is None:
        low = given.pop()
    if given or high is None or (last and size is None):
        raise TypeError(f"{op}() received an invalid combination of arguments - got "
                        f"({', '.join([type_text(a) for a in args])}), but expected (low=0, high"
                        f"{', ' + last if last else ''})")
    low = 0 if low is None else low
    for value in (low, high):
        if not is_index(value):
            raise TypeError(f"{op}(): low and high must be integers, got {type_text(value)}")
    return low, high, size


def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False, pin_memory=False, memory_format=None):
    """randint(low=0, high, size, generator=None, out=None, dtype=int64, layout=strided, device=None) -> Tensor

    Integers from ``low`` to ``high - 1``, each with the same probability (but for less than (high - low) / 2**64).

    Raises RuntimeError for an empty range, and for one that the dtype cannot hold.

    >>> tl.randint(3, (2, 2)).dtype
    tensorlib.int64
    """
    cdef Py_ssize_t shape[MAX_DIMS]
    cdef uint64_t first, span
    cdef Generator g = generator_of(generator, "randint")
    cdef Tensor t
    cdef int dt, ndim
    low, high, size = randint_arguments(args, low, high, size, "randint", "size")
    ndim = parse_int_tuple(size, "size", len(args) if args else 3, shape, "randint")
    check_options(layout, requires_grad, pin_memory, "randint")
    dt = new_dtype(dtype, DT_INT64) if out is None else need_tensor(out, "out", 0, "randint").dt
    integer_range_of(low, high, dt, &first, &span, "randint")
    if out is not None:
        t = out_of_shape(out, shape, ndim, dtype, device, "randint")
        check_destination(t, "randint")
    else:
        t = new_formatted(shape, ndim, dt, device_for_new(device), memory_format, "randint")
    random_fill(t, RANDOM_INTEGER, g, first, span)
    return t


def randint_like(input, *args, low=None, high=None, generator=None, dtype=None, layout=None, device=None, requires_grad=False,
                 pin_memory=False, memory_format=None):
    """randint_like(input, low=0, high, generator=None, dtype=None, layout=None, device=None,
    memory_format=preserve_format) -> Tensor

    ``randint`` with the input's shape, dtype, device and layout (see ``empty_like``).
    """
    cdef uint64_t first, span
    cdef Generator g = generator_of(generator, "randint_like")
    cdef Tensor like = need_tensor(input, "input", 1, "randint_like")
    cdef Tensor t
    low, high, _ = randint_arguments(args, low, high, None, "randint_like", "")
    integer_range_of(low, high, new_dtype(dtype, like.dt), &first, &span, "randint_like")
    t = new_empty_like(input, dtype, device, layout, requires_grad, pin_memory, memory_format, "randint_like")
    random_fill(t, RANDOM_INTEGER, g, first, span)
    return t


def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """randperm(n, generator=None, out=None, dtype=int64, layout=strided, device=None) -> Tensor

    The integers 0 .. n - 1 in random order.

    >>> sorted(tl.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    cdef Generator g = generator_of(generator, "randperm")
    cdef Py_ssize_t count, i, j
    cdef Tensor t, order
    cdef Value v
    cdef int64_t *p
    cdef int64_t kept
    cdef uint64_t words[2 * PHILOX_LANES]
    cdef uint64_t call
    cdef int dt
    if not is_index(n):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_text(n)}")
    count = size_item(n, 0, "randperm")
    check_options(layout, requires_grad, pin_memory, "randperm")
    dt = new_dtype(dtype, DT_INT64) if out is None else need_tensor(out, "out", 0, "randperm").dt
    if dt >= ARITHMETIC_DTYPES or dtype_category[dt] == 0 or dtype_category[dt] == 3:
        raise NotImplementedError(f"\"randperm\" not implemented for '{(<bytes>dtype_scalar_name[dt]).decode()}'")
    if count > 0:
        value_store(count - 1 if dtype_category[dt] == 1 else min(count - 1, 1 << 62), dt, v.bytes, "randperm")
        if dtype_category[dt] == 2 and count > 1 << significand_bits(dt):
            raise RuntimeError(f"randperm: {dtype_object(dt)} cannot hold every integer below {count}")
    t = (tensor_empty(&count, 1, dt, device_for_new(device)) if out is None else
         out_of_shape(out, &count, 1, dtype, device, "randperm"))
    call = g.calls
    g.calls += 1
    if t.dev != DEV_CPU or count == 0:
        return t
    order = t if dt == DT_INT64 and t.flags & TENSOR_CONTIGUOUS else tensor_empty(&count, 1, DT_INT64, DEV_CPU)
    p = <int64_t *>tensor_data(order)
    for i in range(count):
        p[i] = i
    for i in range(count - 1, 0, -1):       # Fisher and Yates, from the end; step k takes word k of the call
        j = count - 1 - i
        if j % (2 * PHILOX_LANES) == 0:
            philox_words64(g.key, call, <uint64_t>(j // 2), words, 2 * PHILOX_LANES)
        j = <Py_ssize_t>philox_below(words[j % (2 * PHILOX_LANES)], <uint64_t>i + 1)
        kept = p[i]
        p[i] = p[j]
        p[j] = kept
    if order is not t:
        tensor_copy(t, order, "randperm")
    return t
