# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request in Blender's names to a fit in weft's.

Start reading at build_plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import weft
from weft import ArgumentError
from weft.defaults import TEXTURE_SIZE
from weft.fit import (
    EnvironmentParameter,
    FitSettings,
    LightParameter,
    Parameter,
    Target,
)
from weft.fit.target_files import resample
from weft.fit.unknown_environment import environment_parameter
from weft.fit.uv_coverage import shared_fraction
from weft.scene import Texture, with_images, with_inputs
from weft.scene.changes import inputs_of
from weft.scene.materials import textures_of
from weft.scene.parameter_ref import ParameterRef, owner_of

from ..graph.addresses import find_binding
from ..graph.bindings import Binding, TextureBinding
from ..graph.fitted_images import (
    driven_input,
    find_wrap,
    image_of,
    material_of,
    uniform_image,
    uv_set_of,
)
from ..problems import Problem
from .estimate import FitSize, iterations_of
from .request import (
    ENVIRONMENT,
    FitRequest,
    SocketRequest,
)

if TYPE_CHECKING:
    from weft.fit.given import AnyParameter
    from weft.scene.texture import Wrap

    from ..graph.compile import CompiledMaterial

MAX_OVERLAP = 0.05  # of surfaces


@dataclass(eq=False)
class FitPlan:
    """A fit, and what its parameters are in Blender.

    Args:
        scene: With textures where sockets are to get them.
        targets: Pictures.
        parameters: What may change.
        settings: How.
        numbers: Sockets by the references of parameters.
        textures: Sockets that get an image, or image nodes, by the references of parameters.
        lights: Blender's names of lights by the references of parameters.
        wraps: What new images show outside of the unit square, by the labels of their sockets.
        problems: What keeps textures from being found well.
    """

    scene: weft.Scene
    targets: list[Target]
    parameters: list[AnyParameter] = field(default_factory=list)
    settings: FitSettings = field(default_factory=FitSettings)
    numbers: dict[ParameterRef, Binding] = field(default_factory=dict)
    textures: dict[ParameterRef, Binding | TextureBinding] = field(default_factory=dict)
    lights: dict[ParameterRef, str] = field(default_factory=dict)
    wraps: dict[str, Wrap] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def environment(self) -> EnvironmentParameter | None:
        """The unknown environment; ``None``: there is none."""
        return environment_parameter(self.parameters)

    @property
    def has_images(self) -> bool:
        """Whether the fit finds images: textures or the environment."""
        return bool(self.textures) or self.environment is not None

    @property
    def max_iterations(self) -> int:
        """Iterations that the fit makes at most, if scalars do not move with textures."""
        settings = self.settings
        return iterations_of(
            settings.max_iterations, settings.texture_iterations, has_textures=self.has_images
        )

    def size(self) -> FitSize:
        """Return what the cost of the fit depends on."""
        texels = self._fitted_texels()
        materials = self.scene.materials()
        shown = {id(t): t for entry in materials for t in textures_of(entry.surface)}
        numbers: Counter[str] = Counter()
        for name, binding in self.numbers.items():
            numbers[owner_of(name)] += binding.size
        return FitSize(
            tuple(target.image.shape[0] * target.image.shape[1] for target in self.targets),
            self.settings.samples,
            self.settings.bounces,
            numbers.total(),
            max(numbers.values(), default=0),
            1 + len(self.lights),
            texels,
            max(sum(entry.pixels.size for entry in shown.values()) - texels, 0),
            sum(len(mesh.triangles) for mesh in self.scene.meshes()),
            self.max_iterations,
            any(entry.volume is not None and entry.name in numbers for entry in materials),
        )

    def _fitted_texels(self) -> int:
        """Return how many numbers the fitted textures and the unknown environment have."""
        own = inputs_of(self.scene)
        fitted = [own[name] for name in self.textures]
        texels = sum(value.pixels.size for value in fitted if isinstance(value, Texture))
        sky = self.environment
        return texels + (0 if sky is None else 3 * sky.width * sky.height)


def find_kept(
    request: FitRequest, materials: Collection[CompiledMaterial]
) -> tuple[list[str], list[str]]:
    """Return what the export must keep for a request, though nothing shows it now.

    Returns:
        Names of parameters, and Blender's names of materials that need a UV map.

    Raises:
        ArgumentError: An address is unknown or ambiguous.
    """
    parameters: list[str] = []
    unwrapped: list[str] = []
    for entry in request.parameters:
        if not isinstance(entry, SocketRequest):
            continue
        found = find_binding(materials, entry.address, is_texture=entry.is_texture)
        if isinstance(found, Binding):
            parameters.append(found.parameter)
            parameters += [entry.parameter for entry in _shared_with(found, materials)]
            if entry.is_texture:
                unwrapped.append(found.material)
    return parameters, unwrapped


