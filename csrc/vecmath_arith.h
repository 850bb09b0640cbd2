/* Arithmetic on integers and floats that is one short step beyond an operator: quotients and remainders, shifts, powers of
 * integers, rounding, signs, neighbours.  Every result is exact, or rounded once; nothing traps; no loop needs the C library.
 *
 * Named notes
 *   [zero divisor]    PyTorch refuses an integer division by zero, so callers look for a zero before they write.  Here a zero
 *                     divisor counts as 1 in a quotient, and the remainder is the dividend: no trap, the same at every level.
 *   [through floats]  The quotient of two integers of n bits differs from every integer that it is not by a part in 2**n, so a
 *                     float with more than n + 1 bits of significand rounds it across none: floor and trunc of it are exact.
 *   [-1]              The smallest integer divided by -1 wraps to itself, where the processor's division would trap.
 */
#pragma once
#include "scalar.h"

#define HELPER static __attribute__((unused))                  /* long, and called from many loops: not inlined everywhere */

/* -- integers -- */

/* int32 from the quotient of two int32: 2**31 is the only one outside the type, and wraps. */
INLINE i32 i32_from_quotient(f64 q) { return (i32)(q < 0x1p31 ? q : -0x1p31); }
INLINE u32 u32_from_quotient(f64 q) { return (u32)bits_of_f64(q + 0x1.8p52); }           /* q is an integer */

#define DIVIDE_BY_FLOATS(t, float_t, floor, trunc, from_quotient)                       /* [through floats] */                \
    INLINE t floor_divide_##t(t a, t b) { return (t)from_quotient(floor((float_t)a / (float_t)(b == 0 ? 1 : b))); }           \
    INLINE t trunc_divide_##t(t a, t b) { return (t)from_quotient(trunc((float_t)a / (float_t)(b == 0 ? 1 : b))); }
DIVIDE_BY_FLOATS(u8, f32, floorf, truncf, (i32))
DIVIDE_BY_FLOATS(i8, f32, floorf, truncf, (i32))
DIVIDE_BY_FLOATS(u16, f32, floorf, truncf, (i32))
DIVIDE_BY_FLOATS(i16, f32, floorf, truncf, (i32))
DIVIDE_BY_FLOATS(u32, f64, floor, trunc, u32_from_quotient)
DIVIDE_BY_FLOATS(i32, f64, floor, trunc, i32_from_quotient)

INLINE u64 trunc_divide_u64(u64 a, u64 b) { return a / (b == 0 ? 1 : b); }
INLINE u64 floor_divide_u64(u64 a, u64 b) { return a / (b == 0 ? 1 : b); }
INLINE i64 trunc_divide_i64(i64 a, i64 b)
{
    i64 divisor = (b == 0) | (b == -1) ? 1 : b;         /* [-1] */
    i64 q = a / divisor;
    return b == -1 ? -q : q;
}
INLINE i64 floor_divide_i64(i64 a, i64 b)
{
    i64 divisor = (b == 0) | (b == -1) ? 1 : b;
    i64 q = a / divisor, r = a - q * divisor;
    q -= (r != 0) & ((r ^ divisor) < 0);
    return b == -1 ? -q : q;
}

