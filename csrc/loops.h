/* The inner loops of the kernels, as macros: _generated/rows.h fills them with the rows' expressions, one line a loop.
 *
 * What the arguments have in common: NAME of the function to define, R the result's type, T the operands' type, COUNT how many
 * parameters it has, and last a C expression over a, b and c and the parameters s[0], s[1]...
 *
 * Named notes
 *   [in place]     An output that is the identical view of an input is read at an index before it is written there, so no step
 *                  of a loop depends on another one, and the pragma may say so; the compiler then tests for no overlap, and
 *                  other overlaps never get here.  Conversions, combinations and moves have disjoint operands: `restrict`.
 *   [lanes]        A reduction combines element i into lane i % LANES; csrc/reduce.pxi says why.
 *   [half strips]  Halves (float16, bfloat16) are computed with strip by strip: so few elements that GCC keeps them in registers
 *                  from the widening over the float32 expression to the narrowing.  A last strip that is not whole goes through
 *                  padded copies.  Strips of 64 are no faster, and cost a tensor of 16 elements 20 ns more.
 *   [half blocks]  Where the expression is long, or the result bool, that would gain nothing: the float32 loop runs over blocks.
 *   [half const]   The constant operand of a loop of halves is a float32: factors are not rounded to a half (dispatch.pxi).
 */
#pragma once
#include "stages.h"
#include "transpose.h"
#include "vecmath.h"

typedef void loop_function(char *out, const char *a, const char *b, const char *c, const char *parameters,
                           ptrdiff_t n);
typedef void convert_function(char *out, const char *a, ptrdiff_t n);
typedef void move2_function(char *out, ptrdiff_t out0, ptrdiff_t out1, const char *a, ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0,
                            ptrdiff_t n1);

#define LOOP static __attribute__((noinline)) void
#define POINTWISE char *out, const char *a, const char *b, const char *c, const char *parameters, ptrdiff_t n
#define CONVERSION out_ptr out, const char *a, ptrdiff_t n
#define MOVE out_ptr out, ptrdiff_t out0, ptrdiff_t out1, const char *a, ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0, ptrdiff_t n1

/* The memory that a kernel converts and gathers into, one piece for each call, on the stack: with what lies above and below it
 * (a cast, a gather, the core's own frames) less than 48 KiB, so that threads with small stacks run kernels too.  tests/core/
 * test_stack.py runs them all in one of 128 KiB. */
enum { SCRATCH_BYTES = 25 * 1024, CAST_STRIP = 256 };
typedef struct { _Alignas(64) char bytes[SCRATCH_BYTES]; } Scratch;
typedef struct { _Alignas(64) char wide[CAST_STRIP * 8], middle[CAST_STRIP * 8]; } CastScratch;   /* compute dtypes of reduced ones */

/* -- pointwise -- */

/* Parameters as locals: a store of the loop may not change them, so they stay in registers. */
#define PARAMETERS(T, COUNT)                                                                                                  \
    T s[COUNT + 1] = {0};                                                                                                     \
    for (int k = 0; k < COUNT; k++)                                                                                           \
        s[k] = ((const T *)parameters)[k];

#define UNARY(name, R, T, COUNT, ...)                                                                                         \
    INLINE R op_##name(T a, const T *s) { return __VA_ARGS__; }                                                               \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a;                                                                                            \
        PARAMETERS(T, COUNT)                                                                                                  \
        EACH(i, n) o[i] = op_##name(x[i], s);                                                                                 \
    }

/* The loop that stages.h made of a function. */
#define UNARY_STAGED(name, T, function)                                                                                       \
    INLINE T op_##name(T a, const T *s) { (void)s; return function(a); }                                                      \
    LOOP loop_##name(POINTWISE) { function##_stages((T *)out, (const T *)a, n); }

