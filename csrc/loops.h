/* The inner loops of the kernels, as macros: _generated/rows.h fills them with the rows' expressions, one line a loop.
 *
 * What the arguments have in common: NAME of the function to define, R the result's type, T the operands' type, and last a C
 * expression over a, b and c.
 *
 * Named notes
 *   [in place]     An output that is the identical view of an input is read at an index before it is written there, so no step
 *                  of a loop depends on another one, and the pragma may say so; the compiler then tests for no overlap, and
 *                  other overlaps never get here.  Conversions, combinations and moves have disjoint operands: `restrict`.
 *   [lanes]        A reduction combines element i into lane i % LANES; csrc/reduce.pxi says why.
 */
#pragma once
#include "transpose.h"
#include "vecmath.h"

typedef void loop_function(char *out, const char *a, const char *b, const char *c, ptrdiff_t n);
typedef void convert_function(char *out, const char *a, ptrdiff_t n);
typedef void move2_function(char *out, ptrdiff_t out0, ptrdiff_t out1, const char *a, ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0,
                            ptrdiff_t n1);

#define LOOP static __attribute__((noinline)) void
#define POINTWISE char *out, const char *a, const char *b, const char *c, ptrdiff_t n
#define CONVERSION out_ptr out, const char *a, ptrdiff_t n
#define MOVE out_ptr out, ptrdiff_t out0, ptrdiff_t out1, const char *a, ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0, ptrdiff_t n1

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH(i, n) INDEPENDENT for (ptrdiff_t i = 0; i < n; i++)                                /* [in place] */

/* The memory that a kernel converts and gathers into, one piece for each call, on the stack: with what lies above and below it
 * (a cast, a gather, the core's own frames) less than 48 KiB, so that threads with small stacks run kernels too.  tests/core/
 * test_stack.py runs them all in one of 128 KiB. */
enum { SCRATCH_BYTES = 25 * 1024, CAST_STRIP = 256 };
typedef struct { _Alignas(64) char bytes[SCRATCH_BYTES]; } Scratch;
typedef struct { _Alignas(64) char wide[CAST_STRIP * 8], middle[CAST_STRIP * 8]; } CastScratch;   /* compute dtypes of reduced ones */

/* -- pointwise -- */

#define UNARY(name, R, T, ...)                                                                                                \
    INLINE R op_##name(T a) { return __VA_ARGS__; }                                                                           \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a;                                                                                            \
        EACH(i, n) o[i] = op_##name(x[i]);                                                                                    \
    }

#define BINARY_RIGHT(name, R, T, ...)                                                                                         \
    INLINE R op_##name(T a, T b) { return __VA_ARGS__; }                                                                      \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a, *y = (const T *)b;                                                                         \
        EACH(i, n) o[i] = op_##name(x[i], y[i]);                                                                              \
    }                                                                                                                         \
    LOOP loop_##name##_right_const(POINTWISE)                                                                                 \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a, right = *(const T *)b;                                                                     \
        EACH(i, n) o[i] = op_##name(x[i], right);                                                                             \
    }

#define BINARY(name, R, T, ...)                                                                                               \
    BINARY_RIGHT(name, R, T, __VA_ARGS__)                                                                                     \
    LOOP loop_##name##_left_const(POINTWISE)                                                                                  \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *y = (const T *)b, left = *(const T *)a;                                                                      \
        EACH(i, n) o[i] = op_##name(left, y[i]);                                                                              \
    }

/* a and b may change places. */
#define BINARY_COMMUTES(name, R, T, ...)                                                                                      \
    BINARY_RIGHT(name, R, T, __VA_ARGS__)                                                                                     \
    LOOP loop_##name##_left_const(POINTWISE) { loop_##name##_right_const(out, b, a, c, n); }

/* A is the first operand's type: that of T, or bool8 where it is a condition, whose name is then `condition`. */
#define TERNARY(name, R, A, T, ...)                                                                                           \
    INLINE R op_##name(A a, T b, T c) { return __VA_ARGS__; }                                                                 \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const A *x = (const A *)a;                                                                                            \
        const T *y = (const T *)b, *z = (const T *)c;                                                                         \
        EACH(i, n) o[i] = op_##name(x[i], y[i], z[i]);                                                                        \
    }

/* -- conversions, and the ways to combine of reductions -- */

