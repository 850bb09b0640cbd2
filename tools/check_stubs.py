"""The type stubs are current (make_stubs.py --check), and mypy understands them and a program that uses them."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What a type checker has to accept, and one line that it has to refuse (an unused "ignore" is an error under --strict).
USE = """
import tensorlib as tl
a: tl.Tensor = tl.add(tl.ones(2, 3), 1)
b: tl.Tensor = (a + 1).permute(1, 0).contiguous(memory_format=tl.contiguous_format)
c: tl.dtype = b.dtype
n: int = b.numel()
d: tl.device = tl.device("meta")
s: tl.Size = a.shape
t: tuple[int, ...] = s
r: tl.Tensor = tl.nn.functional.leaky_relu(a, 0.1, inplace=False)
w: str = a.shape    # type: ignore[assignment]
"""


def main():
    run = [sys.executable, str(ROOT / "tools" / "make_stubs.py"), "--check"]
    if subprocess.run(run, check=False).returncode:
        return 1
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "use.py")
        program.write_text(USE)
        command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir", folder,
                   str(program), str(ROOT / "tensorlib" / "__init__.pyi")]
        return subprocess.run(command, check=False, cwd=folder, env=os.environ | {"MYPYPATH": str(ROOT)}).returncode


if __name__ == "__main__":
    sys.exit(main())
