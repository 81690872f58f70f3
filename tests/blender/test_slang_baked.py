# SPDX-License-Identifier: Apache-2.0
"""Baked Slang nodes: images, attributes, and what Cycles shows of them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft_blender

RINGS = """import weft.node;
float3 rings([Source("Position")] float3 p, float count = 9, [Color] float3 tint = float3(1, .5, 0))
{
    return tint * (0.5f + 0.5f * sin(count * length(p)));
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def text_block(content, name="rings.slang"):
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(content)
    return text


def new_material(name="m"):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


def grid_object(material, name="Grid", cells=8, height=0.0):
    """Return a grid over [-1, 1] whose UV map is the whole square."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=2)
    made = bpy.context.active_object
    made.name = name
    made.location.z = height
    made.data.materials.append(material)
    return made


def baked_node(material, text, **inputs):
    node = weft_blender.add_node(material, text, form="BAKED", **inputs)
    node.node_tree.weft_bake.side = "64"
    return node


def bake(node):
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    return pixels_of(node)


def image_of(node):
    return next(own.image for own in node.node_tree.nodes if own.bl_idname == "ShaderNodeTexImage")


def pixels_of(node):
    image = image_of(node)
    found = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(found)
    return found.reshape(image.size[1], image.size[0], 4)


def centres(size):
    line = (np.arange(size) + 0.5) / size
    return np.meshgrid(line * 2 - 1, line * 2 - 1)


def test_a_function_is_baked_over_the_uv_map():
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=6)

    found = bake(node)

    x, y = centres(64)
    wave = 0.5 + 0.5 * np.sin(6 * np.hypot(x, y))
    assert found.shape == (64, 64, 4)
    assert np.abs(found[..., 0] - wave).max() < 1e-4
    assert np.abs(found[..., 1] - wave / 2).max() < 1e-4
    image = image_of(node)
    assert image.packed_file is not None
    assert image.colorspace_settings.name == "Non-Color"
    assert image.is_float


def render_plane(size=64):
    """Render what an emitting plane over [-1, 1] shows from above, linear."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.cycles.use_denoising = False
    scene.cycles.pixel_filter_type = "BOX"
    scene.cycles.filter_width = 0.01
    scene.render.resolution_x = scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.view_settings.view_transform = "Raw"
    if scene.camera is None:
        camera = bpy.data.objects.new("C", bpy.data.cameras.new("C"))
        camera.data.type = "ORTHO"
        camera.data.ortho_scale = 2
        camera.location = (0, 0, 5)
        scene.collection.objects.link(camera)
        scene.camera = camera
    path = f"{bpy.app.tempdir}/plane.exr"
    scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    found = np.empty(4 * size * size, np.float32)
    image.pixels.foreach_get(found)
    bpy.data.images.remove(image)
    return found.reshape(size, size, 4)[..., :3]


def emit(material, node, output=0):
    tree = material.node_tree
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(node.outputs[output], emission.inputs["Color"])
    tree.links.new(emission.outputs[0], end.inputs["Surface"])


def coordinates(material, output="Object"):
    return material.node_tree.nodes.new("ShaderNodeTexCoord").outputs[output]


def test_cycles_shows_a_baked_node_as_its_nodes():
    material = new_material()
    grid_object(material, cells=5)
    text = text_block(RINGS)
    node = weft_blender.add_node(material, text, form="NODES", count=6, p=coordinates(material))
    emit(material, node)
    as_nodes = render_plane()

    weft_blender.set_source(node, form="BAKED")
    node.node_tree.weft_bake.side = "256"
    baked = render_plane()  # which waits for the images

    assert image_of(node).size[0] == 256
    assert as_nodes.std() > 0.1
    # Between texels a sine of 6 radians a unit is a line: off by (6 / 128)^2 / 8 at most.
    assert np.abs(baked - as_nodes).max() < 1e-3
    assert np.abs(baked - as_nodes).mean() < 2e-4


def test_a_file_shows_it_without_the_extension(enabled, tmp_path):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS))
    emit(material, node)
    bake(node)
    shown = render_plane()
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)

    enabled.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=path)
        alone = render_plane()
    finally:
        enabled.register()

    assert shown.std() > 0.1
    assert np.abs(alone - shown).max() < 1e-6


def test_outputs_of_numbers_share_an_image_and_cycles_takes_them_apart():
    material = new_material()
    grid_object(material)
    text = text_block(
        "import weft.node;\n"
        'float sum([Source("Position")] float3 p, out float low, out float high)\n'
        "{ low = -p.x; high = p.y * 3; return p.x + p.y; }"
    )
    node = baked_node(material, text)
    emit(material, node, 2)
    bake(node)

    assert len([own for own in node.node_tree.nodes if own.bl_idname == "ShaderNodeTexImage"]) == 1
    _, y = centres(64)
    found = render_plane()[..., 0]
    assert np.abs(found - 3 * y).max() < 1e-4


