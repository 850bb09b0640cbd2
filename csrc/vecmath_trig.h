/* sin, cos, tan.  See vecmath.h for what all functions keep to, and its named notes.
 *
 * The argument is reduced in half turns, x / pi = k + f, with 1/pi in two parts: the high one has 26 bits, so for a float32 x the
 * product is exact, and so is the subtraction of k.  Arguments beyond that go through the bits of 1/pi, one at a time.
 */
#pragma once
#include "stages.h"

#define INV_PI_HIGH 0x1.45f306cp-2
#define INV_PI_LOW 0x1.c9c882a53f84fp-30

/* -- arguments of any size -- */

/* The bits of 1/pi, 64 at a time, after 64 zeros. */
static const u64 inv_pi_bits[21] = {
    0,
    0x517cc1b727220a94u, 0xfe13abe8fa9a6ee0u, 0x6db14acc9e21c820u, 0xff28b1d5ef5de2b0u,
    0xdb92371d2126e970u, 0x0324977504e8c90eu, 0x7f0ef58e5894d39fu, 0x74411afa975da242u,
    0x74ce38135a2fbf20u, 0x9cc8eb1cc1a99cfau, 0x4e422fc5defc941du, 0x8ffc4bffef02cc07u,
    0xf79788c5ad05368fu, 0xb69b3f6793e584dbu, 0xa7a31fb34f2ff516u, 0xba93dd63f5f2f8bdu,
    0x9e839cfbc5294975u, 0x35fdafd88fc6ae84u, 0x2b0198237e3db5d5u, 0xf867de104d7a1b0eu,
};

INLINE u64 inv_pi_window(i32 at)           /* 64 bits from bit `at` on, where bit 1 is worth 1/2 */
{
    i32 place = at + 63, word = place >> 6, shift = place & 63;
    return inv_pi_bits[word] << shift | (shift ? inv_pi_bits[word + 1] >> (64 - shift) : 0);
}

/* |x| / pi = an even number + first * 2**-63 + second * 2**-127, and less than 2**-126 is missing, in units of a half turn (pi), or
 * with `quarters` = 1 of a quarter.  x: finite, at least 1.
 * |x| is an integer times 2**e: bits of 1/pi that are worth an even number of units after that are left out, and the next 192 make
 * the product, in which the first bit is worth one unit (M. H. Payne and R. N. Hanek, SIGNUM Newsletter 18 (1983), 19-24). */
INLINE void far_bits(f64 x, u32 quarters, u64 *first, u64 *second)
{
    u64 bits = bits_of_f64(x) & 0x7fffffffffffffffu;
    u64 integer = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    i32 at = (i32)(bits >> 52) - 1075 + (i32)quarters;
    unsigned __int128 middle = (unsigned __int128)integer * inv_pi_window(at + 64);
    u64 last = (u64)(((unsigned __int128)integer * inv_pi_window(at + 128)) >> 64);
    middle += last;
    *first = integer * inv_pi_window(at) + (u64)(middle >> 64);
    *second = (u64)middle;
}

/* |x| = (k + high + low) units, |high + low| <= 1/2, with 53 bits and more for float32; returns k & 1.  `shift` = 1 adds half a
 * unit first. */
static __attribute__((noinline, unused)) u32 reduce_far(f64 x, u32 quarters, u32 shift, f64 *high, f64 *low)
{
    u64 top, middle;
    far_bits(x, quarters, &top, &middle);
    top += (u64)shift << 62;
    u32 odd = (u32)((top >> 63) ^ (top >> 62 & 1));
    i64 f = (i64)(top << 1 | middle >> 63);
    u64 rest = middle << 1;
    f64 a = (f64)(f >> 32) * 0x1p32, b = (f64)(u32)f, c = (f64)(rest >> 11) * 0x1p-53;
    f64 sum = a + b;
    f64 tail = (b - (sum - a)) + c;
    *high = (sum + tail) * 0x1p-64;
    *low = (tail - (sum + tail - sum)) * 0x1p-64;
    return odd;
}

/* -- float32 -- */

#define FAR_F32 0x1p24f                    /* x * INV_PI_LOW stays below 0.006: the polynomials are good for |f| <= 0.516 */

INLINE f64 flip_if_odd(f64 x, u64 odd) { return f64_of_bits(bits_of_f64(x) ^ odd << 63); }

