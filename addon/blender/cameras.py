# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's cameras as cameras of `weft.scene`."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

import weft

from ..core.problems import Problem
from .picture_size import crop_of

if TYPE_CHECKING:
    import bpy

WHOLE = SimpleNamespace(pixel_aspect_x=1.0, pixel_aspect_y=1.0, use_border=False)
"""Render settings of a picture that is not cropped."""

KINDS = {"PERSP": "perspective", "ORTHO": "orthographic", "PANO": "equirectangular"}


def export_camera(
    camera: bpy.types.Object, size: tuple[int, int], render: bpy.types.RenderSettings
) -> tuple[weft.scene.Camera, list[Problem]]:
    """Return a camera that sees what Blender's sees.

    Args:
        camera: An object that holds a camera, evaluated.
        size: Width and height of the picture before it is cropped, pixels.
        render: Of the scene: crop and shape of pixels.
    """
    data = camera.data
    where = f"Camera '{camera.name}'"
    made = weft.scene.Camera(
        *size,
        kind=KINDS.get(data.type, "perspective"),
        fov=field_of_view(data),
        scale=data.ortho_scale,
        sensor_fit=data.sensor_fit.lower(),
        shift=(data.shift_x, data.shift_y),
        transform=np.array(camera.matrix_world),
        near=data.clip_start,
        far=data.clip_end,
        name=camera.name,
        **_lens(camera),
    )
    problems = _problems_of(data, where)
    if render.pixel_aspect_x != render.pixel_aspect_y:
        problems.append(Problem(where, "pixels that are not square are not supported", "square"))
    if render.use_border and render.use_crop_to_border:
        if made.kind == "equirectangular":
            problems.append(Problem(where, "cropped panoramas are not supported", "all of it"))
        else:
            made = cropped(made, crop_of(render, size))
    return made, problems


def field_of_view(data: bpy.types.Camera) -> float:
    """Return the angle along the side that the sensor fits, radians."""
    sensor = data.sensor_height if data.sensor_fit == "VERTICAL" else data.sensor_width
    return 2 * math.atan(sensor / (2 * data.lens))


def _lens(camera: bpy.types.Object) -> dict[str, float]:
    """Return the radius of the lens and where it is sharp, metres; nothing: everywhere."""
    data = camera.data
    if not data.dof.use_dof or data.type == "PANO":
        return {}
    # Without perspective Cycles' lens is one metre long.
    focal_length = 1.0 if data.type == "ORTHO" else data.lens * 1e-3
    distance = data.dof.focus_distance
    target = data.dof.focus_object
    if target is not None:
        place = target.matrix_world.translation
        bone = target.pose.bones.get(data.dof.focus_subtarget) if target.pose else None
        if bone is not None:
            place = (target.matrix_world @ bone.matrix).translation
        matrix = camera.matrix_world
        axis = matrix.col[2].to_3d().normalized()
        distance = abs(axis.dot(place - matrix.translation))
    return {"aperture": focal_length / (2 * data.dof.aperture_fstop), "focus": distance}


def _problems_of(data: bpy.types.Camera, where: str) -> list[Problem]:
    found = []
    if data.type not in KINDS:
        found.append(Problem(where, f"type {data.type} is not supported", "perspective"))
    if data.type == "PANO":
        whole = np.allclose(
            (data.latitude_min, data.latitude_max, data.longitude_min, data.longitude_max),
            (-math.pi / 2, math.pi / 2, -math.pi, math.pi),
            atol=1e-4,
        )
        if data.panorama_type != "EQUIRECTANGULAR":
            found.append(
                Problem(where, f"panorama type {data.panorama_type} is not supported", "the sphere")
            )
        elif not whole:
            found.append(Problem(where, "parts of the sphere are not supported", "all of it"))
    elif data.dof.use_dof:
        if data.dof.aperture_blades >= 3:
            found.append(Problem(where, "apertures with blades are not supported", "a round one"))
        if data.dof.aperture_ratio != 1:
            found.append(Problem(where, "oval apertures are not supported", "a round one"))
    return found


def cropped(camera: weft.scene.Camera, window: tuple[int, int, int, int]) -> weft.scene.Camera:
    """Return a camera that sees a part of what another sees.

    Args:
        camera: Perspective or orthographic.
        window: Left, bottom, right and top, pixels from the lower left.
    """
    left, bottom, right, top = window
    low, high = camera.film()
    pixel = (high - low) / (camera.width, camera.height)
    first, last = low + pixel * (left, bottom), low + pixel * (right, top)
    extent, centre = last - first, (first + last) / 2
    return replace(
        camera,
        width=right - left,
        height=top - bottom,
        sensor_fit="horizontal",
        fov=2 * math.atan(extent[0] / 2),
        scale=float(extent[0]),
        shift=tuple(centre / extent[0]),
    )