def test_nothing_is_left_when_the_form_changes_or_the_node_goes():
    material = new_material()
    thing = grid_object(material)
    node = baked_node(material, text_block(RINGS), p=coordinates(material))
    bake(node)
    assert len(bpy.data.images) == 1

    weft_blender.set_source(node, form="NODES")
    assert len(bpy.data.images) == 0
    assert node.inputs["P"].is_linked

    weft_blender.set_source(node, form="BAKED")
    bake(node)
    node.node_tree.weft_bake.target = "ATTRIBUTE"
    assert len(bpy.data.images) == 0
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    assert [name for name in thing.data.attributes.keys() if name.startswith("weft")]

    material.node_tree.nodes.remove(node)
    bpy.ops.wm.save_as_mainfile(filepath=f"{bpy.app.tempdir}/left.blend")
    assert len(bpy.data.images) == 0
    assert not [name for name in thing.data.attributes.keys() if name.startswith("weft")]
    assert not bpy.data.node_groups


def test_an_attribute_needs_no_uv_map():
    material = new_material()
    thing = grid_object(material, cells=40)
    thing.data.uv_layers.remove(thing.data.uv_layers[0])
    node = baked_node(material, text_block(RINGS), count=6)
    emit(material, node)
    with pytest.raises(RuntimeError, match="none of its objects has a UV map at all"):
        bpy.ops.weft.bake_slang_node(group=node.node_tree.name)

    node.node_tree.weft_bake.target = "ATTRIBUTE"
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    found = render_plane()[..., 0]

    x, y = centres(64)
    assert np.abs(found - (0.5 + 0.5 * np.sin(6 * np.hypot(x, y)))).mean() < 5e-3


def test_links_are_baked_as_far_as_weft_knows_their_nodes():
    material = new_material()
    grid_object(material)
    tree = material.node_tree
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.inputs["Scale"].default_value = (2, 2, 2)
    tree.links.new(coordinates(material), mapping.inputs["Vector"])
    node = baked_node(material, text_block(RINGS), p=mapping.outputs[0], count=3)

    found = bake(node)

    x, y = centres(64)
    assert np.abs(found[..., 0] - (0.5 + 0.5 * np.sin(6 * np.hypot(x, y)))).max() < 1e-4

    fresnel = tree.nodes.new("ShaderNodeFresnel")
    tree.links.new(fresnel.outputs[0], node.inputs["Count"])
    with pytest.raises(RuntimeError, match="node 'Fresnel': it depends on who looks"):
        bpy.ops.weft.bake_slang_node(group=node.node_tree.name)
    assert np.array_equal(pixels_of(node), found)


def test_tiles_are_packed_and_cycles_finds_them():
    material = new_material()
    thing = grid_object(material, cells=2)
    layer = thing.data.uv_layers[0]
    uvs = np.empty(2 * len(thing.data.loops), np.float32)
    layer.uv.foreach_get("vector", uvs)
    uvs = uvs.reshape(-1, 2)
    # The right half of the grid lies in tile 1003.
    of_faces = np.repeat([poly.center.x > 0 for poly in thing.data.polygons], 4)
    uvs[of_faces, 0] += 2
    layer.uv.foreach_set("vector", uvs.ravel())
    node = baked_node(material, text_block(RINGS), count=6)
    node.node_tree.weft_bake.side = "128"
    node.node_tree.weft_bake.is_tiled = True
    emit(material, node)

    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}

    image = image_of(node)
    assert image.source == "TILED"
    assert [tile.number for tile in image.tiles] == [1001, 1003]
    assert len(image.packed_files) == 2
    x, y = centres(64)
    found = render_plane()[..., 0]
    assert np.abs(found - (0.5 + 0.5 * np.sin(6 * np.hypot(x, y)))).max() < 4e-3


@pytest.mark.parametrize("template", ["noise/worley_noise", "pattern/bricks"])
def test_templates_are_baked_as_their_nodes_compute_them(template):
    material = new_material()
    grid_object(material, cells=3)
    node = baked_node(material, f"template:{template}")
    emit(material, node)
    baked = render_plane()

    weft_blender.set_source(node, form="NODES")
    link = material.node_tree.links.new
    link(coordinates(material), node.inputs[0])
    as_nodes = render_plane()

    assert as_nodes.std() > 0.01
    assert np.abs(baked - as_nodes).mean() < 1e-3


def test_functions_of_files_find_what_they_import_and_images_are_looked_up(tmp_path):
    (tmp_path / "parts.slang").write_text("float doubled(float x) { return 2 * x; }")
    path = tmp_path / "uses.slang"
    path.write_text(
        "import parts;\nfloat3 uses(float3 color, float gain) { return doubled(gain) * color; }"
    )
    material = new_material()
    grid_object(material)
    picture = bpy.data.images.new("picture", 8, 8, float_buffer=True)
    picture.colorspace_settings.name = "Non-Color"  # which empties it
    texels = np.random.default_rng(0).random((8, 8, 4), np.float32)
    texels[..., 3] = 1
    picture.pixels.foreach_set(texels.ravel())
    look_up = material.node_tree.nodes.new("ShaderNodeTexImage")
    look_up.image, look_up.interpolation = picture, "Closest"
    node = baked_node(material, str(path), color=look_up.outputs["Color"], gain=3)

    found = bake(node)

    assert np.abs(found[..., :3] - 6 * np.kron(texels[..., :3], np.ones((8, 8, 1)))).max() < 1e-5


def test_what_is_the_same_everywhere_is_baked_too():
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block("float3 plain(float3 c) { return c * 2; }"), c=(1, 2, 3))

    assert np.array_equal(bake(node)[5, 7], (2, 4, 6, 1))
