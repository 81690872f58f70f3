# SPDX-License-Identifier: Apache-2.0
"""What a fit is given: a scene and lists of the right things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, get_args

from weft._native import ArgumentError
from weft._shown import shown
from weft.fit.exposure import Exposure
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.texture_parameters import LightTexture, TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter

AnyParameter = Parameter | TextureParameter | Exposure | LightParameter | EnvironmentParameter
"""What may change in a fit."""

T = TypeVar("T")


def of_kind(parameters: Sequence[object], kind: type[T]) -> list[T]:
    """Return the entries of one kind, in their order."""
    return [entry for entry in parameters if isinstance(entry, kind)]


@dataclass(frozen=True)
class Sought:
    """What may change in a fit, by kinds.

    Args:
        parameters: Scalars and colours.
        textures: That of an unknown environment among them.
        exposures: Of the pictures.
        lights: Whose strength may change.
    """

    parameters: Sequence[Parameter]
    textures: Sequence[TextureParameter]
    exposures: Sequence[Exposure]
    lights: Sequence[LightParameter]

    @staticmethod
    def of(parameters: Sequence[AnyParameter]) -> Sought:
        """Return parameters by their kinds."""
        unknown = of_kind(parameters, EnvironmentParameter)
        return Sought(
            of_kind(parameters, Parameter),
            [
                *of_kind(parameters, TextureParameter),
                *(entry.texture_parameter() for entry in unknown),
            ],
            of_kind(parameters, Exposure),
            of_kind(parameters, LightParameter),
        )

    def names(self) -> list[str]:
        """Return the names of what changes of the scene's own materials."""
        numbers = [name for entry in self.parameters for name in (entry.name, *entry.tied)]
        own = [entry.name for entry in self.textures if not isinstance(entry, LightTexture)]
        return numbers + own


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
