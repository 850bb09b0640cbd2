"""The functions that PyTorch has in torch.nn.functional, as the core offers them: rows of the op table with that module."""
from .. import _core

globals().update((_name, _value) for _name, _value in vars(_core.nn_functional).items() if _name[0] != "_")
__all__ = [_name for _name in vars(_core.nn_functional) if _name[0] != "_"]
