/* The functions of vecmath.h and their error bounds; ulp.c measures them, tests/ops/test_accuracy.py holds them to the bounds, and
 * tools/ulp_table.py writes docs/accuracy.md.
 *
 *   F32(name, bound in ULP, reference)                           of double x; every float32
 *   F64(name, bound in ULP, low, high, step, reference)          of long double x; step: operands close to its multiples
 *   F32_STAGED, F64_STAGED                                       the same, of functions with a loop of stages (stages.h)
 *   F32_2, F64_2(name, bound in ULP, low, high, reference)       of x and y
 */

F32_STAGED(exp, 0.52, exp(x))
F32_STAGED(exp2, 0.52, exp2(x))
F32_STAGED(expm1, 0.52, expm1(x))
F32_STAGED(sigmoid, 0.52, 1 / (1 + exp(-x)))
F32_STAGED(sinh, 0.52, sinh(x))
F32_STAGED(cosh, 0.52, cosh(x))
F32_STAGED(tanh, 0.52, tanh(x))
F32_STAGED(log, 0.52, log(x))
F32_STAGED(log2, 0.52, log2(x))
F32_STAGED(log10, 0.52, log10(x))
F32_STAGED(log1p, 0.52, log1p(x))
F32_STAGED(asinh, 0.52, asinh(x))
F32_STAGED(acosh, 0.52, acosh(x))
F32_STAGED(atanh, 0.52, atanh(x))
F32_STAGED(sin, 0.52, sin(x))
F32_STAGED(cos, 0.52, cos(x))
F32_STAGED(tan, 0.52, tan(x))
F64_STAGED(exp, 1, -760, 760, 0.34657359027997264, expl(x))
F64_STAGED(exp2, 1, -1100, 1100, 0.5, exp2l(x))
F64_STAGED(expm1, 1, -60, 60, 0.34657359027997264, expm1l(x))
F64_STAGED(sigmoid, 1, -60, 60, 0.34657359027997264, 1 / (1 + expl(-x)))
F64_STAGED(sinh, 1, -60, 60, 0.34657359027997264, sinhl(x))
F64_STAGED(cosh, 1, -60, 60, 0.34657359027997264, coshl(x))
F64_STAGED(tanh, 1, -24, 24, 0.17328679513998632, tanhl(x))
F64_STAGED(log, 1, 0, 4, 0.25, logl(x))
F64_STAGED(log2, 1, 0, 4, 0.25, log2l(x))
F64_STAGED(log10, 1, 0, 4, 0.25, log10l(x))
F64_STAGED(log1p, 1, -1, 4, 0.25, log1pl(x))
F64_STAGED(asinh, 1, -8, 8, 0.25, asinhl(x))
F64_STAGED(acosh, 1, 1, 8, 0.25, acoshl(x))
F64_STAGED(atanh, 1, -1, 1, 0.0625, atanhl(x))
F64_STAGED(sin, 0.85, -30, 30, PI_2, sinl(x))
F64_STAGED(cos, 0.85, -30, 30, PI_2, cosl(x))
F64_STAGED(tan, 0.95, -30, 30, PI_2, tanl(x))
