#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws mlp_fit.png of docs/guide/mlp.md beside this file; takes minutes on a CPU.

./dev python docs/images/draw_mlp.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weft
from weft import optim
from weft.demo import evaluate_weathered

HERE = Path(__file__).resolve().parent
SIZE, GAP, STEPS = 128, 8, 150

SOURCE = """
import mlp;

typealias Plain = Network<float, ReLU, Identity, 1, 2, 3, 32, 32>;
typealias Waves = Network<float, ReLU, Identity, 1, 20, 3, 32, 32>;

[Differentiable]
float3 paintPlain(Plain network, no_diff float2 uv)
{
    float place[2] = {2.f * uv.x - 1.f, 2.f * uv.y - 1.f};
    let color = network.run(place);
    return float3(color[0], color[1], color[2]);
}

[Differentiable]
float3 paintWaves(Waves network, no_diff float2 uv)
{
    float place[2] = {2.f * uv.x - 1.f, 2.f * uv.y - 1.f};
    float waves[20] = FrequencyEncoding<2, 5>.encode(place);
    let color = network.run(waves);
    return float3(color[0], color[1], color[2]);
}

[Differentiable]
float3 paintGrid(MLP<16, 3, 32> network, HashGrid<2, 8, 2, 4096, 4, 128> grid, no_diff float2 uv)
{
    float place[2] = {uv.x, uv.y};
    float features[16] = grid.encode(place);
    let color = network.run(features);
    return float3(color[0], color[1], color[2]);
}

[Differentiable]
float plainError(Plain network, no_diff float2 uv, no_diff float3 photo)
{
    const float3 difference = paintPlain(network, uv) - photo;
    return dot(difference, difference);
}

[Differentiable]
float wavesError(Waves network, no_diff float2 uv, no_diff float3 photo)
{
    const float3 difference = paintWaves(network, uv) - photo;
    return dot(difference, difference);
}

[Differentiable]
float gridError(MLP<16, 3, 32> network, HashGrid<2, 8, 2, 4096, 4, 128> grid, no_diff float2 uv,
                no_diff float3 photo)
{
    const float3 difference = paintGrid(network, grid, uv) - photo;
    return dot(difference, difference);
}
"""


def fit(
    paint: weft.Function, error: weft.Function, learned: list[weft.Tensor], *images: weft.Tensor
) -> np.ndarray:
    """Train, and return the picture that comes out."""
    uv, photo = images
    device = photo.device
    each = weft.Tensor.zeros(device, (SIZE, SIZE))
    each = each.with_grads(grad_in=weft.Tensor.full(device, (SIZE, SIZE), 1 / SIZE**2))
    optimiser = optim.Adam(learned, learning_rate=optim.cosine_rate(0.02, steps=STEPS))
    for _ in range(STEPS):
        optimiser.zero_grad()
        error.bwds(*learned, uv, photo, _result=each)
        optimiser.step()
    print(f"{paint.name}: mean squared error {float(weft.mean(each)):.5f}")
    return paint(*learned, uv).to_numpy()


def main() -> None:
    """Fit three networks and put them beside the photo."""
    device = weft.create_device()
    module = weft.Module.load_from_source(device, "draw_mlp", SOURCE)
    linear = np.clip(evaluate_weathered(device, SIZE), 0, 1)
    photo = weft.Tensor.from_numpy(device, (linear ** (1 / 2.2)).astype(np.float32))
    line = (np.arange(SIZE, dtype=np.float32) + 0.5) / SIZE
    uv = weft.Tensor.from_numpy(device, np.stack(np.meshgrid(line, line), axis=-1))
    plain = weft.mlp.create_weights(device, 2, 3, [32, 32], biases=True).with_grads()
    waves = weft.mlp.create_weights(device, 20, 3, [32, 32], biases=True).with_grads()
    network = weft.mlp.create_weights(device, 16, 3, [32]).with_grads()
    grid = weft.mlp.create_hash_grid(device, 8, 2, 4096).with_grads()
    panels = [
        photo.to_numpy(),
        fit(module.paintPlain, module.plainError, [plain], uv, photo),
        fit(module.paintWaves, module.wavesError, [waves], uv, photo),
        fit(module.paintGrid, module.gridError, [network, grid], uv, photo),
    ]
    picture = np.ones((SIZE, 4 * SIZE + 3 * GAP, 3), np.float32)
    for i, panel in enumerate(panels):
        picture[:, i * (SIZE + GAP) : i * (SIZE + GAP) + SIZE] = np.clip(panel, 0, 1)
    weft.image.write(HERE / "mlp_fit.png", picture, encoding="linear")


if __name__ == "__main__":
    main()
