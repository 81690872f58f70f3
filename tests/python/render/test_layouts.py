# SPDX-License-Identifier: Apache-2.0
"""The host's numbers of rows, words and bits are those of the kernels' reflection."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import pytest

from weft import layouts
from weft.layouts import CameraKind, FilterKind, PathRow, TextureFilter, TextureWord, TextureWrap
from weft.render.keeping import KeptParts
from weft.render.path_buffers import path_rows, rows_of_hits
from weft.render.path_settings import FILTERS as PIXEL_FILTERS
from weft.render.texture_table import texture_table
from weft.scene.camera import KINDS
from weft.scene.kernel_text import SceneTraits
from weft.scene.texture import FILTERS, WRAPS

ROOT = Path(__file__).parents[3]
SHADERS = ROOT / "shaders" / "weft" / "render"


def printer():
    path = ROOT / "packaging" / "dev" / "layouts.py"
    spec = importlib.util.spec_from_file_location("layouts_printer", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_what_reflection_says(device):
    prints = printer()
    numbers = prints.reflect(device)

    assert prints.print_layouts(numbers) == prints.TARGET.read_text(), (
        "run packaging/dev/layouts.py"
    )
    assert prints.print_header(numbers) == prints.HEADER.read_text(), "run packaging/dev/layouts.py"


def test_every_enumeration_that_shaders_show_is_printed():
    texts = [path.read_text() for path in sorted(SHADERS.glob("*.slang"))]
    shown = {name for text in texts for name in re.findall(r"^public enum (\w+)", text, re.M)}

    assert shown - set(printer().enumerations()) <= {"NormalSpace"}


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        (KINDS, CameraKind),
        (PIXEL_FILTERS, FilterKind),
        (FILTERS, TextureFilter),
        (WRAPS, TextureWrap),
    ],
    ids=["cameras", "pixel filters", "texture filters", "texture wraps"],
)
def test_names_stand_in_the_order_of_their_numbers(names, kinds):
    assert [getattr(kinds, name) for name in names] == list(range(len(names)))


def test_a_path_has_the_rows_that_its_scene_needs_and_no_more():
    order = ("has_limits", "has_kinds", "has_media", "has_walks", "fits_media")
    none = SceneTraits(0, has_baked_transforms=False)
    sizes = [path_rows(none)]
    sizes += [path_rows(replace(none, **{name: True})) for name in order]

    assert sizes[0] == PathRow.record + 1
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == PathRow.end


def test_hits_lend_enough_memory_to_words():
    rows = layouts.HitRow.end

    assert [rows_of_hits(words) * rows >= words for words in range(1, 12)] == [True] * 11


def test_records_of_textures_have_a_number_for_each_word(device):
    assert texture_table([], KeptParts(device)).records.shape == (1, TextureWord.end)