#define BINARY_RIGHT(name, R, T, COUNT, ...)                                                                                  \
    INLINE R op_##name(T a, T b, const T *s) { return __VA_ARGS__; }                                                          \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a, *y = (const T *)b;                                                                         \
        PARAMETERS(T, COUNT)                                                                                                  \
        EACH(i, n) o[i] = op_##name(x[i], y[i], s);                                                                           \
    }                                                                                                                         \
    LOOP loop_##name##_right_const(POINTWISE)                                                                                 \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *x = (const T *)a, right = *(const T *)b;                                                                     \
        PARAMETERS(T, COUNT)                                                                                                  \
        EACH(i, n) o[i] = op_##name(x[i], right, s);                                                                          \
    }

#define BINARY(name, R, T, COUNT, ...)                                                                                        \
    BINARY_RIGHT(name, R, T, COUNT, __VA_ARGS__)                                                                              \
    LOOP loop_##name##_left_const(POINTWISE)                                                                                  \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const T *y = (const T *)b, left = *(const T *)a;                                                                      \
        PARAMETERS(T, COUNT)                                                                                                  \
        EACH(i, n) o[i] = op_##name(left, y[i], s);                                                                           \
    }

/* a and b may change places. */
#define BINARY_COMMUTES(name, R, T, COUNT, ...)                                                                               \
    BINARY_RIGHT(name, R, T, COUNT, __VA_ARGS__)                                                                              \
    LOOP loop_##name##_left_const(POINTWISE) { loop_##name##_right_const(out, b, a, c, parameters, n); }

/* A is the first operand's type: that of T, or bool8 where it is a mask. */
#define TERNARY(name, R, A, T, COUNT, ...)                                                                                    \
    INLINE R op_##name(A a, T b, T c, const T *s) { return __VA_ARGS__; }                                                     \
    LOOP loop_##name(POINTWISE)                                                                                               \
    {                                                                                                                         \
        R *o = (R *)out;                                                                                                      \
        const A *x = (const A *)a;                                                                                            \
        const T *y = (const T *)b, *z = (const T *)c;                                                                         \
        PARAMETERS(T, COUNT)                                                                                                  \
        EACH(i, n) o[i] = op_##name(x[i], y[i], z[i], s);                                                                     \
    }

/* -- halves: the float32 loop NAME_f32 was written before -- */

enum { STRIP = 32, HALF_BLOCK = 128 };
typedef u32 u32_pair __attribute__((aligned(2), may_alias));

INLINE void widen_strip_f16(f32 *p, const f16 *x) { f16_widen(p, x, STRIP); }
INLINE void narrow_strip_f16(f16 *o, const f32 *r) { f16_narrow(o, r, STRIP); }

/* Two at a time from a 32-bit word, so that no vector is unpacked: a strip holds its even elements first. */
INLINE void widen_strip_bf16(f32 *p, const bf16 *x)
{
    const u32_pair *pair = (const u32_pair *)x;
    for (int k = 0; k < STRIP / 2; k++)
        p[k] = f32_of_bits(pair[k] << 16);
    for (int k = 0; k < STRIP / 2; k++)
        p[STRIP / 2 + k] = f32_of_bits(pair[k] & 0xffff0000u);
}

INLINE u32 bf16_high_from_f32(f32 x)       /* bf16_from_f32, in the high half */
{
    u32 u = bits_of_f32(x);
    u32 r = u + 0x7fffu + (u >> 16 & 1);
    return x != x ? 0x7fc00000u : r;
}

INLINE void narrow_strip_bf16(bf16 *o, const f32 *r)
{
    u32_pair *pair = (u32_pair *)o;
    for (int k = 0; k < STRIP / 2; k++)
        pair[k] = bf16_high_from_f32(r[k]) >> 16 | (bf16_high_from_f32(r[STRIP / 2 + k]) & 0xffff0000u);
}

static __attribute__((noinline)) const u16 *padded_strip(u16 *strip, const u16 *x, ptrdiff_t n)
{
    memset(strip, 0, STRIP * sizeof *strip);
    memcpy(strip, x, n * sizeof *strip);
    return strip;
}

