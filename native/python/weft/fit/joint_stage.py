# SPDX-License-Identifier: Apache-2.0
"""Fits of scalar parameters together with textures: what they have found, over all phases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import JointModel, MapReweighting
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.information import Information
from weft.fit.joint_state import PASS_FRACTIONS, JointState
from weft.fit.scalar_pass import EARLY_ITERATIONS, EARLY_TOLERANCE, ScalarPass
from weft.fit.scalar_stage_base import ScalarStageBase
from weft.fit.texture_model import TextureModel
from weft.fit.texture_pass import TexturePass
from weft.fit.views import find_shown, materials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure
    from weft.fit.lighting import Lighting
    from weft.fit.parameters import Parameter
    from weft.fit.phases import Phase
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem


def restored_information(saved: Mapping[str, NDArray[Any]]) -> Information | None:
    """Return what a checkpoint holds of the last scalar pass; ``None``: nothing."""
    return Information(**saved) if saved else None


class JointStage(ScalarStageBase):
    """Fits scalar parameters, colours and exposures together with textures.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: Scalars and colours that may change.
        exposures: Of the pictures.
        lighting: Of the targets, with the lights whose strength may change.
        textures: That may change.
        settings: Iterations, samples, bounces, tolerance and seed.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        exposures: Sequence[Exposure],
        lighting: Lighting,
        textures: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        super().__init__(
            renderer,
            targets,
            parameters,
            exposures,
            lighting,
            settings,
            textures,
            tolerance=max(settings.tolerance, EARLY_TOLERANCE),
            max_iterations=min(settings.max_iterations, EARLY_ITERATIONS),
        )
        self.images = TextureModel(renderer, self.views, textures, settings)
        self.model = JointModel(self.scalars, self.images.native)
        self.weighing = MapReweighting(self.views.native)
        self.joint = JointState(self.images.native, self.model, self.weighing, self._find_shown())

    def _find_shown(self) -> list[NDArray[np.bool_]]:
        """Return which pixels of each view show textures that change, or lie close to one."""
        if self.images.is_light:
            return [np.ones(view.size, bool) for view in self.views]
        textured = materials_of(self.renderer, self.texture_names)
        return [find_shown(self.renderer, view, textured) for view in self.views]

    def _build_phases(self) -> Sequence[Phase]:
        """Return scalar passes with texture passes between them."""
        phases: list[Phase] = [ScalarPass(self, self.joint, 0)]
        for number in range(len(PASS_FRACTIONS) - 1):
            phases.append(TexturePass(self, self.joint, number))
            phases.append(ScalarPass(self, self.joint, number + 1))
        return phases

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        joint = self.joint
        counts = {"joint.counts": np.array([joint.passes, joint.iterations, self.weighing.rounds])}
        textures = prefixed("textures", self.images.native.save())
        models = textures | prefixed("model", self.model.save())
        out = super().state() | counts | models
        for name, selection in joint.selections.items():
            out |= prefixed(f"selection.{name}", selection)
        return out if joint.found is None else out | prefixed("found", vars(joint.found))

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        joint = self.joint
        joint.passes, joint.iterations, self.weighing.rounds = map(int, saved["joint.counts"])
        self.images.native.restore(part_of(saved, "textures"))
        self.model.restore(part_of(saved, "model"))
        selections = {name: part_of(saved, f"selection.{name}") for name in ("scalars", "textures")}
        joint.selections = {name: entry for name, entry in selections.items() if entry}
        joint.found = restored_information(part_of(saved, "found"))
        super().restore(saved)

    def end(self) -> None:
        """Leave the scene on the device with what was found."""
        self.scalars.write(self.x)
        self.images.native.write_result()

    @property
    def has_converged(self) -> bool:
        """Textures were averaged enough, where the scalars stay, and the loss does not fall."""
        passes = [phase for phase in self.phases.phases if isinstance(phase, TexturePass)]
        return self.is_done and passes[-1].have_averaged and self.is_settled

    @property
    def is_settled(self) -> bool:
        """The loss of the textures has ceased to fall."""
        return self.images.native.is_settled

    @property
    def _best(self) -> tuple[NDArray[np.float64], Information | None]:
        """Fixed scalars, by the pass under way as soon as that knows more than the one before."""
        state, found = self.solver.state, self.joint.found
        is_pass = isinstance(self.phases.current, ScalarPass)
        if is_pass and state.information is not None and found is not None:
            known, before = state.errors[self.model.fixed], found.errors[self.model.fixed]
            if (known <= before).all():
                return state.x, state.information
        return self.model.x, found

    @property
    def x(self) -> NDArray[np.float64]:
        """The unknowns, in the order of `unknowns`."""
        if self.joint.passes == 0:
            return super().x
        return np.where(self.model.fixed, self._best[0], self.model.x)

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the unknowns; those of the first run would leave the textures out."""
        known = self.information
        return np.full(len(self.x), np.inf) if known is None else known.errors

    @property
    def information(self) -> Information | None:
        """What the draws say of the unknowns."""
        _, alone = self._best
        joint, fixed = Information.of(self.model.information), self.model.fixed
        if self.joint.passes < 2 or not fixed.any() or alone is None:
            return joint
        if fixed.all():
            return alone
        if joint is None:
            return None
        apart = np.outer(fixed, fixed)
        covariance = np.where(fixed | fixed[:, None], 0, joint.covariance)
        return Information(
            joint.matrix,
            np.where(apart, alone.covariance, covariance),
            np.where(fixed[:, None], 0, joint.lost),
        )

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        return self.images.problems()

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return self.images.textures()

    def undetermined(self) -> dict[str, str]:
        """Return the numbers and tied maps that the pictures do not determine, in words."""
        return super().undetermined() | self.images.undetermined()
