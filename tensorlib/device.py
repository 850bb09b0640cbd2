"""The default device.

The device class, its context manager and its parser are in csrc/attributes.pxi.  The innermost ``with device(...)`` block of the
running thread or task decides; under all blocks lies one base for the whole process, which set_default_device changes.
"""
from . import _core


def get_default_device():
    """get_default_device() -> device

    The device on which tensors are made without ``device=``: the innermost ``with`` block's, otherwise the base.
    """
    return _core._get_default_device()


def set_default_device(device):
    """set_default_device(device)

    Changes the base of the whole process, other threads included; None means cpu.  Inside a ``with device(...)`` block the block
    still decides, so the change shows when the block ends.  (PyTorch keeps one base a thread, and lets the call end the
    block's effect.)

    Raises as ``device(...)`` does, and RuntimeError for a type without a backend named without an index, because that would mean
    its current device.
    """
    _core._set_default_device(device)
