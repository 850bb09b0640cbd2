# Storage: the bytes under one or more tensors, where they live and who frees them.
#
# Uses: config.pxd.  Provides: Storage (public name UntypedStorage), storage_new, storage_foreign, EMPTY_STORAGE.
#
# Invariants
#   S1  ptr addresses nbytes_ readable bytes, or is NULL when nbytes_ is 0 or the device keeps no host memory (meta).
#   S2  owned memory (STORAGE_FOREIGN not set) came from storage_allocate and is freed by storage_release, by nobody else.
#   S3  foreign memory is kept alive by `owner`; the class is tracked by the garbage collector because an owner may point
#       back to the tensor.
#   S4  while exports > 0 somebody else holds the address: the memory may be neither moved nor freed.

from libc.stdlib cimport malloc, free
from libc.string cimport memcpy, memset, memmove

cdef extern from "stdlib.h" nogil:
    int posix_memalign(void **out, size_t alignment, size_t size)

cdef enum:
    STORAGE_READONLY = 1   # writing through any tensor over it is refused
    STORAGE_FOREIGN = 2    # somebody else's memory
    ALIGNED_FROM = 1024    # bytes: below it plain malloc (20 ns cheaper), from it 64-byte alignment for vector code


cdef char *storage_allocate(Py_ssize_t nbytes) noexcept nogil:
    cdef void *out = NULL
    if nbytes < ALIGNED_FROM:
        return <char *>malloc(nbytes)
    if posix_memalign(&out, 64, nbytes) != 0:
        return NULL
    return <char *>out


@cython.final
@cython.freelist(64)
cdef class Storage:
    """The bytes under a tensor: a sequence of ``nbytes`` integers from 0 to 255 that views share."""
    cdef char *ptr
    cdef Py_ssize_t nbytes_
    cdef int dev
    cdef unsigned flags
    cdef Py_ssize_t exports
    cdef object owner
    cdef object __weakref__

    def __cinit__(self):
        self.ptr = NULL
        self.nbytes_ = 0
        self.dev = DEV_CPU
        self.flags = 0
        self.exports = 0

    def __init__(self, Py_ssize_t size=0):
        """Fresh memory of so many bytes on cpu, not initialised."""
        if size < 0:
            raise RuntimeError(f"UntypedStorage: the size must not be negative, got {size}")
        if self.ptr != NULL or self.nbytes_ or self.exports:
            raise RuntimeError("UntypedStorage: made already")
        if size:
            self.ptr = storage_allocate(size)
            if self.ptr == NULL:
                raise MemoryError(f"cannot allocate {size} bytes on cpu")
        self.nbytes_ = size

    def __dealloc__(self):
        if self.ptr != NULL and not self.flags & STORAGE_FOREIGN:
            free(self.ptr)

    def nbytes(self):
        """Length in bytes."""
        return self.nbytes_

    def size(self):
        """Length in bytes."""
        return self.nbytes_

    def __len__(self):
        return self.nbytes_

    def data_ptr(self):
        """Address of the first byte; 0 if there is none."""
        return <size_t>self.ptr

    @property
    def device(self):
        return device_object(self.dev)

    def element_size(self):
        return 1

    def is_shared(self):
        return False

    def __getitem__(self, index):
        storage_need_data(self, "storage[index]")
        if isinstance(index, slice):
            return [self.ptr[i] & 0xFF for i in range(*index.indices(self.nbytes_))]
        cdef Py_ssize_t i = index
        if i < 0:
            i += self.nbytes_
        if i < 0 or i >= self.nbytes_:
            raise IndexError(f"index {index} out of range for storage of size {self.nbytes_}")
        return self.ptr[i] & 0xFF

    def __setitem__(self, index, value):
        storage_need_data(self, "storage[index] = value")
        cdef Py_ssize_t i = index
        cdef int byte = value
        if self.flags & STORAGE_READONLY:
            raise RuntimeError("storage[index] = value: the storage is read-only")
        if i < 0:
            i += self.nbytes_
        if i < 0 or i >= self.nbytes_:
            raise IndexError(f"index {index} out of range for storage of size {self.nbytes_}")
        if byte < 0 or byte > 255:
            raise ValueError(f"storage[index] = value: a byte is 0 to 255, got {value}")
        self.ptr[i] = <char>byte

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        """The bytes as a list of integers."""
        storage_need_data(self, "tolist")
        return [self.ptr[i] & 0xFF for i in range(self.nbytes_)]

    def __getbuffer__(self, Py_buffer *view, int flags):
        storage_need_data(self, "buffer")
        PyBuffer_FillInfo(view, self, self.ptr, self.nbytes_, (self.flags & STORAGE_READONLY) != 0, flags)
        self.exports += 1

    def __releasebuffer__(self, Py_buffer *view):
        self.exports -= 1

    def __reduce_ex__(self, protocol):
        """Bytes; with protocol 5 out of band, so that a consumer can share the memory."""
        data = None
        if self.dev == DEV_CPU:
            if protocol >= 5:
                import pickle
                data = pickle.PickleBuffer(self)
            else:
                data = bytes(self)
        return _rebuild_storage, (data, self.nbytes_, (self.flags & STORAGE_READONLY) != 0)

    def __repr__(self):
        cdef Py_ssize_t shown = 0 if self.dev != DEV_CPU else min(self.nbytes_, 1000)
        rows = "".join([f" {self.ptr[i] & 0xFF}\n" for i in range(shown)]) + (" ...\n" if shown < self.nbytes_ else "")
        return f"{rows}[tensorlib.storage.UntypedStorage(device={device_object(self.dev)}) of size {self.nbytes_}]"


