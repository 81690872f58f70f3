# SPDX-License-Identifier: Apache-2.0
"""All lights of a scene, and what one of them is drawn by (shaders/weft/render/light.slang)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.colors import luminance
from weft.layouts import LightKind, LightWord
from weft.render.alias_table import build_alias_table
from weft.render.light_rows import NONE, STRIDE, LightRow, light_row
from weft.render.light_tree import LightTree, light_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.environment_table import EnvironmentTable

ENVIRONMENT = LightKind.environment


@dataclass
class LightTable:
    """All lights of a scene."""

    records: NDArray[np.float32]
    alias: NDArray[np.float32]
    lamp_count: int
    environment_light: int
    tree: LightTree | None = None


LEAST_SHARE = 0.25
"""Of lights at finite and of those at infinite distance, where a scene has both."""


def light_probabilities(
    kinds: NDArray[np.uint32], powers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return with what probability each light is drawn.

    Args:
        kinds: Shape ``(n,)``.
        powers: Shape ``(n,)``, not negative. That of a light at infinite distance grows with the
            extent of the scene, so a wide floor must not drown the lamps above it.
    """
    if powers.sum() <= 0:
        return np.full(len(powers), 1 / len(powers))
    chosen = powers / powers.sum()
    is_far = (kinds == LightKind.environment) | (kinds == LightKind.sun)
    far = float(chosen[is_far].sum())
    # All of them may add up to a little less than 1.
    if 0 < far < 1 and not is_far.all():
        share = min(max(far, LEAST_SHARE), 1 - LEAST_SHARE)
        chosen = np.where(is_far, chosen * (share / far), chosen * ((1 - share) / (1 - far)))
    # A dark light may still matter where it is near.
    return np.asarray(0.9 * chosen + 0.1 / len(powers))


def build_light_table(
    rows: list[LightRow],
    lamp_count: int,
    environment: EnvironmentTable | None,
    extent: float,
    left_out: NDArray[np.bool_] | None = None,
    *,
    has_tree: bool = False,
) -> LightTable:
    """Return records with probabilities in proportion to power; the environment comes last.

    Args:
        rows: Lamps first, then triangles.
        lamp_count: How many of them are lamps.
        environment: The environment, if there is one.
        extent: Radius of the scene, metres.
        left_out: Which of the rows are never drawn; ``None``: all may be.
        has_tree: Build a tree of the lights at finite distance, too.
    """
    rows = list(rows)
    environment_light = NONE
    if environment is not None and environment.can_be_drawn:
        environment_light = len(rows)
        power = (
            environment.mean
            * float(luminance(environment.strength))
            * math.pi
            * math.pi
            * extent**2
        )
        rows.append(LightRow(light_row(LightKind.environment, np.zeros(3)), power))
    if not rows:
        return LightTable(np.zeros((1, STRIDE), np.float32), np.zeros((1, 2), np.float32), 0, NONE)
    records = np.stack([row.words for row in rows])
    chosen = light_probabilities(
        records.view(np.uint32)[:, LightWord.kind], np.array([r.power for r in rows])
    )
    if left_out is not None:
        chosen[np.flatnonzero(left_out)] = 0
        chosen /= max(chosen.sum(), 1e-300)
    records[:, LightWord.probability] = chosen
    threshold, other = build_alias_table(chosen)
    alias = np.stack([threshold, other.view(np.float32)], axis=1)
    tree = light_tree([row.bounds for row in rows], chosen) if has_tree else None
    if tree is not None:
        records.view(np.uint32)[:, LightWord.trail] = tree.trails
    return LightTable(records, alias, lamp_count, environment_light, tree)
