# SPDX-License-Identifier: Apache-2.0
"""Textures from pictures: replayed gradients, scaled by curvature, and averaged iterates.

Texels, films and all that steps keep of them stay on the device: what the host sees of a step is
its loss, its noise, and how much of it was no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.image_kernels import copy_of
from weft.fit.map_errors import name_untold
from weft.fit.texture_parameters import FittedTexture
from weft.fit.texture_replay import Adjoints, TextureReplay, to_host
from weft.fit.tied_maps import TiedMaps
from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from weft._native import TiedSchedule
    from weft.fit.map_errors import Uncertainty
    from weft.fit.texture_parameters import Region
    from weft.fit.texture_schedule import StepSchedule

SHARING = 4  # texels that a lookup mixes: each gets a share of what pixels tell of all


class TextureModel(TextureReplay):
    """Fits textures by gradient steps that are replayed from recorded paths; see TextureReplay."""

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on, the views apart."""
        state = self.state
        counts = np.array([self.iterations, state.curvatures, state.averaged])
        tied = [prefixed(f"tied.{k}", entry.save()) for k, entry in enumerate(self.tied)]
        return {name: value for part in tied for name, value in part.items()} | {
            **state.save(),
            "counts": counts,
            "loss": np.array([self.loss, self.noise, *self.losses]),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        state = self.state
        state.restore(saved)
        self.iterations, state.curvatures, state.averaged = map(int, saved["counts"])
        self.loss, self.noise, *self.losses = map(float, saved["loss"])
        for number, entry in enumerate(self.tied):
            entry.restore(part_of(saved, f"tied.{number}"))
        self._uncertain.clear()

    def count_views(self) -> None:
        """Count the views that show the texels of tied maps, once; a replay comes first."""
        if not self.tied or self.state.curvatures:
            return
        for tied in self.tied:
            tied.forget_views()
        for shown in range(len(self.views)):
            ones = [
                [np.full((len(view.pixels), CHANNELS), float(number == shown), np.float32)] * 2
                for number, view in enumerate(self.views)
            ]
            answers = np.abs(to_host(self.collect(self.texels, self.adjoints_of(ones))))
            for tied in self.tied:
                tied.add_view(answers)

    def needs_curvature(self) -> bool:
        """Return whether curvature() is due on this draw."""
        if self.tied:
            return self.state.curvatures < 16 or self.iterations % 3 == 0
        return self.state.curvatures < 4 or self.iterations % 8 == 0

    def add_curvature(self, adjoints: Iterable[Adjoints]) -> None:
        """Average, for each texel, what all texels of its map together add to its curvature.

        Steps of gradient over this sum converge where J has one sign in a pixel (Gilbert 1972;
        SIRT). Each map is raised alone, for maps answer with different signs: their sum may
        be zero where each of them tells much.

        Args:
            adjoints: Of each map, by what films change as it is raised; a replay of the texels as
                they are comes first.
        """
        self.count_views()
        self.state.curvatures += 1
        tied = {number for entry in self.tied for number in entry.group.numbers}
        answers: dict[int, NDArray[np.float32]] = {}
        for number, own in enumerate(adjoints):
            answer = self.collect(self.texels, own)
            self.state.add_curvature(self.regions[number], answer)
            if number in tied:
                answers[number] = to_host(answer)
        for entry in self.tied:
            entry.add_blocks(entry.group.blocks([answers[k] for k in entry.group.numbers]))

    def step(self, schedule: StepSchedule, tied_schedule: TiedSchedule) -> None:
        """Make one step on the last draw.

        Args:
            schedule: How maps move that are not tied.
            tied_schedule: How the others do.
        """
        # What is collected follows the replay before it: that of the texels comes last.
        raised = self.raised_films() if self.needs_curvature() else None
        gradient = self.gradient()
        if raised is not None:
            self.add_curvature(self.curvature(raised))
        self.require_numbers()
        self.move(gradient, schedule)
        self.move_tied(gradient, tied_schedule)

    def move_tied(self, gradient: Tensor, schedule: TiedSchedule) -> None:
        """Step against a gradient with all maps of a material together."""
        if not self.tied:
            return
        derivatives, texels = to_host(gradient), to_host(self.texels)
        for tied in self.tied:
            tied.expect(self.loss, self.noise * schedule.noise)
            tied.step(derivatives, texels, schedule)
        self.texels.copy_from_numpy(texels)

    def move(self, gradient: Tensor, schedule: StepSchedule) -> None:
        """Step against a gradient, which may be overwritten, with maps that are not tied."""
        for region in self.untied:
            self.state.move(region, gradient, schedule)

    def write_result(self) -> None:
        """Give the scene on the device the textures that were found, without holes."""
        found = copy_of(self.state.found)  # a fit that goes on does so from what has holes
        for region in self.regions:
            found[region.part] = self.state.filled(region)
        self.give(found)

    def return_to(self, texels: Tensor) -> None:
        """Go on from other texels of the scene, at rest; averages begin anew there."""
        self.state.return_to(texels)
        self.restart_average()

    def restart_average(self) -> None:
        """Forget the mean."""
        self.state.averaged = 0

    def average(self) -> None:
        """Add the texels as they are to their mean."""
        self.state.average()

    def result(self, region: Region) -> FittedTexture:
        """Return a fitted texture, its holes filled."""
        known = self._known(region)
        errors = np.where(known[..., None], self._errors(region), np.inf).astype(np.float32)
        filled = to_host(self.state.filled(region)).reshape(region.shape)
        return FittedTexture(
            filled[::-1].copy(), known[::-1].astype(np.float32), errors[::-1].copy()
        )

    @property
    def _left(self) -> float:
        """Variance of a residual about what the textures explain."""
        return max(self.loss_level, 0.0) + self.noise / max(self.state.averaged, 1)

    def uncertainty(self, tied: TiedMaps) -> Uncertainty:
        """Return what is not known of maps that are tied."""
        state = self.state
        version = (self.iterations, len(self.losses), state.averaged, state.curvatures)
        kept, found = self._uncertain.get(id(tied), (None, None))
        if found is None or kept != version:
            found = tied.find_uncertainty(
                tied.group.gather(to_host(self.state.found)), self._left, SHARING
            )
            self._uncertain[id(tied)] = version, found
        return found

    def undetermined(self) -> dict[str, str]:
        """Return the maps that the pictures do not tell, and why, in words."""
        out: dict[str, str] = {}
        for region in self.regions:
            if not self._known(region).any():
                out[region.parameter.name] = "no pixel of the pictures shows it"
        for tied in self.tied:
            known = [
                tied.group.grown(self._known(region)[..., None].astype(np.float32))[..., 0] > 0.5
                for region in tied.group.regions
            ]
            maps = tied.group.gather(to_host(self.state.found))
            out |= name_untold(tied.group, self.uncertainty(tied), known, maps)
        return out

    def _known(self, region: Region) -> NDArray[np.bool_]:
        """Return which texels of a map pictures show, shape ``(height, width)``."""
        return (to_host(self.state.known(region)) > 0).reshape(region.shape[:2])

    def _errors(self, region: Region) -> NDArray[np.floating]:
        """Return standard errors of texels that are known."""
        for tied in self.tied:
            if region in tied.group.regions:
                number = tied.group.regions.index(region)
                part = tied.group.channels[number]
                return tied.group.shrunk(number, self.uncertainty(tied).errors[..., part])
        divisor = np.abs(to_host(self.state.stiffness(region, 0).divisor)).reshape(region.shape)
        errors: NDArray[np.floating] = np.sqrt(2 * SHARING * self._left / divisor)
        return errors
