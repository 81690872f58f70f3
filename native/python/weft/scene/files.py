# SPDX-License-Identifier: Apache-2.0
"""Scenes as files: a zip archive with one JSON text and an array a member.

The text lists the objects of the scene, those that others refer to first; a reference is a number
in that list. Arrays are named by the hash of their contents, so that equal ones are stored once and
the text alone tells two scenes apart.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._archives import ArchiveReader
from weft._native import ArgumentError, ArgumentNotFoundError
from weft._replacing import replacing
from weft._shown import shown
from weft.scene.camera import Camera
from weft.scene.geometry import Mesh, Object
from weft.scene.light_paths import LightPaths
from weft.scene.light_profile import LightProfile
from weft.scene.lights import LIGHT_CLASSES, Environment
from weft.scene.materials import Add, Closure, Material, Mix
from weft.scene.problem import Problem
from weft.scene.texture import Texture
from weft.scene.trust import foreign_calls, remember, require_trust
from weft.scene.values import (
    Attribute,
    Bump,
    ColorAttribute,
    Constant,
    NormalMap,
    SlangCall,
    UVSet,
    UVTangent,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

    from weft.scene.scene import Scene

VERSION = 1
TEXT = "scene.json"
MAX_REASON = 300
"""Characters of what Python says of a damaged file."""
CLASSES: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Add,
        Bump,
        Camera,
        Closure,
        ColorAttribute,
        Constant,
        Environment,
        LightPaths,
        LightProfile,
        Material,
        Mesh,
        Mix,
        NormalMap,
        Object,
        Problem,
        SlangCall,
        Texture,
        UVSet,
        UVTangent,
        *LIGHT_CLASSES,
    )
}
ORIGIN = "origin"
"""Field of a SlangCall that says where it comes from, and is not stored."""
PRINTED = ("index", "uv_set")
"""Fields that stand in Slang text as they are."""
MAX_TEXT = 1 << 28
# A fixed date, so that equal scenes make equal files.
DATE = (1980, 1, 1, 0, 0, 0)


class _Writer:
    """Turns values into JSON, and gathers objects and arrays."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.arrays: dict[str, NDArray[Any]] = {}
        self.numbers: dict[int, int] = {}
        self.calls: list[SlangCall] = []

    def value(self, value: object) -> object:
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, (float, np.floating, np.integer)):
            number = float(value)
            return number if math.isfinite(number) else {"float": str(number)}
        if isinstance(value, np.ndarray):
            return {"array": self.array(value)}
        if isinstance(value, Attribute):
            return {"attribute": value.name}
        if isinstance(value, Mapping):
            # Pairs, because the order counts: a function's arguments are in that of its parameters.
            return {"map": [[str(key), self.value(entry)] for key, entry in value.items()]}
        if isinstance(value, (list, tuple)):
            return [self.value(entry) for entry in value]
        if is_dataclass(value) and type(value).__name__ in CLASSES:
            assert not isinstance(value, type)
            return {"ref": self.reference(value)}
        raise ArgumentError(
            f"Scene.save: a {type(value).__name__} cannot be stored; use numbers, arrays and the "
            "classes of weft.scene"
        )

    def array(self, array: NDArray[Any]) -> str:
        plain = np.ascontiguousarray(array)
        digest = hashlib.sha256(f"{plain.dtype.str}{plain.shape}".encode())
        digest.update(plain.tobytes())
        self.arrays[digest.hexdigest()] = plain
        return digest.hexdigest()

    def reference(self, value: DataclassInstance) -> int:
        if id(value) not in self.numbers:
            if isinstance(value, Closure):
                entry = {"kind": value.kind, "inputs": self.value(value.inputs | value.options)}
            else:
                entry = {
                    field.name: self.value(getattr(value, field.name))
                    for field in fields(value)
                    if field.name != ORIGIN
                }
            if isinstance(value, SlangCall):
                self.calls.append(value)
            self.entries.append({"type": type(value).__name__, "fields": entry})
            self.numbers[id(value)] = len(self.entries) - 1
        return self.numbers[id(value)]


def describe(scene: Scene) -> tuple[str, dict[str, NDArray[Any]]]:
    """Return the text of a scene and its arrays by hash."""
    return _written(scene)[:2]


