# SPDX-License-Identifier: Apache-2.0
"""Fits: parameters of materials from pictures of a scene."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Device
from weft.fit.checkpoint import load_state, save_checkpoint, saved_history, saved_problems
from weft.fit.exposure import Exposure
from weft.fit.given import require_lists
from weft.fit.joint_stage import JointStage
from weft.fit.judging import are_shared, judge
from weft.fit.lighting import Lighting, lit_scenes
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.progress import Progress as Progress  # which others take from here
from weft.fit.references import with_references
from weft.fit.scalar_stage import ScalarStage
from weft.fit.settings import FitSettings
from weft.fit.texture_parameters import FittedTexture, TextureParameter
from weft.fit.texture_stage import TextureStage
from weft.fit.unknown_environment import (
    EnvironmentParameter,
    environment_of,
    environment_parameter,
    find_trade_off,
    with_unknown,
    without_box,
    without_far,
)
from weft.fit.verdict import OPEN
from weft.render.interrupt import DrawInterrupted
from weft.scene.parameter_ref import NamedValues

if TYPE_CHECKING:
    import os
    import threading
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from weft.fit.target import Target
    from weft.fit.verdict import Verdict
    from weft.scene import Environment, Problem, Scene


@dataclass
class FitResult:
    """What a fit has found.

    Args:
        values: Of the numbers, by name.
        errors: Standard errors; infinite where the pictures tell nothing. Where more than noise is
            left, they are larger than those of the history, by at most ``verdict.inflation``.
        textures: By the names of their parameters.
        reason: Why it ended: ``converged``, ``draws``, ``time`` or ``cancelled``.
        history: One entry a step.
        undetermined: Names of the numbers that these pictures do not determine, and why.
        fit: That found it.
        start: Where numbers began, by name, if another fit had moved them before this one; the
            report's "before". Others began where their parameters say.
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
    fit: Fit | None = field(default=None, repr=False, compare=False)
    start: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)
    verdict: Verdict = OPEN
    problems: Sequence[Problem] = ()
    environment: Environment | None = None

    def __post_init__(self) -> None:
        """Let names be written without their quotes."""
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

    def _require_fit(self, method: str) -> Fit:
        if self.fit is None:
            raise ArgumentError(
                f"FitResult.{method}: the result does not know its fit; take it from Fit.result()"
            )
        return self.fit


