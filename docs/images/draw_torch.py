#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws torch_texture.png of docs/guide/torch.md beside this file, in a minute on a CPU.

Run it with a Python that has weft, torch and OpenImageIO.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

import weft

HERE = Path(__file__).resolve().parent
SIZE, TEXELS, GAP, VIEWS, STEPS = 128, (64, 128), 8, 12, 150

SOURCE = """
float3 albedo(float2 uv)
{
    const float2 cell = floor(uv * float2(12, 6));
    const float checker = fmod(cell.x + cell.y, 2.f);
    const float band = 0.5f + 0.5f * sin(40.f * uv.y + 3.f * sin(6.2831853f * 2.f * uv.x));
    const float share = 0.35f + 0.65f * checker;
    return lerp(float3(0.85f, 0.25f, 0.1f), float3(0.1f, 0.35f, 0.8f), band) * share;
}

[Differentiable]
float3 lookUp(IDiffTensor<float3, 2> texture, no_diff float2 uv)
{
    const int2 size = int2(texture.shape[1], texture.shape[0]);
    const float2 at = uv * float2(size) - 0.5f;
    const float2 corner = no_diff floor(at);
    const int2 low = int2(corner);
    const float2 f = at - corner;
    float3 sum = float3(0.f);
    [ForceUnroll] for (int k = 0; k < 4; k++)
    {
        const int2 step = int2(k & 1, k >> 1);
        const int x = (low.x + step.x + size.x) % size.x;
        const int y = clamp(low.y + step.y, 0, size.y - 1);
        const float weight = (step.x == 1 ? f.x : 1.f - f.x) * (step.y == 1 ? f.y : 1.f - f.y);
        sum += weight * texture[y, x];
    }
    return sum;
}

/// A matt ball with a highlight, turned by `angle`, under one light.
[Differentiable]
float3 shade(IDiffTensor<float3, 2> texture, no_diff float2 pixel, no_diff float angle)
{
    const float inside = 1.f - dot(pixel, pixel);
    if (inside <= 0.f)
        return float3(0.05f);
    const float3 n = float3(pixel.x, -pixel.y, sqrt(inside));
    const float3 light = normalize(float3(-0.5f, 0.7f, 0.8f));
    const float turn = atan2(n.x, n.z) + angle;
    const float2 uv = float2(frac(turn / 6.2831853f), acos(n.y) / 3.1415927f);
    const float3 h = normalize(light + float3(0.f, 0.f, 1.f));
    const float highlight = 0.5f * pow(max(dot(n, h), 0.f), 60.f);
    return lookUp(texture, uv) * (0.15f + max(dot(n, light), 0.f)) + highlight;
}
"""


def main() -> None:
    """Fit the texture of a ball to photos of it from all sides by torch.optim.Adam."""
    torch.manual_seed(0)
    device = weft.create_torch_device()
    module = weft.Module.load_from_source(device, "draw_torch", SOURCE)
    rows, columns = (torch.arange(count) + 0.5 for count in TEXELS)
    v, u = torch.meshgrid(rows / TEXELS[0], columns / TEXELS[1], indexing="ij")
    truth = module.albedo(torch.stack([u, v], dim=-1).contiguous())
    line = (torch.arange(SIZE) + 0.5) / SIZE * 2.1 - 1.05
    y, x = torch.meshgrid(line, line, indexing="ij")
    pixels = torch.stack([x, y], dim=-1).expand(VIEWS, SIZE, SIZE, 2).contiguous()
    angles = (torch.arange(VIEWS) * (2 * torch.pi / VIEWS)).reshape(VIEWS, 1, 1)
    photos = module.shade(truth, pixels, angles)

    texture = torch.nn.Parameter(torch.full_like(truth, 0.5))
    optimiser = torch.optim.Adam([texture], lr=0.03)
    pictures = [photos[1], module.shade(texture, pixels, angles)[1].detach()]
    for step in range(1, STEPS + 1):
        optimiser.zero_grad()
        loss = (module.shade(texture, pixels, angles) - photos).square().mean()
        loss.backward()
        optimiser.step()
        if step in (10, STEPS):
            pictures.append(module.shade(texture, pixels, angles)[1].detach())
            print(f"step {step}: mean squared error {loss.item():.2e}")
    print(f"texture: {(texture - truth).square().mean().sqrt().item():.3f} off, root mean square")

    width = 4 * SIZE + 3 * GAP
    picture = np.ones((SIZE + GAP + SIZE, width, 3), np.float32)
    for i, panel in enumerate(pictures):
        picture[:SIZE, i * (SIZE + GAP) : i * (SIZE + GAP) + SIZE] = panel.cpu().numpy()
    for i, map_ in enumerate((truth, texture.detach())):
        large = map_.repeat_interleave(2, 0).repeat_interleave(2, 1).cpu().numpy()
        left = i * (2 * SIZE + 2 * GAP)
        picture[SIZE + GAP :, left : left + 2 * SIZE] = large
    encoded = np.clip(picture, 0, 1) ** (1 / 2.2)
    weft.image.write(HERE / "torch_texture.png", encoded, encoding="linear")


if __name__ == "__main__":
    main()
