"""What the documentation says is true: every example in the pages, the readme and the docstrings runs and prints what it shows."""

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensorlib as tl

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)
FLAGS = doctest.NORMALIZE_WHITESPACE
PUBLIC = {name: getattr(tl, name) for name in dir(tl) if not name.startswith("_")}


def run_examples(text, name):
    """Runs the examples of one text; returns how many there were, and the failures' report."""
    report = []
    test = doctest.DocTestParser().get_doctest(text, {"tl": tl, "tensorlib": tl}, name, name, 0)
    options, dtype, device = tl.get_printoptions(), tl.get_default_dtype(), tl.get_default_device()
    try:
        results = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=report.append)
    finally:        # an example that shows how to change a default must not change the next one
        tl.set_printoptions(**options)
        tl.set_default_dtype(dtype)
        tl.set_default_device(device)
    assert results.failed == 0, "".join(report)
    return results.attempted


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages(page):
    text = page.read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    examples = "\n".join(block for block in blocks if ">>>" in block)
    if "numpy" in examples:
        pytest.importorskip("numpy")
    assert run_examples(examples, page.name) == examples.count(">>> ")


def test_pages_show_examples():
    assert sum(page.read_text().count(">>> ") for page in PAGES) > 40


def test_readme_example(tmp_path):
    """The readme's program runs, and prints what its comments say it prints."""
    [program] = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path,
                          env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"^print\(.*?\)\s+# (.*)$", program, re.MULTILINE)
    printed = done.stdout.splitlines()
    assert len(promised) >= 3 and promised == printed[:len(promised)]


def test_links():
    """Relative links in the readme and the pages lead to files that exist."""
    for page in [*PAGES, *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def documented():
    for name, value in PUBLIC.items():
        if callable(value) and inspect.getdoc(value):
            yield name, value
    for name in dir(tl.Tensor):
        value = getattr(tl.Tensor, name)
        if not name.startswith("_") and callable(value) and inspect.getdoc(value):
            yield f"Tensor.{name}", value


@pytest.mark.parametrize(("name", "value"), list(documented()), ids=lambda v: v if isinstance(v, str) else "")
def test_docstrings(name, value):
    run_examples(inspect.getdoc(value), name)


def test_everything_public_is_documented():
    missing = [name for name, value in PUBLIC.items() if callable(value) and not inspect.getdoc(value)]
    missing += [f"Tensor.{name}" for name in dir(tl.Tensor)
                if not name.startswith("_") and not inspect.getdoc(getattr(tl.Tensor, name))]
    assert not missing, missing
