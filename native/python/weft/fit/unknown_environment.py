# SPDX-License-Identifier: Apache-2.0
"""The environment as an unknown of a fit.

The light of an unknown environment cannot steer how it is sampled: densities that follow what is
being found would have to be drawn anew with every step. So it is a material for the time of the
fit: a box around everything that gives off a texture, looked up by direction and met by bounces
alone, whose densities are those of the surfaces (docs/decisions/0026-unknown-environment.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ENVIRONMENT_LOOKUP, ArgumentError
from weft.defaults import SMOOTHNESS
from weft.fit.texture_parameters import LightTexture, TextureParameter
from weft.scene import Attribute, Closure, Environment, Material, Mesh, Object, SlangCall, Texture
from weft.scene.changes import inputs_of
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture
    from weft.scene import Camera, Scene

SMALLEST, LARGEST = (8, 4), (512, 256)
BRIGHTEST = 1e4  # times the start
BOX_SIZE_FACTOR = 100.0  # size of the box, of the scene's
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
HALVES = ((0, 1, 2), (0, 2, 3))


@dataclass(frozen=True)
class EnvironmentParameter:
    """The unknown environment of a scene, found as an image; it takes the place of the scene's own.

    ``result.environment`` is what was found, and ``result.apply()`` has it. A target with a
    `world` of its own is not lit by it.

    Args:
        width: Texels around; equirectangular, with Blender's orientation.
        height: Texels from below to above.
        smoothness: Weight of the prior that neighbours are alike, as that of a TextureParameter.
        start: Radiance where the fit begins, linear RGB or one number; ``None``: the mean of the
            pictures.
        name: What results and messages call it.

    Raises:
        ArgumentError: A size is out of range, or a number is.
    """

    width: int = 32
    height: int = 16
    smoothness: float = SMOOTHNESS
    start: float | Sequence[float] | None = None
    name: str = "environment"

    def __post_init__(self) -> None:
        """Check the numbers."""
        sizes = ((self.width, SMALLEST[0], LARGEST[0]), (self.height, SMALLEST[1], LARGEST[1]))
        if any(int(size) != size or not low <= size <= high for size, low, high in sizes):
            raise ArgumentError(
                f"EnvironmentParameter '{self.name}': width and height must be integers from "
                f"{SMALLEST[0]} x {SMALLEST[1]} to {LARGEST[0]} x {LARGEST[1]}, got {self.width} x "
                f"{self.height}"
            )
        color = np.ravel(np.asarray(1.0 if self.start is None else self.start, np.float64))
        if color.size not in (1, 3) or not np.isfinite(color).all() or color.min() <= 0:
            raise ArgumentError(
                f"EnvironmentParameter '{self.name}': start must be one or three numbers above 0, "
                f"got {self.start!r}"
            )
        if not 0 <= self.smoothness < math.inf:
            raise ArgumentError(
                f"EnvironmentParameter '{self.name}': smoothness must be a finite number from 0, "
                f"got {self.smoothness}"
            )

    @property
    def strength_name(self) -> ParameterRef:
        """Name of what scales the texture."""
        return ParameterRef.of(self.name, "strength", kind="environment")

    @property
    def texture_name(self) -> ParameterRef:
        """Of the input that holds the texels while the fit runs."""
        return ParameterRef.of(self.name, "color", kind="environment")

    def texture_parameter(self) -> TextureParameter:
        """Return the texels as a texture that may change."""
        return LightTexture(self.texture_name, (0.0, BRIGHTEST), self.smoothness)


def environment_parameter(parameters: Sequence[object]) -> EnvironmentParameter | None:
    """Return the unknown environment among the parameters of a fit; None: there is none.

    Raises:
        ArgumentError: There are two.
    """
    found = [entry for entry in parameters if isinstance(entry, EnvironmentParameter)]
    if len(found) > 1:
        raise ArgumentError(
            f"Fit: {len(found)} EnvironmentParameter were given, and a scene has one environment; "
            "leave the others out"
        )
    return found[0] if found else None


def with_unknown(scene: Scene, parameter: EnvironmentParameter, targets: Sequence[Target]) -> Scene:
    """Return the scene inside of a box that shines as the environment does.

    Raises:
        ArgumentError: A material has the name of the environment, or a camera looks no farther than
            the scene reaches.
    """
    if any(material.name == parameter.name for material in scene.materials()):
        raise ArgumentError(
            f"Fit: a material is called {parameter.name!r} as the unknown environment is; give the "
            "EnvironmentParameter another name"
        )
    surface = _shining(parameter, targets)
    mesh = _box_around(scene, targets)
    box = Object(mesh, [Material(parameter.name, surface)], name=parameter.name)
    return replace(
        scene,
        objects=[*scene.objects, box],
        cameras=[without_far(camera) for camera in scene.cameras],
        environment=None,
    )


def _shining(parameter: EnvironmentParameter, targets: Sequence[Target]) -> Closure:
    """Return what gives off the light where the fit begins."""
    start = parameter.start
    if start is None:
        masks = [np.asarray(target.mask, np.float32) > 0 for target in targets]
        lit = [target.image[mask].mean(axis=0) for target, mask in zip(targets, masks, strict=True)]
        start = np.maximum(np.mean(lit, axis=0), 1e-6).tolist()
    color = np.broadcast_to(np.asarray(start, np.float64), (3,))
    level = float(color.max())
    texels = np.broadcast_to(color / level, (parameter.height, parameter.width, 3))
    call = SlangCall(
        "weftSkyCoordinates",
        ENVIRONMENT_LOOKUP,
        {"towards": Attribute.INCOMING, "height": float(parameter.height)},
        size=2,
        is_differentiable=False,
    )
    texture = Texture(texels.astype(np.float32), uv=call, name=parameter.name)
    return Closure("emission", color=texture, strength=level, both_sides=1.0)


def _box_around(scene: Scene, targets: Sequence[Target]) -> Mesh:
    """Return a box that is far from all that there is."""
    points = [np.zeros((0, 3))]
    for entry in scene.objects:
        assert entry.transform is not None
        points.append(entry.mesh.positions @ entry.transform[:, :3].T + entry.transform[:, 3])
    shown = np.concatenate(points)
    cameras = {id(c): c for c in (scene.camera(target.camera) for target in targets)}
    places = [_place(camera, shown) for camera in cameras.values()]
    low, high = (f([*shown, *places], axis=0) for f in (np.min, np.max))
    size = BOX_SIZE_FACTOR * max(float(np.linalg.norm(high - low)), 1e-3)
    return Mesh(
        (CORNERS * size + (low + high) / 2).astype(np.float32),
        np.array([[f[k] for k in part] for f in FACES for part in HALVES], np.uint32),
    )


def without_far(camera: Camera) -> Camera:
    """Return a camera that sees the box."""
    return camera if camera.far == math.inf else replace(camera, far=math.inf)


def _place(camera: Camera, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where a camera is.

    Raises:
        ArgumentError: Without an end of what it sees, it would see more of the scene.
    """
    assert camera.transform is not None
    place: NDArray[np.float64] = np.asarray(camera.transform, np.float64)[:, 3]
    reach = float(np.linalg.norm(points - place, axis=1).max(initial=0.0))
    if camera.far < reach:
        raise ArgumentError(
            f"Fit: camera '{camera.name}' sees {camera.far:g} m far and the scene reaches "
            f"{reach:g} m from it, which an unknown environment cannot take apart; raise its far"
        )
    return place