cdef extern from "Python.h":
    Py_buffer *PyMemoryView_GET_BUFFER(object view)
    int PyBuffer_FillInfo(Py_buffer *view, object exporter, void *buf, Py_ssize_t length, bint readonly, int flags) except -1


type_rename(Storage, b"tensorlib.UntypedStorage")
cdef Storage EMPTY_STORAGE = Storage.__new__(Storage)   # under every tensor that was not given another one
EMPTY_STORAGE.exports = 1                               # many share it: nobody may resize it


def _rebuild_storage(data, Py_ssize_t nbytes, bint readonly):
    """Unpickles a storage: bytes are copied, any other buffer is used in place and keeps its read-only flag."""
    cdef Storage self
    cdef Py_buffer *view
    if nbytes < 0:
        raise ValueError(f"unpickling a storage of {nbytes} bytes")
    if data is None:
        return storage_new(nbytes, DEV_META)
    window = memoryview(data).cast("B") if len(data) else memoryview(b"")
    view = PyMemoryView_GET_BUFFER(window)
    if view.len != nbytes:
        raise ValueError(f"unpickling a storage of {nbytes} bytes from {view.len}")
    if type(data) is not bytes:
        return storage_foreign(view.buf, nbytes, readonly or view.readonly, window)
    self = storage_new(nbytes, DEV_CPU)
    if nbytes:
        memcpy(self.ptr, view.buf, nbytes)
    if readonly:
        self.flags |= STORAGE_READONLY
    return self


cdef int storage_need_data(Storage self, str what) except -1:
    if self.dev != DEV_CPU:
        raise NotImplementedError(f"{what}: the storage is on {device_object(self.dev)} and has no data to read")
    return 0


cdef Storage storage_new(Py_ssize_t nbytes, int dev):
    """Fresh memory, not initialised.  On meta nothing but the length."""
    cdef Storage self = Storage.__new__(Storage)
    self.dev = dev
    if dev == DEV_CPU and nbytes > 0:
        self.ptr = storage_allocate(nbytes)
        if self.ptr == NULL:
            raise MemoryError(f"cannot allocate {nbytes} bytes on cpu")
    self.nbytes_ = nbytes
    return self


cdef Storage storage_foreign(void *ptr, Py_ssize_t nbytes, bint readonly, object owner):
    """Memory of somebody else, kept alive by `owner`."""
    cdef Storage self = Storage.__new__(Storage)
    self.ptr = <char *>ptr
    self.nbytes_ = nbytes
    self.flags = STORAGE_FOREIGN | (STORAGE_READONLY if readonly else 0)
    self.owner = owner
    return self


cdef int storage_resize(Storage self, Py_ssize_t nbytes, str op) except -1:
    """Grows or shrinks owned memory in place; what was there stays.  Nothing changes when it fails."""
    cdef char *fresh
    if self.flags & STORAGE_FOREIGN:
        raise RuntimeError(f"{op}: the storage belongs to another object and cannot be resized; clone() the tensor first")
    if self.exports:
        raise RuntimeError(f"{op}: the storage is exported through the buffer protocol and cannot be resized while it is")
    if self.dev == DEV_CPU and nbytes > 0:
        fresh = storage_allocate(nbytes)
        if fresh == NULL:
            raise MemoryError(f"{op}: cannot allocate {nbytes} bytes on cpu")
        if self.ptr != NULL:
            memcpy(fresh, self.ptr, min(nbytes, self.nbytes_))
            free(self.ptr)
        self.ptr = fresh
    elif self.ptr != NULL:
        free(self.ptr)
        self.ptr = NULL
    self.nbytes_ = nbytes
    return 0