def build_plan(
    request: FitRequest,
    scene: weft.Scene,
    materials: Collection[CompiledMaterial],
    lights: Mapping[str, str],
) -> FitPlan:
    """Return the fit for a request.

    Args:
        request: What is asked for.
        scene: Exported with the parameters that find_kept() names, and with the targets' cameras.
        materials: Of the scene.
        lights: Names in `scene` of Blender's lights, by Blender's names.

    Raises:
        ArgumentError: Something has no such name, is asked for twice, or cannot be fitted.
    """
    plan = FitPlan(scene, [], settings=request.settings)
    for entry in request.parameters:
        if isinstance(entry, SocketRequest):
            add = _add_texture if entry.is_texture else _add_number
            add(plan, entry, materials)
        elif isinstance(entry, LightParameter):
            _add_light(plan, entry, lights)
        elif isinstance(entry, EnvironmentParameter):
            _add_environment(plan, entry)
        else:
            plan.parameters.append(entry)
    _refuse_world_twice(plan)
    plan.targets += request.targets
    return plan


def _add_number(
    plan: FitPlan, entry: SocketRequest, materials: Collection[CompiledMaterial]
) -> None:
    found = find_binding(materials, entry.address)
    if isinstance(found, TextureBinding):
        raise ArgumentError(
            f"fit: '{entry.address}' is an image; fit it as a texture (texture:{entry.address})"
        )
    _refuse_twice(found.parameter in plan.numbers, str(entry.address))
    plan.numbers[found.parameter] = found
    shared = tuple(own.parameter for own in _shared_with(found, materials))
    for name in shared:
        if name in plan.numbers:
            raise ArgumentError(
                f"fit: '{found.label}' and '{name}' are one number of the group '{found.tree}'; "
                "leave one out"
            )
    assert isinstance(entry.parameter, Parameter)
    plan.parameters.append(replace(entry.parameter, name=found.parameter, tied=shared))


def _shared_with(found: Binding, materials: Collection[CompiledMaterial]) -> list[Binding]:
    """Return what a number is in other materials, which use its group."""
    if not found.tree:
        return []
    place = (found.tree, found.path[-1], found.socket, found.is_output)
    return [
        own
        for material in materials
        for own in material.bindings
        if (own.tree, own.path[-1], own.socket, own.is_output) == place
        and own.parameter != found.parameter
    ]


def _add_texture(
    plan: FitPlan, entry: SocketRequest, materials: Collection[CompiledMaterial]
) -> None:
    found = find_binding(materials, entry.address, is_texture=True)
    _refuse_twice(found in plan.textures.values(), str(entry.address))
    if isinstance(found, Binding):
        number = uv_set_of(found, materials)
        wrap = find_wrap(plan.scene, found, str(entry.address), number)
        image = uniform_image(found, entry.resolution or (TEXTURE_SIZE, TEXTURE_SIZE), number, wrap)
        plan.wraps[found.label] = wrap
        plan.scene = with_inputs(plan.scene, {found.parameter: image})
        name = driven_input(plan.scene, found.parameter.owner, image)
    else:
        material = material_of(materials, found)
        image, name = image_of(plan.scene, material, found)
        if entry.resolution is not None and image.pixels.shape[1::-1] != entry.resolution:
            resized = resample(image.pixels, entry.resolution)
            plan.scene = with_images(plan.scene, {name: resized})
    plan.textures[name] = found
    _find_overlap(plan, name, found)
    plan.parameters.append(replace(entry.parameter, name=name))


def _find_overlap(plan: FitPlan, name: ParameterRef, found: Binding | TextureBinding) -> None:
    """Note it where surfaces that show a texture share its texels."""
    share = shared_fraction(plan.scene, name)
    if share > MAX_OVERLAP:
        plan.problems.append(
            Problem(
                f"Material '{found.material}'",
                f"{100 * share:.0f} % of its surfaces share texels of the fitted texture "
                f"'{found.label}': their UV maps overlap; unwrap them without overlaps unless "
                "they look alike",
                "one texel for all of them",
            )
        )


def _add_light(plan: FitPlan, entry: LightParameter, lights: Mapping[str, str]) -> None:
    if entry.light not in lights:
        known = ", ".join(map(repr, lights)) or "none"
        raise ArgumentError(f"fit: there is no light {entry.light!r}; the scene has {known}")
    name = lights[entry.light]
    parameter = replace(entry, light=name)
    _refuse_twice(parameter.name in plan.lights, entry.light)
    plan.lights[parameter.name] = entry.light
    plan.parameters.append(parameter)


def _add_environment(plan: FitPlan, entry: EnvironmentParameter) -> None:
    """Look for the light from everywhere, under a name that no material has."""
    _refuse_twice(plan.environment is not None, ENVIRONMENT)
    names = {material.name for material in plan.scene.materials()}
    name, number = ENVIRONMENT, 1
    while name in names:
        number += 1
        name = f"{ENVIRONMENT} {number}"
    plan.parameters.append(replace(entry, name=name))


def _refuse_world_twice(plan: FitPlan) -> None:
    """Refuse the strength of a world that is looked for as a whole."""
    sky = plan.scene.environment
    if sky is None or plan.environment is None:
        return
    factor = LightParameter(sky.name).name
    if factor in plan.lights:
        raise ArgumentError(
            f"fit: the environment is unknown, its strength included; leave out the light "
            f"'{plan.lights[factor]}'"
        )


def _refuse_twice(is_taken: bool, address: str) -> None:
    if is_taken:
        raise ArgumentError(f"fit: '{address}' is asked for twice; leave one out")


__all__ = ["FitPlan", "build_plan", "find_kept"]
