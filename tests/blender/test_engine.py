# SPDX-License-Identifier: Apache-2.0
"""Weft as Blender's render engine, against Cycles."""

from __future__ import annotations

import importlib
import time

import bpy
import numpy as np
import pytest

from support.patience import at_most

SIZE = (64, 48)


@pytest.fixture
def scene(extension):
    """A lit cube on a plane, small and quick, with Weft as its engine."""
    bpy.ops.wm.read_factory_settings(use_empty=False)
    bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, -1))
    scene = bpy.context.scene
    bpy.data.lights["Light"].use_soft_falloff = False
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.engine = "WEFT"
    scene.weft_render.samples = 64
    scene.weft_render.bounces = 4
    return scene


def use_cycles(scene, samples=256):
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.max_bounces = 3
    scene.cycles.use_denoising = False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.light_sampling_threshold = 0
    scene.cycles.sample_clamp_indirect = 0


def render(scene, folder, name="picture", **options):
    """Render to a file and return its layers by name: (height, width, channels)."""
    import OpenImageIO

    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format = "OPEN_EXR_MULTILAYER"
    settings.color_depth = "32"
    scene.render.filepath = str(folder / f"{name}.exr")
    bpy.ops.render.render(write_still=not options.get("animation"), **options)
    if options.get("animation"):
        return None
    return layers_of(scene.render.filepath, OpenImageIO)


def layers_of(path, library):
    image = library.ImageInput.open(str(path))
    layers = {}
    part = 0
    while image.seek_subimage(part, 0):
        spec = image.spec()
        pixels = np.asarray(image.read_image(part, 0, 0, spec.nchannels, library.FLOAT))
        for number, channel in enumerate(spec.channelnames):
            *_, layer, letter = channel.split(".")
            layers.setdefault(layer, {})[letter] = pixels[..., number]
        part += 1
    image.close()
    orders = ("RGBA", "RGB", "XYZ", "UVA", "Z")
    return {
        name: np.stack([found[letter] for letter in order], axis=-1)
        for name, found in layers.items()
        for order in orders
        if sorted(found) == sorted(order)
    }


