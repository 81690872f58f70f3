# SPDX-License-Identifier: Apache-2.0
"""Lights drawn from a tree: probabilities, support, and pictures as with power sampling."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.render.light_rows import triangle_bounds
from weft.render.record import Recorder
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    PointLight,
    SpotLight,
    SunLight,
)

GLOW = Material("glow", Closure("emission", color=(1.0, 0.8, 0.6), strength=3.0))


def facing(position, direction):
    """A transform at `position` whose -z looks along `direction`."""
    z = -np.asarray(direction, float) / np.linalg.norm(direction)
    x = np.cross((0.3, 0.9, 0.2), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z, position])


def all_kinds(count=4, seed=1):
    """`count` of each kind of light above the unit square, their emissive spheres not counted."""
    draw = np.random.default_rng(seed)
    lights = []
    for k in range(count):
        place = [*draw.uniform(-3, 3, 2), draw.uniform(0.5, 2.5)]
        aim = [*draw.uniform(-1, 1, 2), -1.0]
        power = float(draw.uniform(1, 20))
        lights += [
            PointLight(tuple(place), power=power, radius=0.1 * (k % 2), name=f"point {k}"),
            PointLight(
                (*place[:2], 2.0), power=power, radius=0.2, soft_falloff=True, name=f"s {k}"
            ),
            SpotLight(
                tuple(place), tuple(aim), power=power, angle=1.2, radius=0.05, name=f"spot {k}"
            ),
            AreaLight(
                facing(place, aim),
                size=(0.3, 0.5),
                power=power,
                spread=1.5 if k % 2 else np.pi,
                name=f"area {k}",
            ),
        ]
    return lights


def room(lights=(), *, sky=True, sun=True, glow=True, gloss=False, pixels=16):
    """A floor with a ball, two glowing spheres (one mirrored), lights, a sun and a sky."""
    shiny = Material("gloss", Closure("glossy", color=(0.8, 0.7, 0.5), roughness=0.4))
    objects = [
        placed(quad(6), lambert((0.6, 0.5, 0.4)), name="floor"),
        placed(
            sphere(0.5, 8), shiny if gloss else lambert(name="ball"), move=(0, 0, 0.5), name="ball"
        ),
    ]
    if glow:
        ball = sphere(0.2, 4, "light")
        objects.append(placed(ball, GLOW, move=(1.2, 0.4, 0.8), name="one"))
        objects.append(placed(ball, GLOW, scale=(-1, 1, 1), move=(-1, -0.8, 0.4), name="two"))
    lights = [*lights, *([SunLight((0.3, 0.2, -1), strength=0.4, angle=0.1)] if sun else [])]
    environment = Environment(np.random.default_rng(5).random((4, 8, 3)) * 0.2) if sky else None
    camera = Camera(pixels, pixels, transform=Camera.look_at((0, -5, 3), (0, 0, 0.4)))
    return weft.Scene(objects, lights, [camera], environment=environment)


PROBE = """
import weft.render;

export static const uint weft_light_kinds = 0xffffffffu;
export static const bool weft_has_light_tree = true;

float probability(SceneView scene, uint light, float3 place, float3 normal)
{
    return lightProbabilityAt(scene.lights, light, place, normal);
}

