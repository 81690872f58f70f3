# SPDX-License-Identifier: Apache-2.0
"""Functions that Slang leaves as they are ([noinline]) are lowered where they are called."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import lowering_corpus as corpus


@pytest.mark.parametrize("name", corpus.names(corpus.CALLS))
def test_calls_give_what_functions_without_calls_do(name: str) -> None:
    called, inlined = (
        weft.lower(None, name, text=corpus.CALLS, to="dag", defines={"KEEP": keep})
        for keep in ("[noinline]", "[ForceInline]")
    )
    values = {
        variable.name: corpus.drawn(variable, seed, 512)
        for seed, variable in enumerate(called.parameters)
    }

    found, expected = called.evaluate(values)["Result"], inlined.evaluate(values)["Result"]

    assert np.std(found) > 0
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("tree", ["shader", "geometry"])
def test_noise_of_the_modules_own_is_lowered(tree: str) -> None:
    text = """
import weft.nodes;
float noise(float3 p) { return noiseFactorPlain<3, kFbm, true>(float4(p, 0), 2, 0.5f, 2); }
"""
    if tree == "shader":
        with pytest.raises(weft.ArgumentError, match="whiteNoise"):  # it hashes integers
            weft.lower(None, "noise", text=text, tree=tree)
    else:
        assert weft.lower(None, "noise", text=text, tree=tree).nodes > 100
    assert "shader " in weft.lower(None, "noise", text=text, to="osl").text
