"""Is this wheel fit to be published?  `python tools/check_wheel.py WHEEL...` prints every problem and exits 1 if there is one.

Looks inside the file only; tools/wheels.py builds, installs and runs it.  Needs nm and readelf, which come with the compiler.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

MAX_BYTES = 5_000_000
MAX_GLIBC = 28      # manylinux_2_28
# Names of whole files, directories or modules that belong to the source tree and to nobody else.
UNWANTED = re.compile(r"(^|/)(_testing\b|tests?/|csrc/|conftest|__pycache__)|\.(c|h|o|pyx|pxd|pxi|pyc)$")
# An absolute path with two parts or more, standing by itself as a C string.
BUILD_PATH = re.compile(rb"(?<![\w.%)\]>])/(?:[\w.+~-]+/)+[\w.+~-]+")
OLD_TAGS = {"manylinux1": 5, "manylinux2010": 12, "manylinux2014": 17}


def glibc_of_tag(tag):
    """The glibc minor version a platform tag asks for, or None if it is no manylinux tag."""
    modern = re.match(r"manylinux_2_(\d+)_", tag)
    if modern:
        return int(modern[1])
    return OLD_TAGS.get(tag.split("_")[0])


def _output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _exported_symbols(path):
    return [line.split()[-1] for line in _output("nm", "-D", "--defined-only", str(path)).splitlines() if line.strip()]


def library_problems(path, shown):
    """What is wrong with one extension module on disk; `shown` is the name to report it by."""
    module = Path(shown).name.split(".")[0]
    symbols = _exported_symbols(path)
    if f"PyInit_{module}" not in symbols:
        yield f"{shown}: does not export PyInit_{module}"
    extra = sorted(s for s in symbols if not s.startswith("PyInit_"))
    if extra:
        yield f"{shown}: exports more than PyInit: {', '.join(extra[:5])}{' ...' if len(extra) > 5 else ''}"
    dynamic = _output("readelf", "-d", "-W", str(path))
    for tag in ("RPATH", "RUNPATH"):
        if f"({tag})" in dynamic:
            yield f"{shown}: has {tag}"
    paths = sorted({m[0].decode() for m in BUILD_PATH.finditer(Path(path).read_bytes())})
    if paths:
        yield f"{shown}: contains paths of the machine it was built on: {', '.join(paths[:5])}"


def problems(wheel):
    """Everything that is wrong with the file `wheel`, one sentence each."""
    wheel = Path(wheel)
    if wheel.stat().st_size > MAX_BYTES:
        yield f"{wheel.name}: {wheel.stat().st_size} bytes, more than {MAX_BYTES}"
    glibc = [glibc_of_tag(tag) for tag in wheel.stem.split("-")[-1].split(".")]
    if None in glibc or max(glibc) > MAX_GLIBC:
        yield f"{wheel.name}: its platform tag is not manylinux_2_{MAX_GLIBC} or lower"
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        for name in names:
            if UNWANTED.search(name):
                yield f"{name}: does not belong in a wheel"
        for name in ("tensorlib/py.typed", "tensorlib/__init__.pyi"):
            if name not in names:
                yield f"{name}: missing"
        if not any(re.match(r"tensorlib/_core\.[^/]*\.so$", name) for name in names):
            yield "tensorlib/_core: missing"
        for name in names:
            if name.endswith(".dist-info/METADATA"):
                needed = HeaderParser().parsestr(archive.read(name).decode()).get_all("Requires-Dist") or []
                for line in needed:
                    if "extra ==" not in line:
                        yield f"{name}: needs {line} at run time"
            if name.endswith(".so"):
                yield from library_problems(archive.extract(name, folder), name)


if __name__ == "__main__":
    found = [problem for wheel in sys.argv[1:] for problem in problems(wheel)]
    print("\n".join(found))
    sys.exit(1 if found else 0)
