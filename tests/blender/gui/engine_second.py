# SPDX-License-Identifier: Apache-2.0
"""The file of engine_tour.py in a Blender without Weft: what is there still."""

from __future__ import annotations

import json
import sys

import bpy
import numpy as np
from steps import OUT, Steps, take_picture

FACTS: dict[str, object] = {}


def look():
    """Yield after each step the seconds until the next one."""
    FACTS["has the extension"] = hasattr(bpy.types, "WEFT_FH_slang") or "weft" in sys.modules
    yield 2.0
    thing = bpy.data.objects["Hills"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.empty(3 * len(thing.data.vertices), np.float32)
    thing.data.vertices.foreach_get("co", places)
    FACTS["heights"] = [round(float(value), 6) for value in places[2::3][:400:40]]
    FACTS["images"] = {
        image.name: (list(image.size), image.packed_file is not None)
        for image in bpy.data.images
        if image.size[0] >= 1024
    }
    FACTS["libraries"] = [entry.name for entry in bpy.context.preferences.filepaths.asset_libraries]
    (OUT / "second.json").write_text(json.dumps(FACTS, indent=1))
    yield 3.0
    take_picture("10_second_blender")


Steps(look(), "second_facts.json").start()
