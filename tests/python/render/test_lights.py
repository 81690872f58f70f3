# SPDX-License-Identifier: Apache-2.0
"""A Lambertian floor under each kind of light, against the integral."""

import math

import numpy as np
import pytest

import weft
from support.render_scenes import dark_lights, lambert, placed, quad, sphere, top_camera
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Closure,
    Environment,
    Material,
    PointLight,
    SpotLight,
    SunLight,
)

ALBEDO = np.array([0.8, 0.5, 0.2])
COLOR = np.array([1.0, 0.5, 0.25])


def floor_radiance(device, lights=(), objects=(), samples=1024, **others):
    """Mean radiance of a few pixels of the floor around the origin."""
    scene = weft.Scene(
        [placed(quad(20), lambert(ALBEDO.tolist(), "floor")), *objects],
        [*lights, *dark_lights()],
        [top_camera(2, scale=1e-3, height=0.5)],
        **others,
    )
    settings = PathSettings(samples=samples, bounces=1, seed=2)
    return weft.Renderer(device, scene).render(settings=settings).mean(axis=(0, 1))


def irradiance_of_patch(points, normals, areas, radiance=1.0):
    """Irradiance at the origin, facing +z, of small patches that shine towards their normals."""
    squared = (points**2).sum(axis=1)
    direction = points / np.sqrt(squared)[:, None]
    facing = np.maximum(-(direction * normals).sum(axis=1), 0)
    return radiance * (np.maximum(direction[:, 2], 0) * facing * areas / squared).sum()


def rectangle(size, matrix, *, is_ellipse=False, count=400):
    """Patches of a rectangle or ellipse in the xy plane of `matrix`, shining along -z."""
    at = (np.arange(count) + 0.5) / count - 0.5
    x, y = (axis.ravel() for axis in np.meshgrid(at, at))
    inside = x**2 + y**2 <= 0.25 if is_ellipse else np.ones(len(x), bool)
    local = np.stack([x * size[0], y * size[1], 0 * x], 1)[inside]
    points = local @ matrix[:, :3].T + matrix[:, 3]
    normal = -matrix[:, 2] / np.linalg.norm(matrix[:, 2])
    edge = np.linalg.norm(np.cross(matrix[:, 0] * size[0], matrix[:, 1] * size[1]))
    areas = np.full(len(points), edge / count**2)
    return points, np.broadcast_to(normal, points.shape), areas


@pytest.mark.parametrize("radius", [0.0, 0.7])
def test_a_point_light_spreads_its_watts_over_the_sphere(device, radius):
    position = np.array([1.0, 0.5, 2.0])
    squared = (position**2).sum()
    # The intensity of P watts is P / (4 pi).
    irradiance = 50 / (4 * math.pi) * position[2] / squared**1.5

    light = PointLight(position, 50.0, COLOR, radius)
    result = floor_radiance(device, [light])

    assert result == pytest.approx(ALBEDO / math.pi * COLOR * irradiance, rel=0.01)


def test_a_soft_light_is_a_disc_that_faces_the_floor(device):
    radius, height = 0.9, 1.5
    # What faces a disc of radiance L sees pi L sin^2 of it: L is the intensity over pi r^2.
    irradiance = 50 / (4 * math.pi) / (height**2 + radius**2)

    light = PointLight((0, 0, height), 50.0, COLOR, radius, soft_falloff=True)
    result = floor_radiance(device, [light])

    assert result == pytest.approx(ALBEDO / math.pi * COLOR * irradiance, rel=0.01)


def test_a_bounce_that_meets_a_soft_light_sees_its_disc(device):
    light = PointLight((0.2, 0, 1.5), 50.0, COLOR, 0.4, soft_falloff=True)
    mirror = Material("mirror", Closure("glossy", color=(1.0, 1.0, 1.0), roughness=0.0))
    scene = weft.Scene(
        [placed(quad(20), mirror)], [light, *dark_lights()], [top_camera(2, scale=1e-3, height=0.5)]
    )

    seen = weft.Renderer(device, scene).render(settings=PathSettings(samples=4, bounces=2))

    radiance = 50 / (4 * math.pi) * COLOR / (math.pi * 0.4**2)
    assert seen.mean(axis=(0, 1)) == pytest.approx(radiance, rel=0.01)


