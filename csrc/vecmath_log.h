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

/* -- float64: m = 1 + f, s = f / (2 + f), log(m) = f - f*f/2 + s * (f*f/2 + z*Q(z)), z = s*s; Q of degree 6, error 4e-19 in log(m).
 * Only the first two terms are large: they are summed in two parts, with the exact square of f. -- */

INLINE f64 log_q(f64 z)
{
    f64 z2 = z * z;
    f64 q01 = 0x1.5555555555592p-1 + z * 0x1.999999997fdb2p-2;
    f64 q23 = 0x1.24924941f15e4p-2 + z * 0x1.c71c5209341aap-3;
    f64 q456 = (0x1.74663ef033d80p-3 + z * 0x1.39a1b9f7d572ep-3) + z2 * 0x1.2f056adfa6115p-3;
    return z * ((q01 + z2 * q23) + (z2 * z2) * q456);
}

/* log(1 + f) = high + low.  `more`: what is to be added to it */
INLINE f64 log_parts(f64 f, f64 s, f64 more, f64 *low)
{
    f64 f_high = high_half(f);
    f64 half_square = 0.5 * f_high * f_high, square_rest = 0.5 * (f + f_high) * (f - f_high);
    f64 high = f - half_square;
    *low = ((f - high) - half_square) + ((s * ((half_square + square_rest) + log_q(s * s)) - square_rest) + more);
    return high;
}

/* k * ln(2) + high + low */
INLINE f64 add_k_ln2(f64 k, f64 high, f64 low)
{
    f64 large = k * LN2_HIGH, sum = large + high;
    return sum + ((high - (sum - large)) + (k * LN2_LOW + low));
}

/* f, f / (2 + f) and k of positive x; a subnormal one is scaled first. */
INLINE void log_first(f64 x, f64 *f, f64 *s, f64 *k)
{
    f64 exponent, subnormal = x < 0x1p-1022 ? 54.0 : 0.0;
    f64 m = split_exponent(x < 0x1p-1022 ? x * 0x1p54 : x, &exponent);
    *k = exponent - subnormal;
    *f = m - 1.0;
    *s = *f / (*f + 2.0);
}
INLINE f64 log_ends_f64(f64 a, f64 log)
{
    f64 r = a < INFINITY ? log : a;
    r = a < 0 ? (f64)NAN : r;
    return a == 0 ? -INFINITY : r;
}

#define log_f64_first log_first
INLINE f64 log_f64_last(f64 a, f64 f, f64 s, f64 k)
{
    f64 low, high = log_parts(f, s, 0.0, &low);
    return log_ends_f64(a, add_k_ln2(k, high, low));
}

/* Times 1 / ln(2) or 1 / ln(10), which is 26 bits and the rest: the first product is exact. */
INLINE f64 log_times(f64 high, f64 low, f64 factor, f64 factor_rest, f64 *rest)
{
    f64 head = high_half(high);
    *rest = head * factor_rest + ((high - head) + low) * (factor + factor_rest);
    return head * factor;
}

#define log2_f64_first log_first
INLINE f64 log2_f64_last(f64 a, f64 f, f64 s, f64 k)
{
    f64 low, rest, high = log_parts(f, s, 0.0, &low);
    high = log_times(high, low, 0x1.7154760000000p+0, 0x1.4ae0bf85ddf44p-26, &rest);
    f64 sum = k + high;
    return log_ends_f64(a, sum + ((high - (sum - k)) + rest));
}

#define log10_f64_first log_first
INLINE f64 log10_f64_last(f64 a, f64 f, f64 s, f64 k)
{
    f64 low, rest, high = log_parts(f, s, 0.0, &low);
    high = log_times(high, low, 0x1.bcb7b10000000p-2, 0x1.49b9438ca9aaep-28, &rest);
    f64 large = k * 0x1.34413509f7800p-2, sum = large + high;
    return log_ends_f64(a, sum + ((high - (sum - large)) + (k * 0x1.fef311f12b358p-46 + rest)));
}

/* log(1 + t + t_low) for t >= -1: 1 + t in two parts, and where that keeps its exponent, t itself instead of m - 1.
 * log(m + m_low) = log(m) + m_low / m, and 1 / m is nearly (1 - s) ** 2. */
INLINE void log1p_pair(f64 t, f64 t_low, f64 *f, f64 *s, f64 *more, f64 *k)
{
    f64 u = 1.0 + t, of_t = u - 1.0;
    f64 lost = (1.0 - (u - of_t)) + (t - of_t);
    u64 bits = bits_of_f64(u) + (0x4000000000000000u - SQRT_HALF_BITS);
    f64 scale = f64_of_bits(0x7ff0000000000000u - (bits & 0x7ff0000000000000u));    /* 2**-k */
    f64 m = split_exponent(u, k), m_low = *k < 60 ? (lost + t_low) * scale : 0.0;   /* beyond it is nothing, and the scale infinite */
    m_low = *k == 0 ? t_low : m_low;
    *f = *k == 0 ? t : m - 1.0;
    *s = *f / (*f + 2.0);
    *more = m_low * (1.0 - 2.0 * *s * (1.0 - *s));
}
INLINE f64 log1p_pair_last(f64 f, f64 s, f64 more, f64 k)
{
    f64 low, high = log_parts(f, s, more, &low);
    return add_k_ln2(k, high, low);
}

