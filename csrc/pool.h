/* Making and dropping Tensor and Storage objects: the memory of dropped ones is kept for the next.
 *
 * Cython's way through tp_new and tp_dealloc calls one function a class of the chain, saves and restores the error state around
 * __dealloc__ and clears whole objects: 110 of the 140 ns of a tiny empty().  So the plain case has its own way here, over
 * mirrors of the two objects' fields that are compared with Cython's at import.  Whatever is not plain (a subclass, a weak
 * reference, an owner, the collector's attention, dims on the heap) goes Cython's way, which the types keep.
 *
 * Of a kept object only the head is written again: the fields before the array that ends both objects.  Neither object is
 * tracked by the garbage collector from the start (10 ns a tensor): gc_track_once does that for the few that can be part of a
 * cycle.
 */
#pragma once
#include <Python.h>
#include <stddef.h>
#include <string.h>
#include "blocks.h"

#define POOL_SIZE 64

typedef struct {
    PyObject_HEAD
    char *ptr;
    Py_ssize_t nbytes;
    size_t capacity;
    int dev;
    unsigned flags;
    int zeroed;
    Py_ssize_t exports;
    PyObject *owner, *weakrefs;
    char bytes[64];
} StorageFields;

typedef struct {
    PyObject_HEAD
    PyObject *storage;
    Py_ssize_t *shape, *stride, offset, numel;
    int ndim, dt, dev;
    unsigned flags;
    Py_ssize_t serial;
    PyObject *weakrefs;
    Py_ssize_t dims[16];
} TensorFields;

typedef struct {
    PyTypeObject *type;
    Py_ssize_t head;                /* bytes after the object header that are cleared */
    destructor dealloc;             /* Cython's */
    int kept;
    PyObject *objects[POOL_SIZE];
} Pool;

static Pool tensor_pool, storage_pool;
static PyObject *empty_storage;     /* under every new tensor, until it is given another one */

/* An untracked object of the pool's type whose fields hold anything. */
static inline PyObject *pool_raw(Pool *pool)
{
    PyObject *self;
    if (pool->kept == 0) {
        self = PyType_GenericAlloc(pool->type, 0);
        if (self != NULL) PyObject_GC_UnTrack(self);
        return self;
    }
    return PyObject_Init(pool->objects[--pool->kept], pool->type);
}

/* tp_alloc: the head is zero. */
static PyObject *pool_alloc(Pool *pool, PyTypeObject *type, Py_ssize_t n)
{
    PyObject *self;
    if (type != pool->type) return PyType_GenericAlloc(type, n);
    self = pool_raw(pool);
    if (self != NULL) memset((char *)self + sizeof(PyObject), 0, pool->head);
    return self;
}

/* tp_free */
static inline void pool_free(Pool *pool, PyObject *self)
{
#ifndef Py_GIL_DISABLED
    if (pool->kept < POOL_SIZE && Py_TYPE(self) == pool->type) {
        pool->objects[pool->kept++] = self;
        return;
    }
#endif
    PyObject_GC_Del(self);
}

static PyObject *tensor_alloc(PyTypeObject *type, Py_ssize_t n) { return pool_alloc(&tensor_pool, type, n); }
static void tensor_free(void *self) { pool_free(&tensor_pool, (PyObject *)self); }
static PyObject *storage_alloc(PyTypeObject *type, Py_ssize_t n) { return pool_alloc(&storage_pool, type, n); }
static void storage_free(void *self) { pool_free(&storage_pool, (PyObject *)self); }

static void storage_dealloc(PyObject *o)
{
    StorageFields *self = (StorageFields *)o;
    if (self->owner == Py_None && self->weakrefs == NULL && Py_TYPE(o) == storage_pool.type && !PyObject_GC_IsTracked(o)) {
        if (self->capacity) block_give(self->ptr, self->capacity);
        Py_DECREF(Py_None);
        pool_free(&storage_pool, o);
    } else {
        PyObject_GC_UnTrack(o);
        Py_TRASHCAN_BEGIN(o, storage_dealloc)   /* Cython's own only works while the type's tp_dealloc is Cython's */
        storage_pool.dealloc(o);
        Py_TRASHCAN_END
    }
}