@pytest.mark.parametrize("angle", [0.0, math.radians(20)])
def test_a_sun_gives_its_strength_to_what_faces_it(device, angle):
    direction = np.array([0.3, -0.2, -1.0])
    cosine = 1 / np.linalg.norm(direction)

    result = floor_radiance(device, [SunLight(direction, 3.0, COLOR, angle)])

    assert result == pytest.approx(ALBEDO / math.pi * COLOR * 3 * cosine, rel=0.01)


@pytest.mark.parametrize("offset", [0.0, 0.9, 1.6])
def test_a_spot_fades_over_its_soft_edge(device, offset):
    outer, blend = math.cos(math.radians(80) / 2), 0.5
    cosine = 2 / math.hypot(2, offset)
    x = np.clip((cosine - outer) / ((1 - outer) * blend), 0, 1)
    irradiance = 50 / (4 * math.pi) * cosine / (4 + offset**2) * x * x * (3 - 2 * x)

    light = SpotLight((offset, 0, 2), (0, 0, -1), math.radians(80), blend, 50.0)
    result = floor_radiance(device, [light])

    assert result == pytest.approx(ALBEDO / math.pi * irradiance, rel=0.01)


@pytest.mark.parametrize("shape", ["rectangle", "ellipse"])
def test_an_area_light_is_the_integral_over_its_patches(device, shape):
    tilt = math.radians(25)
    turn = np.array(
        [[math.cos(tilt), 0, math.sin(tilt)], [0, 1, 0], [-math.sin(tilt), 0, math.cos(tilt)]]
    )
    matrix = np.column_stack([turn, [0.8, 0.2, 1.5]])
    patches = rectangle((2.0, 1.0), matrix, is_ellipse=shape == "ellipse")
    # The radiance of P watts is P / (pi area).
    irradiance = irradiance_of_patch(*patches, radiance=50 / (math.pi * patches[2].sum()))

    result = floor_radiance(device, [AreaLight(matrix, (2.0, 1.0), shape, 50.0, COLOR)])

    assert result == pytest.approx(ALBEDO / math.pi * COLOR * irradiance, rel=0.01)


@pytest.mark.parametrize("spread", [0.8, 2.5])
def test_an_area_light_of_some_spread_is_cut_off_by_slats(device, spread):
    matrix = np.column_stack([np.eye(3), [0.3, 0.1, 1.0]])
    points, normals, areas = rectangle((2.0, 1.0), matrix)
    half = math.tan(spread / 2)
    tangents = np.hypot(points[:, 0], points[:, 1]) / points[:, 2]
    share = np.maximum(half - tangents, 0) / (half - spread / 2)

    result = floor_radiance(
        device,
        [AreaLight(matrix, (2.0, 1.0), power=50.0, color=COLOR, spread=spread)],
        samples=8192,
    )

    irradiance = irradiance_of_patch(points, normals, areas * share, 50.0 / (math.pi * 2.0))
    np.testing.assert_allclose(result, irradiance * COLOR * ALBEDO / math.pi, rtol=0.01)


def test_a_mirror_sees_a_light_of_some_spread_brighter(device):
    light = AreaLight(np.column_stack([np.eye(3), [0, 0, 1]]), (2.0, 2.0), power=50.0, spread=1.2)
    mirror = Material("floor", Closure("glossy", color=(1.0, 1.0, 1.0), roughness=0.0))
    scene = weft.Scene([placed(quad(20), mirror)], [light], [top_camera(4, scale=1e-3, height=0.5)])

    picture = weft.Renderer(device, scene).render(settings=PathSettings(samples=16, bounces=1))

    half = math.tan(0.6)
    assert picture.mean() == pytest.approx(50 / (math.pi * 4) * half / (half - 0.6), rel=0.01)


@pytest.mark.parametrize("spread", [0.0, 4.0, math.nan])
def test_a_spread_out_of_range_is_refused(spread):
    with pytest.raises(ValueError, match="spread must be from"):
        AreaLight(np.eye(4), spread=spread)


def emitter(both_sides):
    inputs = {"color": (4.0, 2.0, 1.0), "strength": 1.5, "both_sides": float(both_sides)}
    return Material("emitter", Closure("emission", **inputs))


