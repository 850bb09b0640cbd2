"""Who may import whom, and what `import tensorlib` may cost.

Modules stand on steps: data, core, policy, features, faces.  A module imports from its own step or from lower ones (data from
none), and nothing imports a face.  The rules are read off the syntax trees, so they hold for imports inside functions too.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tensorlib"
CSRC = ROOT / "csrc"

DATA = {"_dtypetable", "_optable"}
CORE = {"_core"} | {f"_kernels_{level}" for level in ("baseline", "v3", "v4", "neon")}
POLICY = {"dtypes", "numeric_info", "promotion", "device", "memory_format", "layout", "defaults", "config", "cpu", "machine", "memory"}
FACES = {"__init__", "array_api", "selftest"}
STEPS = {"data": 0, "core": 1, "policy": 2, "features": 3, "faces": 4}

# Costly or simply not needed; measured in milliseconds each.
NOT_AT_IMPORT = ("dataclasses", "typing", "re", "inspect", "enum", "functools", "threading", "contextlib", "importlib.metadata",
                 "numpy", "cupy", "torch")
ONLY_IN = {"numpy": "interop", "cupy": "backends.cuda"}
IMPORT_SECONDS = 0.050      # five times the target: a loaded machine passes, a forgotten import of NumPy does not


def step(module):
    first = module.split(".")[0]
    for name, members in (("data", DATA), ("core", CORE), ("policy", POLICY), ("faces", FACES)):
        if first in members:
            return STEPS[name]
    return STEPS["features"]


def module_name(path):
    """tensorlib/a/b.py gives a.b, a package gives its own name, tensorlib/__init__.py gives __init__."""
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def imported(tree, package):
    """(absolute name, line, inside a function) for every import in the tree; `package` is the importing module's package."""
    def walk(node, inside):
        for child in ast.iter_child_nodes(node):
            deeper = inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield alias.name, child.lineno, inside
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    parents = package.split(".")[:len(package.split(".")) - child.level + 1]
                    base = ".".join([*parents, *([base] if base else [])])
                for alias in child.names:
                    yield f"{base}.{alias.name}", child.lineno, inside
            elif isinstance(child, ast.Call) and child.args and isinstance(child.args[0], ast.Constant):
                called = child.func.attr if isinstance(child.func, ast.Attribute) else getattr(child.func, "id", None)
                if called in ("__import__", "import_module") and isinstance(child.args[0].value, str):
                    yield child.args[0].value, child.lineno, inside
            yield from walk(child, deeper)
    yield from walk(tree, False)


def violations(module, source, modules, is_package=False):
    """The rules that `source`, the text of tensorlib.<module>, breaks; `modules` are the names of all the package's modules."""
    if module == "__init__":
        package = "tensorlib"
    else:
        package = "tensorlib." + module if is_package else f"tensorlib.{module}".rpartition(".")[0]
    for name, line, inside in imported(ast.parse(source), package):
        where = f"{module}, line {line}"
        outer = name.split(".")[0]
        if outer in ONLY_IN:
            if module != ONLY_IN[outer]:
                yield f"{where}: {outer} is imported outside {ONLY_IN[outer]}"
            elif not inside:
                yield f"{where}: {outer} is imported outside a function"
        elif not inside and any(name == n or name.startswith(n + ".") for n in NOT_AT_IMPORT):
            yield f"{where}: {name} at import time"
        if module.split(".")[0] in DATA and not name.startswith(f"tensorlib.{module.split('.')[0]}."):
            yield f"{where}: a table imports {name}"
        if outer != "tensorlib":
            continue
        inner = name.partition(".")[2]
        parts = inner.split(".")
        target = next((".".join(parts[:n]) for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in modules), "__init__")
        family = module.split(".")[0]
        if target.split(".")[0] == family:
            if family == "backends" and "." in target and target not in (module, "backends.base"):
                yield f"{where}: a backend imports another, {target}"
            continue
        if step(target) == STEPS["faces"] and module != "selftest":
            yield f"{where}: {target} is a face; nothing imports it"
        elif step(target) > step(module):
            yield f"{where}: {module} is below {target}"


def package_modules():
    return {module_name(path): path for path in PACKAGE.rglob("*.py")}


def test_direction_of_dependencies():
    modules = package_modules()
    known = set(modules) | CORE
    assert {"__init__", "_optable", "promotion"} <= known
    found = [v for name, path in modules.items()
             for v in violations(name, path.read_text(), known, is_package=path.name == "__init__.py")]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("module", "source", "message"), [
    ("_optable", "import sys", "a table imports sys"),
    ("promotion", "from . import printing", "promotion is below printing"),
    ("promotion", "def f():\n    from .creation import zeros", "promotion is below creation"),
    ("promotion", "from tensorlib.printing import x", "promotion is below printing"),
    ("creation", "import tensorlib", "is a face"),
    ("creation", "from . import array_api", "is a face"),
    ("creation", "import numpy as np", "numpy is imported outside interop"),
    ("creation", "def f():\n    import numpy.linalg", "numpy is imported outside interop"),
    ("creation", "def f():\n    return __import__('numpy')", "numpy is imported outside interop"),
    ("interop", "import numpy", "outside a function"),
    ("interop", "class A:\n    from numpy import array", "outside a function"),
    ("device", "from contextlib import contextmanager", "contextlib.contextmanager at import time"),
    ("device", "if True:\n    import re", "re at import time"),
    ("backends.sim", "from .cuda import f", "a backend imports another"),
    ("backends.sim", "from . import cuda", "a backend imports another"),
])
def test_the_rules_bite(module, source, message):
    known = set(package_modules()) | CORE | {"creation", "interop", "array_api", "backends", "backends.sim", "backends.cuda"}
    found = list(violations(module, source, known))
    assert len(found) == 1 and message in found[0]


