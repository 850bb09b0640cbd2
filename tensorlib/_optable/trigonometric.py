"""Trigonometric functions and their kin."""
from .rows import op


def _function(name, doc, call, shown, **fields):
    """A function of one real number, computed by csrc/vecmath_*.h."""
    return op(name, "input", on="f", result="float", inplace_function=True, expr=f"{name}_{{t}}(a)", doc=doc,
              example=(call, shown), **fields)


ROWS = [
    _function("sin", "``out[i] = sin(input[i])``, of radians; NaN at the infinities.",
              "tl.sin(tl.tensor([0., 1.]))", "tensor([0.0000, 0.8415])"),
    _function("cos", "``out[i] = cos(input[i])``, of radians; NaN at the infinities.",
              "tl.cos(tl.tensor([0., 1.]))", "tensor([1.0000, 0.5403])"),
    _function("tan", "``out[i] = tan(input[i])``, of radians; NaN at the infinities.",
              "tl.tan(tl.tensor([0., 1.]))", "tensor([0.0000, 1.5574])"),
]
