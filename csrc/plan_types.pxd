# The values that the planner (plan.pxd) makes and the kernels run: numbers only.
#
# Everything here is in bytes and in C codes: dtype codes are positions in tensorlib/_dtypetable.py, op codes positions in
# tensorlib/_optable.  Axis 0 of a Plan is the fastest one (the reverse of a shape).

from config cimport MAX_DIMS, MAX_OPERANDS
from tables cimport MAX_PARAMETERS

cdef struct Plan:
    int operand_count                                 # operand 0 is the output, then the inputs
    int ndim                                          # after coalescing; 0 when there is one element
    Py_ssize_t numel                                  # 0: nothing to run
    Py_ssize_t shape[MAX_DIMS]
    Py_ssize_t step_bytes[MAX_OPERANDS][MAX_DIMS]     # may be 0 (broadcast), never negative
    char *data[MAX_OPERANDS]                          # first element; NULL on meta
    int dtype[MAX_OPERANDS]                           # storage dtype of each operand
    int op                                            # op code (pointwise) or unused (copy)
    int compute                                       # dtype the loop's value operands are converted to
    int via[MAX_OPERANDS]                             # inputs: dtype[k], or a reduced dtype that the operand is rounded to
                                                      # before it is widened to compute (int64 + float16 adds float16s);
                                                      # output: the result's dtype if that is a reduced one, else dtype[0]
    Py_ssize_t parameters[2 * MAX_PARAMETERS]         # of the row, side by side as values of compute (at most 16 bytes each)

cdef struct ReducePlan:
    int op                                            # reduction code
    int in_dtype                                      # storage dtype of the input
    int acc_dtype                                     # dtype of the accumulator (a compute dtype)
    int out_dtype                                     # storage dtype of the output
    int keep_ndim                                     # axes that stay, fastest first, coalesced
    int red_ndim                                      # axes that are reduced, fastest first, coalesced
    Py_ssize_t keep_shape[MAX_DIMS]
    Py_ssize_t keep_in_step[MAX_DIMS]
    Py_ssize_t keep_out_step[MAX_DIMS]
    Py_ssize_t red_shape[MAX_DIMS]
    Py_ssize_t red_step[MAX_DIMS]
    Py_ssize_t keep_numel, red_numel                  # red_numel 0: the output gets the start value (mean: NaN)
    char *input
    char *output
