"""Trigonometric functions and their kin."""
from .rows import real_function

ROWS = [
    real_function("sin", "``out[i] = sin(input[i])``, of radians; NaN at the infinities.",
                  "[0., 1.]", "[0.0000, 0.8415]"),
    real_function("cos", "``out[i] = cos(input[i])``, of radians; NaN at the infinities.",
                  "[0., 1.]", "[1.0000, 0.5403]"),
    real_function("tan", "``out[i] = tan(input[i])``, of radians; NaN at the infinities.",
                  "[0., 1.]", "[0.0000, 1.5574]"),
]
