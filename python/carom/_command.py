"""The command `carom` of an installed wheel: runs the program in the package."""

import os
import sys
from pathlib import Path


def main():
    package = Path(__file__).resolve().parent
    program = package / "bin" / "carom"
    # For `carom plot`: this Python, and this package.
    os.environ.setdefault("CAROM_PYTHON", sys.executable)
    os.environ.setdefault("CAROM_PYTHONPATH", str(package.parent))
    os.execv(program, ["carom", *sys.argv[1:]])
