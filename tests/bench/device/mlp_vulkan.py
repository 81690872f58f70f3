# SPDX-License-Identifier: Apache-2.0
"""Where the time of a network goes on Vulkan, beside CUDA on the same GPU.

32-64-64-8, 2^18 samples: forward, backward by input, by weights, and the same with weights that are
not aligned, which each thread evaluates alone. ``python mlp_vulkan.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from step_times import best_seconds

import weft

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.networks import network_source

SIZES = (32, 64, 64, 8)
COUNT = 1 << 18
FACTS = """
import mlp;
int2 subgroup(float x) { return int2(int(WaveGetLaneCount()), int(WaveActiveCountBits(true))); }
"""


def times(device: weft.Device, shift: int) -> dict[str, float]:
    """Return seconds; weights start `shift` elements into their memory."""
    module = weft.Module.load_from_source(device, "mlp_parts", network_source(SIZES))
    rng = np.random.default_rng(1)
    total = weft.mlp.weight_count(SIZES[0], SIZES[-1], SIZES[1:-1])
    flat = rng.uniform(-0.2, 0.2, total + shift).astype(np.float32)
    values = weft.Tensor.from_numpy(device, flat)[shift:]
    gradient = weft.Tensor.zeros(device, (total,))
    x = weft.Tensor.from_numpy(device, rng.standard_normal((COUNT, SIZES[0])).astype(np.float32))
    given = np.ones((COUNT, SIZES[-1]), np.float32)
    plain = weft.Tensor.from_numpy(device, given)
    result = plain.with_grads(grad_in=weft.Tensor.from_numpy(device, given))
    weights = values.with_grads(grad_out=gradient)
    inputs = x.with_grads()
    steps = {
        "forward": lambda: module.evaluate(values, x, _result=plain),
        "by input": lambda: module.evaluate.bwds(values, inputs, _result=result),
        "by weights": lambda: module.evaluate.bwds(weights, x, _result=result),
    }
    return {name: best_seconds(step, device.wait) for name, step in steps.items()}


def main() -> None:
    """Print a table."""
    for kind in (weft.DeviceType.vulkan, weft.DeviceType.cuda):
        device = weft.create_device(type=kind)
        facts = weft.Module.load_from_source(device, "subgroup_facts", FACTS)
        counts = facts.subgroup(np.zeros(1024, np.float32)).to_numpy()
        print(f"{device.info.name}, {kind}: subgroups {np.unique(counts, axis=0).tolist()}")
        for shift in (0, 1):
            line = "".join(f"  {k} {v * 1e6:9.1f} us" for k, v in times(device, shift).items())
            print(f"  {'not aligned' if shift else 'aligned':12}{line}", flush=True)


if __name__ == "__main__":
    main()
