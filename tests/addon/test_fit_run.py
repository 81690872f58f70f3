# SPDX-License-Identifier: Apache-2.0
"""A fit under way: what it does, how long it takes, and how it is left."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from addon.core.countdown import Countdown
from addon.core.fitting.run import FitRun
from addon.core.job import Job

import weft
from support.fit_plans import plan_of, request
from weft._native import Compiling, compile_together
from weft.render.interrupt import Interrupt, Interrupted


def test_the_time_left_does_not_jump():
    random = np.random.default_rng(1)
    countdown, shown = Countdown(), []
    for second in range(60):
        expected = (60 - second) * random.uniform(0.3, 3.0)
        shown.append(countdown.shown(second, expected))

    steps = np.diff(shown)
    assert shown[0] > 0
    assert np.abs(steps[:40]).max() < 12  # what is expected jumps by 100 and more
    assert shown[-1] < 5


def test_the_time_left_is_not_known_before_it_is():
    countdown = Countdown()

    assert countdown.shown(1.0, np.inf) == np.inf
    assert countdown.shown(2.0, 30.0) == 30.0
    assert countdown.shown(3.0, 29.0) == pytest.approx(29.0)


def test_kernels_are_counted(device):
    text = "\n".join(f"float f{k}(float x) {{ return x + {k}; }}" for k in range(3))
    module = weft.Module.load_from_source(device, "counted", text)
    compiling, x = Compiling(), weft.Tensor.zeros(device, (4,))

    compile_together([(module[f"f{k}"], (x,)) for k in range(3)], None, compiling)

    assert (compiling.done, compiling.total) == (3, 3)
    assert module.f2(x).to_numpy().tolist() == [2.0] * 4


def test_a_kernel_that_does_not_compile_ends_the_others(device):
    module = weft.Module.load_from_source(device, "wrong", "float f(float x) { return x; }")

    with pytest.raises(weft.ArgumentError, match="f:"):
        compile_together([(module.f, ("text",))] * 2)


def test_waiting_for_kernels_asks_whether_they_are_wanted(device):
    # Long enough for one look: each text is new to the caches.
    new = time.time_ns()
    text = "\n".join(f"float f{k}(float x) {{ return sin(x) * {new + k}.f; }}" for k in range(24))
    module = weft.Module.load_from_source(device, "unwanted", text)
    event, interrupt, x = threading.Event(), Interrupt(), weft.Tensor.zeros(device, (4,))
    event.set()

    with interrupt.cancelled_by(event), pytest.raises(Interrupted):
        compile_together([(module[f"f{k}"], (x,)) for k in range(24)], interrupt)


def test_a_run_says_what_it_does(device):
    plan = plan_of(request("Plate.Roughness"))
    plan.settings = replace(plan.settings, bounces=1, samples=1, max_iterations=5, tolerance=1e-9)
    seen = []
    run = FitRun(plan, lambda: device, lambda update: seen.append(run.phase))
    phases = {run.phase}
    while not run.job.wait(0.002):
        phases.add(run.phase)

    assert run.job.error is None
    assert [text for text in seen if text.startswith("Iteration")] == [
        f"Iteration {k + 1} of 5" for k in range(len(seen))
    ]
    assert "Preparing the device" in phases
    assert any(text.startswith(("Compiling", "Checking")) for text in phases)
    assert run.latest.fraction > 0


@pytest.mark.full
def test_the_last_textures_stay_to_be_shown(device):
    plan = plan_of(request("texture:Plate.Base Color@4"))
    plan.settings = replace(plan.settings, bounces=1, samples=1, texture_iterations=8)
    run = FitRun(plan, lambda: device)
    run.job.result()

    # Those after it had none: the main thread may have looked at none that had.
    assert not run.latest.result.textures
    number, shown = run.images
    assert number >= 1
    assert [entry.pixels.shape for entry in shown.textures.values()] == [(4, 4, 3)]


def test_an_abandoned_job_leaves_what_it_waits_for():
    left = threading.Event()
    job = Job(lambda cancelled: left.wait(30), "test", left.set)

    job.abandon()

    assert job.wait(5)
    assert job.cancelled.is_set()


def test_an_abandoned_fit_has_nothing(device):
    plan = plan_of(request("Plate.Roughness"))
    plan.settings = replace(
        plan.settings, bounces=1, samples=1, max_iterations=10000, tolerance=1e-9
    )
    run = FitRun(plan, lambda: device)
    while run.latest is None:
        run.job.wait(0.01)

    run.job.abandon()

    assert run.job.wait(10)
    assert run.job.error is None
    assert run.job.result().reason == "cancelled"
    ones = weft.Tensor.from_numpy(device, np.ones(2, np.float32))  # the device goes on
    assert ones.to_numpy().tolist() == [1, 1]
