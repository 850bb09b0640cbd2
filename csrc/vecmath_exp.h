/* exp, exp2, expm1, sigmoid, sinh, cosh, tanh.  See vecmath.h for what all functions keep to, and its named notes. */
#pragma once
#include "stages.h"

#define LOG2_E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define LN2_26 0x1.62e42f8p-1              /* 26 bits of it, and the rest */
#define LN2_AFTER_26 0x1.be8e7bcd5e4f2p-27
#define ONE_BITS 0x3ff0000000000000u
#define TINY 0x1p-60                       /* far below the last place of 1 */

INLINE f64 high_half(f64 x) { return f64_of_bits(bits_of_f64(x) & 0xfffffffff8000000u); }    /* 26 bits of the significand */

/* -- float32: y = x * log2(e) = k + f, |f| <= 1/2, and e**x = 2**k * 2**f -- */

/* 2**f = (q + p) / (q - p), p odd and q even in f: tanh(f * ln(2) / 2) = p / q with relative error 5e-10 (0.009 ULP).  That takes
 * half the steps of a polynomial, and division is as fast as four of them.  z = f * f. */
INLINE f64 exp2_odd(f64 f, f64 z) { return f * (0x1.cdc2f9db7b38fp+2 + z * 0x1.d8aeab8c1e074p-5); }
INLINE f64 exp2_even(f64 z) { return z + 0x1.4d1731c92f6d9p+4; }

/* k from the low bits of a sum with TO_INTEGER: times 2**k, and 2**k itself. */
INLINE f64 times_exp2(f64 x, f64 shifted) { return f64_of_bits(bits_of_f64(x) + (bits_of_f64(shifted) << 52)); }
INLINE f64 exp2_of(f64 shifted) { return times_exp2(1.0, shifted); }

INLINE f64 exp_from_y(f64 y)
{
    f64 shifted = y + TO_INTEGER;
    f64 f = y - (shifted - TO_INTEGER), z = f * f;
    f64 p = exp2_odd(f, z), q = exp2_even(z);
    return times_exp2((q + p) / (q - p), shifted);
}

INLINE void exp_f32_first(f32 a, f64 *u) { *u = exp_from_y((f64)a * LOG2_E); }
INLINE f32 exp_f32_last(f32 a, f64 u)
{
    f32 r = a < -104.0f ? 0.0f : (f32)u;   /* [ends] */
    return a > 89.0f ? a + INFINITY : r;
}

INLINE void exp2_f32_first(f32 a, f64 *u) { *u = exp_from_y(a); }
INLINE f32 exp2_f32_last(f32 a, f64 u)
{
    f32 r = a < -151.0f ? 0.0f : (f32)u;
    return a > 128.0f ? a + INFINITY : r;
}

/* 1 / (1 + e**-x) = (q + p) / (q + p + 2**k * (q - p)) with -x, so that one division does. */
INLINE void sigmoid_f32_first(f32 a, f64 *u)
{
    f64 y = (f64)a * -LOG2_E;
    f64 shifted = y + TO_INTEGER;
    f64 f = y - (shifted - TO_INTEGER), z = f * f;
    f64 p = exp2_odd(f, z), q = exp2_even(z);
    f64 below = q - p;
    *u = below / (below + times_exp2(q + p, shifted));
}
INLINE f32 sigmoid_f32_last(f32 a, f64 u)
{
    f32 r = a < -104.0f ? 0.0f : (f32)u;
    return a > 104.0f ? 1.0f : r;
}

/* 2**k * (2**f - 1) + (2**k - 1), where 2**f - 1 = 2 * p / (q - p): nothing cancels. */
INLINE void expm1_f32_first(f32 a, f64 *u)
{
    f64 y = (f64)a * LOG2_E;
    f64 shifted = y + TO_INTEGER;
    f64 f = y - (shifted - TO_INTEGER), z = f * f;
    f64 p = exp2_odd(f, z), q = exp2_even(z), s = exp2_of(shifted);
    *u = (s - 1.0) + (p + p) * s / (q - p);
}
INLINE f32 expm1_f32_last(f32 a, f64 u)
{
    f32 r = a < -20.0f ? -1.0f : (f32)u;
    r = a > 89.0f ? a + INFINITY : r;
    return a == 0 ? a : r;                 /* -0 */
}

