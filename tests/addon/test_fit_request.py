# SPDX-License-Identifier: Apache-2.0
"""What people write becomes what a fit is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.fitting.request import (
    FitRequest,
    parse_parameter,
    scalar_request,
    texture_request,
)

import weft
from weft.fit import EnvironmentParameter, Exposure, LightParameter, Target


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("Chrome.Roughness", scalar_request("Chrome.Roughness")),
        ("texture:Wood.Base Color", texture_request("Wood.Base Color")),
        ("texture:Wood.Base Color@512", texture_request("Wood.Base Color", (512, 512))),
        ("texture:Wood.Base Color@512x256", texture_request("Wood.Base Color", (512, 256))),
        ("texture:Wood@2.Base Color", texture_request("Wood@2.Base Color")),
        ('texture:"Wood@2".Color@8', texture_request('"Wood@2".Color', (8, 8))),
        ('"light:Key".Fac', scalar_request('"light:Key".Fac')),
        ("environment@64x32", EnvironmentParameter(64, 32)),
        ("light:Key", LightParameter("Key")),
        ("exposure:Front", Exposure("Front")),
        ("exposure:", Exposure(None)),
        (
            {"name": "Chrome.Roughness", "bounds": [0.1, 0.5]},
            scalar_request("Chrome.Roughness", bounds=(0.1, 0.5)),
        ),
        ({"name": "texture:Wood.Color", "resolution": 64}, texture_request("Wood.Color", (64, 64))),
        ({"name": "light:Key", "color": True}, LightParameter("Key", color=True)),
    ],
)
def test_a_text_or_mapping_is_a_request(text, request_):
    assert parse_parameter(text) == request_


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "a parameter is a name such as 'Chrome.Roughness'"),
        ({"bounds": (0, 1)}, "needs a 'name'"),
        ("texture:Wood.Color@big", "512 or 512x256, got 'big'"),
        ("texture:Wood.Color@0", "at least 1 x 1"),
        ({"name": "light:Key", "bounds": (0, 1)}, "'light:Key' takes color, got bounds"),
    ],
)
def test_what_is_no_request_is_refused(given, words):
    with pytest.raises(weft.ArgumentError, match="fit: ") as caught:
        parse_parameter(given)

    assert words in str(caught.value)


def test_a_fit_of_nothing_is_refused():
    target = Target(np.ones((2, 2, 3), np.float32), "Camera")

    with pytest.raises(weft.ArgumentError, match="there is no picture; add one"):
        FitRequest([], [scalar_request("a.b")])
    with pytest.raises(weft.ArgumentError, match="there is nothing to find"):
        FitRequest([target], [])
