# SPDX-License-Identifier: Apache-2.0
"""Normal maps and bumps: their vectors, what they do to closures, and derivatives beside them."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, sphere, top_camera
from weft.fit import Fit, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    Attribute,
    Bump,
    Camera,
    Closure,
    Environment,
    Material,
    Mix,
    NormalMap,
    Object,
    Scene,
    SlangCall,
    SunLight,
    Texture,
    principled,
)

SHOW = "float3 show(float3 n) { return 2.f + n; }"
RAMP = "float ramp(float2 uv, float2 slope) { return dot(uv, slope); }"
PLACE = "float place(float3 p, float3 slope) { return dot(p, slope); }"
# Cycles' first axis on a level surface, which the wave runs along: across (1, 1, 1) and the normal.
WAVE = """float wave(float3 p, float length)
{ return sin(6.2831853f * dot(p, float3(1.f, -1.f, 0.f)) * 0.70710678f / length); }"""
SETTINGS = PathSettings(samples=8, bounces=1, roulette_from=None, seed=4)


def shown(device, value, transform=None, mesh=None, copies=1, below=False):
    """What a camera above or below a square sees of a vector, at the picture's centre."""
    light = SlangCall("show", SHOW, {"n": value}, size=3, is_differentiable=False)
    material = Material("m", Closure("emission", color=light, strength=1.0))
    mesh = mesh or quad(2)
    far = np.column_stack([np.eye(3), [0, 0, 100.0]])
    objects = [Object(mesh, [material], transform)] + [Object(mesh, [material], far)] * (copies - 1)
    camera = top_camera(4, scale=0.1)
    if below:
        flip = np.column_stack([np.diag([1.0, -1.0, -1.0]), [0, 0, -3.0]])
        camera = Camera(4, 4, "orthographic", scale=0.1, transform=flip)
    renderer = weft.Renderer(device, Scene(objects, cameras=[camera]))
    return renderer.render(settings=PathSettings(samples=1, bounces=0)).mean(axis=(0, 1)) - 2


def unit(*vector):
    return np.array(vector, float) / np.linalg.norm(vector)


def colour_of(vector):
    return tuple(0.5 + 0.5 * unit(*vector))


def test_a_normal_map_turns_towards_u_and_v(device):
    assert shown(device, NormalMap(colour_of((0.6, -0.3, 1)))) == pytest.approx(
        unit(0.6, -0.3, 1), abs=1e-5
    )


def test_strength_flattens_a_normal_map(device):
    x, y, z = unit(0.6, -0.3, 1)
    wanted = unit(0.25 * x, 0.25 * y, 0.75 + 0.25 * z)

    assert shown(device, NormalMap(colour_of((0.6, -0.3, 1)), 0.25)) == pytest.approx(
        wanted, abs=1e-5
    )
    assert shown(device, NormalMap(colour_of((0.6, -0.3, 1)), 0.0)) == pytest.approx((0, 0, 1))


@pytest.mark.parametrize("copies", [1, 2])
def test_tangents_follow_the_object(device, copies):
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) * 3.0
    transform = np.column_stack([turn, np.zeros(3)])

    normal = shown(device, NormalMap(colour_of((0.6, -0.3, 1))), transform, copies=copies)

    assert normal == pytest.approx(unit(0.3, 0.6, 1), abs=1e-5)


def test_a_mirrored_object_mirrors_its_normal_map(device):
    transform = np.column_stack([np.diag([-1.0, 1.0, 1.0]), np.zeros(3)])

    normal = shown(device, NormalMap(colour_of((0.6, -0.3, 1))), transform)

    assert normal == pytest.approx(unit(-0.6, -0.3, 1), abs=1e-5)


@pytest.mark.parametrize("space", ["object", "world"])
def test_normal_maps_of_other_spaces(device, space):
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    transform = np.column_stack([turn, np.zeros(3)])

    normal = shown(device, NormalMap(colour_of((0.6, 0, 1)), space=space), transform, copies=2)

    assert normal == pytest.approx(
        unit(*((0, 0.6, 1) if space == "object" else (0.6, 0, 1))), abs=1e-5
    )


def test_seen_from_behind_a_normal_map_is_turned_around(device):
    normal = shown(device, NormalMap(colour_of((0.6, -0.3, 1))), below=True)

    assert normal == pytest.approx(-unit(0.6, -0.3, 1), abs=1e-5)


def test_a_mesh_without_uvs_keeps_its_normal(device):
    bare = quad(2)
    bare.uvs = {}

    assert shown(device, NormalMap(colour_of((0.6, -0.3, 1))), mesh=bare) == pytest.approx(
        (0, 0, 1)
    )


def test_a_bump_leans_against_the_slope(device):
    # UVs cross a square of 2 m: the slope of the height is half that along uv.
    height = SlangCall("ramp", RAMP, {"uv": Attribute.UV, "slope": (0.8, -0.4)})

    normal = shown(device, Bump(height, distance=0.5))

    assert normal == pytest.approx(unit(-0.2, 0.1, 1), abs=2e-3)


