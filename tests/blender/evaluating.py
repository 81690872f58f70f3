# SPDX-License-Identifier: Apache-2.0
"""Objects whose functions the engine evaluates, for the tests of Slang Evaluate."""

from __future__ import annotations

import importlib

import bpy
import numpy as np

HALVINGS = """
/// A loop without a bound: the sum of x / 2 + x / 4 + ...
float halvings(float3 position, float gain)
{
    float sum = 0;
    for (float x = abs(position.x); x > 0.001; x /= 2)
        sum += x / 2;
    return gain * sum;
}
"""
LIFTED = "void lifted(inout float3 position, float height) { position.z += height; }\n"


def evaluator():
    """What evaluates the open file's functions."""
    return importlib.import_module("addon.blender.evaluation.adding").evaluator()


def modifiers():
    """The adapter of what modifiers hold."""
    return importlib.import_module("addon.blender.evaluation.modifiers")


def text_block(content, name="f.slang"):
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(content)
    return text


def grid(size=8, name="Grid"):
    """An object of size * size vertices in [-1, 1]^2."""
    steps = np.linspace(-1, 1, size)
    rows = np.arange(size - 1)
    corners = np.stack([rows, rows + 1, rows + 1 + size, rows + size], -1)
    faces = (corners[None] + size * rows[:, None, None]).reshape(-1, 4)
    mesh = bpy.data.meshes.new(name)
    places = [(x, y, 0.0) for y in steps for x in steps]
    mesh.from_pydata(places, [], faces.tolist())
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    return thing


def subdivided(size=4, levels=2):
    """A grid behind a Subdivision Surface that moves nothing."""
    thing = grid(size)
    modifier = thing.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type, modifier.levels, modifier.render_levels = "SIMPLE", levels, levels
    return thing


def add(thing, content, domain="POINT", name="f.slang", function="", **values):
    """Add the modifier of a text's function, evaluate, and return it."""
    bpy.context.view_layer.objects.active = thing
    text_block(content, name)
    assert bpy.ops.weft.add_evaluation(source=name, function=function, domain=domain) == {
        "FINISHED"
    }
    modifier = thing.modifiers[-1]
    for given, value in values.items():
        give(thing, modifier, given, value)
    update()
    return modifier


def give(thing, modifier, name, value):
    """Set an input, as a person does."""
    site = site_of(thing, modifier)
    if isinstance(value, str):
        modifiers().hold_attribute(modifier, site.inputs[name], value)
    else:
        modifiers().hold(modifier, site.inputs[name], value)
    thing.update_tag()


def site_of(thing, modifier):
    return next(
        site
        for site in evaluator().sites()
        if site.thing == thing and site.modifier == modifier.name
    )


def update():
    bpy.context.view_layer.update()


def shown(thing, name="result", field="value", depsgraph=None):
    """The values of an attribute that the evaluated object has; ``None``: it has not."""
    depsgraph = depsgraph or bpy.context.evaluated_depsgraph_get()
    mesh = thing.evaluated_get(depsgraph).data
    attribute = mesh.attributes.get(name)
    if attribute is None:
        return None
    width = 1 if field == "value" else 3
    values = np.empty(len(attribute.data) * width, np.float32)
    attribute.data.foreach_get(field, values)
    return values.reshape(-1, width) if width > 1 else values


def places(thing, depsgraph=None):
    """Positions of the evaluated vertices."""
    return shown(thing, "position", "vector", depsgraph)


def halvings(x, gain=1.0):
    """What HALVINGS computes."""
    x = np.abs(np.float32(x))
    found = np.zeros_like(x)
    while (x > 0.001).any():
        found += np.where(x > 0.001, x / 2, 0)
        x = np.where(x > 0.001, x / 2, x)
    return gain * found


def problems():
    """Sentences about what is wrong."""
    return list(evaluator().reports.sentences.values())
