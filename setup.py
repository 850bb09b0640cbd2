"""Builds the extension modules: the tables are turned into sources, Cython into C, C into one module a unit and CPU level."""
import importlib.util
import os
import pathlib
import platform
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

ROOT = pathlib.Path(__file__).resolve().parent
CSRC = ROOT / "csrc"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# -fno-math-errno and -fno-trapping-math let loops vectorise, -fwrapv makes integers wrap, no contraction keeps every level's
# bits equal; -ffast-math never: loading such a library turns on flush-to-zero for the whole process.
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-falign-loops=32", "-ffp-contract=off", "-fwrapv",
         "-fno-strict-aliasing", "-fvisibility=hidden", "-g0", "-Wall", "-Wno-unused-function",
         f"-ffile-prefix-map={ROOT}=."]
LINK = ["-Wl,-s", "-Wl,--exclude-libs,ALL"] if sys.platform.startswith("linux") else []
X86 = {"baseline": ["-march=x86-64-v2"], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}
ARM = {"neon": ["-march=armv8-a"]}
LEVELS = ARM if platform.machine().lower() in ("aarch64", "arm64") else X86
FLOOR = next(iter(LEVELS.values()))
BUILD_C = "build/cython"


def generate():
    """csrc/gen.py writes csrc/_generated."""
    spec = importlib.util.spec_from_file_location("gen", CSRC / "gen.py")
    gen = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gen)
    gen.main()


def sources_under(*patterns):
    return sorted(str(path.relative_to(ROOT)) for pattern in patterns for path in CSRC.glob(pattern))


def extension(name, source, flags, depends):
    opt = os.environ.get("TENSORLIB_OPT")
    return Extension(name, [source], include_dirs=["csrc", "csrc/_generated"], depends=depends,
                     extra_compile_args=FLAGS + flags + ([f"-O{opt}"] if opt else []), extra_link_args=LINK)


def to_c(units):
    from Cython.Build import cythonize
    return cythonize(units, nthreads=min(CORES, len(units)) if CORES > 1 else 0, quiet=True,
                     include_path=["csrc", "csrc/_generated"], build_dir=BUILD_C)


def kernel_modules(kernels):
    """The kernels' C, once for each CPU level: a file that names the module and the level, and includes it."""
    wanted = os.environ.get("TENSORLIB_LEVELS")
    made = []
    for level, flags in LEVELS.items():
        if wanted and level not in wanted.split(","):
            continue
        source = pathlib.Path(BUILD_C) / "csrc" / f"_kernels_{level}.c"
        text = (f"#define PyInit__kernels PyInit__kernels_{level}\n#define KERNEL_LEVEL \"{level}\"\n"
                f"#include \"{pathlib.Path(kernels.sources[0]).name}\"\n")
        if not (ROOT / source).exists() or (ROOT / source).read_text() != text:
            (ROOT / source).write_text(text)
        made.append(extension(f"tensorlib._kernels_{level}", str(source), flags,
                              [*kernels.sources, *sources_under("[lst]*.h", "vecmath*.h", "_generated/*.h")]))
    return made


def extensions(with_testing):
    """Biggest first, so that the cores end together."""
    # Cython follows .pxd and .pxi by itself and writes a new .c; only the C headers must be named.  -O2 for the core: its time
    # goes into calls, not loops, and -O3 compiles half as long again.
    tables = ["csrc/_generated/tables.h"]
    headers = sources_under("size.h", "philox.h", "pool.h", "blocks.h")
    units = [extension("tensorlib._core", "csrc/_core.pyx", [*FLOOR, "-O2"], headers + tables),
             extension("tensorlib._kernels", "csrc/_kernels.pyx", FLOOR, [])]
    if with_testing:
        units.append(extension("tensorlib._testing", "csrc/_testing.pyx", [*FLOOR, "-O2"], tables))
    core, kernels, *rest = to_c(units)
    return [core, *kernel_modules(kernels), *rest]


class BuildExt(build_ext):
    """build_ext with parallel compilation by default, and no rpath."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = CORES

    def build_extensions(self):
        # Some interpreters carry an rpath to their own library into whatever they link: useless here, and a trace of this machine.
        linker = [word for word in self.compiler.linker_so if not word.startswith(("-Wl,-rpath", "-Wl,-R"))]
        self.compiler.set_executable("linker_so", linker)
        try:
            super().build_extensions()
        except CompileError as error:
            raise SystemExit(f"tensorlib is compiled where it is installed and needs a C compiler and Python's headers; "
                             f"{self.compiler.compiler[0]} did not compile it.\nOn Debian or Ubuntu: apt install build-essential "
                             f"python3-dev; CC=... names another compiler.\n{error}") from None


def modules():
    if not {"build_ext", "build", "bdist_wheel", "install", "develop", "editable_wheel"} & set(sys.argv):   # not for metadata
        return []
    generate()
    return extensions("bdist_wheel" not in sys.argv and os.environ.get("TENSORLIB_BUILD_TESTING", "1") != "0")


if __name__ == "__main__":
    setup(ext_modules=modules(), cmdclass={"build_ext": BuildExt})
