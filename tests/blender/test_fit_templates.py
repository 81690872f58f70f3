# SPDX-License-Identifier: Apache-2.0
"""Materials of node templates are found again from one picture by Cycles, within their errors."""

from __future__ import annotations

import numpy as np
import pytest

from blender import template_fits as cases

QUICK = ("film",)


def subjects():
    """Return the names of all subjects; those that take long are marked as full."""
    return [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.full)
        for name in cases.SUBJECTS
    ]


@pytest.mark.parametrize("name", subjects())
def test_a_template_is_found_within_two_standard_errors(extension, tmp_path, record_property, name):
    subject = cases.SUBJECTS[name]
    node = cases.build(subject)
    cases.set_inputs(node, subject.truth)
    path = str(tmp_path / "photo.exr")
    cases.photograph(path, seed=1)
    by_cycles, own = cases.pictures(path)
    assert np.abs(own - by_cycles).mean() < 0.02 * by_cycles.mean()

    found = cases.fit(subject, node, path)

    record_property(
        "distances", {key: np.round(d, 2).tolist() for key, d in found.distances.items()}
    )
    assert found.report.undetermined == {}
    assert max(np.abs(distance).max() for distance in found.distances.values()) <= 2
