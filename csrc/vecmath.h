/* Functions by our own short polynomials: no branch, no table, no library call, so that loops over them vectorise.
 *
 * float32 functions are computed in float64 and rounded once at the end.  No multiplication is fused with an addition, at any
 * level: every level gives the same bits by construction, which a fused version would only do with high probability.
 * Constants: minimax polynomials by Remez's exchange in 60 digits (csrc/README.md says how to get them again).
 *
 *   exp_f32   at most 0.54 ULP            exp_f64   at most 0.95 ULP (subnormal results: one rounding more)
 *
 * Named notes
 *   [to an integer]   Adding 1.5 * 2**52 to |x| < 2**51 rounds x to an integer, which then sits in the low bits.
 *   [NaN]             The bounds are ternaries that are false for NaN, and the bits shifted into the exponent are zero for
 *                     one, so NaN goes through.
 */
#pragma once
#include "scalar.h"

#define TO_INTEGER 0x1.8p52

/* e**x = 2**k * 2**f with k + f = x * log2(e), |f| <= 1/2; 2**f has relative error 1.9e-9, 0.03 ULP of float32. */
INLINE f32 exp_f32(f32 a)
{
    f32 x = a < -120.0f ? -120.0f : a;     /* results below are 0, and above infinite */
    x = x > 120.0f ? 120.0f : x;
    f64 y = (f64)x * 0x1.71547652b82fep+0;
    f64 shifted = y + TO_INTEGER;          /* [to an integer] */
    f64 f = y - (shifted - TO_INTEGER);
    f64 f2 = f * f;
    f64 low = 0x1.00000002613c9p+0 + f * 0x1.62e430c7e856cp-1;
    f64 middle = 0x1.ebfbdadce832ep-3 + f * 0x1.c6aed4b9dbdd3p-5;
    f64 high = 0x1.3b2dbb97a1db0p-7 + f * 0x1.5f456a6c29a2fp-10 + f2 * 0x1.41d34fc9d67f3p-13;
    f64 p = low + f2 * middle + (f2 * f2) * high;
    return (f32)f64_of_bits(bits_of_f64(p) + (bits_of_f64(shifted) << 52));
}

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

#include "vecmath_arith.h"
