# SPDX-License-Identifier: Apache-2.0
"""What people write becomes what a fit is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.fitting.request import (
    ExposureRequest,
    FitRequest,
    LightRequest,
    NumberRequest,
    TargetRequest,
    TextureRequest,
    parse_parameter,
)

import weft


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("Chrome.Roughness", NumberRequest("Chrome.Roughness")),
        ("texture:Wood.Base Color", TextureRequest("Wood.Base Color")),
        ("texture:Wood.Base Color@512", TextureRequest("Wood.Base Color", (512, 512))),
        ("texture:Wood.Base Color@512x256", TextureRequest("Wood.Base Color", (512, 256))),
        ("light:Key", LightRequest("Key")),
        ("exposure:Front", ExposureRequest("Front")),
        ("exposure:", ExposureRequest(None)),
        (
            {"name": "Chrome.Roughness", "bounds": [0.1, 0.5]},
            NumberRequest("Chrome.Roughness", (0.1, 0.5)),
        ),
        ({"name": "texture:Wood.Color", "resolution": 64}, TextureRequest("Wood.Color", (64, 64))),
        ({"name": "light:Key", "color": True}, LightRequest("Key", color=True)),
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
    target = TargetRequest("Camera", np.ones((2, 2, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match="there is no picture; add one"):
        FitRequest([], [NumberRequest("a.b")])
    with pytest.raises(weft.ArgumentError, match="there is nothing to find"):
        FitRequest([target], [])