/* sin(pi * f), relative error 3e-11 */
INLINE f64 sin_half_turns(f64 f)
{
    f64 z = f * f, z2 = z * z;
    return f * ((0x1.921fb5440cd39p+1 + z * -0x1.4abbce47c14e8p+2)
                + z2 * ((0x1.466bbdcb2a998p+1 + z * -0x1.32d0b474ce3dep-1) + z2 * (0x1.5001dcf6576e8p-4 + z * -0x1.cab97aee2c578p-8)));
}

/* The first stages leave f of the half turn that has the result's sign. */
INLINE u32 sin_f32_first(f32 a, f64 *u)
{
    f64 x = a, y = x * INV_PI_HIGH;
    f64 shifted = y + TO_INTEGER;
    f64 f = (y - (shifted - TO_INTEGER)) + x * INV_PI_LOW;
    *u = flip_if_odd(f, bits_of_f64(shifted));
    return fabsf(a) >= FAR_F32;
}
INLINE f32 sin_f32_last(f32 a, f64 u) { (void)a; return (f32)sin_half_turns(u); }

/* cos(x) = sin(pi / 2 - |r|), r what is left of x after whole turns */
INLINE u32 cos_f32_first(f32 a, f64 *u)
{
    f64 x = a, y = x * (INV_PI_HIGH / 2);
    f64 r = (y - ((y + TO_INTEGER) - TO_INTEGER)) + x * (INV_PI_LOW / 2);
    *u = 0.5 - fabs(r + r);
    return fabsf(a) >= FAR_F32;
}
INLINE f32 cos_f32_last(f32 a, f64 u) { (void)a; return (f32)sin_half_turns(u); }

/* tan(pi / 2 * f) = n / d, relative error 3e-11; after an odd number of quarter turns -d / n. */
INLINE f64 tan_quarter_turns(f64 f, u64 odd)
{
    f64 z = f * f;
    f64 n = f * (0x1.0255aaff43d28p+4 + z * (-0x1.1bf9dc950c822p+2 + z * 0x1.b15803fdf3ddap-4));
    f64 d = 0x1.48ec0053d792ep+3 + z * (-0x1.68eb7676ffc5fp+3 + z);
    u64 swap = bits_of_f64(n) ^ bits_of_f64(d), mask = -(odd & 1);
    f64 above = f64_of_bits(bits_of_f64(n) ^ (swap & mask)), below = f64_of_bits(bits_of_f64(d) ^ (swap & mask));
    return flip_if_odd(above / below, odd);
}
INLINE u32 tan_f32_first(f32 a, f64 *u)
{
    f64 x = a, y = x * (2 * INV_PI_HIGH);
    f64 shifted = y + TO_INTEGER;
    f64 f = (y - (shifted - TO_INTEGER)) + x * (2 * INV_PI_LOW);
    *u = tan_quarter_turns(f, bits_of_f64(shifted));
    return fabsf(a) >= FAR_F32;
}
INLINE f32 tan_f32_last(f32 a, f64 u) { (void)a; return (f32)u; }

static __attribute__((noinline, unused)) f32 sin_f32_far(f32 a)
{
    if (!(fabsf(a) < INFINITY))
        return a - a;
    f64 high, low;
    u32 odd = reduce_far(a, 0, 0, &high, &low);
    return (f32)flip_if_odd(sin_half_turns(high), odd ^ (bits_of_f32(a) >> 31));
}
static __attribute__((noinline, unused)) f32 cos_f32_far(f32 a)
{
    if (!(fabsf(a) < INFINITY))
        return a - a;
    f64 high, low;
    u32 odd = reduce_far(a, 0, 1, &high, &low);
    return (f32)flip_if_odd(sin_half_turns(high), odd);
}
static __attribute__((noinline, unused)) f32 tan_f32_far(f32 a)
{
    if (!(fabsf(a) < INFINITY))
        return a - a;
    f64 high, low;
    u32 odd = reduce_far(a, 1, 0, &high, &low);
    return (f32)flip_if_odd(tan_quarter_turns(high, odd), bits_of_f32(a) >> 31);
}

GUARDED_1(sin_f32, f32)
GUARDED_1(cos_f32, f32)
GUARDED_1(tan_f32, f32)