def test_the_height_may_depend_on_the_place(device):
    height = SlangCall("place", PLACE, {"p": Attribute.POSITION, "slope": (0.3, 0.6, 0.0)})
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]) * 2
    transform = np.column_stack([turn, np.zeros(3)])

    normal = shown(device, Bump(height, distance=-1.0), transform, copies=2)

    assert normal == pytest.approx(unit(0.3, 0.6, 1), abs=2e-3)


def test_a_bump_of_a_texture_has_the_slope_between_texels(device):
    ramp = np.broadcast_to((np.arange(4) + 0.5)[None, :, None] / 4, (4, 4, 1))

    normal = shown(device, Bump(Texture(ramp, "extend"), distance=1.0))

    assert normal == pytest.approx(unit(-0.5, 0, 1), abs=1e-3)


@pytest.mark.parametrize("far", [1.0, 4.0])
@pytest.mark.parametrize("width", [0.05, 0.25])
def test_slopes_are_taken_over_part_of_a_pixel(device, width, far):
    """Of a wave that is as long as its step the slope is 0; of another, as differences say."""
    pixel = far * 0.1 / 8
    step = width * pixel
    lifted = np.column_stack([np.eye(3), (0, 0, far)])
    camera = Camera(8, 8, fov=2 * np.arctan(0.05), transform=lifted)
    seen = []
    for wave in (step, 8 * step):
        height = SlangCall("wave", WAVE, {"p": Attribute.POSITION, "length": wave})
        bump = Bump(height, distance=0.1 * wave, filter_width=width)
        light = SlangCall("show", SHOW, {"n": bump}, size=3, is_differentiable=False)
        material = Material("m", Closure("emission", color=light, strength=1.0))
        scene = Scene([Object(quad(2), [material])], cameras=[camera])
        settings = PathSettings(samples=64, bounces=0)
        image = weft.Renderer(device, scene).render(settings=settings) - 2
        seen.append(image[..., 2].mean())

    # Mean cosine of slopes d cos(x), d = 0.2 pi sin(pi / 8) / (pi / 8), along one of two axes.
    x = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    depth = 0.2 * np.pi * np.sinc(1 / 8)
    expected = (1 / np.sqrt(1 + (depth * np.cos(x)) ** 2)).mean()
    assert seen[0] == pytest.approx(1.0, abs=2e-3)
    assert seen[1] == pytest.approx(expected, abs=5e-3)


def test_strength_and_a_normal_to_start_from_are_blended(device):
    height = SlangCall("ramp", RAMP, {"uv": Attribute.UV, "slope": (0.8, 0.0)})
    start = NormalMap(colour_of((0, 0.5, 1)))
    steep = unit(-0.4, 0.5, 1)
    first = shown(device, Bump(height, distance=1.0, normal=start))

    assert shown(device, Bump(height, 0.0, 1.0, start)) == pytest.approx(unit(0, 0.5, 1), abs=1e-4)
    half = first + unit(0, 0.5, 1)
    assert shown(device, Bump(height, 0.5, 1.0, start)) == pytest.approx(unit(*half), abs=1e-4)
    assert first[0] < -0.25
    assert abs(first[1] - steep[1]) < 0.2


@pytest.mark.parametrize("kind", ["diffuse", "glossy", "principled"])
def test_wild_normals_leave_no_holes(device, kind):
    pixels = np.random.default_rng(3).random((16, 16, 3))
    color = {"base_color": (1, 1, 1)} if kind == "principled" else {"color": (1, 1, 1)}
    surface = Closure(
        kind, roughness=0.2, normal=NormalMap(Texture(pixels, filter="closest")), **color
    )
    camera = Camera(16, 16, transform=Camera.look_at((0, -3, 0.4), (0, 0, 0)), fov=0.5)
    ball = placed(sphere(0.5, 12), Material("m", surface))
    scene = Scene([ball], cameras=[camera], environment=Environment(np.ones(3)))
    settings = PathSettings(samples=32, bounces=8, roulette_from=None, seed=1)

    image = weft.Renderer(device, scene).render(settings=settings)

    assert np.isfinite(image).all()
    assert image.min() > 0.1
    assert image.max() < 1.6


def test_light_from_above_shows_the_tilt(device):
    surface = Closure("diffuse", color=(0.5, 0.5, 0.5), normal=NormalMap(colour_of((0.5, 0, 1))))
    scene = Scene(
        [Object(quad(2), [Material("m", surface)])],
        [SunLight((0, 0, -1), strength=np.pi)],
        [top_camera(4)],
    )

    image = weft.Renderer(device, scene).render(settings=SETTINGS)

    assert image == pytest.approx(0.5 * unit(0.5, 0, 1)[2], abs=1e-4)


