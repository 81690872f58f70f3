# SPDX-License-Identifier: Apache-2.0
"""A scene with something of everything, and what people do to scenes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import weft
from support.render_scenes import dark_lights, lambert, placed, quad, sphere
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    LightPaths,
    LightProfile,
    Material,
    PointLight,
    SpotLight,
    SunLight,
    Texture,
    principled,
    with_inputs,
)


def pixels(seed, size=4, channels=3):
    """Return random texels."""
    return np.random.default_rng(seed).random((size, size, channels), np.float32)


def edited_scene():
    """Return a floor, two balls, one of them textured, a light of each kind, and a sky."""
    floor = placed(quad(6), principled("floor", roughness=0.4), name="floor")
    paint = principled("paint", base_color=Texture(pixels(1), name="spots"), roughness=0.6)
    ball = placed(sphere(0.7, 6), paint, move=(-0.8, 0, 0.7), name="ball")
    other = placed(sphere(0.5, 5), lambert((0.7, 0.3, 0.2)), move=(0.9, 0.3, 0.5), name="other")
    emitter = placed(
        quad(0.6), Material("emitter", Closure("emission", strength=4.0)), name="emitter"
    )
    emitter = replace(emitter, transform=np.array([[1, 0, 0, 0.2], [0, -1, 0, 0], [0, 0, -1, 2.5]]))
    lights = [
        PointLight((1, -1, 3), power=60.0, radius=0.1),
        SpotLight((-2, 0, 3), (0.5, 0, -1), angle=1.2, power=90.0),
        SunLight((0.2, 0.3, -1), strength=0.5),
        AreaLight(np.eye(4)[:3] + np.array([[0, 0, 0, 2], [0, 0, 0, 2], [0, 0, 0, 3]]), power=30.0),
        *dark_lights(),
    ]
    camera = Camera(8, 8, transform=Camera.look_at((0, -5, 3), (0, 0, 0.5)))
    return weft.Scene([floor, ball, other, emitter], lights, [camera], Environment(pixels(2, 6)))


def _with_object(scene, number, **changes):
    objects = list(scene.objects)
    objects[number] = replace(objects[number], **changes)
    return replace(scene, objects=objects)


def _with_light(scene, number, **changes):
    lights = list(scene.lights)
    lights[number] = replace(lights[number], **changes)
    return replace(scene, lights=lights)


def _moved(number):
    def edit(scene, rng):
        transform = scene.objects[number].transform.copy()
        transform[:, 3] += rng.uniform(-0.2, 0.2, 3)
        return _with_object(scene, number, transform=transform)

    return edit


def _turned(scene, rng):
    angle = rng.uniform(0, 3)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0]])
    transform = scene.objects[1].transform.copy()
    transform[:, :3] = 1.2 * np.vstack([turn, [0, 0, 1]])
    return _with_object(scene, 1, transform=transform)


def _with_environment(scene, **changes):
    return replace(scene, environment=replace(scene.environment, **changes))


def _painted(scene, rng, size=4, filter_="linear"):
    texture = Texture(pixels(int(rng.integers(1e6)), size), filter=filter_, name="spots")
    paint = principled("paint", base_color=texture, roughness=0.6)
    return _with_object(scene, 1, materials=[paint])


def _reshaped(rings):
    def edit(scene, rng):
        return _with_object(scene, 1, mesh=sphere(rng.uniform(0.5, 0.8), rings))

    return edit


def _brighter(scene, rng):
    value = {"emitter.strength": rng.uniform(1, 8)}
    return with_inputs(scene, value) if "emitter" in {m.name for m in scene.materials()} else scene


def _profiled(scene, rng):
    image = 0.5 + pixels(int(rng.integers(1e6)), 4)
    return _with_light(scene, 0, profile=LightProfile(image))


SAME_KERNELS = {
    "point moved": lambda s, r: _with_light(s, 0, position=(*r.uniform(-1, 1, 2), 3.0)),
    "spot turned": lambda s, r: _with_light(s, 1, direction=(r.uniform(-1, 1), 0.2, -1)),
    "sun turned": lambda s, r: _with_light(s, 2, direction=(r.uniform(-1, 1), 0.2, -1)),
    "area resized": lambda s, r: _with_light(s, 3, size=tuple(r.uniform(0.2, 2, 2))),
    "light dimmed": lambda s, r: _with_light(s, 0, power=r.uniform(10, 90)),
    "light added": lambda s, r: replace(
        s, lights=[*s.lights, PointLight(tuple(r.uniform(1, 2, 3)), power=20.0)]
    ),
    "light removed": lambda s, r: replace(s, lights=s.lights[:-1]) if len(s.lights) > 8 else s,
    "sky turned": lambda s, r: _with_environment(
        s, rotation=np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    ),
    "sky dimmed": lambda s, r: _with_environment(s, strength=r.uniform(0.1, 2)),
    "sky replaced": lambda s, r: _with_environment(s, image=pixels(int(r.integers(1e6)), 6)),
    "sky of another size": lambda s, r: _with_environment(s, image=pixels(int(r.integers(9)), 3)),
    "slider": lambda s, r: with_inputs(s, {"floor.roughness": r.uniform(0.1, 1)}),
    "color": lambda s, r: with_inputs(s, {"lambert.color": tuple(r.uniform(0, 1, 3))}),
    "emission": _brighter,
    "texture swapped": _painted,
    "texture resized": lambda s, r: _painted(s, r, 7),
    "floor moved": _moved(0),
    "ball moved": _moved(1),
    "ball turned": _turned,
    "emissive object moved": _moved(3),
    "mesh changed": _reshaped(6),
    "mesh of another size": _reshaped(8),
    "object added": lambda s, r: replace(
        s,
        objects=[*s.objects, placed(sphere(0.2, 4), lambert(name=f"l{len(s.objects)}"))],
    ),
    "last object removed": lambda s, r: (
        replace(s, objects=s.objects[:-1]) if len(s.objects) > 4 else s
    ),
    "camera": lambda s, r: replace(
        s,
        cameras=[
            Camera(8, 8, transform=Camera.look_at((r.uniform(-1, 1), -5, 3), (0, 0, 0.5))),
        ],
    ),
    "nothing": lambda s, r: replace(s),
}
"""Edits by name, which take a scene and a generator of random numbers; kernels stay the same."""


def _volume(name="fog"):
    fog = Closure("medium", scattering=(0.3, 0.3, 0.3))
    return Material(name, Closure("transparent"), volume=fog)


def _varying():
    texture = Texture(pixels(5), name="glow")
    return Material("emitter", Closure("emission", color=texture, strength=4.0))


OTHER_KERNELS = {
    "no objects": lambda s, r: replace(s, objects=[]),
    "instance": lambda s, r: replace(
        s,
        objects=[*s.objects, replace(s.objects[1], transform=np.eye(4)[:3] * 0.5, name="copy")],
    ),
    "mirrored": lambda s, r: _with_object(s, 1, transform=np.diag([-1.0, 1, 1, 1])[:3]),
    "lights of one kind": lambda s, r: replace(s, lights=s.lights[:1]),
    "no sky": lambda s, r: replace(s, environment=None),
    "other material": lambda s, r: _with_object(
        s, 2, materials=[Material("metal", Closure("metallic", roughness=0.2))]
    ),
    "texture with levels": lambda s, r: _painted(s, r, 8, "mipmap"),
    "textured emission": lambda s, r: _with_object(s, 3, materials=[_varying()]),
    "hidden": lambda s, r: _with_object(s, 1, hidden_from=("shadow",)),
    "terminator": lambda s, r: _with_object(s, 1, shadow_terminator_geometry_offset=0.1),
    "light paths": lambda s, r: replace(s, light_paths=LightPaths(diffuse_bounces=1)),
    "light without shadow": lambda s, r: _with_light(s, 0, casts_shadow=False),
    "profile": _profiled,
    "medium": lambda s, r: _with_object(s, 2, materials=[_volume()]),
    "subsurface": lambda s, r: _with_object(
        s,
        2,
        materials=[Material("wax", Closure("subsurface", radius=(0.1, 0.1, 0.1), scale=1.0))],
    ),
}
"""Edits after which kernels are other ones."""
