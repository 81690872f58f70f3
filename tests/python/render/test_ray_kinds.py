# SPDX-License-Identifier: Apache-2.0
"""Materials, objects and environments that are not the same for all kinds of ray."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.media_scenes import slab
from weft.render import PathSettings
from weft.scene import (
    Attribute,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    Mix,
    Object,
    PointLight,
    Scene,
    SlangCall,
    ray_kinds,
)

WHITE = Material("white", Closure("diffuse", color=(0.5, 0.5, 0.5)))
SKY = (1.0, 1.0, 1.0)
PACK = "float3 pack(float x0, float x1, float x2) { return float3(x0, x1, x2); }"


def square(size, height=0.0, name="square"):
    """Return a square that faces up."""
    corners = np.float32([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * size
    corners[:, 2] = height
    return Mesh(corners, np.uint32([[0, 1, 2], [0, 2, 3]]), name=name)


def camera(height=3.0):
    """Return a camera that looks down."""
    look = Camera.look_at((0, 0, height), (0, 0, 0), up=(0, 1, 0))
    return Camera(8, 8, fov=0.2, transform=look)


def mean(device, scene, **settings):
    """Return the mean radiance of a small picture."""
    picture = weft.Renderer(device, scene).render(
        settings=PathSettings(**{"samples": 64, "bounces": 4, "roulette_from": None} | settings)
    )
    return picture.mean(axis=(0, 1))


def floor_scene(*more, environment=None, lights=(), material=WHITE):
    """Return a floor below a camera."""
    objects = [Object(square(20), [material], name="floor"), *more]
    return Scene(objects, list(lights), [camera()], environment)


def glow(value):
    return Closure("emission", color=(1.0, 1.0, 1.0), strength=value)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (Attribute.IS_CAMERA_RAY, 1.0),
        (Attribute.IS_DIFFUSE_RAY, 0.0),
        (Attribute.RAY_LENGTH, 3.0),
        (Attribute.RAY_DEPTH, 0.0),
    ],
)
def test_a_surface_knows_the_ray_of_the_camera(device, attribute, expected):
    scene = floor_scene(material=Material("m", glow(attribute)))

    assert mean(device, scene) == pytest.approx([expected] * 3, abs=0.02)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("closure", "kinds"),
    [
        (Closure("diffuse", color=SKY), {"IS_DIFFUSE_RAY", "IS_REFLECTION_RAY", "DIFFUSE_DEPTH"}),
        (
            Closure("glossy", color=SKY, roughness=0.5),
            {"IS_GLOSSY_RAY", "IS_REFLECTION_RAY", "GLOSSY_DEPTH"},
        ),
        (
            Closure("glossy", color=SKY, roughness=0.0),
            {"IS_GLOSSY_RAY", "IS_SINGULAR_RAY", "IS_REFLECTION_RAY", "GLOSSY_DEPTH"},
        ),
        (
            Closure("translucent", color=SKY),
            {"IS_DIFFUSE_RAY", "IS_TRANSMISSION_RAY", "TRANSMISSION_DEPTH"},
        ),
        (
            Closure("refraction", color=SKY, roughness=0.0, ior=1.0),
            {"IS_GLOSSY_RAY", "IS_SINGULAR_RAY", "IS_TRANSMISSION_RAY", "TRANSMISSION_DEPTH"},
        ),
    ],
    ids=lambda entry: entry.kind if isinstance(entry, Closure) else "",
)
def test_a_surface_knows_the_ray_of_a_bounce(device, closure, kinds):
    # What the ray meets shines where it is of the kind, red for one, green and blue for others.
    names = [a.name for a in Attribute if a.is_of_ray and a.name != "RAY_LENGTH"]
    down = closure.kind in ("translucent", "refraction")
    hidden = [
        "glossy" if "IS_DIFFUSE_RAY" in kinds else "diffuse"
    ]  # no light rays, which are of no kind
    found = {}
    for first in range(0, len(names), 3):
        part = (names + names)[first : first + 3]
        arguments = {f"x{k}": Attribute[name] for k, name in enumerate(part)}
        shining = Closure(
            "emission", color=SlangCall("pack", PACK, arguments, 3, is_differentiable=False)
        )
        shell = Object(
            square(400, -1.0 if down else 4.0), [Material("m2", shining)], hidden_from=hidden
        )
        scene = floor_scene(shell, material=Material("m", closure))
        found |= dict(zip(part, mean(device, scene, samples=16, bounces=1), strict=True))
    expected = {name: 1.0 if name in {*kinds, "RAY_DEPTH"} else 0.0 for name in names}
    assert found == pytest.approx(expected, abs=0.15)


@pytest.mark.full
def test_rays_that_media_scatter_are_known(device):
    seen = Material("m", glow(Attribute.IS_VOLUME_SCATTER_RAY))
    fog = slab("fog", Closure("medium", scattering=(1.0, 1.0, 1.0)), (-4, -4, 0.1), (4, 4, 2))

    assert mean(device, floor_scene(material=seen), samples=8).max() == 0
    assert mean(device, floor_scene(fog, material=seen), samples=32).min() > 0.1


def test_shadows_know_that_they_are_shadows(device):
    veil = Mix(Closure("diffuse", color=SKY), Closure("transparent"), Attribute.IS_SHADOW_RAY)
    light = PointLight((3, 0, 6), power=1000)
    lid = Object(square(1.5, 1.0), [Material("veil", veil)], np.eye(4), name="lid")
    lid = Object(
        lid.mesh,
        lid.materials,
        np.block([[np.eye(3), np.array([[1.5], [0], [2.5]])], [0, 0, 0, 1]]),
    )

    open_ = mean(device, floor_scene(lights=[light]), bounces=1)
    shaded = mean(device, floor_scene(lid, lights=[light]), bounces=1)

    assert shaded == pytest.approx(open_, rel=1e-4)


def card(strength=5.0, **more):
    return Object(square(2, 1.0), [Material("card", glow(strength))], name="card", **more)


@pytest.mark.full
def test_what_is_hidden_from_cameras_shines_on(device):
    seen = mean(device, floor_scene(card()))
    lit = mean(device, floor_scene(card(hidden_from=["camera"])))
    closed_form = 5.0 * 0.5 * 2**2 * 4 / (np.pi * 1.0)  # far field would be this much at most

    assert seen == pytest.approx([5.0] * 3)
    assert 1.0 < lit[0] < closed_form


def test_what_is_hidden_from_light_rays_casts_no_shadow(device):
    light = PointLight((0, 0, 6), power=1000)
    black = Material("black", Closure("none"))
    lid = square(1, 4.0)

    open_ = mean(device, floor_scene(lights=[light]), bounces=1)
    hidden = floor_scene(Object(lid, [black], hidden_from=["shadow"]), lights=[light])
    opaque = floor_scene(Object(lid, [black]), lights=[light])

    assert mean(device, opaque, bounces=1).max() == 0
    assert mean(device, hidden, bounces=1) == pytest.approx(open_, rel=1e-4)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("closure", "kind"),
    [
        (Closure("diffuse", color=SKY), "diffuse"),
        (Closure("glossy", color=SKY, roughness=0.3), "glossy"),
        (Closure("glossy", color=SKY, roughness=0.0), "glossy"),
        (Closure("refraction", color=SKY, roughness=0.0, ior=1.0), "transmission"),
    ],
)
def test_objects_and_skies_are_hidden_from_bounces_of_a_kind(device, closure, kind):
    material = Material("m", closure)
    shell = square(400, -1.0 if kind == "transmission" else 4.0)
    shining = [Material("shell", glow(1.0))]
    for other in ("diffuse", "glossy", "transmission"):
        scene = floor_scene(Object(shell, shining, hidden_from=[other]), material=material)
        sky = floor_scene(environment=Environment(SKY, hidden_from=[other]), material=material)
        expected = 0.0 if other == kind else 1.0
        assert mean(device, scene, bounces=1) == pytest.approx([expected] * 3, abs=0.1)
        assert mean(device, sky, bounces=1) == pytest.approx([expected] * 3, abs=0.1)


def test_many_hidden_surfaces_are_passed(device):
    plates = [Object(square(1, 0.1 + 0.02 * k), [WHITE], hidden_from=["camera"]) for k in range(40)]
    scene = floor_scene(*plates, material=Material("m", glow(1.0)))

    layers = weft.Renderer(device, scene).render(
        settings=PathSettings(samples=4, bounces=2), aovs=["depth", "object", "alpha"]
    )

    assert layers["color"] == pytest.approx(np.ones((8, 8, 3)))
    assert layers["depth"] == pytest.approx(np.full((8, 8, 1), 3.0), rel=1e-4)
    assert set(layers["object"].ravel()) == {0}
    assert layers["alpha"] == pytest.approx(np.ones((8, 8, 1)))


def test_kinds_of_ray_see_skies_of_their_own(device):
    views = {"camera": np.float32((4, 4, 4))}
    scene = floor_scene(environment=Environment(SKY, views=views))

    assert mean(device, scene, bounces=1) == pytest.approx([0.5] * 3, abs=0.01)
    scene.cameras = [
        Camera(8, 8, fov=0.2, transform=Camera.look_at((0, 0, 3), (0, 0, 9), up=(0, 1, 0)))
    ]
    assert mean(device, scene) == pytest.approx([4.0] * 3)
    scene.environment = Environment(SKY, hidden_from=["camera"])
    assert mean(device, scene) == pytest.approx([0.0] * 3)


def test_wrong_kinds_of_ray_are_refused():
    with pytest.raises(weft.ArgumentError, match="Object 'card': kinds of ray are a sequence of"):
        card(hidden_from=["cameras"])
    with pytest.raises(weft.ArgumentError, match="Environment 'environment': kinds of ray are"):
        Environment(SKY, hidden_from="camera")
    with pytest.raises(weft.ArgumentError, match="must have the shape of the image"):
        Environment(SKY, views={"camera": np.zeros((4, 8, 3), np.float32)})


def test_scenes_with_kinds_of_ray_come_back_from_files(device, tmp_path):
    scene = floor_scene(
        card(hidden_from=["camera"]),
        environment=Environment(SKY, views={"camera": np.float32((4, 4, 4))}),
    )
    scene.save(tmp_path / "kinds.weft")

    assert mean(device, Scene.load(tmp_path / "kinds.weft"), samples=4) == pytest.approx(
        mean(device, scene, samples=4)
    )


def test_the_name_of_before_warns():
    with pytest.warns(DeprecationWarning, match="LIGHT_RAY_KINDS"):
        assert ray_kinds.LAMP_KINDS is ray_kinds.LIGHT_RAY_KINDS
    with pytest.raises(AttributeError, match="LAMPS"):
        _ = ray_kinds.LAMPS
