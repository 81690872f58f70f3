# SPDX-License-Identifier: Apache-2.0
"""Materials as programs: functions, textures and mixtures that drive inputs."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, top_camera
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    Add,
    Attribute,
    Closure,
    ColorAttribute,
    Environment,
    Material,
    Mesh,
    Mix,
    Object,
    Scene,
    SlangCall,
    Texture,
    UVSet,
)

STRIPES = """
[Differentiable]
float3 stripes(no_diff float2 uv, float frequency, float3 tint)
{
    return (0.5f + 0.4f * sin(frequency * uv.x)) * tint;
}
"""
SETTINGS = PathSettings(samples=16, bounces=1, roulette_from=None, seed=6)


def scene_of(material, mesh=None, pixels=8):
    """A square that fills the view, under a white sky: one bounce shows its albedo."""
    return Scene(
        [Object(mesh or quad(2), [material])],
        cameras=[top_camera(pixels, scale=2.0)],
        environment=Environment(np.ones(3)),
    )


def albedo_of(device, surface, mesh=None):
    renderer = weft.Renderer(device, scene_of(Material("m", surface), mesh))
    return renderer.render(settings=SETTINGS)


def diffuse(*color):
    return Closure("diffuse", color=color)


def test_a_mixture_has_the_mixed_albedo(device):
    image = albedo_of(device, Mix(diffuse(0.8, 0.2, 0.0), diffuse(0.0, 0.4, 1.0), 0.25))

    assert image.mean(axis=(0, 1)) == pytest.approx([0.6, 0.25, 0.25], abs=0.01)


def test_a_sum_has_the_sum_of_albedos(device):
    image = albedo_of(device, Add(diffuse(0.5, 0.2, 0.0), diffuse(0.1, 0.4, 0.3)))

    assert image.mean(axis=(0, 1)) == pytest.approx([0.6, 0.6, 0.3], abs=0.01)


def test_a_mixture_with_emission_shines_in_its_part(device):
    image = albedo_of(device, Mix(diffuse(0.0, 0.0, 0.0), Closure("emission", strength=4.0), 0.25))

    assert image.mean() == pytest.approx(1, abs=1e-5)


def test_a_texture_lies_on_the_surface_the_right_way_up(device):
    corners = np.array([[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 1]]], np.float32)

    image = albedo_of(device, Closure("diffuse", color=Texture(corners, filter="closest")))

    for row, column in np.ndindex(2, 2):
        part = image[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert part.mean(axis=(0, 1)) == pytest.approx(corners[row, column], abs=0.02)


def test_colour_attributes_and_further_uv_sets_reach_materials(device):
    flat = quad(2)
    mesh = Mesh(
        flat.positions,
        flat.triangles,
        uvs={"first": np.zeros((4, 2)), "second": np.full((4, 2), 0.75)},
        colors={"paint": [(0.1, 0.2, 0.3)] * 4},
    )
    halves = Texture([[[0.0] * 3, [0.5] * 3]], filter="closest", uv=UVSet(1))

    image = albedo_of(
        device,
        Add(Closure("diffuse", color=ColorAttribute(0)), Closure("diffuse", color=halves)),
        mesh,
    )

    assert image.mean(axis=(0, 1)) == pytest.approx([0.6, 0.7, 0.8], abs=0.01)


@pytest.fixture(scope="module")
def striped(device):
    """A floor whose colour is a function of its place, and a record of its paths."""
    call = SlangCall(
        "stripes",
        STRIPES,
        {"uv": Attribute.UV, "frequency": 5.0, "tint": (0.9, 0.5, 0.3)},
        size=3,
    )
    renderer = weft.Renderer(
        device, scene_of(Material("floor", Closure("diffuse", color=call)), pixels=16)
    )
    ranges = renderer.tables.materials.ranges
    rows = np.zeros((2, renderer.tables.values.shape[0]), np.float32)
    rows[0, ranges["floor.color.frequency"].first] = 1
    rows[1, ranges["floor.color.tint"].first + 2] = 1
    recorder = Recorder(renderer, [0], Directions(device, renderer.tables.materials, rows))
    recorder.draw(renderer.scene.cameras[0], SETTINGS)
    return renderer, recorder, rows


def test_functions_see_the_surface(striped):
    renderer, recorder, _ = striped
    recorder.replay(renderer.tables.values)

    image = recorder.resolve_to_host(0, 16, with_tangents=False)[0].reshape(16, 16, 3).mean(axis=0)

    u = (np.arange(16) + 0.5) / 16
    wanted = (0.5 + 0.4 * np.sin(5 * u))[:, None] * (0.9, 0.5, 0.3)
    assert np.abs(image - wanted).max() < 0.03


def test_parameters_of_functions_have_gradients(striped, device):
    renderer, recorder, rows = striped
    values = renderer.tables.values.to_numpy()
    weights = np.random.default_rng(1).normal(size=(256, 3)).astype(np.float32)

    recorder.replay(renderer.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 16, with_tangents=True)[1:]
    gradients = weft.Tensor.zeros(device, (len(values),))
    recorder.replay(renderer.tables.values)
    recorder.gradients(
        renderer.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )
    differences = []
    for row in rows:
        sides = []
        for step in (1e-2, -1e-2):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 16, with_tangents=False)[0])
        differences.append((sides[0] - sides[1]) / 2e-2)

    assert np.abs(np.array(differences) - tangents).max() < 1e-3
    assert rows @ gradients.to_numpy() == pytest.approx(
        (tangents * weights).sum(axis=(1, 2)), rel=1e-3, abs=1e-4
    )


def test_texels_have_gradients(device):
    pixels = np.random.default_rng(4).random((2, 2, 3)).astype(np.float32)
    scene = scene_of(Material("floor", Closure("diffuse", color=Texture(pixels, "extend"))))
    renderer = weft.Renderer(device, scene)
    recorder = Recorder(renderer, [0], None)
    recorder.draw(scene.cameras[0], SETTINGS)
    values = renderer.tables.values
    texels = weft.Tensor.zeros(device, (12,))
    ones = weft.Tensor.from_numpy(device, np.ones(3 * 64, np.float32))

    recorder.replay(values)
    picture = recorder.resolve_to_host(0, 16, with_tangents=False)[0]
    recorder.gradients(values, ones, weft.Tensor.zeros(device, values.shape), None, texels)

    # A picture is linear in the albedo: values times gradients give it back.
    total = (texels.to_numpy() * renderer.tables.texels.to_numpy()).reshape(-1, 3).sum(axis=0)
    assert total == pytest.approx(picture.sum(axis=0), rel=1e-4)


def test_materials_that_differ_in_numbers_share_a_program(device):
    scene = Scene(
        [placed(quad(), lambert((k / 4, 0, 0), f"m{k}"), move=(k, 0, 0)) for k in range(3)],
        environment=Environment(np.ones(3)),
    )

    assert len(weft.Renderer(device, scene).tables.materials.programs) == 1


def test_a_function_that_does_not_compile_is_named(device):
    broken = SlangCall("stripe", "float stripe(float x) { return y; }", {"x": 1.0})

    with pytest.raises(weft.CompileError, match="y"):
        weft.Renderer(device, scene_of(Material("m", Closure("diffuse", color=broken))))
