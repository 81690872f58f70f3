# SPDX-License-Identifier: Apache-2.0
"""The Slang modules of a scene: one for each program of its materials, and one for the rest.

The text of a program says nothing of the other materials: what is edited is compiled alone, and
equal programs of other scenes are found in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft._native import (
    is_uncounted,
    print_program_module,
    print_recording_module,
    print_shared_module,
)


@dataclass(frozen=True)
class SceneTraits:
    """What kernels may leave out, see shaders/weft/render/traits.slang.

    Args:
        light_kinds: Bits of the kinds of light in the scene.
        has_baked_transforms: Every mesh has one instance, not mirrored, and its triangles are in
            world space.
        sorts_paths: A launch serves paths of one program; else all paths, and picks its own.
        has_transparency: A material is transparent.
        has_textured_emission: Triangles whose light varies are sampled as lights.
        has_cones: A texture has levels.
        has_bumps: A material takes differences over part of a pixel.
        has_light_tree: Lights at finite distance are drawn from a tree.
        has_kinds: Paths know what kind of ray they send.
        has_hidden: Objects are hidden from some kinds of ray.
        has_terminators: Objects lift light rays near the edge of their shadow.
        has_media: Objects hold media.
        has_limits: Paths have limits beside their number of bounces.
        has_walks: Light wanders below surfaces.
        fits_media: Numbers of media are fitted.
        has_light_rules: Lights are hidden from some kinds of ray, or cast no shadow.
    """

    light_kinds: int
    has_baked_transforms: bool
    sorts_paths: bool = True
    has_transparency: bool = False
    has_textured_emission: bool = False
    has_cones: bool = False
    has_bumps: bool = False
    has_light_tree: bool = False
    has_kinds: bool = False
    has_hidden: bool = False
    has_terminators: bool = False
    has_media: bool = False
    has_limits: bool = False
    has_walks: bool = False
    fits_media: bool = False
    has_light_rules: bool = False

    @property
    def is_uncounted(self) -> bool:
        """Whether only the host can tell how many segments the longest path has."""
        return is_uncounted(self)


__all__ = [
    "SceneTraits",
    "print_program_module",
    "print_recording_module",
    "print_shared_module",
]