/* (e**2x - 1) / (e**2x + 1), both times q - p */
INLINE void tanh_f32_first(f32 a, f64 *u)
{
    f64 y = (f64)a * (2 * LOG2_E);
    f64 shifted = y + TO_INTEGER;
    f64 f = y - (shifted - TO_INTEGER), z = f * f;
    f64 p = exp2_odd(f, z), q = exp2_even(z), s = exp2_of(shifted);
    f64 less = s - 1.0, more = s + 1.0;
    *u = (less * q + more * p) / (more * q + less * p);
}
INLINE f32 tanh_f32_last(f32 a, f64 u)
{
    f32 r = a < -10.0f ? -1.0f : (f32)u;
    r = a > 10.0f ? 1.0f : r;
    return a == 0 ? a : r;
}

/* 2**f = even + odd; sinh and cosh take half the sum and the difference of 2**k and 2**-k with each. */
INLINE f64 exp2_even_part(f64 z)
{
    return (0x1.ffffffffa99c9p-1 + z * 0x1.ebfbe0a725876p-3) + (z * z) * (0x1.3b29daa5d6d32p-7 + z * 0x1.446b3240e69d5p-13);
}
INLINE f64 exp2_odd_part(f64 f, f64 z)
{
    return f * ((0x1.62e42fef9cd71p-1 + z * 0x1.c6b08da6c28a1p-5) + (z * z) * (0x1.5d8775fb4190fp-10 + z * 0x1.00c0a2d71523dp-16));
}
INLINE f64 exp2_pair(f64 y, f64 sign)      /* (2**y + sign * 2**-y) / 2 */
{
    f64 shifted = y + TO_INTEGER;
    f64 f = y - (shifted - TO_INTEGER), z = f * f;
    f64 up = times_exp2(0.5, shifted), down = sign * f64_of_bits(0x3fe0000000000000u - (bits_of_f64(shifted) << 52));
    return (up + down) * exp2_even_part(z) + (up - down) * exp2_odd_part(f, z);
}
INLINE void sinh_f32_first(f32 a, f64 *u) { *u = exp2_pair((f64)a * LOG2_E, -1.0); }
INLINE f32 sinh_f32_last(f32 a, f64 u)
{
    f32 r = fabsf(a) > 90.0f ? a * INFINITY : (f32)u;
    return a == 0 ? a : r;
}
INLINE void cosh_f32_first(f32 a, f64 *u) { *u = exp2_pair((f64)a * LOG2_E, 1.0); }
INLINE f32 cosh_f32_last(f32 a, f64 u) { return fabsf(a) > 90.0f ? fabsf(a) * INFINITY : (f32)u; }

STAGED_1(exp_f32, f32)
STAGED_1(exp2_f32, f32)
STAGED_1(expm1_f32, f32)
STAGED_1(sigmoid_f32, f32)
STAGED_1(sinh_f32, f32)
STAGED_1(cosh_f32, f32)
STAGED_1(tanh_f32, f32)

/* -- float64: x = k * ln(2) + r + tail, |r| <= ln(2) / 2, and e**x = 2**k * (1 + r + rest) -- */

#define LN2_HIGH 0x1.62e42fefa3800p-1      /* 42 bits: k times it is exact */
#define LN2_LOW 0x1.ef35793c76730p-45

INLINE void exp_reduce_by(f64 x, f64 shifted, f64 *r, f64 *tail)
{
    f64 k = shifted - TO_INTEGER;
    f64 high = x - k * LN2_HIGH, low = k * LN2_LOW;
    *r = high - low;
    *tail = (high - *r) - low;             /* what r lost */
}
INLINE f64 exp_reduce(f64 x, f64 *r, f64 *tail)        /* k, as the low bits of a sum with TO_INTEGER */
{
    f64 shifted = x * LOG2_E + TO_INTEGER;
    exp_reduce_by(x, shifted, r, tail);
    return shifted;
}

/* tail + r*r/2 + r**3 * P(r), P of degree 9 with error 1e-18 in e**r, |r| <= 0.406.  That r*r/2 is apart halves the error of the whole. */
INLINE f64 exp_rest(f64 r, f64 tail)
{
    f64 r2 = r * r, r4 = r2 * r2;
    f64 p01 = 0x1.5555555555558p-3 + r * 0x1.555555555555dp-5;
    f64 p23 = 0x1.111111110e3f3p-7 + r * 0x1.6c16c16c11c10p-10;
    f64 p45 = 0x1.a01a01bc4e59bp-13 + r * 0x1.a01a01bfc97a2p-16;
    f64 p67 = 0x1.71ddd2fec9223p-19 + r * 0x1.27e4a4cef0769p-22;
    f64 p89 = 0x1.afa3a8f1d5ba4p-26 + r * 0x1.1fc59fe310470p-29;
    f64 p = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * p89);
    return 0.5 * r2 + (tail + (r2 * r) * p);
}

