# SPDX-License-Identifier: Apache-2.0
"""A template that ``./dev templates new`` wrote has what each template must have."""

from __future__ import annotations

import pytest

import weft
from dev.templates import new_template
from support import template_cases as templates
from templates import test_templates as required
from weft.gallery import draw


@pytest.fixture
def file(tmp_path):
    new_template(["pattern/old_chevrons"], tmp_path)
    return tmp_path / "pattern" / "old_chevrons.slang"


def test_it_has_the_form_of_a_template(file):
    (node,) = templates.node_functions(file)

    required.test_it_says_what_it_is_and_where_it_comes_from(file, node)
    required.test_defaults_lie_within_their_ranges(node)
    assert node.is_differentiable


def test_it_lowers_and_can_be_drawn(file, device):
    for tree in ("shader", "geometry", "compositor"):
        assert weft.lower(file, "oldChevrons", tree=tree, blender=(4, 5)).warnings == ()
    assert weft.lower(file, "oldChevrons", to="osl").outputs
    assert draw(file, size=32, device=device).std() > 0.1