class Fit:
    """Finds the parameters of materials that explain pictures.

    Args:
        scene: Geometry, lights, cameras and materials; what is not a parameter stays as it is.
        targets: Pictures.
        parameters: What may change.
        settings: How.
        device: Where; ``None``: the default device.

    Raises:
        ArgumentError: A parameter, a camera or a picture does not fit the scene.

    Example:
        >>> fit = weft.Fit(scene, [weft.Target(photo)], [Parameter("Chrome.roughness")])
        >>> result = fit.run()
        >>> result.values["Chrome.roughness"], result.errors["Chrome.roughness"]
    """

    def __init__(
        self,
        scene: Scene,
        targets: Sequence[Target],
        parameters: Sequence[
            Parameter | TextureParameter | Exposure | LightParameter | EnvironmentParameter
        ],
        settings: FitSettings | None = None,
        *,
        device: Device | None = None,
    ) -> None:
        """Upload the scene, and prepare what the parameters need."""
        from weft.render.renderer import Renderer

        require_lists(scene, targets, parameters)
        self.settings = settings or FitSettings()
        if device is None:
            from weft import create_device

            device = create_device()
        parameters = with_references(scene, parameters)
        self.unknown = environment_parameter(parameters)
        sky = None if self.unknown is None else self.unknown.name
        if self.unknown is not None:
            scene, targets = _inside_box(scene, targets, parameters, self.unknown)
        scenes = lit_scenes(scene, targets, sky)
        others = [entry for entry in scenes if entry is not scene]
        self.renderer = Renderer(device, scene, lit_by=others)
        targets = [target.seen_by(self.renderer) for target in targets]
        self.targets, self.parameters = targets, list(parameters)
        self.stage = self._create_stage(scenes)
        self.history: list[Progress] = []
        self._began: float | None = None
        found = [problem for target in self.targets for problem in target.problems()]
        self.problems = list(dict.fromkeys([*scene.problems, *found]))

    def _create_stage(self, scenes: Sequence[Scene]) -> ScalarStage | TextureStage | JointStage:
        """Return the stage that the kinds of parameters need.

        Args:
            scenes: Of the targets, each under its light.
        """
        parameters, where = self.parameters, (self.renderer, self.targets)
        numbers = [entry for entry in parameters if isinstance(entry, Parameter)]
        images = [entry for entry in parameters if isinstance(entry, TextureParameter)]
        exposures = [entry for entry in parameters if isinstance(entry, Exposure)]
        lights = [entry for entry in parameters if isinstance(entry, LightParameter)]
        names = [name for entry in numbers for name in (entry.name, *entry.tied)]
        names += [entry.name for entry in images]
        self.lighting = Lighting(self.renderer, scenes, self.targets, lights, names)
        lit = self.lighting
        if self.unknown is not None:
            images.append(self.unknown.texture_parameter())
        if not images:
            return ScalarStage(*where, numbers, exposures, lit, self.settings)
        if numbers or exposures or lights:
            return JointStage(*where, numbers, exposures, lit, images, self.settings)
        return TextureStage(*where, lit, images, self.settings)

    def step(self) -> Progress:
        """Sample new paths and take one optimisation step."""
        if self._began is None:
            self._begin()
        assert self._began is not None
        phase = self.stage.phases.current.name
        self.stage.step()
        seconds = time.perf_counter() - self._began
        fraction, left = self._expected(seconds)
        progress = Progress(
            len(self.history) + 1,
            seconds,
            self.stage.loss,
            self.stage.values(),
            self.stage.errors(),
            fraction,
            self.stage.noise_floor,
            left,
            phase,
        )
        self.history.append(progress)
        return progress

    def _expected(self, seconds: float) -> tuple[float, float]:
        """Return the fraction that is done, which never falls, and the seconds left."""
        phases, limit = self.stage.phases, self.settings.time_limit
        fraction, left = phases.progress, phases.seconds_left
        if limit is not None:
            fraction = max(fraction, min(seconds / limit, 1.0) if limit > 0 else 1.0)
            left = min(left, max(limit - seconds, 0.0))
        before = self.history[-1].fraction if self.history else 0.0
        return max(fraction, before), left

    def _begin(self) -> None:
        """Look for what the draws need."""
        before, self._began = self.stage.state(), time.perf_counter()
        try:
            self.stage.begin()
        except DrawInterrupted:
            self.stage.restore(before)
            self._began = None
            raise

    def save_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write where the fit is, for resume(). An earlier file is replaced at the end.

        Args:
            path: File, ``.npz``.
        """
        save_checkpoint(self, path)

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint, as if the fit had not ended.

        Numbers go on bit by bit as they would have on the same device; textures up to the order
        in which the device adds gradients.

        Args:
            path: Written by save_checkpoint() of a fit of the same scene, targets, parameters,
                samples, bounces and seed.

        Raises:
            FileNotFoundError: There is no such file.
            ArgumentError: The file is no checkpoint, or one of another fit.
        """
        saved = load_state(self, path)
        self.problems = list(dict.fromkeys([*self.problems, *saved_problems(saved)]))
        self.stage.restore(saved)
        self.history = [Progress(**entry) for entry in saved_history(saved)]
        spent = self.history[-1].seconds if self.history else 0.0
        self._began = time.perf_counter() - spent if self.history else None

    @property
    def is_done(self) -> bool:
        """No further step is needed, or allowed."""
        return self.stage.is_done

    def run(
        self,
        progress: Callable[[Progress], object] | None = None,
        cancel: threading.Event | None = None,
    ) -> FitResult:
        """Step until the standard errors are small enough and textures have had their draws.

        Args:
            progress: Called after each step.
            cancel: Ends the fit when set; the result is the best so far, from the steps that came
                to their ends. The draw under way is given up between two surfaces of its paths.
        """
        limit = self.settings.time_limit
        reason = "draws"
        while not self.is_done:
            try:
                with self.renderer.interrupt.by(cancel):
                    latest = self.step()
            except DrawInterrupted:
                reason = "cancelled"
                break
            if progress is not None:
                progress(latest)
            if cancel is not None and cancel.is_set():
                reason = "cancelled"
                break
            if limit is not None and latest.seconds >= limit:
                reason = "time"
                break
        else:
            if self.stage.has_converged:
                reason = "converged"
        with self.renderer.interrupt.by(cancel):
            result = self.result(reason)
        self._forget_paths()
        return result

    def _forget_paths(self) -> None:
        """Give back what steps alone need on the device; a further step takes it again.

        Results know their fits, so that whoever keeps results would keep gigabytes.
        """
        for view in self.stage.seen:
            for recorder in view.recorders:
                recorder.forget()
        self.renderer.forget_paths()

    def result(self, reason: str) -> FitResult:
        """Return what has been found so far, and leave the scene on the device with it.

        Args:
            reason: Why the fit ended. After ``cancelled`` nothing more is drawn, and the verdict
                is open.
        """
        self.stage.end()
        verdict, errors = OPEN, self.stage.errors()
        textures, undetermined = dict(self.stage.textures()), dict(self.stage.undetermined())
        environment = None
        if self.unknown is not None:
            found = textures.pop(self.unknown.texture_name)
            environment = environment_of(self.renderer.scene, self.unknown, found)
            trade_off = find_trade_off(self, self.unknown)
            undetermined |= {} if trade_off is None else {self.unknown.name: trade_off}
        if reason != "cancelled" and self.history:
            try:
                verdict = judge(self.stage, self.renderer.scene)
            except DrawInterrupted:
                pass
            if are_shared(verdict, self.targets):
                errors, most = self.stage.inflated_errors(verdict.ratio)
                verdict = replace(verdict, inflation=most)
        return FitResult(
            self.stage.values(),
            errors,
            textures,
            reason,
            list(self.history),
            undetermined,
            self,
            verdict=verdict,
            environment=environment,
            problems=tuple(dict.fromkeys([*self.problems, *self.stage.problems()])),
        )


def _inside_box(
    scene: Scene,
    targets: Sequence[Target],
    parameters: Sequence[object],
    unknown: EnvironmentParameter,
) -> tuple[Scene, list[Target]]:
    """Return a scene whose environment is looked for, and targets whose cameras see all of it."""
    if any(getattr(entry, "light", None) == unknown.name for entry in parameters):
        raise ArgumentError(
            f"Fit: an EnvironmentParameter looks for {unknown.name!r}, its brightness included; "
            "leave out the LightParameter"
        )
    return with_unknown(scene, unknown, targets), [
        target
        if isinstance(target.camera, (str, int))
        else replace(target, camera=without_far(target.camera))
        for target in targets
    ]