/* 2**k as two factors, because k may lie outside the exponents of normal numbers. */
INLINE f64 exp2_half(f64 shifted) { return f64_of_bits((bits_of_f64(shifted) >> 1 << 52) + ONE_BITS); }
INLINE f64 exp2_other_half(f64 shifted)
{
    return f64_of_bits((bits_of_f64(shifted) << 52) - (bits_of_f64(shifted) >> 1 << 52) + ONE_BITS);
}
INLINE f64 times_exp2_wide(f64 x, f64 shifted) { return x * exp2_half(shifted) * exp2_other_half(shifted); }

/* 1 + r + rest with what the first sum lost */
INLINE f64 one_plus(f64 r, f64 rest)
{
    f64 sum = 1.0 + r;
    return sum + ((r - (sum - 1.0)) + rest);
}

INLINE void exp_f64_first(f64 a, f64 *u, f64 *shifted)
{
    f64 r, tail;
    *shifted = exp_reduce(a, &r, &tail);
    *u = one_plus(r, exp_rest(r, tail));
}
INLINE f64 exp_f64_last(f64 a, f64 u, f64 shifted)
{
    f64 r = a < -746.0 ? 0.0 : times_exp2_wide(u, shifted);
    return a <= 710.0 ? r : a + INFINITY;  /* [ends] NaN too */
}

INLINE void exp2_f64_first(f64 a, f64 *u, f64 *shifted)
{
    *shifted = a + TO_INTEGER;
    f64 f = a - (*shifted - TO_INTEGER), r = f * LN2;
    f64 f_high = high_half(f);             /* f * ln(2) in two parts: 26 bits each are multiplied exactly */
    f64 tail = ((f_high * LN2_26 - r) + (f - f_high) * LN2_26) + f * LN2_AFTER_26;
    *u = one_plus(r, exp_rest(r, tail));
}
INLINE f64 exp2_f64_last(f64 a, f64 u, f64 shifted)
{
    f64 r = a < -1076.0 ? 0.0 : times_exp2_wide(u, shifted);
    return a <= 1024.0 ? r : a + INFINITY;
}

/* s * e**x - one = high + low, where `one` is s / 2**k; `lost`: what s - one loses */
INLINE void expm1_parts(f64 s, f64 r, f64 rest, f64 one, f64 lost, f64 *high, f64 *low)
{
    f64 t = s - one, sum = t + s * r;
    *low = ((s * r - (sum - t)) + s * rest) + lost;
    *high = sum;
}

/* Half of it, because 2**1024 is too large where e**x is not yet.  k is 0 a little beyond ln(2) / 2, because the sum cancels most
 * where k is 1 and r is negative. */
INLINE void expm1_f64_first(f64 a, f64 *u)
{
    f64 r, tail, shifted = fabs(a) < 0.406 ? TO_INTEGER : a * LOG2_E + TO_INTEGER;
    exp_reduce_by(a, shifted, &r, &tail);
    f64 s = times_exp2(0.5, shifted), high, low;
    expm1_parts(s, r, exp_rest(r, tail), 0.5, (s - (s - 0.5)) - 0.5, &high, &low);
    *u = high + low;
}
INLINE f64 expm1_f64_last(f64 a, f64 u)
{
    f64 r = a < -40.0 ? -1.0 : u + u;
    r = a <= 710.0 ? r : a + INFINITY;
    return fabs(a) < TINY ? a : r;         /* -0, and half of a subnormal number may not be one */
}

/* (n + n_low) / (d + d_low) in two parts: the quotient's first 26 bits times the divisor's are exact, so the remainder is too. */
INLINE f64 quotient_parts(f64 n, f64 n_low, f64 d, f64 d_low, f64 *low)
{
    f64 inverse = 1.0 / d;
    f64 q = high_half(n * inverse), d_high = high_half(d);
    f64 rest = (((n - q * d_high) - q * ((d - d_high) + d_low)) + n_low) * inverse;
    f64 sum = q + rest;
    *low = rest - (sum - q);
    return sum;
}
INLINE f64 quotient(f64 n, f64 n_low, f64 d, f64 d_low)
{
    f64 low;
    return quotient_parts(n, n_low, d, d_low, &low);
}