/* U: the unsigned type of the width; W: an unsigned type that multiplies without becoming an int. */
#define INTEGERS_OF(t, U, W, bits)                                                                                            \
    INLINE t fmod_##t(t a, t b) { return (t)((W)a - (W)trunc_divide_##t(a, b) * (W)b); }                                      \
    INLINE t remainder_##t(t a, t b) { return (t)((W)a - (W)floor_divide_##t(a, b) * (W)b); }                                 \
    INLINE t left_shift_##t(t a, t b) { return (U)b < bits ? (t)((W)(U)a << (U)b % bits) : (t)0; }                            \
    INLINE t right_shift_##t(t a, t b)               /* beyond the width, or negative: all bits are the sign */               \
    {                                                                                                                         \
        t spread = (t)(a < 0 ? -1 : 0);                                                                                       \
        t shifted = (t)(a >> (U)b % bits);                                                                                    \
        return (U)b < bits ? shifted : spread;                                                                                \
    }                                                                                                                         \
    INLINE W magnitude_##t(t a) { return (U)(a < 0 ? (W)0 - (W)a : (W)a); }                                                   \
    /* By squaring.  A negative exponent leaves 0, but of 1 and -1. */                                                        \
    HELPER t pow_##t(t a, t b)                                                                                                \
    {                                                                                                                         \
        W result = 1, square = (W)a;                                                                                          \
        if (b < 0)                                                                                                            \
            return (t)(a == 1 ? 1 : a != (t)-1 ? 0 : b & 1 ? -1 : 1);                                                         \
        for (U left = (U)b; left; left >>= 1, square *= square)                                                               \
            result = left & 1 ? result * square : result;                                                                     \
        return (t)result;                                                                                                     \
    }                                                                                                                         \
    /* One division, which brings the larger to the size of the smaller, then J. Stein, J. Comput. Phys. 1 (1967).            \
     * Never negative, but for the smallest integer, whose magnitude wraps. */                                                \
    HELPER W common_divisor_##t(t a, t b)                                                                                     \
    {                                                                                                                         \
        W x = magnitude_##t(a), y = magnitude_##t(b);                                                                         \
        if (y == 0)                                                                                                           \
            return x;                                                                                                         \
        W r = x % y;                                                                                                          \
        if (r == 0)                                                                                                           \
            return y;                                                                                                         \
        x = y, y = r;                                                                                                         \
        int both = __builtin_ctzll(x | y);                                                                                    \
        for (x >>= __builtin_ctzll(x); y != 0;) {                                                                             \
            y >>= __builtin_ctzll(y);                                                                                         \
            W swap = (W)0 - (x > y), apart = (y - x) ^ swap;             /* no branch: it would be a coin's throw */          \
            x += swap & (y - x);                                                                                              \
            y = apart - swap;                                                                                                 \
        }                                                                                                                     \
        return x << both;                                                                                                     \
    }                                                                                                                         \
    INLINE t gcd_##t(t a, t b) { return (t)common_divisor_##t(a, b); }                                                        \
    /* What overflows wraps; int32 and int64 then lose the sign, as in PyTorch. */                                            \
    INLINE t lcm_##t(t a, t b)                                                                                                \
    {                                                                                                                         \
        W divisor = common_divisor_##t(a, b);                                                                                 \
        W product = magnitude_##t(a) / (divisor ? divisor : 1) * magnitude_##t(b);                                            \
        return (t)(sizeof(W) == sizeof(t) && (t)-1 < 0 && product >> (8 * sizeof(W) - 1) ? (W)0 - product : product);         \
    }                                                                                                                         \
    INLINE t sign_##t(t a) { return (t)((a > 0) - (a < 0)); }                                                                 \
    INLINE bool8 signbit_##t(t a) { return a < 0; }                                                                           \
    INLINE t heaviside_##t(t a, t at_zero) { return a == 0 ? at_zero : (t)(a > 0); }
INTEGERS_OF(u8, u8, u32, 8)
INTEGERS_OF(i8, u8, u32, 8)
INTEGERS_OF(u16, u16, u32, 16)
INTEGERS_OF(i16, u16, u32, 16)
INTEGERS_OF(u32, u32, u32, 32)
INTEGERS_OF(i32, u32, u32, 32)
INTEGERS_OF(u64, u64, u64, 64)
INTEGERS_OF(i64, u64, u64, 64)

/* -- floats: remainders -- */

/* Exact: the significands' remainder, eleven binary places at a time, because a significand has 53 bits of 64. */
static __attribute__((noinline, unused)) f64 fmod_by_bits(f64 a, f64 b)
{
    const u64 sign = 1ull << 63, hidden = 1ull << 52, infinite = 0x7ffull << 52;
    u64 ua = bits_of_f64(a) & ~sign, ub = bits_of_f64(b) & ~sign, negative = bits_of_f64(a) & sign;
    if (ua >= infinite || ub > infinite || ub == 0)
        return a != a ? a : b != b ? b : (f64)NAN;
    if (ua < ub)
        return a;
    i64 ea = ua >> 52 ? (i64)(ua >> 52) : 1, eb = ub >> 52 ? (i64)(ub >> 52) : 1;      /* a subnormal has the exponent 1 */
    u64 x = ua >> 52 ? (ua & (hidden - 1)) | hidden : ua, y = ub >> 52 ? (ub & (hidden - 1)) | hidden : ub;
    for (x %= y; ea > eb && x != 0;) {
        i64 places = ea - eb < 11 ? ea - eb : 11;
        x = (x << places) % y;
        ea -= places;
    }
    if (x == 0)
        return f64_of_bits(negative);
    i64 up = __builtin_clzll(x) - 11, room = eb - 1;
    up = up < room ? up : room;
    x <<= up;                                              /* below `hidden`: a subnormal, whose exponent is stored as 0 */
    return f64_of_bits(negative | (x + ((u64)(eb - up - 1) << 52)));
}

