# SPDX-License-Identifier: Apache-2.0
"""Under which lights each target was taken, and the parts that its light is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.scene.light_changes import emissions_of, light_names, with_light_factors
from weft.scene.lights import Environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.fit.lights import LightParameter
    from weft.fit.target import Target
    from weft.render.light_tree import LightSampling
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables
    from weft.scene import Scene
    from weft.scene.lights import Light

DARK = np.zeros(3)


@dataclass(frozen=True)
class LightPart:
    """A scene lit by some of its lights.

    Args:
        tables: Of that scene.
        light: Number of the LightParameter whose factor it has; -1: none.
    """

    tables: SceneTables
    light: int = -1


def lit_scenes(scene: Scene, targets: Sequence[Target], sky: str | None = None) -> list[Scene]:
    """Return the scene as it was lit for each target; one object where lights are the same.

    Args:
        scene: Which.
        targets: Pictures.
        sky: Material that stands for the environment, see unknown_environment.py; ``None``: none.

    Raises:
        ArgumentError: The scene has no light of a name, or a material's light cannot be left out.
    """
    known: dict[object, Scene] = {}
    out = []
    for target in targets:
        lights = None if target.lights is None else [_key(entry) for entry in target.lights]
        key = (None if lights is None else tuple(lights), _key(target.world))
        if key not in known:
            known[key] = _lit(scene, target, sky)
        out.append(known[key])
    return out


def _key(light: object) -> object:
    return light if light is None or isinstance(light, (str, bool)) else id(light)


def _lit(scene: Scene, target: Target, sky: str | None) -> Scene:
    """Return the scene under the lights of a target."""
    out = scene
    if sky is not None and target.world is not None:
        out = with_light_factors(scene, {sky: DARK})
    if target.lights is not None:
        emissive = [
            entry.name for entry in scene.materials() if emissions_of(entry) and entry.name != sky
        ]
        out = _lit_by(out, target, target.lights, scene.lights, emissive)
    if target.world is None:
        return out
    world = target.world if isinstance(target.world, Environment) else None
    return replace(out, environment=world)


def _lit_by(
    scene: Scene,
    target: Target,
    given: Sequence[str | Light],
    lights: Sequence[Light],
    emissive: Sequence[str],
) -> Scene:
    """Return the scene under the lights that are given.

    Args:
        scene: Without them.
        target: That they are of.
        given: Lights, and names of lights and of materials.
        lights: Of the scene.
        emissive: Names of the emissive materials.
    """
    wanted = [entry for entry in given if isinstance(entry, str)]
    _require_single(target, wanted, lights, emissive)
    kept = [light for light in lights if light.name in wanted]
    own = [entry for entry in given if not isinstance(entry, str)]
    dark = {name: DARK for name in emissive if name not in wanted}
    try:
        return replace(with_light_factors(scene, dark), lights=kept + own)
    except ArgumentError as error:
        raise ArgumentError(f"Target '{target.name}': {error}; or name it in lights") from None


def _require_single(
    target: Target, wanted: Sequence[str], lights: Sequence[Light], emissive: Sequence[str]
) -> None:
    """Refuse names of a target's lights that the scene does not have once."""
    known = [*(light.name for light in lights), *emissive]
    for name in wanted:
        if known.count(name) != 1:
            found = "no" if name not in known else "more than one"
            raise ArgumentError(
                f"Target '{target.name}': {found} light of the scene is called {name!r}; there "
                f"are {', '.join(map(repr, known)) or 'none'}; the world is chosen by world"
            )


