/* exp, exp2, expm1, sigmoid, sinh, cosh, tanh.  See vecmath.h for what all functions keep to, and its named notes. */
#pragma once
#include "stages.h"

#define LOG2_E 0x1.71547652b82fep+0
#define LN2 0x1.62e42fefa39efp-1
#define ONE_BITS 0x3ff0000000000000u

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

/* -- float64 -- */

/* e**x = 2**k * e**r, r = x - k * ln 2 in two parts: the high part of ln 2 has 42 bits, so k times it is exact.
 * e**r = 1 + (r + (tail + r*r*P(r))), P of degree 9 with error 6e-18 in e**r. */
INLINE f64 exp_f64(f64 x)
{
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    f64 k = (x * 0x1.71547652b82fep+0 + TO_INTEGER) - TO_INTEGER;
    f64 high = x - k * 0x1.62e42fefa3800p-1;
    f64 low = k * 0x1.ef35793c76730p-45;
    f64 r = high - low;
    f64 tail = (high - r) - low;           /* what r lost */
    f64 r2 = r * r, r4 = r2 * r2;
    f64 p01 = 0x1.0000000000002p-1 + r * 0x1.555555555555ap-3;
    f64 p23 = 0x1.5555555552f18p-5 + r * 0x1.111111110ecc5p-7;
    f64 p45 = 0x1.6c16c17cd5d4fp-10 + r * 0x1.a01a01b45a8aap-13;
    f64 p67 = 0x1.a019aba160406p-16 + r * 0x1.71ddec938d1a7p-19;
    f64 p89 = 0x1.289ed8481de59p-22 + r * 0x1.af737cfc50ad4p-26;
    f64 p = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * p89);
    f64 y = 1.0 + (r + (tail + r2 * p));
    /* 2**k as two factors, because k may lie outside the exponents of normal numbers. */
    f64 half = k * 0.5 + TO_INTEGER;
    f64 rest = (k - (half - TO_INTEGER)) + TO_INTEGER;
    f64 first = f64_of_bits((bits_of_f64(half) << 52) + 0x3ff0000000000000u);
    f64 second = f64_of_bits((bits_of_f64(rest) << 52) + 0x3ff0000000000000u);
    return y * first * second;
}
