"""Builds the sdist and, from it, a wheel for every Python >= 3.11 on this machine; proves each one and leaves them in dist/.

`./dev wheel [--python PYTHON ...] [--once]`.  For each Python: build in a temporary folder, let auditwheel grade the result and
tag it accordingly, look inside (check_wheel.py), install it into an empty venv without any index, and run
`python -m tensorlib.selftest` from an empty folder.  The first Python's wheel is built twice and must come out byte for byte
the same (--once leaves that out).  SOURCE_DATE_EPOCH dates every file; it defaults to the time stamp of pyproject.toml.
"""

import argparse
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from pathlib import Path

if __package__:
    from . import check_wheel       # imported by the tests as a part of tools
else:
    import check_wheel

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SELFTEST_SECONDS = 2.0

ASK = """
import json, os, sys, sysconfig
print(json.dumps({
    "version": sys.version_info[:3], "implementation": sys.implementation.name, "soabi": sysconfig.get_config_var("SOABI"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "executable": sys.executable,
    "headers": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))}))
"""


def say(text):
    print(f"wheel: {text}", flush=True)


def fail(text):
    sys.exit(f"wheel: FAILED: {text}")


def clean_environment(**extra):
    """The environment without what could lead a build or an installed wheel back to this tree."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k != "VIRTUAL_ENV"} | extra


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env or clean_environment(), text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        fail(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def describe(python):
    """What `python` is, or None where it does not run."""
    try:
        done = subprocess.run([python, "-c", ASK], capture_output=True, text=True, timeout=30, env=clean_environment(),
                              check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def find_pythons(named):
    """The interpreters to build for, one for each ABI, this one's first; those with headers are preferred."""
    if named:
        candidates = named
    else:
        candidates = [sys._base_executable, "python3", *(f"python3.{minor}" for minor in range(11, 30))]
        candidates += sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))
    chosen = {}
    for candidate in candidates:
        about = describe(shutil.which(candidate) or str(candidate))
        if about is None:
            if named:
                fail(f"{candidate} does not run")
            continue
        if about["implementation"] != "cpython" or about["version"] < [3, 11]:
            continue
        if about["free_threaded"]:
            say(f"left out: {about['executable']} is a free-threaded build, which tensorlib does not support yet")
            continue
        known = chosen.get(about["soabi"])
        if known is None or (about["headers"] and not known["headers"]):
            chosen[about["soabi"]] = about
    for about in chosen.values():
        if not about["headers"]:
            short = "python{}.{}".format(*about["version"])
            fail(f"{about['executable']} has no Python.h: apt-get install {short}-dev, or name the Pythons to build for (--python)")
    return list(chosen.values())


def build_sdist(epoch, folder):
    """The sdist, with its members in one order and of one date, so that it too depends on the sources alone."""
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ROOT,
        env=clean_environment(SOURCE_DATE_EPOCH=str(epoch)))
    [made] = Path(folder).glob("*.tar.gz")
    plain = io.BytesIO()
    with tarfile.open(made) as old, tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda m: m.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with open(made, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=epoch) as packed:
        packed.write(plain.getvalue())
    return made


def sdist_problems(sdist):
    """What the sdist lacks or should not have."""
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    wanted = ["setup.py", "pyproject.toml", "LICENSE", "README.md", "dev"]
    wanted += [str(p.relative_to(ROOT)) for pattern in ("*.pyx", "*.pxd", "*.pxi", "*.h", "*.py")
               for p in (ROOT / "csrc").glob(pattern)]
    wanted += [str(p.relative_to(ROOT)) for p in (ROOT / "tensorlib").rglob("*.py")]
    for name in wanted:
        if name not in names:
            yield f"{name}: missing from the sdist"
    for name in names:
        if name.endswith((".so", ".pyc", ".o")) or "_generated" in name:
            yield f"{name}: does not belong in the sdist"


