# SPDX-License-Identifier: Apache-2.0
"""Emission that varies over a mesh, sampled as a light."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.path_sorting import kernel_traits_with
from support.render_scenes import lambert, quad, top_camera
from weft.layouts import LightWord
from weft.render import PathSettings, renderer
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    Attribute,
    Camera,
    Closure,
    ColorAttribute,
    Material,
    Mesh,
    Mix,
    Object,
    PointLight,
    Scene,
    SlangCall,
    Texture,
    principled,
)

HALF = "float3 halfLit(float3 p) { return p.x < 0.f ? float3(8.f, 4.f, 2.f) : float3(0.f); }"
SETTINGS = PathSettings(samples=64, bounces=1, roulette_from=None, seed=2)


def lit_by(material, mesh=None, move=0.0, width=0.4):
    """A floor under a small square that shines down."""
    down = np.diag([width, -0.4, -1.0])
    emitter = Object(mesh or quad(1), [material], np.column_stack([down, [move, 0, 1.0]]))
    return Scene(
        [Object(quad(2), [lambert()]), emitter], cameras=[top_camera(16, scale=1.5, height=0.9)]
    )


def picture(device, scene, settings=SETTINGS):
    return weft.Renderer(device, scene).render(settings=settings)


@pytest.fixture(scope="module")
def half(device):
    """The floor under an emitter that is bright for x < 0, made of a smaller one of one colour."""
    emitter = Material("emitter", Closure("emission", color=(8, 4, 2), both_sides=0.0))
    return picture(device, lit_by(emitter, move=-0.1, width=0.2))


def drivers():
    """What makes the left half of the emitter shine."""
    left = Texture(np.array([[[8.0, 4, 2], [0, 0, 0]]]), "extend", "closest")
    place = SlangCall("halfLit", HALF, {"p": Attribute.POSITION}, 3, is_differentiable=False)
    return {"texture": left, "function": place}


@pytest.mark.parametrize(("factor", "share"), [(0.25, 0.25), (1.0, 1.0), (0.0, 0.0)])
def test_a_mixed_emitter_is_drawn_by_the_share_of_its_light(device, factor, share):
    light = Closure("emission", strength=8.0)
    emitters = [
        Material("emitter", Mix(Closure("diffuse"), light, factor)),
        Material("emitter", light),
    ]

    mixed, plain = (
        weft.Renderer(device, lit_by(emitter)).tables.light_powers.sum() for emitter in emitters
    )

    assert plain > 0
    assert mixed == pytest.approx(share * plain)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["texture", "function"])
def test_a_half_lit_emitter_is_half_an_emitter(device, half, kind):
    emitter = Material("emitter", Closure("emission", color=drivers()[kind], both_sides=0.0))

    image = picture(device, lit_by(emitter))

    assert image.mean(axis=(0, 1)) == pytest.approx(half.mean(axis=(0, 1)), rel=0.01)
    blocks, wanted = (entry.reshape(4, 4, 4, 4, 3).mean(axis=(1, 3)) for entry in (image, half))
    # Noise of 1024 samples, half of which meet the lit part.
    assert np.sqrt(((blocks / wanted - 1) ** 2).mean()) < 0.05


def test_a_half_lit_emitter_is_sampled(device, half):
    emitter = Material("emitter", Closure("emission", color=drivers()["texture"], both_sides=0.0))

    image = picture(device, lit_by(emitter))

    # Bounces alone meet the emitter once in 50; half of the light rays meet the lit part.
    assert np.sqrt(((image - half) ** 2).mean()) < 0.15 * half.mean()


def test_vertex_colours_shine(device):
    flat = quad(1)
    mesh = Mesh(flat.positions, flat.triangles, colors={"glow": [(3.0, 2.0, 1.0)] * 4})
    painted = Material("emitter", Closure("emission", color=ColorAttribute(0), strength=2.0))
    plain = Material("emitter", Closure("emission", color=(6, 4, 2)))

    image, wanted = (picture(device, lit_by(material, mesh)) for material in (painted, plain))

    assert np.allclose(image, wanted, rtol=1e-4)


@pytest.mark.full
def test_coats_dim_light_rays_as_they_dim_views(device):
    inputs = {"base_color": (0, 0, 0), "specular_level": 0.0, "emission_strength": 4.0}
    coat = {"coat_weight": 1.0, "coat_tint": (0.5, 0.5, 0.5), "coat_roughness": 0.5}
    emitter = principled("emitter", **inputs, **coat)
    seen = Scene([Object(quad(2), [emitter])], cameras=[top_camera(4)])
    radiance = picture(device, seen).mean()
    far = top_camera(4, scale=0.02, height=0.5)
    scenes = [
        Scene([Object(quad(2), [lambert()]), emitter_above(material)], cameras=[far])
        for material in (emitter, principled("emitter", **inputs))
    ]

    coated, plain = (picture(device, scene).mean() for scene in scenes)

    assert radiance < 3
    assert coated / plain == pytest.approx(radiance / 4, rel=0.01)


def emitter_above(material):
    return Object(quad(0.1), [material], np.column_stack([np.diag([1, -1, -1.0]), [0, 0, 2.0]]))


def test_bright_triangles_are_drawn_more_often(device):
    strip = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    points = np.concatenate(
        [np.column_stack([np.add(strip, (k, 0)), np.zeros(4)]) for k in range(2)]
    )
    faces = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]
    uvs = np.concatenate([strip * 0.5, np.add(strip * 0.5, (0.5, 0))])
    mesh = Mesh(points, faces, uvs={"UVMap": uvs})
    steps = Texture(np.array([[[1.0] * 3, [1.0] * 3, [3.0] * 3, [3.0] * 3]]), filter="closest")
    emitter = Material("emitter", Closure("emission", color=steps))

    tables = weft.Renderer(device, Scene([Object(mesh, [emitter])], cameras=[top_camera(4)])).tables

    drawn = tables.view["lights"]["records"].to_numpy().reshape(-1, LightWord.end)[:4, 1]
    assert drawn.sum() == pytest.approx(1)
    assert drawn == pytest.approx([0.1375, 0.1375, 0.3625, 0.3625], rel=1e-3)


def test_bounces_and_light_rays_share_a_large_emitter(device):
    glow = SlangCall("halfLit", HALF, {"p": Attribute.POSITION}, 3, is_differentiable=False)
    emitter = Material("emitter", Closure("emission", color=glow))
    gloss = principled("floor", base_color=(0.6, 0.6, 0.6), metallic=1.0, roughness=0.25)
    camera = Camera(12, 12, transform=Camera.look_at((0, -2, 1.5), (0, 0, 0)), fov=0.5)
    above = np.column_stack([np.diag([3.0, -3.0, -1.0]), [0, 0, 1.0]])
    scene = Scene([Object(quad(2), [gloss]), Object(quad(1), [emitter], above)], cameras=[camera])
    settings = PathSettings(samples=256, bounces=1, roulette_from=None, seed=2)
    both = weft.Renderer(device, scene)
    bounces = weft.Renderer(device, scene)
    # Triangles that are no lights are found by bounces alone.
    none = np.full(bounces.tables.view["geometry"]["lightOfTriangle"].shape, 0xFFFFFFFF, np.uint32)
    bounces.tables.view["geometry"]["lightOfTriangle"].copy_from_numpy(none)
    bounces.tables.view["lights"]["count"] = 0

    image, wanted = (own.render(settings=settings) for own in (both, bounces))

    assert image.mean(axis=(0, 1)) == pytest.approx(wanted.mean(axis=(0, 1)), rel=0.02)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("color", [(1.0, 0.5, 0.25), "texture"])
def test_what_shines_has_the_derivative_of_its_light(device, color):
    left = Texture(np.array([[[1.0, 0.5, 0.25], [0.2, 0.2, 0.2]]]), "extend", "closest")
    shade = left if color == "texture" else color
    emitter = Material("emitter", Closure("emission", color=shade, strength=5.0, both_sides=0.0))
    scene = lit_by(emitter, width=1.2)
    scene.lights = [PointLight((0.4, 0.2, 0.5), power=1.0, radius=0.1)]
    own = weft.Renderer(device, scene)
    values, place = own.tables.values, own.tables.materials.ranges["emitter.strength"].first
    row = np.zeros((1, values.shape[0]), np.float32)
    row[0, place] = 1
    recorder = Recorder(own, [1], Directions(device, own.tables.materials, row))
    settings = replace(SETTINGS, samples=256)
    recorder.draw(scene.cameras[0], settings)
    recorder.replay(values, with_tangents=True)
    image, slope = recorder.resolve_to_host(0, 256, with_tangents=True)
    without = values.to_numpy()
    without[place] = 0
    recorder.replay(weft.Tensor.from_numpy(device, without))
    rest = recorder.resolve_to_host(0, 256, with_tangents=False)[0]

    # Light is proportional to its strength: five times the slope is all that the emitter brings.
    assert rest.mean() > 0.01
    assert np.allclose(rest + 5 * slope, image, atol=1e-5)
    usual = own.render(settings=settings).mean(axis=(0, 1))
    assert image.mean(axis=0) == pytest.approx(usual, rel=0.03)


@pytest.mark.full
def test_what_is_lit_is_replayed_as_rendered(device, monkeypatch):
    emitter = Material("emitter", Closure("emission", color=drivers()["texture"], strength=5.0))
    scene = lit_by(emitter)
    own = weft.Renderer(device, scene)
    recorder = Recorder(own, [0], None)
    recorder.draw(scene.cameras[0], SETTINGS)
    image = own.render(settings=SETTINGS)

    recorder.replay(own.tables.values)
    replayed = recorder.resolve_to_host(0, 64, with_tangents=False)[0]
    monkeypatch.setattr(renderer, "kernel_traits", kernel_traits_with(sorts_paths=False))
    unsorted = weft.Renderer(device, scene).render(settings=SETTINGS)

    assert np.allclose(replayed, image.reshape(-1, 3), atol=1e-5)
    assert np.allclose(unsorted, image, atol=1e-5)