def environment_of(
    scene: Scene, parameter: EnvironmentParameter, found: FittedTexture | None = None
) -> Environment:
    """Return the environment that the box of a scene stands for.

    Args:
        scene: Of with_unknown().
        parameter: Of the fit.
        found: Its texels; ``None``: those that the scene has.
    """
    inputs = inputs_of(scene)
    strength, texture = inputs[parameter.strength_name], inputs[parameter.texture_name]
    assert isinstance(texture, Texture)
    assert isinstance(strength, (int, float))
    texels: NDArray[np.float32] = texture.pixels if found is None else found.pixels
    return Environment(texels * np.float32(strength), name=parameter.name)


def without_box(
    scene: Scene, parameter: EnvironmentParameter, environment: Environment | None = None
) -> Scene:
    """Return a scene with an environment where it has a box that shines.

    Args:
        scene: With a box or without; it stays as it is.
        parameter: Of the fit.
        environment: That was found; ``None``: what the box shows.
    """
    boxes = [
        entry for entry in scene.objects if any(m.name == parameter.name for m in entry.materials)
    ]
    if not boxes:
        return scene if environment is None else replace(scene, environment=environment)
    shines = inputs_of(scene)[parameter.strength_name] != 0
    own = environment or environment_of(scene, parameter)
    return replace(
        scene,
        objects=[entry for entry in scene.objects if entry not in boxes],
        environment=own if shines else scene.environment,
    )


def inside_box(
    scene: Scene,
    targets: Sequence[Target],
    parameters: Sequence[object],
    unknown: EnvironmentParameter,
) -> tuple[Scene, list[Target]]:
    """Return a scene whose environment is looked for, and targets whose cameras see all of it.

    Raises:
        ArgumentError: A LightParameter looks for the brightness of the environment, too.
    """
    if any(getattr(entry, "light", None) == unknown.name for entry in parameters):
        raise ArgumentError(
            f"Fit: an EnvironmentParameter looks for {unknown.name!r}, its brightness included; "
            "leave out the LightParameter"
        )
    return with_unknown(scene, unknown, targets), [
        target
        if isinstance(target.camera, (str, int))
        else replace(target, camera=without_far(target.camera))
        for target in targets
    ]
