# SPDX-License-Identifier: Apache-2.0
"""Measure the table of Cycles' sheen; writes its part of ``shaders/weft/bsdf/tables.npy``.

    python tests/golden/cycles_sheen.py

The sheen of Zeltner, Burley and Chiang, "Practical multiple-scattering sheen using linearly
transformed cosines", SIGGRAPH 2022 talks, is for each view and roughness a cosine lobe under a
linear map with two parameters a and b, times an albedo R:

    f cos = R cos / pi (a / l)^2,   l = (a x + b z)^2 + (a y)^2 + z^2,   x along the view.

So sqrt(cos / (pi f)) = l / (a sqrt(R)) is linear in three numbers that fix a, b and R: values of f
in a dozen directions give them by least squares, without noise (see ``cycles_bsdf.py``). The table
has 32 x 32 entries over cosine and roughness, read with linear interpolation. A cosine of 0 cannot
be seen, a roughness of 0 is clamped, at a cosine of 1 there is no x: these are extrapolated from
measurements halfway to the next entry.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

sys.path.insert(0, str(Path(__file__).parents[2] / "shaders" / "weft" / "bsdf"))

import cycles_bsdf
import make_tables

SIZE = 32
TURNS = 16
SUNS = [np.array([np.sin(angle), 0.0, np.cos(angle)]) for angle in (0.3, 0.8, 1.2)]


def frames(cosine: float) -> np.ndarray:
    """Return local axes whose normals have this cosine to the camera, about the camera's axis."""
    phi = (np.arange(TURNS) + 0.5) * (np.pi / TURNS) - np.pi / 2
    sine = np.sqrt(1 - cosine**2)
    normal = np.stack([sine * np.cos(phi), sine * np.sin(phi), np.full(TURNS, cosine)], -1)
    tangent = np.cross((0.0, 1.0, 0.0), normal)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    return np.stack([tangent, np.cross(normal, tangent), normal], 1)


def light(cosine: float, roughness: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return f cos, and x and z of the direction to the sun: (directions, roughnesses) each."""
    shape = (TURNS, len(roughness))
    local = np.repeat(frames(cosine), len(roughness), axis=0)
    attributes = {
        "sheenWeight": np.ones(len(local)),
        "sheenRoughness": np.tile(roughness, TURNS),
        "specularLevel": np.zeros(len(local)),
        "baseColor": np.zeros((len(local), 3)),
    }
    wi = local[:, :2, 2]
    along = wi / np.linalg.norm(wi, axis=1, keepdims=True)
    parts = []
    for sun in SUNS:
        scene = cycles_bsdf.empty_scene(shape[1], shape[0], samples=1, bounces=0)
        flipped = np.zeros(len(local), bool)
        cycles_bsdf.add_faces(scene, shape[1], local, flipped, attributes)
        cycles_bsdf.add_sun(scene, sun)
        f = cycles_bsdf.render(scene)[:, :, 0].astype(np.float64)
        wo = local @ sun
        parts.append((f, (along * wo[:, :2]).sum(-1).reshape(shape), wo[:, 2].reshape(shape)))
    f, x, z = (np.concatenate(part) for part in zip(*parts, strict=True))
    return f, x, z


def measure(cosine: float, roughness: np.ndarray) -> np.ndarray:
    """Return a, b, R (3, len(roughness)) for one direction to the camera.

    Where nothing is reflected, R is 0, and a and b are those of the next roughness.
    """
    f, x, z = light(cosine, roughness)
    result = np.zeros((3, len(roughness)))
    for j in reversed(range(len(roughness))):
        lit = (z[:, j] > 0.05) & (f[:, j] > 0)
        if lit.sum() < 6:
            result[:2, j] = result[:2, j + 1]
            continue
        q = np.sqrt(z[lit, j] / (np.pi * f[lit, j]))
        terms = np.stack([1 - z[lit, j] ** 2, 2 * x[lit, j] * z[lit, j], z[lit, j] ** 2], -1)
        # Relative errors are alike in all directions.
        c = np.linalg.lstsq(terms / q[:, None], np.ones(len(q)), rcond=None)[0]
        root = 1 / np.sqrt(c[0] * c[2] - c[1] ** 2)
        result[:, j] = c[0] * root, c[1] * root, root**2
        misfit = np.abs(terms @ c / q - 1).max()
        if misfit > 1e-5:
            print(f"cosine {cosine:.3f}, roughness {roughness[j]:.3f}: misfit {misfit:.1e}")
    return result


def main() -> None:
    """Measure all entries and write them."""
    nodes = np.arange(SIZE) / (SIZE - 1)
    roughness, cosine = nodes.copy(), nodes.copy()
    roughness[0] = cosine[0] = nodes[1] / 2
    cosine[-1] = (nodes[-1] + nodes[-2]) / 2
    table = np.stack([measure(c, roughness) for c in cosine], -1)
    table[:, 0] = 2 * table[:, 0] - table[:, 1]
    table[..., 0] = 2 * table[..., 0] - table[..., 1]
    table[..., -1] = 2 * table[..., -1] - table[..., -2]
    make_tables.update({"sheen": table.astype(np.float32)})
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
