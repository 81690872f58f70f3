# SPDX-License-Identifier: Apache-2.0
"""Read from a 64-bit little-endian ELF file which libraries and symbol versions it needs."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x7fELF\x02\x01"
SHT_DYNAMIC = 6
SHT_GNU_VERNEED = 0x6FFFFFFE
DT_NEEDED = 1
DT_SONAME = 14
DT_RUNPATH = 29


@dataclass(frozen=True)
class Section:
    """The part of an ELF section header that is used here."""

    kind: int
    offset: int
    size: int
    link: int


def is_elf(data: bytes) -> bool:
    """Return whether the bytes are a 64-bit little-endian ELF file."""
    return data.startswith(MAGIC)


def sections(data: bytes) -> list[Section]:
    """Return the section headers; raises ValueError if the bytes are not such a file."""
    if not is_elf(data):
        raise ValueError("sections: expected a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    result = []
    for index in range(count):
        fields = struct.unpack_from("<IIQQQQI", data, table + index * size)
        result.append(Section(kind=fields[1], offset=fields[4], size=fields[5], link=fields[6]))
    return result


def _text(data: bytes, strings: Section, offset: int) -> str:
    start = strings.offset + offset
    return data[start : data.index(b"\0", start)].decode()


def _dynamic_texts(data: bytes, wanted: int) -> list[str]:
    table = sections(data)
    names = []
    for section in table:
        if section.kind != SHT_DYNAMIC:
            continue
        for position in range(section.offset, section.offset + section.size, 16):
            tag, value = struct.unpack_from("<qQ", data, position)
            if tag == wanted:
                names.append(_text(data, table[section.link], value))
    return names


def needed_libraries(data: bytes) -> list[str]:
    """Return the names of the shared libraries that the file is linked to."""
    return _dynamic_texts(data, DT_NEEDED)


def own_name(data: bytes) -> str:
    """Return the name that others are linked to the file by; empty without one."""
    return "".join(_dynamic_texts(data, DT_SONAME))


def search_path(data: bytes) -> str:
    """Return where libraries that the file needs are looked for first; empty without."""
    return "".join(_dynamic_texts(data, DT_RUNPATH))


def needed_versions(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (library, symbol version), for example ("libc.so.6", "GLIBC_2.34")."""
    table = sections(data)
    for section in table:
        if section.kind != SHT_GNU_VERNEED:
            continue
        strings = table[section.link]
        need = section.offset
        while True:
            _, count, library, first, step = struct.unpack_from("<HHIII", data, need)
            entry = need + first
            for _ in range(count):
                _, _, _, version, next_entry = struct.unpack_from("<IHHII", data, entry)
                yield _text(data, strings, library), _text(data, strings, version)
                entry += next_entry
            if step == 0:
                break
            need += step
