"""Chooses the kernels of a CPU level at import, and says what was chosen.

A level is one compiled copy of the kernels: baseline (x86-64-v2, or any 64-bit Arm as neon), v3 (AVX2), v4 (AVX-512).  The
best one that the processor supports and the wheel contains is taken; TENSORLIB_CPU_LEVEL forces another.  All levels give
the same bits.
"""
import os
import sys

from . import _core

LEVELS = ("v4", "v3", "baseline", "neon")     # best first


def _module(level):
    try:
        return __import__(f"tensorlib._kernels_{level}", fromlist=["table"])
    except ModuleNotFoundError:
        return None


def built_levels():
    """The levels this build contains, best first.

    Goes by file names: a module of a level that the processor lacks must not load.
    """
    found = {name.split(".")[0] for name in os.listdir(os.path.dirname(__file__))}
    return [level for level in LEVELS if f"_kernels_{level}" in found]


def supported_levels():
    """The levels this processor runs, best first."""
    return [level for level in LEVELS if _core._cpu_supports(level)]


def load_kernels():
    """Imports one kernel module and hands its table to the core; returns the level's name."""
    forced = os.environ.get("TENSORLIB_CPU_LEVEL")
    if forced:
        if forced not in LEVELS:
            raise ImportError(f"TENSORLIB_CPU_LEVEL={forced}: the levels are {', '.join(LEVELS)}")
        if not _core._cpu_supports(forced):
            raise ImportError(f"TENSORLIB_CPU_LEVEL={forced}: this processor supports {', '.join(supported_levels())}")
        module = _module(forced)
        if module is None:
            raise ImportError(f"TENSORLIB_CPU_LEVEL={forced}: this build does not contain that level")
        return _core._set_kernels(module.table)
    for level in supported_levels():
        module = _module(level)
        if module is not None:
            return _core._set_kernels(module.table)
    raise ImportError("tensorlib: no kernels for this processor; it needs x86-64-v2 (SSE4.2) or 64-bit Arm")


def config():
    """What show_config prints, as a dict."""
    return {
        "version": _core.__version__,
        "python": sys.version.split()[0],
        "compiler": _core._compiler(),
        "cpu levels built": built_levels(),
        "cpu levels supported": supported_levels(),
        "cpu level": _core._kernel_level(),
        "cache limit": _core._memory_counters()["limit"],
        "threads": 1,
    }


def show_config(mode="print"):
    """Prints how the library was built and what it chose here; mode="dict" returns it instead.

    >>> sorted(tl.show_config(mode="dict"))[:3]
    ['cache limit', 'compiler', 'cpu level']
    """
    if mode == "dict":
        return config()
    if mode != "print":
        raise ValueError(f"show_config: mode is 'print' or 'dict', got {mode!r}")
    for key, value in config().items():
        print(f"{key}: {', '.join(value) if isinstance(value, list) else value}")
