/* A matrix turned in tiles that fit into vector registers: rows of memory become columns.
 *
 * transpose_SIZE(out, out0, out1, a, a0, a1, n0, n1): element (i, j) goes from a + i * SIZE + j * a1 to out + i * out0 + j * SIZE,
 * i < n0, j < n1; so out1 and a0 are SIZE, and given only because all moves take the same arguments.  transpose_SIZE_streamed
 * writes past the caches, for results that they could not hold.  Operands are disjoint; no address need be aligned.
 *
 * A tile takes 16 bytes of each row: SIDE elements of SIDE rows, turned by log2(SIDE) perfect shuffles.  With AVX2 the two
 * halves of a register are two tiles one below the other (shuffles work within halves), so that stores are twice as wide and no
 * instruction crosses the halves.  Wider registers are not used: the copy is bound by its memory accesses.
 *
 * Named notes
 *   [panels]     Rows are taken PANEL at a time: so many streams are read side by side, and so many bytes written in one piece
 *                to each row of the result, whole cache lines where its pitch allows.
 *   [apart]      Rows that lie a multiple of 4 KiB apart all fall into one set of L1, which holds eight lines: there the few rows of
 *                a tile are read from end to end, and the next ones asked for by name.  m + m.T (4096, 4096): 0.6 of the time.
 *   [streamed]   A block of PANEL rows, one cache line of each, is turned into a buffer and copied out row by row, so that
 *                streamed stores fill whole lines.  Only where all rows of the result begin alike in their lines: 4093x4099
 *                float64 takes twice as long otherwise.  Without streaming the buffer costs more than it saves.
 *   [ends]       The last tile of a row or column is moved back until it fits and writes some elements twice.
 *   [few]        What is smaller than a tile goes element by element, the longer axis innermost.
 */
#pragma once
#include "scalar.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef u8 u8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u16 u16x8 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u32 u32x4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u64 u64x2 __attribute__((vector_size(16), aligned(1), may_alias));
typedef u16 loose_u16 __attribute__((aligned(1), may_alias));
typedef u32 loose_u32 __attribute__((aligned(1), may_alias));
typedef u64 loose_u64 __attribute__((aligned(1), may_alias));
#define UNROLLED _Pragma("GCC unroll 16")

#define LOW_1(x, y) __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(x, y) __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define HIGH_4(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define LOW_8(x, y) __builtin_shufflevector(x, y, 0, 2)
#define HIGH_8(x, y) __builtin_shufflevector(x, y, 1, 3)
#define LOW_16(x, y) ((void)(y), (x))          /* tiles of one element are not turned */
#define HIGH_16(x, y) ((void)(x), (y))

/* x[k], row k of SIDE, becomes column k. */
#define TURN(x, y, SIDE, LOW, HIGH)                                                                                           \
    UNROLLED for (int step = 1; step < SIDE; step *= 2) {                                                                     \
        UNROLLED for (int k = 0; k < SIDE / 2; k++) {                                                                         \
            y[2 * k] = LOW(x[k], x[k + SIDE / 2]);                                                                            \
            y[2 * k + 1] = HIGH(x[k], x[k + SIDE / 2]);                                                                       \
        }                                                                                                                     \
        UNROLLED for (int k = 0; k < SIDE; k++)                                                                               \
            x[k] = y[k];                                                                                                      \
    }

#define NARROW_TILE(size, V)                                                                                                  \
    INLINE void tile_##size(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1)                                           \
    {                                                                                                                         \
        enum { SIDE = 16 / size };                                                                                            \
        V x[SIDE], y[SIDE];                                                                                                   \
        UNROLLED for (int k = 0; k < SIDE; k++)                                                                               \
            x[k] = *(const V *)(a + k * a1);                                                                                  \
        TURN(x, y, SIDE, LOW_##size, HIGH_##size)                                                                             \
        UNROLLED for (int k = 0; k < SIDE; k++)                                                                               \
            *(V *)(out + k * out0) = x[k];                                                                                    \
        (void)y;                                                                                                              \
    }
NARROW_TILE(1, u8x16)
NARROW_TILE(2, u16x8)
NARROW_TILE(4, u32x4)
NARROW_TILE(8, u64x2)
NARROW_TILE(16, u64x2)

#if defined(__AVX2__)

enum { TILES = 2 };        /* side by side in the result */

#define WIDE_LOW_1 _mm256_unpacklo_epi8
#define WIDE_HIGH_1 _mm256_unpackhi_epi8
#define WIDE_LOW_2 _mm256_unpacklo_epi16
#define WIDE_HIGH_2 _mm256_unpackhi_epi16
#define WIDE_LOW_4 _mm256_unpacklo_epi32
#define WIDE_HIGH_4 _mm256_unpackhi_epi32
#define WIDE_LOW_8 _mm256_unpacklo_epi64
#define WIDE_HIGH_8 _mm256_unpackhi_epi64
#define WIDE_LOW_16 LOW_16
#define WIDE_HIGH_16 HIGH_16

INLINE __m256i two_rows(const char *a, const char *b)
{
    __m256i low = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a));
    return _mm256_inserti128_si256(low, _mm_loadu_si128((const __m128i *)b), 1);
}

