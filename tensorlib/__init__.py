"""tensorlib: PyTorch's tensor attributes and semantics in a few megabytes, without dependencies.

>>> import tensorlib as tl
>>> x = tl.arange(6).reshape(2, 3)
>>> (x + 0.5).dtype
tensorlib.float32

Importing loads the compiled core and the kernels of one CPU level and pushes the policy layer's tables and hooks down to the
core.  The public names come from three places: dtypes.NAMES (dtypes, layouts, memory formats), the functions of the core, and
the modules named here.  Some of them hide builtins (bool, int, float, abs, all, any, sum), so they are set at the end.
"""
try:
    from . import _core
except ImportError as error:
    if error.name != __name__:      # a core that is there, but does not load
        raise
    raise ImportError("this is tensorlib's source tree, and its core is not compiled: run ./dev build here, or leave this folder for "
                      "an installed tensorlib to be found") from None
from ._version import __version__

if _core.__version__ != __version__:
    raise ImportError(f"tensorlib {__version__} found a core built as {_core.__version__}; rebuild it (./dev test rebuilds, or "
                      f"pip install)")

from . import config, cpu, dtypes, interop, memory, printing, promotion, storage, utils  # noqa: E402,F401  (two of them push hooks down)
from ._core import Generator, OverlapError, Size, Tensor, device  # noqa: E402,F401
from .config import show_config  # noqa: E402,F401
from .defaults import (  # noqa: E402,F401
    are_deterministic_algorithms_enabled,
    get_default_dtype,
    set_default_dtype,
    use_deterministic_algorithms,
)
from .device import get_default_device, set_default_device  # noqa: E402,F401
from .memory import empty_cache, memory_stats, reset_peak_memory_stats  # noqa: E402,F401
from .numeric_info import finfo, iinfo  # noqa: E402,F401
from .printing import get_printoptions, printoptions, set_printoptions  # noqa: E402,F401
from .storage import TypedStorage, UntypedStorage  # noqa: E402,F401

config.load_kernels()
memory.start()
_core._set_hooks(repr=printing.tensor_repr, str=printing.tensor_str, format=printing.tensor_format,
                 typed_storage=storage.TypedStorage)

inf = float("inf")
nan = float("nan")
pi = 3.141592653589793
e = 2.718281828459045
newaxis = None


def _export(names):
    """Sets the public names of the core's functions (all it has but classes) and of the dtypes."""
    for owner in (_core, _core.functions):
        for name in vars(owner):
            value = getattr(owner, name)          # not the staticmethod around it, which is slow to call
            if name[0] != "_" and not isinstance(value, type):
                names[name] = value
    names.update(dtypes.NAMES)


def __getattr__(name):
    """The submodules that few programs need are imported when first asked for."""
    if name in _LAZY:
        __import__(f"{__name__}.{name}")
        return globals()[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return [name for name in globals() if name[0] == "_"] + __all__


_LAZY = ("nn", "special")
_export(globals())
_PUBLIC_MODULES = ("cpu", "utils", *_LAZY)      # the others are where things are, not names to use
__all__ = [_name for _name, _value in globals().items() if _name[0] != "_" and not isinstance(_value, type(_core))]
__all__ += [*_PUBLIC_MODULES]     # noqa: PLE0604
