"""Every CPU level that this machine runs gives the same bytes for every op row, dtype, layout and cast."""
import os
import pathlib
import subprocess
import sys

from tensorlib import config

HERE = pathlib.Path(__file__).parent


def digest_lines(level):
    environment = dict(os.environ, TENSORLIB_CPU_LEVEL=level, PYTHONPATH=os.pathsep.join([str(HERE.parent), *sys.path]))
    run = subprocess.run([sys.executable, str(HERE / "level_digest.py")], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    first, *lines = run.stdout.splitlines()
    assert first == f"level {level}"
    return lines


def test_levels_give_the_same_bytes():
    levels = [level for level in config.supported_levels() if config._module(level) is not None]
    assert levels, "no level is supported here"
    reference = digest_lines(levels[-1])
    assert len(reference) > 400
    for level in levels[:-1]:
        differing = [(a, b) for a, b in zip(digest_lines(level), reference, strict=True) if a != b]
        assert not differing, f"{level} differs from {levels[-1]}: {differing[:10]} ({len(differing)} in all)"


def test_a_forced_level_is_refused_with_a_reason():
    run = subprocess.run([sys.executable, "-c", "import tensorlib"], capture_output=True, text=True,
                         env=dict(os.environ, TENSORLIB_CPU_LEVEL="v9", PYTHONPATH=os.pathsep.join(sys.path)))
    assert run.returncode != 0
    assert "TENSORLIB_CPU_LEVEL=v9: the levels are" in run.stderr
