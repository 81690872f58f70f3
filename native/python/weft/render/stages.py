# SPDX-License-Identifier: Apache-2.0
"""The stages of a path that do not depend on the scene's materials, as Slang."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.camera import KINDS

if TYPE_CHECKING:
    from weft.scene import Camera
    from weft.scene.kernel_text import SceneTraits

STAGES = """
import weft.render;

export static const uint weft_camera_kind = {camera_kind};
export static const bool weft_has_lens = {has_lens};
export static const uint weft_filter_kind = {filter_kind};
export static const bool weft_is_see_through = {is_see_through};
export static const bool weft_has_glow = {has_glow};
export static const bool weft_has_cones = {has_cones};
export static const bool weft_has_bumps = {has_bumps};
export static const bool weft_has_kinds = {has_kinds};
export static const bool weft_has_media = {has_media};
export static const bool weft_has_limits = {has_limits};
export static const bool weft_has_walks = {has_walks};

void generate(int i, Camera camera, PathView paths, StepSettings settings)
{{
    generatePath(i, camera, paths, settings);
}}

void develop(int i, PathView paths, StepSettings settings, float* film)
{{
    developPixel(i, paths, settings, film);
}}
"""


def print_stages(camera: Camera, filter_kind: int, traits: SceneTraits) -> str:
    """Return a module that starts and develops paths.

    Args:
        camera: Of which kind and lens matter.
        filter_kind: Of the pixel filter, see shaders/weft/render/filter.slang.
        traits: Of the scene.
    """
    return STAGES.format(
        camera_kind=KINDS.index(camera.kind),
        has_lens=str(camera.aperture > 0 and camera.kind == "perspective").lower(),
        filter_kind=filter_kind,
        is_see_through=str(traits.is_see_through).lower(),
        has_glow=str(traits.has_glow).lower(),
        has_cones=str(traits.has_cones).lower(),
        has_bumps=str(traits.has_bumps).lower(),
        has_kinds=str(traits.has_kinds).lower(),
        has_media=str(traits.has_media).lower(),
        has_limits=str(traits.has_limits).lower(),
        has_walks=str(traits.has_walks).lower(),
    )
