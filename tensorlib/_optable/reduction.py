"""Reductions over dimensions."""
from .rows import reduction

ROWS = [
    reduction("sum", on="bifc", accumulate="wide", result="sum", combine={"i": "a + b", "f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", dtype=True, doc="The sum of the elements over ``dim``.",
              example=("[[1, 2], [3, 4]]", 0, "tensor([4, 6])")),
    reduction("mean", on="fc", accumulate="wide", result="promote", combine={"f": "a + b", "c": "{t}_add(a, b)"},
              start="zero", dtype=True, doc="The sum over ``dim`` divided by the number of elements; NaN over none.",
              example=("[[1., 2.], [3., 4.]]", 1, "tensor([1.5000, 3.5000])")),
    reduction("amax", on="bif", accumulate="same", result="promote",
              combine={"b": "a | b", "i": "a > b ? a : b", "f": "maximum_{t}(a, b)"},
              start="first", doc="The largest element over ``dim``; NaN if any is NaN.",
              example=("[[1, 5], [3, 2]]", 0, "tensor([3, 5])")),
    reduction("amin", on="bif", accumulate="same", result="promote",
              combine={"b": "a & b", "i": "a < b ? a : b", "f": "minimum_{t}(a, b)"},
              start="first", doc="The smallest element over ``dim``; NaN if any is NaN.",
              example=("[[1, 5], [3, 2]]", 0, "tensor([1, 2])")),
    reduction("all", on="bifc", accumulate="bool", result="bool", combine={"b": "a & b"}, start="one",
              doc="Whether every element over ``dim`` is true; True over none.",
              example=("[[1, 0], [3, 4]]", 1, "tensor([False,  True])")),
    reduction("any", on="bifc", accumulate="bool", result="bool", combine={"b": "a | b"}, start="zero",
              doc="Whether some element over ``dim`` is true; False over none.",
              example=("[[0, 0], [3, 0]]", 1, "tensor([False,  True])")),
]
