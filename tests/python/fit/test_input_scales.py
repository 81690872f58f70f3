# SPDX-License-Identifier: Apache-2.0
"""Range and scale of a parameter come from the closure's table, not from how it is called."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from weft.fit.parameters import Parameter
from weft.fit.unknowns import build_unknowns
from weft.render.upload import material_table
from weft.scene import Closure, Constant, Material, SlangCall
from weft.scene.closures import CLOSURES

NAMED = "float named(float roughness) { return 1 - roughness; }"


def unknowns_of(surface: Closure, name: str, **options: object):
    tables = SimpleNamespace(materials=material_table([Material("m", surface)]))
    return build_unknowns(tables, [Parameter(f"m.{name}", **options)])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind, spec in CLOSURES.items()
        for name, entry in spec.inputs.items()
        if name.endswith("roughness") and not entry.is_walk
    ],
)
def test_each_roughness_is_fitted_on_the_scale_of_logarithms_from_a_fiftieth(kind, name):
    unknowns = unknowns_of(Closure(kind, **{name: 0.25}), name)

    assert unknowns.start == pytest.approx([np.log(0.25)], rel=1e-6)
    assert unknowns.low == pytest.approx([np.log(0.02)])
    assert unknowns.high == pytest.approx([0.0])


def test_a_node_that_drives_a_roughness_has_its_scale_however_it_is_called():
    unknowns = unknowns_of(Closure("glossy", roughness=Constant("Value.Gloss", 0.5)), "Value.Gloss")

    assert unknowns.blocks[0].is_log
    assert np.exp(unknowns.low) == pytest.approx([0.02])


def test_the_name_alone_changes_nothing():
    call = SlangCall("named", NAMED, {"roughness": Constant("Noise.Roughness", 0.5)}, size=1)

    unknowns = unknowns_of(Closure("principled", metallic=call), "Noise.Roughness")

    assert not unknowns.blocks[0].is_log
    assert unknowns.low == pytest.approx([0.0])


def test_a_user_says_otherwise():
    unknowns = unknowns_of(
        Closure("glossy", roughness=0.5), "roughness", transform="linear", bounds=(0.0, 0.7)
    )

    assert not unknowns.blocks[0].is_log
    assert (unknowns.low[0], unknowns.high[0]) == (0.0, 0.7)
