# SPDX-License-Identifier: Apache-2.0
"""Fits whose views are shared out over several devices: the numbers are those of one."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.fit import Exposure, Fit, FitSettings, LightParameter, Parameter, Target, TextureParameter
from weft.fit import devices as shared
from weft.render import PathSettings
from weft.scene import Camera, Environment, PointLight, Texture, principled

SETTINGS = FitSettings(samples=4, bounces=2, max_iterations=4, tolerance=1e-9, seed=3)
SIZES = [(12, 10), (16, 16), (9, 14), (12, 12), (8, 8)]
KINDS = {
    "scalars": [Parameter("ball.roughness"), Parameter("ball.base_color"), Exposure("view 0")],
    "lights": [LightParameter("key"), LightParameter("environment"), Parameter("ball.roughness")],
}


def scene_with(roughness=0.4, views=5):
    cameras = [
        Camera(
            *SIZES[k],
            transform=Camera.look_at((np.sin(k), -4.5 + 0.3 * k, 2), (0, 0, 0.8)),
            fov=0.6,
            name=f"view {k}",
        )
        for k in range(views)
    ]
    sky = np.full((4, 8, 3), 0.4, np.float32)
    sky[0, 2] = 6
    ball = principled("ball", base_color=(0.7, 0.4, 0.2), roughness=roughness)
    objects = [
        placed(sphere(), ball, move=(0, 0, 1)),
        placed(quad(6), lambert((0.5,) * 3, "floor")),
    ]
    lamps = [PointLight((-2, -2, 3), 60.0, radius=0.1, name="key")]
    return weft.Scene(objects, lamps, cameras, Environment(sky))


@pytest.fixture(scope="module")
def photos(device):
    renderer = weft.Renderer(device, scene_with())
    settings = PathSettings(samples=64, bounces=2, seed=9)
    return [renderer.render(k, settings) for k in range(5)]


@pytest.fixture(scope="module")
def others(device):
    made = [weft.create_device(type=device.info.type) for _ in range(2)]
    yield made
    for entry in made:
        entry.close()


def fit_on(devices, photos, kind="scalars", views=3, settings=SETTINGS):
    targets = [Target(photos[k], f"view {k}", name=f"view {k}") for k in range(views)]
    return Fit(scene_with(0.7, views), targets, KINDS[kind], settings, devices=devices)


def assert_same(first, second):
    for name, value in first.values.items():
        np.testing.assert_array_equal(second.values[name], value)
        np.testing.assert_array_equal(second.errors[name], first.errors[name])
    assert [entry.loss for entry in second.history] == [entry.loss for entry in first.history]
    assert second.verdict == first.verdict


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("kind", "views"),
    [("scalars", 1), ("scalars", 2), ("scalars", 3), ("scalars", 5), ("lights", 2), ("lights", 3)],
)
def test_two_devices_find_what_one_finds_bit_by_bit(device, others, photos, kind, views):
    one = fit_on([device], photos, kind, views).run()
    fit = fit_on([device, others[0]], photos, kind, views)
    used = {id(view.recorders[0].renderer.device) for view in fit.stage.views}

    assert len(used) == min(views, 2)
    assert_same(one, fit.run())


def test_a_checkpoint_goes_on_with_another_number_of_devices(device, others, photos, tmp_path):
    whole = fit_on([device], photos).run()
    begun = fit_on([device, *others], photos)
    begun.step()
    begun.step()
    begun.save_checkpoint(tmp_path / "two.npz")

    for devices in ([device], [others[1], device]):
        fit = fit_on(devices, photos)
        fit.resume(tmp_path / "two.npz")
        assert_same(whole, fit.run())


def test_memory_is_told_for_each_device(device, others, photos):
    fit = fit_on([device, others[0]], photos)
    before = [entry.memory_info().used for entry in (device, others[0])]
    bounds = fit.memory_of_devices()
    fit.run()

    assert len(bounds) == 2
    assert fit.memory() == max(bounds)
    assert all(bound > 0 for bound in bounds)
    for entry, held in zip((device, others[0]), before, strict=True):
        assert entry.memory_info().used <= held
        assert entry.memory_info().idle == 0  # given back to the system


def test_a_cancelled_fit_ends_on_all_devices(device, others, photos):
    cancel = threading.Event()
    fit = fit_on([device, others[0]], photos)

    result = fit.run(lambda _: cancel.set(), cancel)

    assert result.reason == "cancelled"
    assert len(result.history) == 1


def test_a_device_that_is_closed_ends_the_step_with_its_error(device, photos, tmp_path):
    second = weft.create_device(type=device.info.type)
    whole = fit_on([device], photos).run()
    fit = fit_on([device, second], photos)
    fit.step()
    values = {name: value.copy() for name, value in fit.stage.values().items()}
    fit.save_checkpoint(tmp_path / "fit.npz")
    second.close()

    with pytest.raises(weft.DeviceError, match="is closed"):
        fit.step()

    assert len(fit.history) == 1
    for name, value in fit.stage.values().items():
        np.testing.assert_array_equal(value, values[name])
    rest = fit_on([device], photos)
    rest.resume(tmp_path / "fit.npz")
    assert_same(whole, rest.run())


def take_all(device, size, taken):
    """Make tensors of so many bytes until there is no room for one more."""
    try:
        while True:
            taken.append(weft.Tensor.empty(device, (size // 4,)))
    except weft.OutOfMemoryError:
        return


def test_a_step_without_memory_changes_nothing_and_may_be_tried_again(device, photos):
    whole = fit_on([device], photos).run()
    with weft.create_device(type=device.info.type) as second:
        fit = fit_on([device, second], photos)
        second.trim()
        second.memory_limit = 64 << 20
        taken = []
        for size in (1 << 20, 1 << 12, 1 << 8):
            take_all(second, size, taken)

        with pytest.raises(weft.OutOfMemoryError, match="memory_limit is 64 MiB"):
            fit.step()

        assert fit.history == []
        taken.clear()
        second.memory_limit = None
        assert_same(whole, fit.run())


def test_devices_that_do_not_fit_together_are_refused(device, others, photos):
    target = [Target(photos[0], "view 0")]
    plate = principled("ball", base_color=Texture(np.full((4, 4, 3), 0.5, np.float32)))
    scene = weft.Scene([placed(sphere(), plate)], [], scene_with().cameras, Environment(np.ones(3)))
    both = [device, others[0]]

    with pytest.raises(weft.ArgumentError, match="one device twice"):
        fit_on([device, device], photos)
    with pytest.raises(weft.ArgumentError, match="leave device out"):
        Fit(scene_with(), target, KINDS["scalars"][:1], device=device, devices=both)
    with pytest.raises(weft.ArgumentError, match="must be a list of devices"):
        fit_on(["vulkan"], photos)
    with pytest.raises(weft.ArgumentError, match=r"textures .* on one device, got 2"):
        Fit(scene, target, [TextureParameter("ball.base_color")], devices=both)
    closed = weft.create_device(type=device.info.type)
    closed.close()
    with pytest.raises(weft.DeviceError, match=r"devices\[1\] .* is closed"):
        fit_on([device, closed], photos)


def test_devices_that_round_differently_are_refused():
    info = {"type": weft.DeviceType.cuda, "name": "A", "driver": "1", "architecture": "sm_90"}
    first = SimpleNamespace(info=SimpleNamespace(**info))
    for name, value in (("name", "B"), ("driver", "2"), ("type", weft.DeviceType.vulkan)):
        other = SimpleNamespace(info=SimpleNamespace(**{**info, name: value}))
        with pytest.raises(weft.ArgumentError, match=f"must be alike.*{name} of devices"):
            shared._require_alike([first, other])


def test_views_are_shared_by_their_pixels():
    targets = [SimpleNamespace(image=np.zeros((side, 10, 3))) for side in (10, 40, 10, 20, 10)]

    assert shared.shares_of(targets, 1) == [0] * 5
    assert shared.shares_of(targets, 2) == [1, 0, 1, 1, 0]
    assert sorted(set(shared.shares_of(targets, 5))) == list(range(5))
