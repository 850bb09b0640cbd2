/* sin, cos, tan of float64.  See vecmath.h for what all functions keep to, and its named notes.
 *
 * The argument is reduced in quarter turns, x = k * pi/2 + r, |r| <= pi/4 and r in two parts, and k mod 4 says which of sin r and
 * cos r is the result, and its sign.  pi/2 has three parts here (W. J. Cody and W. Waite, Software Manual for the Elementary
 * Functions (1980)); operands that three parts are too few for are done again by the bits of 1/pi, one at a time: large ones, and
 * those next to a multiple of pi/2.
 */
#pragma once
#include "vecmath_trig.h"

typedef struct { f64 high, low; u64 k; } Reduced;      /* r, and k in the last two bits */

#define FAR_F64 0x1p22                     /* k has 22 bits */
#define CANCELS 0x1p-45                    /* |r| below this much of |x|: not enough of r is left */

/* -- reduction -- */

/* pi/2 = 31 bits + 29 bits + 53 bits: k times either of the first two is exact, and so is what is subtracted first.  The second
 * difference is not always, but then x - k * P1 is the larger, so that `lost` is what it lost.  All in all 2**-94 is missing. */
INLINE Reduced reduce_f64(f64 x)
{
    f64 shifted = x * 0x1.45f306dc9c883p-1 + TO_INTEGER;
    f64 k = shifted - TO_INTEGER;
    f64 first = x - k * 0x1.921fb544p+0, product = k * 0x1.0b4611ap-34;
    f64 second = first - product;
    f64 lost = (first - second) - product;
    f64 rest = k * 0x1.898cc51701b84p-64 - lost;
    Reduced r;
    r.high = second - rest;
    r.low = (second - r.high) - rest;
    r.k = bits_of_f64(shifted);
    return r;
}
INLINE u64 too_hard(f64 x, f64 high)
{
    return !(fabs(x) < FAR_F64) | (fabs(high) < fabs(x) * CANCELS);
}

/* The same of any operand; r is NaN for what has no place on the circle. */
static __attribute__((noinline, unused)) Reduced reduce_far_f64(f64 x)
{
    Reduced r = {x - x, 0, 0};
    if (!(fabs(x) < (f64)INFINITY))
        return r;
    u64 turn, rest;                        /* as fractions of a turn: 2**-64, 2**-128 */
    far_bits(x, 0, &turn, &rest);
    u64 k = (turn + (1ull << 61)) >> 62;
    i64 f = (i64)(turn << 2 | rest >> 62);                                                 /* signed quarters */
    f64 a = (f64)(f >> 32) * 0x1p32, b = (f64)(u32)f, c = (f64)(rest << 2 >> 11) * 0x1p-53;
    f64 sum = a + b;
    f64 tail = (b - (sum - a)) + c;
    f64 high = sum + tail, low = tail - (high - sum);
    /* times pi/2 * 2**-64 */
    f64 h = f64_of_bits(bits_of_f64(high) & ~0x7ffffffull), l = high - h;
    f64 product = high * 0x1.921fb54442d18p-64;
    f64 error = ((h * 0x1.921fb5p-64 - product) + l * 0x1.921fb5p-64) + h * 0x1.110b46p-90 + l * 0x1.110b46p-90;
    f64 small = error + (high * 0x1.1a62633145c07p-118 + low * 0x1.921fb54442d18p-64);
    u64 sign = bits_of_f64(x) >> 63;
    r.high = flip_if_odd(product + small, sign);
    r.low = flip_if_odd(small - ((product + small) - product), sign);
    r.k = sign ? 0 - k : k;
    return r;
}

/* -- sine and cosine of r -- */

/* (sin r / r - 1) / r**2, error of the sine 3e-18; (cos r - 1 + r**2 / 2) / r**4, error of the cosine 7e-20.  z = r * r. */
INLINE f64 sin_series(f64 z, f64 z2)
{
    return (-0x1.5555555555549p-3 + z * 0x1.111111110f88dp-7)
           + z2 * ((-0x1.a01a019c13790p-13 + z * 0x1.71de357911734p-19) + z2 * (-0x1.ae5e672526694p-26 + z * 0x1.5d933d2de329ap-33));
}
INLINE f64 cos_series(f64 z, f64 z2)
{
    return (0x1.5555555555552p-5 + z * -0x1.6c16c16c15d2fp-10)
           + z2 * ((0x1.a01a019db2e9cp-16 + z * -0x1.27e4f8b0f2cc7p-22) + z2 * (0x1.1eea538a08f7ep-29 + z * -0x1.8fe029f46dc8ep-37));
}