class Lighting:
    """The parts of the light of each target.

    A picture is linear in its lights. Each light that a fit changes is therefore traced by itself;
    the picture is the sum of the parts, each times the light's factor.

    Args:
        renderer: Of the scene, with `scenes` among its `lit_by`.
        scenes: Of lit_scenes().
        targets: Pictures.
        lights: Whose strength may change.
        names: Of the parameters of the fit, numbers and textures.

    Raises:
        ArgumentError: There is no such light, it is named twice, cannot be scaled, shines in no
            target, or a parameter changes what it gives off; or nothing shines in a target.
    """

    def __init__(
        self,
        renderer: Renderer,
        scenes: Sequence[Scene],
        targets: Sequence[Target],
        lights: Sequence[LightParameter],
        names: Sequence[str] = (),
    ) -> None:
        """Build the tables of all parts."""
        self.renderer, self.scenes, self.lights = renderer, scenes, lights
        _check_names(renderer.scene, scenes, lights)
        _check_emissions(renderer.scene, scenes, lights, names)
        for scene, target in zip(scenes, targets, strict=True):
            is_dark = not light_names(scene) or not renderer.relit(scene).tables.has_light
            if scene is not renderer.scene and is_dark:
                raise ArgumentError(
                    f"Target '{target.name}': nothing shines in it; name a light, or give it a "
                    "world"
                )
        known = {id(scene): self._parts_of(scene) for scene in {id(s): s for s in scenes}.values()}
        self.parts = [known[id(scene)] for scene in scenes]
        self._titles = [target.name for target in targets]

    @property
    def names(self) -> set[str]:
        """Of all lights that shine in some target."""
        return {name for scene in self.scenes for name in light_names(scene)}

    def scene_of(self, target: str | int) -> Scene:
        """Return the scene as it was lit for a target, by name or number.

        Raises:
            ArgumentError: There is no such target.
        """
        if isinstance(target, str) and self._titles.count(target) == 1:
            return self.scenes[self._titles.index(target)]
        if isinstance(target, int) and -len(self.scenes) <= target < len(self.scenes):
            return self.scenes[target]
        raise ArgumentError(
            f"FitResult.apply: there is no target {target!r}, or more than one; there are "
            f"{', '.join(map(repr, self._titles))}, and numbers below {len(self.scenes)}"
        )

    def _parts_of(self, scene: Scene) -> list[LightPart]:
        """Return the scene lit by each of the lights that change alone, then by all others."""
        tables = self.renderer.relit(scene).tables
        every = light_names(scene)
        chosen = {entry.light: k for k, entry in enumerate(self.lights) if entry.light in every}
        if not chosen:
            return [LightPart(tables)]
        sampling: LightSampling = "tree" if self.renderer.traits.has_light_tree else "power"
        rest, lit = _split(scene, every, chosen)
        parts = [LightPart(tables.relit(part, sampling), k) for k, part in lit.items()]
        others = LightPart(tables.relit(rest, sampling))
        has_others = others.tables.has_light and len(every) > len(chosen)
        return [*parts, others] if has_others else parts


def _split(
    scene: Scene, every: Sequence[str], chosen: Mapping[str, int]
) -> tuple[Scene, dict[int, Scene]]:
    """Return the scene without the lights that are chosen, and under each of them alone.

    Args:
        scene: Under all.
        every: Names of its lights.
        chosen: Numbers by name.
    """
    try:
        rest = with_light_factors(scene, dict.fromkeys(chosen, DARK))
        lit = {
            number: with_light_factors(scene, {name: DARK for name in every if name != one})
            for one, number in chosen.items()
        }
    except ArgumentError as error:
        raise ArgumentError(f"Fit: {error}") from None
    return rest, lit


def _check_names(scene: Scene, scenes: Sequence[Scene], lights: Sequence[LightParameter]) -> None:
    """Refuse names of no light, and those that are given twice."""
    chosen = [entry.light for entry in lights]
    known = dict.fromkeys(name for entry in scenes for name in light_names(entry))
    for name in chosen:
        if chosen.count(name) > 1:
            raise ArgumentError(f"Fit: light {name!r} is given twice; leave one out")
        if name in known:
            continue
        if name in light_names(scene):
            raise ArgumentError(
                f"Fit: light {name!r} shines in no target; name it in the lights of one, or leave "
                "its parameter out"
            )
        raise ArgumentError(
            f"Fit: no light of the scene is called {name!r}; there are "
            f"{', '.join(map(repr, known)) or 'none'}"
        )


def _check_emissions(
    scene: Scene, scenes: Sequence[Scene], lights: Sequence[LightParameter], names: Sequence[str]
) -> None:
    """Refuse parameters that would light again what a part of the light leaves dark."""
    scaled = {entry.light for entry in lights}
    for material in scene.materials():
        changed = sorted(emissions_of(material).keys() & set(names))
        is_dark = any(material.name not in light_names(entry) for entry in scenes)
        if changed and (is_dark or material.name in scaled):
            raise ArgumentError(
                f"Fit: {changed[0]!r} changes the light of '{material.name}', which "
                + (
                    "a LightParameter scales; leave one of them out"
                    if material.name in scaled
                    else "a target leaves out; name it in the lights of every target"
                )
            )
