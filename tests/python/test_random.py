"""Random tensors (csrc/random.pxi, csrc/philox.h): the published vectors, an oracle of the stream, and statistics of fixed seeds.

The statistical bounds are 5 standard errors of the estimate, for seeds that do not change: a failure is a change of the stream.
"""
import math
import statistics
import subprocess
import sys
import threading

import pytest

import tensorlib as tl
from tensorlib import _core

FLOATS = [tl.float16, tl.bfloat16, tl.float32, tl.float64]
BITS = {tl.float16: 11, tl.bfloat16: 8, tl.float32: 24, tl.float64: 53}
M32 = 0xFFFFFFFF


def philox(counter, key):
    """Philox 4x32-10, word by word as in Salmon et al."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & M32, (p >> 32) ^ c[3] ^ k[1], p & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def words(seed, call, block):
    return philox((block & M32, block >> 32, call & M32, call >> 32), (seed & M32, seed >> 32))


def test_known_answers():
    """The vectors that the authors of Philox publish with their library."""
    for counter, key, out in (
            ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
            ([M32] * 4, [M32] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
            ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
             [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])):
        assert _core._philox(counter, key) == out == philox(counter, key)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_stream_of_rand(dtype):
    seed, n = 0x123456789ABCDEF0, 301
    tl.manual_seed(seed)
    for call in range(3):
        got = tl.rand(n, dtype=dtype).tolist()
        for i in (0, 1, 2, 3, 4, 63, 64, 127, 128, 129, 299, 300):
            if dtype is tl.float64:
                w = words(seed, call, i // 2)
                expected = ((w[i % 2 * 2 + 1] << 32 | w[i % 2 * 2]) >> 11) * 2.0**-53
            else:
                expected = (words(seed, call, i // 4)[i % 4] >> (32 - BITS[dtype])) * 2.0 ** -BITS[dtype]
            assert got[i] == expected


def test_the_stream_of_randn_and_randint():
    tl.manual_seed(7)
    normal, integers = tl.randn(100, dtype=tl.float64).tolist(), tl.randint(-5, 1000, (100,)).tolist()
    for i in range(100):
        w = words(7, 0, i // 2)
        radius = math.sqrt(-2 * math.log(1 - ((w[1] << 32 | w[0]) >> 11) * 2.0**-53))
        angle = 2 * math.pi * ((w[3] << 32 | w[2]) >> 11) * 2.0**-53
        assert math.isclose(normal[i], radius * (math.sin(angle) if i % 2 else math.cos(angle)), rel_tol=1e-13, abs_tol=1e-14)
        w = words(7, 1, i // 2)
        assert integers[i] == -5 + ((w[i % 2 * 2 + 1] << 32 | w[i % 2 * 2]) * 1005 >> 64)


@pytest.mark.parametrize("make", [tl.rand, tl.randn, lambda n, **k: tl.randint(0, 1000, (n,), **k)])
def test_a_value_depends_on_seed_call_and_index_only(make):
    tl.manual_seed(3)
    long = make(100001)
    tl.manual_seed(3)
    assert make(77).tolist() == long[:77].tolist()
    assert make(77).tolist() != long[:77].tolist()           # the next call
    tl.manual_seed(3)
    make(5)
    second = make(77).tolist()
    tl.manual_seed(3)
    make(100000, device="meta")                              # counts as a call, and takes as much from the stream
    assert make(77).tolist() == second


def test_values_do_not_depend_on_the_memory_format():
    for like, dtype in ((tl.rand_like, tl.float32), (tl.randn_like, tl.float16), (lambda t: tl.randint_like(t, 99), tl.int16)):
        flat = tl.empty(2, 3, 4, 5, dtype=dtype)
        tl.manual_seed(1)
        expected = like(flat)
        tl.manual_seed(1)
        got = like(flat.contiguous(memory_format=tl.channels_last))
        assert got.stride() == (60, 1, 15, 3) and got.tolist() == expected.tolist()
    tl.manual_seed(1)
    expected = tl.rand(50).tolist()
    tl.manual_seed(1)
    assert tl.rand(50, out=tl.empty(100)[::2]).tolist() == expected


def test_threads_and_processes_draw_the_same():
    tl.manual_seed(11)
    expected = tl.rand(200000).sum().item(), tl.randn(200000, dtype=tl.float64)[-1].item()
    results = []

    def draw():
        g = tl.Generator().manual_seed(11)
        results.append((tl.rand(200000, generator=g).sum().item(), tl.randn(200000, dtype=tl.float64, generator=g)[-1].item()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
    code = ("import tensorlib as tl; tl.manual_seed(11); "
            "print(repr((tl.rand(200000).sum().item(), tl.randn(200000, dtype=tl.float64)[-1].item())))")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == repr(expected)


@pytest.mark.parametrize("level", tl.config.supported_levels())
def test_every_cpu_level_draws_the_same(level):
    code = ("import tensorlib as tl; tl.manual_seed(5); "
            "print([f(999, dtype=d).view(tl.uint8).tolist() for f in (tl.rand, tl.randn) "
            "for d in (tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.complex64)])")
    env = {"TENSORLIB_CPU_LEVEL": level, "PYTHONPATH": ":".join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    if "does not contain that level" in out.stderr:
        pytest.skip("not built")
    assert out.returncode == 0, out.stderr
    tl.manual_seed(5)
    here = [f(999, dtype=d).view(tl.uint8).tolist() for f in (tl.rand, tl.randn)
            for d in (tl.float16, tl.bfloat16, tl.float32, tl.float64, tl.complex64)]
    assert out.stdout.strip() == str(here)


# -- distributions -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_uniform_values(dtype):
    tl.manual_seed(100)
    n = 60000
    values = tl.rand(n, dtype=dtype).tolist()
    step = 2.0 ** -BITS[dtype]
    assert min(values) >= 0 and max(values) < 1 and all((v / step).is_integer() for v in values)
    assert abs(statistics.fmean(values) - (1 - step) / 2) < 5 / math.sqrt(12 * n)
    counts = [0] * 64
    for v in values:
        counts[int(v * 64)] += 1
    chi2 = sum((c - n / 64) ** 2 / (n / 64) for c in counts)
    assert abs(chi2 - 63) < 5 * math.sqrt(2 * 63)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_normal_values(dtype):
    tl.manual_seed(101)
    n = 60000
    values = tl.randn(n, dtype=dtype).tolist()
    moments = [statistics.fmean(v**k for v in values) for k in (1, 2, 3, 4)]
    for got, expected, variance in zip(moments, (0, 1, 0, 3), (1, 2, 15, 96)):
        assert abs(got - expected) < 5 * math.sqrt(variance / n) + 0.01 * (dtype is tl.bfloat16)
    inside = statistics.NormalDist()
    for bound in (-2, -1, 0, 0.5, 1.5, 3):
        p = inside.cdf(bound)
        share = sum(v < bound for v in values) / n
        assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / n) + 0.005 * (dtype is tl.bfloat16)
    assert max(values) > 3.5 and min(values) < -3.5
    pairs = statistics.fmean(a * b for a, b in zip(values[::2], values[1::2]))
    assert abs(pairs) < 5 / math.sqrt(n / 2)


@pytest.mark.parametrize("dtype", [tl.complex32, tl.complex64, tl.complex128], ids=str)
def test_complex_values(dtype):
    tl.manual_seed(102)
    n = 20000
    values = tl.randn(n, dtype=dtype).tolist()
    for part in ([v.real for v in values], [v.imag for v in values]):
        assert abs(statistics.fmean(part)) < 5 * math.sqrt(0.5 / n)
        assert abs(statistics.fmean(p * p for p in part) - 0.5) < 5 * math.sqrt(0.5 / n)
    uniform = tl.rand(n, dtype=dtype).tolist()
    assert all(0 <= v.real < 1 and 0 <= v.imag < 1 for v in uniform)
    assert abs(statistics.fmean(v.imag for v in uniform) - 0.5) < 5 / math.sqrt(12 * n)


@pytest.mark.parametrize("dtype", [tl.bool, tl.uint8, tl.int8, tl.int32, tl.int64, tl.uint64, tl.float16, tl.float64], ids=str)
def test_integers(dtype):
    tl.manual_seed(103)
    low, high = (0, 2) if dtype is tl.bool else (0, 7) if dtype in (tl.uint8, tl.uint64) else (-3, 4)
    n = 20000
    values = tl.randint(low, high, (n,), dtype=dtype).tolist()
    for value in range(low, high):
        p = 1 / (high - low)
        assert abs(values.count(value) / n - p) < 5 * math.sqrt(p * (1 - p) / n)
    assert set(values) == set(range(low, high))


def test_randint_ranges():
    tl.manual_seed(104)
    assert tl.randint(3, (4,)).dtype is tl.int64 and tl.randint(low=5, high=6, size=(2,)).tolist() == [5, 5]
    assert tl.randint(1, size=(2,)).tolist() == [0, 0] and tl.randint(2, 3, size=[1]).tolist() == [2]
    full = tl.randint(-2**63, 2**63, (2000,)).tolist()
    assert min(full) < -2**61 and max(full) > 2**61
    full = tl.randint(0, 2**64, (2000,), dtype=tl.uint64).tolist()
    assert max(full) > 2**63
    assert set(tl.randint(-128, 128, (5000,), dtype=tl.int8).tolist()) == set(range(-128, 128))
    for args, kwargs, text in (((3, 3, (2,)), {}, "expects 'from' to be less than 'to', but got from=3 >= to=3"),
                               ((0, 300, (2,)), {"dtype": tl.uint8}, "to - 1 is out of bounds"),
                               ((-1, 3, (2,)), {"dtype": tl.uint8}, "from is out of bounds"),
                               ((0, 5000, (2,)), {"dtype": tl.float16}, "to - 1 is out of bounds"),
                               ((0, 2**63 + 1, (2,)), {}, "to - 1 is out of bounds"),
                               ((0, 2, (2,)), {"dtype": tl.complex64}, "handles only integral")):
        with pytest.raises(RuntimeError, match=text):
            tl.randint(*args, **kwargs)
    for args in ((), (3,), (0, 3, 2), (0, 2.5, (2,)), (1, 2, 3, (2,))):
        with pytest.raises(TypeError):
            tl.randint(*args)


def test_randperm():
    tl.manual_seed(105)
    for n in (0, 1, 2, 31, 32, 33, 1000):
        assert sorted(tl.randperm(n).tolist()) == list(range(n))
    firsts = [tl.randperm(5)[0].item() for _ in range(5000)]
    for value in range(5):
        assert abs(firsts.count(value) / 5000 - 0.2) < 5 * math.sqrt(0.16 / 5000)
    assert tl.randperm(10, dtype=tl.float16).dtype is tl.float16
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        tl.randperm(-1)
    with pytest.raises(RuntimeError, match="uint8.*without overflow"):
        tl.randperm(300, dtype=tl.uint8)


# -- the generator -------------------------------------------------------------------------------------------------------

def test_seeds():
    assert isinstance(tl.manual_seed(42), tl.Generator) and tl.initial_seed() == 42
    first = tl.rand(3).tolist()
    assert tl.manual_seed(42) and tl.rand(3).tolist() == first
    tl.manual_seed(-1)
    assert tl.initial_seed() == 2**64 - 1
    drawn = {tl.seed() for _ in range(5)}
    assert len(drawn) == 5 and tl.initial_seed() in drawn
    for bad, kind in ((2**64, ValueError), (-2**63 - 1, ValueError), ("a", TypeError), (1.5, TypeError)):
        with pytest.raises(kind):
            tl.manual_seed(bad)
    assert tl.initial_seed() in drawn


def test_state():
    tl.manual_seed(9)
    tl.rand(4)
    state = tl.get_rng_state()
    expected = tl.randn(4).tolist()
    tl.rand(100)
    tl.set_rng_state(state)
    assert tl.randn(4).tolist() == expected and state.dtype is tl.uint8
    for bad in (tl.zeros(3, dtype=tl.uint8), tl.zeros(16), [1]):
        with pytest.raises((TypeError, RuntimeError)):
            tl.set_rng_state(bad)
    g = tl.Generator().manual_seed(9)
    before = tl.get_rng_state().tolist()
    tl.rand(4, generator=g)
    assert tl.randn(4, generator=g).tolist() == expected and tl.get_rng_state().tolist() == before
    with pytest.raises(TypeError, match="generator"):
        tl.rand(1, generator=5)


def test_dtypes_that_are_refused():
    for make in (tl.rand, tl.randn):
        for dtype in (tl.int32, tl.bool, tl.float8_e5m2, tl.bits8):
            with pytest.raises(NotImplementedError, match="not implemented for"):
                make(2, dtype=dtype)
    state = tl.get_rng_state().tolist()
    with pytest.raises(NotImplementedError):
        tl.rand_like(tl.ones(2, dtype=tl.int32))
    with pytest.raises(RuntimeError):
        tl.rand(-1)
    assert tl.get_rng_state().tolist() == state                # a failed call takes nothing
