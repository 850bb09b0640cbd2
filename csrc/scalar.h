/* Typed scalars: the C types of the dtype table, and every helper that an expression or a conversion names.
 *
 * Numbers in, numbers out.  Everything here gives the same bits at every CPU level: no operation depends on the instruction
 * set but the float16 blocks at the end, where the hardware's conversion and the portable one agree for every input, NaN
 * payloads included (csrc/tests/run_levels.py compares them).  Selects are written as ternaries on values already computed,
 * so that loops over these helpers vectorise.
 *
 * Named notes
 *   [float to int]    Truncation towards zero.  NaN gives 0 and values out of range saturate, except that uint8 goes through
 *                     int64 and wraps: -1 gives 255, 300 gives 44.
 *   [no addsub]       GCC 12 turns a vector of x * y - z and x * y + z, side by side, into one fused instruction even where
 *                     -ffp-contract=off forbids it.  So the difference is written as a sum with a flipped sign, which the
 *                     pattern does not know; the bits are those of the difference.
 *   [round to odd]    float64 reaches a reduced dtype through float32 rounded to odd, whose last bit remembers whether
 *                     anything was cut off; float32 has more than two bits beyond every reduced significand, so the second
 *                     rounding is the only one (Boldo and Melquiond, IEEE Trans. Computers 57 (2008), 462-471).
 */
#pragma once
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#undef I

#define INLINE static inline __attribute__((always_inline, unused))

typedef uint8_t bool8;                     /* 0 or 1 */
typedef uint8_t u8;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
typedef uint16_t f16, bf16;
typedef uint8_t f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu;
typedef struct { f16 re, im; } c32;
typedef struct { f32 re, im; } c64;
typedef struct { f64 re, im; } c128;
typedef char *restrict out_ptr;            /* of loops whose operands are disjoint */

INLINE u32 bits_of_f32(f32 x) { u32 u; memcpy(&u, &x, 4); return u; }
INLINE f32 f32_of_bits(u32 u) { f32 x; memcpy(&x, &u, 4); return x; }
INLINE u64 bits_of_f64(f64 x) { u64 u; memcpy(&u, &x, 8); return u; }
INLINE f64 f64_of_bits(u64 u) { f64 x; memcpy(&x, &u, 8); return x; }

/* Rows far apart in memory: the processor sees no pattern, so the lines of a row to come are asked for by name.  Harmless
 * beyond the end: a prefetch never faults. */
