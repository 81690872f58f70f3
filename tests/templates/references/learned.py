# SPDX-License-Identifier: Apache-2.0
"""Learned textures in double precision: the numbers of the text, as matrices over complex waves."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from support.template_cases import FOLDER, Case

Array = np.ndarray[Any, Any]

ANGLE = re.compile(r"place\.x \* float4\((?P<x>[^)]*)\) \+ place\.y \* float4\((?P<y>[^)]*)\)")
LAYER = re.compile(
    r"const float[34] (?P<name>layer1_\d+|layer2_\d+|root) = (?:sin\()?float[34]"
    r"\((?P<bias>[^)]*)\)(?P<blocks>(?:\s*\+ mul\(\w+, float4x[34]\([^)]*\)\))+)"
)
BLOCK = re.compile(r"float4x(?P<columns>[34])\((?P<rows>[^)]*)\)")
MEAN = re.compile(r"const float3 mean = float3\((?P<mean>[^)]*)\)")


def numbers(text: str) -> Array:
    return np.array([float(word.strip().rstrip("f")) for word in text.split(",")])


@functools.cache
def network(stem: str) -> tuple[Array, list[tuple[Array, Array]], Array]:
    """Return waves, layers and the mean colour, as the text of a template spells them."""
    text = (FOLDER / "learned" / f"{stem}.slang").read_text(encoding="utf-8")
    angles = list(ANGLE.finditer(text))
    waves = np.stack([np.concatenate([numbers(found[axis]) for found in angles]) for axis in "xy"])
    columns: dict[str, list[tuple[Array, Array]]] = {}
    for found in LAYER.finditer(text):
        blocks = [
            numbers(block["rows"]).reshape(4, int(block["columns"]))
            for block in BLOCK.finditer(found["blocks"])
        ]
        name = found["name"].partition("_")[0]
        columns.setdefault(name, []).append((np.concatenate(blocks), numbers(found["bias"])))
    layers = [
        (np.concatenate([m for m, _ in own], axis=1), np.concatenate([b for _, b in own]))
        for own in columns.values()
    ]
    mean = MEAN.search(text)
    assert mean is not None
    assert [matrix.shape[1] for matrix, _ in layers[:-1]] == [len(m) for m, _ in layers[1:]]
    return waves, layers, numbers(mean["mean"])


def learned_texture(
    coordinate: Array, scale: Array, rotation: Array, contrast: Array, tint: Array
) -> Array:
    waves, layers, mean = network("learned_texture")
    place = scale * (coordinate[:, 0] + 1j * coordinate[:, 1]) * np.exp(-1j * rotation)
    seen = np.exp(2j * np.pi * (np.outer(place.real, waves[0]) + np.outer(place.imag, waves[1])))
    values = np.concatenate([seen.imag, seen.real], axis=1)
    for matrix, bias in layers[:-1]:
        values = np.sin(values @ matrix + bias)
    color = np.maximum(values @ layers[-1][0] + layers[-1][1], 0) ** 2
    return np.maximum(mean + contrast[:, None] * (color - mean), 0) * tint


CASES = {
    "learned_texture": Case(
        learned_texture,
        draws={"tint": (0.0, 1.0)},
        wrt=("coordinate", "scale", "rotation", "contrast", "tint"),
        # Derivatives by scale grow with the distance to the origin.
        gradient_draws={"coordinate": (-1.0, 1.0), "scale": (0.5, 2.0), "rotation": (-1.0, 1.0)},
    )
}
