# SPDX-License-Identifier: Apache-2.0
"""What a stranger's .blend may do: nothing but describe a scene, unless the user says so."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
from weft import image
from weft.scene import SlangCall
from weft_blender.batch import fit_blend

HOSTILE = '0.f; } evil(); // "\n#include <x>\\ import weft.records;'


@pytest.fixture
def scripted(extension, tmp_path):
    """A file with a script that Blender runs on loading, if it is allowed to; and its mark."""
    bpy.ops.wm.read_factory_settings(use_empty=False)
    mark = tmp_path / "script_has_run"
    text = bpy.data.texts.new("evil.py")
    text.write(f"open({str(mark)!r}, 'w').close()\n")
    text.use_module = True
    path = tmp_path / "stranger.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    image.write(tmp_path / "photo.exr", np.zeros((4, 4, 3), np.float32), encoding="linear")
    return path, mark


def fit(path, **options):
    """Begin a fit that ends when the file is open, as there is no such parameter."""
    with pytest.raises(weft.Error):
        fit_blend(
            path,
            path.with_name("out.blend"),
            targets={"Camera": path.with_name("photo.exr")},
            parameters=["Nothing.Base Color"],
            **options,
        )


def test_scripts_of_a_file_do_not_run(scripted):
    path, mark = scripted

    fit(path)

    assert not mark.exists()


def test_scripts_run_with_trust(scripted):
    path, mark = scripted

    fit(path, trust=True)

    assert mark.exists()


def texts_of(value, seen):
    """Every Slang text, function and module name below a material's surface."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, SlangCall):
        yield from (value.source, value.function, value.module)
    inner = vars(value).values() if hasattr(value, "__dict__") else ()
    for entry in value.values() if isinstance(value, dict) else inner:
        yield from texts_of(entry, seen)
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from texts_of(entry, seen)


def test_no_text_of_a_file_becomes_slang(extension):
    import weft_blender

    bpy.ops.wm.read_factory_settings(use_empty=False)
    material = bpy.data.materials["Material"]
    tree = material.node_tree
    principled = tree.nodes["Principled BSDF"]
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    noise = tree.nodes.new("ShaderNodeTexNoise")
    attribute = tree.nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = HOSTILE[:60]
    for entry in (material, ramp, noise, principled, bpy.data.objects["Cube"]):
        entry.name = HOSTILE[:60]
    for node in (ramp, noise):
        node.label = HOSTILE[:60]
    tree.links.new(noise.outputs["Fac"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], principled.inputs["Base Color"])

    scene = weft_blender.export_scene(bpy.context)

    (exported,) = scene.materials()
    texts = list(texts_of(exported.surface, set()))
    assert any("ramp" in text for text in texts)
    assert not any("evil" in text or "#" in text for text in texts)
