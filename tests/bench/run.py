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
    others = {"torch": "bench.torch_main", "sweep": "bench.sweep.main"}
    module = others.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if module:
        del sys.argv[1]
    runpy.run_module(module or "bench.main", run_name="__main__")
