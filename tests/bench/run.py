# SPDX-License-Identifier: Apache-2.0
"""The way in for ./dev bench, and for a machine without ./dev; all options are in main.py.

Needs a Python that can import weft and numpy.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    is_torch = sys.argv[1:2] == ["torch"]
    if is_torch:
        del sys.argv[1]
    runpy.run_module("bench.torch_main" if is_torch else "bench.main", run_name="__main__")
