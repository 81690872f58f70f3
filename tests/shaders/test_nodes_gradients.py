# SPDX-License-Identifier: Apache-2.0
"""Blender's function nodes: derivatives by central differences, forward and backward mode."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import node_cases
from support.node_evaluation import module_of

TOPICS = node_cases.topics()
POINTS = 48


@pytest.fixture(scope="module", params=TOPICS)
def topic(request, device):
    cases = TOPICS[request.param]
    name = f"nodes_{request.param}"
    source, texels = module_of(cases)
    tolerance = 5e-2 if request.param == "curve" else 1e-2
    return cases, weft.Module.load_from_source(device, name, source), texels, tolerance


def tensor(module, array):
    return weft.Tensor.from_numpy(module.device, np.ascontiguousarray(array, np.float32))


class Points:
    """All cases of a topic at given vectors a, b, c: shape (points, 3, 3)."""

    def __init__(self, topic, table):
        self.cases, self.module, texels, self.tolerance = topic
        self.table = table.astype(np.float32)
        self.count = len(self.cases), len(table)
        rows = np.resize(np.arange(node_cases.ROWS), len(table))
        inside = node_cases.slopes()[1].astype(np.float32)[rows]
        numbers = np.broadcast_to(np.arange(self.count[0], dtype=np.int32)[:, None], self.count)
        self.number = weft.Tensor.from_numpy(self.module.device, np.ascontiguousarray(numbers))
        normals = np.broadcast_to(node_cases.normals()[rows], (*self.count, 3))
        self.fixed = [
            tensor(self.module, normals),
            self.spread(inside),
            tensor(self.module, texels),
        ]
        random = np.random.default_rng(5)
        self.weights = random.uniform(0.2, 1, (*self.count, 3)).astype(np.float32)
        self.ways = random.uniform(-1, 1, (3, *self.count, 3)).astype(np.float32)

    def spread(self, array):
        """Return rows for each case."""
        return tensor(self.module, np.broadcast_to(array, self.count + array.shape[1:]))

    def result(self):
        return weft.Tensor.zeros(self.module.device, self.count, self.module.float3).with_grads()

    def losses(self, step=0.0):
        """Return the weighted sums of the results, moved by a step along the ways."""
        moved = [
            tensor(self.module, self.table[None, :, k] + step * self.ways[k]) for k in range(3)
        ]
        found = self.module.evaluate(self.number, *moved, *self.fixed).to_numpy()
        return (found.astype(np.float64) * self.weights).sum(axis=-1)

    def backward(self):
        """Return gradients of the sums by a, b and c, shape (3, cases, points, 3)."""
        inputs = [self.spread(self.table[:, k]).with_grads() for k in range(3)]
        result = self.result()
        result.grad.copy_from_numpy(self.weights)
        self.module.evaluate.bwds(self.number, *inputs, *self.fixed, _result=result)
        return np.stack([entry.grad.to_numpy() for entry in inputs])

    def forward(self):
        """Return derivatives of the sums along the ways, shape (cases, points)."""
        inputs = [
            self.spread(self.table[:, k]).with_grads(grad_in=tensor(self.module, self.ways[k]))
            for k in range(3)
        ]
        result = self.result()
        self.module.evaluate.fwds(self.number, *inputs, *self.fixed, _result=result)
        return (result.grad.to_numpy().astype(np.float64) * self.weights).sum(axis=-1)


def smooth_points():
    """Points at which b and c are apart: ranges between them are not steep."""
    random = np.random.default_rng(3)
    table = random.uniform(0.1, 0.9, (POINTS, 3, 3))
    apart = random.uniform(0.25, 0.5, (POINTS, 3))
    table[:, 2] = table[:, 1] + np.where(table[:, 1] < 0.5, apart, -apart)
    return table


@pytest.mark.sweep(4)
def test_gradients_equal_central_differences(topic):
    points = Points(topic, smooth_points())

    gradients = points.backward().astype(np.float64)

    along = (gradients * points.ways).sum(axis=(0, -1))
    here, steps = points.losses(), (4e-3, 2e-3)
    before, after = ([points.losses(sign * h) for h in steps] for sign in (-1, 1))
    coarse, fine = ((after[k] - before[k]) / (2 * h) for k, h in enumerate(steps))
    bend = (after[1] - 2 * here + before[1]) / steps[1]
    scale = 1 + np.abs(along) + np.abs(fine)
    # Else a kink or a jump lies between the points. Tolerance: noise of single precision, 1e-7 of
    # the value over the step, and curvature; curves are polylines, whose slope jumps a little.
    is_smooth = (np.abs(coarse - fine) < 1e-2 * scale) & (np.abs(bend) < 5e-2 * scale)
    wrong = ~(np.abs(fine - along) <= points.tolerance * scale) & is_smooth
    assert is_smooth.mean(axis=1).min() > 0.3
    assert {c.name: int(n) for c, n in zip(points.cases, wrong.sum(axis=1), strict=True) if n} == {}


@pytest.mark.sweep(3)
def test_forward_and_backward_agree_and_are_finite_at_all_edges(topic):
    points = Points(topic, np.concatenate([smooth_points(), node_cases.inputs()]))

    gradients, along = points.backward().astype(np.float64), points.forward()

    finite = np.isfinite(gradients).all(axis=(0, -1)) & np.isfinite(along)
    names = np.array([case.name for case in points.cases])
    assert list(names[~finite.all(axis=1)]) == []
    sums = (gradients * points.ways).sum(axis=(0, -1))
    scale = 1 + np.abs(gradients).max(axis=(0, -1))
    assert list(names[(np.abs(sums - along) > 1e-4 * scale).any(axis=1)]) == []
