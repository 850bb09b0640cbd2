"""Settings that PyTorch keeps in torch.utils."""
from . import deterministic

__all__ = ["deterministic"]