static void tensor_dealloc(PyObject *o)
{
    TensorFields *self = (TensorFields *)o;
    if (self->weakrefs == NULL && self->shape == self->dims && Py_TYPE(o) == tensor_pool.type && !PyObject_GC_IsTracked(o)) {
        PyObject *storage = self->storage;
        pool_free(&tensor_pool, o);
        Py_DECREF(storage);
    } else
        tensor_pool.dealloc(o);
}

/* A storage without memory. */
static inline PyObject *storage_make(Py_ssize_t nbytes, int dev)
{
    StorageFields *self = (StorageFields *)pool_raw(&storage_pool);
    if (self == NULL) return NULL;
    self->ptr = NULL;
    self->nbytes = nbytes;
    self->capacity = 0;
    self->dev = dev;
    self->flags = 0;
    self->exports = 0;
    self->owner = Py_NewRef(Py_None);
    self->weakrefs = NULL;
    return (PyObject *)self;
}

/* A tensor with room for the dims that lie in the object; shape, stride, numel and flags are the caller's to fill in. */
static inline PyObject *tensor_make(int ndim, int dt, int dev)
{
    TensorFields *self = (TensorFields *)pool_raw(&tensor_pool);
    if (self == NULL) return NULL;
    self->storage = Py_NewRef(empty_storage);
    self->shape = self->dims;
    self->stride = self->dims + sizeof self->dims / sizeof *self->dims / 2;
    self->offset = 0;
    self->numel = 0;
    self->ndim = ndim;
    self->dt = dt;
    self->dev = dev;
    self->serial = 0;
    self->weakrefs = NULL;
    return (PyObject *)self;
}

/* `array` is where Cython puts the object's last field, the array that is not cleared. */
static int pool_start(Pool *pool, PyObject *type, allocfunc alloc, freefunc release, destructor dealloc, Py_ssize_t array,
                      Py_ssize_t mirror, Py_ssize_t size)
{
    pool->type = (PyTypeObject *)type;
    if (array != mirror || pool->type->tp_basicsize != size) {
        PyErr_Format(PyExc_SystemError, "pool.h: the fields of %s are not those of its mirror", pool->type->tp_name);
        return -1;
    }
    pool->head = array - (Py_ssize_t)sizeof(PyObject);
    pool->dealloc = pool->type->tp_dealloc;
    pool->type->tp_alloc = alloc;
    pool->type->tp_free = release;
    pool->type->tp_dealloc = dealloc;
    return 0;
}

static int tensor_pool_start(PyObject *type, Py_ssize_t array)
{
    return pool_start(&tensor_pool, type, tensor_alloc, tensor_free, tensor_dealloc, array, offsetof(TensorFields, dims),
                      sizeof(TensorFields));
}

static int storage_pool_start(PyObject *type, Py_ssize_t array, PyObject *empty)
{
    empty_storage = empty;
    return pool_start(&storage_pool, type, storage_alloc, storage_free, storage_dealloc, array, offsetof(StorageFields, bytes),
                      sizeof(StorageFields));
}

static void gc_track_once(PyObject *o)
{
    if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
}

/* The value of an exact int that has one digit; otherwise *small is 0. */
static inline Py_ssize_t small_int(PyObject *o, int *small)
{
#if PY_VERSION_HEX >= 0x030C0000
    *small = PyUnstable_Long_IsCompact((PyLongObject *)o);
    return *small ? PyUnstable_Long_CompactValue((PyLongObject *)o) : 0;
#else
    Py_ssize_t digits = Py_SIZE(o);
    *small = -1 <= digits && digits <= 1;
    return *small ? digits * (Py_ssize_t)((PyLongObject *)o)->ob_digit[0] : 0;      /* of 0 the digit is 0 */
#endif
}