/* The sine of r where k is even, the cosine where it is odd, and the other sign where k & 2.  The large parts, r and 1 - z / 2,
 * meet the sum of the small ones last. */
INLINE f64 sine_of_reduced(f64 high, f64 low, u64 k)
{
    f64 z = high * high, z2 = z * z, half = 0.5 * z, top = 1.0 - half;
    f64 sine = high + (high * z * sin_series(z, z2) + low * top);
    f64 cosine = top + (((1.0 - top) - half) + (z2 * cos_series(z, z2) - high * low));
    sine = high == 0 ? high : sine;        /* -0 */
    return flip_if_odd(k & 1 ? cosine : sine, k >> 1);
}

/* Sine and cosine in two parts, z too, and their quotient: q = n / d first, then what the exact n - q * d leaves of it. */
INLINE f64 split_high(f64 x) { return f64_of_bits(bits_of_f64(x) & ~0x7ffffffull); }   /* 26 bits */
INLINE f64 tan_of_reduced(f64 high, f64 low, u64 k)
{
    f64 h = split_high(high), l = high - h;
    f64 z = high * high, z2 = z * z, z_low = (h * h - z) + l * (h + high), half = 0.5 * z, top = 1.0 - half;
    f64 s = high * z * sin_series(z, z2) + low * top;
    f64 c = ((1.0 - top) - half) + (z2 * cos_series(z, z2) - (high * low + 0.5 * z_low));
    f64 sine = high + s, sine_low = (high - sine) + s, cosine = top + c, cosine_low = (top - cosine) + c;
    f64 n = k & 1 ? cosine : sine, n_low = k & 1 ? cosine_low : sine_low;
    f64 d = k & 1 ? sine : cosine, d_low = k & 1 ? sine_low : cosine_low;
    f64 inverse = 1.0 / d, q = n * inverse;
    f64 qh = split_high(q), ql = q - qh, dh = split_high(d), dl = d - dh, product = q * d;
    f64 product_low = ((qh * dh - product) + qh * dl + ql * dh) + ql * dl;
    f64 result = q + (((n - product) - product_low) + (n_low - q * d_low)) * inverse;
    result = high == 0 ? high : result;    /* -0 */
    return flip_if_odd(result, k);
}

/* -- loops: the hard operands of a block are reduced again one at a time -- */

#define REDUCED_1(name, finish)                                                                                               \
    INLINE f64 name(f64 a)                                                                                                    \
    {                                                                                                                         \
        Reduced r = reduce_f64(a);                                                                                            \
        if (too_hard(a, r.high))                                                                                              \
            r = reduce_far_f64(a);                                                                                            \
        return finish;                                                                                                        \
    }                                                                                                                         \
    static __attribute__((noinline, unused)) void name##_stages(f64 *out, const f64 *x, ptrdiff_t n)                          \
    {                                                                                                                         \
        _Alignas(64) f64 high[STAGE_BLOCK];                                                                                   \
        _Alignas(64) f64 low[STAGE_BLOCK];                                                                                    \
        _Alignas(64) u64 k[STAGE_BLOCK];                                                                                      \
        for (; n > 0; n -= STAGE_BLOCK, x += STAGE_BLOCK, out += STAGE_BLOCK) {                                               \
            ptrdiff_t count = n < STAGE_BLOCK ? n : STAGE_BLOCK;                                                              \
            u64 beyond = 0;                                                                                                   \
            EACH(i, count)                                                                                                    \
            {                                                                                                                 \
                Reduced r = reduce_f64(x[i]);                                                                                 \
                beyond |= too_hard(x[i], r.high);                                                                             \
                high[i] = r.high, low[i] = r.low, k[i] = r.k;                                                                 \
            }                                                                                                                 \
            if (beyond)                                                                                                       \
                reduce_hard_f64(x, high, low, k, count);                                                                      \
            EACH(i, count)                                                                                                    \
            {                                                                                                                 \
                Reduced r = {high[i], low[i], k[i]};                                                                          \
                out[i] = finish;                                                                                              \
            }                                                                                                                 \
        }                                                                                                                     \
    }
static __attribute__((noinline, unused)) void reduce_hard_f64(const f64 *x, f64 *high, f64 *low, u64 *k, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        if (too_hard(x[i], high[i])) {
            Reduced r = reduce_far_f64(x[i]);
            high[i] = r.high, low[i] = r.low, k[i] = r.k;
        }
}

REDUCED_1(sin_f64, sine_of_reduced(r.high, r.low, r.k))
REDUCED_1(cos_f64, sine_of_reduced(r.high, r.low, r.k + 1))
REDUCED_1(tan_f64, tan_of_reduced(r.high, r.low, r.k))
