# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: c_api_binop_methods=True, auto_pickle=False
#
# The object level: Storage, Tensor, dispatch.  One compilation unit of parts, each opening with what it uses and provides,
# included strictly bottom-up.  It imports nothing from tensorlib; Python pushes tables and hooks down once, at import.

cimport cython
from cpython.object cimport PyObject, Py_EQ, Py_NE, Py_LT, Py_LE, Py_GT
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t, uint64_t, int32_t, uint32_t, int16_t, uint16_t, uint8_t

from config cimport *
from cpu cimport cpu_supports, COMPILER_NAME
from tables cimport *
from layout cimport *
from memory_format cimport *
from plan_types cimport *
from plan cimport *
from overlap cimport *
from kernel_api cimport *

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

include "attributes.pxi"
include "storage.pxi"
include "tensor.pxi"
include "promotion.pxi"
include "scalars.pxi"
include "dispatch.pxi"
include "direct_calls.pxi"
include "copy_dispatch.pxi"
include "reduce_dispatch.pxi"
include "views.pxi"
include "indexing.pxi"
include "arguments.pxi"
include "factories.pxi"
include "ranges.pxi"
include "construct.pxi"
include "interchange.pxi"
include "random.pxi"
include "_generated/methods.pxi"
include "object.pxi"
include "_generated/functions.pxi"

__version__ = BUILD_VERSION.decode()


def _cpu_supports(level):
    """Whether this processor runs a CPU level."""
    return cpu_supports(level.encode())


def _compiler():
    return COMPILER_NAME.decode()


def _kernel_level():
    """Name of the level whose kernels are in use."""
    return K.level.decode()
