"""tensorlib.utils.deterministic: one switch, ``fill_uninitialized_memory``.

True at the start.  Together with ``use_deterministic_algorithms(True)`` it makes ``empty`` and its relatives fill new memory with
a fixed value; see there.
"""
import sys

from .. import _core


class _Settings(type(sys)):
    """The module's class: the switch lives in the core, and only a bool may be stored."""

    @property
    def fill_uninitialized_memory(self):
        """Whether new memory is filled in deterministic mode."""
        return _core._get_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        if mode is not True and mode is not False:
            raise RuntimeError(f"fill_uninitialized_memory: expected a bool, but got {type(mode).__name__}")
        _core._set_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Settings
