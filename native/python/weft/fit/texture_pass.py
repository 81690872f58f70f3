# SPDX-License-Identifier: Apache-2.0
"""The passes of a joint fit that move textures, and the scalars that only they determine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import MEASURED_DRAWS, BestTexels, NoiseMeter
from weft.fit.joint_state import PASS_FRACTIONS
from weft.fit.phases import Phase, owner
from weft.scene.parameter_ref import owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.joint_state import JointState
    from weft.fit.scalar_stage_base import ScalarStageBase

TRUSTED_ERROR = 0.1  # of the range: a scalar with a larger error moves with the textures
MOVING_FACTOR = 1.5  # of the iterations, that textures take where scalars move with them: 1 to 2


class TexturePass(Phase):
    """Moves textures, and the scalars that only textured pixels determine.

    Args:
        stage: With the views and the settings.
        joint: What the phases share.
        number: Of the pass, from 0: it ends where the scalar pass after it begins.
    """

    def __init__(self, stage: ScalarStageBase, joint: JointState, number: int) -> None:
        """Begin with no iteration."""
        super().__init__("textures" if number == 0 else f"textures {number + 1}", "textures")
        self._stage, self._joint, self.number = owner(stage), joint, number
        self.is_last = number == len(PASS_FRACTIONS) - 2
        wanted = stage.settings.texture_iterations
        self._best = BestTexels(joint.images, wanted, joint.model)

    @property
    def _is_whole(self) -> bool:
        """The pass goes on to the end: no scalar is fixed that would be looked for between."""
        return self.is_last or (self._joint.passes > 0 and not self._joint.model.fixed.any())

    @property
    def is_needed(self) -> bool:
        """Whether an earlier pass has not gone on to the end; not known before the first one."""
        joint = self._joint
        return self.number == 0 or joint.passes == 0 or bool(joint.model.fixed.any())

    @property
    def have_averaged(self) -> bool:
        """The iterations are used up, and a quarter was averaged where the scalars stay."""
        wanted = self._stage.settings.texture_iterations
        return self._joint.iterations >= wanted and self._joint.model.averaged >= wanted // 4

    @property
    def is_done(self) -> bool:
        """The next scalar pass is due, or enough iterations were averaged, or twice were made."""
        wanted, made = self._stage.settings.texture_iterations, self._joint.iterations
        if not self.iterations:
            return False
        if self._is_whole:
            return self.have_averaged or made >= 2 * wanted
        return made >= PASS_FRACTIONS[self.number + 1] * wanted

    @property
    def remaining(self) -> float:
        """Iterations to the end of the pass; more where scalars still move at its end."""
        wanted, made = self._stage.settings.texture_iterations, self._joint.iterations
        if not self._is_whole:
            before = math.ceil(PASS_FRACTIONS[self.number] * wanted)
            end = math.ceil(PASS_FRACTIONS[self.number + 1] * wanted)
            return max(end - max(made, before), 0)
        if self.number > 0:
            made = max(made, math.ceil(PASS_FRACTIONS[self.number] * wanted))
        return 0 if self.iterations and self.is_done else max(self._whole() - made, 1)

    def _whole(self) -> float:
        """Return after how many iterations enough are expected to be averaged."""
        wanted, model = self._stage.settings.texture_iterations, self._joint.model
        made, averaged = self._joint.iterations, model.averaged
        if self._joint.passes == 0 or model.fixed.all():
            return max(wanted, made + 1)
        if made < wanted or averaged < wanted / 8:
            return max(MOVING_FACTOR * wanted, made + wanted // 4 - averaged)
        return made + wanted // 4 - averaged

    def begin(self) -> None:
        """Select the pixels and weigh them by noise; later passes take those of the first one."""
        self._best.restart()
        if self.number > 0:
            self._stage.views.restore(self._joint.selections["textures"])
            return
        stage, joint, unknowns = self._stage, self._joint, self._stage.unknowns
        state = stage.best_candidate or stage.solver.state
        trusted = state.errors <= TRUSTED_ERROR * (unknowns.high - unknowns.low)
        is_open = (state.information is not None) & ~trusted
        x = np.where(is_open, unknowns.start, state.x)
        joint.model.start_at(x, trusted & ~self._of_textured())
        joint.images.select_pixels()
        if joint.model.fixed.all():
            self._leave_out_scalars()
        self._weigh_by_noise()
        joint.selections["textures"] = stage.views.save()
        self._keep_selected()

    def _keep_selected(self) -> None:
        """Let the loss count the pixels that the phases have selected."""
        numbers = self._joint.selections.get("scalars", {})
        stage = self._stage
        stage.meter.keep(
            [
                np.union1d(view.pixels, numbers.get(f"pixels.{number}", [])).astype(np.uint32)
                for number, view in enumerate(stage.views)
            ]
        )

    def _of_textured(self) -> NDArray[np.bool_]:
        """Return the scalars of materials that have a texture that changes."""
        out = np.zeros(len(self._stage.unknowns.start), bool)
        textured = {owner_of(name) for name in self._stage.texture_names}
        for block in self._stage.unknowns.blocks:
            if not block.is_factor and owner_of(block.name) in textured:
                out[block.part] = True
        return out

    def _leave_out_scalars(self) -> None:
        """Select only pixels that show textures."""
        for view, shown in zip(self._stage.views, self._joint.shown, strict=True):
            kept = view.pixels[shown[view.pixels]]
            view.pixels = kept if len(kept) else view.pixels[:1]

    def _weigh_by_noise(self) -> None:
        """Let pixels count by the noise that renders have there."""
        scalars, x = self._stage.scalars, self._joint.model.x
        meter = NoiseMeter(self._stage.views.native)
        for _ in range(MEASURED_DRAWS):
            scalars.draw(x, self._stage.settings.samples)
            residuals = scalars.residuals(x)
            meter.add(*residuals)
        if self._stage.meter.is_open:
            self._stage.meter.begin(*residuals)
        meter.apply()

    def step(self) -> None:
        """Sample new paths and take one step of all that moves."""
        joint, settings = self._joint, self._stage.settings
        if joint.weighing.is_due(joint.iterations / settings.texture_iterations):
            self._weigh_photos()
            self._best.restart()
        joint.model.step(joint.iterations, settings.texture_iterations, settings.samples)
        self._stage.meter.record(*joint.model.residuals)
        self._best.note()
        joint.iterations += 1

    def _weigh_photos(self) -> None:
        """Weigh the pixels of photos anew, also for the scalars that are looked for alone."""
        joint, stage = self._joint, self._stage
        joint.images.upload()
        joint.weighing.go_on(stage.scalars, stage.x, stage.settings.samples)
        joint.selections["textures"] = stage.views.save()
        selection = joint.selections.get("scalars", {})
        for number, view in enumerate(stage.views if selection else ()):
            selection[f"trust.{number}"] = view.trust

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the best textures of the pass so far."""
        return self._best.save()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._best.restore(dict(saved))