@pytest.mark.parametrize(("module", "source"), [
    ("interop", "def f():\n    import numpy as np"),
    ("creation", "from . import _core\nfrom .promotion import result_type\nfrom ._optable import OPS"),
    ("creation", "def f():\n    import re"),
    ("backends.sim", "from .base import Backend\nfrom .. import _core"),
    ("device", "import sys, contextvars"),
])
def test_the_rules_permit(module, source):
    known = set(package_modules()) | CORE | {"creation", "interop", "backends", "backends.base", "backends.sim"}
    assert list(violations(module, source, known)) == []


# ---------------------------------------------------------------------------------------------------------------- the C side

def code_of(path):
    """The text of a Cython file without comments and docstrings."""
    text = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text())
    return re.sub(r"#.*", "", text)


def test_core_imports_nothing_from_the_package():
    files = [p for pattern in ("*.pyx", "*.pxi", "*.pxd") for p in CSRC.glob(pattern)]
    assert any(p.name == "_core.pyx" for p in files)
    for path in files:
        if path.name != "_testing.pyx":
            hit = re.search(r"^\s*(?:c?import|from)\s+(tensorlib|numpy)\b.*", code_of(path), re.MULTILINE)
            assert hit is None, f"{path.name}: {hit[0].strip()}"


def test_level_1_and_kernels_hold_no_python_object():
    """Their functions are nogil, so Cython itself refuses objects there; what is left to see is that each one says so."""
    checked = 0
    for path in [*CSRC.glob("*.pxd"), *(CSRC / f"{n}.pxi" for n in ("kernels", "copy", "reduce") if (CSRC / f"{n}.pxi").exists())]:
        code = code_of(path)
        assert not re.search(r"\b(Tensor|Storage)\b", code), f"{path.name} knows an object of level 3"
        for header in re.finditer(r"^cdef\s+(?!enum|struct|extern|union|packed|class)[^=\n]*\w\([^:]*?\)[^:\n]*:\s*$", code, re.M):
            checked += 1
            if "kernels_fill(" not in header[0]:        # fills the table once, when the module is imported
                assert "nogil" in header[0], f"{path.name}: {header[0].strip()} takes the GIL"
    assert checked > 20


# ------------------------------------------------------------------------------------------------------------ at import time

def in_bare_interpreter(code):
    """Runs `code` where neither site nor the environment has imported anything; its print-out."""
    prelude = f"import sys, time; before = set(sys.modules); sys.path.insert(0, {str(ROOT)!r})\n"
    done = subprocess.run([sys.executable, "-S", "-E", "-c", prelude + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_import_brings_in():
    brought = in_bare_interpreter("import tensorlib\nprint(*sorted(set(sys.modules) - before))").split()
    assert "tensorlib" in brought
    assert [name for name in brought if name in NOT_AT_IMPORT] == []
    foreign = {name.split(".")[0] for name in brought} - set(sys.stdlib_module_names) - {"tensorlib"}
    assert not {name for name in foreign if "cython" not in name.lower()}


def test_import_time(record_property):
    code = "start = time.perf_counter(); import tensorlib; print(time.perf_counter() - start)"
    seconds = min(float(in_bare_interpreter(code)) for _ in range(9))
    record_property("import_ms", round(seconds * 1000, 2))
    assert seconds < IMPORT_SECONDS, f"import tensorlib takes {seconds * 1000:.1f} ms"


def test_public_names_are_no_internal_modules():
    import tensorlib as tl
    names = {}
    exec("from tensorlib import *", names)
    modules = {name for name, value in names.items() if isinstance(value, type(tl))}
    assert modules == {"cpu", "utils", "nn", "special"}
    assert {"nn", "special", "Tensor", "add", "float32"} <= set(dir(tl)) and not {"config", "machine", "dtypes"} & set(dir(tl))


def test_functions_are_called_without_a_wrapper():
    import tensorlib as tl
    for home in (tl, tl.special, tl.nn.functional):
        assert not [name for name in dir(home) if isinstance(getattr(home, name), (staticmethod, classmethod))]


def test_source_tree_without_a_core_says_so(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "tensorlib", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    done = subprocess.run([sys.executable, "-c", "import tensorlib"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "its core is not compiled: run ./dev build" in done.stderr.splitlines()[-1]
