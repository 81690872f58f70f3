# SPDX-License-Identifier: Apache-2.0
"""One device's worth of measurements: repeated calls in workers, then starts in fresh processes."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench import gradient_problems, operations
from bench.cases import CASES, START_CASES
from bench.systems import System, SystemFailed, fresh, start_slangpy
from bench.targets import median

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.cases import Case, StartCase

MEMORY_HEADROOM = 1.25
FRESH_PROCESSES = {"cold": 3, "warm": 5, "import": 7}


@dataclass(frozen=True)
class Settings:
    """What the command line asked for."""

    only: frozenset[str]
    is_quick: bool
    weft_python: str
    slangpy_python: str
    torch_python: str

    def effort(self, category: str) -> tuple[int, float]:
        """Return rounds, and seconds a round and system: less on a GPU, whose times vary less."""
        if self.is_quick:
            return 1, 0.05
        return (5, 0.4) if category == "software" else (3, 0.15)


@dataclass
class Outcome:
    """The seconds of one case, by system, one entry a round; and what went wrong, by system."""

    case: Case | StartCase
    rounds: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    bytes_moved: int = 0

    def seconds(self, system: str) -> float | None:
        """Return the median over rounds."""
        values = self.rounds.get(system)
        return median(values) if values else None


@dataclass
class DeviceRun:
    """Everything measured on one device."""

    device: str
    category: str
    descriptions: dict[str, str]
    outcomes: list[Outcome] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def moved_bytes(case: Case) -> int:
    """Return the bytes that the device must read and write; 0 where bandwidth is not the point."""
    is_gradient = gradient_problems.is_gradient_operation(case.operation)
    return (gradient_problems if is_gradient else operations).moved_bytes(
        case.operation, case.count
    )


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"bench: {text}", flush=True)


def start_systems(device: str, settings: Settings) -> tuple[list[System], list[str]]:
    """Start every system that runs here, Weft first, and say which do not.

    Raises:
        SystemFailed: Weft itself does not start on this device.
    """
    weft_command = [settings.weft_python, "-m", "bench.weft_cases", device]
    systems = [System("weft", weft_command)]
    is_software = systems[0].description["category"] == "software"
    others: list[tuple[str, Callable[[], System]]] = [
        ("hand", lambda: System("hand", [*weft_command, "hand"])),
        ("plain", lambda: System("plain", [*weft_command, "plain"])),
        ("slangpy", lambda: start_slangpy(settings.slangpy_python, device)),
    ]
    if device == "cuda":
        torch_command = [settings.torch_python, "-m", "bench.torch_cases"]
        others.append(("torch", lambda: System("torch", torch_command)))
    if is_software:
        numpy_command = [settings.weft_python, "-m", "bench.numpy_cases"]
        others.append(("numpy", lambda: System("numpy", numpy_command)))
    skipped = []
    for name, start in others:
        try:
            systems.append(start())
        except SystemFailed as error:
            skipped.append(f"{name} is not measured on {device}: {error}")
    return systems, skipped


def measure_case(
    case: Case, category: str, systems: Sequence[System], settings: Settings
) -> Outcome:
    """Prepare a case in every system, then let the systems take turns."""
    outcome = Outcome(case, bytes_moved=moved_bytes(case))
    ready = []
    for system in systems:  # all at once: this part is not timed
        system.send(prepare=case.operation, count=case.count)
    for system in systems:
        answer = system.receive()
        if "error" in answer:
            outcome.failures[system.name] = answer["error"]
        elif "unsupported" not in answer:
            ready.append(system)
    rounds, budget = settings.effort(category)
    for _ in range(rounds):
        for system in ready:
            answer = system.ask(measure=budget, batch=case.batch_for(category))
            if "error" in answer:
                outcome.failures[system.name] = answer["error"]
            else:
                outcome.rounds.setdefault(system.name, []).append(answer["seconds"])
    for system in systems:
        system.ask(release=True)
    return outcome


def add_bound(run: DeviceRun) -> None:
    """Enter how long each case's bytes take at the best bandwidth of any system in `add`."""
    best = 0.0
    for outcome in run.outcomes:
        if getattr(outcome.case, "operation", "") == "add":
            for name in outcome.rounds:
                best = max(best, outcome.bytes_moved / (outcome.seconds(name) or float("inf")))
    if best:
        for outcome in run.outcomes:
            if outcome.bytes_moved and "weft" in outcome.rounds:
                rounds = len(outcome.rounds["weft"])
                outcome.rounds["bound"] = [outcome.bytes_moved / best] * rounds


