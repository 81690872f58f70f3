# SPDX-License-Identifier: GPL-3.0-or-later
"""Learned textures of the open file: what they learn from, and the texts that hold them."""

from __future__ import annotations

import difflib
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft import ArgumentError
from weft.colors import linear_from_srgb

from ...core.slang_nodes.learned_text import FUNCTION, learned_text
from ...core.steps import last_value
from ..images import ImageStore
from .nodes import change_node, require_tag
from .reading import key_of
from .tags import tagged_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...core.slang_nodes.learned import LearnedTexture
    from ...core.slang_nodes.sources import SourceKey

WRITTEN = "weft_learned"
"""ID-property of a text that was written here: its hash. Texts of others are never removed."""


def picture_of(name: str) -> NDArray[np.float32]:
    """Return an image as a material shows it, linear, ``(height, width, 3)``, the top row first.

    Raises:
        ArgumentError: No name is given, there is no such image, or it has no pixels.
    """
    if not name:
        raise ArgumentError("fit_learned_texture: choose an image first: there is none to learn")
    image = bpy.data.images.get(name)
    if image is None:
        near = difflib.get_close_matches(name, bpy.data.images.keys(), 1)
        hint = f"; did you mean '{near[0]}'?" if near else f"; the file has {len(bpy.data.images)}"
        raise ArgumentError(f"fit_learned_texture: there is no image '{name}'{hint}")
    if image.source == "TILED":
        raise ArgumentError(
            f"fit_learned_texture: image '{name}' has tiles (UDIM); give one without"
        )
    store = ImageStore()
    try:
        data = store[image.name_full]
    except KeyError:
        why = "; ".join(problem.message for problem in store.problems)
        raise ArgumentError(f"fit_learned_texture: image '{name}' has no pixels: {why}") from None
    pixels = data.pixels[..., :3]
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    linear = linear_from_srgb(pixels) if data.encoding == "srgb" else pixels
    return np.ascontiguousarray(linear, np.float32)


def use_learned(node: bpy.types.Node, found: LearnedTexture, picture: str) -> bpy.types.Text:
    """Make a node of what was learned: in a new text, whose function has the same inputs.

    The text that it was made from goes, if it was written here, is as it was, and no other node
    uses it.

    Raises:
        Error: The node cannot be changed; it and the file are as they were.
    """
    before = require_tag(getattr(node, "node_tree", None)).source
    text = bpy.data.texts.new(f"{Path(picture).stem or 'learned'}.slang")
    text.write(learned_text(found, picture))
    text.cursor_set(0)
    text[WRITTEN] = _hash(text)
    try:
        last_value(change_node(node, source=key_of(text), function=FUNCTION))
    except BaseException:
        bpy.data.texts.remove(text)
        raise
    _remove_unused(before)
    return text


def _remove_unused(key: SourceKey) -> None:
    text = bpy.data.texts.get(key.name) if key.kind == "text" else None
    if text is None or text.get(WRITTEN) != _hash(text):
        return
    if not any(tag.source == key for _, tag in tagged_trees()):
        bpy.data.texts.remove(text)


def _hash(text: bpy.types.Text) -> str:
    return hashlib.sha256(text.as_string().encode()).hexdigest()[:16]
