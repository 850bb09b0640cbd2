/* Measures the functions of vecmath.h that ulp_rows.h lists: the largest error in units of the last place, against the C library
 * in a wider type (float64 for float32, long double for float64), whose own error is thousandths of a unit.
 *
 *   ulp list                 "name operands bound" for each row; a name ends in its type
 *   ulp measure STEP [NAME]  "name ulp operand count wrong hash": float32 functions of one operand over every STEP-th bit pattern,
 *                            others over as many random operands as fit; STEP 1 is exhaustive
 *   ulp apply NAME           reads raw operands from stdin (all of the first, then all of the second), writes raw results
 *
 * "wrong" counts results of another kind than the reference: NaN against number, infinite against finite (beyond rounding), or
 * zero of the wrong sign.  The hash covers every result (each NaN counts as one value), to compare builds for other CPU levels.
 * The loops are those of the kernels: the compiler vectorises them, and a last block of odd length goes through the scalar tail.
 */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include "vecmath.h"

#define N 4096
#define PI_2 1.57079632679489661923

typedef struct {
    const char *name;
    int is32, operands;
    double bound, low, high, step;                       /* uniform operands in low..high, and close to multiples of step */
    void (*loop)(void *out, const void *x, const void *y, ptrdiff_t n);
    double (*ref32)(double x, double y);
    long double (*ref64)(long double x, long double y);
} Row;

#define LOOP(name, type, call)                                                                                                \
    static __attribute__((noinline)) void loop_##name##_##type(void *restrict out, const void *a, const void *b, ptrdiff_t n) \
    {                                                                                                                         \
        type *restrict o = out;                                                                                               \
        const type *x = a, *y = b;                                                                                            \
        (void)y;                                                                                                              \
        for (ptrdiff_t i = 0; i < n; i++)                                                                                     \
            o[i] = call;                                                                                                      \
    }
#define STAGED(name, type)                                                                                                    \
    static void loop_##name##_##type(void *restrict out, const void *a, const void *b, ptrdiff_t n)                           \
    {                                                                                                                         \
        (void)b;                                                                                                              \
        name##_##type##_stages(out, a, n);                                                                                    \
        for (ptrdiff_t i = 0; i < n; i += 61) {                                                                               \
            type alone = name##_##type(((const type *)a)[i]);                                                                 \
            if (memcmp(&alone, (type *)out + i, sizeof alone) != 0 && alone == alone)                                         \
                printf(#name "_" #type " alone differs\n"), exit(1);                                                          \
        }                                                                                                                     \
    }
#define REF(name, type, wide, ref) static wide ref_##name##_##type(wide x, wide y) { (void)y; return ref; }

#define F32(name, bound, ref) LOOP(name, f32, name##_f32(x[i])) REF(name, f32, double, ref)
#define F32_STAGED(name, bound, ref) STAGED(name, f32) REF(name, f32, double, ref)
#define F64_STAGED(name, bound, low, high, step, ref) STAGED(name, f64) REF(name, f64, long double, ref)
#define F64(name, bound, low, high, step, ref) LOOP(name, f64, name##_f64(x[i])) REF(name, f64, long double, ref)
#define F32_2(name, bound, low, high, ref) LOOP(name, f32, name##_f32(x[i], y[i])) REF(name, f32, double, ref)
#define F64_2(name, bound, low, high, ref) LOOP(name, f64, name##_f64(x[i], y[i])) REF(name, f64, long double, ref)
#include "ulp_rows.h"
#undef F32
#undef F64
#undef F32_STAGED
#undef F64_STAGED
#undef F32_2
#undef F64_2

#define F32(name, bound, ref) {#name "_f32", 1, 1, bound, 0, 0, 0, loop_##name##_f32, ref_##name##_f32, NULL},
#define F64(name, bound, low, high, step, ref) {#name "_f64", 0, 1, bound, low, high, step, loop_##name##_f64, NULL, ref_##name##_f64},
#define F32_2(name, bound, low, high, ref) {#name "_f32", 1, 2, bound, low, high, 0.0625, loop_##name##_f32, ref_##name##_f32, NULL},
#define F64_2(name, bound, low, high, ref) {#name "_f64", 0, 2, bound, low, high, 0.0625, loop_##name##_f64, NULL, ref_##name##_f64},
#define F32_STAGED F32
#define F64_STAGED F64
static const Row rows[] = {
#include "ulp_rows.h"
};
#define ROWS (sizeof rows / sizeof *rows)

static u64 state;
static u64 next(void)
{
    u64 z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* By turns: any bits, magnitudes 2**-40 .. 2**23, uniform, close to a multiple of the step. */
static double operand(const Row *row, u64 kind)
{
    u64 bits = next();
    i64 multiple = (i64)next() >> (43 + next() % 21);
    double x;
    switch (kind % 4) {
    case 0:
        return row->is32 ? (double)f32_of_bits((u32)bits) : f64_of_bits(bits);
    case 1:
        return f64_of_bits((bits & 0x800fffffffffffffu) | (1023 - 40 + next() % 64) << 52);
    case 2:
        return row->low + (row->high - row->low) * (double)(bits >> 11) * 0x1p-53;
    default:
        x = (double)multiple * row->step;
        return row->is32 ? (double)f32_of_bits(bits_of_f32((f32)x) + (u32)(bits % 5) - 2) : f64_of_bits(bits_of_f64(x) + bits % 9 - 4);
    }
}

static void fill(const Row *row, void *out, u64 kind)
{
    for (int i = 0; i < N; i++)
        if (row->is32)
            ((f32 *)out)[i] = (f32)operand(row, kind);
        else
            ((f64 *)out)[i] = operand(row, kind);
}

/* The error of `got` in units of the last place of a type whose significand has `digits` bits and whose smallest normal exponent is
 * `least`, or -1 for a result of the wrong kind. */
static double ulps(long double got, long double want, int digits, int least)
{
    int exponent;
    if (want != want || got != got)
        return (want != want) == (got != got) ? 0 : -1;
    if (want == 0 && got == 0)
        return signbit(want) == signbit(got) ? 0 : -1;
    long double limit = ldexpl(2 - ldexpl(1, -digits), 1 - least);              /* half a unit beyond the largest number */
    if (isinf(got))
        return isinf(want) ? (signbit(want) == signbit(got) ? 0 : -1)
             : fabsl(want) < limit * (1 - ldexpl(1, 2 - digits)) ? -1 : fabsl(want) >= limit ? 0
             : (double)((limit - fabsl(want)) / ldexpl(1, 2 - least - digits)) + 0.5;
    if (isinf(want))
        return -1;
    frexpl(want, &exponent);
    exponent = want == 0 || exponent - 1 < least ? least : exponent - 1;
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits + 1));
}