#define AHEAD 6
INLINE void prefetch_lines(const char *row, ptrdiff_t bytes)
{
    bytes = bytes < 256 ? bytes : 256;
    for (ptrdiff_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(row + at);
}

/* -- float to integer -- */

/* `lo` and `hi` are powers of two: the smallest value of the type, and one more than its largest.  `via` is the type of the
 * machine's conversion, which only sees values inside the range. */
#define SATURATING(to, from, via, lo, hi, smallest, largest)                                                                  \
    INLINE to to##_from_##from(from x)                                                                                        \
    {                                                                                                                         \
        from inside = x >= (from)lo ? x : 0;                                                                                  \
        inside = x < (from)hi ? inside : 0;                                                                                   \
        via r = (via)inside;                                                                                                  \
        r = x >= (from)hi ? (via)largest : r;                                                                                 \
        return (to)(x < (from)lo ? (via)smallest : r);                                                                        \
    }
#define SATURATING_ALL(from)                                                                                                  \
    SATURATING(i8, from, i32, -0x1p7, 0x1p7, INT8_MIN, INT8_MAX)                                                              \
    SATURATING(i16, from, i32, -0x1p15, 0x1p15, INT16_MIN, INT16_MAX)                                                         \
    SATURATING(i32, from, i32, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)                                                         \
    SATURATING(i64, from, i64, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)                                                         \
    SATURATING(u16, from, i32, 0, 0x1p16, 0, UINT16_MAX)                                                                      \
    SATURATING(u32, from, i64, 0, 0x1p32, 0, UINT32_MAX)                                                                      \
    SATURATING(u64, from, u64, 0, 0x1p64, 0, UINT64_MAX)
SATURATING_ALL(f32)
SATURATING_ALL(f64)

/* From 2**31 on a float32 is a multiple of 256, so the low byte of its int64 is 0 until that saturates at 2**63. */
INLINE u8 u8_from_f32(f32 x)
{
    f32 inside = fabsf(x) < 0x1p31f ? x : 0;
    i32 r = (i32)inside;
    return (u8)(x >= 0x1p63f ? 255 : r);
}
INLINE u8 u8_from_f64(f64 x) { return (u8)i64_from_f64(x); }

/* -- reduced floats -- */

INLINE f32 f32_odd_from_f64(f64 x)         /* [round to odd] */
{
    f32 nearest = (f32)x;
    f64 back = (f64)nearest;
    u32 u = bits_of_f32(nearest);
    u -= fabs(back) > fabs(x);
    u |= (back < x) | (back > x);          /* both false for NaN */
    return f32_of_bits(u);
}

/* A binary float of `M` stored significand bits and bias `BIAS`, its sign dropped, as float32.  A subnormal is read as a
 * normal number with the exponent 1, whose hidden bit is then subtracted: exact. */
INLINE f32 widen_small(u32 magnitude, int M, int BIAS)
{
    u32 w = magnitude << (23 - M);
    f32 normal = f32_of_bits(w + ((u32)(127 - BIAS) << 23));
    f32 one = f32_of_bits((u32)(128 - BIAS) << 23);
    f32 subnormal = f32_of_bits(w + ((u32)(128 - BIAS) << 23)) - one;
    return magnitude < (1u << M) ? subnormal : normal;
}

/* The magnitude of a finite float32 rounded once to such a float; what overflows gives some value above the largest code.
 * Subnormals are rounded by the addition of a number whose last bit weighs as much as theirs. */
INLINE u32 narrow_small(u32 magnitude, int M, int BIAS)
{
    u32 normal = ((magnitude + (1u << (22 - M)) - 1 + ((magnitude >> (23 - M)) & 1)) >> (23 - M)) - ((u32)(127 - BIAS) << M);
    u32 magic = (u32)(127 + 1 - BIAS - M + 23) << 23;
    u32 subnormal = bits_of_f32(f32_of_bits(magnitude) + f32_of_bits(magic)) - magic;
    return magnitude < ((u32)(128 - BIAS) << 23) ? subnormal : normal;
}

INLINE f32 f32_from_f16(f16 h)             /* NaN: payload kept, made quiet, as the hardware does */
{
    u32 m = h & 0x7fffu;
    u32 u = bits_of_f32(widen_small(m, 10, 15));
    u32 special = 0x7f800000u | (m & 0x3ffu) << 13 | (m > 0x7c00u ? 0x400000u : 0u);
    u = m >= 0x7c00u ? special : u;
    return f32_of_bits(u | (u32)(h & 0x8000u) << 16);
}

INLINE f16 f16_from_f32(f32 x)
{
    u32 u = bits_of_f32(x), m = u & 0x7fffffffu;
    u32 r = narrow_small(m, 10, 15);
    u32 nan = 0x7e00u | (m >> 13 & 0x3ffu);
    r = (i32)m >= 0x477ff000 ? 0x7c00u : r;            /* 65520 and above */
    r = (i32)m > 0x7f800000 ? nan : r;
    return (f16)(r | (u >> 16 & 0x8000u));
}

INLINE f32 f32_from_bf16(bf16 h) { return f32_of_bits((u32)h << 16); }

INLINE bf16 bf16_from_f32(f32 x)           /* every NaN becomes 0x7fc0 */
{
    u32 u = bits_of_f32(x);
    u32 r = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
    return (bf16)((i32)(u & 0x7fffffffu) > 0x7f800000 ? 0x7fc0u : r);
}

INLINE f32 with_sign(f32 magnitude, u32 code) { return f32_of_bits(bits_of_f32(magnitude) | (code & 0x80u) << 24); }
#define F32_NAN f32_of_bits(0x7fc00000u)

/* e4m3fn: no infinities; 0x7f and 0xff are NaN, and what is too large saturates to 448. */
INLINE f32 f32_from_f8e4m3fn(u8 h)
{
    f32 x = widen_small(h & 0x7fu, 3, 7);
    return with_sign((h & 0x7f) == 0x7f ? F32_NAN : x, h);
}
INLINE u8 f8e4m3fn_from_f32(f32 x)
{
    u32 u = bits_of_f32(x), m = u & 0x7fffffffu;
    i32 r = (i32)narrow_small(m, 3, 7);
    r = (i32)m >= 0x43e00000 ? 0x7e : r;               /* 448 and above */
    r = (i32)m > 0x7f800000 ? 0x7f : r;
    return (u8)((u32)r | (u >> 24 & 0x80u));
}

INLINE f32 f32_from_f8e5m2(u8 h)
{
    f32 x = widen_small(h & 0x7fu, 2, 15);
    x = (h & 0x7f) == 0x7c ? f32_of_bits(0x7f800000u) : x;
    return with_sign((h & 0x7f) > 0x7c ? F32_NAN : x, h);
}
INLINE u8 f8e5m2_from_f32(f32 x)
{
    u32 u = bits_of_f32(x), m = u & 0x7fffffffu;
    i32 r = (i32)narrow_small(m, 2, 15);
    r = (i32)m >= 0x47700000 ? 0x7c : r;               /* 61440, halfway beyond the largest, and above */
    r = (i32)m > 0x7f800000 ? 0x7f : r;
    return (u8)((u32)r | (u >> 24 & 0x80u));
}

/* fnuz: one zero, one NaN (0x80, the code of the missing -0), no infinities; what is too large becomes NaN. */
#define FNUZ(name, M, BIAS, TOO_LARGE)                                                                                        \
    INLINE f32 f32_from_##name(u8 h)                                                                                          \
    {                                                                                                                         \
        f32 x = with_sign(widen_small(h & 0x7fu, M, BIAS), h);                                                                \
        return h == 0x80 ? F32_NAN : x;                                                                                       \
    }                                                                                                                         \
    INLINE u8 name##_from_f32(f32 x)                                                                                          \
    {                                                                                                                         \
        u32 u = bits_of_f32(x), m = u & 0x7fffffffu;                                                                          \
        u32 r = narrow_small(m, M, BIAS);                                                                                     \
        r = r == 0 ? 0 : r | (u >> 24 & 0x80u);                                                                               \
        return (u8)((i32)m >= TOO_LARGE ? 0x80u : r);                                                                         \
    }
FNUZ(f8e4m3fnuz, 3, 8, 0x43780000)                     /* 248 */
FNUZ(f8e5m2fnuz, 2, 16, 0x47700000)                    /* 61440 */

/* e8m0: a biased exponent alone.  The sign is dropped; halfway goes up, except from a subnormal; NaN is 0xff. */
INLINE f32 f32_from_f8e8m0fnu(u8 h)
{
    u32 u = h == 0 ? 0x400000u : (u32)h << 23;         /* code 0 is 2**-127 */
    return f32_of_bits(h == 0xff ? 0x7fc00000u : u);
}
INLINE u8 f8e8m0fnu_from_f32(f32 x)
{
    u32 m = bits_of_f32(x) & 0x7fffffffu;
    u32 exponent = m >> 23;
    u32 up = (m >> 22 & 1) & ((exponent > 0) | ((m & 0x3fffffu) != 0));
    return (u8)(exponent == 255 ? 255 : exponent + up);
}

/* -- real arithmetic -- */

INLINE f32 abs_f32(f32 a) { return fabsf(a); }
INLINE f64 abs_f64(f64 a) { return fabs(a); }
INLINE f32 sqrt_f32(f32 a) { return sqrtf(a); }
INLINE f64 sqrt_f64(f64 a) { return sqrt(a); }

/* NaN wins: from a by the test, from b because every comparison with it is false. */
#define FLOAT_BOUNDS(t)                                                                                                       \
    INLINE t minimum_##t(t a, t b) { t r = a < b ? a : b; return a != a ? a : r; }                                            \
    INLINE t maximum_##t(t a, t b) { t r = a > b ? a : b; return a != a ? a : r; }                                            \
    INLINE t clamp_##t(t a, t low, t high) { return minimum_##t(maximum_##t(a, low), high); }
FLOAT_BOUNDS(f32)
FLOAT_BOUNDS(f64)

#define INT_CLAMP(t)                                                                                                          \
    INLINE t clamp_##t(t a, t low, t high) { t r = a < low ? low : a; return r > high ? high : r; }
INT_CLAMP(u8) INT_CLAMP(i8) INT_CLAMP(i16) INT_CLAMP(i32) INT_CLAMP(i64) INT_CLAMP(u16) INT_CLAMP(u32) INT_CLAMP(u64)

/* -- complex arithmetic -- */

INLINE f32 flip_f32(f32 x) { return f32_of_bits(bits_of_f32(x) ^ 0x80000000u); }                /* [no addsub] */
INLINE f64 flip_f64(f64 x) { return f64_of_bits(bits_of_f64(x) ^ 0x8000000000000000u); }

#define COMPLEX(t, r)                                                                                                         \
    INLINE t t##_make(r re, r im) { t z = {re, im}; return z; }                                                               \
    INLINE t t##_add(t a, t b) { return t##_make(a.re + b.re, a.im + b.im); }                                                 \
    INLINE t t##_sub(t a, t b) { return t##_make(a.re - b.re, a.im - b.im); }                                                 \
    INLINE t t##_neg(t a) { return t##_make(-a.re, -a.im); }                                                                  \
    INLINE t t##_mul(t a, t b) { return t##_make(a.re * b.re + flip_##r(a.im) * b.im, a.re * b.im + a.im * b.re); }           \
    INLINE bool8 t##_eq(t a, t b) { return (a.re == b.re) & (a.im == b.im); }                                                 \
    INLINE bool8 t##_true(t a) { return (a.re != 0) | (a.im != 0); }
COMPLEX(c64, f32)
COMPLEX(c128, f64)

/* R. L. Smith, Algorithm 116, CACM 5 (1962): divides by the larger component first, so that nothing overflows on the way.
 * A zero divisor gives infinities and NaNs, component by component. */
INLINE c128 c128_div(c128 a, c128 b)
{
    if (b.re == 0 && b.im == 0)
        return c128_make(a.re / fabs(b.re), a.im / fabs(b.re));
    if (fabs(b.re) >= fabs(b.im)) {
        f64 ratio = b.im / b.re, divisor = b.re + b.im * ratio;
        return c128_make((a.re + a.im * ratio) / divisor, (a.im + flip_f64(a.re) * ratio) / divisor);
    }
    f64 ratio = b.re / b.im, divisor = b.re * ratio + b.im;
    return c128_make((a.re * ratio + a.im) / divisor, (a.im * ratio + flip_f64(a.re)) / divisor);
}

INLINE c128 c128_from_libm(double complex z) { return c128_make(creal(z), cimag(z)); }
INLINE double complex libm_from_c128(c128 a) { double complex z; memcpy(&z, &a, sizeof z); return z; }
INLINE f64 c128_abs(c128 a) { return hypot(a.re, a.im); }
INLINE c128 c128_sqrt(c128 a) { return c128_from_libm(csqrt(libm_from_c128(a))); }
INLINE c128 c128_exp(c128 a) { return c128_from_libm(cexp(libm_from_c128(a))); }

/* complex64 is computed in float64, where nothing overflows or underflows on the way, and rounded once. */
INLINE c128 c128_from_c64(c64 a) { return c128_make(a.re, a.im); }
INLINE c64 c64_from_c128(c128 a) { return c64_make((f32)a.re, (f32)a.im); }
INLINE c64 c64_div(c64 a, c64 b) { return c64_from_c128(c128_div(c128_from_c64(a), c128_from_c64(b))); }
INLINE c64 c64_sqrt(c64 a) { return c64_from_c128(c128_sqrt(c128_from_c64(a))); }
INLINE c64 c64_exp(c64 a) { return c64_from_c128(c128_exp(c128_from_c64(a))); }
INLINE f32 c64_abs(c64 a)                  /* infinite if a component is, even beside a NaN */
{
    f64 re = a.re, im = a.im;
    f64 r = sqrt(re * re + im * im);
    f64 largest = fabs(re) > fabs(im) ? fabs(re) : fabs(im);
    r = fabs(re) == (f64)INFINITY ? fabs(re) : r;
    r = largest == (f64)INFINITY ? largest : r;
    return (f32)r;
}

/* -- float16 blocks: the hardware's conversion where the level has one -- */

INLINE void f16_widen(f32 *restrict out, const f16 *restrict in, ptrdiff_t n)
{
    ptrdiff_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(in + i))));
#endif
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(in + i))));
#elif defined(__aarch64__)
    for (; i + 4 <= n; i += 4)
        vst1q_f32(out + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(in + i))));
#endif
    for (; i < n; i++)
        out[i] = f32_from_f16(in[i]);
}

INLINE void f16_narrow(f16 *restrict out, const f32 *restrict in, ptrdiff_t n)
{
    ptrdiff_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(out + i), _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__aarch64__)
    for (; i + 4 <= n; i += 4)
        vst1_u16(out + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(in + i))));
#endif
    for (; i < n; i++)
        out[i] = f16_from_f32(in[i]);
}
