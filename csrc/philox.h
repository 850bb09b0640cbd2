/* Random numbers as a function of (seed, call, index): Philox 4x32-10, and the conversions from its bits to uniform and
   normal values.

   Philox: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.  A block
   is four 32-bit words, a bijection of a 128-bit counter under a 64-bit key.  Here the key is the seed, the counter's low half
   the number of the block and its high half the number of the call, so any element can be computed alone and the values do not
   depend on threads or vector width.

   Normal values: Box-Muller in double from 53 + 53 random bits, with a logarithm and a sine and cosine of our own: plain C that
   the compiler vectorises, no libm, hence the same bits everywhere.  Errors below 2 ULP, far under what 53 bits can tell. */

#ifndef TENSORLIB_PHILOX_H
#define TENSORLIB_PHILOX_H

#include <stdint.h>
#include <string.h>
#include <math.h>

#define PHILOX_LANES 32   /* blocks side by side; 16 or fewer, and GCC unrolls the loop before it can vectorise it: 3x slower */

/* Words w[0..3][lane] of the blocks first .. first + PHILOX_LANES - 1. */
static inline void philox_blocks(uint64_t key, uint64_t call, uint64_t first, uint32_t w[4][PHILOX_LANES])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int j = 0; j < PHILOX_LANES; j++) {
        uint64_t block = first + (uint64_t)j;
        w[0][j] = (uint32_t)block;
        w[1][j] = (uint32_t)(block >> 32);
        w[2][j] = (uint32_t)call;
        w[3][j] = (uint32_t)(call >> 32);
    }
    for (int round = 0; round < 10; round++) {
        for (int j = 0; j < PHILOX_LANES; j++) {
            /* Upper and lower half written apart: the form that the compiler turns into vector code. */
            uint32_t a = w[0][j], c = w[2][j];
            uint32_t a_high = (uint32_t)((uint64_t)0xD2511F53u * a >> 32), c_high = (uint32_t)((uint64_t)0xCD9E8D57u * c >> 32);
            w[0][j] = c_high ^ w[1][j] ^ k0;
            w[2][j] = a_high ^ w[3][j] ^ k1;
            w[1][j] = 0xCD9E8D57u * c;
            w[3][j] = 0xD2511F53u * a;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* One block from any counter and key, for the known-answer tests. */
static inline void philox_one(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t w[4][PHILOX_LANES];
    philox_blocks((uint64_t)key[1] << 32 | key[0], (uint64_t)counter[3] << 32 | counter[2],
                  (uint64_t)counter[1] << 32 | counter[0], w);
    for (int i = 0; i < 4; i++) out[i] = w[i][0];
}

/* Uniform float32 in [0, 1) with `bits` random bits (at most 24), one word a value: value i comes from word i % 4 of block
   i / 4.  n is at most 4 * PHILOX_LANES. */
static inline void philox_uniform32(uint64_t key, uint64_t call, uint64_t first_block, int bits, float *out, int n)
{
    uint32_t w[4][PHILOX_LANES];
    float v[4 * PHILOX_LANES];
    float scale = 1.0f / (float)(1 << bits);
    int shift = 32 - bits;
    philox_blocks(key, call, first_block, w);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < PHILOX_LANES; j++) v[4 * j + i] = (float)(int32_t)(w[i][j] >> shift) * scale;
    memcpy(out, v, (size_t)n * sizeof *out);
}

/* 64 random bits a value: value i is the half i % 2 of block i / 2.  n is at most 2 * PHILOX_LANES. */
static inline void philox_words64(uint64_t key, uint64_t call, uint64_t first_block, uint64_t *out, int n)
{
    uint32_t w[4][PHILOX_LANES];
    uint64_t v[2 * PHILOX_LANES];
    philox_blocks(key, call, first_block, w);
    for (int j = 0; j < PHILOX_LANES; j++) {
        v[2 * j] = (uint64_t)w[1][j] << 32 | w[0][j];
        v[2 * j + 1] = (uint64_t)w[3][j] << 32 | w[2][j];
    }
    memcpy(out, v, (size_t)n * sizeof *out);
}

/* The double with the integer k, 0 <= k < 2**52, as its value: exact, and unlike a conversion it vectorises everywhere. */
static inline double philox_small_double(uint64_t k)
{
    union { uint64_t u; double d; } x;
    x.u = k | 0x4330000000000000u;
    return x.d - 4503599627370496.0;
}

/* Uniform float64 in [0, 1) from the upper 53 bits. */
static inline double philox_unit(uint64_t bits)
{
    uint64_t k = bits >> 11;
    return (philox_small_double(k >> 1) * 2.0 + philox_small_double(k & 1)) * 0x1p-53;
}

/* log(x) for x in [2**-60, 1]: x = m * 2**e with m in [sqrt(1/2), sqrt(2)), log m = 2 atanh(f), f = (m - 1) / (m + 1), by
   the series of atanh: |f| <= 0.1716, so the first term left out is below 2**-57 of the sum. */
static inline double philox_log(double x)
{
    union { double d; uint64_t u; } m;
    m.d = x;
    uint64_t shifted = m.u - 0x3FE6A09E667F3BCDu + ((uint64_t)64 << 52);   /* bits of sqrt(1/2): the exponent steps there */
    double e = philox_small_double(shifted >> 52) - 64.0;              /* 64: keeps the shift unsigned, which SSE2 has */
    m.u = (shifted & 0x000FFFFFFFFFFFFFu) + 0x3FE6A09E667F3BCDu;
    double f = (m.d - 1.0) / (m.d + 1.0), s = f * f;
    double p = 1.0 / 21;
    p = p * s + 1.0 / 19; p = p * s + 1.0 / 17; p = p * s + 1.0 / 15; p = p * s + 1.0 / 13; p = p * s + 1.0 / 11;
    p = p * s + 1.0 / 9;  p = p * s + 1.0 / 7;  p = p * s + 1.0 / 5;  p = p * s + 1.0 / 3;
    double high = e * 0x1.62e42fefa3800p-1, low = e * 0x1.ef35793c76730p-45;   /* log 2 in two parts */
    return high + (2.0 * f + (2.0 * f * s * p + low));
}

/* sin and cos of 2 pi u, u in [0, 1): u = q/4 + r with |r| <= 1/8, Taylor polynomials of 2 pi r, quarter turns by selection. */
static inline void philox_sincos(double u, double *sine, double *cosine)
{
    double t = u * 4.0 + 0x1.8p52;                                     /* rounds to an integer in the low bits */
    union { double d; uint64_t u; } bits;
    bits.d = t;
    uint64_t q = bits.u & 3;
    double x = (u - (t - 0x1.8p52) * 0.25) * 0x1.921fb54442d18p+2, z = x * x;
    double s = -1.0 / 1307674368000.0, c = 1.0 / 20922789888000.0;     /* 1/15!, 1/16! */
    s = s * z + 1.0 / 6227020800.0; s = s * z - 1.0 / 39916800; s = s * z + 1.0 / 362880; s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;          s = s * z - 1.0 / 6;
    c = c * z - 1.0 / 87178291200.0; c = c * z + 1.0 / 479001600; c = c * z - 1.0 / 3628800; c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;           c = c * z + 1.0 / 24;
    s = x + x * z * s;
    c = 1.0 - z * 0.5 + z * z * c;
    double a = q & 1 ? c : s, b = q & 1 ? s : c;
    *sine = q & 2 ? -a : a;
    *cosine = (q + 1) & 2 ? -b : b;
}

/* Standard normal float64: values 2 i and 2 i + 1 are the pair of block i.  n is at most 2 * PHILOX_LANES. */
static inline void philox_normal(uint64_t key, uint64_t call, uint64_t first_block, double *out, int n)
{
    uint32_t w[4][PHILOX_LANES];
    double v[2 * PHILOX_LANES];
    philox_blocks(key, call, first_block, w);
    for (int j = 0; j < PHILOX_LANES; j++) {
        double u = 1.0 - philox_unit((uint64_t)w[1][j] << 32 | w[0][j]);     /* in (0, 1] */
        double radius = sqrt(-2.0 * philox_log(u)), sine, cosine;
        philox_sincos(philox_unit((uint64_t)w[3][j] << 32 | w[2][j]), &sine, &cosine);
        v[2 * j] = radius * cosine;
        v[2 * j + 1] = radius * sine;
    }
    memcpy(out, v, (size_t)n * sizeof *out);
}

/* Uniform integer in [0, span) from 64 random bits (span 0 means 2**64): the upper half of the product.  The probabilities
   differ by less than span / 2**64. */
static inline uint64_t philox_below(uint64_t bits, uint64_t span)
{
    if (span == 0) return bits;
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)bits * span >> 64);
#else
    uint64_t a = bits >> 32, b = bits & 0xFFFFFFFFu, c = span >> 32, d = span & 0xFFFFFFFFu;
    uint64_t low = b * d, mid1 = a * d + (low >> 32), mid2 = b * c + (mid1 & 0xFFFFFFFFu);
    return a * c + (mid1 >> 32) + (mid2 >> 32);
#endif
}

#endif