typedef struct { double worst; u64 at_x, at_y, count, wrong, wrong_at, hash; } Found;

static void judge(const Row *row, Found *found, const void *out, const void *x, const void *y, int n)
{
    for (int i = 0; i < n; i++) {
        u64 xbits, ybits, bits;
        double error;
        if (row->is32) {
            f32 got = ((const f32 *)out)[i], a = ((const f32 *)x)[i], b = ((const f32 *)y)[i];
            double want = row->ref32(a, b);
            xbits = bits_of_f32(a), ybits = bits_of_f32(b), bits = got == got ? bits_of_f32(got) : 0x7fc00000u;
            double magnitude = fabs(want);
            if (magnitude >= 0x1p-126 && magnitude < 0x1p127 && fabsf(got) < INFINITY)      /* the usual case, without a division */
                error = fabs(got - want) * f64_of_bits((2046 + 23 - (bits_of_f64(magnitude) >> 52)) << 52);
            else
                error = ulps(got, want, 24, -126);
        } else {
            f64 got = ((const f64 *)out)[i], a = ((const f64 *)x)[i], b = ((const f64 *)y)[i];
            xbits = bits_of_f64(a), ybits = bits_of_f64(b), bits = got == got ? bits_of_f64(got) : 0x7ff8000000000000u;
            error = ulps(got, row->ref64(a, b), 53, -1022);
        }
        if (error < 0 && found->wrong++ == 0)
            found->wrong_at = xbits;
        if (error > found->worst)
            found->worst = error, found->at_x = xbits, found->at_y = ybits;
        found->hash = (found->hash ^ bits) * 0x9e3779b97f4a7c15u;
        found->hash ^= found->hash >> 29;
    }
    found->count += (u64)n;
}

static void measure(const Row *row, u64 step)
{
    static char x[N * 8], y[N * 8], out[N * 8];
    Found found = {0};
    state = 1;
    if (row->is32 && row->operands == 1) {
        for (u64 at = 0; at < 1ull << 32; at += N * step) {
            int n = 0;
            for (; n < N && at + (u64)n * step < 1ull << 32; n++)
                ((f32 *)x)[n] = f32_of_bits((u32)(at + (u64)n * step));
            row->loop(out, x, y, n);
            judge(row, &found, out, x, y, n);
        }
    } else {
        u64 blocks = (1ull << 32) / step / N / 8;
        for (u64 block = 0; block < (blocks > 16 ? blocks : 16); block++) {
            fill(row, x, block);
            if (row->operands == 2)
                fill(row, y, block % 8 < 4 ? block : next());
            int n = N - (int)(block % 8);
            row->loop(out, x, y, n);
            judge(row, &found, out, x, y, n);
        }
    }
    printf("%s %.4f %llx", row->name, found.wrong ? INFINITY : found.worst,
           (unsigned long long)(found.wrong ? found.wrong_at : found.at_x));
    if (row->operands == 2 && !found.wrong)
        printf(",%llx", (unsigned long long)found.at_y);
    printf(" %llu %llu %016llx\n", (unsigned long long)found.count, (unsigned long long)found.wrong, (unsigned long long)found.hash);
    fflush(stdout);
}

static int apply(const Row *row)
{
    size_t size = 0, room = 1 << 16, item = row->is32 ? 4 : 8;
    char *in = malloc(room), *out;
    for (size_t got; in && (got = fread(in + size, 1, room - size, stdin)) > 0;)
        if ((size += got) == room)
            in = realloc(in, room *= 2);
    size_t n = size / item / (size_t)row->operands;
    out = malloc(n * item + 1);
    if (!in || !out)
        return 1;
    row->loop(out, in, in + n * item * (size_t)(row->operands - 1), (ptrdiff_t)n);
    return fwrite(out, item, n, stdout) != n;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *name = argv[argc > 3 ? 3 : argc - 1];
    u64 step = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (size_t k = 0; k < ROWS; k++) {
        if (!strcmp(what, "list"))
            printf("%s %d %g\n", rows[k].name, rows[k].operands, rows[k].bound);
        else if (!strcmp(what, "measure") && (argc < 4 || !strcmp(rows[k].name, name)))
            measure(rows + k, step ? step : 1);
        else if (!strcmp(what, "apply") && !strcmp(rows[k].name, name))
            return apply(rows + k);
    }
    return !(!strcmp(what, "list") || !strcmp(what, "measure"));
}