INLINE void log1p_f64_first(f64 a, f64 *f, f64 *s, f64 *more, f64 *k) { log1p_pair(a, 0.0, f, s, more, k); }
INLINE f64 log1p_f64_last(f64 a, f64 f, f64 s, f64 more, f64 k)
{
    f64 r = a < INFINITY ? log1p_pair_last(f, s, more, k) : a;
    r = a < -1 ? (f64)NAN : r;
    r = a == -1 ? -INFINITY : r;
    return fabs(a) < TINY ? a : r;
}

/* a * a = p + rest, exactly where p is neither huge nor tiny */
INLINE f64 square_parts(f64 a, f64 *rest)
{
    f64 head = high_half(a), tail = a - head, p = a * a;
    *rest = ((head * head - p) + 2.0 * head * tail) + tail * tail;
    return p;
}
/* sqrt(w + w_low) = r + low for positive w */
INLINE f64 sqrt_parts(f64 w, f64 w_low, f64 *low)
{
    f64 rest, r = sqrt(w), square = square_parts(r, &rest);
    *low = (((w - square) - rest) + w_low) / (r + r);
    return r;
}

#define BEYOND_SQUARES 0x1p28              /* from here on asinh(x) and acosh(x) are log(2 * x) */

/* log1p(t), or log(2 * x) of a large x */
INLINE void log1p_or_log_of_twice(f64 x, f64 t, f64 t_low, f64 *f, f64 *s, f64 *more, f64 *k)
{
    f64 large = x > BEYOND_SQUARES ? 1.0 : 0.0;
    log1p_pair(x > BEYOND_SQUARES ? x - 1.0 : t, x > BEYOND_SQUARES ? 0.0 : t_low, f, s, more, k);
    *k += large;
}

/* asinh(a) = log1p(a + (sqrt(1 + a*a) - 1)) for a >= 0 */
INLINE void asinh_f64_first(f64 a, f64 *f, f64 *s, f64 *more, f64 *k)
{
    f64 x = fabs(a), y = x > BEYOND_SQUARES ? 1.0 : x;
    f64 square_rest, root_low, square = square_parts(y, &square_rest);
    f64 w = 1.0 + square, of_square = w - 1.0;
    f64 w_low = ((1.0 - (w - of_square)) + (square - of_square)) + square_rest;
    f64 root = sqrt_parts(w, w_low, &root_low) - 1.0;
    f64 t = y + root, of_root = t - y;
    log1p_or_log_of_twice(x, t, ((y - (t - of_root)) + (root - of_root)) + root_low, f, s, more, k);
}
INLINE f64 asinh_f64_last(f64 a, f64 f, f64 s, f64 more, f64 k)
{
    f64 r = copysign(log1p_pair_last(f, s, more, k), a);
    r = fabs(a) < 0x1p-28 ? a : r;
    return fabs(a) < INFINITY ? r : a;
}

/* acosh(a) = log1p(t + sqrt(t*t + 2*t)), t = a - 1, which is exact */
INLINE void acosh_f64_first(f64 a, f64 *f, f64 *s, f64 *more, f64 *k)
{
    f64 t = a > BEYOND_SQUARES ? 1.0 : a - 1.0;
    f64 square_rest, root_low, square = square_parts(t, &square_rest);
    f64 w = (t + t) + square, of_square = w - (t + t);
    f64 w_low = (((t + t) - (w - of_square)) + (square - of_square)) + square_rest;
    f64 root = sqrt_parts(w, w_low, &root_low);
    root_low = t > 0 ? root_low : 0.0;
    f64 sum = root + t, of_t = sum - root;
    log1p_or_log_of_twice(a, sum, ((root - (sum - of_t)) + (t - of_t)) + root_low, f, s, more, k);
}
INLINE f64 acosh_f64_last(f64 a, f64 f, f64 s, f64 more, f64 k)
{
    f64 r = a < INFINITY ? log1p_pair_last(f, s, more, k) : a;
    return a < 1 ? (f64)NAN : r;
}

/* atanh(a) = log1p(2 * a / (1 - a)) / 2 for a >= 0 */
INLINE void atanh_f64_first(f64 a, f64 *f, f64 *s, f64 *more, f64 *k)
{
    f64 x = fabs(a), d = 1.0 - x, low;
    f64 t = quotient_parts(x + x, 0.0, d, (1.0 - d) - x, &low);
    log1p_pair(t, low, f, s, more, k);
}
INLINE f64 atanh_f64_last(f64 a, f64 f, f64 s, f64 more, f64 k)
{
    f64 x = fabs(a);
    f64 r = x < 1 ? 0.5 * log1p_pair_last(f, s, more, k) : (f64)NAN;
    r = x == 1 ? INFINITY : r;
    return x < 0x1p-28 ? a : copysign(r, a);
}

STAGED_3(log_f64, f64)
STAGED_3(log2_f64, f64)
STAGED_3(log10_f64, f64)
STAGED_4(log1p_f64, f64)
STAGED_4(asinh_f64, f64)
STAGED_4(acosh_f64, f64)
STAGED_4(atanh_f64, f64)
