# SPDX-License-Identifier: Apache-2.0
"""The gallery has a line and a picture of each template, and says what is so today."""

import numpy as np
import pytest

from docs.write_gallery import PAGE, PICTURES, SIZE, picture_of, row, templates
from support.template_cases import node_functions
from weft.gallery import KINDS, draw
from weft.image import read

EVERY = 6
"""One template in so many is drawn in the ordinary suite, all of them with the mark full."""


def test_every_template_has_its_picture_and_its_line():
    text = PAGE.read_text(encoding="utf-8")

    assert {picture_of(file) for file in templates()} == set(PICTURES.glob("*"))
    assert text.count("![") == len(templates())
    assert [f for f in templates() if f"gallery/{picture_of(f).name}" not in text] == []


@pytest.mark.parametrize("file", templates()[::6], ids=lambda file: file.stem)
def test_lines_say_what_is_so(file):
    assert row(file) in PAGE.read_text(encoding="utf-8"), (
        "run ./dev python tests/docs/write_gallery.py"
    )


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.stem, marks=[] if n % EVERY == 0 else [pytest.mark.full])
        for n, file in enumerate(templates())
    ],
)
def test_pictures_are_what_functions_draw(file, device):
    stored = read(picture_of(file), encoding="linear")[..., :3]

    drawn = draw(file, size=SIZE, device=device)

    difference = np.abs(drawn - stored)
    assert stored.std() > 0.02
    assert difference.mean() < 0.005, "run ./dev python tests/docs/write_gallery.py"


def test_every_template_names_a_kind_of_picture():
    previews = {
        file.stem: attribute.arguments[0]
        for file in templates()
        for attribute in node_functions(file)[0].attributes
        if attribute.name == "Preview"
    }

    assert {name: kind for name, kind in previews.items() if kind not in KINDS} == {}
    assert len(previews) == len(templates())
