"""How Sphinx builds the documentation: ./dev docs."""

import inspect
import pathlib

import tensorlib as tl
from tensorlib import __version__

project = "tensorlib"
author = copyright = "tensorlib developers"
version = release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {"description": "PyTorch's tensors in a small package", "page_width": "1060px", "fixed_sidebar": True}
html_show_sphinx = False
html_copy_source = False


def list_functions():
    """docs/functions.md: every public function and method by its docstring."""
    def described(owner):
        found = {name: getattr(owner, name) for name in dir(owner) if name[0] != "_"}
        return {name: found[name] for name in sorted(found, key=str.lower)
                if callable(found[name]) and not isinstance(found[name], type) and inspect.getdoc(found[name])}

    def section(title, functions):
        if not functions:
            return
        parts.append(f"## {title}\n")
        parts.append(", ".join(f"`{name}`" for name in functions) + "\n")
        shown = {}
        for name, value in functions.items():
            text = inspect.getdoc(value)
            same = shown.setdefault(text, name)
            parts.append(f"### {title}.{name}\n\n" + (f"The same as `{same}`.\n" if same != name else f"```text\n{text}\n```\n"))

    parts = ["# Functions and methods\n\nEvery public function, and every method that is not the function of its name, from its "
             "docstring.\n"]
    functions = described(tl)
    for title, owner in (("tl", tl), ("tl.special", tl.special), ("tl.nn.functional", tl.nn.functional)):
        section(title, described(owner))
    methods = described(tl.Tensor)
    parts.append("## Methods that are the function of their name\n\n" + ", ".join(f"`{name}`" for name in methods if name in functions)
                 + "\n")
    section("Tensor", {name: value for name, value in methods.items() if name not in functions})
    text = "\n".join(parts)
    page = pathlib.Path(__file__).parent / "functions.md"
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


list_functions()
