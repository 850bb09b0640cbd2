"""The functions that PyTorch has in torch.special, as the core offers them: rows of the op table with that module."""
from . import _core

globals().update((_name, _value) for _name, _value in vars(_core.special_functions).items() if _name[0] != "_")
__all__ = [_name for _name in vars(_core.special_functions) if _name[0] != "_"]
