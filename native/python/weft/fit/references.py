# SPDX-License-Identifier: Apache-2.0
"""From the names that people write to the references that a scene has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from weft.fit.parameters import Parameter
from weft.fit.texture_parameters import TextureParameter
from weft.scene.changes import inputs_of
from weft.scene.parameter_ref import find_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.scene import Scene

T = TypeVar("T")


def with_references(scene: Scene, parameters: Sequence[T]) -> list[T]:
    """Return parameters whose names are those of the scene, where other text meant them.

    Raises:
        ArgumentError: A name may be that of several inputs; the message has them.
    """
    known = inputs_of(scene)
    out = []
    for entry in parameters:
        if isinstance(entry, (Parameter, TextureParameter)):
            changes: dict[str, object] = {"name": find_name(entry.name, known) or entry.name}
            if isinstance(entry, Parameter):
                changes["tied"] = tuple(find_name(name, known) or name for name in entry.tied)
            entry = replace(entry, **changes)  # type: ignore[arg-type]  # each is of its field
        out.append(entry)
    return out
