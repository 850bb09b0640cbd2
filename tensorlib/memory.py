"""The cache of freed memory: empty_cache, memory_stats, reset_peak_memory_stats.

Memory of a tensor that is gone waits for the next one of about its size, because fresh pages cost more than most arithmetic on
them.  csrc/blocks.h keeps it; how much is decided here.
"""
import os

from . import _core, machine

__all__ = ["empty_cache", "memory_stats", "reset_peak_memory_stats"]

MOST = 1 << 30          # bytes: the default limit, or a quarter of the memory where that is less
TRACEMALLOC_DOMAIN = _core._TRACE_DOMAIN


def start():
    """Turns the cache on: TENSORLIB_CACHE_LIMIT in bytes, 0 for none."""
    given = os.environ.get("TENSORLIB_CACHE_LIMIT")
    if not given:
        total = machine.memory()
        limit = MOST if total is None else min(MOST, total // 4)
    elif given.isascii() and given.isdigit():
        limit = min(int(given), (1 << 62))
    else:
        raise ImportError(f"TENSORLIB_CACHE_LIMIT={given}: it must be a number of bytes, 0 to keep no freed memory")
    _core._set_cache_limit(limit, first=True)


def empty_cache():
    """empty_cache() -> None

    Gives freed memory that is kept for the next tensors back to the system.  Memory in use is not touched.

    >>> tl.empty_cache()
    >>> tl.memory_stats()["cached_bytes"]
    0
    """
    _core._empty_cache()


def memory_stats():
    """memory_stats() -> dict

    Counts of the memory under tensors on the cpu.  Names that PyTorch's cuda.memory_stats has mean what they mean there:

    - ``allocated_bytes.all.current``, ``.peak``, ``.allocated``, ``.freed``: bytes in use, the most so far, and all ever taken
      and given back.  Sizes are those of the blocks, up to a quarter more than was asked for.
    - ``allocation.all.current``, ``.allocated``, ``.freed``: the same in numbers of blocks.
    - ``reserved_bytes.all.current``, ``.peak``: bytes held from the system, in use or cached, in blocks of 1024 bytes and more.
    - ``num_alloc_retries``, ``num_ooms``: allocations that first failed and made the cache be emptied; those that failed for good.
    - ``cached_bytes``, ``cached_blocks``, ``cache_limit``: what waits for the next tensor, and the most that may.
    - ``cache_hits``, ``cache_misses``: blocks of 1024 bytes and more that were found in the cache, or not.

    Tensors of at most 64 bytes lie in their objects and memory of others (``from_numpy``) is theirs: neither is counted.

    >>> before = tl.memory_stats()["allocated_bytes.all.current"]
    >>> x = tl.empty(1000)
    >>> tl.memory_stats()["allocated_bytes.all.current"] - before
    4096
    """
    now = _core._memory_counters()
    return {
        "allocated_bytes.all.current": now["used_bytes"],
        "allocated_bytes.all.peak": now["used_peak"],
        "allocated_bytes.all.allocated": now["bytes_ever"],
        "allocated_bytes.all.freed": now["bytes_ever"] - now["used_bytes"],
        "allocation.all.current": now["used_blocks"],
        "allocation.all.allocated": now["blocks_ever"],
        "allocation.all.freed": now["blocks_ever"] - now["used_blocks"],
        "reserved_bytes.all.current": now["system_bytes"],
        "reserved_bytes.all.peak": now["system_peak"],
        "num_alloc_retries": now["retries"],
        "num_ooms": now["failures"],
        "cached_bytes": now["cached_bytes"],
        "cached_blocks": now["cached_blocks"],
        "cache_limit": now["limit"],
        "cache_hits": now["hits"],
        "cache_misses": now["misses"],
    }


def reset_peak_memory_stats():
    """reset_peak_memory_stats() -> None

    The peaks of ``memory_stats`` start again from what is in use now.
    """
    _core._reset_memory_peaks()
