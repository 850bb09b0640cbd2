"""tensorlib: PyTorch's tensor attributes and semantics in a few megabytes, without dependencies.

>>> import tensorlib as tl
>>> x = tl.arange(6).reshape(2, 3)
>>> (x + 0.5).dtype
tensorlib.float32

Importing loads the compiled core and the kernels of one CPU level and pushes the policy layer's tables and hooks down to the
core.  The public names come from three places: dtypes.NAMES (dtypes, layouts, memory formats), the functions of the core, and
the modules named here.  Some of them hide builtins (bool, int, float, abs, all, any, sum), so they are set at the end.
"""
from . import _core
from ._version import __version__

if _core.__version__ != __version__:
    raise ImportError(f"tensorlib {__version__} found a core built as {_core.__version__}; rebuild it (./dev test rebuilds, or "
                      f"pip install)")

from . import config, cpu, dtypes, interop, memory, printing, promotion, storage, utils  # noqa: E402,F401  (two of them push hooks down)
from ._core import OverlapError, Size, Tensor, device  # noqa: E402,F401
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

_CORE_FUNCTIONS = (
    "tensor as_tensor asarray from_numpy frombuffer scalar_tensor empty zeros ones full empty_like zeros_like ones_like "
    "full_like empty_strided empty_permuted arange linspace eye rand randn randint rand_like randn_like randint_like "
    "manual_seed seed initial_seed randperm Generator get_rng_state set_rng_state permute transpose t movedim "
    "moveaxis swapaxes swapdims reshape flatten ravel squeeze unsqueeze narrow select unbind split chunk tensor_split "
    "unflatten broadcast_to diagonal adjoint as_strided promote_types result_type can_cast is_tensor numel "
    "is_floating_point is_complex clone"
).split()


def _export(names):
    """Sets the public names of the core's functions and of the dtypes."""
    for name in _CORE_FUNCTIONS:
        names[name] = getattr(_core, name)
    for name, value in vars(_core.functions).items():
        if not name.startswith("_"):
            names[name] = value
    names.update(dtypes.NAMES)


_export(globals())
__all__ = [_name for _name in globals() if not _name.startswith("_")]
