# SPDX-License-Identifier: Apache-2.0
"""What a fit is given: a scene and lists of the right things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from weft._native import ArgumentError
from weft._shown import shown
from weft.fit.exposure import Exposure
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.texture_parameters import TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter

AnyParameter = Parameter | TextureParameter | Exposure | LightParameter | EnvironmentParameter
"""What may change in a fit."""


def _kind_of(value: object) -> str:
    """Return a short value as it is, of others what they are."""
    is_short = value is None or isinstance(value, (str, int, float))
    return shown(value) if is_short else f"{type(value).__name__}"


def require_lists(scene: object, targets: object, parameters: object) -> None:
    """Refuse what is no scene, and lists of something else."""
    from weft.fit.target import Target
    from weft.scene import Scene

    if not isinstance(scene, Scene):
        raise ArgumentError(f"Fit: scene must be a weft.Scene, got {_kind_of(scene)}")
    lists = {"targets": (targets, (Target,)), "parameters": (parameters, get_args(AnyParameter))}
    for name, (entries, allowed) in lists.items():
        wanted = " or ".join(kind.__name__ for kind in allowed)
        if isinstance(entries, str) or not isinstance(entries, Sequence):
            raise ArgumentError(
                f"Fit: {name} must be a list of {wanted}, got {_kind_of(entries)}; put one in "
                "brackets"
            )
        for entry in entries:
            if not isinstance(entry, allowed):
                raise ArgumentError(
                    f"Fit: {name} must be a list of {wanted}, got {_kind_of(entry)} in it"
                )
    assert isinstance(targets, Sequence)
    assert isinstance(parameters, Sequence)
    if not targets or not parameters:
        raise ArgumentError(
            f"Fit: at least one target and one parameter are needed, got {len(targets)} and "
            f"{len(parameters)}"
        )
