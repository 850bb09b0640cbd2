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
    def entry(name, value):
        return f"### {name}\n\n```text\n{inspect.getdoc(value)}\n```\n"

    def described(owner):
        return [name for name in sorted(set(dir(owner)), key=lambda name: (name.lower(), name))
                if name[0] != "_" and callable(getattr(owner, name)) and not isinstance(getattr(owner, name), type)
                and (inspect.getdoc(getattr(owner, name)) or "").strip()]

    parts = ["# Functions and methods\n\nEvery public function, from its docstring. Methods and operators that are the function of "
             "their name are only listed.\n"]
    for owner, text in ((tl, "tl"), (tl.special, "tl.special"), (tl.nn.functional, "tl.nn.functional")):
        parts.append(f"## {text}\n")
        parts += [entry(f"{text}.{name}", getattr(owner, name)) for name in described(owner)]
    methods = described(tl.Tensor)
    parts.append("## Methods of Tensor\n\n" + ", ".join(f"`{name}`" for name in methods if hasattr(tl, name)) + "\n")
    parts += [entry(f"Tensor.{name}", getattr(tl.Tensor, name)) for name in methods if not hasattr(tl, name)]
    text = "\n".join(parts)
    page = pathlib.Path(__file__).parent / "functions.md"
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


list_functions()
