# SPDX-License-Identifier: GPL-3.0-or-later
"""From the panel's properties to what a fit takes, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from weft import ArgumentError
from weft.fit import EnvironmentParameter, Exposure, FitSettings, LightParameter
from weft.scene import ParameterRef

from ...blender.fit_scene import target_names
from ...blender.fit_sockets import driver_at
from ...blender.fit_targets import Picture
from ...core.fitting.request import Request, scalar_request, texture_request
from .judgment import forget_verdict, keep_verdict
from .properties import socket_ref_of

if TYPE_CHECKING:
    import bpy

    from weft.fit import FitResult

    from ...core.fitting.plan import FitPlan
    from .properties import WEFT_PG_fit, WEFT_PG_fit_parameter, WEFT_PG_fit_target


ENOUGH_SEEN = 0.9  # of the surfaces that show a texture
PARTLY_SEEN = (
    "the pictures show {:.0%} of it; the rest is guessed from what is beside it: add pictures from "
    "other sides"
)


def gather_pictures(fit: WEFT_PG_fit) -> list[Picture]:
    """Return the pictures in use.

    Raises:
        ArgumentError: One of them has no image or no camera.
    """
    pictures = []
    for number, target in enumerate(fit.targets, start=1):
        if not target.use:
            continue
        _require_complete(target, number)
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


def _require_complete(target: WEFT_PG_fit_target, number: int) -> None:
    if target.image is None or target.camera is None:
        lacks = "image" if target.image is None else "camera"
        raise ArgumentError(f"fit: picture {number} has no {lacks}; choose one")


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
    address = entry.binding_address()
    if entry.kind == "NUMBER":
        return scalar_request(address, bounds=bounds)
    limits = {"bounds": bounds} if bounds else {}
    return texture_request(address, (entry.width, entry.height), **limits)


def gather_settings(fit: WEFT_PG_fit) -> FitSettings:
    """Return the settings."""
    return FitSettings(
        samples=fit.samples,
        bounces=fit.bounces,
        seed=fit.seed,
        tolerance=float(f"{fit.tolerance:.6g}"),  # Blender keeps half of the digits
        max_iterations=fit.max_iterations,
        texture_iterations=fit.texture_iterations,
        time_limit=fit.time_limit or None,
    )


def show_result(fit: WEFT_PG_fit, plan: FitPlan, result: FitResult) -> None:
    """Write what was found beside the parameters and pictures."""
    is_last = result.reason != "running"
    for entry in fit.parameters:
        if entry.use:
            _show_parameter(entry, plan, result, is_last)
    used = [target for target in fit.targets if target.use]
    names = target_names(gather_pictures(fit))
    for target, title in zip(used, names, strict=True):
        factor = ParameterRef.of(title, "exposure", kind="exposure")
        if factor in result.values:
            target.found = result.describe(factor)
    if is_last:
        keep_verdict(fit, result.verdict, names)


def _show_parameter(
    entry: WEFT_PG_fit_parameter, plan: FitPlan, result: FitResult, is_last: bool
) -> None:
    if entry.kind == "ENVIRONMENT" and is_last:
        show_environment(entry, plan, result)
    elif entry.kind == "TEXTURE" and is_last:
        show_texture(entry, plan, result)
    elif entry.kind in ("NUMBER", "LIGHT"):
        name = name_of(entry, plan)
        if name is not None and name in result.values:
            entry.found, entry.note = result.describe(name), result.undetermined.get(name, "")


def name_of(entry: WEFT_PG_fit_parameter, plan: FitPlan) -> ParameterRef | None:
    """Return what a plan calls a number or a light of the panel; ``None``: it has no such."""
    if entry.kind == "LIGHT":
        light = entry.address()
        return next((name for name, title in plan.lights.items() if title == light), None)
    wanted = entry.binding_address()
    return next((name for name, own in plan.numbers.items() if wanted.is_of(own)), None)


def show_environment(entry: WEFT_PG_fit_parameter, plan: FitPlan, result: FitResult) -> None:
    """Write what was found of the environment beside its parameter."""
    if plan.environment is None or result.environment is None:
        return
    height, width = result.environment.image.shape[:2]
    note = result.undetermined.get(plan.environment.name, "")
    entry.found, entry.note = f"{width} x {height}", note


def show_texture(entry: WEFT_PG_fit_parameter, plan: FitPlan, result: FitResult) -> None:
    """Write size and coverage of a texture beside its parameter."""
    address, ref = entry.binding_address(), socket_ref_of(entry)
    node = None if ref is None else driver_at(ref)
    # A socket that an image drives by now stands for the image.
    image = (*address.path[:-1], "" if node is None else node.name)
    for name, texture in result.textures.items():
        binding = plan.textures[name]
        if address.is_of(binding) or (binding.material, binding.path) == (address.material, image):
            height, width = texture.pixels.shape[:2]
            seen = result.known_fraction(name)
            entry.found = f"{width} x {height}, {100 * seen:.0f} % seen"
            entry.note = "" if seen > ENOUGH_SEEN else PARTLY_SEEN.format(seen)


def forget_result(fit: WEFT_PG_fit) -> None:
    """Clear what an earlier fit found."""
    forget_verdict(fit)
    for entry in fit.parameters:
        entry.found = entry.note = ""
    for target in fit.targets:
        target.found = ""
