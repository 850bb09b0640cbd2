# Storage: the bytes under one or more tensors, where they live and who frees them.
#
# Uses: config.pxd, blocks.h (where memory comes from, the cache of freed blocks).
# Provides: Storage (public name UntypedStorage), storage_new, storage_foreign, storage_zero, EMPTY_STORAGE.
#
# Invariants
#   S1  ptr addresses nbytes_ readable bytes, or is NULL when nbytes_ is 0 or the device keeps no host memory (meta).
#   S2  capacity is that of the block under ptr (blocks.h), and 0 where there is none: nothing, inline or foreign bytes.  A block
#       goes back in __dealloc__ and storage_resize and nowhere else.
#   S3  foreign memory is kept alive by `owner`.  A storage with an owner is tracked by the garbage collector, because an owner
#       may point back to the tensor; any other is not.
#   S4  while exports > 0 somebody else holds the address: the memory may be neither moved nor freed.

from libc.stdlib cimport malloc, free
from libc.string cimport memcpy, memset, memmove

cdef enum:
    STORAGE_READONLY = 1   # writing through any tensor over it is refused
    STORAGE_FOREIGN = 2    # somebody else's memory
    INLINE_BYTES = 64      # a storage of at most so many bytes keeps them in the object: no malloc, no free (40 ns)


cdef extern from "blocks.h":
    ctypedef struct Blocks:
        size_t limit, cached_bytes, cached_blocks, used_bytes, used_peak, used_blocks, bytes_ever, blocks_ever
        size_t system_bytes, system_peak, hits, misses, retries, failures
    Blocks blocks
    int TRACE_DOMAIN
    void *block_take(size_t nbytes, size_t *capacity, int *zeroed) noexcept
    void block_give(void *p, size_t capacity) noexcept
    void block_zero(void *p, size_t nbytes, size_t capacity, int zeroed) noexcept nogil
    void blocks_start(size_t limit) noexcept
    void blocks_empty_cache() noexcept
    void blocks_set_limit(size_t limit) noexcept

cdef extern from "pool.h":
    int storage_pool_start(object type, Py_ssize_t array, object empty) except -1
    object storage_make(Py_ssize_t nbytes, int dev)
    void gc_track_once(PyObject *o)


@cython.final
@cython.no_gc_clear      # S3 holds while the collector works
cdef class Storage:                           # its fields have a mirror in pool.h
    """The bytes under a tensor: a sequence of ``nbytes`` integers from 0 to 255 that views share."""
    cdef char *ptr
    cdef Py_ssize_t nbytes_
    cdef size_t capacity
    cdef int dev
    cdef unsigned flags
    cdef int zeroed                           # the block came as zeros: of use to its maker, who knows that nobody wrote since
    cdef Py_ssize_t exports
    cdef object owner
    cdef object __weakref__
    cdef char inline_bytes[INLINE_BYTES]      # last, see pool.h

    def __init__(self, size=0):
        """Fresh memory of so many bytes on cpu, not initialised."""
        cdef Py_ssize_t nbytes = parse_int(size, "UntypedStorage: size")
        if nbytes < 0:
            raise RuntimeError(f"UntypedStorage: the size must not be negative, got {nbytes}")
        if self.ptr != NULL or self.nbytes_ or self.exports:
            raise RuntimeError("UntypedStorage: made already")
        if nbytes:
            self.ptr = storage_allocate(self, nbytes)
            if self.ptr == NULL:
                raise MemoryError(f"cannot allocate {nbytes} bytes on cpu")
        self.nbytes_ = nbytes

    def __dealloc__(self):
        if self.capacity:
            block_give(self.ptr, self.capacity)

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
        if flags & PyBUF_WRITABLE and self.flags & STORAGE_READONLY:
            raise BufferError("the storage is read-only")
        view.buf = self.ptr
        view.obj = self
        view.len = self.nbytes_
        view.itemsize = 1
        view.readonly = (self.flags & STORAGE_READONLY) != 0
        view.ndim = 1
        view.format = NULL
        if flags & PyBUF_FORMAT:
            view.format = b"B"
        view.shape = &self.nbytes_ if flags & PyBUF_ND else NULL
        view.strides = &view.itemsize if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
        view.suboffsets = NULL
        view.internal = NULL
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
        return _rebuild_storage, (data, self.nbytes_)

    def __repr__(self):
        cdef Py_ssize_t shown = 0 if self.dev != DEV_CPU else min(self.nbytes_, 1000)
        rows = "".join([f" {self.ptr[i] & 0xFF}\n" for i in range(shown)]) + (" ...\n" if shown < self.nbytes_ else "")
        return f"{rows}[tensorlib.storage.UntypedStorage(device={device_object(self.dev)}) of size {self.nbytes_}]"


cdef extern from "Python.h":
    Py_buffer *PyMemoryView_GET_BUFFER(object view)
    int PyBUF_WRITABLE, PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES


cdef inline char *storage_allocate(Storage self, Py_ssize_t nbytes) noexcept:
    """Memory for a storage that has none, NULL if there is none; nbytes > 0."""
    if nbytes <= INLINE_BYTES:
        return self.inline_bytes
    return <char *>block_take(nbytes, &self.capacity, &self.zeroed)


type_rename(Storage, b"tensorlib.UntypedStorage")
cdef Storage EMPTY_STORAGE = Storage.__new__(Storage)   # under every tensor that was not given another one
storage_pool_start(Storage, <char *>EMPTY_STORAGE.inline_bytes - <char *><PyObject *>EMPTY_STORAGE, EMPTY_STORAGE)
EMPTY_STORAGE.exports = 1                               # many share it: nobody may resize it


def _rebuild_storage(data, Py_ssize_t nbytes):
    """Unpickles a storage: bytes are copied; any other buffer came out of band, is used in place and may be read-only."""
    cdef Storage self
    cdef Py_buffer *view
    if nbytes < 0:
        raise ValueError(f"unpickling a storage of {nbytes} bytes")
    if data is None:
        return storage_new(nbytes, DEV_META)
    window = memoryview(data)
    view = PyMemoryView_GET_BUFFER(window)
    if view.len != nbytes or not window.c_contiguous:
        raise ValueError(f"unpickling a storage of {nbytes} bytes from {view.len}")
    if nbytes and type(data) is not bytes and type(data) is not bytearray:
        return storage_foreign(view.buf, nbytes, view.readonly, window)
    self = storage_new(nbytes, DEV_CPU)
    if nbytes:
        memcpy(self.ptr, view.buf, nbytes)
    return self


cdef int storage_need_data(Storage self, str what) except -1:
    if self.dev != DEV_CPU:
        raise NotImplementedError(f"{what}: the storage is on {device_object(self.dev)} and has no data to read")
    return 0


cdef Storage storage_new(Py_ssize_t nbytes, int dev):
    """Fresh memory, not initialised.  On meta nothing but the length."""
    cdef Storage self = <Storage>storage_make(nbytes, dev)
    if dev == DEV_CPU and nbytes > 0:
        self.ptr = storage_allocate(self, nbytes)
        if self.ptr == NULL:
            raise MemoryError(f"cannot allocate {nbytes} bytes on cpu")
    return self


cdef Storage storage_foreign(void *ptr, Py_ssize_t nbytes, bint readonly, object owner):
    """Memory of somebody else, kept alive by `owner`."""
    cdef Storage self = Storage.__new__(Storage)
    self.ptr = <char *>ptr
    self.nbytes_ = nbytes
    self.flags = STORAGE_FOREIGN | (STORAGE_READONLY if readonly else 0)
    self.owner = owner
    gc_track_once(<PyObject *>self)
    return self


cdef int storage_zero(Storage self) except -1:
    """All bytes of a storage that was just made, and that nobody else knows yet, to zero."""
    if self.nbytes_ <= GRAIN:
        memset(self.ptr, 0, self.nbytes_)
        return 0
    with nogil:
        block_zero(self.ptr, self.nbytes_, self.capacity, self.zeroed)
    return 0


cdef int storage_resize(Storage self, Py_ssize_t nbytes, str op) except -1:
    """Makes owned memory longer or shorter; what was there stays.  Nothing changes when it fails."""
    cdef char *fresh
    cdef size_t capacity = 0
    cdef int zeroed
    if self.flags & STORAGE_FOREIGN:
        raise RuntimeError(f"{op}: the storage belongs to another object and cannot be resized; clone() the tensor first")
    if self.exports:
        raise RuntimeError(f"{op}: the storage is exported (a buffer somebody holds, a running call) and cannot be resized now")
    if self.dev == DEV_CPU and nbytes > <Py_ssize_t>(self.capacity if self.capacity else INLINE_BYTES):
        fresh = <char *>block_take(nbytes, &capacity, &zeroed)
        if fresh == NULL:
            raise MemoryError(f"{op}: cannot allocate {nbytes} bytes on cpu")
        if self.nbytes_:
            memcpy(fresh, self.ptr, min(nbytes, self.nbytes_))
        if self.capacity:
            block_give(self.ptr, self.capacity)
        self.ptr = fresh
        self.capacity = capacity
    elif self.dev == DEV_CPU and not self.capacity:
        self.ptr = self.inline_bytes if nbytes else NULL
    self.nbytes_ = nbytes
    return 0


# -- the cache of freed blocks ----------------------------------------------------------------------------------------

def _set_cache_limit(size_t nbytes, bint first=False):
    """How many bytes of freed blocks are kept; what is above goes back to the system."""
    if first:
        blocks_start(nbytes)
    else:
        blocks_set_limit(nbytes)


def _empty_cache():
    blocks_empty_cache()


def _memory_counters():
    return blocks


def _reset_memory_peaks():
    blocks.used_peak = blocks.used_bytes
    blocks.system_peak = blocks.system_bytes


_TRACE_DOMAIN = TRACE_DOMAIN
