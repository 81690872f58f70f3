# SPDX-License-Identifier: Apache-2.0
"""What kernels of a scene may leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import place_environment
from weft.layouts import LightKind
from weft.render.path_limits import has_limits
from weft.scene.kernel_text import SceneTraits

if TYPE_CHECKING:
    from weft._native import SceneGeometry
    from weft.render.material_table import MaterialTable
    from weft.scene import Scene


def scene_traits(
    scene: Scene,
    geometry: SceneGeometry,
    materials: MaterialTable,
    kinds: set[int],
    *,
    has_profiles: bool,
) -> SceneTraits:
    """Return what a scene and its materials tell; the rest says that there is nothing.

    Args:
        scene: What.
        geometry: Of it.
        materials: Of it.
        kinds: Of its lights; added here: the environment, whether it is sampled or not.
        has_profiles: Some lamps have one.
    """
    programs, environment = materials.programs, scene.environment
    kinds = set(kinds)
    if environment is not None:
        kinds.add(LightKind.environment)
    if has_profiles:
        kinds.add(LightKind.profiled)
    has_hidden, has_media = geometry.has_hidden, geometry.has_media
    return SceneTraits(
        sum(1 << kind for kind in kinds),
        is_placed=geometry.is_placed,
        is_see_through=has_hidden
        or has_media
        or any(program.passes or program.wanders for program in programs),
        has_cones=any(texture.filter == "mipmap" for texture in materials.textures),
        has_bumps=any(program.has_bumps for program in programs),
        has_kinds=has_hidden
        or any(light.hidden_from for light in scene.lights)
        or any(program.reads_ray for program in programs)
        or (environment is not None and any(place_environment(environment).layers)),
        has_hidden=has_hidden,
        has_terminators=geometry.has_terminators,
        has_media=has_media,
        has_limits=has_limits(scene),
        has_walks=any(program.wanders for program in programs),
        has_lamp_rules=any(light.hidden_from or not light.casts_shadow for light in scene.lights),
    )
