"""The checks that ./dev wheel makes find what they are for: wheels made bad on purpose, one fault each."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import check_wheel, wheels

ROOT = Path(__file__).resolve().parents[2]
COMPILER = shutil.which("gcc") or shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None or not shutil.which("readelf"), reason="needs a compiler and binutils")

GOOD_C = "__attribute__((visibility(\"default\"))) void *PyInit__core(void) { return 0; }\n"
GOOD_NAME = "tensorlib-0.1.0-cp311-cp311-manylinux_2_17_x86_64.whl"
FILES = {"tensorlib/__init__.py": b"", "tensorlib/__init__.pyi": b"", "tensorlib/py.typed": b"",
         "tensorlib-0.1.0.dist-info/METADATA": b"Name: tensorlib\nRequires-Dist: numpy; extra == \"numpy\"\n"}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """library(source, *flags): the bytes of a shared library."""
    made = {}

    def build(source=GOOD_C, *flags):
        if (source, flags) not in made:
            folder = tmp_path_factory.mktemp("library")
            (folder / "a.c").write_text(source)
            subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-g0", "-s", "-fvisibility=hidden", "-nostartfiles", *flags,
                            "-o", "a.so", "a.c"], cwd=folder, check=True)
            made[source, flags] = (folder / "a.so").read_bytes()
        return made[source, flags]
    return build


def wheel(folder, files, name=GOOD_NAME):
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    return path


def test_a_good_wheel_has_no_problem(tmp_path, library):
    files = FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library()}
    assert list(check_wheel.problems(wheel(tmp_path, files))) == []


@pytest.mark.parametrize(("extra", "message"), [
    ({"tensorlib/_testing.cpython-311-x86_64-linux-gnu.so": None}, "_testing"),
    ({"tensorlib/_core.c": b""}, "does not belong"),
    ({"tests/test_x.py": b""}, "does not belong"),
    ({"csrc/plan.pxd": b""}, "does not belong"),
    ({"tensorlib/py.typed": ...}, "py.typed: missing"),
    ({"tensorlib/__init__.pyi": ...}, "__init__.pyi: missing"),
    ({"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": ...}, "_core: missing"),
    ({"tensorlib-0.1.0.dist-info/METADATA": b"Name: tensorlib\nRequires-Dist: numpy>=1.26\n"}, "needs numpy>=1.26"),
])
def test_wrong_files(tmp_path, library, extra, message):
    files = FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library()} | extra
    files = {name: library(GOOD_C.replace("_core", "_testing")) if content is None else content
             for name, content in files.items() if content is not ...}
    found = list(check_wheel.problems(wheel(tmp_path, files)))
    assert len(found) == 1 and message in found[0]


@pytest.mark.parametrize(("source", "flags", "message"), [
    (GOOD_C.replace("_core", "_other"), (), "does not export PyInit__core"),
    (GOOD_C + "__attribute__((visibility(\"default\"))) int helper(void) { return 1; }\n", (), "exports more than PyInit: helper"),
    (GOOD_C, ("-Wl,-rpath,$ORIGIN/lib", "-Wl,--disable-new-dtags"), "has RPATH"),
    (GOOD_C, ("-Wl,-rpath,$ORIGIN/lib", "-Wl,--enable-new-dtags"), "has RUNPATH"),
    (GOOD_C + "const char *where(void) { return \"/builds/abc/csrc/plan.pxd\"; }\n"
     "__attribute__((visibility(\"default\"))) const char *PyInit_x(void) { return where(); }\n", (), "/builds/abc/csrc/plan.pxd"),
])
def test_wrong_libraries(tmp_path, library, source, flags, message):
    files = FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library(source, *flags)}
    found = list(check_wheel.problems(wheel(tmp_path, files)))
    assert any(message in problem for problem in found), found


@pytest.mark.parametrize(("tag", "good"), [
    ("manylinux1_x86_64", True), ("manylinux_2_28_x86_64", True), ("manylinux2014_x86_64.manylinux_2_17_x86_64", True),
    ("manylinux_2_34_x86_64", False), ("linux_x86_64", False), ("manylinux_2_17_x86_64.manylinux_2_31_x86_64", False),
])
def test_platform_tags(tmp_path, library, tag, good):
    files = FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library()}
    found = list(check_wheel.problems(wheel(tmp_path, files, f"tensorlib-0.1.0-cp311-cp311-{tag}.whl")))
    assert found == [] if good else ["platform tag" in problem for problem in found] == [True]


def test_too_big(tmp_path, library, monkeypatch):
    path = wheel(tmp_path, FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library()})
    monkeypatch.setattr(check_wheel, "MAX_BYTES", path.stat().st_size - 1)
    assert ["more than" in problem for problem in check_wheel.problems(path)] == [True]


def test_command_line(tmp_path, library):
    good = wheel(tmp_path, FILES | {"tensorlib/_core.cpython-311-x86_64-linux-gnu.so": library()})
    bad = wheel(tmp_path, FILES, "tensorlib-0.1.0-cp312-cp312-manylinux_2_17_x86_64.whl")
    script = ROOT / "tools" / "check_wheel.py"
    assert subprocess.run([sys.executable, script, good], check=False).returncode == 0
    done = subprocess.run([sys.executable, script, good, bad], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "tensorlib/_core: missing" in done.stdout


def test_pythons_for_wheels(tmp_path):
    """The running Python is found, and named only once; an interpreter that does not run is an error only when asked for."""
    about = wheels.describe(sys.executable)
    assert about["version"] == list(sys.version_info[:3])
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    assert wheels.describe(str(broken)) is None
    assert len(wheels.find_pythons([sys.executable, sys.executable])) == 1
    with pytest.raises(SystemExit, match="does not run"):
        wheels.find_pythons([str(broken)])
