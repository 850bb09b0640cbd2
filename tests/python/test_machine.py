"""What control groups allow, read from made-up trees of both versions."""
import os

import pytest
from tensorlib import machine

GIB = 1 << 30


def tree(root, files):
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(root)


@pytest.fixture(autouse=True)
def eight_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 4 * GIB // 4096}.__getitem__)


@pytest.mark.parametrize(("files", "processors", "memory"), [
    ({}, 8, 4 * GIB),
    ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"}, 8, 4 * GIB),
    ({"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "250000 100000\n",
      "/sys/fs/cgroup/a/b/memory.max": "1000000\n", "/sys/fs/cgroup/a/memory.max": "max\n"}, 3, 1000000),
    ({"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",     # the parent is stricter
      "/sys/fs/cgroup/a/cpu.max": "50000 100000\n", "/sys/fs/cgroup/a/b/memory.max": str(2 * GIB),
      "/sys/fs/cgroup/a/memory.high": str(GIB)}, 1, GIB),
    ({"/proc/self/cgroup": "0::/not/visible\n", "/sys/fs/cgroup/cpu.max": "400000 100000\n",      # a container
      "/sys/fs/cgroup/memory.max": "5000\n"}, 4, 5000),
    ({"/proc/self/cgroup": "0::/../other\n", "/sys/fs/cgroup/cpu.max": "200000 100000"}, 2, 4 * GIB),
    ({"/proc/self/cgroup": "9:name=systemd:/\n4:memory:/x/y\n1:cpu,cpuacct:/x\n0::/\n",
      "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "600000\n", "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
      "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes": "9223372036854771712\n",
      "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "123456789\n"}, 6, 123456789),
    ({"/proc/self/cgroup": "nonsense\n::\n1:cpu\n", "/sys/fs/cgroup/cpu.max": "1 1"}, 8, 4 * GIB),
    ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "broken", "/sys/fs/cgroup/memory.max": ""}, 8, 4 * GIB),
    ({"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "1600000 100000"}, 8, 4 * GIB),     # more than there are
])
def test_limits_of_control_groups(tmp_path, files, processors, memory):
    root = tree(tmp_path, files)
    assert machine.processors(root) == processors
    assert machine.memory(root) == memory


def test_this_machine():
    assert 1 <= machine.processors() <= 8
    assert machine.memory() > 0
