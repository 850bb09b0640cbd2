/* Runs the helpers of scalar.h and vecmath.h over strided exhaustive sets, in loops like the kernels' own, so that run_levels.py
 * can compare the results of the CPU levels.
 *
 *   levels            prints "name hash" for every function
 *   levels NAME       writes that function's results, raw, to stdout
 *
 * Conversions are compared bit for bit, NaN payloads included.  The results of arithmetic are compared with every NaN made the
 * same, because which NaN an operation gives differs between instruction sets.  Functions that ask the C library (complex
 * exp and sqrt, complex128 abs) are not here: they depend on the library, not on the level.
 */
#include <stdio.h>
#include <stdlib.h>
#include "vecmath.h"

#define N 4096
typedef struct { u64 hash; int dump; } Sink;

static void sink(Sink *s, const void *bytes, size_t n)
{
    if (s->dump)
        fwrite(bytes, 1, n, stdout);
    for (size_t i = 0; i < n; i++)                       /* FNV-1a */
        s->hash = (s->hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

/* Operand blocks: float32 bit patterns in strides that meet every exponent, and float64 ones by a multiplicative sequence. */
static u64 state;
static u64 next(void) { state += 0x9e3779b97f4a7c15u; u64 z = state; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u; z = (z ^ z >> 27) * 0x94d049bb133111ebu; return z ^ z >> 31; }
static void any_f32(f32 *x, u64 block, u32 stride) { for (int i = 0; i < N; i++) x[i] = f32_of_bits((u32)((block * N + i) * stride)); }
static void any_f64(f64 *x) { for (int i = 0; i < N; i++) x[i] = f64_of_bits(next()); }
static void near_f64(f64 *x) { for (int i = 0; i < N; i++) x[i] = f64_of_bits((next() & 0x800fffffffffffffu) | (1023 - 40 + next() % 100) << 52); }
static void moderate_f64(f64 *x) { for (int i = 0; i < N; i++) x[i] = ((i64)next() >> 11) * 0x1p-53 * 760; }

static void one_nan_f32(f32 *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] == x[i] ? x[i] : F32_NAN; }
static void one_nan_f64(f64 *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] == x[i] ? x[i] : (f64)NAN; }
static void keep(void *x, int n) { (void)x; (void)n; }

static f32 a32[N], b32[N], c32_[N];
static f64 a64[N], b64[N], c64_[N];
static u16 codes[N];
static c64 pa32[N], pb32[N];
static c128 pa64[N], pb64[N];
static void pair_f32(void) { for (int i = 0; i < N; i++) { pa32[i] = c64_make(a32[i], b32[i]); pb32[i] = c64_make(b32[i], c32_[i]); } }
static void pair_f64(void) { for (int i = 0; i < N; i++) { pa64[i] = c128_make(a64[i], b64[i]); pb64[i] = c128_make(b64[i], a64[N - 1 - i]); } }

#define BLOCKS_F32 1024                                  /* times N: 4.2 million of the 2**32 patterns, stride 1021 */
#define BLOCKS_F64 256

static volatile ptrdiff_t whole = N, few = 7;           /* counts that the compiler must not know */

#define RUN(name, blocks, fill, out_t, per, expr, after)                                                                      \
    static __attribute__((noinline)) void loop_##name(out_t *restrict out)                                                    \
    {                                                                                                                         \
        for (int i = 0; i < N; i++)                                                                                           \
            out[i] = expr;                                                                                                    \
    }                                                                                                                         \
    static void run_##name(Sink *s)                                                                                           \
    {                                                                                                                         \
        static out_t out[N];                                                                                                  \
        for (u64 block = 0; block < blocks; block++) {                                                                        \
            fill;                                                                                                             \
            loop_##name(out);                                                                                                 \
            after((void *)out, N * per);                                                                                      \
            sink(s, out, sizeof out);                                                                                         \
        }                                                                                                                     \
    }

#define ONE32 any_f32(a32, block, 1021)
#define TWO32 any_f32(a32, block, 1021); any_f32(b32, block, 40503 * 2 + 1); any_f32(c32_, block, 65539)
#define ONE64 if (block & 1) any_f64(a64); else near_f64(a64)
#define TWO64 near_f64(a64); near_f64(b64); any_f64(c64_)
#define F32(name, out_t, expr, after) RUN(name, BLOCKS_F32, ONE32, out_t, 1, expr, after)
#define F64(name, out_t, expr, after) RUN(name, BLOCKS_F64, ONE64, out_t, 1, expr, after)

