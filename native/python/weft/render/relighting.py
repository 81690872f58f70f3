# SPDX-License-Identifier: Apache-2.0
"""One scene under several lights and worlds, rendered by the same kernels."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from weft.render.keeping import KeptParts
from weft.render.upload import SceneTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Device
    from weft.render.light_tree import LightSampling
    from weft.scene import Scene
    from weft.scene.kernel_text import SceneTraits


def build_tables(
    device: Device,
    scene: Scene,
    lit_by: Sequence[Scene],
    light_sampling: LightSampling,
    before: KeptParts | None = None,
) -> tuple[SceneTables, dict[int, SceneTables]]:
    """Return the tables of a scene, and of it under other lights by id of their scene.

    Args:
        device: Where to.
        scene: What.
        lit_by: It, under other lights.
        light_sampling: As a Renderer takes it.
        before: Parts of the tables that they replace.
    """
    own = SceneTables(device, scene, light_sampling, kept=KeptParts(device, before))
    sampling = light_sampling
    relit = {id(entry): own.relit(entry, sampling) for entry in lit_by}
    if light_sampling == "auto" and any(entry.has_light_tree for entry in relit.values()):
        sampling = "tree"
        relit = {id(entry): own.relit(entry, sampling) for entry in lit_by}
    return own, relit


def joined_traits(tables: Sequence[SceneTables]) -> SceneTraits:
    """Return the traits of kernels that serve all of some tables of one scene."""
    traits = [entry.traits for entry in tables]
    return replace(
        traits[0],
        light_kinds=reduce(or_, (entry.light_kinds for entry in traits)),
        has_glow=any(entry.has_glow for entry in traits),
        has_kinds=any(entry.has_kinds for entry in traits),
        has_light_tree=any(entry.has_light_tree for entry in traits),
        has_limits=any(entry.has_limits for entry in traits),
        has_lamp_rules=any(entry.has_lamp_rules for entry in traits),
    )
