# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The kernels of one CPU level: the ABI floor, x86-64-v2.  The text is the same for every level; setup.py gives the flags.

from cpython.pycapsule cimport PyCapsule_New

from config cimport *
from tables cimport *
from plan_types cimport Plan, ReducePlan
from kernel_api cimport *

include "copy.pxi"
include "kernels.pxi"
include "reduce.pxi"

kernels_fill("baseline")
table = PyCapsule_New(&kernels, "tensorlib.kernels", NULL)
