# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang texts on a device, each compiled once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Argument = NDArray[np.float32] | float | tuple[float, ...]

MAX_KEPT = 64


class Programs:
    """Functions of texts, the ones of late kept.

    Args:
        device: On which they run.
    """

    def __init__(self, device: weft.Device) -> None:
        """Begin without any."""
        self._device = device
        self._known: OrderedDict[tuple[object, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def run(
        self,
        name: str,
        source: str,
        arguments: Mapping[str, Argument],
        count: int,
        folders: Sequence[Path] = (),
        title: str = "weft_baking",
        state: object = None,
    ) -> NDArray[Any]:
        """Return what a function gives at points, one row each.

        Args:
            name: Of the function.
            source: The text that has it.
            arguments: Rows, shape ``(count, k)`` or ``(count,)``, or what is the same everywhere.
            count: How many points there are.
            folders: In which imports are looked for.
            title: What messages call the text.
            state: Differs whenever what the text imports may have changed.

        Raises:
            CompileError: The text does not compile.
            DeviceError: The device fails.
        """
        function = self._function(name, source, tuple(map(str, folders)), title, state)
        if count == 0:
            return np.asarray(function(**_first(arguments), _result="numpy"))[:0]
        if not any(isinstance(value, np.ndarray) for value in arguments.values()):
            found = np.asarray(function(**_first(arguments), _result="numpy"))
            return np.broadcast_to(found[:1], (count, *found.shape[1:]))
        return np.asarray(function(**arguments, _result="numpy"))

    def _function(
        self, name: str, source: str, folders: tuple[str, ...], title: str, state: object
    ) -> Any:  # noqa: ANN401
        key = (name, source, folders, state)
        with self._lock:  # a bake that was cancelled may still be in its thread
            if key not in self._known:
                options: dict[str, object] = {"include_paths": list(folders)}
                module = weft.Module.load_from_source(self._device, title, source, options)
                found = module.find_function(name)
                if found is None:  # what follows the source is part of its last comment
                    message = f"bake: '{title}' ends in a comment that is not closed; write */"
                    raise weft.ArgumentError(message)
                self._known[key] = found
                while len(self._known) > MAX_KEPT:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            return self._known[key]


def _first(arguments: Mapping[str, Argument]) -> dict[str, Any]:
    """Return arguments of one point, as rows."""
    return {
        name: value[:1]
        if isinstance(value, np.ndarray) and len(value)
        else np.zeros((1, *value.shape[1:]), np.float32)
        if isinstance(value, np.ndarray)
        else np.asarray([value], np.float32)
        for name, value in arguments.items()
    }
