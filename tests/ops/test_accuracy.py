"""The functions of csrc/vecmath.h against the C library in a wider type, special values against C99 Annex F, and every CPU level
against the others: csrc/tests/ulp.c compiled as the kernels are."""
import math
import pathlib
import shutil
import struct

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = 16381                                   # 262 thousand of the 2**32 patterns, every exponent among them


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "ulp_table.py"
    if not path.exists():
        pytest.skip("not a checkout")
    import tools.ulp_table
    if not shutil.which(tools.ulp_table.levels.native_compiler()[-1]):
        pytest.skip("no C compiler")
    return tools.ulp_table


@pytest.fixture(scope="module")
def programs(tool, tmp_path_factory):
    return tool.build(tmp_path_factory.mktemp("ulp"))


def check(tool, programs, step):
    (level, program), *others = reversed(programs.items())
    bounds, found = tool.listed(program), tool.measure(program, step)
    assert set(found) == set(bounds) and len(bounds) >= 2
    beyond = {name: (f, bounds[name][1]) for name, f in found.items() if not f["ulp"] <= bounds[name][1]}
    assert not beyond, f"{level}: {beyond}"
    for other, again in others:
        differing = [name for name, f in tool.measure(again, step).items() if f["hash"] != found[name]["hash"]]
        assert not differing, f"{level} and {other} differ: {differing}"


def test_bounds_and_levels(tool, programs):
    check(tool, programs, STEP)


@pytest.mark.exhaustive
def test_bounds_and_levels_over_all_of_float32(tool, programs):
    check(tool, programs, 1)


def test_no_bound_is_beyond_what_is_promised(tool, programs):
    closest = {"exp", "log", "sin", "cos", "tan", "tanh", "erf", "sigmoid", "expm1", "log1p"}
    for name, (_, bound) in tool.listed(next(iter(programs.values()))).items():
        function, dtype = name.rsplit("_", 1)
        assert bound <= (0.6 if dtype == "f32" and function in closest else 1), name


NAN, INF = math.nan, math.inf
TINY = {"f": 2.0 ** -149, "d": 2.0 ** -1074}   # the smallest subnormals, which "tiny" stands for
SPECIAL = {                                    # C99 Annex F.9 and what follows from it: operands, then the result
    "exp": [(0.0, 1), (-0.0, 1), (-INF, 0.0), (INF, INF), (NAN, NAN), (1e30, INF), (-1e30, 0.0), ("tiny", 1), ("-tiny", 1)],
    "exp2": [(0.0, 1), (-0.0, 1), (-INF, 0.0), (INF, INF), (NAN, NAN), (1e30, INF), (-1e30, 0.0), (10, 1024), (-3, 0.125)],
    "expm1": [*((x, x) for x in (0.0, -0.0, "tiny", "-tiny", INF, NAN)), (-INF, -1), (1e30, INF), (-1e30, -1)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0), (NAN, NAN), (1e30, 1), (-1e30, 0.0)],
    "sinh": [(x, x) for x in (0.0, -0.0, "tiny", "-tiny", INF, -INF, NAN)] + [(1e30, INF), (-1e30, -INF)],
    "cosh": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, INF), (NAN, NAN), (1e30, INF), (-1e30, INF)],
    "tanh": [(x, x) for x in (0.0, -0.0, "tiny", "-tiny", NAN)] + [(INF, 1), (-INF, -1), (1e30, 1), (-1e30, -1)],
    "log": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), ("-tiny", NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "log2": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (8, 3), (0.25, -2)],
    "log10": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (-1, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (1000, 3), (1e10, 10)],
    "log1p": [*((x, x) for x in (0.0, -0.0, "tiny", "-tiny", INF, NAN)), (-1, -INF), (-1.5, NAN), (-INF, NAN)],
    "asinh": [(x, x) for x in (0.0, -0.0, "tiny", "-tiny", INF, -INF, NAN)],
    "acosh": [(1, 0.0), (0.5, NAN), (-1, NAN), (-3, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)],
    "atanh": [*((x, x) for x in (0.0, -0.0, "tiny", "-tiny", NAN)), (1, INF), (-1, -INF), (1.5, NAN), (-1.5, NAN), (INF, NAN)],
    "sin": [(x, x) for x in (0.0, -0.0, "tiny", "-tiny", NAN)] + [(INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1), (-0.0, 1), ("tiny", 1), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "tan": [(x, x) for x in (0.0, -0.0, "tiny", "-tiny", NAN)] + [(INF, NAN), (-INF, NAN)],
}


def same(a, b):
    return a != a if b != b else a == b and math.copysign(1, a) == math.copysign(1, b)


def functions(tool, program):
    return [name.rsplit("_", 1) for name in tool.listed(program)]


@pytest.mark.parametrize("function", SPECIAL)
def test_special_values(tool, programs, function):
    dtypes = [dtype for name, dtype in functions(tool, next(iter(programs.values()))) if name == function]
    assert dtypes
    for dtype in dtypes:
        code = {"f32": "f", "f64": "d"}[dtype]
        tiny = {"tiny": TINY[code], "-tiny": -TINY[code]}
        cases = [[tiny.get(x, x) for x in case] for case in SPECIAL[function]]
        for repeat in (1, 16):                 # through the scalar tail, and many at a time
            columns = [[x for x in column for _ in range(repeat)] for column in zip(*cases, strict=True)]
            raw = [struct.pack(f"{len(column)}{code}", *column) for column in columns[:-1]]
            for level, program in programs.items():
                got = struct.unpack(f"{len(columns[-1])}{code}", tool.apply(program, f"{function}_{dtype}", *raw))
                wrong = [case for case in zip(*columns, got, strict=True) if not same(case[-1], case[-2])]
                assert not wrong, (dtype, level, wrong)
