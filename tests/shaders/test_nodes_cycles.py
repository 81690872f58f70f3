# SPDX-License-Identifier: Apache-2.0
"""Blender's function nodes: compiled and evaluated, they are what Cycles computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from support import node_cases
from support.node_evaluation import module_of

GOLDEN = Path(__file__).parents[1] / "golden" / "cycles_nodes.npz"
TOPICS = node_cases.topics()


@pytest.fixture(scope="module", params=TOPICS)
def topic(request, device):
    cases = TOPICS[request.param]
    name = f"nodes_{request.param}"
    source, texels = module_of(cases)
    module = weft.Module.load_from_source(device, name, source)
    return request.param, cases, module, weft.Tensor.from_numpy(device, texels)


def arguments(cases):
    """All cases times all rows."""
    table = node_cases.inputs()
    inside = node_cases.slopes()[1].astype(np.float32)
    return [
        np.arange(len(cases), dtype=np.int32)[:, None],
        *(np.ascontiguousarray(table[None, :, k]) for k in range(3)),
        node_cases.normals()[None],
        inside[None],
    ]


def test_every_node_equals_cycles(topic):
    name, cases, module, texels = topic
    expected = np.load(GOLDEN)[name].astype(np.float64)

    found = module.evaluate(*arguments(cases), texels).to_numpy()

    errors = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
    wrong = {
        f"{case.name} row {row}": (found[k, row].tolist(), expected[k, row].tolist())
        for k, case in enumerate(cases)
        for row in np.flatnonzero(~(errors[k].max(axis=-1) <= case.tolerance))
    }
    assert not wrong
