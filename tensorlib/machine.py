"""What this process may use of the machine: processors and memory, by affinity and by the limits of its control groups.

Control groups of version 1 (a tree for each controller) and 2 (one tree) are read, from the process's own group up to the root:
the strictest limit holds.  Where the tree of the process is not visible, as in a container, its mounted root is the group.
"""
import os

CGROUPS = "/sys/fs/cgroup"


def _read(path):
    """The text of a small file, None where there is none."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _groups(controller, root):
    """The folders of the process's group for a controller, of each version in use: from its own up to the root."""
    for line in (_read(root + "/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            base = root + CGROUPS
        elif controller in names.split(","):
            base = f"{root}{CGROUPS}/{controller}"
        else:
            continue
        path = path.rstrip("/")
        while path and path != "/..":
            yield base + path
            path = path.rpartition("/")[0]
        yield base


def _number(text):
    try:
        return int(text)
    except (TypeError, ValueError):     # None, "max"
        return None


def memory(root=""):
    """Bytes of memory that the process may have: the machine's, or less by a control group; None if unknown."""
    try:
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, ValueError, OSError):
        found = []
    for folder in _groups("memory", root):
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            limit = _number(_read(f"{folder}/{name}"))
            if limit is not None and limit > 0:
                found.append(limit)
    return min(found, default=None)


def processors(root=""):
    """How many processors the process may keep busy: those of its affinity, or fewer by a control group's quota; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    for folder in _groups("cpu", root):
        quota, _, period = (_read(f"{folder}/cpu.max") or "").partition(" ")
        if not period:
            quota, period = _read(f"{folder}/cpu.cfs_quota_us"), _read(f"{folder}/cpu.cfs_period_us")
        quota, period = _number(quota), _number(period)
        if quota is not None and period is not None and quota > 0 and period > 0:
            count = min(count, -(-quota // period))       # a quota of 1.5 keeps two threads busy three quarters of the time
    return max(count, 1)
