/* The functions of vecmath.h and their error bounds; ulp.c measures them, tests/ops/test_accuracy.py holds them to the bounds, and
 * tools/ulp_table.py writes docs/accuracy.md.
 *
 *   F32(name, bound in ULP, reference)                           of double x; every float32
 *   F64(name, bound in ULP, low, high, step, reference)          of long double x; step: operands close to its multiples
 *   F32_2, F64_2(name, bound in ULP, low, high, reference)       of x and y
 */

F32(exp, 0.54, exp(x))
F64(exp, 1, -760, 760, 0.34657359027997264, expl(x))
