# SPDX-License-Identifier: Apache-2.0
"""The textures of a fit: the model of native/fit/texture_model.hpp, and its results in words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from weft import _native
from weft.fit.map_errors import TiedMaps, name_untold
from weft.fit.texture_parameters import FittedTexture, LightTexture, find_texture
from weft.scene.parameter_ref import find_name
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.settings import FitSettings
    from weft.fit.texture_parameters import TextureParameter
    from weft.fit.views import Views
    from weft.render.renderer import Renderer


class TextureModel:
    """Fits textures by gradient steps that are replayed from recorded paths.

    Args:
        renderer: Of the scene.
        views: Of the targets.
        parameters: Textures.
        settings: Bounces and seed.

    Raises:
        ArgumentError: There is no such texture, or it is given twice.
    """

    def __init__(
        self,
        renderer: Renderer,
        views: Views,
        parameters: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Find the textures."""
        self.parameters, self._views = list(parameters), views
        self._channels = []
        given = []
        for parameter in parameters:
            self._channels.append(find_texture(renderer, parameter.name)[1].pixels.shape[2])
            known = renderer.tables.materials.texture_slots
            given.append(
                (
                    find_name(parameter.name, known) or str(parameter.name),
                    parameter.bounds,
                    parameter.smoothness,
                    isinstance(parameter, LightTexture),
                )
            )
        self.native = _native.TextureModel(
            views.native,
            renderer.tables.native,
            given,
            settings.bounces,
            settings.seed,
            renderer.interrupt,
        )

    @property
    def is_light(self) -> bool:
        """Whether one of the textures lights the scene: all pixels tell of it."""
        return any(isinstance(entry, LightTexture) for entry in self.parameters)

    def textures(self) -> dict[str, FittedTexture]:
        """Return the textures as they were found, their holes filled, by name."""
        found = zip(self.parameters, self.native.results(), strict=True)
        return {parameter.name: FittedTexture(*own) for parameter, own in found}

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        out, lost = self._views.problems(), self.native.lost_texels
        if lost:
            names = ", ".join(entry.name for entry in self.parameters)
            out.append(
                Problem(
                    f"Texture {names}",
                    f"derivatives of about {lost} texels are no finite numbers in some draws; look "
                    "for inputs of materials or lights that are no numbers",
                    "the other draws, or texels around",
                )
            )
        return out

    def undetermined(self) -> dict[str, str]:
        """Return the maps that the pictures do not tell, and why, in words."""
        found = zip(self.parameters, self.native.undetermined(), strict=True)
        out = {parameter.name: why for parameter, why in found if why}
        for numbers, maps, errors, correlation, known in self.native.tied_uncertainty():
            own = [self.parameters[number] for number in numbers]
            sizes = np.cumsum([0, *(self._channels[number] for number in numbers)])
            parts = [slice(*pair) for pair in itertools.pairwise(sizes)]
            out |= name_untold(TiedMaps(own, parts, maps, errors, correlation, known))
        return out
