"""The dtype, layout and memory-format objects, each under all its names: NAMES maps them."""
from . import _core
from ._dtypetable import DTYPES

NAMES = {name: dtype for dtype in _core._make_dtypes(DTYPES) for name in (dtype.name, *dtype.aliases)}
for _group in _core._seal_attributes():
    for _object in _group:
        NAMES[_object.name] = _object