def _written(scene: Scene) -> tuple[str, dict[str, NDArray[Any]], list[SlangCall]]:
    writer = _Writer()
    parts = {field.name: writer.value(getattr(scene, field.name)) for field in fields(scene)}
    if scene.light_paths is None:
        del parts["light_paths"]  # a Weft that knows of no limits reads such a scene as well
    text = {"weft": "scene", "version": VERSION, "objects": writer.entries, "scene": parts}
    return json.dumps(text, indent=1, sort_keys=True), writer.arrays, writer.calls


def save_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene, see Scene.save()."""
    file = Path(path)
    if not file.parent.is_dir():
        raise ArgumentNotFoundError(
            f"Scene.save: the folder of '{file}' does not exist; create it first"
        )
    text, arrays, calls = _written(scene)
    with (
        replacing(file) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.writestr(zipfile.ZipInfo(TEXT, DATE), text)
        for name, array in sorted(arrays.items()):
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", DATE), member.getvalue())
    remember(calls)


class _Reader:
    """Turns JSON into values; what does not fit raises anything, load_scene() translates it."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.made: list[Any] = []

    def value(self, value: Any) -> Any:  # noqa: ANN401  (JSON, and whatever it describes)
        if isinstance(value, list):
            return [self.value(entry) for entry in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "ref":
            return self.referenced(content)
        if kind == "array":
            return self.archive.array(f"{content}.npy")
        if kind == "map":
            return {key: self.value(entry) for key, entry in content}
        if kind == "attribute":
            return Attribute[content]
        if kind == "float":
            return float(content)
        raise KeyError(kind)

    def referenced(self, number: Any) -> Any:  # noqa: ANN401  (JSON)
        if type(number) is not int or not 0 <= number < len(self.made):
            raise ValueError(f"a reference is to object {shown(number)}, not to one before it")
        return self.made[number]

    def calls(self) -> list[SlangCall]:
        return [made for made in self.made if isinstance(made, SlangCall)]

    def scene(self, text: dict[str, Any]) -> dict[str, Any]:
        for entry in text["objects"]:
            self.add(entry)
        return {key: self.value(value) for key, value in text["scene"].items()}

    def add(self, entry: dict[str, Any]) -> None:
        values = {key: self.value(value) for key, value in entry["fields"].items()}
        kind = CLASSES[entry["type"]]
        if any(type(values.get(name, 0)) is not int for name in PRINTED) or ORIGIN in values:
            raise ValueError(f"{entry['type']} has {', '.join(PRINTED)} that are no integers")
        if kind is Closure:
            self.made.append(Closure(values["kind"], **values["inputs"]))
        else:
            self.made.append(kind(**values))


def _check_parts(parts: Mapping[str, object]) -> None:
    from weft.scene.scene import Scene

    known = [field.name for field in fields(Scene)]
    for key in parts:
        if key not in known:
            raise ValueError(f"a scene has no {shown(key)}; it has {', '.join(known)}")


def load_scene(path: str | os.PathLike[str], *, trust: bool = False) -> dict[str, Any]:
    """Return the fields of a stored scene, see Scene.load()."""
    file = Path(path)
    if not file.is_file():
        raise ArgumentNotFoundError(f"Scene.load: there is no file '{file}'; check the path")
    try:
        with zipfile.ZipFile(file) as archive:
            members = ArchiveReader(archive, file.stat().st_size, trust=trust)
            text = json.loads(members.read(TEXT, MAX_TEXT))
            if text["weft"] != "scene":
                raise ValueError("it is something else")
            version = int(text["version"])
            if version <= VERSION:
                reader = _Reader(members)
                scene = reader.scene(text)
                _check_parts(scene)
    # Whatever a damaged file makes of the JSON and the arrays: there is one remedy.
    except Exception as error:
        reason = " ".join(str(error).split())[:MAX_REASON] or type(error).__name__
        raise ArgumentError(
            f"Scene.load: '{file}' is no scene of Weft, or damaged ({reason}); save it again"
        ) from error
    if version > VERSION:
        raise ArgumentError(
            f"Scene.load: '{file}' has version {version}, this Weft reads up to {VERSION}; install "
            "a newer one"
        )
    foreign = foreign_calls(reader.calls())
    if not trust:
        require_trust(file, foreign)
    for call in foreign:
        object.__setattr__(call, ORIGIN, str(file))
    return scene
