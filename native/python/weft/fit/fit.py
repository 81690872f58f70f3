# SPDX-License-Identifier: Apache-2.0
"""Fits: parameters of materials from pictures of a scene."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from weft._native import Device
from weft.fit import checkpoint
from weft.fit.devices import renderer_of, renderers_beside, require_devices
from weft.fit.given import AnyParameter, Sought, require_lists
from weft.fit.goodness_of_fit import are_shared, judge
from weft.fit.lighting import Lighting, lit_scenes
from weft.fit.memory import FitCounts, fit_bytes
from weft.fit.progress import Progress as Progress  # which others take from here,
from weft.fit.references import with_references
from weft.fit.result import FitResult as FitResult  # and this
from weft.fit.settings import FitSettings
from weft.fit.stage import Stage
from weft.fit.texture_parameters import TextureParameter, find_texture
from weft.fit.trade_off import find_trade_off
from weft.fit.unknown_environment import (
    environment_of,
    environment_parameter,
    inside_box,
)
from weft.fit.verdict import OPEN
from weft.render.interrupt import Interrupted

if TYPE_CHECKING:
    import os
    import threading
    from collections.abc import Callable

    from weft.fit.target import Target
    from weft.render.renderer import Renderer
    from weft.scene import Scene


class Fit:
    """Finds the parameters of materials that explain pictures.

    Args:
        scene: Geometry, lights, cameras and materials; what is not a parameter stays as it is.
        targets: Pictures.
        parameters: What may change.
        settings: Samples, iterations, tolerance, limits; ``None``: ``FitSettings()``.
        device: Where; ``None``: that of `renderer`, or the default device.
        renderer: That of another fit, to be used instead of a new one: what both scenes have in
            common is neither uploaded nor compiled again, see Renderer.update(). The other fit must
            not be stepped any more.
        devices: Instead of `device`: views are shared out over them. Alike, each given once; the
            numbers are those of one device, bit by bit. For scalar parameters, exposures and lights
            only.

    Raises:
        ArgumentError: A parameter, a camera or a picture does not fit the scene, `renderer` works
            on another device, or `devices` cannot be used together.
        DeviceError: One of the devices is closed.

    Example:
        >>> fit = weft.Fit(scene, [weft.Target(photo)], [Parameter("Chrome.roughness")])
        >>> result = fit.run()
        >>> result.values["Chrome.roughness"], result.errors["Chrome.roughness"]
    """

    def __init__(
        self,
        scene: Scene,
        targets: Sequence[Target],
        parameters: Sequence[AnyParameter],
        settings: FitSettings | None = None,
        *,
        device: Device | None = None,
        renderer: Renderer | None = None,
        devices: Sequence[Device] = (),
    ) -> None:
        """Upload the scene, and prepare what the parameters need."""
        require_lists(scene, targets, parameters)
        devices = require_devices(devices, device, parameters)
        device = devices[0] if devices else device
        self.settings = settings or FitSettings()
        parameters = with_references(scene, parameters)
        self.unknown = environment_parameter(parameters)
        sky = None if self.unknown is None else self.unknown.name
        if self.unknown is not None:
            scene, targets = inside_box(scene, targets, parameters, self.unknown)
        scenes = lit_scenes(scene, targets, sky)
        others = [entry for entry in scenes if entry is not scene]
        self.renderer = renderer_of(scene, others, device, renderer)
        beside = devices[: len(targets)]  # each has a view
        self.renderers = [
            self.renderer,
            *renderers_beside(self.renderer, beside, scene, others),
        ]
        targets = [target.seen_by(self.renderer) for target in targets]
        self.targets, self.parameters = targets, list(parameters)
        self.stage = self._create_stage(scenes)
        self.history: list[Progress] = []
        self._began: float | None = None
        found = [problem for target in self.targets for problem in target.problems()]
        self.problems = list(dict.fromkeys([*scene.problems, *found]))

    def _create_stage(self, scenes: Sequence[Scene]) -> Stage:
        """Return the phases over the models that the kinds of parameters need.

        Args:
            scenes: Of the targets, each under its light.
        """
        sought = Sought.of(self.parameters)
        names = sought.names()
        self.lighting, *others = [
            Lighting(entry, scenes, self.targets, sought.lights, names) for entry in self.renderers
        ]
        return Stage(
            self.renderer, self.targets, sought, self.lighting, self.settings, others=others
        )

    def step(self) -> Progress:
        """Sample new paths and take one optimisation step.

        The first call selects the pixels as well. One thread at a time may step a fit.

        Returns:
            Where the fit is; also the last entry of `history`.

        Raises:
            NonFiniteError: Most pixels that are sampled are no finite numbers.
            DeviceError: The device was lost or has no memory; the fit is where it was before.
        """
        if self._began is None:
            self._began = time.perf_counter()
        try:
            self.stage.step()
        except BaseException:
            if not self.history:
                self._began = None  # nothing was made: the time begins with the next try
            raise
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
            self.stage.native.phase,
        )
        self.history.append(progress)
        return progress

    def _expected(self, seconds: float) -> tuple[float, float]:
        """Return the fraction that is done, which never falls, and the seconds left."""
        limit, native = self.settings.time_limit, self.stage.native
        fraction, left = native.progress, native.seconds_left
        if limit is not None:
            fraction = max(fraction, min(seconds / limit, 1.0) if limit > 0 else 1.0)
            left = min(left, max(limit - seconds, 0.0))
        before = self.history[-1].fraction if self.history else 0.0
        return max(fraction, before), left

    def save_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write where the fit is, for resume(), between two steps.

        Args:
            path: File, ``.npz``; one that is there is replaced once the new one is whole.

        Raises:
            OSError: The file cannot be written; an earlier one is as it was.
        """
        checkpoint.save_checkpoint(path, self, self.stage.save(), self.history, self.problems)

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
        saved = checkpoint.load_state(path, self)
        self.problems = list(dict.fromkeys([*self.problems, *checkpoint.saved_problems(saved)]))
        self.stage.restore(checkpoint.saved_stage(saved))
        self.history = [Progress(**entry) for entry in checkpoint.saved_history(saved)]
        now = time.perf_counter()
        self._began = now - self.history[-1].seconds if self.history else None

    def memory(self) -> int:
        """Return how many bytes of the device the fit takes at most, its scene included.

        Of several devices, of the one that takes most. Compiled kernels, and what the driver needs
        for itself, come on top.
        """
        return max(self.memory_of_devices())

    def memory_of_devices(self) -> list[int]:
        """Return what memory() does for each device that has views, in the order of `devices`."""
        sizes = [find_texture(self.renderer, name)[1].pixels.size for name in self._image_names]
        counts = FitCounts(
            scalars=sum(len(value) for value in self.stage.values().values()),
            maps=len(sizes),
            texels=self.renderer.tables.texels.size,
            fitted_texels=sum(sizes),
        )
        views = self.stage.views
        return [fit_bytes(entry, views, counts, self.settings) for entry in self.renderers]

    @property
    def _image_names(self) -> list[str]:
        """Names of the textures that may change, that of an unknown environment among them."""
        own = [entry.name for entry in self.parameters if isinstance(entry, TextureParameter)]
        return own if self.unknown is None else [*own, self.unknown.texture_name]

    @property
    def is_done(self) -> bool:
        """No further step is needed, or allowed by `max_iterations` and `texture_iterations`."""
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
        reason = "iterations"
        while not self.is_done:
            try:
                with self.renderer.interrupt.cancelled_by(cancel):
                    latest = self.step()
            except Interrupted:
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
        with self.renderer.interrupt.cancelled_by(cancel):
            result = self.result(reason)
        self._forget_paths()
        return result

    def _forget_paths(self) -> None:
        """Give back what steps alone need on the devices; a further step takes it again.

        Results know their fits, so that whoever keeps results would keep gigabytes.
        """
        for view in self.stage.views:
            for recorder in view.recorders:
                recorder.forget()
        for renderer in self.renderers:
            renderer.forget_paths()
            renderer.device.trim()

    def result(self, reason: str) -> FitResult:
        """Return what has been found so far, and leave the scene on the device with it.

        Args:
            reason: Why the fit ended. After ``cancelled`` nothing more is drawn, and the verdict
                is open.
        """
        self.stage.write()
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
            except Interrupted:
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
