# SPDX-License-Identifier: Apache-2.0
"""Pictures find their cameras by name."""

from __future__ import annotations

import pytest
from addon.core.camera_matching import match_cameras


@pytest.mark.parametrize(
    ("files", "cameras", "found"),
    [
        (["left.jpg", "RIGHT.png"], ["Left", "Right"], ["Left", "Right"]),
        (["shot_left_02.jpg"], ["Left", "Right"], ["Left"]),
        (["/a/b/camera-002.exr"], ["Camera", "Camera.001", "Camera.002"], ["Camera.002"]),
        (["IMG_0002.jpg", "IMG_0001.jpg"], ["View 1", "View 2"], ["View 2", "View 1"]),
        (["camera.jpg"], ["Camera", "Camera.001"], ["Camera"]),
        (["photo.jpg"], ["Camera"], [None]),
        (["IMG_0007.jpg"], ["A 7", "B 7"], [None]),
        (["a.jpg"], [], [None]),
    ],
)
def test_the_camera_of_a_file(files, cameras, found):
    assert match_cameras(files, cameras) == found
