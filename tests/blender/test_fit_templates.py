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


def photograph(name, tmp_path, seed):
    """Take a subject's picture; return its node and the file."""
    subject = cases.SUBJECTS[name]
    node = cases.build(subject)
    cases.set_inputs(node, subject.truth)
    path = str(tmp_path / f"photo_{seed}.exr")
    cases.photograph(path, seed)
    return node, path


def distances_of(found):
    return np.abs(np.concatenate(list(found.distances.values())))


@pytest.mark.parametrize("name", subjects())
def test_a_template_is_found_within_its_errors(extension, tmp_path, record_property, name):
    node, path = photograph(name, tmp_path, seed=1)
    by_cycles, own = cases.pictures(path)
    assert np.abs(own - by_cycles).mean() < 0.03 * by_cycles.mean()

    found = cases.fit(cases.SUBJECTS[name], node, path)

    distances = distances_of(found)
    record_property("standard errors from the truth", np.round(distances, 2).tolist())
    assert found.report.reason == "converged"
    assert found.report.undetermined == {}
    assert found.report.verdict.level == "explained"
    # Of ten numbers one may lie beyond two standard errors: by chance one of twenty does.
    assert np.mean(distances <= 2) >= 0.9
    assert distances.max() <= 3
    assert max(np.max(error) for error in found.relative.values()) < 0.02


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_errors_of_templates_cover_the_truth(extension, tmp_path, record_property):
    distances = []
    for name in cases.SUBJECTS:
        for seed in (1, 2, 3):
            cases.clear()
            node, path = photograph(name, tmp_path, seed)
            found = cases.fit(cases.SUBJECTS[name], node, path, seed=seed)
            distances += distances_of(found).tolist()

    share = float(np.mean(np.array(distances) <= 2))
    record_property("within two standard errors", share)
    assert share >= 0.9
