# SPDX-License-Identifier: Apache-2.0
"""A small asset library of node templates for tests, and what reads it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILDER = ROOT / "packaging" / "templates" / "build.py"
NAMES = (
    "color/oklab_mix",
    "deform/twist",
    "distance/sdf_revolve",
    "noise/fbm",
    "pattern/hexagons",
)


def builder():
    """Return the program that builds the library, as a module."""
    spec = importlib.util.spec_from_file_location("weft_templates_build", BUILDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_library(folder, names=NAMES):
    """Write a library of a few templates; the open file is emptied."""
    program = builder()
    files = [program.templates_folder() / f"{name}.slang" for name in names]
    program.build(files, folder / "library", folder / "pictures", "key")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return folder / "library"


def assets_of(file):
    """Append all assets of a file."""
    with bpy.data.libraries.load(str(file), assets_only=True) as (offered, wanted):
        wanted.node_groups = list(offered.node_groups)
    return wanted.node_groups


def append(file, name, *, reuse=True):
    """Append a group as an asset browser does; return the groups that came.

    Blender then does not mark them as assets of the open file.
    """
    before = {tree.as_pointer() for tree in bpy.data.node_groups}
    folder = f"{file}/NodeTree/"
    bpy.ops.wm.append(
        filepath=folder + name, directory=folder, filename=name, do_reuse_local_id=reuse
    )
    came = [tree for tree in bpy.data.node_groups if tree.as_pointer() not in before]
    for tree in came:
        tree.asset_clear()
    return came


def pixels_of(preview):
    """Return a preview as (H, W, 4), row 0 at the top."""
    width, height = preview.image_size
    pixels = np.empty(width * height * 4, np.float32)
    preview.image_pixels_float.foreach_get(pixels)
    return pixels.reshape(height, width, 4)[::-1]
