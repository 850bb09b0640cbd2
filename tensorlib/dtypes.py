"""The public names of csrc/attributes.pxi: each dtype under all its names, layouts, memory formats, and the classes of all.

NAMES maps them; the package sets them last, because some hide builtins and one (device) the submodule of that name.
"""
from . import _core
from ._dtypetable import DTYPES

NAMES = {name: dtype for dtype in _core._make_dtypes(DTYPES) for name in (dtype.name, *dtype.aliases)}
for _objects in _core._seal_attributes():
    NAMES.update((_object.name, _object) for _object in _objects)
NAMES["legacy_contiguous_format"] = NAMES["contiguous_format"]     # PyTorch's older name of the same object
NAMES.update((_class, getattr(_core, _class)) for _class in ("dtype", "layout", "memory_format", "device", "Size"))
