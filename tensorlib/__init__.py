"""tensorlib: PyTorch's tensor attributes and semantics in a few megabytes, without dependencies.

>>> import tensorlib as tl
>>> x = tl.arange(6).reshape(2, 3)
>>> (x + 0.5).dtype
tensorlib.float32

The package loads one compiled core and the kernels of one CPU level, pushes the tables and hooks of the policy layer down to
the core, and lists the public names.  Names that hide builtins (bool, int, float, abs, all, any, sum, ...) are set last.
"""
from . import _core, _dtypetable, config

if _core.__version__ != "0.1.0":
    raise ImportError(f"tensorlib 0.1.0 found a core built for {_core.__version__}; rebuild it: ./dev test, or pip install")

config.load_kernels()
_dtypes = _core._make_dtypes(_dtypetable.DTYPES)

from . import defaults, promotion  # noqa: E402
from . import device as _device  # noqa: E402
from ._core import OverlapError, Size, Tensor, finfo, iinfo  # noqa: E402,F401
