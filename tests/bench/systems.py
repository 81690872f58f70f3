# SPDX-License-Identifier: Apache-2.0
"""The measured systems as processes: started, asked, stopped."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TESTS = Path(__file__).resolve().parents[1]
# A worker that has not answered by then is stopped; the largest case takes seconds.
PATIENCE = 300.0


class SystemFailed(Exception):
    """A system could not be started or gave no answer; the text says why."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables of a child: this folder's parent on the path of modules."""
    path = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH"))))
    return os.environ | {"PYTHONPATH": path} | dict(extra or {})


def layer_variables() -> dict[str, str] | None:
    """Return the variables that put SlangPy's Vulkan layer in force; None if it was not built."""
    folder = os.environ.get("WEFT_BENCH_LAYER")
    if not folder:
        return None
    known = os.environ.get("VK_LAYER_PATH", "/usr/share/vulkan/explicit_layer.d")
    return {
        "VK_LAYER_PATH": f"{folder}{os.pathsep}{known}",
        "VK_INSTANCE_LAYERS": "VK_LAYER_WEFT_non_semantic_info",
    }


class System:
    """One worker process that speaks bench.protocol."""

    def __init__(
        self, name: str, command: Sequence[str], variables: Mapping[str, str] | None = None
    ) -> None:
        """Start the worker. Raises SystemFailed if it cannot run here."""
        self.name = name
        self._log: list[str] = []
        self._process = subprocess.Popen(
            command,
            env=environment(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self.description = self.receive()
        if "error" in self.description:
            self.stop()
            raise SystemFailed(self.description["error"])

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._log = [*self._log[-20:], line.rstrip()]

    def receive(self) -> dict[str, Any]:
        """Wait for the answer to the oldest request that has none yet."""
        assert self._process.stdout is not None
        watchdog = threading.Timer(PATIENCE, self._process.kill)
        watchdog.start()
        line = self._process.stdout.readline()
        watchdog.cancel()
        if not line:
            self._process.wait()
            self._reader.join(timeout=5)
            last = self._log[-1] if self._log else "it said nothing"
            return {"error": f"the process ended with status {self._process.returncode}: {last}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def send(self, **request: Any) -> None:
        """Send one request; receive() has the answer."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # receive() says that the process has ended
            print(json.dumps(request), file=self._process.stdin, flush=True)

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send one request and return the answer; a dead worker answers with an error."""
        self.send(**request)
        return self.receive()

    def stop(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        try:
            self._process.stdin.close()
            self._process.wait(timeout=30)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=5)
        self._process.stdout.close()
        self._process.stderr.close()


def start_slangpy(python: str, device: str) -> System:
    """Start SlangPy; with the layer where the driver lacks what it insists on."""
    command = [python, "-m", "bench.slangpy_cases", device]
    try:
        return System("slangpy", command)
    except SystemFailed:
        layer = layer_variables()
        if layer is None or device != "vulkan":
            raise
        system = System("slangpy", command, layer)
        system.description["variables"] = layer
        return system


def fresh(
    python: str, arguments: Sequence[str], variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a program of this folder in a fresh process and return the JSON of its last line."""
    result = subprocess.run(
        [python, *arguments],
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
    )
    lines = result.stdout.strip().splitlines()
    if result.returncode != 0 or not lines:
        last = (result.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise SystemFailed(f"'{' '.join(arguments)}' ended with status {result.returncode}: {last}")
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer
