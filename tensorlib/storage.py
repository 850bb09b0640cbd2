"""UntypedStorage, the bytes under a tensor, and TypedStorage, the same memory read as numbers of one dtype."""
from . import _core
from ._core import Storage as UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]


class TypedStorage:
    """The whole storage under a tensor as a sequence of its dtype's numbers, in their physical order.

    >>> list(tl.tensor([[1, 2], [3, 4]]).t().storage())
    [1, 2, 3, 4]
    """

    __slots__ = ("_flat",)

    def __init__(self, tensor):
        storage = tensor.untyped_storage()
        count = len(storage) // tensor.itemsize
        self._flat = tensor.as_strided((count,), (1,), 0)

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._flat.dtype

    @property
    def device(self):
        """Where the memory is."""
        return self._flat.device

    def untyped(self):
        """The bytes of the same memory."""
        return self._flat.untyped_storage()

    def __len__(self):
        return self._flat.numel()

    size = __len__

    def nbytes(self):
        """Length in bytes."""
        return self._flat.untyped_storage().nbytes()

    def element_size(self):
        """Bytes an element."""
        return self._flat.itemsize

    def data_ptr(self):
        """Address of the first element; 0 without data."""
        return self._flat.untyped_storage().data_ptr()

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.tolist()[index]
        return self._flat[self._position(index)].item()

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            raise NotImplementedError("storage[slice] = value: assign to a view of the tensor instead")
        self._flat[self._position(index)] = value

    def _position(self, index):
        index = index.__index__()
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The elements as a list of Python numbers."""
        return self._flat.tolist()

    def __eq__(self, other):
        if not isinstance(other, TypedStorage):
            return NotImplemented
        return self.untyped() is other.untyped() and self.dtype is other.dtype

    __hash__ = None

    def __repr__(self):
        values = "\n".join(f" {value}" for value in self.tolist()) if self.device.type == "cpu" else " ..."
        return f"{values}\n[{_core.__name__.partition('.')[0]}.storage.TypedStorage(dtype={self.dtype}, device={self.device}) " \
               f"of size {len(self)}]"
