/* Functions by our own short polynomials and quotients: no branch, no table, no library call, so that loops over them vectorise.
 *
 * float32 functions are computed in float64 and rounded once at the end, float64 ones in two parts where that matters.  No
 * multiplication is fused with an addition, at any level: every level gives the same bits by construction, which a fused version
 * would only do with high probability.  Long functions have two stages and a loop of their own (stages.h).
 * Constants: minimax polynomials and quotients by Remez's exchange (csrc/README.md says how to get them again).
 * Errors: docs/accuracy.md, measured by tools/ulp_table.py; tests/ops/test_accuracy.py holds them to csrc/tests/ulp_rows.h.
 *
 * Named notes
 *   [to an integer]   Adding 1.5 * 2**52 to |x| < 2**51 rounds x to an integer, which then sits in the low bits.
 *   [ends]            Where an argument is too large for the exponents that come out of it, the result is anything; the last line
 *                     replaces it.  Not a bound on the argument at the beginning: a constant there makes GCC compute with it on a
 *                     path of its own, three selections instead of one.  Comparisons are false for NaN, and the bits shifted into
 *                     the exponent are zero for one, so NaN goes through.
 */
#pragma once
#include "scalar.h"

#define TO_INTEGER 0x1.8p52

#include "vecmath_arith.h"
#include "vecmath_exp.h"
#include "vecmath_log.h"
#include "vecmath_trig.h"
#include "vecmath_trig_f64.h"
