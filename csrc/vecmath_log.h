/* log, log2, log10, log1p, asinh, acosh, atanh.  See vecmath.h for what all functions keep to, and its named notes. */
#pragma once
#include "vecmath_exp.h"

#define LOG10_2 0x1.34413509f79ffp-2

/* x = 2**k * m with sqrt(1/2) <= m < sqrt(2), for normal x > 0: k is what the exponent field holds after subtracting sqrt(1/2), and
 * becomes a float64 as the low bits of 2**52. */
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcdu
INLINE f64 split_exponent(f64 x, f64 *k)
{
    u64 bits = bits_of_f64(x) + (0x4000000000000000u - SQRT_HALF_BITS);
    *k = f64_of_bits(bits >> 52 | 0x4330000000000000u) - (0x1p52 + 1024);
    return f64_of_bits((bits & 0xfffffffffffffu) + SQRT_HALF_BITS);
}

/* -- float32: log(m) = 2 * atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172; relative error 7e-10, 0.012 ULP -- */

INLINE f64 twice_atanh(f64 s)
{
    f64 z = s * s;
    return s * ((0x1.fffffffa1424dp+0 + z * 0x1.5555876cc86acp-1) + (z * z) * (0x1.995786b3e7696p-2 + z * 0x1.32704e1aa33e4p-2));
}

INLINE void log_f32_first(f32 a, f64 *u, f64 *k)
{
    f64 m = split_exponent(a, k);          /* subnormal float32 are normal float64 */
    *u = (m - 1.0) / (m + 1.0);
}
INLINE f32 log_ends_f32(f32 a, f64 log)    /* what the argument says where it is not a positive number */
{
    f32 r = a < INFINITY ? (f32)log : a;
    r = a < 0 ? F32_NAN : r;
    return a == 0 ? -INFINITY : r;
}
INLINE f32 log_f32_last(f32 a, f64 u, f64 k) { return log_ends_f32(a, k * LN2 + twice_atanh(u)); }

#define log2_f32_first log_f32_first
INLINE f32 log2_f32_last(f32 a, f64 u, f64 k) { return log_ends_f32(a, k + twice_atanh(u) * LOG2_E); }

#define log10_f32_first log_f32_first
INLINE f32 log10_f32_last(f32 a, f64 u, f64 k) { return log_ends_f32(a, k * LOG10_2 + twice_atanh(u) * 0x1.bcb7b1526e50ep-2); }

/* log(1 + y) of a float64 y, to float32's accuracy: where 1 + y keeps its exponent, m - 1 is y itself, without the rounding. */
INLINE void log1p_first(f64 y, f64 *u, f64 *k)
{
    f64 m = split_exponent(1.0 + y, k);
    f64 f = *k == 0 ? y : m - 1.0;
    *u = f / (f + 2.0);
}

INLINE void log1p_f32_first(f32 a, f64 *u, f64 *k) { log1p_first(a, u, k); }
INLINE f32 log1p_f32_last(f32 a, f64 u, f64 k)
{
    f32 r = a < INFINITY ? (f32)(k * LN2 + twice_atanh(u)) : a;
    r = a < -1 ? F32_NAN : r;
    r = a == -1 ? -INFINITY : r;
    return a == 0 ? a : r;                 /* -0 */
}

/* asinh(a) = log1p(a + a*a / (1 + sqrt(1 + a*a))) for a >= 0 */
INLINE void asinh_f32_first(f32 a, f64 *u, f64 *k)
{
    f64 x = fabs((f64)a), square = x * x;
    log1p_first(x + square / (1.0 + sqrt(1.0 + square)), u, k);
}
INLINE f32 asinh_f32_last(f32 a, f64 u, f64 k)
{
    f32 r = copysignf((f32)(k * LN2 + twice_atanh(u)), a);
    return fabsf(a) < INFINITY ? r : a;
}

/* acosh(a) = log1p(t + sqrt(t * (t + 2))), t = a - 1 */
INLINE void acosh_f32_first(f32 a, f64 *u, f64 *k)
{
    f64 t = (f64)a - 1.0;
    log1p_first(t + sqrt(t * (t + 2.0)), u, k);
}
INLINE f32 acosh_f32_last(f32 a, f64 u, f64 k)
{
    f32 r = a < INFINITY ? (f32)(k * LN2 + twice_atanh(u)) : a;
    return a < 1 ? F32_NAN : r;
}

/* atanh(a) = log1p(2 * a / (1 - a)) / 2 for a >= 0 */
INLINE void atanh_f32_first(f32 a, f64 *u, f64 *k)
{
    f64 x = fabs((f64)a);
    log1p_first((x + x) / (1.0 - x), u, k);
}
INLINE f32 atanh_f32_last(f32 a, f64 u, f64 k)
{
    f32 r = fabsf(a) < 1 ? (f32)(0.5 * (k * LN2 + twice_atanh(u))) : F32_NAN;
    r = fabsf(a) == 1 ? INFINITY : r;
    return copysignf(r, a);
}

STAGED_2(log_f32, f32)
STAGED_2(log2_f32, f32)
STAGED_2(log10_f32, f32)
STAGED_2(log1p_f32, f32)
STAGED_2(asinh_f32, f32)
STAGED_2(acosh_f32, f32)
STAGED_2(atanh_f32, f32)
