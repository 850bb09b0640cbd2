# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The kernels.  One text, turned into C once, compiled into one module a CPU level: tensorlib._kernels_<level>.
#
# setup.py writes for each level a C file that defines the names below and includes this module's C; its flags make the level.

from cpython.pycapsule cimport PyCapsule_New

from config cimport *
from tables cimport *
from plan_types cimport Plan, ReducePlan
from kernel_api cimport *

cdef extern from *:
    """
    #ifndef KERNEL_LEVEL
    #define KERNEL_LEVEL "unnamed"
    #endif
    """
    const char *KERNEL_LEVEL

include "copy.pxi"
include "kernels.pxi"
include "reduce.pxi"

kernels_fill(KERNEL_LEVEL)
table = PyCapsule_New(&kernels, "tensorlib.kernels", NULL)
