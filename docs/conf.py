"""How Sphinx builds the documentation: ./dev docs."""

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
