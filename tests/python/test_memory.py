"""The cache of freed memory: what it keeps, gives out again and gives back, and what happens when there is no memory."""
import ast
import gc
import os
import queue
import random
import subprocess
import sys
import threading
import tracemalloc

import pytest
import tensorlib as tl
from tensorlib import _core, memory

KIB, MIB = 1 << 10, 1 << 20
LARGE = 4 * MIB


def run_program(program, **environment):
    """What a fresh interpreter prints, read as a Python value."""
    path = os.pathsep.join([os.path.dirname(os.path.dirname(tl.__file__)), *sys.path])
    done = subprocess.run([sys.executable, "-c", "import tensorlib as tl\n" + program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": path, **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return ast.literal_eval(done.stdout.strip() or "None")


def block(nbytes):
    return tl.empty(nbytes, dtype=tl.uint8)


@pytest.fixture(autouse=True)
def fresh_cache():
    """Every test starts with an empty cache and leaves the limit as it was."""
    gc.collect()
    limit = tl.memory_stats()["cache_limit"]
    tl.empty_cache()
    yield
    _core._set_cache_limit(limit)


def change(names, before):
    now = tl.memory_stats()
    return [now[name] - before[name] for name in names.split()]


# -- taking and giving ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("nbytes", [KIB, KIB + 1, 5000, 64 * KIB, MIB - 1, LARGE - 1, LARGE, LARGE + 1, 7 * MIB + 3, 40 * MIB])
def test_a_freed_block_is_the_next_of_its_size(nbytes):
    before = tl.memory_stats()
    x = block(nbytes)
    address = x.data_ptr()
    assert address % 64 == 0 and (nbytes < LARGE or address % (2 * MIB) == 0)
    assert change("cache_hits cache_misses cached_blocks", before) == [0, 1, 0]
    del x
    assert change("cached_blocks", before) == [1]
    y = block(nbytes)
    assert y.data_ptr() == address
    assert change("cache_hits cache_misses cached_blocks cached_bytes", before) == [1, 1, 0, 0]


def test_capacities():
    """Four classes a doubling up to 4 MiB, then steps of 64 KiB: never more than a quarter above what was asked for."""
    for nbytes in [*range(KIB, 9000, 37), *random.Random(5).sample(range(9000, 20 * MIB), 300), 3 * MIB, LARGE]:
        before = tl.memory_stats()
        x = block(nbytes)
        capacity, = change("allocated_bytes.all.current", before)
        assert nbytes <= capacity <= nbytes * 5 // 4, (nbytes, capacity)
        assert x.untyped_storage().nbytes() == nbytes
        if nbytes > LARGE:
            assert capacity == -(-nbytes // (64 * KIB)) * 64 * KIB
        del x
        tl.empty_cache()


def test_small_blocks_are_counted_but_not_cached():
    before = tl.memory_stats()
    kept = [block(65), block(1023)]
    assert change("allocated_bytes.all.current allocation.all.current cache_misses", before) == [1088, 2, 0]
    kept.append(block(64))      # lies in its object
    assert change("allocated_bytes.all.current", before) == [1088]
    del kept
    assert change("allocated_bytes.all.current allocation.all.current cached_blocks", before) == [0, 0, 0]
    assert change("allocated_bytes.all.allocated allocation.all.freed", before) == [1088, 2]


def test_large_requests_take_the_best_fit():
    first, second, third = block(9 * MIB), block(8 * MIB), block(20 * MIB)
    address = {name: x.data_ptr() for name, x in (("9", first), ("8", second), ("20", third))}
    del first, second, third
    x = block(7 * MIB + 512 * KIB)
    assert x.data_ptr() == address["8"]
    y = block(7 * MIB + 512 * KIB)
    assert y.data_ptr() == address["9"]          # 1.2 times
    before = tl.memory_stats()
    z = block(15 * MIB)                          # 20 is more than 1.25 times 15
    assert change("cache_misses cached_blocks", before) == [1, 0]
    w = block(16 * MIB)                          # ... and just 1.25 times 16
    assert w.data_ptr() == address["20"] and z.numel() == 15 * MIB


def test_peaks():
    tl.reset_peak_memory_stats()
    start = tl.memory_stats()
    x = block(10 * MIB)
    del x
    x = block(MIB)
    stats = tl.memory_stats()
    assert stats["allocated_bytes.all.peak"] - start["allocated_bytes.all.current"] == 10 * MIB
    assert stats["reserved_bytes.all.current"] - start["reserved_bytes.all.current"] == 11 * MIB
    assert stats["cached_bytes"] == 10 * MIB
    tl.reset_peak_memory_stats()
    stats = tl.memory_stats()
    assert stats["allocated_bytes.all.peak"] == stats["allocated_bytes.all.current"]
    assert stats["reserved_bytes.all.peak"] == stats["reserved_bytes.all.current"]
    assert x.numel() == MIB


def test_views_keep_the_block():
    before = tl.memory_stats()
    x = tl.ones(MIB)
    row = x[5:10]
    del x
    assert change("cached_blocks allocation.all.current", before) == [0, 1]
    assert row.tolist() == [1.0] * 5
    del row
    assert change("cached_blocks allocation.all.current", before) == [1, 0]


def test_foreign_memory_is_not_counted():
    before = tl.memory_stats()
    x = tl.frombuffer(bytearray(MIB), dtype=tl.uint8)
    assert change("allocated_bytes.all.current", before) == [0]
    del x
    assert change("cached_blocks", before) == [0]


def test_resizing():
    """out= grows into its capacity without moving, beyond it by taking another block; the old one goes to the cache."""
    before = tl.memory_stats()
    out = tl.zeros(1030, dtype=tl.uint8)
    address = out.data_ptr()
    tl.ones(1280, dtype=tl.uint8, out=out)
    assert out.data_ptr() == address and out.sum().item() == 1280
    tl.ones(1281, dtype=tl.uint8, out=out)
    assert out.data_ptr() != address and out.sum().item() == 1281
    assert change("cached_bytes allocated_bytes.all.current", before) == [1280, 1536]
    tl.ones(20, dtype=tl.uint8, out=out)
    tl.ones(1500, dtype=tl.uint8, out=out)
    assert out.sum().item() == 1500
    small = tl.zeros(10, dtype=tl.uint8)
    tl.ones(64, dtype=tl.uint8, out=small)
    tl.ones(65, dtype=tl.uint8, out=small)
    tl.ones(2000, dtype=tl.uint8, out=small)
    assert small.sum().item() == 2000
    del out, small
    assert change("allocated_bytes.all.current allocation.all.current", before) == [0, 0]


# -- zeros ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("nbytes", [8, 64, 65, 1000, KIB, 40 * KIB, MIB, 5 * MIB, 33 * MIB, 70 * MIB + 5])
def test_zeros_are_zero_whatever_the_block_held(nbytes):
    for _ in range(2):
        dirty = block(nbytes).fill_(255)
        address = dirty.data_ptr()
        del dirty
        x = tl.zeros(nbytes, dtype=tl.uint8)
        assert nbytes < KIB or x.data_ptr() == address
        assert not x.any().item()
        x.fill_(7)
        del x
        y = tl.zeros_like(block(nbytes).fill_(255))
        assert not y.any().item()
    tl.empty_cache()
    assert not tl.zeros(nbytes, dtype=tl.uint8).any().item()      # fresh pages


def test_zeros_in_every_form():
    dirty = tl.full((8, 3, 512, 512), 3.0)
    del dirty
    assert not tl.zeros(8, 3, 512, 512, memory_format=tl.channels_last).any().item()
    assert tl.zeros(8, 3, 512, 512, memory_format=tl.channels_last).stride() == (3 * 512 * 512, 1, 3 * 512, 3)
    assert not tl.zeros_like(tl.ones(1000, 3000).t()).any().item()
    assert tl.zeros(3000, 3000, device="meta").is_meta
    assert tl.zeros(0, 5).shape == (0, 5)
    x = tl.eye(1500)
    assert x.sum().item() == 1500 and x[7, 7].item() == 1


# -- limits -----------------------------------------------------------------------------------------------------------

def test_the_oldest_block_goes_first():
    _core._set_cache_limit(3 * MIB)
    blocks = {name: block(nbytes) for name, nbytes in (("a", MIB), ("b", MIB + MIB // 4), ("c", MIB + MIB // 2))}
    address = {name: x.data_ptr() for name, x in blocks.items()}
    for name in "bac":
        del blocks[name]                          # with c there is too much: b goes
    assert tl.memory_stats()["cached_bytes"] == 2 * MIB + MIB // 2
    x, y = block(MIB), block(MIB + MIB // 2)
    assert (x.data_ptr(), y.data_ptr()) == (address["a"], address["c"])
    before = tl.memory_stats()
    z = block(MIB + MIB // 4)
    assert change("cache_misses", before) == [1] and z.numel() > MIB


def test_what_exceeds_the_limit_alone_is_not_kept():
    _core._set_cache_limit(5 * MIB)
    kept, large = block(MIB), block(6 * MIB)
    del kept
    del large
    assert tl.memory_stats()["cached_bytes"] == MIB


def test_a_lower_limit_takes_effect_at_once():
    x = [block(MIB) for _ in range(8)]
    del x
    assert tl.memory_stats()["cached_bytes"] == 8 * MIB
    _core._set_cache_limit(3 * MIB)
    assert tl.memory_stats()["cached_bytes"] == 3 * MIB


def test_random_traffic_stays_within_its_books():
    """Blocks never overlap, the cache never exceeds its limit, and the counters agree with a slow account."""
    rng = random.Random(11)
    limit = 24 * MIB
    _core._set_cache_limit(limit)
    start = tl.memory_stats()
    held = {}
    for step in range(4000):
        if held and rng.random() < 0.5:
            del held[rng.choice(list(held))]
        elif len(held) < 30:
            x = block(int(2 ** rng.uniform(7, 23)))
            x[0] = x[-1] = step % 251
            held[x.data_ptr()] = x, step % 251
            del x
        count, nbytes = change("allocation.all.current allocated_bytes.all.current", start)
        assert count == len(held)
        assert sum(x.numel() for x, _ in held.values()) <= nbytes
        assert tl.memory_stats()["cached_bytes"] <= limit
        if step % 100 == 0:
            spans = sorted((p, p + x.numel()) for p, (x, _) in held.items())
            assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:]))
            assert all(x[0].item() == x[-1].item() == mark for x, mark in held.values())
    held.clear()
    assert change("allocated_bytes.all.current allocation.all.current", start) == [0, 0]
    tl.empty_cache()
    assert change("reserved_bytes.all.current", start) == [0]
    assert tl.memory_stats()["cached_bytes"] == tl.memory_stats()["cached_blocks"] == 0


def test_the_environment_sets_the_limit():
    program = "x = tl.ones(10**6); del x\ns = tl.memory_stats(); print([s['cache_limit'], s['cached_bytes'] > 0, s['cache_hits']])"
    assert run_program(program, TENSORLIB_CACHE_LIMIT="0") == [0, False, 0]
    assert run_program(program, TENSORLIB_CACHE_LIMIT="5000000") == [5000000, True, 0]
    default, cached, _ = run_program(program, TENSORLIB_CACHE_LIMIT="")
    assert 0 < default <= 1 << 30 and cached


@pytest.mark.parametrize("value", ["-1", "1.5", "many", "1G"])
def test_a_limit_that_is_no_number_is_refused(value):
    program = "import sys\nprint(repr(sys.exc_info()))"
    path = os.pathsep.join([os.path.dirname(os.path.dirname(tl.__file__)), *sys.path])
    done = subprocess.run([sys.executable, "-c", "import tensorlib\n" + program], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": path, "TENSORLIB_CACHE_LIMIT": value}, check=False)
    assert done.returncode == 1
    assert f"ImportError: TENSORLIB_CACHE_LIMIT={value}: it must be a number of bytes" in done.stderr


def test_without_a_cache_everything_works():
    program = """
x = [tl.zeros(n, dtype=tl.uint8) for n in (10, 100, 5000, 10**6, 5 * 10**6, 40 * 10**6)]
ok = not any(t.any().item() for t in x)
for t in x: t.fill_(1)
total = sum(t.sum().item() for t in x)
del x, t
s = tl.memory_stats()
print([ok, total, s["cached_bytes"], s["reserved_bytes.all.current"], s["cache_misses"] >= 4])
"""
    assert run_program(program, TENSORLIB_CACHE_LIMIT="0") == [True, 46005110, 0, 0, True]


# -- giving back ------------------------------------------------------------------------------------------------------

@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="resident memory is read from /proc")
def test_empty_cache_returns_memory_to_the_system():
    program = """
def resident(): return int(open('/proc/self/statm').read().split()[1]) * 4096 >> 20
start = resident()
x = tl.ones(64 << 18); y = [tl.ones(1 << 18) for _ in range(40)]
full = resident() - start
del x, y
kept = resident() - start
tl.empty_cache()
print([full, kept, resident() - start])
"""
    full, kept, left = run_program(program)
    assert full >= 100 and kept >= 100, (full, kept)
    assert left <= 12, left


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_the_cache_is_emptied_before_memory_runs_out():
    program = """
import resource
x = tl.ones(200 << 20, dtype=tl.uint8); y = tl.ones(100)
del x
used = int(open('/proc/self/statm').read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20), -1))
before = tl.memory_stats()
z = tl.empty(300 << 20, dtype=tl.uint8)
middle = tl.memory_stats()
try:
    tl.empty(400 << 20, dtype=tl.uint8)
    failed = ''
except MemoryError as error:
    failed = str(error)
after = tl.memory_stats()
print([before['cached_bytes'] >> 20, middle['num_alloc_retries'], middle['num_ooms'], middle['cached_bytes'], failed,
       after['num_ooms'], after['allocated_bytes.all.current'] - middle['allocated_bytes.all.current'], (y + 1).sum().item()])
"""
    assert run_program(program, TENSORLIB_CACHE_LIMIT=str(1 << 30)) == [
        200, 1, 0, 0, f"cannot allocate {400 << 20} bytes on cpu", 1, 0, 200.0]


def test_no_memory_changes_nothing():
    """2**47 elements: no address space holds their bytes."""
    a, b = tl.ones(1).expand(1 << 24, 1), tl.ones(1).expand(1, 1 << 23)
    out, kept = tl.full((3,), 5.0), tl.full((2000,), 6.0)
    before = tl.memory_stats()
    for call in (lambda: a + b, lambda: tl.add(a, b, out=out), lambda: tl.zeros(1 << 47), lambda: tl.ones(1 << 47, out=kept),
                 lambda: a.expand(1 << 24, 1 << 23).contiguous(), lambda: tl.UntypedStorage(1 << 50)):
        with pytest.raises(MemoryError, match="cannot allocate"):
            call()
    assert out.shape == (3,) and out.tolist() == [5.0] * 3
    assert kept.shape == (2000,) and kept.sum().item() == 12000
    assert change("allocated_bytes.all.current allocation.all.current", before) == [0, 0]
    assert tl.memory_stats()["num_ooms"] - before["num_ooms"] == 6


# -- tracemalloc, threads, forks --------------------------------------------------------------------------------------

def traced(domain):
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, domain)])
    return sum(stat.size for stat in snapshot.statistics("filename"))


def test_tracemalloc_sees_blocks():
    untraced = tl.ones(MIB)
    tracemalloc.start()
    try:
        x, y = tl.ones(2 * MIB), tl.ones(1000)
        assert traced(memory.TRACEMALLOC_DOMAIN) == 8 * MIB + 4096
        small = tl.ones(250)
        assert traced(0) >= 1000 and small.numel() == 250
        del x
        assert traced(memory.TRACEMALLOC_DOMAIN) == 4096
        x = tl.ones(2 * MIB)                     # from the cache: counted again, where it was asked for
        assert traced(memory.TRACEMALLOC_DOMAIN) == 8 * MIB + 4096
        del untraced                             # came before: nothing to forget
        del x, y
        assert traced(memory.TRACEMALLOC_DOMAIN) == 0
        kept = tl.ones(5000)
    finally:
        tracemalloc.stop()
    del kept


def test_many_threads_take_and_give():
    """Tensors are freed by other threads than made them; contents and books hold."""
    before = tl.memory_stats()
    passed, errors = queue.Queue(40), []

    def work(number):
        rng = random.Random(number)
        try:
            for step in range(300):
                mark = (number * 37 + step) % 251
                x = tl.full((int(2 ** rng.uniform(8, 20)),), mark, dtype=tl.uint8)
                y = x + 1
                assert x[-1].item() == mark and y[0].item() == mark + 1
                passed.put((x, mark))
                z, other = passed.get()
                assert z[0].item() == z[-1].item() == other
                del x, y, z
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and passed.empty()
    del threads
    gc.collect()
    assert change("allocated_bytes.all.current allocation.all.current", before) == [0, 0]
    assert tl.memory_stats()["cached_bytes"] <= tl.memory_stats()["cache_limit"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_has_its_own_cache():
    program = """
import os
x = tl.full((MIB,), 3.0); y = tl.full((3 * MIB,), 4.0)
del y
cached = tl.memory_stats()["cached_bytes"]
child = os.fork()
if child == 0:
    y = tl.full((3 * MIB,), 9.0)
    s = tl.memory_stats()
    ok = s["cache_hits"] >= 1 and s["cached_bytes"] < cached and x.sum().item() == 3.0 * MIB and y[5].item() == 9.0
    del y
    tl.empty_cache()
    os._exit(0 if ok and tl.memory_stats()["cached_bytes"] == 0 else 1)
status = os.waitpid(child, 0)[1]
y = tl.empty(3 * MIB)
print([status, y[100].item(), tl.memory_stats()["cached_bytes"] < cached, x.sum().item()])
""".replace("MIB", str(MIB))
    status, left, taken, total = run_program(program)
    assert status == 0 and left == 4.0 and taken and total == 3.0 * MIB


# -- what the machine allows ------------------------------------------------------------------------------------------

def test_stats_are_a_dictionary_of_integers():
    stats = tl.memory_stats()
    assert all(type(value) is int and value >= 0 for value in stats.values())
    assert stats["allocated_bytes.all.current"] <= stats["allocated_bytes.all.peak"]
    assert tl.show_config(mode="dict")["cache limit"] == stats["cache_limit"]
