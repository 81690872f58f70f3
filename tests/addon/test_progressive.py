# SPDX-License-Identifier: Apache-2.0
"""Pictures in parts, and the thread that serves viewports."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from addon.core.picture_server import PictureServer, Request
from addon.core.progressive import CancelledError, ProgressiveRender, parts

from weft.render import PathSettings
from weft.scene import Camera


class CountingRenderer:
    """Pictures whose pixels are the mean number of the samples that went in."""

    def __init__(self):
        self.batch = 1
        self.calls = []

    def render(self, camera, settings, *, aovs, progress):
        self.calls.append((settings.first_sample, settings.samples, tuple(aovs)))
        progress(0.5)
        progress(1.0)
        numbers = settings.first_sample + np.arange(settings.samples)
        color = np.full((camera.height, camera.width, 3), numbers.mean(), np.float32)
        return {"color": color} | {name: color for name in aovs}


@pytest.mark.parametrize("samples", [1, 2, 7, 64, 1000])
def test_parts_are_all_samples_once(samples):
    numbers = [first + offset for first, count in parts(samples) for offset in range(count)]

    assert numbers == list(range(samples))


def test_last_picture_is_the_mean_of_all_samples_and_has_the_layers():
    renderer = CountingRenderer()
    shares, pictures = [], []

    last = ProgressiveRender(renderer, Camera(4, 3), PathSettings(samples=11), ["depth"]).run(
        pictures.append, lambda: False, shares.append
    )

    assert last.color.shape == (3, 4, 3)
    np.testing.assert_allclose(last.color, 5.0, rtol=1e-6)
    assert list(last.layers) == ["depth"]
    assert [picture.samples for picture in pictures] == [1, 2, 4, 8, 11]
    assert [call[2] for call in renderer.calls] == [(), (), (), (), ("depth",)]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_alpha_comes_with_every_picture_and_is_a_mean():
    renderer = CountingRenderer()
    pictures = []

    last = ProgressiveRender(renderer, Camera(4, 3), PathSettings(samples=11), ["alpha"]).run(
        pictures.append, lambda: False
    )

    assert all(list(picture.layers) == ["alpha"] for picture in pictures)
    np.testing.assert_allclose(last.layers["alpha"], 5.0, rtol=1e-6)


def test_batches_grow_until_they_take_a_tenth_of_a_second(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("addon.core.progressive.time.perf_counter", lambda: clock[0])
    sizes = []

    class SlowRenderer(CountingRenderer):
        """A million paths a second, and two seconds for what is compiled."""

        def render(self, camera, settings, *, aovs, progress):
            paths, done = camera.width * camera.height * settings.samples, 0
            if not sizes:
                clock[0] += 2.0
            while done < paths:
                sizes.append(min(self.batch, paths - done))
                done += sizes[-1]
                clock[0] += sizes[-1] * 1e-6
                progress(done / paths)
            return super().render(camera, settings, aovs=aovs, progress=lambda share: None)

    ProgressiveRender(SlowRenderer(), Camera(640, 480), PathSettings(samples=4)).run(
        lambda picture: None, lambda: False
    )

    assert sizes[0] == 4096
    assert 90_000 < max(sizes) < 110_000


def test_cancelling_ends_within_a_part():
    renderer = CountingRenderer()

    with pytest.raises(CancelledError):
        ProgressiveRender(renderer, Camera(4, 3), PathSettings(samples=64)).run(
            lambda picture: None, lambda: len(renderer.calls) == 3
        )

    assert len(renderer.calls) == 3


def wait_for(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_server_serves_the_newest_request_and_keeps_the_renderer_of_a_scene():
    made = []

    def make_renderer(scene):
        made.append(scene)
        return CountingRenderer()

    server = PictureServer(make_renderer)
    try:
        server.request(Request("scene", Camera(8, 8), PathSettings(samples=2)))
        wait_for(lambda: server.status == "Sample 2 of 2")
        server.request(Request("scene", Camera(16, 8), PathSettings(samples=4)))
        wait_for(lambda: server.status == "Sample 4 of 4")
        assert server.picture()[1].shape == (8, 16, 4)
        assert made == ["scene"]

        server.request(Request("other", Camera(16, 8), PathSettings(samples=8)))
        wait_for(lambda: server.status == "Sample 8 of 8")
        assert made == ["scene", "other"]
    finally:
        server.close()
    assert server.job.wait(5)


def test_server_drops_a_picture_that_nobody_wants_any_more():
    begun, release = threading.Event(), threading.Event()

    class SlowRenderer(CountingRenderer):
        def render(self, camera, settings, **arguments):
            if camera.width == 64:
                begun.set()
                release.wait(10)
            return super().render(camera, settings, **arguments)

    renderer = SlowRenderer()
    server = PictureServer(lambda scene: renderer)
    try:
        server.request(Request("scene", Camera(64, 64), PathSettings(samples=1 << 20)))
        assert begun.wait(10)
        server.request(Request("scene", Camera(32, 32), PathSettings(samples=1)))
        release.set()
        wait_for(lambda: server.status == "Sample 1 of 1")
        assert server.picture()[1].shape == (32, 32, 4)
        assert len(renderer.calls) < 8
    finally:
        server.close()


def test_server_tells_a_failure_and_goes_on():
    def make_renderer(scene):
        if scene == "broken":
            raise ValueError("the scene is broken")
        return CountingRenderer()

    server = PictureServer(make_renderer)
    try:
        server.request(Request("broken", Camera(8, 8), PathSettings(samples=1)))
        wait_for(lambda: server.failure == "the scene is broken")
        server.request(Request("whole", Camera(8, 8), PathSettings(samples=1)))
        wait_for(lambda: server.status == "Sample 1 of 1")
        assert server.failure == ""
    finally:
        server.close()


def test_server_has_its_renderer_take_over_other_scenes():
    made, taken = [], []

    def make_renderer(scene):
        made.append(scene)
        return CountingRenderer()

    def update_renderer(renderer, scene):
        if scene == "broken":
            raise ValueError("the scene is broken")
        taken.append(scene)
        return scene != "too large"

    server = PictureServer(make_renderer, update_renderer)

    def serve(scene, samples):
        server.request(Request(scene, Camera(8, 8), PathSettings(samples=samples)))

    try:
        serve("scene", 1)
        wait_for(lambda: server.status == "Sample 1 of 1")
        serve("edited", 2)
        wait_for(lambda: server.status == "Sample 2 of 2")
        assert (made, taken) == (["scene"], ["edited"])

        serve("broken", 3)
        wait_for(lambda: server.failure == "the scene is broken")
        serve("mended", 4)
        wait_for(lambda: server.status == "Sample 4 of 4")
        assert (made, taken) == (["scene"], ["edited", "mended"])
        assert server.failure == ""

        serve("too large", 5)
        wait_for(lambda: server.status == "Sample 5 of 5")
        assert made == ["scene", "too large"]
    finally:
        server.close()
    assert server.job.wait(5)