def build_environment(about, folder):
    """A venv of that Python with what the build needs."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        requirements = tomllib.load(file)["build-system"]["requires"]
    run(about["executable"], "-m", "venv", folder)
    python = Path(folder) / "bin/python"
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "wheel>=0.45", *requirements)
    return python


def build_wheel(python, sdist, epoch, folder):
    """Builds one wheel from the sdist, has auditwheel grade it, and returns its path with the tag it earned."""
    environment = clean_environment(SOURCE_DATE_EPOCH=str(epoch))
    run(python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir",
        "--disable-pip-version-check", "--wheel-dir", folder, sdist, env=environment)
    [made] = Path(folder).glob("*.whl")
    grade = re.search(r'platform\s+tag:\s+"([^"]+)"', run(sys.executable, "-m", "auditwheel", "show", made))
    if not grade or (check_wheel.glibc_of_tag(grade[1]) or 99) > check_wheel.MAX_GLIBC:
        fail(f"auditwheel grades {made.name} {grade and grade[1]}, not manylinux_2_{check_wheel.MAX_GLIBC} or lower:\n"
             + run(sys.executable, "-m", "auditwheel", "show", made))
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", grade[1], made, env=environment)
    [tagged] = Path(folder).glob("*.whl")
    return tagged


def prove(wheel, about):
    """Looks inside, installs into an empty venv, and runs the self-test from an empty folder."""
    found = list(check_wheel.problems(wheel))
    if found:
        fail("\n  ".join([wheel.name, *found]))
    with tempfile.TemporaryDirectory() as folder:
        venv, empty = Path(folder, "venv"), Path(folder, "empty")
        empty.mkdir()
        run(about["executable"], "-m", "venv", venv)
        python = venv / "bin/python"
        run(python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel)
        start = time.perf_counter()
        text = run(python, "-m", "tensorlib.selftest", cwd=empty)
        seconds = time.perf_counter() - start
        if seconds > SELFTEST_SECONDS:      # the first run also compiled the .py files and read everything from disk
            start = time.perf_counter()
            run(python, "-m", "tensorlib.selftest", cwd=empty)
            seconds = time.perf_counter() - start
        if seconds > SELFTEST_SECONDS:
            fail(f"the self-test took {seconds:.1f} s, more than {SELFTEST_SECONDS:.0f} s")
    return text.strip().splitlines()[-1], seconds


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--python", action="append", default=[], help="build for this interpreter only (may be repeated)")
    options.add_argument("--once", action="store_true", help="do not build the first wheel a second time")
    arguments = options.parse_args()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or (ROOT / "pyproject.toml").stat().st_mtime)
    pythons = find_pythons(arguments.python)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as work:
        sdist = build_sdist(epoch, Path(work, "sdist"))
        found = list(sdist_problems(sdist))
        if found:
            fail("\n  ".join(["the sdist", *found]))
        shutil.copy2(sdist, DIST)
        say(f"{sdist.name}, {sdist.stat().st_size // 1024} KiB")
        for number, about in enumerate(pythons):
            start = time.perf_counter()
            label = "Python {}.{}.{}".format(*about["version"])
            build = build_environment(about, Path(work, f"build{number}"))
            wheel = build_wheel(build, sdist, epoch, Path(work, f"wheel{number}"))
            summary, seconds = prove(wheel, about)
            say(f"{label}: {wheel.name}, {wheel.stat().st_size // 1024} KiB, in {time.perf_counter() - start:.0f} s; "
                f"self-test in {seconds:.1f} s: {summary}")
            shutil.copy2(wheel, DIST)
            if number == 0 and not arguments.once:
                again = build_wheel(build, sdist, epoch, Path(work, "again"))
                if again.read_bytes() != wheel.read_bytes():
                    fail(f"{label}: two builds with SOURCE_DATE_EPOCH={epoch} differ")
                say(f"{label}: a second build is the same, byte for byte")
    say(f"{len(pythons)} wheels and the sdist are in {DIST}")


if __name__ == "__main__":
    main()