#define WIDE_TILE(size)                                                                                                       \
    INLINE void wide_tile_##size(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1)                                      \
    {                                                                                                                         \
        enum { SIDE = 16 / size };                                                                                            \
        __m256i x[SIDE], y[SIDE];                                                                                             \
        UNROLLED for (int k = 0; k < SIDE; k++)                                                                               \
            x[k] = two_rows(a + k * a1, a + (SIDE + k) * a1);                                                                 \
        TURN(x, y, SIDE, WIDE_LOW_##size, WIDE_HIGH_##size)                                                                   \
        UNROLLED for (int k = 0; k < SIDE; k++)                                                                               \
            _mm256_storeu_si256((__m256i *)(out + k * out0), x[k]);                                                           \
        (void)y;                                                                                                              \
    }

#else

enum { TILES = 1 };

#define WIDE_TILE(size)                                                                                                       \
    INLINE void wide_tile_##size(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1) { tile_##size(out, out0, a, a1); }

#endif

WIDE_TILE(1)
WIDE_TILE(2)
WIDE_TILE(4)
WIDE_TILE(8)
WIDE_TILE(16)

/* 64 bytes to an address that is a multiple of 64, past the caches where the processor can. */
INLINE void stream_line(char *out, const char *a)
{
#if defined(__AVX__)
    __m256i x = _mm256_loadu_si256((const __m256i *)a), y = _mm256_loadu_si256((const __m256i *)(a + 32));
    _mm256_stream_si256((__m256i *)out, x);
    _mm256_stream_si256((__m256i *)(out + 32), y);
#elif defined(__SSE2__)
    for (int k = 0; k < 64; k += 16)
        _mm_stream_si128((__m128i *)(out + k), _mm_loadu_si128((const __m128i *)(a + k)));
#else
    memcpy(out, a, 64);
#endif
}

/* So that other threads see streamed stores before whatever says that the copy is done. */
INLINE void streams_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* n bytes, whole lines of `out` past the caches. */
INLINE void stream_row(char *out, const char *buffer, ptrdiff_t n)
{
    ptrdiff_t k = -(uintptr_t)out & 63;
    k = k < n ? k : n;
    memcpy(out, buffer, k);
    for (; k + 64 <= n; k += 64)
        stream_line(out + k, buffer + k);
    memcpy(out + k, buffer + k, n - k);
}

#define TRANSPOSE(size, T, PANEL_BYTES)                                                                                       \
    static __attribute__((noinline, unused)) void transpose_few_##size(char *out, ptrdiff_t out0, const char *a,              \
                                                                       ptrdiff_t a1, ptrdiff_t n0, ptrdiff_t n1)              \
    {                                                                                                                         \
        if (n0 > n1) {                                                                                                        \
            for (ptrdiff_t j = 0; j < n1; j++)                                                                                \
                for (ptrdiff_t i = 0; i < n0; i++)                                                                            \
                    *(T *)(out + i * out0 + j * size) = *(const T *)(a + i * size + j * a1);                                  \
        } else {                                                                                                              \
            for (ptrdiff_t i = 0; i < n0; i++)                                                                                \
                for (ptrdiff_t j = 0; j < n1; j++)                                                                            \
                    *(T *)(out + i * out0 + j * size) = *(const T *)(a + i * size + j * a1);                                  \
        }                                                                                                                     \
    }                                                                                                                         \
    /* SIDE columns of n1 >= SIDE rows. */                                                                                    \
    INLINE void transpose_columns_##size(char *out, ptrdiff_t out0, const char *a, ptrdiff_t a1, ptrdiff_t n1)                \
    {                                                                                                                         \
        enum { SIDE = 16 / size };                                                                                            \
        ptrdiff_t j = 0;                                                                                                      \
        for (; j + TILES * SIDE <= n1; j += TILES * SIDE)                                                                     \
            wide_tile_##size(out + j * size, out0, a + j * a1, a1);                                                           \
        if (TILES > 1 && j + SIDE <= n1) {                                                                                    \
            tile_##size(out + j * size, out0, a + j * a1, a1);                                                                \
            j += SIDE;                                                                                                        \
        }                                                                                                                     \
        if (n1 - j > SIDE / 4)                                                                                                \
            tile_##size(out + (n1 - SIDE) * size, out0, a + (n1 - SIDE) * a1, a1);                                            \
        else                                                                                                                  \
            for (; j < n1; j++)                                                                                               \
                UNROLLED for (int i = 0; i < SIDE; i++)                                                                       \
                    *(T *)(out + i * out0 + j * size) = *(const T *)(a + i * size + j * a1);                                  \
    }                                                                                                                         \
    static __attribute__((noinline, unused)) void transpose_##size(char *out, ptrdiff_t out0, ptrdiff_t out1, const char *a,  \
                                                                   ptrdiff_t a0, ptrdiff_t a1, ptrdiff_t n0, ptrdiff_t n1)    \
    {                                                                                                                         \
        enum { SIDE = 16 / size, PANEL = PANEL_BYTES / size };                                                                \
        (void)out1, (void)a0;                                                                                                 \
        if (n0 < SIDE || n1 < SIDE) {                                                                                         \
            transpose_few_##size(out, out0, a, a1, n0, n1);                                                                   \
            return;                                                                                                           \
        }                                                                                                                     \
        int apart = a1 % 4096 == 0;                               /* [apart] */                                               \
        ptrdiff_t panel = apart ? SIDE : PANEL;                                                                               \
        for (ptrdiff_t j = 0, rows; j < n1; j += rows) {                                                                      \
            rows = n1 - j < panel + SIDE ? n1 - j : panel;                                                                    \
            if (apart)                                                                                                        \
                for (ptrdiff_t k = 0; k < SIDE; k++)                                                                          \
                    prefetch_lines(a + (j + rows + k) * a1, n0 * size);                                                       \
            for (ptrdiff_t i = 0; i < n0; i += SIDE) {                                                                        \
                if (i + SIDE > n0) i = n0 - SIDE;                             /* [ends] */                                    \
                transpose_columns_##size(out + i * out0 + j * size, out0, a + i * size + j * a1, a1, rows);                   \
            }                                                                                                                 \
        }                                                                                                                     \
    }                                                                                                                         \
    static __attribute__((noinline, unused)) void transpose_streamed_##size(char *out, ptrdiff_t out0, ptrdiff_t out1,        \
                                                                            const char *a, ptrdiff_t a0, ptrdiff_t a1,        \
                                                                            ptrdiff_t n0, ptrdiff_t n1)                       \
    {                                                                                                                         \
        enum { SIDE = 16 / size, PANEL = PANEL_BYTES / size, LINE = size < 16 ? 64 / size : 4, PITCH = PANEL_BYTES + 64,      \
               ROWS = TILES * SIDE, READS_LINES = size <= 2 };                                                                \
        _Alignas(64) char buffer[LINE * PITCH], lines[READS_LINES ? ROWS * 64 : 64];                                          \
        if (n0 < SIDE || n1 < PANEL || out0 % 64 != 0) {               /* [streamed] */                                       \
            transpose_##size(out, out0, out1, a, a0, a1, n0, n1);                                                             \
            return;                                                                                                           \
        }                                                                                                                     \
        for (ptrdiff_t j0 = 0, rows; j0 < n1; j0 += rows) {                                                                   \
            rows = n1 - j0 < PANEL + SIDE ? n1 - j0 : PANEL - (ptrdiff_t)((uintptr_t)(out + j0 * size) % 64) / size;          \
            for (ptrdiff_t i0 = 0, columns; i0 < n0; i0 += columns) {                                                         \
                const char *block = a + i0 * size + j0 * a1;                                                                  \
                ptrdiff_t j = 0;                                                                                              \
                columns = n0 - i0 < LINE ? n0 - i0 : LINE;                                                                    \
                if (columns < SIDE) {                      /* [ends] */                                                       \
                    i0 = n0 - SIDE;                                                                                           \
                    columns = SIDE;                                                                                           \
                    block = a + i0 * size + j0 * a1;                                                                          \
                }                                                                                                             \
                if (READS_LINES && columns == LINE)                                                                           \
                    for (; j + ROWS <= rows; j += ROWS) {  /* more rows than L1 has ways: each line is read at once */        \
                        UNROLLED for (int k = 0; k < ROWS; k++)                                                               \
                            memcpy(lines + 64 * k, block + (j + k) * a1, 64);                                                 \
                        UNROLLED for (int i = 0; i < LINE; i += SIDE)                                                         \
                            wide_tile_##size(buffer + i * PITCH + j * size, PITCH, lines + i * size, 64);                     \
                    }                                                                                                         \
                for (; j < rows; j += ROWS) {                                                                                 \
                    ptrdiff_t some = rows - j < ROWS ? rows - j : ROWS, at = some < SIDE ? rows - SIDE : j;                   \
                    some = some < SIDE ? SIDE : some;                                                                         \
                    for (ptrdiff_t i = 0; i < columns; i += SIDE) {                                                           \
                        if (i + SIDE > columns) i = columns - SIDE;                                                           \
                        transpose_columns_##size(buffer + i * PITCH + at * size, PITCH, block + i * size + at * a1, a1, some);\
                    }                                                                                                         \
                }                                                                                                             \
                for (ptrdiff_t i = 0; i < columns; i++)                                                                       \
                    stream_row(out + (i0 + i) * out0 + j0 * size, buffer + i * PITCH, rows * size);                           \
            }                                                                                                                 \
        }                                                                                                                     \
        streams_end();                                                                                                        \
    }
TRANSPOSE(1, u8, 128)
TRANSPOSE(2, loose_u16, 256)
TRANSPOSE(4, loose_u32, 256)
TRANSPOSE(8, loose_u64, 256)
TRANSPOSE(16, u64x2, 256)