@pytest.mark.parametrize(
    ("facing", "both_sides", "expected"),
    [("down", False, 1.0), ("up", False, 0.0), ("up", True, 1.0)],
)
def test_emissive_meshes_shine_from_their_front_or_both_sides(device, facing, both_sides, expected):
    height = 1.2
    flip = -1 if facing == "down" else 1
    panel = placed(quad(1), emitter(both_sides), scale=(1, flip, flip), move=(0.4, 0, height))
    patches = rectangle((1, 1), np.column_stack([np.eye(3), [0.4, 0, height]]))
    irradiance = expected * 1.5 * irradiance_of_patch(*patches) * np.array([4, 2, 1])

    result = floor_radiance(device, objects=[panel])

    assert result == pytest.approx(ALBEDO / math.pi * irradiance, rel=0.01, abs=1e-6)


def turned(axis, angle):
    """A rotation matrix around a coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def test_an_environment_is_the_integral_over_its_pixels(device):
    image = np.random.default_rng(0).random((8, 16, 3)) ** 6
    image[1, 3] = (40, 20, 10)
    rotation = turned(2, 0.7) @ turned(0, 0.4)
    environment = Environment(image, rotation, strength=(1.0, 2.0, 0.5))

    result = floor_radiance(device, environment=environment, samples=4096)

    assert result == pytest.approx(ALBEDO * (1, 2, 0.5) * mean_above(image, rotation), rel=0.015)


def mean_above(image, rotation, count=600):
    """Cosine-weighted mean over the upper half of an equirectangular image."""
    z = (np.arange(count) + 0.5) / count
    sine = np.sqrt(1 - z)  # uniform in the squared sine: density cosine / pi
    phi = 2 * math.pi * (np.arange(count) + 0.5) / count
    s, p = (grid.ravel() for grid in np.meshgrid(sine, phi))
    world = np.stack([s * np.cos(p), s * np.sin(p), np.sqrt(1 - s * s)], 1)
    return lookup(image, world @ rotation.T).mean(axis=0)


def lookup(image, direction):
    """Bilinear lookup with Blender's orientation: the left edge is -x, seen towards +x is half."""
    height, width = image.shape[:2]
    u = 0.5 - np.arctan2(direction[:, 1], direction[:, 0]) / (2 * math.pi)
    v = 0.5 - np.arcsin(np.clip(direction[:, 2], -1, 1)) / math.pi
    x, y = u * width - 0.5, v * height - 0.5
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (x - x0)[:, None], (y - y0)[:, None]
    rows = [np.clip(y0 + k, 0, height - 1) for k in (0, 1)]
    columns = [(x0 + k) % width for k in (0, 1)]
    top, bottom = (image[row, columns[0]] * (1 - fx) + image[row, columns[1]] * fx for row in rows)
    return top * (1 - fy) + bottom * fy


def test_the_light_of_several_lights_adds_up(device):
    lights = [
        PointLight((1, 0, 2), 20.0),
        SunLight((0, 0.3, -1), 0.4),
        SpotLight((0, 1, 2), (0, -0.5, -1), 1.2, 0.1, 30.0),
        AreaLight(np.column_stack([np.eye(3), [0, 0, 1.5]]), power=5.0),
    ]

    alone = [floor_radiance(device, [light]) for light in lights]

    assert floor_radiance(device, lights, samples=4096) == pytest.approx(sum(alone), rel=0.01)


def test_what_stands_between_a_light_and_the_floor_casts_a_shadow(device):
    blocker = placed(quad(0.2), lambert(name="blocker"), move=(0.5, 0, 1))
    light = PointLight((1, 0, 2), 50.0)

    assert floor_radiance(device, [light], [blocker]).max() == 0
    assert floor_radiance(device, [PointLight((-1, 0, 2), 50.0)], [blocker]).min() > 0.01


def test_an_emissive_sphere_equals_a_point_light_of_its_radius(device):
    radius, radiance = 0.5, 3.0
    # Many short edges: the mesh lies inside its sphere.
    shining = Material("emitter", Closure("emission", color=(1, 1, 1), strength=radiance))
    ball = placed(sphere(radius, 48), shining, move=(0.8, 0, 2))
    power = radiance * math.pi * radius**2 * 4 * math.pi

    mesh = floor_radiance(device, objects=[ball], samples=4096)

    assert mesh == pytest.approx(
        floor_radiance(device, [PointLight((0.8, 0, 2), power, radius=radius)]), rel=0.015
    )


def test_a_scene_without_light_is_black_and_says_so(device):
    scene = weft.Scene([placed(quad(), lambert())], dark_lights(), [top_camera()])

    with pytest.warns(RuntimeWarning, match="Renderer: the scene has no light"):
        renderer = weft.Renderer(device, scene)

    assert renderer.render(settings=PathSettings(samples=1)).max() == 0