#define INTEGERS(X) X(i8) X(i16) X(i32) X(i64) X(u8) X(u16) X(u32) X(u64)
#define SMALL(X) X(bf16) X(f8e4m3fn) X(f8e5m2) X(f8e4m3fnuz) X(f8e5m2fnuz) X(f8e8m0fnu)
#define FROM_FLOATS(t) F32(t##_from_f32, t, t##_from_f32(a32[i]), keep) F64(t##_from_f64, t, t##_from_f64(a64[i]), keep)
#define NARROW(t) F32(narrow_##t, t, t##_from_f32(a32[i]), keep)                                                              \
    F64(narrow_odd_##t, t, t##_from_f32(f32_odd_from_f64(a64[i])), keep)                                                      \
    RUN(widen_##t, 16, for (int i = 0; i < N; i++) codes[i] = (u16)(block * N + i), f32, 1, f32_from_##t((t)codes[i]), keep)
INTEGERS(FROM_FLOATS)
SMALL(NARROW)
F64(odd, f32, f32_odd_from_f64(a64[i]), one_nan_f32)
F32(exp_f32, f32, exp_f32(a32[i]), one_nan_f32)
F32(sqrt_f32, f32, sqrt_f32(a32[i]), one_nan_f32)
RUN(exp_f64, BLOCKS_F64, moderate_f64(a64), f64, 1, exp_f64(a64[i]), one_nan_f64)
RUN(exp_any_f64, BLOCKS_F64, any_f64(a64), f64, 1, exp_f64(a64[i]), one_nan_f64)
F64(sqrt_f64, f64, sqrt_f64(a64[i]), one_nan_f64)
RUN(add_mul_f32, 64, TWO32, f32, 1, a32[i] + b32[i] * c32_[i], one_nan_f32)
RUN(add_mul_f64, 64, TWO64, f64, 1, a64[i] + b64[i] * c64_[i], one_nan_f64)
RUN(div_f32, 64, TWO32, f32, 1, a32[i] / b32[i], one_nan_f32)
RUN(maximum_f32, 64, TWO32, f32, 1, maximum_f32(a32[i], b32[i]), one_nan_f32)
RUN(minimum_f64, 64, TWO64, f64, 1, minimum_f64(a64[i], b64[i]), one_nan_f64)
RUN(clamp_f32, 64, TWO32, f32, 1, clamp_f32(a32[i], b32[i], c32_[i]), one_nan_f32)
RUN(c64_mul, 64, TWO32, c64, 2, c64_mul(c64_make(a32[i], b32[i]), c64_make(c32_[i], a32[N - 1 - i])), one_nan_f32)
RUN(c64_div, 64, TWO32, c64, 2, c64_div(c64_make(a32[i], b32[i]), c64_make(c32_[i], a32[N - 1 - i])), one_nan_f32)
RUN(c64_mul_in_order, 64, TWO32; pair_f32(), c64, 2, c64_mul(pa32[i], pb32[i]), one_nan_f32)
RUN(c128_mul_in_order, 64, TWO64; pair_f64(), c128, 2, c128_mul(pa64[i], pb64[i]), one_nan_f64)
RUN(c64_abs, 64, TWO32, f32, 1, c64_abs(c64_make(a32[i], b32[i])), one_nan_f32)
RUN(c128_mul, 64, TWO64, c128, 2, c128_mul(c128_make(a64[i], b64[i]), c128_make(c64_[i], a64[N - 1 - i])), one_nan_f64)
RUN(c128_div, 64, TWO64, c128, 2, c128_div(c128_make(a64[i], b64[i]), c128_make(c64_[i], a64[N - 1 - i])), one_nan_f64)

static void run_f16_narrow(Sink *s)                      /* the block, and its tail alone */
{
    static f16 out[N];
    for (u64 block = 0; block < BLOCKS_F32; block++) {
        ONE32;
        f16_narrow(out, a32, whole);
        sink(s, out, sizeof out);
        f16_narrow(out, a32 + 1, few);
        sink(s, out, 14);
    }
}

static void run_f16_widen(Sink *s)
{
    static f16 in[N];
    static f32 out[N];
    for (u32 block = 0; block < 65536 / N; block++) {
        for (u32 i = 0; i < N; i++)
            in[i] = (f16)(block * N + i);
        f16_widen(out, in, whole);
        sink(s, out, sizeof out);
        f16_widen(out, in + 1, few);
        sink(s, out, 28);
    }
}

static void run_f16_scalar(Sink *s)                      /* the portable conversion, which must agree with the block's */
{
    static f16 out[N];
    for (u64 block = 0; block < BLOCKS_F32; block++) {
        ONE32;
        for (int i = 0; i < N; i++)
            out[i] = f16_from_f32(a32[i]);
        sink(s, out, sizeof out);
        for (int i = 0; i < 7; i++)
            out[i] = f16_from_f32(a32[1 + i]);
        sink(s, out, 14);
    }
}

#define CONVERSION_ENTRIES(t) {#t "_from_f32", run_##t##_from_f32}, {#t "_from_f64", run_##t##_from_f64},
#define NARROW_ENTRIES(t) {"narrow_" #t, run_narrow_##t}, {"narrow_odd_" #t, run_narrow_odd_##t}, {"widen_" #t, run_widen_##t},
#define E(name) {#name, run_##name},
static const struct { const char *name; void (*run)(Sink *); } entries[] = {
    INTEGERS(CONVERSION_ENTRIES) SMALL(NARROW_ENTRIES)
    E(odd) E(f16_narrow) E(f16_scalar) E(f16_widen) E(exp_f32) E(exp_f64) E(exp_any_f64) E(sqrt_f32) E(sqrt_f64) E(add_mul_f32)
    E(add_mul_f64) E(div_f32) E(maximum_f32) E(minimum_f64) E(clamp_f32) E(c64_mul) E(c64_mul_in_order) E(c64_div) E(c64_abs) E(c128_mul) E(c128_mul_in_order) E(c128_div)
};

int main(int argc, char **argv)
{
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++) {
        Sink s = {0xcbf29ce484222325u, argc > 1};
        if (argc > 1 && strcmp(argv[1], entries[k].name) != 0)
            continue;
        state = 1;
        entries[k].run(&s);
        if (argc == 1)
            printf("%s %016llx\n", entries[k].name, (unsigned long long)s.hash);
    }
    return 0;
}
