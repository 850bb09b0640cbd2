"""The operations, one row each: kernels, public functions, methods, operators, docs, stubs and tests derive from these rows.

Pure data that imports nothing but itself: csrc/gen.py reads it by path at build time, the tests at run time.  rows.py says
what the fields mean; the other files hold the rows, by subject.
"""
from . import activation, arithmetic, comparison, functions, reduction, trigonometric

OPS = [*arithmetic.ROWS, *functions.ROWS, *comparison.ROWS, *activation.ROWS, *trigonometric.ROWS]
REDUCTIONS = reduction.ROWS
