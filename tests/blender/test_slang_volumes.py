# SPDX-License-Identifier: Apache-2.0
"""Slang nodes of geometry trees fill grids of volumes, in the Blenders that have such grids."""

import bpy
import numpy as np
import pytest

import weft
import weft_blender

pytestmark = [
    pytest.mark.usefixtures("extension"),
    pytest.mark.skipif(
        not hasattr(bpy.types, "GeometryNodeFieldToGrid"), reason="this Blender has no grids"
    ),
]
CLOUD = """
import weft.node;
import weft.noise;
[Node("Noise")]
float cloud([Source("Position")] float3 p, float scale = 3)
{
    return perlinNoise(p * scale) * 0.5f + saturate(1 - length(p));
}
"""


def test_a_node_fills_a_grid():
    tree = bpy.data.node_groups.new("Cloud", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    text = bpy.data.texts.new("cloud.slang")
    text.write(CLOUD)
    node = weft_blender.add_node(tree, text, scale=2.5)
    topology = tree.nodes.new("GeometryNodeCubeGridTopology")
    for axis in "XYZ":
        topology.inputs[f"Resolution {axis}"].default_value = 12
    to_grid = tree.nodes.new("GeometryNodeFieldToGrid")
    to_grid.grid_items.new("FLOAT", "density")
    to_points = tree.nodes.new("GeometryNodeGridToPoints")
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.inputs["Name"].default_value = "density"
    output = tree.nodes.new("NodeGroupOutput")
    tree.links.new(topology.outputs[0], to_grid.inputs["Topology"])
    tree.links.new(node.outputs[0], to_grid.inputs["density"])
    tree.links.new(to_grid.outputs["density"], to_points.inputs["Grid"])
    tree.links.new(to_points.outputs["Points"], store.inputs["Geometry"])
    tree.links.new(to_points.outputs["Value"], store.inputs["Value"])
    tree.links.new(store.outputs[0], output.inputs[0])
    thing = bpy.data.objects.new("Cloud", bpy.data.meshes.new("Cloud"))
    bpy.context.collection.objects.link(thing)
    thing.modifiers.new("Cloud", "NODES").node_group = tree

    kept = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()

    attributes = kept.pointcloud.attributes
    count = len(kept.pointcloud.points)
    places, values = np.zeros((count, 3), np.float32), np.zeros(count, np.float32)
    attributes["position"].data.foreach_get("vector", places.reshape(-1))
    attributes["density"].data.foreach_get("value", values)
    lowered = weft.lower(None, "cloud", text=CLOUD, tree="geometry")
    (wanted,) = lowered.evaluate({"p": places, "scale": np.full(count, 2.5, np.float32)}).values()
    assert count == 12**3
    assert np.ptp(wanted) > 0.5
    assert np.abs(values - wanted).max() < 1e-5
