# SPDX-License-Identifier: Apache-2.0
"""The anchor scene for Mitsuba 3. Needs mitsuba, with a variant set."""

from __future__ import annotations

import math
from typing import Any

import mitsuba as mi
import numpy as np

from support import anchor_cases as anchor

# Mitsuba's environments have y up and begin elsewhere: local (x, y, z) is (z, x, y) of the world.
SKY_TO_WORLD = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], float)


def sky() -> mi.Bitmap:
    """Return the environment with the rows that Mitsuba wants: the first and last at the poles.

    Others have rows half a step away from the poles. Twice as many and one more hold the same
    piecewise linear function.
    """
    image = anchor.sky()
    at = np.clip(np.arange(2 * len(image) + 1) / 2 - 0.5, 0, len(image) - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, len(image) - 1)
    share = (at - low)[:, None, None]
    return mi.Bitmap(((1 - share) * image[low] + share * image[high]).astype(np.float32))


def mesh(shape: anchor.Shape, bsdf: dict[str, Any], **others: dict[str, Any]) -> Any:
    """Return a mesh with a BSDF."""
    properties = mi.Properties()
    properties["bsdf"] = mi.load_dict(bsdf)
    for name, child in others.items():
        properties[name] = mi.load_dict(child)
    made = mi.Mesh(
        "mesh",
        len(shape.positions),
        len(shape.triangles),
        has_vertex_normals=shape.normals is not None,
        has_vertex_texcoords=shape.uvs is not None,
        props=properties,
    )
    parameters = mi.traverse(made)
    parameters["vertex_positions"] = shape.positions.astype(np.float32).ravel()
    parameters["faces"] = shape.triangles.ravel()
    if shape.normals is not None:
        parameters["vertex_normals"] = shape.normals.astype(np.float32).ravel()
    if shape.uvs is not None:
        parameters["vertex_texcoords"] = shape.uvs.astype(np.float32).ravel()
    parameters.update()
    return made


def diffuse(color: tuple[float, float, float]) -> dict[str, Any]:
    """Return a Lambert BSDF."""
    return {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(color)}}


def principled(**inputs: Any) -> dict[str, Any]:
    """Return Mitsuba's own Principled BSDF; a base colour may be an image, row of v = 0 first."""
    color = inputs.pop("base_color")
    if np.ndim(color) == 3:
        bitmap = mi.Bitmap(np.ascontiguousarray(color, np.float32))
        base = {"type": "bitmap", "bitmap": bitmap, "raw": True}
    else:
        base = {"type": "rgb", "value": [float(c) for c in color]}
    return {"type": "principled", "base_color": base, "specular": 0.5, **inputs}


def scene(
    shape: anchor.Shape, bsdf: dict[str, Any], size: int = 256, integrator: str = "path"
) -> Any:
    """Return the scene around a shape with a BSDF, called "object"."""
    camera = anchor.CAMERA
    view = mi.ScalarTransform4f().look_at(camera["origin"], camera["target"], [0, 0, 1])
    film = {
        "type": "hdrfilm",
        "width": size,
        "height": size,
        "rfilter": {"type": "box"},
        "pixel_format": "rgb",
        "component_format": "float32",
    }
    shining = {"type": "area", "radiance": {"type": "rgb", "value": list(anchor.EMITTER_RADIANCE)}}
    return mi.load_dict(
        {
            "type": "scene",
            "integrator": {"type": integrator, "max_depth": anchor.BOUNCES + 1, "rr_depth": 1000},
            "sensor": {
                "type": "perspective",
                "fov": math.degrees(camera["fov"]),
                "fov_axis": "x",
                "to_world": view,
                "film": film,
                "sampler": {"type": "independent"},
            },
            "sky": {
                "type": "envmap",
                "bitmap": sky(),
                "to_world": mi.ScalarTransform4f(SKY_TO_WORLD),
            },
            # Black, so that it hides what is behind it and reflects nothing.
            "emitter": mesh(anchor.emitter(), diffuse((0, 0, 0)), emitter=shining),
            "ground": mesh(anchor.ground(), diffuse(anchor.GROUND_COLOR)),
            "object": mesh(shape, bsdf),
        }
    )