/* A whole quotient below 2**26 times either half of the divisor is exact, and so is the rest: x - q * y from its two parts,
 * and y again where the division rounded up to q.  (A rest that is its parts' sum is exact because it fits.) */
INLINE f64 fmod_f64(f64 a, f64 b)
{
    f64 x = fabs(a), y = fabs(b), q = trunc(x / y);
    if (!__builtin_expect((q < 0x1p26) & (y < (f64)INFINITY), 1))
        return fmod_by_bits(a, b);
    f64 high = f64_of_bits(bits_of_f64(y) & ~(u64)0x3ffffff), low = y - high;
    f64 product = q * y, error = (q * high - product) + q * low;
    f64 r = (x - product) - error;
    r += r < 0 ? y : 0;
    return copysign(r, a);
}

/* A quotient below 2**28 times a float32 is exact in float64, and [through floats] holds for significands of 24 bits. */
INLINE f32 fmod_f32(f32 a, f32 b)
{
    f64 x = fabs((f64)a), y = fabs((f64)b), q = x / y;
    if (!__builtin_expect((q < 0x1p28) & (y < (f64)INFINITY), 1))
        return (f32)fmod_by_bits(a, b);
    return copysignf((f32)(x - trunc(q) * y), a);
}

/* remainder has the sign of the divisor.  floor_divide is the floor of the exact quotient, rounded, as Python and PyTorch
 * define it through the remainder; a zero divisor gives what / gives, an infinite dividend NaN.  Masks instead of selects: GCC
 * makes branches of those, which the signs of the operands decide at random. */
#define REMAINDERS(t, U, floor, trunc, copysign)                                                                              \
    INLINE U against_##t(t r, t b) { return (U)0 - (U)((r != 0) & ((b < 0) != (r < 0))); }                                    \
    INLINE t remainder_##t(t a, t b)                                                                                          \
    {                                                                                                                         \
        t r = fmod_##t(a, b), moved = r + b;                                                                                  \
        U against = against_##t(r, b);                                                                                        \
        return t##_of_bits((bits_of_##t(moved) & against) | (bits_of_##t(r) & ~against));                                     \
    }                                                                                                                         \
    INLINE t floor_divide_##t(t a, t b)                                                                                       \
    {                                                                                                                         \
        t r = fmod_##t(a, b), exact = a / b, one = 1;                                                                         \
        t q = (a - r) / b - t##_of_bits(bits_of_##t(one) & against_##t(r, b));                                                \
        t below = floor(q);                                                                                                   \
        below += (t)(q - below > (t)0.5);                                                                                     \
        below = q == 0 ? copysign((t)0, exact) : below;                                                                       \
        return b == 0 ? exact : below;                                                                                        \
    }                                                                                                                         \
    INLINE t trunc_divide_##t(t a, t b) { return trunc(a / b); }
REMAINDERS(f32, u32, floorf, truncf, copysignf)
REMAINDERS(f64, u64, floor, trunc, copysign)

/* -- floats: rounding, signs, neighbours -- */

/* round: half to even.  round_scaled: to decimals, as PyTorch does it in the dtype itself: `scale` is 10**decimals, or
 * -10**-decimals for negative decimals.  nextafter: zero has the smallest subnormal on either side. */
