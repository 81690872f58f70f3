# SPDX-License-Identifier: Apache-2.0
"""Scenes for the renderer: meshes, materials, lights, cameras."""

from __future__ import annotations

from weft.scene import lights
from weft.scene.camera import Camera
from weft.scene.camera_lights import at_camera
from weft.scene.changes import with_images, with_inputs
from weft.scene.closures import CLOSURES
from weft.scene.geometry import Mesh, Object
from weft.scene.light_paths import LightPaths
from weft.scene.light_profile import LightProfile
from weft.scene.lights import *  # noqa: F403
from weft.scene.materials import Add, Closure, Material, Mix, principled
from weft.scene.mesh_files import load_mesh
from weft.scene.parameter_ref import ParameterRef
from weft.scene.problem import Problem
from weft.scene.scene import Scene
from weft.scene.texture import Texture
from weft.scene.texture_files import load_texture
from weft.scene.values import (
    Attribute,
    Bump,
    ColorAttribute,
    Constant,
    NormalMap,
    SlangCall,
    UVSet,
    UVTangent,
)

__all__ = [
    "CLOSURES",
    "Add",
    "Attribute",
    "Bump",
    "Camera",
    "Closure",
    "ColorAttribute",
    "Constant",
    "LightPaths",
    "LightProfile",
    "Material",
    "Mesh",
    "Mix",
    "NormalMap",
    "Object",
    "ParameterRef",
    "Problem",
    "Scene",
    "SlangCall",
    "Texture",
    "UVSet",
    "UVTangent",
    "at_camera",
    "load_mesh",
    "load_texture",
    "principled",
    "with_images",
    "with_inputs",
]
__all__ += lights.__all__