float4 draw(SceneView scene, float3 place, float3 normal, uint2 choice, float2 u)
{
    const LightSample s = sampleLights(scene, place, normal, choice, u);
    return float4(asfloat(s.light), s.pdf, s.value.x, s.distance);
}
"""


@pytest.fixture(scope="module")
def lit(device):
    """A renderer of all kinds of lights, and what asks its tree."""
    renderer = weft.Renderer(device, room(all_kinds()), light_sampling="tree")
    return renderer, weft.Module.load_from_source(device, "probe", PROBE)


def probabilities(lit, places, normals):
    """Return with what probability each light is drawn, shape (places, lights)."""
    renderer, probe = lit
    lights = np.arange(renderer.tables.light_count, dtype=np.uint32)[None, :]
    return probe.probability(
        renderer.tables.view, lights, places[:, None, :], normals[:, None, :], _result="numpy"
    )


def places_and_normals(count, seed=2):
    draw = np.random.default_rng(seed)
    normals = draw.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return draw.uniform(-2, 2, (count, 3)).astype(np.float32), normals.astype(np.float32)


def test_probabilities_of_all_lights_sum_to_one(lit):
    places, normals = places_and_normals(200)

    found = probabilities(lit, places, normals)

    # A place where part of the tree does not shine still has lights all around.
    assert np.allclose(found.sum(axis=1), 1, atol=1e-4)
    assert found.min() >= 0
    assert (found == 0).mean() > 0.01


def test_lights_are_drawn_with_the_probability_that_is_told(lit):
    renderer, probe = lit
    places, normals = places_and_normals(6)
    draws = 1 << 15
    random = np.random.default_rng(3)
    choice = random.integers(0, 1 << 32, (draws, 2), dtype=np.uint32)
    u = random.random((draws, 2), dtype=np.float32)
    told = probabilities(lit, places, normals)

    for place, normal, expected in zip(places, normals, told, strict=True):
        found = probe.draw(renderer.tables.view, place, normal, choice, u, _result="numpy")
        numbers = np.ascontiguousarray(found[:, 0]).view(np.uint32)
        counts = np.bincount(numbers, minlength=len(expected))
        error = np.sqrt(np.maximum(draws * expected * (1 - expected), 1))
        assert (np.abs(counts - draws * expected) < 5 * error + 1).all()
        assert (counts[expected == 0] == 0).all()


def test_flat_triangles_far_from_the_origin_shine_to_all_sides_of_the_tree():
    far = np.full(3, 1000, np.float32)
    sliver = np.array([[[0, 0, 0], [1e-6, 0, 0], [0, 1e-6, 0]]], np.float32) + far

    bounds = triangle_bounds(sliver, both=False)

    assert np.linalg.norm(bounds[0, 6:9]) == pytest.approx(1)
    assert bounds[0, 9] == pytest.approx(np.pi)


def test_a_light_that_is_never_drawn_brings_nothing(device, lit):
    renderer, _ = lit
    power = weft.Module.load_from_source(
        device,
        "probe_power",
        PROBE.replace("weft_has_light_tree = true", "weft_has_light_tree = false"),
    )
    places, normals = places_and_normals(40)
    random = np.random.default_rng(4)
    choice = random.integers(0, 1 << 32, (4000, 2), dtype=np.uint32)
    u = random.random((4000, 2), dtype=np.float32)
    told = probabilities(lit, places, normals)
    for place, normal, expected in zip(places, normals, told, strict=True):
        drawn = power.draw(renderer.tables.view, place, normal, choice, u, _result="numpy")
        numbers = np.ascontiguousarray(drawn[:, 0]).view(np.uint32)
        assert drawn[expected[numbers] == 0, 2].max(initial=0) == 0


def mean_and_error(renderer, samples, seeds):
    """Mean over the picture, and its standard error."""
    settings = [PathSettings(samples=samples, bounces=3, seed=s, roulette_from=None) for s in seeds]
    means = [renderer.render(settings=entry).mean(axis=(0, 1)) for entry in settings]
    return np.mean(means, axis=0), np.std(means, axis=0, ddof=1) / np.sqrt(len(means))


@pytest.mark.parametrize("gloss", [False, pytest.param(True, marks=pytest.mark.full)])
def test_pictures_are_those_of_power_sampling(device, gloss):
    scene = room(all_kinds(3), gloss=gloss, pixels=12)
    found = {
        kind: mean_and_error(weft.Renderer(device, scene, light_sampling=kind), 32, range(12))
        for kind in ("tree", "power")
    }

    (tree, tree_error), (power, power_error) = found["tree"], found["power"]
    assert (np.abs(tree - power) < 4 * np.hypot(tree_error, power_error)).all()
    assert (np.hypot(tree_error, power_error) < 0.02 * power).all()
    assert (tree_error < 1.2 * power_error).all()


def test_many_lights_are_less_noisy_than_by_power(device):
    draw = np.random.default_rng(6)
    lights = [
        PointLight((*draw.uniform(-3, 3, 2), 0.3), power=1.0, radius=0.05, name=f"light {k}")
        for k in range(300)
    ]
    scene = room([*lights, *all_kinds(1)], pixels=12)
    exact = weft.Renderer(device, scene, light_sampling="tree").render(
        settings=PathSettings(samples=256, bounces=1, seed=99)
    )
    error = {}
    for kind in ("tree", "power"):
        renderer = weft.Renderer(device, scene, light_sampling=kind)
        image = renderer.render(settings=PathSettings(samples=8, bounces=1, seed=1))
        error[kind] = float(((image - exact) ** 2).mean())

    assert error["tree"] < 0.2 * error["power"]


def test_auto_takes_the_tree_for_many_lights_only(device):
    few = room(all_kinds(1), glow=False)
    many = room(all_kinds(2), glow=False)

    assert not weft.Renderer(device, few).tables.has_light_tree
    assert weft.Renderer(device, many).tables.has_light_tree
    assert not weft.Renderer(device, many, light_sampling="power").tables.has_light_tree
    assert not weft.Renderer(
        device, room(glow=False), light_sampling="tree"
    ).tables.has_light_tree  # a sun and a sky are in no tree
    with pytest.raises(weft.ArgumentError, match="light_sampling must be one of auto, power, tree"):
        weft.Renderer(device, few, light_sampling="best")


@pytest.mark.full
def test_pictures_of_a_seed_are_equal_and_records_bring_the_same(device):
    scene = room(all_kinds(), pixels=8)
    renderer = weft.Renderer(device, scene, light_sampling="tree")
    settings = PathSettings(samples=4, bounces=3, roulette_from=None, seed=3)

    image = renderer.render(settings=settings)
    recorder = Recorder(renderer, [0], None)
    recorder.draw(scene.cameras[0], settings)
    recorder.replay(renderer.tables.values)
    record = recorder.resolve_to_host(0, settings.samples, with_tangents=False)[0]

    assert np.array_equal(image, renderer.render(settings=settings))
    assert np.allclose(record.reshape(image.shape), image, atol=1e-4, rtol=1e-4)
