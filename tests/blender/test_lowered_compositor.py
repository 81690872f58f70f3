# SPDX-License-Identifier: Apache-2.0
"""Node groups of lowered functions compute in the compositor what the functions' graphs do."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import build_group

import weft
from blender import compositor_values as compositor
from blender import lowered_values as blender
from support import lowering_corpus as corpus


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def lowered_functions(text):
    """Return the functions of a text that trees of the compositor compute."""
    for name in corpus.names(text):
        try:
            yield weft.lower(None, name, text=text, tree="compositor", blender=bpy.app.version[:2])
        except weft.ArgumentError:
            continue


def differences_of(function, path):
    """Return the largest difference of each output, of max(1, abs)."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    values = blender.inputs_of(function)
    results = function.evaluate(values)
    found = compositor.in_compositor(
        function, build_group(function.tree, function.name), values, path
    )
    worst = {}
    for socket in function.outputs:
        expected = blender.values_of(socket, results).astype(np.float32)
        pixels = found[socket.name] if expected.ndim == 2 else found[socket.name][:, 0]
        error = np.abs(pixels - expected) / np.maximum(1, np.abs(expected))
        worst[f"{function.name} {socket.name}"] = float(np.max(error))
    return worst


@pytest.mark.parametrize(
    ("text", "least"), [(corpus.TEXT, 48), (corpus.NOISE, 4)], ids=["corpus", "noise"]
)
def test_the_compositor_computes_the_corpus(text, least, tmp_path):
    differences = {}
    for function in lowered_functions(text):
        differences |= differences_of(function, str(tmp_path / "picture.exr"))

    print(sorted(differences.items(), key=lambda item: -item[1])[:5])
    assert len(differences) >= least
    assert {name: value for name, value in differences.items() if not value < 1e-5} == {}