#define CONVERT(name, D, S, ...)                                                                                              \
    INLINE D name(S x) { return __VA_ARGS__; }                                                                                \
    CONVERT_BY(to_##name, D, S, name)

#define CONVERT_BY(name, D, S, function)                                                                                      \
    LOOP name(CONVERSION)                                                                                                     \
    {                                                                                                                         \
        D *o = (D *)out;                                                                                                      \
        const S *x = (const S *)a;                                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                                                     \
            o[i] = function(x[i]);                                                                                            \
    }

LOOP widen_f16(CONVERSION) { f16_widen((f32 *)out, (const f16 *)a, n); }
LOOP narrow_f16(CONVERSION) { f16_narrow((f16 *)out, (const f32 *)a, n); }
LOOP widen_c32(CONVERSION) { f16_widen((f32 *)out, (const f16 *)a, 2 * n); }
LOOP narrow_c32(CONVERSION) { f16_narrow((f16 *)out, (const f32 *)a, 2 * n); }

enum { LANES = 16 };                       /* [lanes] */

/* side_NAME combines outputs side by side; lanes_NAME the elements of one output into its lanes, which GCC keeps in registers
 * when it unrolls the sixteen; but selects only vectorise where it is told not to: UNROLL. */
#define COMBINE(name, T, UNROLL, ...)                                                                                         \
    INLINE T red_##name(T a, T b) { return __VA_ARGS__; }                                                                     \
    LOOP side_##name(CONVERSION)                                                                                              \
    {                                                                                                                         \
        T *o = (T *)out;                                                                                                      \
        const T *x = (const T *)a;                                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                                                     \
            o[i] = red_##name(o[i], x[i]);                                                                                    \
    }                                                                                                                         \
    LOOP lanes_##name(CONVERSION)                                                                                             \
    {                                                                                                                         \
        T *o = (T *)out;                                                                                                      \
        const T *x = (const T *)a;                                                                                            \
        ptrdiff_t whole = n / LANES * LANES;                                                                                  \
        for (ptrdiff_t i = 0; i < whole; i += LANES)                                                                          \
            UNROLL for (int k = 0; k < LANES; k++)                                                                            \
                o[k] = red_##name(o[k], x[i + k]);                                                                            \
        for (ptrdiff_t i = whole; i < n; i++)                                                                                 \
            o[i - whole] = red_##name(o[i - whole], x[i]);                                                                    \
    }
#define UNROLL_ALL
#define UNROLL_NONE _Pragma("GCC unroll 1")

/* -- moves: a box of two axes from any byte steps to any byte steps -- */

#define MOVE2(size, T)                                                                                                        \
    LOOP move2_##size(MOVE)                                                                                                   \
    {                                                                                                                         \
        for (ptrdiff_t j = 0; j < n1; j++, out += out1, a += a1) {                                                            \
            T *o = (T *)out;                                                                                                  \
            const T *x = (const T *)a;                                                                                        \
            prefetch_lines(a + AHEAD * a1, n0 * size);                                                                        \
            prefetch_lines(out + AHEAD * out1, n0 * size);                                                                    \
            if (out0 == size && a0 == size) {                                                                                 \
                if (n0 * size >= 64)                                                                                          \
                    memcpy(out, a, n0 * size);                                                                                \
                else                                                                                                          \
                    for (ptrdiff_t i = 0; i < n0; i++)                                                                        \
                        o[i] = x[i];                                                                                          \
            } else if (out0 == size && a0 == 0) {                                                                             \
                T value = *x;                                                                                                 \
                for (ptrdiff_t i = 0; i < n0; i++)                                                                            \
                    o[i] = value;                                                                                             \
            } else if (out0 == size) {                                                                                        \
                for (ptrdiff_t i = 0; i < n0; i++)                                                                            \
                    o[i] = *(const T *)(a + i * a0);                                                                          \
            } else if (a0 == size) {                                                                                          \
                for (ptrdiff_t i = 0; i < n0; i++)                                                                            \
                    *(T *)(out + i * out0) = x[i];                                                                            \
            } else {                                                                                                          \
                for (ptrdiff_t i = 0; i < n0; i++)                                                                            \
                    *(T *)(out + i * out0) = *(const T *)(a + i * a0);                                                        \
            }                                                                                                                 \
        }                                                                                                                     \
    }
MOVE2(1, u8)
MOVE2(2, u16)
MOVE2(4, u32)
MOVE2(8, u64)
MOVE2(16, c128)

/* Planes: the few channels of an image, all at once, from planes to interleaved (weave) and back. */
#define WEAVE(size, T, planes)                                                                                                \
    LOOP weave_##size##_##planes(MOVE)                                                                                        \
    {                                                                                                                         \
        T *o = (T *)out;                                                                                                      \
        for (ptrdiff_t i = 0; i < n0; i++)                                                                                    \
            _Pragma("GCC unroll 4") for (int k = 0; k < planes; k++)                                                          \
                o[planes * i + k] = ((const T *)(a + k * a1))[i];                                                             \
    }                                                                                                                         \
    LOOP unweave_##size##_##planes(MOVE)                                                                                      \
    {                                                                                                                         \
        const T *x = (const T *)a;                                                                                            \
        for (ptrdiff_t i = 0; i < n0; i++)                                                                                    \
            _Pragma("GCC unroll 4") for (int k = 0; k < planes; k++)                                                          \
                ((T *)(out + k * out1))[i] = x[planes * i + k];                                                               \
    }
#define WEAVES(size, T) WEAVE(size, T, 2) WEAVE(size, T, 3) WEAVE(size, T, 4)
WEAVES(1, u8)
WEAVES(2, u16)
WEAVES(4, u32)
WEAVES(8, u64)

/* By item size, and number of planes. */
static move2_function *const move2[17] = {[1] = move2_1, [2] = move2_2, [4] = move2_4, [8] = move2_8, [16] = move2_16};
static move2_function *const transpose[17] = {[2] = transpose_2, [4] = transpose_4, [8] = transpose_8};
#define WEAVE_ROW(way, size) [size] = {[2] = way##_##size##_2, [3] = way##_##size##_3, [4] = way##_##size##_4}
static move2_function *const weave[9][5] = {WEAVE_ROW(weave, 1), WEAVE_ROW(weave, 2), WEAVE_ROW(weave, 4), WEAVE_ROW(weave, 8)};
static move2_function *const unweave[9][5] = {WEAVE_ROW(unweave, 1), WEAVE_ROW(unweave, 2), WEAVE_ROW(unweave, 4),
                                              WEAVE_ROW(unweave, 8)};
