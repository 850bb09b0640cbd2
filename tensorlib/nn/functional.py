"""The functions that PyTorch has in torch.nn.functional, as the core offers them: rows of the op table with that module."""
from .. import _core

__all__ = [_name for _name in vars(_core.nn_functional) if _name[0] != "_"]
globals().update((_name, getattr(_core.nn_functional, _name)) for _name in __all__)
