# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fit of the panel is expected to take. Drawn often: nothing is loaded for it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import bpy

from ...blender.session import require_session, scene_key
from ...core.fitting.estimate import Estimate, FitSize, estimate_fit, iterations_of
from .properties import socket_ref_of

if TYPE_CHECKING:
    from .properties import WEFT_PG_fit, WEFT_PG_fit_target

USUAL_ASPECT = 1.5  # of pictures whose size is not known
SIDES = 2  # triangles of a polygon, mostly


def expect(fit: WEFT_PG_fit) -> Estimate:
    """Return what the fit that the panel asks for will take."""
    session = require_session()
    throughput = session.throughputs.find(session.settings.device, scene_key(fit.id_data))
    size = size_of(fit)
    known, bound = session.fit_bounds.get(scene_key(fit.id_data), (None, 0))
    return estimate_fit(size, throughput, bound if known == size else None)


def keep_bound(fit: WEFT_PG_fit, bound: int | None) -> None:
    """Keep the bound of the memory of the panel's fit, for further ones of its size."""
    if bound is not None:
        require_session().fit_bounds[scene_key(fit.id_data)] = (size_of(fit), bound)


def size_of(fit: WEFT_PG_fit) -> FitSize:
    """Return what the cost of the panel's fit depends on."""
    used = [entry for entry in fit.parameters if entry.use]
    textures = [entry for entry in used if entry.kind == "TEXTURE"]
    texels = sum(3 * entry.width * entry.height for entry in textures)
    skies = [entry.environment_size for entry in used if entry.kind == "ENVIRONMENT"]
    texels += sum(3 * math.prod(map(int, size.split("x"))) for size in skies)
    numbers: Counter[bpy.types.Material] = Counter()
    for entry in used:
        if entry.kind == "NUMBER":
            numbers[entry.material] += components_of(entry)
    return FitSize(
        tuple(pixels_of(target, fit.size) for target in fit.targets if target.use),
        fit.samples,
        fit.bounces,
        numbers.total(),
        max(numbers.values(), default=0),
        1 + sum(entry.kind == "LIGHT" for entry in used),
        texels,
        texels_of_images(fit),
        sum(
            SIDES * len(entry.data.polygons)
            for entry in fit.id_data.objects
            if entry.type == "MESH"
        ),
        iterations_of(fit.max_iterations, fit.texture_iterations, has_textures=texels > 0),
        any(map(has_volume, numbers)),
    )


def has_volume(material: bpy.types.Material | None) -> bool:
    """Return whether something is linked to a material's volume."""
    tree = None if material is None else material.node_tree
    nodes = () if tree is None else tree.nodes
    outputs = [node for node in nodes if node.bl_idname == "ShaderNodeOutputMaterial"]
    return any(node.inputs["Volume"].is_linked for node in outputs)


def pixels_of(target: WEFT_PG_fit_target, longest: int) -> int:
    """Return how many pixels of a picture are compared."""
    # To ask an image that is not loaded for its size would load it, while a panel is drawn.
    is_loaded = target.image is not None and target.image.has_data
    width, height = target.image.size if is_loaded else target.pixels
    if min(width, height) < 1:
        width, height = longest, longest / USUAL_ASPECT
    scale = min(longest / max(width, height), 1.0)
    return round(width * scale) * round(height * scale)


def components_of(entry: bpy.types.PropertyGroup) -> int:
    """Return how many numbers a parameter has."""
    ref = socket_ref_of(entry)
    socket = None if ref is None else ref.find_socket()
    return 3 if hasattr(getattr(socket, "default_value", None), "__len__") else 1


def texels_of_images(fit: WEFT_PG_fit) -> int:
    """Return how many floats the images of the file's materials have, as far as they are loaded."""
    pictures = {target.image for target in fit.targets} | {target.mask for target in fit.targets}
    return sum(
        image.size[0] * image.size[1] * 3
        for image in bpy.data.images
        if image.users and image.has_data and image not in pictures
    )
