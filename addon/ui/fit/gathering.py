# SPDX-License-Identifier: GPL-3.0-or-later
"""From the panel's properties to what a fit takes, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from weft import ArgumentError
from weft.fit import EnvironmentParameter, Exposure, FitSettings, LightParameter

from ...blender.fit_places import driver_at
from ...blender.fit_scene import target_names
from ...blender.fit_targets import Picture
from ...core.fitting.outcome import describe_number, describe_texture, texture_warning
from ...core.fitting.request import Request, number_request, texture_request
from .judgment import forget_verdict, keep_verdict
from .properties import place_of

if TYPE_CHECKING:
    import bpy

    from ...core.fitting.outcome import FoundFactor, FoundNumber, Outcome
    from .properties import WEFT_PG_fit, WEFT_PG_fit_parameter, WEFT_PG_fit_target


def gather_pictures(fit: WEFT_PG_fit) -> list[Picture]:
    """Return the pictures in use.

    Raises:
        ArgumentError: One of them has no image or no camera.
    """
    pictures = []
    for number, target in enumerate(fit.targets, start=1):
        if not target.use:
            continue
        if target.image is None or target.camera is None:
            lacks = "image" if target.image is None else "camera"
            raise ArgumentError(f"fit: picture {number} has no {lacks}; choose one")
        pictures.append(
            Picture(
                target.camera,
                target.image,
                target.mask,
                (target.only.name,) if target.only else (),
                exposure=target.exposure,
                size=fit.size,
                filter="box" if target.source == "PHOTO" else "",
                through_view=target.through_view,
                frame=target.frame if target.image.source == "SEQUENCE" else None,
                lights=None if not target.own_lights else [e for e in (target.lights,) if e],
                flash=target.flash,
                world=world_of(target, number),
            )
        )
    return pictures


def world_of(target: WEFT_PG_fit_target, number: int) -> bpy.types.World | Literal[False] | None:
    """Return the world of a picture; False: none, ``None``: that of the scene.

    Raises:
        ArgumentError: It is to have one of its own and has none.
    """
    if target.world_kind == "OWN" and target.world is None:
        raise ArgumentError(f"fit: picture {number} has no world of its own; choose one")
    return {"SCENE": None, "NONE": False, "OWN": target.world}[target.world_kind]


def gather_parameters(fit: WEFT_PG_fit) -> list[Request]:
    """Return the parameters in use, and the exposures that are not known."""
    requests = [request_of(entry) for entry in fit.parameters if entry.use]
    used = [target for target in fit.targets if target.use]
    names = target_names(gather_pictures(fit))
    for target, name in zip(used, names, strict=True):
        if target.fits_exposure:
            requests.append(Exposure(name, target.white_balance))
    return requests


def request_of(entry: WEFT_PG_fit_parameter) -> Request:
    """Return one parameter.

    Raises:
        ArgumentError: Its material or light was deleted.
    """
    if entry.kind == "ENVIRONMENT":
        width, height = map(int, entry.environment_size.split("x"))
        return EnvironmentParameter(width, height)
    if entry.kind == "LIGHT":
        if not entry.address():
            raise ArgumentError("fit: a parameter has no light; choose one or remove it")
        return LightParameter(entry.address(), entry.color)
    if entry.material is None:
        raise ArgumentError(f"fit: the material of '{entry.socket_name}' is gone; remove it")
    bounds = (entry.low, entry.high) if entry.limit else None
    address = entry.place()
    if entry.kind == "NUMBER":
        return number_request(address, bounds=bounds)
    limits = {"bounds": bounds} if bounds else {}
    return texture_request(address, (entry.width, entry.height), **limits)


def gather_settings(fit: WEFT_PG_fit) -> FitSettings:
    """Return the settings."""
    return FitSettings(
        samples=fit.samples,
        bounces=fit.bounces,
        seed=fit.seed,
        tolerance=float(f"{fit.tolerance:.6g}"),  # Blender keeps half of the digits
        max_iterations=fit.max_draws,
        texture_iterations=fit.texture_draws,
        time_limit=fit.time_limit or None,
    )


def show_outcome(fit: WEFT_PG_fit, outcome: Outcome) -> None:
    """Write what was found beside the parameters and pictures."""
    lights = {found.name: found for found in outcome.lights}
    for entry in fit.parameters:
        found: FoundNumber | FoundFactor | None
        if entry.kind == "ENVIRONMENT":
            show_environment(entry, outcome)
            continue
        if entry.kind == "LIGHT":
            found = lights.get(entry.address())
        else:
            place = entry.place()
            found = next((n for n in outcome.numbers if place.is_of(n.binding)), None)
        if entry.use and found is not None:
            entry.found, entry.note = describe_number(found), found.note
    if outcome.reason != "running":
        show_textures(fit, outcome)
    exposures = {found.name: found for found in outcome.exposures}
    used = [target for target in fit.targets if target.use]
    names = target_names(gather_pictures(fit))
    for target, name in zip(used, names, strict=True):
        if name in exposures:
            target.found = describe_number(exposures[name])
    if outcome.reason != "running":
        keep_verdict(fit, outcome.verdict, names)


def show_environment(entry: WEFT_PG_fit_parameter, outcome: Outcome) -> None:
    """Write what was found of the environment beside its parameter."""
    found = outcome.environment
    if entry.use and found is not None and outcome.reason != "running":
        height, width = found.pixels.shape[:2]
        entry.found, entry.note = f"{width} x {height}", found.note


def show_textures(fit: WEFT_PG_fit, outcome: Outcome) -> None:
    """Write size and coverage of textures beside their parameters."""
    for entry in fit.parameters:
        if entry.kind != "TEXTURE" or not entry.use:
            continue
        address, place = entry.place(), place_of(entry)
        node = None if place is None else driver_at(place)
        # A socket that an image drives by now stands for the image.
        image = (*address.path[:-1], "" if node is None else node.name)
        for found in outcome.textures:
            owner, path = found.binding.material, found.binding.path
            if address.is_of(found.binding) or (owner, path) == (address.material, image):
                entry.found, entry.note = describe_texture(found), texture_warning(found)


def forget_outcome(fit: WEFT_PG_fit) -> None:
    """Clear what an earlier fit found."""
    forget_verdict(fit)
    for entry in fit.parameters:
        entry.found = entry.note = ""
    for target in fit.targets:
        target.found = ""
