# SPDX-License-Identifier: Apache-2.0
"""Device memory that nobody uses goes back to the system, and a limit holds."""

import gc
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, principled

MIB = 1 << 20


def resident_bytes():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


def scene_of(side):
    camera = Camera(side, side, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    plate = principled("plate", base_color=(0.6, 0.4, 0.3), roughness=0.5)
    return weft.Scene([placed(quad(), plate)], [], [camera], Environment(np.ones(3)))


def render_and_fit(device, side):
    """Render and fit; nothing is idle when a fit has ended, though its scene is still there."""
    photo = weft.Renderer(device, scene_of(side)).render(
        settings=PathSettings(samples=2, bounces=2)
    )
    settings = FitSettings(samples=2, bounces=2, max_iterations=2, tolerance=1e-9)
    unknown = [Parameter("plate.roughness")]
    fit = Fit(scene_of(side), [Target(photo)], unknown, settings, device=device)
    fit.run()
    assert device.memory_info().idle == 0
    assert device.memory_info().used > 0


def test_trim_gives_back_what_is_idle(fresh_device):
    kept = weft.Tensor.zeros(fresh_device, (1000,))
    for count in (1, 5, 30):
        weft.Tensor.empty(fresh_device, (count * MIB,)).fill(1.0)
    before = fresh_device.memory_info()
    assert before.used < MIB
    assert before.idle > 30 * 4 * MIB

    freed = fresh_device.trim()

    after = fresh_device.memory_info()
    assert freed >= before.idle
    assert after.idle == 0
    assert after.reserved <= before.reserved - before.idle
    assert after.peak_reserved >= before.reserved
    assert kept.numpy().sum() == 0
    assert fresh_device.trim() == 0
    assert "idle 0" in repr(after)


def test_the_limit_may_change_while_arrays_live(fresh_device):
    assert fresh_device.memory_limit is None
    assert fresh_device.memory_info().limit is None
    kept = weft.Tensor.zeros(fresh_device, (40 * MIB,))

    fresh_device.memory_limit = 100 * MIB
    assert fresh_device.memory_info().limit == 100 * MIB
    with pytest.raises(
        weft.OutOfMemoryError, match=r"memory_limit is 100 MiB.*raise device"
    ) as said:
        weft.Tensor.empty(fresh_device, (MIB,))
    assert "held by" in str(said.value)
    assert kept.numpy()[-1] == 0
    del kept
    weft.Tensor.empty(fresh_device, (20 * MIB,)).fill(1.0)

    fresh_device.memory_limit = None
    assert weft.Tensor.zeros(fresh_device, (40 * MIB,)).numpy()[0] == 0


def test_a_limit_that_nothing_fits_in_is_refused(fresh_device):
    with pytest.raises(weft.ArgumentError, match=r"Device\.memory_limit must be at least 67108864"):
        fresh_device.memory_limit = 1000
    assert fresh_device.memory_limit is None
    with weft.create_device(type=fresh_device.info.type, memory_limit=64 * MIB) as small:
        assert small.memory_limit == 64 * MIB
        with pytest.raises(weft.OutOfMemoryError, match="asked for 80 MiB"):
            weft.Tensor.empty(small, (20 * MIB,))
        for count in (1, 1000, MIB, 15 * MIB, 3, 10 * MIB):
            weft.Tensor.empty(small, (count,)).fill(2.0)
        assert small.memory_info().reserved <= 2 * 64 * MIB  # with staging, which is the host's


def test_a_closed_device_has_nothing_to_give_back(fresh_device):
    fresh_device.close()

    for use in (fresh_device.trim, lambda: setattr(fresh_device, "memory_limit", None)):
        with pytest.raises(weft.DeviceError, match="is closed"):
            use()


def test_threads_may_trim_while_others_compute(fresh_device):
    module = weft.Module.load_from_source(
        fresh_device, "twice", "float twice(float x) { return 2 * x; }"
    )
    ends = threading.Event()
    failures = []

    def trim():
        while not ends.is_set():
            fresh_device.trim()

    def compute(seed):
        rng = np.random.default_rng(seed)
        for _ in range(30):
            values = rng.random(int(rng.integers(1, 3 * MIB)), np.float32)
            given = weft.Tensor.from_numpy(fresh_device, values)
            if not np.array_equal(module.twice(given).numpy(), 2 * values):
                failures.append(len(values))

    trimmer = threading.Thread(target=trim)
    workers = [threading.Thread(target=compute, args=(seed,)) for seed in range(2)]
    for thread in (trimmer, *workers):
        thread.start()
    for thread in workers:
        thread.join()
    ends.set()
    trimmer.join()

    assert failures == []


@pytest.mark.full
@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.full)])
def test_fits_and_renders_of_many_sizes_leave_nothing(fresh_device, rounds):
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    sides = [8 + 29 * k % 97 for k in range(rounds)]
    render_and_fit(fresh_device, max(sides))
    gc.collect()
    fresh_device.trim()
    before, resident = fresh_device.memory_info(), resident_bytes()

    for side in sides:
        render_and_fit(fresh_device, side)
    gc.collect()
    fresh_device.trim()

    after = fresh_device.memory_info()
    assert after.used <= before.used
    assert after.reserved <= before.reserved
    assert after.live_buffers <= before.live_buffers
    assert resident_bytes() - resident < 64 * MIB


def test_devices_are_listed_and_opened_by_their_entries():
    every = weft.devices()
    assert [repr(entry) for entry in every] == [repr(entry) for entry in weft.enumerate_devices()]
    for kind in ("vulkan", "cuda"):
        own = weft.devices(kind)
        assert [entry.adapter for entry in own] == list(range(len(own)))
        assert all(entry.type.name == kind for entry in own)

    with weft.create_device(every[-1]) as opened:
        assert (opened.info.type, opened.info.adapter) == (every[-1].type, every[-1].adapter)
    with pytest.raises(weft.ArgumentError, match="leave adapter out"):
        weft.create_device(every[-1], adapter=every[-1].adapter + 1)
    with pytest.raises(weft.ArgumentError, match="devices: type must be"):
        weft.devices("quantum")
