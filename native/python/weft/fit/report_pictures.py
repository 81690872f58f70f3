# SPDX-License-Identifier: Apache-2.0
"""The pictures of a report: each target beside the scene before and after the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.comparison import compare
from weft.fit.exposure import Exposure, view_gains
from weft.fit.lights import LightParameter, scaled_scene
from weft.fit.parameters import Parameter
from weft.fit.seeds import mix_seeds
from weft.fit.unknown_environment import without_box
from weft.fit.unknowns import build_unknowns
from weft.render.path_settings import PathSettings
from weft.render.renderer import Renderer
from weft.scene.changes import plain_value, with_images, with_inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from weft.fit.comparison import Comparison
    from weft.fit.exposure import ViewGain
    from weft.fit.inputs import FitInputs
    from weft.fit.lettering import Lettering
    from weft.fit.result import FitResult
    from weft.fit.target import Target
    from weft.scene import Environment, Scene

MAX_PATHS = 1 << 22  # of a picture, unless told otherwise


def scene_with_result(
    scene: Scene,
    values: Mapping[str, ArrayLike],
    images: Mapping[str, NDArray[np.float32]],
    parameters: Sequence[object],
    elsewhere: Collection[str] = (),
) -> Scene:
    """Return a scene with other values of parameters, those that are tied included.

    Args:
        scene: Which; it stays as it is.
        values: Numbers by name; what is no parameter of the scene, such as an exposure, is left
            out.
        images: Pixels of textures by name.
        parameters: Of the fit.
        elsewhere: Names of lights that the scene need not have: pictures have their own of them.
    """
    given: dict[str, float | list[float]] = {}
    for entry in parameters:
        if isinstance(entry, Parameter) and entry.name in values:
            value = plain_value(values[entry.name])
            given |= dict.fromkeys((entry.name, *entry.tied), value)
    changed = with_images(with_inputs(scene, given), images)
    return scaled_scene(changed, values, parameters, elsewhere)


def start_values(fit: FitInputs) -> dict[str, NDArray[np.float64]]:
    """Return where the numbers, exposures and lights of a fit began, by name."""
    numbers = [entry for entry in fit.parameters if isinstance(entry, Parameter)]
    lights = [entry for entry in fit.parameters if isinstance(entry, LightParameter)]
    unknowns = build_unknowns(fit.renderer.tables, numbers, _gains(fit), lights)
    values = unknowns.values(unknowns.start)
    return {block.name: values[block.part] for block in unknowns.blocks}


def _gains(fit: FitInputs) -> list[ViewGain]:
    exposures = [entry for entry in fit.parameters if isinstance(entry, Exposure)]
    return view_gains(exposures, fit.targets)


def compare_targets(
    fit: FitInputs,
    result: FitResult,
    samples: int | None = None,
    lettering: Lettering | None = None,
) -> Iterator[tuple[Target, Comparison]]:
    """Yield each target with before, after and difference beside it, under its lights.

    Args:
        fit: Which.
        result: Of it.
        samples: Paths a pixel of the pictures; ``None``: 64, fewer for large targets.
        lettering: Draws the captions; ``None``: OpenImageIO, if it can.
    """
    start = start_values(fit) | dict(result.start)
    names = {gain.view: gain.name for gain in _gains(fit)}
    pictures = LitPictures(fit, result, start)
    for number, target in enumerate(fit.targets):
        before, after = (
            _picture(fit, entry, target, number, samples) for entry in pictures.renderers(number)
        )
        if number in names:
            before = (before * start[names[number]]).astype(np.float32)
            after = (after * result.values[names[number]]).astype(np.float32)
        yield target, compare(target, before, after, lettering)


class LitPictures:
    """Renderers of the scene as each target saw it, before and after a fit.

    Args:
        fit: Which.
        result: Of it.
        start: Values before, by name.
    """

    def __init__(
        self, fit: FitInputs, result: FitResult, start: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Upload the scene with both values."""
        scenes = {id(entry): entry for entry in (fit.renderer.scene, *fit.lighting.scenes)}
        images = {name: texture.pixels for name, texture in result.textures.items()}
        self._keys = [id(entry) for entry in fit.lighting.scenes]
        self._sides = []
        none: dict[str, NDArray[np.float32]] = {}
        for values, textures, sky in (
            (start, none, None),
            (result.values, images, result.environment),
        ):
            changed = {
                key: self._changed(fit, entry, values, textures, sky)
                for key, entry in scenes.items()
            }
            own, *others = changed.values()
            self._sides.append((Renderer(fit.renderer.device, own, lit_by=others), changed))

    @staticmethod
    def _changed(
        fit: FitInputs,
        scene: Scene,
        values: Mapping[str, NDArray[np.float64]],
        textures: Mapping[str, NDArray[np.float32]],
        sky: Environment | None,
    ) -> Scene:
        """Return a scene with other values."""
        own = scene_with_result(scene, values, textures, fit.parameters, fit.lighting.names)
        return own if fit.unknown is None else without_box(own, fit.unknown, sky)

    def renderers(self, number: int) -> list[Renderer]:
        """Return those of a target: before, and after."""
        key = self._keys[number]
        return [renderer.relit(changed[key]) for renderer, changed in self._sides]


def _picture(
    fit: FitInputs, renderer: Renderer, target: Target, number: int, samples: int | None
) -> NDArray[np.float32]:
    camera = renderer.scene.camera(target.camera)
    chosen = samples or min(max(MAX_PATHS // (camera.width * camera.height), 4), 64)
    settings = PathSettings(
        samples=chosen,
        bounces=fit.settings.bounces,
        seed=mix_seeds(fit.settings.seed, 0xFFFF, number),
        filter=target.filter,
        filter_width=target.filter_width,
    )
    return renderer.render(camera, settings)