#define FLOAT_PARTS(t, U, I, bits, floor, ceil, trunc, rint, copysign)                                                        \
    INLINE t floor_##t(t a) { return floor(a); }                                                                              \
    INLINE t ceil_##t(t a) { return ceil(a); }                                                                                \
    INLINE t trunc_##t(t a) { return trunc(a); }                                                                              \
    INLINE t round_##t(t a) { return rint(a); }                                                                               \
    INLINE t frac_##t(t a) { return a - trunc(a); }                                                                           \
    INLINE t round_scaled_##t(t a, t scale)                                                                                   \
    {                                                                                                                         \
        t up = rint(a * scale) / scale, down = rint(a / -scale) * -scale;                                                     \
        return scale < 0 ? down : up;                                                                                         \
    }                                                                                                                         \
    INLINE t sign_##t(t a) { return (t)((a > 0) - (a < 0)); }                             /* NaN: 0, as in PyTorch */         \
    INLINE bool8 signbit_##t(t a) { return (bool8)(bits_of_##t(a) >> (bits - 1)); }                                           \
    INLINE t copysign_##t(t a, t b) { return copysign(a, b); }                                                                \
    INLINE t heaviside_##t(t a, t at_zero) { t step = a > 0; return a == 0 ? at_zero : step; }                                \
    INLINE t nan_to_num_##t(t a, t nan, t above, t below)                                                                     \
    {                                                                                                                         \
        t r = a == (t)INFINITY ? above : a;                                                                                   \
        r = a == -(t)INFINITY ? below : r;                                                                                    \
        return a != a ? nan : r;                                                                                              \
    }                                                                                                                         \
    INLINE t nextafter_##t(t a, t b)                                                                                          \
    {                                                                                                                         \
        U u = bits_of_##t(a);                                                                                                 \
        U outward = u + 1, inward = u - 1;                                                                                    \
        U moved = (b > a) == (a > 0) ? outward : inward;                                                                      \
        moved = a == 0 ? (bits_of_##t(b) & (U)1 << (bits - 1)) | 1 : moved;                                                   \
        t r = t##_of_bits(moved);                                                                                             \
        r = a == b ? b : r;                                                                                                   \
        return (a != a) | (b != b) ? a + b : r;                                                                               \
    }
FLOAT_PARTS(f32, u32, i32, 32, floorf, ceilf, truncf, rintf, copysignf)
FLOAT_PARTS(f64, u64, i64, 64, floor, ceil, trunc, rint, copysign)

INLINE f32 deg2rad_f32(f32 a) { return (f32)((f64)a * 0x1.1df46a2529d39p-6); }
INLINE f32 rad2deg_f32(f32 a) { return (f32)((f64)a * 0x1.ca5dc1a63c1f8p+5); }
INLINE f64 deg2rad_f64(f64 a) { return a * 0x1.1df46a2529d39p-6; }
INLINE f64 rad2deg_f64(f64 a) { return a * 0x1.ca5dc1a63c1f8p+5; }
INLINE f32 reciprocal_f32(f32 a) { return 1 / a; }
INLINE f64 reciprocal_f64(f64 a) { return 1 / a; }

/* frexp: a == mantissa * 2**exponent with 1/2 <= |mantissa| < 1; of 0, infinity and NaN the number itself and 0. */
INLINE f64 frexp_mantissa_f64(f64 a)
{
    f64 x = fabs(a) < 0x1p-1022 ? a * 0x1p54 : a;          /* subnormals made normal */
    f64 r = f64_of_bits((bits_of_f64(x) & 0x800fffffffffffffu) | 0x3fe0000000000000u);
    return (a == 0) | !(fabs(a) < (f64)INFINITY) ? a : r;
}
INLINE i32 frexp_exponent_f64(f64 a)
{
    f64 x = fabs(a) < 0x1p-1022 ? a * 0x1p54 : a;
    i64 stored = (i64)(bits_of_f64(x) >> 52 & 0x7ff);
    i64 r = stored - (fabs(a) < 0x1p-1022 ? 1022 + 54 : 1022);
    return (i32)((a == 0) | !(fabs(a) < (f64)INFINITY) ? 0 : r);
}
INLINE f32 frexp_mantissa_f32(f32 a) { return (f32)frexp_mantissa_f64(a); }
INLINE i32 frexp_exponent_f32(f32 a) { return frexp_exponent_f64(a); }
