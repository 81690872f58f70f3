# SPDX-License-Identifier: Apache-2.0
"""What a fit has found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft._native import ArgumentError
from weft.fit.end_reason import EndReason
from weft.fit.unknown_environment import without_box
from weft.fit.verdict import OPEN
from weft.scene.parameter_ref import NamedValues

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from weft.fit.inputs import FitInputs
    from weft.fit.progress import Progress
    from weft.fit.texture_parameters import FittedTexture
    from weft.fit.verdict import Verdict
    from weft.scene import Environment, Problem, Scene


@dataclass
class FitResult:
    """What a fit has found.

    Args:
        values: Of the scalar parameters, by name.
        errors: Standard errors; infinite where the pictures tell nothing. Where more than noise is
            left, they are larger than those of the history, by at most ``verdict.inflation``.
        textures: By the names of their parameters.
        reason: Why it ended: ``converged``, ``iterations``, ``time`` or ``cancelled``; ``running``
            while it goes on. An ``EndReason``, which still equals ``draws``, and warns.
        history: One entry a step.
        undetermined: Names of the numbers that these pictures do not determine, and why.
        fit: That found it.
        start: Where numbers began, by name, if another fit had moved them before this one; the
            report's "before". Others began where their parameters say.
        environment: That was found, where it was unknown.
        problems: What the fit did not see as it is: what an export left out or replaced, and
            pictures that look clipped. Values may be off by more than their errors for it.
        verdict: Whether the scene explains the pictures. That a fit has converged says only that
            its optimiser stands still.
    """

    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    textures: Mapping[str, FittedTexture]
    reason: str
    history: list[Progress] = field(default_factory=list)
    undetermined: Mapping[str, str] = field(default_factory=dict)
    fit: FitInputs | None = field(default=None, repr=False, compare=False)
    start: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    verdict: Verdict = OPEN
    problems: Sequence[Problem] = ()
    environment: Environment | None = None

    def __post_init__(self) -> None:
        """Let names be written without their quotes."""
        self.reason = EndReason(self.reason)
        for name in ("values", "errors", "textures", "undetermined", "start"):
            setattr(self, name, NamedValues(getattr(self, name)))

    def apply(self, scene: Scene | None = None, *, target: str | int | None = None) -> Scene:
        """Return a scene with the values and textures that were found.

        Args:
            scene: With materials of the same names and shapes; it stays as it is. ``None``: that of
                the fit.
            target: Name or number of a target: the scene of the fit under its lights and world;
                instead of `scene`.

        Raises:
            ArgumentError: The scene lacks one of the inputs, there is no such target, or both
                `scene` and `target` are given.
        """
        from weft.fit.report import scene_with_result

        fit = self._require_fit("apply")
        images = {name: texture.pixels for name, texture in self.textures.items()}
        given = fit.renderer.scene if scene is None else scene
        if target is not None:
            if scene is not None:
                raise ArgumentError("FitResult.apply: give scene or target, not both")
            given = fit.lighting.scene_of(target)
        lights = fit.lighting.names
        applied = scene_with_result(given, self.values, images, fit.parameters, lights)
        if fit.unknown is None:
            return applied
        return without_box(applied, fit.unknown, self.environment)

    def describe(self, name: str) -> str:
        """Return the value of a scalar parameter and its error for people: ``0.352 ± 0.004``.

        As many digits as the error leaves, and the first digit of the error; a colour has three of
        them with commas between.

        Args:
            name: Of one of `values`.
        """
        pairs = zip(self.values[name], self.errors[name], strict=True)
        return ", ".join(_with_error(float(value), float(error)) for value, error in pairs)

    def known_fraction(self, name: str) -> float:
        """Return for which fraction of the surfaces that show a texture it is known, in [0, 1].

        Args:
            name: Of one of `textures`.

        Raises:
            ArgumentError: The result does not know its fit.
        """
        from weft.fit.uv_coverage import known_fraction

        scene = self._require_fit("known_fraction").renderer.scene
        return known_fraction(scene, name, self.textures[name].known)

    def save_report(
        self, folder: str | os.PathLike[str], *, samples: int | None = None
    ) -> dict[str, Any]:
        """Write what was found as a folder of files.

        ``report.json`` has the values, their errors, why the fit ended and the history, and names
        the other files: ``loss.png`` and ``loss.svg``, for each target a picture with before,
        after, target and difference side by side, fitted textures as ``.exr``, and ``scene.weft``.

        Args:
            folder: Where to; made if absent. Files of an earlier report are replaced.
            samples: Paths a pixel of the pictures; ``None``: 64, fewer for large targets.

        Returns:
            The contents of ``report.json``.

        Raises:
            ArgumentError: `folder` is a file, or `samples` is below 1.
            ImageError: A file cannot be written.
        """
        from weft.fit.report import write_report

        return write_report(self._require_fit("save_report"), self, folder, samples=samples)

    def _require_fit(self, method: str) -> FitInputs:
        if self.fit is None:
            raise ArgumentError(
                f"FitResult.{method}: the result does not know its fit; take it from Fit.result()"
            )
        return self.fit


def _with_error(value: float, error: float) -> str:
    """Return a value with as many digits as its error leaves, and the first digit of the error."""
    if not math.isfinite(error) or error <= 0:
        return f"{value:.3g}"
    digits = min(max(-math.floor(math.log10(error)), 0), 6)
    return f"{value:.{digits}f} ± {error:.{digits}f}"