/* e = e**-|a|: 1 / (1 + e), or e / (1 + e) where a < 0.  The 2**k of the numerator comes last. */
INLINE void sigmoid_f64_first(f64 a, f64 *u, f64 *shifted)
{
    f64 r, tail, k = exp_reduce(-fabs(a), &r, &tail);
    f64 sum = 1.0 + r, low = (r - (sum - 1.0)) + exp_rest(r, tail);
    f64 y = sum + low, y_low = low - (y - sum);
    f64 half = exp2_half(k), other = exp2_other_half(k);
    f64 e = y * half * other, d = 1.0 + e;
    f64 d_low = (e - (d - 1.0)) + y_low * half * other;
    *u = quotient(a < 0 ? y : 1.0, a < 0 ? y_low : 0.0, d, d_low);
    *shifted = a < 0 ? k : TO_INTEGER;
}
INLINE f64 sigmoid_f64_last(f64 a, f64 u, f64 shifted)
{
    f64 r = a < -746.0 ? 0.0 : times_exp2_wide(u, shifted);
    r = a > 746.0 ? 1.0 : r;
    return a == a ? r : a;
}

/* tanh(|a|) = -e / (2 + e), e = e**(-2 |a|) - 1 */
INLINE void tanh_f64_first(f64 a, f64 *u, f64 *v)
{
    f64 r, tail, shifted = exp_reduce(-2.0 * fabs(a), &r, &tail);
    f64 s = exp2_of(shifted), high, low;
    expm1_parts(s, r, exp_rest(r, tail), 1.0, s - ((s - 1.0) + 1.0), &high, &low);
    *u = high + low;
    *v = low - (*u - high);
}
INLINE f64 tanh_f64_last(f64 a, f64 e, f64 e_low)
{
    f64 d = 2.0 + e;
    f64 r = fabs(quotient(e, e_low, d, (e - (d - 2.0)) + e_low));
    r = fabs(a) > 22.0 ? 1.0 : r;
    r = copysign(a == 0 ? 0.0 : r, a);
    return a == a ? r : a;
}

/* e**r = even + odd, even = 1 + z*C(z) and odd = r + tail + r*z*S(z), z = r*r.  With A and B half the difference and the sum of 2**k
 * and 2**-k, sinh = A * even + B * odd and cosh = B * even + A * odd.  Quarters, because 2**k overflows before the sum of halves. */
INLINE f64 sinh_or_cosh(f64 magnitude, f64 sign)
{
    f64 r, tail, shifted = exp_reduce(magnitude, &r, &tail);
    f64 z = r * r, z2 = z * z;
    f64 even = z * ((0x1.0000000000000p-1 + z * 0x1.5555555555557p-5)
                    + z2 * ((0x1.6c16c16c15a73p-10 + z * 0x1.a01a01a9e5d72p-16)
                            + z2 * (0x1.27e4d4224588cp-22 + z * 0x1.1f7f18b26e408p-29)));
    f64 odd = tail + (r * z) * ((0x1.5555555555556p-3 + z * 0x1.11111111109b6p-7)
                                + z2 * ((0x1.a01a01a7c1fb5p-13 + z * 0x1.71de0db57dcafp-19) + z2 * 0x1.af389ae9416d2p-26));
    f64 up = times_exp2(0.25, shifted), down = sign * (0.0625 / up);
    f64 first = up + down, second = up - down;
    f64 lost = down - (first - up);        /* k > 26 */
    f64 part = first + up * r, sum = part - down * r;              /* both products are exact */
    f64 low = ((up * r - (part - first)) - (down * r + (sum - part))) + lost;
    return sum + (low + (first * even + second * odd));
}
INLINE void sinh_f64_first(f64 a, f64 *u) { *u = sinh_or_cosh(fabs(a), -1.0); }
INLINE f64 sinh_f64_last(f64 a, f64 u)
{
    f64 r = copysign(u + u, a);
    r = fabs(a) <= 710.5 ? r : a * INFINITY;
    return fabs(a) < TINY ? a : r;
}
INLINE void cosh_f64_first(f64 a, f64 *u) { *u = sinh_or_cosh(fabs(a), 1.0); }
INLINE f64 cosh_f64_last(f64 a, f64 u) { return fabs(a) <= 710.5 ? u + u : fabs(a) * INFINITY; }

STAGED_2(exp_f64, f64)
STAGED_2(exp2_f64, f64)
STAGED_1(expm1_f64, f64)
STAGED_2(sigmoid_f64, f64)
STAGED_1(sinh_f64, f64)
STAGED_1(cosh_f64, f64)
STAGED_2(tanh_f64, f64)
