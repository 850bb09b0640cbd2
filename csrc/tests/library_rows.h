/* The functions that library.c makes loops of.
 *
 *   ONE(result, name, operand)   NAME_OPERAND(a)      TWO    NAME_OPERAND(a, b)      THREE    NAME_OPERAND(a, b, c)
 */

#ifndef FOR_INTEGERS
#define FOR_INTEGERS(X) X(u8) X(i8) X(u16) X(i16) X(u32) X(i32) X(u64) X(i64)
#define INTEGER_FUNCTIONS(t)                                                                                                  \
    TWO(t, floor_divide, t) TWO(t, trunc_divide, t) TWO(t, fmod, t) TWO(t, remainder, t) TWO(t, left_shift, t)                \
    TWO(t, right_shift, t) TWO(t, pow, t) TWO(t, gcd, t) TWO(t, lcm, t) ONE(t, sign, t) ONE(bool8, signbit, t)                \
    TWO(t, heaviside, t)
#define FLOAT_FUNCTIONS(t)                                                                                                    \
    TWO(t, floor_divide, t) TWO(t, trunc_divide, t) TWO(t, fmod, t) TWO(t, remainder, t) ONE(t, floor, t) ONE(t, ceil, t)     \
    ONE(t, trunc, t) ONE(t, round, t) TWO(t, round_scaled, t) ONE(t, frac, t) ONE(t, sign, t) ONE(bool8, signbit, t)          \
    TWO(t, heaviside, t) TWO(t, copysign, t) TWO(t, nextafter, t) ONE(t, deg2rad, t) ONE(t, rad2deg, t)                       \
    ONE(t, reciprocal, t) ONE(t, frexp_mantissa, t) ONE(i32, frexp_exponent, t)
#endif

FOR_INTEGERS(INTEGER_FUNCTIONS)
FLOAT_FUNCTIONS(f32)
FLOAT_FUNCTIONS(f64)
