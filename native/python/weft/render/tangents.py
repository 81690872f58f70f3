# SPDX-License-Identifier: Apache-2.0
"""Tangents of meshes, for normal maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene import Mesh


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1), 0.0)


def _on_plane(vectors: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions of vectors within the planes of unit normals."""
    return _unit(vectors - (vectors * normals).sum(axis=-1, keepdims=True) * normals)


def corner_tangents(mesh: Mesh, uv: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return tangents along growing u, and on what side the bitangent is.

    As MikkTSpace (Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008): corners with equal
    position, normal, UVs and orientation share the mean of their triangles' tangents, each in the
    plane of the normal and weighted by its angle.

    Args:
        mesh: In object space.
        uv: Shape ``(triangles, 3, 2)``.

    Returns:
        Shape ``(triangles, 3, 4)``: a unit vector, or 0 where UVs give none, and 1 or -1: the
        bitangent, along growing v, is that times normal x tangent.
    """
    corners = mesh.corner_positions().astype(np.float64)
    normals = mesh.corner_normals().astype(np.float64)
    e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    d1, d2 = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
    area = d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0]
    side = np.where(area > 0, 1.0, -1.0)
    face = (e1 * d2[:, 1:] - e2 * d1[:, 1:]) * side[:, None]
    face[area == 0] = 0
    out = np.zeros((len(corners), 3, 4))
    keys = np.concatenate(
        [
            corners.astype(np.float32) + np.float32(0),
            normals.astype(np.float32) + np.float32(0),
            uv + np.float32(0),
            np.broadcast_to(side[:, None, None], (*uv.shape[:2], 1)).astype(np.float32),
        ],
        axis=2,
    ).reshape(-1, 9)
    rows = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.dtype.itemsize * 9))).ravel()
    _, group = np.unique(rows, return_inverse=True)
    before, after = np.roll(corners, 1, axis=1) - corners, np.roll(corners, -1, axis=1) - corners
    cosine = (_on_plane(before, normals) * _on_plane(after, normals)).sum(axis=-1)
    angle = np.arccos(cosine.clip(-1, 1))
    shares = angle[..., None] * _on_plane(np.repeat(face[:, None], 3, axis=1), normals)
    sums = np.zeros((int(group.max(initial=-1)) + 1, 3))
    np.add.at(sums, group.ravel(), shares.reshape(-1, 3))
    out[..., :3] = _unit(sums)[group.ravel()].reshape(-1, 3, 3)
    out[..., 3] = side[:, None]
    return out.astype(np.float32)
