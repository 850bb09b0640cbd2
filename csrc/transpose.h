/* A matrix turned in squares that fit into vector registers.
 *
 * transpose_SIZE(out, out0, out1, a, a0, a1, n0, n1): element (i, j) goes from a + i * SIZE + j * a1 to out + i * out0 + j * SIZE,
 * i < n0, j < n1; so out1 and a0 are SIZE, and given only because all moves take the same arguments.  Rows of `a` are read
 * from one end to the other, four or eight at a time, and the rows to come are prefetched; what no square covers goes one
 * element at a time.  16-byte vectors at every level: the copy is bound by its loads and stores, not by their width.
 */
#pragma once
#include "scalar.h"

typedef u16 v8u16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u32 v4u32 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u64 v2u64 __attribute__((vector_size(16), aligned(1), may_alias));
#define LOAD(type, p) (*(const type *)(p))
#define STORE(type, p, value) (*(type *)(p) = (value))

INLINE void square_u64(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1)
{
    v2u64 x = LOAD(v2u64, a), y = LOAD(v2u64, a + a1);
    STORE(v2u64, out, __builtin_shufflevector(x, y, 0, 2));
    STORE(v2u64, out + out0, __builtin_shufflevector(x, y, 1, 3));
}

INLINE void square_u32(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1)
{
    v4u32 x0 = LOAD(v4u32, a), x1 = LOAD(v4u32, a + a1), x2 = LOAD(v4u32, a + 2 * a1), x3 = LOAD(v4u32, a + 3 * a1);
    v4u32 low01 = __builtin_shufflevector(x0, x1, 0, 4, 1, 5), high01 = __builtin_shufflevector(x0, x1, 2, 6, 3, 7);
    v4u32 low23 = __builtin_shufflevector(x2, x3, 0, 4, 1, 5), high23 = __builtin_shufflevector(x2, x3, 2, 6, 3, 7);
    STORE(v4u32, out, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
    STORE(v4u32, out + out0, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
    STORE(v4u32, out + 2 * out0, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
    STORE(v4u32, out + 3 * out0, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}

#define LOW8(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH8(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)

INLINE void square_u16(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1)
{
    v8u16 x[8], y[8];
    for (int k = 0; k < 8; k++)
        x[k] = LOAD(v8u16, a + k * a1);
    for (int step = 0; step < 3; step++) {              /* three perfect shuffles of the rows */
        for (int k = 0; k < 4; k++) {
            y[2 * k] = LOW8(x[k], x[k + 4]);
            y[2 * k + 1] = HIGH8(x[k], x[k + 4]);
        }
        for (int k = 0; k < 8; k++)
            x[k] = y[k];
    }
    for (int k = 0; k < 8; k++)
        STORE(v8u16, out + k * out0, x[k]);
}

#define TRANSPOSE(size, type, side)                                                                                           \
    static __attribute__((unused)) void transpose_##size(char *out, ptrdiff_t out0, ptrdiff_t out1, const char *a,            \
                                                         ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0, ptrdiff_t n1)              \
    {                                                                                                                         \
        ptrdiff_t i, j;                                                                                                       \
        (void)out1, (void)a0;                                                                                                 \
        for (j = 0; j + side <= n1; j += side) {                                                                              \
            for (i = 0; i < side; i++)                                                                                        \
                prefetch_lines(a + (j + side + i) * a1, n0 * size);                                                           \
            for (i = 0; i + side <= n0; i += side)                                                                            \
                square_##type(out + i * out0 + j * size, out0, a + i * size + j * a1, a1);                                    \
            for (; i < n0; i++)                                                                                               \
                for (ptrdiff_t k = j; k < j + side; k++)                                                                      \
                    *(type *)(out + i * out0 + k * size) = *(const type *)(a + i * size + k * a1);                            \
        }                                                                                                                     \
        for (; j < n1; j++)                                                                                                   \
            for (i = 0; i < n0; i++)                                                                                          \
                *(type *)(out + i * out0 + j * size) = *(const type *)(a + i * size + j * a1);                                \
    }
TRANSPOSE(2, u16, 8)
TRANSPOSE(4, u32, 4)
TRANSPOSE(8, u64, 2)
