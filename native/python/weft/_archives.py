# SPDX-License-Identifier: Apache-2.0
"""Reading arrays from zip archives of strangers: no more than a file may honestly unpack to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import zipfile

    from numpy.typing import NDArray

FREE_BYTES = 4 << 30
"""What any file may unpack to."""
MAX_RATIO = 100
"""Larger ones: so many times the size of the file."""


class ArchiveReader:
    """Members of an archive, within a budget of bytes that every read takes from.

    Args:
        archive: An open one.
        size: Of the file, bytes.
        trust: There is no budget.
    """

    def __init__(self, archive: zipfile.ZipFile, size: int, *, trust: bool = False) -> None:
        """Set the budget."""
        self._archive = archive
        self._most = math.inf if trust else max(FREE_BYTES, MAX_RATIO * size)
        self._taken = 0

    def read(self, name: str, most_bytes: int) -> bytes:
        """Return a member.

        Raises:
            KeyError: There is none.
            ValueError: It has more than `most_bytes`.
        """
        info = self._archive.getinfo(name)
        if info.file_size > most_bytes:
            raise ValueError(f"its {name} has {info.file_size} bytes, of at most {most_bytes}")
        return self._archive.read(info)

    def array(self, name: str) -> NDArray[Any]:
        """Return a member in numpy's format, which holds no Python objects.

        Raises:
            KeyError: There is none.
            ValueError: It is no such array, its header says another size than it has, or all that
                was read goes beyond the budget.
        """
        info = self._archive.getinfo(name)
        self._taken += info.file_size
        if self._taken > self._most:
            raise ValueError(
                f"its arrays unpack to more than {self._most / 2**30:.0f} GB, which a file of this "
                "size has no need for"
            )
        with self._archive.open(info) as member:
            version = np.lib.format.read_magic(member)
            if version not in ((1, 0), (2, 0)):
                raise ValueError(f"{name} has a format of another version of numpy")
            read = (
                np.lib.format.read_array_header_1_0
                if version == (1, 0)
                else np.lib.format.read_array_header_2_0
            )
            shape, _, dtype = read(member)
            promised = math.prod(shape) * dtype.itemsize
            if dtype.hasobject or member.tell() + promised != info.file_size:
                raise ValueError(f"{name} is not of the size that its header says")
        with self._archive.open(info) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array
