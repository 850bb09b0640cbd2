/* Loops over functions that are computed in two stages, a block of elements at a time.
 *
 * A long function is one chain of dependent steps.  A processor overlaps the chains of neighbouring elements only as far as its
 * window of waiting instructions reaches; where a chain is 20 steps long that is less than its arithmetic units could do.  Two
 * loops over half the chain each, with a block in between that stays in L1, are 1.25 to 1.5 times as fast (Zen 3: sin_f32 1.01 to
 * 0.77 ns, log_f32 1.21 to 0.95).  The function as such runs the same two stages one after the other, so the bits are the same.
 *
 *   NAME_first(x, &u)  NAME_first(x, &u, &v)  ... up to four       the first stage
 *   NAME_last(x, u)    NAME_last(x, u, v)     ...                  the second: the result
 *
 * STAGED_1 to STAGED_4 make of these NAME(x) and the loop NAME_stages(out, x, n), where `out` may be x; csrc/gen_loops.py finds
 * their names and uses the loop where a row's expression is NAME(a).
 * GUARDED_1, GUARDED_3: the first stage returns 1 for an operand that it cannot do; NAME_far(x) computes it, and a block that
 * contains one goes element by element.
 */
#pragma once
#include "scalar.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"       /* a loop of library calls stays one */
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH(i, n) INDEPENDENT for (ptrdiff_t i = 0; i < n; i++)                                /* loops.h: [in place] */

enum { STAGE_BLOCK = 256 };                            /* four arrays of float64: 8 KiB */
#define STAGE_ARRAY(u) _Alignas(64) f64 u[STAGE_BLOCK]

#define STAGES(name, T, arrays, first, otherwise, last)                                                                       \
    static __attribute__((noinline, unused)) void name##_stages(T *out, const T *x, ptrdiff_t n)                              \
    {                                                                                                                         \
        arrays;                                                                                                               \
        for (; n > 0; n -= STAGE_BLOCK, x += STAGE_BLOCK, out += STAGE_BLOCK) {                                               \
            ptrdiff_t count = n < STAGE_BLOCK ? n : STAGE_BLOCK;                                                              \
            first;                                                                                                            \
            otherwise                                                                                                         \
            EACH(i, count) out[i] = last;                                                                                     \
        }                                                                                                                     \
    }
#define STAGED_1(name, T)                                                                                                     \
    INLINE T name(T a) { f64 u; name##_first(a, &u); return name##_last(a, u); }                                              \
    STAGES(name, T, STAGE_ARRAY(u), EACH(i, count) name##_first(x[i], &u[i]), , name##_last(x[i], u[i]))
#define STAGED_2(name, T)                                                                                                     \
    INLINE T name(T a) { f64 u, v; name##_first(a, &u, &v); return name##_last(a, u, v); }                                    \
    STAGES(name, T, STAGE_ARRAY(u); STAGE_ARRAY(v), EACH(i, count) name##_first(x[i], &u[i], &v[i]), ,                        \
           name##_last(x[i], u[i], v[i]))
#define STAGED_3(name, T)                                                                                                     \
    INLINE T name(T a) { f64 u, v, w; name##_first(a, &u, &v, &w); return name##_last(a, u, v, w); }                          \
    STAGES(name, T, STAGE_ARRAY(u); STAGE_ARRAY(v); STAGE_ARRAY(w),                                                           \
           EACH(i, count) name##_first(x[i], &u[i], &v[i], &w[i]), , name##_last(x[i], u[i], v[i], w[i]))
#define STAGED_4(name, T)                                                                                                     \
    INLINE T name(T a) { f64 u, v, w, z; name##_first(a, &u, &v, &w, &z); return name##_last(a, u, v, w, z); }                \
    STAGES(name, T, STAGE_ARRAY(u); STAGE_ARRAY(v); STAGE_ARRAY(w); STAGE_ARRAY(z),                                           \
           EACH(i, count) name##_first(x[i], &u[i], &v[i], &w[i], &z[i]), , name##_last(x[i], u[i], v[i], w[i], z[i]))

#define UNLESS_BEYOND(name) if (beyond) { EACH(i, count) out[i] = name(x[i]); continue; }
#define GUARDED_1(name, T)                                                                                                    \
    INLINE T name(T a) { f64 u; return name##_first(a, &u) ? name##_far(a) : name##_last(a, u); }                             \
    STAGES(name, T, STAGE_ARRAY(u); u32 beyond = 0, EACH(i, count) beyond |= name##_first(x[i], &u[i]), UNLESS_BEYOND(name),  \
           name##_last(x[i], u[i]))
#define GUARDED_3(name, T)                                                                                                    \
    INLINE T name(T a) { f64 u, v, w; return name##_first(a, &u, &v, &w) ? name##_far(a) : name##_last(a, u, v, w); }         \
    STAGES(name, T, STAGE_ARRAY(u); STAGE_ARRAY(v); STAGE_ARRAY(w); u64 beyond = 0,                                           \
           EACH(i, count) beyond |= name##_first(x[i], &u[i], &v[i], &w[i]), UNLESS_BEYOND(name),                             \
           name##_last(x[i], u[i], v[i], w[i]))
