# SPDX-License-Identifier: Apache-2.0
"""The text of a job: which keys there are, of which kind, and where a wrong one stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft._native import ArgumentError, ArgumentNotFoundError
from weft._shown import shown
from weft.fit.exposure import Exposure
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.settings import RENAMED_SETTINGS, FitSettings
from weft.fit.texture_parameters import TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter

if TYPE_CHECKING:
    import os

    from _typeshed import DataclassInstance

MOST_BYTES = 1 << 24


@dataclass(frozen=True)
class Kind:
    """What a key takes: words for messages, and a test."""

    words: str
    accepts: Callable[[Any], bool]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: object, accepts: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(accepts(entry) for entry in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


TEXT = Kind("a string", _is_text)
NUMBER = Kind("a number", _is_number)
INTEGER = Kind("an integer", _is_integer)
SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
CAMERA = Kind("a name or a number", lambda value: _is_text(value) or _is_integer(value))
PAIR = Kind("two numbers", lambda value: _is_list(value, _is_number) and len(value) == 2)
EXTENT = Kind("two integers", lambda value: _is_list(value, _is_integer) and len(value) == 2)
NUMBERS = Kind(
    "a number or a list of numbers", lambda value: _is_number(value) or _is_list(value, _is_number)
)
PRIOR = Kind(
    "[mean, standard deviation]",
    lambda value: (
        isinstance(value, list)
        and len(value) == 2
        and (_is_number(value[0]) or _is_list(value[0], _is_number))
        and _is_number(value[1])
    ),
)
LIGHTS = Kind(
    "a list of names and of tables with 'kind'",
    lambda value: _is_list(value, lambda entry: isinstance(entry, (str, dict))),
)
WORLD = Kind(
    "false, the name of an image file, or a table with 'image'",
    lambda value: value is False or isinstance(value, (str, dict)),
)
TEXTS = Kind("a list of strings", lambda value: _is_list(value, _is_text))
ANYTHING = Kind("a value", lambda value: True)

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "str": TEXT,
        "Transform": TEXT,
        "bool": SWITCH,
        "int": INTEGER,
        "float": NUMBER,
        "tuple[float, float]": PAIR,
        "float | Sequence[float]": NUMBERS,
        "Sequence[str]": TEXTS,
        "tuple[float | Sequence[float], float]": PRIOR,
    }
)
"""By annotations of fields; None is what a job says by leaving a key out."""


def _keys_of(described: type[DataclassInstance]) -> dict[str, Kind]:
    return {
        entry.name: KINDS.get(str(entry.type).removesuffix(" | None"), ANYTHING)
        for entry in fields(described)
    }


@dataclass(frozen=True)
class Table:
    """A table of a job.

    Args:
        keys: By name.
        required: Those that must be there.
        is_array: It is written ``[[name]]``, as often as wanted.
        renamed: Keys of the release before, which are accepted, and what they are called now.
    """

    keys: Mapping[str, Kind]
    required: tuple[str, ...] = ()
    is_array: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)


TABLES: Mapping[str, Table] = MappingProxyType(
    {
        "settings": Table(_keys_of(FitSettings), renamed=RENAMED_SETTINGS),
        "targets": Table(
            {
                "image": TEXT,
                "camera": CAMERA,
                "color_space": TEXT,
                "mask": TEXT,
                "mask_from": TEXT,
                "exposure": NUMBER,
                "saturation": NUMBER,
                "filter": TEXT,
                "filter_width": NUMBER,
                "resize": SWITCH,
                "robust": SWITCH,
                "name": TEXT,
                "lights": LIGHTS,
                "world": WORLD,
            },
            ("image",),
            is_array=True,
        ),
        "parameters": Table(_keys_of(Parameter), ("name",), is_array=True),
        "exposures": Table(_keys_of(Exposure), is_array=True),
        "lights": Table(_keys_of(LightParameter), ("light",), is_array=True),
        "environment": Table(_keys_of(EnvironmentParameter)),
        "textures": Table(
            _keys_of(TextureParameter) | {"resolution": EXTENT, "start": NUMBERS, "wrap": TEXT},
            ("name",),
            is_array=True,
        ),
        "report": Table({"samples": INTEGER}),
    }
)
TOP: Mapping[str, Kind] = MappingProxyType({"scene": TEXT})


@dataclass
class JobText:
    """A job as it was read: checked names and kinds, nothing more.

    Args:
        path: Of the file.
        text: Its contents.
        top: Keys outside of tables.
        tables: All tables by name, a list of one for those that are no arrays.
    """

    path: Path
    text: str
    top: dict[str, Any]
    tables: dict[str, list[dict[str, Any]]]

    def place(self, table: str = "", number: int = 0, key: str | None = None) -> str:
        """Return ``"<file>:<line>"`` of a table or a key, ``"<file>"`` where it is not found."""
        line = find_line(self.text, table, number, key)
        return str(self.path) if line is None else f"{self.path}:{line}"


def find_line(text: str, table: str, number: int, key: str | None) -> int | None:
    """Return the line, from 1, of a key or of the header of a table; None: not found."""
    assigned = re.compile(rf"^\s*[\"']?{re.escape(key or '')}[\"']?\s*[=.]")
    start: int | None = None
    for line, content, is_header in _lines_of(text, table, number):
        start = line if is_header else start
        if key is None and table:
            return line
        if key is not None and assigned.match(content):
            return line
    return start if table else None


def _lines_of(text: str, table: str, number: int) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines of a table, from 1, what they hold, and whether they are headers."""
    header = re.compile(r"^\s*\[\[?\s*[\"']?([^\]\"']+?)[\"']?\s*\]\]?\s*(?:#.*)?$")
    current, counts = "", {"": 1}
    for line, content in enumerate(text.splitlines(), 1):
        found = header.match(content)
        if found:
            current = found[1]
            counts[current] = counts.get(current, 0) + 1
        if current == table and counts[current] == number + 1:
            yield line, content, found is not None


