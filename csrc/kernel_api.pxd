# What a kernel module (_kernels_<level>) hands to the core: one struct of function pointers, in a PyCapsule named
# "tensorlib.kernels" under the attribute `table`.
#
# A loop sees contiguous operands, or one constant operand, of one compute dtype; the block driver (elementwise) brings
# anything else into that form.  The parameters of the row (a slope, a bound) lie side by side in the compute dtype.
# Nothing here takes the GIL, allocates or fails.

from plan_types cimport Plan, ReducePlan
from tables cimport OP_COUNT, DTYPE_COUNT

ctypedef void (*loop_fn)(char *out, const char *a, const char *b, const char *c, const char *parameters,
                         Py_ssize_t n) noexcept nogil

cdef enum:   # shapes of a loop
    LOOP_ALL = 0           # every operand contiguous
    LOOP_RIGHT_CONST = 1   # binary: b points to one value
    LOOP_LEFT_CONST = 2    # binary: a points to one value
    LOOP_SHAPES = 3

cdef struct KernelTable:
    const char *level
    # [op][compute dtype][shape]; NULL where the op has no kernel for the dtype.  Ternary and unary rows have LOOP_ALL only.
    # Masks (the condition of `where`) are read as bool8, whatever the compute dtype.  A "bool" row writes bool8, a "real" row
    # the component dtype, a "complex" row the complex dtype of such components.  float16 and bfloat16 have unary and binary
    # loops too, whose constant operand is a float32.
    loop_fn loops[OP_COUNT][DTYPE_COUNT][LOOP_SHAPES]
    # Runs a pointwise plan: any strides, any storage dtypes (each operand is converted to plan.compute, the result from the
    # loop's dtype to plan.dtype[0]).
    void (*elementwise)(const Plan *plan) noexcept nogil
    # Copies operand 1 to operand 0: any strides, any castable dtypes, equal dtypes of any kind byte for byte.
    void (*copy)(const Plan *plan) noexcept nogil
    void (*reduce)(const ReducePlan *plan) noexcept nogil
    # Converts n contiguous elements between castable dtypes.
    void (*cast)(char *dst, int dst_dtype, const char *src, int src_dtype, Py_ssize_t n) noexcept nogil
    # out[i] = start + i * step, contiguous, in int64 (integer_range) or float64 (float_range) and then cast to dtype.
    void (*integer_range)(char *out, int dtype, long long start, long long step, Py_ssize_t n) noexcept nogil
    void (*float_range)(char *out, int dtype, double start, double step, Py_ssize_t n) noexcept nogil
