"""Process-wide defaults: the dtype of new floating-point tensors, and whether results must be reproducible."""
from . import _core


def get_default_dtype():
    """get_default_dtype() -> dtype

    The dtype of floating-point tensors made without ``dtype=``; float32 at the start.
    """
    return _core._get_default_dtype()


def set_default_dtype(d, /):
    """set_default_dtype(d)

    Makes ``d`` the dtype of floating-point tensors made without ``dtype=``, of Python floats in type promotion, and of integers
    divided by ``/``.  The default complex dtype follows: complex32 for float16, complex64 for float32, complex128 for float64;
    bfloat16 has none.

    Raises TypeError for anything but float16, bfloat16, float32 and float64.
    """
    _core._set_default_dtype(d)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """use_deterministic_algorithms(mode, *, warn_only=False)

    Every operation here gives the same bits on every run in either mode.  What the switch changes is memory that nobody wrote:
    with it on, and ``tensorlib.utils.deterministic.fill_uninitialized_memory`` on as it is at the start, ``empty`` and its
    relatives fill new memory: NaN for floating and complex, the largest number for integers, True for bool, bytes of 0xFF for
    dtypes that have none of these.  ``warn_only`` is accepted for PyTorch's sake; there is nothing to warn about.
    """
    for name, value in (("mode", mode), ("warn_only", warn_only)):
        if value is not True and value is not False:
            raise TypeError(f"use_deterministic_algorithms(): argument '{name}' must be bool, not {type(value).__name__}")
    _core._set_deterministic_algorithms(mode)


def are_deterministic_algorithms_enabled():
    """are_deterministic_algorithms_enabled() -> bool

    What use_deterministic_algorithms set; False at the start.
    """
    return _core._get_deterministic_algorithms()