#define HALF_STRIPS(H, ADVANCE, PAD, LOAD, EXPRESSION)                                                                        \
    u16 *o = (u16 *)out;                                                                                                      \
    for (; n > 0; n -= STRIP, o += STRIP, ADVANCE) {                                                                          \
        u16 last_x[STRIP], last_y[STRIP], last_o[STRIP], *to = o;                                                             \
        f32 p[STRIP], q[STRIP], r[STRIP];                                                                                     \
        (void)last_y, (void)q;                                                                                                \
        if (n < STRIP) {                                                                                                      \
            PAD;                                                                                                              \
            to = last_o;                                                                                                      \
        }                                                                                                                     \
        LOAD;                                                                                                                 \
        for (int k = 0; k < STRIP; k++)                                                                                       \
            r[k] = EXPRESSION;                                                                                                \
        narrow_strip_##H(to, r);                                                                                              \
        if (n < STRIP)                                                                                                        \
            memcpy(o, to, n * sizeof *o);                                                                                     \
    }

#define HALF_UNARY(name, H, COUNT)                                                                                            \
    LOOP loop_##name##_##H(POINTWISE)                                                                                         \
    {                                                                                                                         \
        const u16 *x = (const u16 *)a;                                                                                        \
        PARAMETERS(f32, COUNT)                                                                                                \
        HALF_STRIPS(H, x += STRIP, x = padded_strip(last_x, x, n), widen_strip_##H(p, x), op_##name##_f32(p[k], s))           \
    }

#define HALF_BINARY_RIGHT(name, H, COUNT)                                                                                     \
    LOOP loop_##name##_##H(POINTWISE)                                                                                         \
    {                                                                                                                         \
        const u16 *x = (const u16 *)a, *y = (const u16 *)b;                                                                   \
        PARAMETERS(f32, COUNT)                                                                                                \
        HALF_STRIPS(H, (x += STRIP, y += STRIP), (x = padded_strip(last_x, x, n), y = padded_strip(last_y, y, n)),            \
                    (widen_strip_##H(p, x), widen_strip_##H(q, y)), op_##name##_f32(p[k], q[k], s))                           \
    }                                                                                                                         \
    LOOP loop_##name##_##H##_right_const(POINTWISE)                                                                           \
    {                                                                                                                         \
        const u16 *x = (const u16 *)a;                                                                                        \
        f32 right = *(const f32 *)b;            /* [half const] */                                                            \
        PARAMETERS(f32, COUNT)                                                                                                \
        HALF_STRIPS(H, x += STRIP, x = padded_strip(last_x, x, n), widen_strip_##H(p, x), op_##name##_f32(p[k], right, s))    \
    }

#define HALF_BINARY(name, H, COUNT)                                                                                           \
    HALF_BINARY_RIGHT(name, H, COUNT)                                                                                         \
    LOOP loop_##name##_##H##_left_const(POINTWISE)                                                                            \
    {                                                                                                                         \
        const u16 *y = (const u16 *)b;                                                                                        \
        f32 left = *(const f32 *)a;                                                                                           \
        PARAMETERS(f32, COUNT)                                                                                                \
        HALF_STRIPS(H, y += STRIP, y = padded_strip(last_x, y, n), widen_strip_##H(p, y), op_##name##_f32(left, p[k], s))     \
    }

#define HALF_BINARY_COMMUTES(name, H, COUNT)                                                                                  \
    HALF_BINARY_RIGHT(name, H, COUNT)                                                                                         \
    LOOP loop_##name##_##H##_left_const(POINTWISE) { loop_##name##_##H##_right_const(out, b, a, c, parameters, n); }

/* [half blocks]  a, b: NULL if the loop has no such operand; a_size, b_size: 0 for a constant; narrow: NULL for bool8 results. */
static void half_blocks(char *out, const char *a, const char *b, ptrdiff_t a_size, ptrdiff_t b_size,
                        const char *parameters, ptrdiff_t n, loop_function *loop, convert_function *widen, convert_function *narrow)
{
    f32 x[HALF_BLOCK], y[HALF_BLOCK], made[HALF_BLOCK];
    for (; n > 0; n -= HALF_BLOCK) {
        ptrdiff_t m = n < HALF_BLOCK ? n : HALF_BLOCK;
        if (a_size)
            widen((char *)x, a, m);
        if (b_size)
            widen((char *)y, b, m);
        loop(narrow ? (char *)made : out, a_size ? (char *)x : a, b_size ? (char *)y : b, NULL, parameters, m);
        if (narrow)
            narrow(out, (char *)made, m);
        a += m * a_size;
        b += m * b_size;
        out += m * (narrow ? 2 : 1);
    }
}

#define HALF_BLOCKS_UNARY(name, H, widen, narrow)                                                                             \
    LOOP loop_##name##_##H(POINTWISE) { half_blocks(out, a, NULL, 2, 0, parameters, n, loop_##name##_f32, widen, narrow); }

#define HALF_BLOCKS_BINARY(name, H, widen, narrow)                                                                            \
    LOOP loop_##name##_##H(POINTWISE) { half_blocks(out, a, b, 2, 2, parameters, n, loop_##name##_f32, widen, narrow); }      \
    LOOP loop_##name##_##H##_right_const(POINTWISE)                                                                           \
    {                                                                                                                         \
        half_blocks(out, a, b, 2, 0, parameters, n, loop_##name##_f32_right_const, widen, narrow);                            \
    }                                                                                                                         \
    LOOP loop_##name##_##H##_left_const(POINTWISE)                                                                            \
    {                                                                                                                         \
        half_blocks(out, a, b, 0, 2, parameters, n, loop_##name##_f32_left_const, widen, narrow);                             \
    }

/* Strips of float16 where the processor converts it; the portable conversion is too long to be repeated in every loop. */
#if defined(__F16C__) || defined(__aarch64__)
#define HALF_UNARY_f16(name, COUNT) HALF_UNARY(name, f16, COUNT)
#define HALF_BINARY_f16(name, COUNT) HALF_BINARY(name, f16, COUNT)
#define HALF_BINARY_COMMUTES_f16(name, COUNT) HALF_BINARY_COMMUTES(name, f16, COUNT)
#else
#define HALF_UNARY_f16(name, COUNT) HALF_BLOCKS_UNARY(name, f16, widen_f16, narrow_f16)
#define HALF_BINARY_f16(name, COUNT) HALF_BLOCKS_BINARY(name, f16, widen_f16, narrow_f16)
#define HALF_BINARY_COMMUTES_f16(name, COUNT) HALF_BLOCKS_BINARY(name, f16, widen_f16, narrow_f16)
#endif
#define HALF_UNARY_bf16(name, COUNT) HALF_UNARY(name, bf16, COUNT)
#define HALF_BINARY_bf16(name, COUNT) HALF_BINARY(name, bf16, COUNT)
#define HALF_BINARY_COMMUTES_bf16(name, COUNT) HALF_BINARY_COMMUTES(name, bf16, COUNT)

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
static move2_function *const transpose[17] = {[1] = transpose_1, [2] = transpose_2, [4] = transpose_4, [8] = transpose_8,
                                              [16] = transpose_16};
static move2_function *const transpose_streamed[17] = {[1] = transpose_streamed_1, [2] = transpose_streamed_2,
                                                       [4] = transpose_streamed_4, [8] = transpose_streamed_8,
                                                       [16] = transpose_streamed_16};
#define WEAVE_ROW(way, size) [size] = {[2] = way##_##size##_2, [3] = way##_##size##_3, [4] = way##_##size##_4}
static move2_function *const weave[9][5] = {WEAVE_ROW(weave, 1), WEAVE_ROW(weave, 2), WEAVE_ROW(weave, 4), WEAVE_ROW(weave, 8)};
static move2_function *const unweave[9][5] = {WEAVE_ROW(unweave, 1), WEAVE_ROW(unweave, 2), WEAVE_ROW(unweave, 4),
                                              WEAVE_ROW(unweave, 8)};
