# SPDX-License-Identifier: Apache-2.0
"""The tree by which one of many lights is drawn (shaders/weft/render/light_tree.slang).

Conty Estevez and Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting".
A row of bounds has 12 numbers: lowest and highest corner of the light's box, metres; the axis of
the cone of its normals, unit; half the cone's angle; how far from its normals it shines, both
radians; its power. native/scene/light_tree.hpp builds the tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft._native import ArgumentError, build_light_tree
from weft.layouts import LightNodeWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LightSampling = Literal["auto", "power", "tree"]
LIGHT_SAMPLINGS: tuple[LightSampling, ...] = ("auto", "power", "tree")
FEWEST_LIGHTS = 8
"""Lamps at finite distance and objects that shine, together, from which ``auto`` takes the tree.

Not triangles: a lamp that is a mesh of many is drawn well by power, and in less time.
"""

BOUNDS_WIDTH, POWER = 12, 11
NODE_WIDTH = LightNodeWord.end
CONE_SLACK = 0.01
"""Radians by which a spot's cone, and the spread of an area, are taken too wide, for rounding."""


def checked_sampling(name: LightSampling) -> LightSampling:
    """Return what a Renderer got for light_sampling; raise ArgumentError if there is no such."""
    if name not in LIGHT_SAMPLINGS:
        raise ArgumentError(
            f"Renderer: light_sampling must be one of {', '.join(LIGHT_SAMPLINGS)}, got {name!r}"
        )
    return name


def bounds_row(
    low: NDArray[np.floating],
    high: NDArray[np.floating],
    axis: Sequence[float] | NDArray[np.floating] = (0.0, 0.0, 1.0),
    spread: float = math.pi,
    emission: float = math.pi / 2,
) -> NDArray[np.float32]:
    """Return the bounds of a light; its power is written later.

    Args:
        low: Lowest corner of its box, metres.
        high: Highest corner.
        axis: Of its normals, unit.
        spread: Half the angle of the cone of its normals, radians.
        emission: How far from its normals it shines, radians.
    """
    row = np.zeros(BOUNDS_WIDTH, np.float32)
    row[0:3], row[3:6], row[6:9] = low, high, axis
    row[9:11] = spread, emission
    return row


def triangle_bounds(
    corners: NDArray[np.floating], both: bool, *, is_mirrored: bool = False
) -> NDArray[np.float32]:
    """Return the bounds of triangles, shape ``(n, 12)``.

    Args:
        corners: World space, metres, shape ``(n, 3, 3)``.
        both: Both sides shine.
        is_mirrored: The instance mirrors its mesh: the other side is the front.
    """
    rows = np.zeros((len(corners), BOUNDS_WIDTH), np.float32)
    rows[:, 0:3], rows[:, 3:6] = corners.min(axis=1), corners.max(axis=1)
    exact = np.asarray(corners, np.float64)
    normals = np.cross(exact[:, 1] - exact[:, 0], exact[:, 2] - exact[:, 0])
    length = np.linalg.norm(normals, axis=1)
    is_flat = length > 0  # else too small for its corners' precision: any normal may be its
    rows[:, 6:9] = (0.0, 0.0, 1.0)
    rows[is_flat, 6:9] = normals[is_flat] / length[is_flat, None] * (-1 if is_mirrored else 1)
    rows[:, 9] = np.where(is_flat & (not both), 0.0, math.pi)
    rows[:, 10] = math.pi / 2
    return rows


@dataclass
class LightTree:
    """A tree on the host.

    Args:
        nodes: Shape ``(m, 16)``, at least one.
        trails: Of each light, 0: it is not in the tree.
        share: Probability that the light is drawn from the tree.
    """

    nodes: NDArray[np.float32]
    trails: NDArray[np.uint32]
    share: float


def light_tree(
    bounds: Sequence[NDArray[np.float32] | None], probabilities: NDArray[np.float64]
) -> LightTree:
    """Return the tree over the lights that have bounds, by the probability that they have by power.

    Args:
        bounds: Of each light; ``None``: it is infinitely far.
        probabilities: Of each light, shape ``(n,)``, together 1 or 0.
    """
    rows = np.stack([bounds_row(*np.zeros((2, 3))) if row is None else row for row in bounds])
    is_near = np.array([row is not None for row in bounds])
    share = float(probabilities[is_near].sum())
    rows[:, POWER] = np.where(is_near, probabilities / max(share, 1e-300), 0)
    nodes, trails = build_light_tree(rows)
    return LightTree(nodes if len(nodes) else np.zeros((1, NODE_WIDTH), np.float32), trails, share)
