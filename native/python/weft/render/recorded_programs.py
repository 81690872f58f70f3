# SPDX-License-Identifier: Apache-2.0
"""Which surfaces and media leave records for a fit, and what cannot be fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import ArgumentError
from weft.render.record_media import MediaRecorder, fitted_media

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.render.directions import Directions
    from weft.render.renderer import Renderer


def media_recorder(
    renderer: Renderer, directions: Directions, with_texels: bool
) -> MediaRecorder | None:
    """Return what records media, where numbers of some change.

    Raises:
        ArgumentError: Textures change as well, or see fitted_media().
    """
    media = fitted_media(renderer, directions)
    if media and with_texels:
        name = renderer.scene.materials()[media[0]].name
        raise ArgumentError(
            f"Fit: the medium of '{name}' cannot be fitted together with textures; fit its numbers "
            "first, then the textures"
        )
    return MediaRecorder(renderer, media, directions) if media else None


def recorded_programs(renderer: Renderer, materials: Sequence[int], with_media: bool) -> list[int]:
    """Return the programs whose surfaces leave records.

    Args:
        renderer: Of the scene.
        materials: That change.
        with_media: Media do: every light ray may pass one.

    Raises:
        ArgumentError: One of the materials lets light pass straight.
    """
    table = renderer.tables.materials
    own = {int(table.records[number, 0]) for number in materials}
    for number in materials:
        program = table.programs[table.records[number, 0]]
        if program.passes and not (with_media and program.is_boundary):
            raise ArgumentError(
                f"Fit: '{renderer.scene.materials()[number].name}' lets light pass straight, "
                "and shadows have no derivative; fit it with alpha 1, or fit what lies behind"
            )
    if with_media:
        own = set(range(len(table.programs)))
    return sorted(number for number in own if not table.programs[number].passes)


def require_one_walk(renderer: Renderer, materials: Sequence[int]) -> None:
    """Refuse materials of several closures below which light wanders: walks of one are no others'.

    Raises:
        ArgumentError: There is one.
    """
    table = renderer.tables.materials
    for number in materials:
        if table.programs[table.records[number, 0]].walks > 1:
            raise ArgumentError(
                f"Fit: '{renderer.scene.materials()[number].name}' has several subsurface "
                "scatterings, and derivatives are known of one; give it one, or leave it out"
            )
