#!/usr/bin/env python3
"""Compares the CPU levels: csrc/tests/levels.c is compiled with each level's flags, run, and its results compared.

    python csrc/tests/run_levels.py [--cross]

--cross adds 64-bit Arm: the same program through a cross compiler and an emulator, and the kernels' C compiled to an object.
Needs a C compiler; --cross needs aarch64-linux-gnu-gcc with its C library, qemu-aarch64, and Cython for the kernels.  What is
missing is reported as "not run".  Exit status 1: two levels differ, or a program does not compile.
"""
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CSRC = HERE.parent
CROSS_PACKAGES = "Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_program(compiler, flags, out, source="levels.c"):
    subprocess.run([*compiler, *flags, f"-I{CSRC}", str(HERE / source), "-o", str(out), "-lm"], check=True)


def supported(level):
    """Whether this processor runs a level, asked as the package asks (csrc/cpu.pxd)."""
    names = {"baseline": "x86-64-v2", "v3": "x86-64-v3", "v4": "x86-64-v4"}
    if level not in names:
        return True
    source = f'int main(void) {{ __builtin_cpu_init(); return !__builtin_cpu_supports("{names[level]}"); }}'
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "supports"
        subprocess.run([*native_compiler(), "-x", "c", "-", "-o", str(program)], input=source, text=True, check=True)
        return subprocess.run([str(program)]).returncode == 0


def native_compiler():
    return shlex.split(os.environ.get("CC", "") or sysconfig.get_config_var("CC") or "cc")


def results(command):
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return dict(zip(lines[::2], lines[1::2], strict=True))


def compare(programs):
    """programs: {level: command}.  Returns the number of functions that differ from the first level."""
    names = list(programs)
    found = {name: results(command) for name, command in programs.items()}
    first, differing = names[0], 0
    for function, value in found[first].items():
        for other in names[1:]:
            if found[other][function] != value:
                differing += 1
                a, b = (subprocess.run([*programs[n], function], capture_output=True, check=True).stdout for n in (first, other))
                at = next(i for i in range(len(a)) if a[i] != b[i])
                print(f"{function}: {first} and {other} differ, first at byte {at} of {len(a)}: "
                      f"{a[at & ~7:(at & ~7) + 8].hex()} {b[at & ~7:(at & ~7) + 8].hex()}")
    block, scalar = found[first]["f16_narrow"], found[first]["f16_scalar"]
    if block != scalar:
        differing += 1
        print(f"f16_narrow: the block and the portable conversion differ at level {first}")
    print(f"{len(found[first])} functions, levels {', '.join(names)}: {differing} differ")
    return differing


def cross_kernels(compiler, flags, folder):
    """The kernels' C, compiled for Arm without linking."""
    try:
        from Cython.Compiler.Main import compile as cython_compile
    except ImportError:
        print("kernels for arm64: not run: Cython is missing")
        return
    load(CSRC / "gen.py").main()
    c_file = folder / "_kernels.c"
    cython_compile(str(CSRC / "_kernels.pyx"), output_file=str(c_file), include_path=[str(CSRC), str(CSRC / "_generated")],
                   compiler_directives={"language_level": 3})
    header = sysconfig.get_path("include")
    subprocess.run([*compiler, *flags, f"-I{CSRC}", f"-I{CSRC / '_generated'}", f"-I{header}", "-fPIC", "-c", str(c_file), "-o",
                    str(folder / "_kernels.o")], check=True)
    print("kernels for arm64: compiled")


def main():
    setup = load(CSRC.parent / "setup.py")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = {}
        for level, flags in setup.LEVELS.items():
            if not supported(level):
                print(f"{level}: not run: this processor does not support it")
                continue
            programs[level] = [str(folder / level)]
            compile_program(native_compiler(), [*setup.FLAGS, *flags], folder / level)
        if "--cross" in sys.argv[1:]:
            compiler = shutil.which("aarch64-linux-gnu-gcc")
            emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
            if compiler:
                cross_kernels([compiler], [*setup.FLAGS, *setup.ARM["neon"]], folder)
            else:
                print(f"kernels for arm64: not run: aarch64-linux-gnu-gcc is missing ({CROSS_PACKAGES})")
            if compiler and emulator:
                compile_program([compiler, "-static"], [*setup.FLAGS, *setup.ARM["neon"]], folder / "neon")
                programs["neon"] = [emulator, str(folder / "neon")]
            else:
                print(f"neon: not run: the cross compiler or qemu-aarch64 is missing ({CROSS_PACKAGES})")
        return 1 if compare(programs) else 0


if __name__ == "__main__":
    sys.exit(main())
