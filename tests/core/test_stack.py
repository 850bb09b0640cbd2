"""Every kind of kernel runs in a thread with a stack of 128 KiB: the scratch memory of csrc/loops.h, and what is around it."""
import subprocess
import sys
import threading

import pytest
from tensorlib import _dtypetable

SCRIPT = """
import sys
import threading

import tensorlib as tl

ARITHMETIC = [getattr(tl, name) for name in sys.argv[1].split(",")]
CASTABLE = [getattr(tl, name) for name in sys.argv[2].split(",")]


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: {got} instead of {want}")


def layouts(x):
    '''The same values row-major, transposed, with gaps, and as a column that repeats.'''
    gaps = tl.zeros(2 * x.shape[0], x.shape[1], dtype=x.dtype)[::2]
    gaps.copy_(x)
    return [x, x.t().contiguous().t(), gaps]


def pointwise():
    ones = tl.ones(70, 70)
    for a in ARITHMETIC:
        for b in ARITHMETIC:
            if {a, b} & {tl.uint64} and {a, b} & {tl.int8, tl.int16, tl.int32, tl.int64}:
                continue                                      # no common dtype
            for x in layouts(ones.to(a)):
                y = ones.to(b)
                total = x + y
                check(total[69, 69].item(), total[0, 0].item(), ("add", a, b))
                tl.mul(x, y.t(), out=total)
                check(total[69, 68].item(), 1, ("mul", a, b))
                check((x == y[:1]).all().item(), True, ("eq", a, b))
                check(tl.where(x == y, x, y[0])[3, 69].item(), 1, ("where", a, b))
                tl.add(x, y, out=tl.empty(70, 70, dtype=tl.complex128).t())
    big = tl.full((70, 70), 3, dtype=tl.int64)
    check(tl.clamp(big, tl.ones(70, dtype=tl.int8), tl.full((70, 1), 2, dtype=tl.float16))[9, 9].item(), 2, "clamp")
    check(tl.add(big.t(), tl.ones(70, 70, dtype=tl.bfloat16), alpha=2)[9, 9].item(), 5, "alpha")
    check((tl.ones(3, dtype=tl.uint8) < 257).all().item(), True, "beyond the range")       # the call within the call
    check(big.float()[:, 0].exp()[5].item() > 20, True, "exp")
    check(tl.abs(big.to(tl.complex64).t())[1, 1].item(), 3, "abs")


def casts():
    ones = tl.ones(67, 65)
    for a in CASTABLE:
        x = ones.to(a)
        for b in CASTABLE:
            y = x.to(b)
            check(y.to(tl.float32)[66, 64].item(), 1, ("cast", a, b))
            check(x.t().contiguous().t().to(b, memory_format=tl.contiguous_format).to(tl.float32)[66, 64].item(), 1,
                  ("cast against the grain", a, b))
            tl.empty(65, 67, 2, dtype=b)[:, :, 0].copy_(x.t())


def copies():
    for a in ARITHMETIC:
        x = tl.arange(0, 120).to(a).reshape(2, 3, 4, 5)
        want = x.permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)
        check((want == x).all().item(), True, ("permute", a))
        image = tl.ones(2, 3, 33, 35, dtype=a)
        nhwc = image.contiguous(memory_format=tl.channels_last)
        check((nhwc.contiguous() == image).all().item(), True, ("channels last", a))
        wide = tl.ones(150, 130, dtype=a)
        check((wide.t().contiguous() == wide[0, 0]).all().item(), True, ("transpose", a))


def reductions():
    ones = tl.ones(40, 70, 30)
    for a in ARITHMETIC:
        x = ones.to(a)
        for view in (x, x.permute(2, 0, 1), x[:, ::2]):
            n = view.shape
            for dim in (None, 0, 1, 2, (0, 2), (0, 1), (1, 2)):
                if a != tl.bool:
                    total = tl.sum(view, dim)
                    want = tl.tensor(view.numel() // total.numel()).to(total.dtype).item()
                    check(total.flatten()[0].item(), want, ("sum", a, n, dim))
                check(tl.any(view, dim).flatten()[-1].item(), 1, ("any", a, n, dim))
                check(tl.all(view, dim).flatten()[-1].item(), 1, ("all", a, n, dim))
                if a.is_floating_point or a.is_complex:
                    check(tl.mean(view, dim).flatten()[-1].item(), 1, ("mean", a, n, dim))
                if not a.is_complex:
                    check(tl.amax(view, dim).flatten()[-1].item(), 1, ("amax", a, n, dim))
                    check(tl.amin(view, dim).flatten()[-1].item(), 1, ("amin", a, n, dim))
    check(tl.ones(3, 5000).t().sum(0)[1].item(), 5000, "a long sum")
    check(tl.ones(20000, 30, dtype=tl.bfloat16).sum(0)[3].item(), 19968, "a long sum of bfloat16")


def the_rest():
    for a in ARITHMETIC:
        if a != tl.bool and not a.is_complex:
            check(tl.arange(0, 100, dtype=a)[99].item(), 99, ("arange", a))
            check(tl.linspace(0, 100, 101, dtype=a)[100].item(), 100, ("linspace", a))
        check(tl.full((40, 40), 1, dtype=a).t()[3, 3].item(), 1, ("full", a))
        check(tl.eye(40, dtype=a)[3, 4].item(), 0, ("eye", a))
        x = tl.zeros(40, 40, 2, dtype=a)
        x[:, ::2, 1] = 1
        x[5] = x[6].clone()
        check(x[5, 2, 1].item(), 1, ("setitem", a))
        check(len(repr(x)) > 100, True, ("repr", a))
        check(tl.tensor(x.tolist(), dtype=a)[39, 2, 1].item(), 1, ("tolist", a))
    base = tl.zeros(100)
    try:
        tl.add(base.as_strided((5, 5, 5), (1, 2, 3)), 1, out=base.as_strided((5, 5, 5), (7, 3, 2)))
    except RuntimeError:
        pass
    else:
        raise AssertionError("an overlap passed")
    check(tl.rand(100).numel(), 100, "rand")
    check(tl.randn(100, dtype=tl.float16).numel(), 100, "randn")
    check(tl.randint(0, 5, (100,)).amax().item() < 5, True, "randint")
    check(tl.randperm(100).sum().item(), 4950, "randperm")


def work(part):
    try:
        part()
        done.append(part)
    except BaseException:
        import traceback
        traceback.print_exc()


done = []
parts = (pointwise, casts, copies, reductions, the_rest)
threading.stack_size(int(sys.argv[3]))
for part in parts:
    thread = threading.Thread(target=work, args=(part,))
    thread.start()
    thread.join()
sys.exit(len(done) != len(parts))
"""


def test_small_stack():
    try:
        threading.stack_size(threading.stack_size())
    except (ValueError, RuntimeError):
        pytest.skip("this system's threads have no stack size of their own")
    castable = [row["name"] for row in _dtypetable.DTYPES if row["compute"]]
    arguments = [",".join(castable[:_dtypetable.ARITHMETIC]), ",".join(castable), str(128 * 1024)]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
