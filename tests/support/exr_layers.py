# SPDX-License-Identifier: Apache-2.0
"""Read the layers of an OpenEXR file as Blender writes it: one part, no compression, 32 bits.

Pythons that have bpy need not have OpenImageIO, and bpy itself does not give out layers.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np


def read_layers(path: str | Path) -> dict[str, np.ndarray]:
    """Return layers by name, shape (H, W, channels): RGB or as the file has them; top row first."""
    data = Path(path).read_bytes()
    magic, version = struct.unpack_from("<II", data)
    if magic != 20000630 or version & 0x1A00:
        raise ValueError(f"{path}: expected an OpenEXR file of one part, got version {version:#x}")
    header, at = _read_header(data)
    if header["compression"] != b"\0":
        raise ValueError(f"{path}: expected no compression")
    left, top, right, bottom = struct.unpack("<4i", header["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    names = _channel_names(header["channels"])
    rows = np.empty((height, len(names), width), np.float32)
    for offset in struct.unpack_from(f"<{height}Q", data, at):
        y = struct.unpack_from("<i", data, offset)[0] - top
        count = len(names) * width
        rows[y] = np.frombuffer(data, "<f4", count, offset + 8).reshape(len(names), width)
    return _group(names, rows)


def _read_header(data: bytes) -> tuple[dict[str, bytes], int]:
    """Return the attributes of a file, and where what follows them begins."""
    at, attributes = 8, {}
    while data[at]:
        name_end = data.index(b"\0", at)
        kind_end = data.index(b"\0", name_end + 1)
        size = struct.unpack_from("<i", data, kind_end + 1)[0]
        first = kind_end + 5
        attributes[data[at:name_end].decode()] = data[first : first + size]
        at = first + size
    return attributes, at + 1


def _channel_names(data: bytes) -> list[str]:
    """Return the channels in the order of the file."""
    at, names = 0, []
    while data[at]:
        end = data.index(b"\0", at)
        if struct.unpack_from("<i", data, end + 1)[0] != 2:
            raise ValueError("expected 32-bit floats in all channels")
        names.append(data[at:end].decode())
        at = end + 17
    return names


def _group(names: list[str], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the channels of each layer; ``view.layer.channel`` is the name of one."""
    layers: dict[str, dict[str, np.ndarray]] = {}
    for number, name in enumerate(names):
        layer, _, channel = name.rpartition(".")
        layers.setdefault(layer.split(".")[-1], {})[channel] = rows[:, number]
    result = {}
    for layer, channels in layers.items():
        order = "RGB" if set("RGB") <= set(channels) else sorted(channels)
        result[layer] = np.stack([channels[name] for name in order], axis=-1)
    return result
