"""Does this installation work on this machine?  `python -m tensorlib.selftest` prints a line a part and a summary.

Needs nothing but Python, takes at most two seconds, and exits with status 1 if a check fails.  Each part is checked against
Python's own numbers, or against arithmetic on sizes and strides done here by hand; and once more for every CPU level that the
machine supports, in a process of its own, since a level is chosen at import.  The project's own tests go much further.
"""

import os
import struct
import subprocess
import sys
import time

ALONE = "--this-level-only"     # set for the processes that check one level each
INTEGERS = ("uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FORMATS = {"float16": "e", "float32": "f", "float64": "d"}


def rounded(name, value):
    """`value`, a Python float, as the float dtype `name` stores it."""
    if name == "bfloat16":      # the upper half of a float32, to nearest even; right for the finite values used here
        bits, = struct.unpack("<I", struct.pack("<f", value))
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    form = FORMATS[name]
    return struct.unpack(form, struct.pack(form, value))[0]


def wrapped(name, value):
    """`value`, a Python int, modulo 2**bits of the integer dtype `name`."""
    bits = int(name.lstrip("uint"))
    value &= (1 << bits) - 1
    return value - (1 << bits) if name[0] == "i" and value >> (bits - 1) else value


class Checks:
    """Counts; remembers what failed."""

    def __init__(self):
        self.passed, self.failures = 0, []

    def same(self, found, expected, what):
        if type(found) is type(expected) and found == expected:
            self.passed += 1
        else:
            self.failures.append(f"{what}: {found!r}, expected {expected!r}")

    def raises(self, kind, call, what):
        try:
            found = call()
        except kind:
            self.passed += 1
        except Exception as error:
            self.failures.append(f"{what}: {type(error).__name__} ({error}), expected {kind.__name__}")
        else:
            self.failures.append(f"{what}: returned {found!r}, expected {kind.__name__}")


def check_import(tl, check):
    """names, versions, nothing imported that is not needed"""
    check.same("numpy" in sys.modules, False, "NumPy imported by tensorlib")
    check.same(isinstance(tl.__version__, str), True, "a version")
    check.same(os.environ.get("TENSORLIB_CPU_LEVEL", "") in ("", level_in_use(tl)), True, "the CPU level asked for")


def check_dtypes(tl, check):
    """singletons, sizes, finfo and iinfo"""
    for name in INTEGERS:
        dtype = getattr(tl, name)
        bits = int(name.lstrip("uint"))
        check.same(dtype.itemsize * 8, bits, f"{name}.itemsize")
        check.same((dtype.is_floating_point, dtype.is_complex, dtype.is_signed), (False, False, name[0] == "i"), f"flags of {name}")
        info = tl.iinfo(dtype)
        check.same((info.min, info.max), (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "i" else (0, (1 << bits) - 1),
                   f"iinfo({name})")
    for name, mantissa in (("float16", 10), ("bfloat16", 7), ("float32", 23), ("float64", 52)):
        check.same(tl.finfo(getattr(tl, name)).eps, 2.0 ** -mantissa, f"finfo({name}).eps")
    check.same(tl.float is tl.float32 and tl.long is tl.int64, True, "aliases")
    check.same(repr(tl.complex64), "tensorlib.complex64", "repr of a dtype")


def check_arithmetic(tl, check):
    """every arithmetic dtype against Python's numbers"""
    for name in INTEGERS:
        dtype = getattr(tl, name)
        top = tl.iinfo(dtype).max
        x, y = [0, 1, 2, 7, 100, top - 1, top] * 20, [1, 3, 5, 2, 11, top, top] * 20    # past every vector width, and a rest
        a, b = tl.tensor(x, dtype=dtype), tl.tensor(y, dtype=dtype)
        for sign, result, each in (("+", a + b, lambda p, q: p + q), ("-", a - b, lambda p, q: p - q),
                                   ("*", a * b, lambda p, q: p * q)):
            check.same(result.dtype is dtype, True, f"dtype of {name} {sign} {name}")
            check.same(result.tolist(), [wrapped(name, each(p, q)) for p, q in zip(x, y)], f"{name} {sign} {name}")
        check.same((a < b).tolist(), [p < q for p, q in zip(x, y)], f"{name} < {name}")
        check.same((a & b).tolist(), [p & q for p, q in zip(x, y)], f"{name} & {name}")
    for name in ("float16", "bfloat16", "float32", "float64"):
        dtype = getattr(tl, name)
        x = [rounded(name, (i * 37 % 101 - 50) / 7) for i in range(103)]
        y = [rounded(name, (i * 53 % 89 + 1) / 3) for i in range(103)]
        a, b = tl.tensor(x, dtype=dtype), tl.tensor(y, dtype=dtype)
        check.same((a + b).tolist(), [rounded(name, p + q) for p, q in zip(x, y)], f"{name} + {name}")
        check.same((a * b).tolist(), [rounded(name, p * q) for p, q in zip(x, y)], f"{name} * {name}")
        check.same((a / b).tolist(), [rounded(name, p / q) for p, q in zip(x, y)], f"{name} / {name}")
        check.same(tl.sqrt(b).tolist(), [rounded(name, q ** 0.5) for q in y], f"sqrt of {name}")
        check.same(tl.maximum(a, b).tolist(), [max(p, q) for p, q in zip(x, y)], f"maximum of {name}")
        check.same(a.abs().amax().item(), max(abs(p) for p in x), f"amax of |{name}|")
    z = tl.tensor([1 + 2j, -3j, 0.5], dtype=tl.complex128)
    check.same((z * z).tolist(), [-3 + 4j, -9 + 0j, 0.25 + 0j], "complex128 * complex128")
    check.same(tl.arange(1000).sum().item(), 499500, "sum of 0..999")
    check.same(tl.tensor([True, False]).any().item(), True, "any")


def check_layouts(tl, check):
    """memory formats, views, copies, broadcasting"""
    x = tl.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    y = x.to(memory_format=tl.channels_last)
    check.same(y.stride(), (60, 1, 15, 3), "strides in channels_last")
    check.same((y.is_contiguous(), y.is_contiguous(memory_format=tl.channels_last)), (False, True), "is_contiguous")
    check.same(y.tolist() == x.tolist(), True, "values after a change of memory format")
    check.same((y + 1).stride(), (60, 1, 15, 3), "an elementwise result keeps the operands' order")
    check.same([v % 7 for n in y.permute(0, 2, 3, 1).flatten(1).tolist() for v in n],
               [(((n * 3 + c) * 4 + h) * 5 + w) % 7 for n in range(2) for h in range(4) for w in range(5) for c in range(3)],
               "the physical order of channels_last")
    v = x[1, :, 1:3, ::2]
    check.same((tuple(v.shape), v.stride(), v.storage_offset()), ((3, 2, 3), (20, 5, 2), 65), "a basic slice")
    v[...] = 0
    check.same((x == 0).sum().item(), 1 + 18, "a write through a view")
    check.same(tl.tensor([[1], [2]]).expand(2, 3).stride(), (1, 0), "strides of expand")
    check.same((tl.tensor([[1], [2]]) + tl.tensor([10, 20])).tolist(), [[11, 21], [12, 22]], "broadcasting")
    out = tl.empty(2, 2)
    check.same(tl.add(tl.ones(2, 2), 1.5, out=out) is out and out.tolist() == [[2.5, 2.5], [2.5, 2.5]], True, "out=")


def check_promotion(tl, check):
    """the result's dtype"""
    for left, right, expected in (("uint8", "int8", "int16"), ("int32", "float16", "float16"), ("float16", "bfloat16", "float32"),
                                  ("int64", "complex64", "complex64"), ("bool", "uint8", "uint8"), ("uint32", "int32", "int64")):
        found = (tl.ones(1, dtype=getattr(tl, left)) + tl.ones(1, dtype=getattr(tl, right))).dtype
        check.same(found is getattr(tl, expected), True, f"{left} + {right} is {expected}")
    check.same((tl.ones(1, dtype=tl.float16) * 2.5).dtype is tl.float16, True, "float16 * a Python number")
    check.same((tl.ones(1, dtype=tl.int8) / 2).dtype is tl.get_default_dtype(), True, "int8 / a Python number")


def check_errors(tl, check):
    """what is refused, and that nothing is written then"""
    x = tl.arange(6)
    check.raises(RuntimeError, lambda: tl.ones(2, 3) + tl.ones(2, 2), "shapes that do not broadcast")
    check.raises(tl.OverlapError, lambda: tl.add(x[:-1], 1, out=x[1:]), "out= overlaps an input")
    check.raises(RuntimeError, lambda: x[:1].expand(3).add_(1), "in place over one repeated element")
    check.raises(IndexError, lambda: x[6], "an index out of range")
    check.same(x.tolist(), [0, 1, 2, 3, 4, 5], "the tensor after the failed calls")


def check_meta(tl, check):
    """meta tensors: the plan without data"""
    a = tl.empty(1 << 20, 1 << 20, 3, device="meta", dtype=tl.float16)
    b = (a.permute(2, 0, 1) + 1)[:, ::2]
    check.same((str(b.device), tuple(b.shape), b.dtype is tl.float16), ("meta", (3, 1 << 19, 1 << 20), True), "meta")
    check.raises(RuntimeError, lambda: a + tl.ones(7, device="meta"), "meta: shapes that do not broadcast")


def check_random(tl, check):
    """one stream for each seed"""
    tl.manual_seed(7)
    first = tl.rand(5).tolist()
    tl.manual_seed(7)
    check.same(tl.rand(5).tolist(), first, "the same seed, the same numbers")
    check.same(all(0 <= v < 1 for v in first) and len(set(first)) == 5, True, "rand lies in [0, 1)")


PARTS = (check_import, check_dtypes, check_arithmetic, check_layouts, check_promotion, check_errors, check_meta, check_random)


def level_in_use(tl):
    return tl.show_config(mode="dict")["cpu level"]


def run_parts(tl, quiet):
    check = Checks()
    for part in PARTS:
        passed, failed = check.passed, len(check.failures)
        try:
            part(tl, check)
        except Exception as error:
            check.failures.append(f"{part.__name__[6:]}: {type(error).__name__}: {error}")
        if not quiet:
            count = len(check.failures) - failed
            outcome = f"{check.passed - passed} passed" + (f", {count} FAILED" if count else "")
            print(f"{part.__name__[6:]:<14}  {outcome:<24}{part.__doc__}")
    return check


def run_other_levels(tl, check):
    """The same parts at each other level of this machine, side by side, one process a level."""
    started = []
    config = tl.show_config(mode="dict")
    for level in config["cpu levels built"]:
        if level in config["cpu levels supported"] and level != config["cpu level"]:
            started.append((level, subprocess.Popen([sys.executable, "-m", "tensorlib.selftest", ALONE], stdout=subprocess.PIPE,
                                                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                                    env=os.environ | {"TENSORLIB_CPU_LEVEL": level})))
    for level, process in started:
        text = process.communicate()[0].strip()
        if process.returncode == 0:
            check.passed += 1
        else:
            check.failures.append(f"level {level}: {text or f'exit status {process.returncode}'}")
        print(f"{'level ' + level:<16}{'passed' if process.returncode == 0 else 'FAILED'}")


def main(arguments):
    start = time.perf_counter()
    import tensorlib as tl

    alone = ALONE in arguments
    if not alone:
        print(f"tensorlib {tl.__version__}, Python {sys.version.split()[0]}, CPU level {level_in_use(tl)}, "
              f"{os.path.dirname(tl.__file__)}")
    check = run_parts(tl, quiet=alone)
    if not alone:
        run_other_levels(tl, check)
    for failure in check.failures:
        print(f"FAILED {failure}")
    if not alone:
        print(f"{check.passed} passed, {len(check.failures)} failed in {time.perf_counter() - start:.2f} s")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
