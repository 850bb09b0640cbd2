# Limits and constants shared by every unit of csrc/.

cdef enum:
    MAX_DIMS = 64        # rank limit of a tensor, as PyTorch's
    INLINE_DIMS = 8      # dims stored inside the Tensor object; more go to the heap
    MAX_OPERANDS = 4     # one output and three inputs
    BLOCK = 512          # elements the block driver converts at a time: three float32 blocks are 6 KiB, well inside L1
    GRAIN = 32768        # elements of work above which the GIL is released (release and take cost 31 ns)
