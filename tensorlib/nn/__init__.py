"""Functions of neural networks, under PyTorch's names: tensorlib.nn.functional."""
from . import functional

__all__ = ["functional"]