def test_a_coat_lies_smooth_over_bumps(device):
    tilted = NormalMap(colour_of((0.8, 0, 1)))
    mirror = {
        "coat_weight": 1.0,
        "coat_roughness": 0.0,
        "base_color": (0, 0, 0),
        "specular_level": 0.0,
    }
    scene = Scene(
        [Object(quad(2), [principled("m", normal=tilted, **mirror)])],
        cameras=[top_camera(4)],
        environment=Environment(np.ones(3)),
    )

    image = weft.Renderer(device, scene).render(settings=SETTINGS)

    # 0.04 of the sky straight above; a tilted coat would show more of what lies lower.
    assert image.mean() == pytest.approx(0.04, abs=0.01)


@pytest.fixture(scope="module")
def bumpy(device):
    """A mixture with two normals, and a record of its paths."""
    rng = np.random.default_rng(5)
    mapped = NormalMap(Texture(rng.random((4, 4, 3)) * 0.5 + (0.25, 0.25, 0.5)))
    height = Bump(Texture(rng.random((4, 4))), distance=0.1)
    gloss = Closure(
        "principled",
        base_color=(0.8, 0.4, 0.2),
        roughness=0.43,
        coat_weight=0.5,
        normal=mapped,
    )
    surface = Mix(gloss, Closure("diffuse", color=(0.2, 0.3, 0.8), normal=height), 0.3)
    scene = Scene(
        [
            placed(sphere(), Material("m", surface), move=(0, 0, 1)),
            placed(quad(8), principled("floor")),
        ],
        cameras=[Camera(12, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(rng.random((4, 8, 3))),
    )
    renderer = weft.Renderer(device, scene)
    recorder = Recorder(
        renderer, [0], Directions(device, renderer.tables.materials, directions(renderer))
    )
    settings = PathSettings(samples=4, bounces=2, roulette_from=None, seed=3)
    recorder.draw(scene.cameras[0], settings)
    return renderer, recorder, settings


def directions(renderer):
    ranges = renderer.tables.materials.ranges
    rows = np.zeros((2, renderer.tables.values.shape[0]), np.float32)
    rows[0, ranges["m.first.base_color"].first + 1] = 1
    rows[0, ranges["m.second.color"].first + 2] = -0.5
    rows[1, ranges["m.first.roughness"].first] = 1
    rows[1, ranges["m.factor"].first] = 0.5
    return rows


@pytest.mark.full
def test_replayed_paths_give_the_rendered_picture(bumpy):
    renderer, recorder, settings = bumpy
    image = renderer.render(settings=settings).reshape(-1, 3)

    recorder.replay(renderer.tables.values)

    assert np.abs(recorder.resolve_to_host(0, 4, with_tangents=False)[0] - image).max() < 1e-4


@pytest.mark.full
def test_other_inputs_have_derivatives(bumpy, device):
    renderer, recorder, _ = bumpy
    values, rows = renderer.tables.values.to_numpy(), directions(renderer)
    recorder.replay(renderer.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 4, with_tangents=True)[1:]

    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (5e-3, -5e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        # Second order: the step's square times the third derivative.
        assert np.abs((sides[0] - sides[1]) / 1e-2 - tangent).max() < 2e-3

    weights = np.random.default_rng(1).normal(size=(144, 3)).astype(np.float32)
    gradients = weft.Tensor.zeros(device, (rows.shape[1],))
    recorder.replay(renderer.tables.values)
    recorder.gradients(
        renderer.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )
    forward = (tangents * weights).sum(axis=(1, 2))
    assert rows @ gradients.to_numpy() == pytest.approx(forward, rel=1e-3, abs=1e-3)


def test_fits_of_normals_are_refused(device):
    texture = Texture(np.full((4, 4, 3), 0.5))
    material = principled("m", base_color=texture, normal=NormalMap(texture, strength=0.5))
    scene = Scene(
        [Object(quad(2), [material])], cameras=[top_camera(4)], environment=Environment(np.ones(3))
    )
    target = Target(np.ones((4, 4, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match=r"'m.normal.strength' drives a normal"):
        Fit(scene, [target], [Parameter("m.normal.strength")], device=device)
    for name in ("m.normal.color", "m.base_color"):
        with pytest.raises(weft.ArgumentError, match="drives a normal"):
            Fit(scene, [target], [TextureParameter(name)], device=device)


def test_wrong_normals_are_refused():
    with pytest.raises(weft.ArgumentError, match="color takes 3 or 4 numbers, got 1"):
        NormalMap(0.5)
    with pytest.raises(weft.ArgumentError, match="space must be one of"):
        NormalMap((0.5, 0.5, 1), space="uv")
    with pytest.raises(weft.ArgumentError, match="step must be above 0"):
        Bump(0.5, step=0.0)
    with pytest.raises(weft.ArgumentError, match="filter_width must be above 0 pixels"):
        Bump(0.5, filter_width=0.0)
    with pytest.raises(weft.ArgumentError, match="goes through NormalMap"):
        Closure("diffuse", normal=0.5)
    with pytest.raises(weft.ArgumentError, match="no input 'coat_normal'"):
        Closure("diffuse", coat_normal=NormalMap((0.5, 0.5, 1)))
