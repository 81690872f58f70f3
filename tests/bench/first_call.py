# SPDX-License-Identifier: Apache-2.0
"""Seconds from nothing but imports to the first result. Arguments: weft or slangpy; vulkan or cuda.

Prints {"import": seconds, "seconds": seconds of device + module + first call}.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
A = np.arange(1024, dtype=np.float32)


def with_weft(device_name: str) -> np.ndarray:
    import weft

    device = weft.create_device(type=device_name)
    module = weft.Module.load_from_file(device, HERE / "functions.slang")
    a = weft.Tensor.from_numpy(device, A)
    return module.add(a, a).to_numpy()


def with_slangpy(device_name: str) -> np.ndarray:
    import slangpy

    device = slangpy.create_device(
        type=getattr(slangpy.DeviceType, device_name), include_paths=[HERE]
    )
    module = slangpy.Module.load_from_file(device, "functions.slang")
    a = slangpy.Tensor.from_numpy(device, A)
    return module.add(a, a, _result="numpy")


def main() -> None:
    """Import first, so that the second figure is free of it, and check the result."""
    system, device_name = sys.argv[1:3]
    start = time.perf_counter()
    __import__(system)
    imported = time.perf_counter()
    result = with_weft(device_name) if system == "weft" else with_slangpy(device_name)
    end = time.perf_counter()
    if not np.array_equal(result, A + A):
        sys.exit(f"first_call: {system}'s result is wrong, so its time means nothing")
    print(json.dumps({"import": imported - start, "seconds": end - imported}), flush=True)
    os._exit(0)  # interpreter exit is not what is timed, and some drivers take long for it


if __name__ == "__main__":
    main()
