/* Memory of dropped Tensor and Storage objects, kept for the next ones (not of their subclasses).
 *
 * Of it only the head is cleared again: the fields before the arrays that end both objects.  Clearing all of a tensor costs as
 * much as the rest of a small view (12 of 60 ns).  Neither object is tracked by the garbage collector from the start (10 ns a
 * tensor): gc_track_once does that for the few that can be part of a cycle.
 */
#pragma once
#include <Python.h>
#include <string.h>

#define POOL_SIZE 64

typedef struct {
    PyTypeObject *type;
    Py_ssize_t head;                /* bytes after the object header that are cleared */
    int kept;
    PyObject *objects[POOL_SIZE];
} Pool;

static Pool tensor_pool, storage_pool;

static PyObject *pool_take(Pool *pool, PyTypeObject *type, Py_ssize_t n)
{
    PyObject *self;
    if (pool->kept == 0 || type != pool->type) {
        self = PyType_GenericAlloc(type, n);
        if (self != NULL && type == pool->type) PyObject_GC_UnTrack(self);
        return self;
    }
    self = pool->objects[--pool->kept];
    memset((char *)self + sizeof(PyObject), 0, pool->head);
    return PyObject_Init(self, type);
}

static void pool_give(Pool *pool, PyObject *self)
{
#ifndef Py_GIL_DISABLED
    if (pool->kept < POOL_SIZE && Py_TYPE(self) == pool->type) {
        pool->objects[pool->kept++] = self;
        return;
    }
#endif
    PyObject_GC_Del(self);
}

static PyObject *tensor_alloc(PyTypeObject *type, Py_ssize_t n) { return pool_take(&tensor_pool, type, n); }
static void tensor_free(void *self) { pool_give(&tensor_pool, (PyObject *)self); }
static PyObject *storage_alloc(PyTypeObject *type, Py_ssize_t n) { return pool_take(&storage_pool, type, n); }
static void storage_free(void *self) { pool_give(&storage_pool, (PyObject *)self); }

/* `array` is where the object's last field begins, the array that is not cleared. */
static void pool_start(Pool *pool, PyObject *type, allocfunc alloc, freefunc release, Py_ssize_t array)
{
    pool->type = (PyTypeObject *)type;
    pool->head = array - (Py_ssize_t)sizeof(PyObject);
    pool->type->tp_alloc = alloc;
    pool->type->tp_free = release;
}
static void tensor_pool_start(PyObject *type, Py_ssize_t array) { pool_start(&tensor_pool, type, tensor_alloc, tensor_free, array); }
static void storage_pool_start(PyObject *type, Py_ssize_t array) { pool_start(&storage_pool, type, storage_alloc, storage_free, array); }

static void gc_track_once(PyObject *o)
{
    if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
}