def read_job_text(path: str | os.PathLike[str]) -> JobText:
    """Read a job and check its keys.

    Raises:
        FileNotFoundError: There is no such file.
        ArgumentError: It is invalid TOML, a key is unknown, absent or of a wrong kind. The message
            has file and line.
    """
    file = Path(path)
    if not file.is_file():
        raise ArgumentNotFoundError(f"fit: there is no file '{file}'; check the path")
    if file.stat().st_size > MOST_BYTES:
        raise ArgumentError(f"fit: '{file}' has more than {MOST_BYTES >> 20} MB, which no job has")
    text, content = _read_toml(file)
    job = JobText(file, text, {}, {name: [] for name in TABLES})
    for key, value in content.items():
        _take(job, key, value)
    if "scene" not in job.top:
        raise ArgumentError(
            f"{job.path}: the key 'scene' is missing; name a file that weft.Scene.save() has "
            "written"
        )
    if not job.tables["targets"]:
        raise ArgumentError(f"{job.path}: there is no [[targets]]; add one with 'image'")
    return job


def _read_toml(file: Path) -> tuple[str, dict[str, Any]]:
    """Return a file's text, and what it says."""
    try:
        text = file.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ArgumentError(
            f"fit: '{file}' is no text in UTF-8 ({error.reason}); save it so"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(_decode_message(file, str(error))) from None
    except ValueError as error:  # a number of more digits than Python reads
        raise ArgumentError(_decode_message(file, str(error))) from None
    except RecursionError:
        raise ArgumentError(
            f"fit: '{file}' nests brackets deeper than any job does; correct it"
        ) from None


def _decode_message(file: Path, message: str) -> str:
    found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if found is None:
        return f"{file}: invalid TOML: {' '.join(message.split())}"
    return f"{file}:{found[2]}:{found[3]}: invalid TOML: {found[1]}"


def _take(job: JobText, key: str, value: object) -> None:
    """Check an entry of the whole file and keep it."""
    if key in TOP:
        _check_value(job, "", 0, key, value, TOP[key])
        job.top[key] = value
    elif key in TABLES:
        job.tables[key] = _checked_tables(job, key, value)
    else:
        raise ArgumentError(
            f"{_place_of(job, key)}: there is no key '{key}'; a job has "
            f"{', '.join([*TOP, *TABLES])}"
        )


def _checked_tables(job: JobText, key: str, value: object) -> list[Any]:
    """Return the tables of a name, a list of one for those that are no arrays."""
    table = TABLES[key]
    entries: list[Any] = value if isinstance(value, list) else [value]
    is_right = isinstance(value, list) == table.is_array
    if not is_right or not all(isinstance(entry, dict) for entry in entries):
        header = f"[[{key}]]" if table.is_array else f"[{key}]"
        raise ArgumentError(f"{_place_of(job, key)}: '{key}' must be a table, written {header}")
    for number, entry in enumerate(entries):
        _check_table(job, key, number, entry)
    return list(entries)


def _place_of(job: JobText, key: str) -> str:
    """Return where an entry of the whole file stands: its header, or the line that sets it."""
    return job.place(key) if key in _headers(job) else job.place("", 0, key)


def _headers(job: JobText) -> set[str]:
    return set(re.findall(r"^\s*\[\[?\s*([\w.-]+)", job.text, re.MULTILINE))


def _check_table(job: JobText, name: str, number: int, entry: Mapping[str, Any]) -> None:
    table = TABLES[name]
    header = f"[[{name}]]" if table.is_array else f"[{name}]"
    for key, value in entry.items():
        known = table.renamed.get(key, key)
        if known != key and known in entry:
            raise ArgumentError(
                f"{job.place(name, number, key)}: '{key}' is what '{known}' was called before; "
                "give one of them"
            )
        if known not in table.keys:
            raise ArgumentError(
                f"{job.place(name, number, key)}: there is no key '{key}' in {header}; it has "
                f"{', '.join(table.keys)}"
            )
        _check_value(job, name, number, key, value, table.keys[known])
    for key in table.required:
        if key not in entry:
            raise ArgumentError(
                f"{job.place(name, number)}: the key '{key}' is missing in {header}; add it"
            )


def _check_value(
    job: JobText, table: str, number: int, key: str, value: object, kind: Kind
) -> None:
    if not kind.accepts(value):
        raise ArgumentError(
            f"{job.place(table, number, key)}: '{key}' must be {kind.words}, got {shown(value)}"
        )
