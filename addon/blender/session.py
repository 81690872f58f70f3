# SPDX-License-Identifier: GPL-3.0-or-later
"""The one object that lives from register() to unregister().

It is an attribute of Blender's WindowManager class, so `context.window_manager.weft_session` is it.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import bpy

from ..core.devices import DeviceSettings, create_device, describe_failure
from ..core.fitting.estimate import ThroughputHistory

if TYPE_CHECKING:
    from collections.abc import Callable

    import weft

    from ..core.devices import DeviceChoice
    from ..core.fitting.estimate import FitSize
    from ..core.job import Job
    from ..core.problems import Problem
    from .export import SceneExporter
    from .fitting import SceneFit

PLACE = "weft_session"
JOB_END_SECONDS = 1.0  # seconds that jobs get to end, all together


class Session:
    """Device, running jobs and what register() has to undo.

    Attributes:
        settings: What the preferences say about the device.
        undo: Steps that unregister() takes, the last one first.
        problem: Why there is no device and what to do; "" while nothing is known against it.
        choices: The devices of this machine, None before somebody asked.
        test_report: What the last self-test found.
        cache_bytes: What the cache holds, None before somebody asked.
        fit: The fit that runs.
        loading: Loads the engine for a fit that begins.
        throughputs: How fast fits were.
        fit_bounds: By scene, the size of its last fit and the bound of its memory, bytes.
        last_fit: The one that ended last.
        problems: What of each scene is missing or replaced, by its name, where it was looked for.
        command: Blender's handle of the command ``blender --command weft``.
        pairs: Small pictures of the panel.
        slang_nodes: What follows the sources of Slang nodes.
        templates_folder: Of a person's templates, as the preferences say; "": the default one.
        libraries: Folders that the preferences list as asset libraries because of the extension.
        evaluator: What evaluates functions on geometry.
        slang_bakes: What bakes Slang nodes.
        file: A name that no other file, and no other session, has while this one is open.
    """

    def __init__(self) -> None:
        """Start without a device."""
        self.settings = DeviceSettings()
        self.undo = ExitStack()
        self.problem = ""
        self.choices: list[DeviceChoice] | None = None
        self.test_report = ""
        self.cache_bytes: int | None = None
        self.fit: SceneFit | None = None
        self.loading: Job[None] | None = None
        self.last_fit: SceneFit | None = None
        self.throughputs = ThroughputHistory(None)
        self.fit_bounds: dict[str, tuple[FitSize, int]] = {}
        self.problems: dict[str, list[Problem]] = {}
        self.command: object = None
        self.pairs: Any = None
        self.slang_nodes: Any = None
        self.templates_folder = ""
        self.libraries: dict[str, str] = {}
        self.evaluator: Any = None
        self.slang_bakes: Any = None
        self.file = uuid4().hex
        self._exporter: SceneExporter | None = None
        self._lock = threading.Lock()
        self._device: weft.Device | None = None
        self._jobs: list[Job[object]] = []
        self._dependents: list[Callable[[], None]] = []

    def device(self) -> weft.Device:
        """Return the device, created at the first call. Any thread may call.

        Raises:
            DeviceError: There is none that works; `problem` says what to do.
            ArgumentError: The chosen one is not there.
            ImportError: The engine cannot be loaded.
        """
        with self._lock:
            if self._device is None:
                try:
                    self._device = create_device(self.settings)
                except Exception as error:
                    self.problem = describe_failure(error, self.settings)
                    raise
                self.problem = ""
            return self._device

    def exporter(self) -> SceneExporter:
        """Return what exports scenes to be fitted; it keeps what the next export may use again."""
        if self._exporter is None:
            from .export import SceneExporter

            self._exporter = SceneExporter(self.device)
        return self._exporter

    def forget_file(self) -> None:
        """Drop what belongs to a file that is closed."""
        if self.fit is not None and self.fit.run is not None:
            self.fit.run.job.abandon()
        self.fit = self.last_fit = self.loading = self._exporter = None
        self.problems.clear()
        self.fit_bounds.clear()
        self.file = uuid4().hex

    @property
    def is_fitting(self) -> bool:
        """Whether a fit runs or is being prepared."""
        return self.fit is not None or self.loading is not None

    def change_settings(self, settings: DeviceSettings) -> None:
        """Use other settings from now on; a device that does not fit them is closed."""
        if settings != self.settings:
            self.settings = settings
            self.throughputs = ThroughputHistory(settings.cache_folder)
            self.close_device()

    def when_device_closes(self, drop: Callable[[], None]) -> None:
        """Have a function called before the device is closed; it drops what was made with it."""
        self._dependents.append(drop)

    def add_job(self, job: Job[object]) -> None:
        """Have a job ended before the device is closed."""
        self._jobs = [known for known in self._jobs if not known.is_done]
        self._jobs.append(job)

    def close_device(self) -> None:
        """End the jobs and close the device; the next call of device() makes another one."""
        jobs, self._jobs = self._jobs, []
        for job in jobs:
            job.abandon()
        end = time.perf_counter() + JOB_END_SECONDS
        are_done = all([job.wait(max(end - time.perf_counter(), 0.0)) for job in jobs])
        for drop in reversed(self._dependents):
            drop()
        self._dependents.clear()
        with self._lock:
            device, self._device = self._device, None
            self.problem = ""
        # A device in use cannot be closed; it goes with the last job's references to it.
        if device is not None and are_done:
            device.close()


def scene_key(scene: bpy.types.Scene) -> str:
    """Return the name under which the throughput of fits of a scene is kept."""
    return f"{bpy.data.filepath}:{scene.name}"


def find_session() -> Session | None:
    """Return the session, None while the extension is not registered."""
    return getattr(bpy.types.WindowManager, PLACE, None)


def require_session() -> Session:
    """Return the session.

    Raises:
        RuntimeError: The extension is not registered.
    """
    session = find_session()
    if session is None:
        raise RuntimeError("weft: the extension is not enabled; enable it in the preferences")
    return session


def start_session() -> Session:
    """Put a new session in its place and return it.

    Raises:
        RuntimeError: There is one already.
    """
    if find_session() is not None:
        raise RuntimeError(
            "weft: the extension is enabled already, from another repository; disable that one"
        )
    session = Session()
    setattr(bpy.types.WindowManager, PLACE, session)
    return session


def end_session() -> None:
    """Close the device and take the session from its place."""
    session = require_session()
    try:
        session.close_device()
    finally:
        delattr(bpy.types.WindowManager, PLACE)
