/* The functions of vecmath_*.h over arrays, for a test that loads this as a shared library (tests/ops/test_functions.py): one
 * loop like the kernels' for each row of library_rows.h, and a text that lists them.
 *
 *   run_NAME(out, a, b, c, n)     out[i] = NAME(a[i], b[i], c[i])
 *   rows                          "name result operand-type operands" for each, one a line
 */
#include "vecmath.h"

#define EXPORT __attribute__((visibility("default")))
#define LOOP(R, name, T, ...)                                                                                                 \
    EXPORT void run_##name(R *out, const T *a, const T *b, const T *c, ptrdiff_t n)                                           \
    {                                                                                                                         \
        (void)b, (void)c;                                                                                                     \
        _Pragma("GCC ivdep") for (ptrdiff_t i = 0; i < n; i++)                                                                \
            out[i] = name(__VA_ARGS__);                                                                                       \
    }

#define ONE(R, name, T) LOOP(R, name##_##T, T, a[i])
#define TWO(R, name, T) LOOP(R, name##_##T, T, a[i], b[i])
#define THREE(R, name, T) LOOP(R, name##_##T, T, a[i], b[i], c[i])
#include "library_rows.h"
#undef ONE
#undef TWO
#undef THREE

#define ONE(R, name, T) #name "_" #T " " #R " " #T " 1\n"
#define TWO(R, name, T) #name "_" #T " " #R " " #T " 2\n"
#define THREE(R, name, T) #name "_" #T " " #R " " #T " 3\n"
EXPORT const char rows[] =
#include "library_rows.h"
    "";
