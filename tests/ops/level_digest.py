"""Prints a digest of every op row's result bytes for every dtype and layout: run once per CPU level by test_levels.py."""
import hashlib
import sys

import tensorlib as tl
from ops.samples import DTYPE_ROWS, REDUCTIONS, ROWS, accepts, call, in_layouts, operands, payload, tensor

SHAPE = (5, 3, 37)      # no multiple of any vector width


def digests():
    """Yields (what, digest)."""
    for row in ROWS:
        for dtype_row in DTYPE_ROWS:
            if accepts(row, dtype_row):
                total = hashlib.sha256()
                args = operands(row, dtype_row, SHAPE, "level")
                for layouts in zip(*[in_layouts(arg) for arg in args]):
                    total.update(payload(call(row, [t for _, t in layouts])))
                yield f"{row['name']} {dtype_row['name']}", total.hexdigest()[:16]
    for row in REDUCTIONS:
        for dtype_row in DTYPE_ROWS:
            if "bifc"[dtype_row["category"]] in row["on"]:
                total = hashlib.sha256()
                t = tensor(dtype_row, SHAPE, "level")
                for _, view in in_layouts(t):
                    for dim in (0, 1, 2, (0, 2), None):
                        total.update(payload(getattr(tl, row["name"])(view, dim)))
                yield f"{row['name']} {dtype_row['name']}", total.hexdigest()[:16]
    for source in DTYPE_ROWS:
        for target in DTYPE_ROWS:
            if source["category"] < 3 or target["category"] in (0, 3):
                t = tensor(source, SHAPE, "cast").to(getattr(tl, target["name"]))
                yield f"{source['name']} to {target['name']}", hashlib.sha256(payload(t)).hexdigest()[:16]


def main():
    print("level", tl.show_config(mode="dict")["cpu level"])
    for what, digest in digests():
        print(digest, what)


if __name__ == "__main__":
    sys.exit(main())
