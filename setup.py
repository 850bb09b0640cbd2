"""Builds the extension modules: the tables are turned into sources, Cython into C, C into one module a unit and CPU level."""
import importlib.util
import os
import pathlib
import platform
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
CSRC = ROOT / "csrc"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

# -fno-math-errno and -fno-trapping-math let loops vectorise, -fwrapv makes integers wrap, no contraction keeps every level's
# bits equal; -ffast-math never: loading such a library turns on flush-to-zero for the whole process.
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-falign-loops=32", "-ffp-contract=off", "-fwrapv",
         "-fno-strict-aliasing", "-fvisibility=hidden", "-g0", "-Wno-unused-function", "-Wno-unreachable-code",
         f"-ffile-prefix-map={ROOT}=."]
LINK = ["-Wl,-s", "-Wl,--exclude-libs,ALL"] if sys.platform.startswith("linux") else []
X86 = {"baseline": ["-march=x86-64-v2"], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}
ARM = {"neon": ["-march=armv8-a"]}
LEVELS = ARM if platform.machine().lower() in ("aarch64", "arm64") else X86
FLOOR = next(iter(LEVELS.values()))


def generate():
    """csrc/gen.py writes csrc/_generated."""
    spec = importlib.util.spec_from_file_location("gen", CSRC / "gen.py")
    gen = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gen)
    gen.main()


def sources_under(*patterns):
    return sorted(str(path.relative_to(ROOT)) for pattern in patterns for path in CSRC.glob(pattern))


def extensions(with_testing):
    # Cython follows .pxd and .pxi by itself and writes a new .c; only the C headers must be named.  -O2 for the core: its time
    # goes into calls, not loops, and -O3 compiles half as long again.
    tables = ["csrc/_generated/tables.h"]
    units = [("tensorlib._core", "_core", FLOOR + ["-O2"], sources_under("size.h", "philox.h") + tables)]
    units += [(f"tensorlib._kernels_{level}", f"_kernels_{level}", flags, sources_under("scalar.h", "vecmath.h", "_generated/*.h"))
              for level, flags in LEVELS.items()]
    if with_testing:
        units.append(("tensorlib._testing", "_testing", FLOOR + ["-O2"], tables))
    opt = os.environ.get("TENSORLIB_OPT")
    extra = [f"-O{opt}"] if opt else []
    return [Extension(name, [f"csrc/{source}.pyx"], include_dirs=["csrc", "csrc/_generated"], depends=depends,
                      extra_compile_args=FLAGS + flags + extra, extra_link_args=LINK)
            for name, source, flags, depends in units if (CSRC / f"{source}.pyx").exists()]


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
        super().build_extensions()


def modules():
    if not {"build_ext", "build", "bdist_wheel", "install", "develop", "editable_wheel"} & set(sys.argv):   # not for metadata
        return []
    from Cython.Build import cythonize
    generate()
    with_testing = "bdist_wheel" not in sys.argv and os.environ.get("TENSORLIB_BUILD_TESTING", "1") != "0"
    return cythonize(extensions(with_testing), nthreads=CORES if CORES > 1 else 0, quiet=True,
                     include_path=["csrc", "csrc/_generated"], build_dir="build/cython")


if __name__ == "__main__":
    setup(ext_modules=modules(), cmdclass={"build_ext": BuildExt})
