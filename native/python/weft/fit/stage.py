# SPDX-License-Identifier: Apache-2.0
"""A fit while it runs: the engine's phases (native/fit/stage.hpp), and what they found, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft import _native
from weft.fit.devices import shares_of
from weft.fit.exposure import view_gains
from weft.fit.information import Information
from weft.fit.smooth_glass import require_known_directions
from weft.fit.texture_model import TextureModel
from weft.fit.unknowns import build_unknowns, result_values
from weft.fit.views import build_views, find_shown, materials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.given import Sought
    from weft.fit.lighting import Lighting
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture
    from weft.fit.validation import ValidationArrays
    from weft.fit.views import Views
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem


class Stage:
    """The phases of a fit over the models of what is sought: numbers, textures, or both.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        sought: What may change.
        lighting: Of the targets, with the lights whose strength may change.
        settings: Iterations, samples, bounces, tolerance and seed.
        others: Of the targets on further devices, which take their share of the views.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        sought: Sought,
        lighting: Lighting,
        settings: FitSettings,
        others: Sequence[Lighting] = (),
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        self.renderer, self.settings, self.parameters = renderer, settings, sought.parameters
        self.texture_names = [entry.name for entry in sought.textures]
        gains = view_gains(sought.exposures, targets)
        self.unknowns = build_unknowns(renderer.tables, self.parameters, gains, sought.lights)
        require_known_directions(renderer.scene, self.parameters)
        self.views = self._build_views([lighting, *others], targets, sought)
        scalars = self._scalar_model() if self.unknowns.blocks else None
        self.images = (
            TextureModel(renderer, self.views, sought.textures, settings)
            if sought.textures
            else None
        )
        images = None if self.images is None else self.images.native
        shown = self._find_shown() if scalars is not None and images is not None else []
        self.native = _native.FitStage(scalars, images, settings, shown)

    def _build_views(
        self, places: Sequence[Lighting], targets: Sequence[Target], sought: Sought
    ) -> Views:
        """Return a view of each target, with recorders for all that changes."""
        has_numbers = bool(self.unknowns.blocks)
        size = len(self.renderer.tables.materials.values)
        return build_views(
            places,
            targets,
            shares_of(targets, len(places)),
            materials_of(self.renderer, [*sought.names(), *self.texture_names]),
            self.unknowns.native.directions(size).rows if has_numbers else None,
            with_texels=bool(self.texture_names),
        )

    def _scalar_model(self) -> _native.ScalarModel:
        """Return renders as a function of the numbers."""
        settings = self.settings
        return _native.ScalarModel(
            self.views.native,
            self.unknowns.native,
            self.renderer.tables.native,
            settings.samples,
            settings.bounces,
            settings.seed,
            self.renderer.interrupt,
        )

    def _find_shown(self) -> list[NDArray[np.bool_]]:
        """Return which pixels of each view show textures that change, or lie close to one."""
        assert self.images is not None
        if self.images.is_light:
            return [np.ones(view.size, bool) for view in self.views]
        textured = materials_of(self.renderer, self.texture_names)
        return [find_shown(self.renderer, view, textured) for view in self.views]

    def step(self) -> None:
        """Sample new paths and take one optimisation step of the phase under way."""
        self.native.step()

    @property
    def is_done(self) -> bool:
        """Whether all phases are done."""
        return self.native.is_done

    @property
    def has_converged(self) -> bool:
        """At the end: errors are as small as asked for, textures averaged and at rest."""
        return self.native.has_converged

    @property
    def is_settled(self) -> bool:
        """Whether the loss of textures has ceased to fall; there may be none."""
        return self.native.is_settled

    @property
    def loss(self) -> float:
        """Mean product of the residuals of both sample sets; see native/fit/loss_meter.hpp."""
        return self.native.loss

    @property
    def noise_floor(self) -> float:
        """Standard deviation that the noise of renders gives the loss."""
        return self.native.noise_floor

    @property
    def x(self) -> NDArray[np.float64]:
        """The numbers as they were found so far, in the order of `unknowns`."""
        return self.native.x

    @property
    def information(self) -> Information | None:
        """What the draws say of the numbers; ``None``: nothing."""
        return Information.of(self.native.information)

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the numbers by name."""
        return result_values(self.unknowns, self.x)

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the standard errors by name."""
        errors = self.native.errors * self.unknowns.derivatives(self.x)
        return {block.name: errors[block.part] for block in self.unknowns.blocks}

    def inflated_errors(self, ratio: float) -> tuple[Mapping[str, NDArray[np.float64]], float]:
        """Return standard errors where more than noise is left, and the largest factor on them.

        Args:
            ratio: Of residuals to noise: what errors grow by if nothing better is known (Birge
                1932).
        """
        factors, errors = self.native.error_factors(ratio), self.errors()
        return {
            block.name: errors[block.name] * factors[block.part] for block in self.unknowns.blocks
        }, float(factors.max(initial=1.0))

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {} if self.images is None else self.images.textures()

    def write(self) -> None:
        """Leave the scene on the device with what was found."""
        self.native.write()

    def validate(self, bounces: int | None = None) -> list[ValidationArrays]:
        """Draw the views' pixels at what was found; see weft.fit.validation.Stage."""
        return self.native.validate(self.settings.samples, bounces)

    def differences(
        self, pixels: Sequence[NDArray[np.uint32]], samples: int, draw: int
    ) -> list[NDArray[np.float32]]:
        """Render some pixels of each view at what was found; return render minus picture."""
        return self.native.differences(pixels, samples, draw)

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        return self.native.save()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called.

        Raises:
            ArgumentError: Arrays are missing or of other sizes; the stage stays as it was.
        """
        self.native.restore(dict(saved))

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        return self.views.problems() if self.images is None else self.images.problems()

    def undetermined(self) -> dict[str, str]:
        """Return the numbers and tied maps that the pictures do not determine, in words."""
        maps = {} if self.images is None else self.images.undetermined()
        return self._undetermined_numbers() | maps

    def _undetermined_numbers(self) -> dict[str, str]:
        known = self.information
        if known is None:
            return {}
        from weft.fit import diagnosis

        targets = [view.target for view in self.views]
        evidence = diagnosis.Evidence(
            self.renderer,
            targets,
            self.parameters,
            self.unknowns,
            self.x,
            known,
            self.texture_names,
        )
        return diagnosis.find_undetermined(evidence)
