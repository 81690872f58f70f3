# SPDX-License-Identifier: Apache-2.0
"""The calls whose instructions are counted; run by run.py under callgrind.

Arguments: the library of marks.c, calls a case, the kind of device.
"""

from __future__ import annotations

import ctypes
import sys
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = Path(__file__).resolve().parents[1]
WARM_UP = 20


def cases(device: weft.Device) -> dict[str, Callable[[], object]]:
    """Return what is called, by the name under which it is counted."""
    add = weft.Module.load_from_file(device, BENCH / "functions.slang").add
    polynomial = weft.Module.load_from_file(device, BENCH / "gradients.slang").polynomial
    a, b, result = (weft.Tensor.zeros(device, (1,)) for _ in range(3))
    x, y = (weft.Tensor.zeros(device, (1,)).with_grads() for _ in range(2))
    encoder = device.create_command_encoder()
    to_numpy = add.return_type("numpy")
    return {
        "python_loop": lambda: None,
        "tensors_with_result": lambda: add(a, b, _result=result),
        "keywords_with_result": lambda: add(a=a, b=b, _result=result),
        "number_and_tensor": lambda: add(a, 2.0, _result=result),
        "new_result": lambda: add(a, b),
        "new_tensor": lambda: add(a, b, _result="tensor"),
        "array_by_function": lambda: to_numpy(a, b),
        "array": lambda: add(a, b, _result="numpy"),
        "append_to": lambda: add.append_to(encoder, a, b, _result=result),
        "numbers": lambda: add(1.5, 2.0),
        "forward": lambda: polynomial(2.0, 3.0, 1.0, x, _result=y),
        "backward": lambda: polynomial.bwds(2.0, 3.0, 1.0, x, _result=y),
        "forward_mode": lambda: polynomial.fwds(2.0, 3.0, 1.0, x, _result=y),
    }


def main() -> None:
    """Warm each case up, then count it."""
    marks = ctypes.CDLL(sys.argv[1])
    count = int(sys.argv[2])
    device = weft.create_device(type=sys.argv[3])
    for name, run in cases(device).items():
        for _ in repeat(None, WARM_UP):
            run()
        device.wait()
        marks.begin_count()
        for _ in repeat(None, count):
            run()
        marks.end_count(name.encode())
        device.wait()


if __name__ == "__main__":
    main()
