# SPDX-License-Identifier: Apache-2.0
"""The state of a fit as a file: arrays by name, and a fingerprint of what the fit is about."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._archives import ArchiveReader
from weft._native import ArgumentError, ArgumentNotFoundError
from weft._replacing import replacing
from weft.scene import Scene
from weft.scene.light_changes import light_names
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.inputs import FitInputs
    from weft.fit.progress import Progress

FORMAT = 9
HISTORY = ("iterations", "seconds", "loss", "fraction", "noise_floor", "seconds_left")
"""Columns that a checkpoint keeps of each entry of a fit's history."""

State = dict[str, "NDArray[np.generic]"]


def prefixed(prefix: str, state: Mapping[str, NDArray[np.generic]]) -> State:
    """Return a state with longer names."""
    return {f"{prefix}.{name}": value for name, value in state.items()}


def part_of(state: Mapping[str, NDArray[np.generic]], prefix: str) -> State:
    """Return the part of a state that prefixed() has put there."""
    start = f"{prefix}."
    return {name[len(start) :]: value for name, value in state.items() if name.startswith(start)}


def _digest(state: Mapping[str, NDArray[np.generic]]) -> str:
    """Return a text that differs if any name, type, shape or byte of a state does."""
    digest = hashlib.sha256()
    for name, value in sorted(state.items()):
        if name != "digest":
            digest.update(repr((name, value.dtype.str, value.shape)).encode())
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()


def fingerprint(fit: FitInputs) -> str:
    """Return a text that differs for fits of other scenes, targets, parameters or settings.

    How long a fit may take does not count.
    """
    digest = hashlib.sha256(fit.renderer.scene.hash().encode())
    for target, lit in zip(fit.targets, fit.lighting.scenes, strict=True):
        digest.update(np.ascontiguousarray(target.image).tobytes())
        assert target.mask is not None
        digest.update(np.ascontiguousarray(target.mask, np.float32).tobytes())
        digest.update(repr((target.name, fit.renderer.scene.camera(target.camera).name)).encode())
        if lit is not fit.renderer.scene:
            lights = Scene(lights=lit.lights, environment=lit.environment)
            digest.update(repr((light_names(lit), lights.hash())).encode())
    digest.update(repr(fit.parameters).encode())
    settings = fit.settings
    digest.update(repr((settings.samples, settings.bounces, settings.seed)).encode())
    return digest.hexdigest()


def save_checkpoint(
    path: str | os.PathLike[str],
    fit: FitInputs,
    state: State,
    history: Sequence[Progress],
    problems: Sequence[Problem],
) -> None:
    """Write the state of a fit; see Fit.save_checkpoint().

    Args:
        path: File, ``.npz``.
        fit: Whose.
        state: Of its stage.
        history: So far.
        problems: So far.
    """
    state = prefixed("stage", state)
    rows = [[getattr(entry, name) for name in HISTORY] for entry in history]
    state["history"] = np.array(rows, np.float64).reshape(-1, len(HISTORY))
    state["history.phase"] = np.array([entry.phase for entry in history], np.str_)
    for name in history[0].values if history else ():
        for kind in ("values", "errors"):
            own = [getattr(entry, kind)[name] for entry in history]
            state[f"{kind}.{name}"] = np.array(own, np.float64)
    state["fingerprint"] = np.array(fingerprint(fit))
    state["format"] = np.array(FORMAT)
    state["problems"] = np.array(json.dumps([entry.as_dict() for entry in problems]))
    state["digest"] = np.array(_digest(state))
    with replacing(Path(path)) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **state)  # type: ignore[arg-type]


def _damaged(path: str | os.PathLike[str]) -> str:
    return f"Fit.resume: '{path}' is no checkpoint, or a damaged one; start anew"


def _read(path: str | os.PathLike[str]) -> State:
    try:
        with zipfile.ZipFile(path) as archive:
            reader = ArchiveReader(archive, Path(path).stat().st_size)
            members = [name for name in archive.namelist() if name.endswith(".npy")]
            return {name.removesuffix(".npy"): reader.array(name) for name in members}
    # Whatever damage makes of the archive, its compression and its arrays: there is one remedy.
    except Exception as error:
        raise ArgumentError(_damaged(path)) from error


def saved_history(state: State) -> list[dict[str, Any]]:
    """Return the fields of each entry of the history of the fit that wrote a state."""
    names = [name.removeprefix("values.") for name in state if name.startswith("values.")]
    entries = []
    for number, row in enumerate(state["history"].tolist()):
        entry = dict(zip(HISTORY, row, strict=True)) | {"iterations": int(row[0])}
        entry["phase"] = str(state["history.phase"][number])
        for kind in ("values", "errors"):
            entry[kind] = {name: state[f"{kind}.{name}"][number] for name in names}
        entries.append(entry)
    return entries


def saved_stage(state: State) -> State:
    """Return the state of the stage of the fit that wrote a state."""
    return part_of(state, "stage")


def saved_problems(state: State) -> list[Problem]:
    """Return the problems of the fit that wrote a state."""
    return [Problem(**entry) for entry in json.loads(str(state.get("problems", "[]")))]


def load_state(path: str | os.PathLike[str], fit: FitInputs) -> State:
    """Read the state of a fit.

    Raises:
        FileNotFoundError: There is no such file.
        ArgumentError: The file is no checkpoint, or one of another fit.
    """
    if not Path(path).is_file():
        raise ArgumentNotFoundError(f"Fit.resume: there is no file '{path}'; check the path")
    state = _read(path)
    if not {"fingerprint", "format"} <= state.keys() or str(state["format"]) != str(FORMAT):
        raise ArgumentError(
            f"Fit.resume: '{path}' is no checkpoint of this version of Weft; start anew"
        )
    if str(state.get("digest")) != _digest(state):
        raise ArgumentError(_damaged(path))
    if str(state["fingerprint"]) != fingerprint(fit):
        raise ArgumentError(
            f"Fit.resume: '{path}' belongs to another fit: the scene, the targets, the parameters, "
            "or samples, bounces or seed of the settings differ; give what it was made with"
        )
    return state