def blocks(picture, size=8):
    height, width, channels = picture.shape
    return picture.reshape(height // size, size, width // size, size, channels).mean((1, 3))


def test_picture_and_layers_equal_cycles(scene, tmp_path):
    view_layer = bpy.context.view_layer
    view_layer.use_pass_z = view_layer.use_pass_normal = True
    scene.weft_render.use_denoising_passes = True

    ours = render(scene, tmp_path, "weft")
    use_cycles(scene)
    theirs = render(scene, tmp_path, "cycles")

    assert set(ours) == {"Combined", "Depth", "Normal", "Denoising Albedo", "Denoising Normal"}
    for name, tolerance in {"Combined": 0.015, "Normal": 0.03}.items():
        np.testing.assert_allclose(
            blocks(ours[name]), blocks(theirs[name]), atol=tolerance, err_msg=name
        )
    assert abs(ours["Combined"].mean() / theirs["Combined"].mean() - 1) < 0.01
    is_near = (theirs["Depth"] < 1e9) & (ours["Depth"] < 1e9)
    np.testing.assert_allclose(ours["Depth"][is_near], theirs["Depth"][is_near], rtol=1e-3)
    assert np.mean((theirs["Depth"] < 1e9) != (ours["Depth"] < 1e9)) < 0.01
    assert 0.3 < ours["Denoising Albedo"].mean() < 0.8


def test_coordinates_equal_those_of_cycles(scene, tmp_path):
    view_layer = bpy.context.view_layer
    view_layer.use_pass_uv = True
    cube = bpy.data.objects["Cube"].data
    other = cube.uv_layers.new(name="other")
    other.data.foreach_set("uv", np.full(2 * len(cube.loops), 0.5, np.float32))
    cube.uv_layers["UVMap"].active_render = True
    tree = cube.materials[0].node_tree
    node = tree.nodes.new("ShaderNodeUVMap")  # whose set is not the one of the pass
    node.uv_map = "other"
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    scene.weft_render.samples = 4

    ours = render(scene, tmp_path, "weft")["UV"]
    use_cycles(scene, 32)
    theirs = render(scene, tmp_path, "cycles")["UV"]

    inner = np.abs(theirs[..., 2] - 1) < 1e-3
    assert inner.mean() > 0.5
    assert np.median(np.abs(ours - theirs)[inner]) < 2e-3
    assert (np.abs(ours - theirs)[inner].max(axis=1) < 0.05).mean() > 0.95
    assert (ours[theirs[..., 2] == 0] == 0).all()


@pytest.mark.parametrize("is_veiled", [False, True])
def test_a_transparent_film_is_that_of_cycles(scene, tmp_path, is_veiled):
    scene.render.film_transparent = True
    bpy.data.objects.remove(bpy.data.objects["Plane"])
    if is_veiled:
        tree = bpy.data.objects["Cube"].data.materials[0].node_tree
        tree.nodes["Principled BSDF"].inputs["Alpha"].default_value = 0.4

    ours = render(scene, tmp_path, "weft")["Combined"]
    use_cycles(scene)
    theirs = render(scene, tmp_path, "cycles")["Combined"]

    np.testing.assert_allclose(blocks(ours), blocks(theirs), atol=0.02)
    assert ours[0, 0].max() == 0
    covered = ours[SIZE[1] // 2, SIZE[0] // 2, 3]
    assert covered == pytest.approx(1 - 0.6**2 if is_veiled else 1, abs=0.1)


@pytest.mark.parametrize(
    ("kind", "width"), [("BLACKMAN_HARRIS", 1.5), ("BLACKMAN_HARRIS", 4.0), ("BOX", 1.5)]
)
def test_edges_are_as_soft_as_those_of_cycles(scene, tmp_path, kind, width):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    bpy.ops.object.camera_add(location=(0.02, -5, 0), rotation=(np.pi / 2, 0, 0))
    scene.camera = bpy.context.object
    bpy.ops.mesh.primitive_plane_add(size=2, location=(1.01, 0, 0), rotation=(np.pi / 2, 0, 0))
    material = bpy.data.materials.new("Shining")
    if bpy.app.version < (5, 0, 0):  # later ones have nodes from the start
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0, 0, 0, 1)
    shader.inputs["Specular IOR Level"].default_value = 0
    shader.inputs["Emission Color"].default_value = (1, 1, 1, 1)
    shader.inputs["Emission Strength"].default_value = 1
    bpy.context.object.data.materials.append(material)

    scene.cycles.pixel_filter_type, scene.cycles.filter_width = kind, width
    scene.render.engine = "WEFT"
    scene.weft_render.samples = 512
    ours = render(scene, tmp_path, "weft")["Combined"]
    use_cycles(scene, 512)
    theirs = render(scene, tmp_path, "cycles")["Combined"]

    middle = theirs[SIZE[1] // 2, :, 0]
    assert np.sum((middle > 0.02) & (middle < 0.98)) >= (1 if kind == "BOX" else 2)
    np.testing.assert_allclose(ours[SIZE[1] // 2, :, 0], middle, atol=0.02)


def test_part_of_the_picture_is_that_part(scene, tmp_path):
    whole = render(scene, tmp_path, "whole")["Combined"]
    scene.render.use_border = True
    scene.render.border_min_x, scene.render.border_max_x = 0.25, 0.75
    scene.render.border_min_y, scene.render.border_max_y = 0.0, 0.5

    border = render(scene, tmp_path, "border")["Combined"]
    scene.render.use_crop_to_border = True
    crop = render(scene, tmp_path, "crop")["Combined"]

    assert crop.shape == (24, 32, 4)
    assert border.shape == whole.shape
    part = (slice(24, 48), slice(16, 48))
    np.testing.assert_allclose(blocks(crop), blocks(whole[part]), atol=0.03)
    np.testing.assert_allclose(blocks(border[part]), blocks(whole[part]), atol=0.03)
    assert border[:24].max() == 0


def test_part_of_a_panorama_is_that_part(scene, tmp_path):
    scene.camera.data.type = "PANO"
    scene.render.use_border = scene.render.use_crop_to_border = True
    scene.render.border_min_x, scene.render.border_max_x = 0.0, 0.5
    scene.render.border_min_y, scene.render.border_max_y = 0.5, 1.0
    scene.weft_render.samples = 2

    part = render(scene, tmp_path, "part")["Combined"]

    assert part.shape == (24, 32, 4)
    assert part[..., :3].max() > 0


def test_denoised_picture_is_nearer_to_the_clean_one(scene, tmp_path):
    denoiser = importlib.import_module("addon.blender.denoiser").blender_denoiser()
    assert denoiser is not None, "Blender's own builds carry Open Image Denoise"
    clean = render(scene, tmp_path, "clean")["Combined"]
    scene.weft_render.samples = 2
    noisy = render(scene, tmp_path, "noisy")["Combined"]
    scene.weft_render.use_denoising = True
    denoised = render(scene, tmp_path, "denoised")["Combined"]

    def error(picture):
        return np.abs(picture - clean).mean()

    assert error(denoised) < 0.7 * error(noisy)


def test_cancelled_render_ends_early_and_the_next_one_is_whole(scene, tmp_path, monkeypatch):
    final = importlib.import_module("addon.ui.engine.final").FinalRender
    scene.weft_render.samples = 1 << 20
    asked = []

    def is_cancelled(self):
        asked.append(1)
        return len(asked) > 8

    monkeypatch.setattr(final, "is_cancelled", is_cancelled)
    render(scene, tmp_path, "cancelled")
    assert len(asked) < 20
    monkeypatch.undo()

    scene.weft_render.samples = 2
    assert render(scene, tmp_path, "whole")["Combined"].mean() > 0.01


def test_a_render_ends_within_a_third_of_a_second_after_it_is_cancelled(
    scene, tmp_path, monkeypatch
):
    final = importlib.import_module("addon.ui.engine.final").FinalRender
    scene.render.resolution_x, scene.render.resolution_y = 320, 240
    scene.weft_render.samples = 1
    render(scene, tmp_path, "compiles")
    scene.weft_render.samples = 1 << 16
    shown, moments = [], {}
    begin, show = final.run, final.show

    def run(self):
        try:
            begin(self)
        finally:
            moments["end"] = time.process_time()

    def count(self, result, picture):
        shown.append(picture.samples)
        show(self, result, picture)

    def is_cancelled(self):
        if len(shown) > 3:
            moments.setdefault("cancelled", time.process_time())
        return "cancelled" in moments

    monkeypatch.setattr(final, "run", run)
    monkeypatch.setattr(final, "show", count)
    monkeypatch.setattr(final, "is_cancelled", is_cancelled)

    render(scene, tmp_path, "cancelled")

    assert moments["end"] - moments["cancelled"] < at_most(0.3)


def test_looks_at_whether_a_render_is_wanted_are_frequent(scene, tmp_path, monkeypatch):
    final = importlib.import_module("addon.ui.engine.final").FinalRender
    scene.render.resolution_x, scene.render.resolution_y = 320, 240
    scene.weft_render.samples = 1
    render(scene, tmp_path, "compiles")
    scene.weft_render.samples = 16
    looks = []
    monkeypatch.setattr(
        final, "is_cancelled", lambda self: looks.append(time.perf_counter()) or False
    )

    render(scene, tmp_path, "watched")

    gaps = np.diff(looks)
    assert np.percentile(gaps, 90) < at_most(0.3)


def test_previews_of_materials_are_rendered(scene, monkeypatch):
    final = importlib.import_module("addon.ui.engine.final").FinalRender
    seen = []
    start = final.run

    def run(self):
        start(self)
        seen.append((self.engine.is_preview, self.samples))

    monkeypatch.setattr(final, "run", run)
    material = bpy.data.materials["Material"]
    material.preview_ensure()
    bpy.ops.wm.previews_ensure()

    assert (True, 32) in seen
    pixels = np.array(material.preview.image_pixels_float)
    assert pixels.size > 0
    assert 0 < pixels.reshape(-1, 4)[:, :3].mean() < 1


def test_render_that_is_cancelled_at_once_leaves_an_empty_picture(scene, tmp_path, monkeypatch):
    bpy.context.view_layer.use_pass_z = True
    scene.weft_render.use_denoising_passes = True
    final = importlib.import_module("addon.ui.engine.final").FinalRender
    monkeypatch.setattr(final, "is_cancelled", lambda self: True)

    layers = render(scene, tmp_path)

    assert layers["Combined"].shape == (SIZE[1], SIZE[0], 4)
    assert layers["Combined"].max() == 0


def test_frames_of_an_animation_follow_the_camera_and_have_noise_of_their_own(scene, tmp_path):
    scene.weft_render.samples = 4
    cube = bpy.data.objects["Cube"]
    cube.location.x = 0
    cube.keyframe_insert("location", frame=2)
    cube.location.x = 2
    cube.keyframe_insert("location", frame=3)
    scene.frame_start, scene.frame_end = 1, 3

    render(scene, tmp_path, "frame_####", animation=True)

    import OpenImageIO

    frames = [
        layers_of(tmp_path / f"frame_000{number}.exr", OpenImageIO)["Combined"]
        for number in (1, 2, 3)
    ]
    assert np.abs(frames[1] - frames[0]).mean() < 0.02
    assert np.abs(frames[1] - frames[0]).max() > 0
    assert np.abs(frames[2] - frames[1]).mean() > 0.02


def test_scene_without_camera_is_refused(scene):
    scene.camera = None

    with pytest.raises(RuntimeError, match="no camera"):
        bpy.ops.render.render()


def test_failure_is_reported_and_blender_goes_on(scene, tmp_path):
    devices = importlib.import_module("addon.core.devices")
    session = bpy.context.window_manager.weft_session
    session.change_settings(devices.DeviceSettings("vulkan:99"))

    with pytest.raises(RuntimeError, match=r"Weft: create_device: adapter must be"):
        bpy.ops.render.render()
    assert "Choose another device" in session.problem

    session.change_settings(devices.DeviceSettings())
    scene.weft_render.samples = 1
    assert render(scene, tmp_path)["Combined"].mean() > 0.01


def test_viewport_camera_sees_what_the_camera_sees(scene):
    cameras = importlib.import_module("addon.blender.cameras")
    view_camera = importlib.import_module("addon.blender.view_camera").view_camera
    for kind, shift in (("PERSP", (0.1, -0.2)), ("ORTHO", (0.3, 0.1))):
        camera = scene.camera
        camera.data.type = kind
        camera.data.shift_x, camera.data.shift_y = shift
        depsgraph = bpy.context.evaluated_depsgraph_get()

        class View:
            window_matrix = camera.calc_matrix_camera(depsgraph, x=SIZE[0], y=SIZE[1])
            view_matrix = camera.matrix_world.normalized().inverted()

        clip = (camera.data.clip_start, camera.data.clip_end)
        ours = view_camera(View, SIZE, clip)
        theirs, _ = cameras.export_camera(camera, SIZE, scene.render)

        np.testing.assert_allclose(ours.film(), theirs.film(), rtol=1e-5)
        np.testing.assert_allclose(ours.transform, theirs.transform, atol=1e-6)


def test_blenders_panels_are_shared_while_the_extension_is_on(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))
    addon = importlib.import_module("addon")
    panel = bpy.types.EEVEE_MATERIAL_PT_surface

    addon.register()
    assert "WEFT" in panel.COMPAT_ENGINES
    addon.unregister()
    assert "WEFT" not in panel.COMPAT_ENGINES