def add_other_device(run: DeviceRun, earlier: Sequence[DeviceRun]) -> None:
    """Enter Weft's times on CUDA beside its times on a Vulkan GPU."""
    for other in earlier:
        if other.category == "cuda" and run.category == "vulkan":
            times = {o.case.name: o.rounds["weft"] for o in other.outcomes if "weft" in o.rounds}
            for outcome in run.outcomes:
                if outcome.case.name in times:
                    outcome.rounds["weft on cuda"] = times[outcome.case.name]


def cache_variables(folder: Path) -> dict[str, str]:
    """Return the variables that send every cache of engine and driver into one folder."""
    names = ("WEFT_CACHE_DIR", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH")
    return {name: str(folder / name.lower()) for name in (*names, "__GL_SHADER_DISK_CACHE_PATH")}


class Starts:
    """Measures what needs a fresh process, in turns: Weft, then what it is compared with."""

    def __init__(
        self, device: str, settings: Settings, slangpy_variables: Mapping[str, str] | None
    ) -> None:
        self._device = device
        self._settings = settings
        self._slangpy_variables = slangpy_variables
        self._folder = Path(tempfile.mkdtemp(prefix="weft-bench-"))

    def close(self) -> None:
        """Remove the caches."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _first_call(self, system: str, caches: Path) -> float:
        python = self._settings.weft_python
        variables = cache_variables(caches)
        if system == "slangpy":
            python = self._settings.slangpy_python
            variables |= dict(self._slangpy_variables or {})
        answer = fresh(python, ["-m", "bench.first_call", system, self._device], variables)
        return float(answer["seconds"])

    def cold(self, index: int) -> dict[str, float]:
        """Measure first calls without caches."""
        result = {"weft": self._first_call("weft", self._folder / f"weft-{index}")}
        if self._slangpy_variables is not None:
            result["slangpy"] = self._first_call("slangpy", self._folder / f"slangpy-{index}")
        return result

    def warm(self, index: int) -> dict[str, float]:
        """Measure first calls with caches that an earlier process filled, and the bare driver."""
        caches = self._folder / "warm"
        if index == 0:
            self._first_call("weft", caches)
        variables = cache_variables(caches)
        python = self._settings.weft_python
        driver = fresh(python, ["-m", "bench.bare_driver", self._device], variables)
        return {"weft": self._first_call("weft", caches), "driver": float(driver["seconds"])}

    def imports(self, _index: int) -> dict[str, float]:
        """Measure the import of numpy and what the import of Weft adds."""
        times = fresh(self._settings.weft_python, ["-m", "bench.import_time"])
        return {"numpy": times["numpy"], "weft": times["numpy"] + times["weft"]}

    def measure(self, case: StartCase) -> Outcome:
        """Take the samples of one case; a program that fails ends the case with its reason."""
        outcome = Outcome(case)
        sample = {"cold": self.cold, "warm": self.warm, "import": self.imports}[case.name]
        count = 1 if self._settings.is_quick else FRESH_PROCESSES[case.name]
        for index in range(count):
            try:
                for system, seconds in sample(index).items():
                    outcome.rounds.setdefault(system, []).append(seconds)
            except SystemFailed as error:
                outcome.failures["weft"] = str(error)
                break
        return outcome


def run_device(device: str, settings: Settings, earlier: Sequence[DeviceRun]) -> DeviceRun:
    """Measure everything on one device. Raises SystemFailed if Weft does not start there."""
    systems, skipped = start_systems(device, settings)
    own = systems[0].description
    run = DeviceRun(device, own["category"], {s.name: s.description["name"] for s in systems})
    run.skipped = skipped
    slangpy_variables = None
    try:
        for case in CASES:
            wanted = case.name in settings.only if settings.only else case.is_for(run.category)
            if not wanted:
                continue
            if moved_bytes(case) * MEMORY_HEADROOM * len(systems) > own["memory"]:
                run.skipped.append(f"{case.title} does not fit the memory of {device}")
                continue
            say(f"{device}: {case.title}")
            run.outcomes.append(measure_case(case, run.category, systems, settings))
        for system in systems:
            if system.name == "slangpy":
                slangpy_variables = system.description.get("variables", {})
    finally:
        for system in systems:
            system.stop()
    add_bound(run)
    starts = Starts(device, settings, slangpy_variables)
    try:
        for case in START_CASES:
            if not settings.only or case.name in settings.only:
                say(f"{device}: {case.title}")
                run.outcomes.append(starts.measure(case))
    finally:
        starts.close()
    add_other_device(run, earlier)
    return run
