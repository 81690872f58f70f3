# SPDX-License-Identifier: Apache-2.0
"""Plans of fits of a plate, without Blender."""

from __future__ import annotations

import numpy as np
from addon.core.fitting.plan import build_plan, find_kept
from addon.core.fitting.request import FitRequest, parse_parameter
from addon.core.graph.compile import AttributeTable, compile_material

import weft
from support.node_graphs import GraphBuilder, surface_graph
from support.render_scenes import quad
from weft.fit import Target
from weft.scene import Camera, Environment, Mesh, Object

VIEW = Camera.look_at((0, -2.5, 2.5), (0, 0, 0))


def compiled_plate(keep=()):
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBsdfPrincipled", "Principled BSDF")
    table = AttributeTable()
    compiled = compile_material(
        surface_graph(builder, node), {}, "Plate", keep=keep, attributes=table
    )
    compiled.attributes.append(table.require("uv", ""))
    return compiled


def scene_with(material, *, unwrapped=True, size=12, tiles=1):
    camera = Camera(size, size, fov=0.7, transform=VIEW, name="Camera")
    mesh = quad(1)
    uvs = tiles * (mesh.positions[:, :2] + 1) / 2 if unwrapped else np.zeros((4, 2))
    mesh = Mesh(mesh.positions, mesh.triangles, uvs={"UVMap": uvs})
    return weft.Scene(
        [Object(mesh, [material], name="Plate")], [], [camera], Environment(np.ones(3))
    )


def request(*parameters, size=12):
    picture = np.full((size, size, 3), 0.5, np.float32)
    return FitRequest([Target(picture, "Camera")], [parse_parameter(p) for p in parameters])


def plan_of(asked, **options):
    first = compiled_plate()
    kept, _unwrapped = find_kept(asked, [first])
    compiled = compiled_plate(kept)
    return build_plan(
        asked, scene_with(compiled.material, **options), [compiled], {"World": "environment"}
    )
