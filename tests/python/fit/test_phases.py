# SPDX-License-Identifier: Apache-2.0
"""The list of phases: order, progress, time left and state, with phases that take known times."""

from contextlib import contextmanager

import numpy as np
import pytest

from weft.fit import phases as phases_module
from weft.fit.phases import Phase, PhaseList
from weft.render.interrupt import Interrupted


class Clock:
    """Seconds that pass when a phase says so."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


class Interrupt:
    """Counts transitions."""

    @contextmanager
    def cancelled_by(self, event):
        yield


class Fake(Phase):
    """A phase of a known length, that may be wrong about it.

    Args:
        clock: That passes.
        kind: Of its iterations.
        length: Iterations that it takes.
        expected: That it believes it takes.
        cost: Seconds of each.
        needed: Whether it is needed.
    """

    def __init__(self, clock, kind, length, expected=None, cost=1.0, needed=True):
        super().__init__(f"{kind} {length}", kind)
        self.clock, self.length, self.cost = clock, length, cost
        self.expected, self.needed = expected or length, needed
        self.calls = []
        self.first = 0.0  # seconds more of the first iteration
        self.fails = False

    @property
    def is_needed(self):
        return self.needed

    @property
    def is_done(self):
        return self.iterations >= self.length

    @property
    def remaining(self):
        return 0 if self.is_done else max(self.expected - self.iterations, 1)

    def begin(self):
        self.calls.append("begin")

    def step(self):
        if self.fails:
            raise Interrupted
        self.calls.append("step")
        self.clock.now += self.cost + (0 if self.iterations else self.first)

    def end(self):
        self.calls.append("end")

    def state(self):
        return {"calls": np.array(len(self.calls))}

    def restore(self, saved):
        self.restored = int(saved["calls"])


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(phases_module, "time", clock)
    return clock


def run(steps):
    """Return the progress and the time left after each iteration."""
    steps.begin()
    seen = []
    while not steps.is_done:
        steps.step()
        seen.append((steps.progress, steps.seconds_left, steps.current.name))
    return seen


def test_phases_follow_each_other_and_those_with_nothing_to_do_are_left_out(clock):
    first, second = Fake(clock, "scalars", 2), Fake(clock, "textures", 3, needed=False)
    third = Fake(clock, "textures", 1)

    run(PhaseList([first, second, third], Interrupt()))

    assert first.calls == ["begin", "step", "step", "end"]
    assert second.calls == []
    assert third.calls == ["begin", "step", "end"]


def test_a_phase_that_is_done_when_it_begins_takes_no_iteration(clock):
    empty, other = Fake(clock, "scalars", 0), Fake(clock, "textures", 2)

    run(PhaseList([empty, other], Interrupt()))

    assert empty.calls == ["begin", "end"]
    assert other.calls == ["begin", "step", "step", "end"]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [((1, 1), (10, 20, 10)), ((1, 4), (10, 20, 10)), ((4, 1), (10, 20, 10)), ((1, 2), (8, 24, 12))],
)
def test_progress_is_near_the_fraction_of_the_time_and_1_at_the_end_only(clock, costs, expected):
    lengths, kinds = (10, 20, 10), ("scalars", "textures", "scalars")
    steps = PhaseList(
        [
            Fake(clock, kind, length, guess, costs[kind == "textures"])
            for kind, length, guess in zip(kinds, lengths, expected, strict=True)
        ],
        Interrupt(),
    )
    steps.begin()
    found = []
    while not steps.is_done:
        steps.step()
        found.append((clock.now, steps.progress, steps.seconds_left))
    times, progress, left = np.array(found).T

    # Before textures were timed nobody knows what they cost.
    known = times > 10 * costs[0]
    assert np.abs(progress - times / times[-1])[known].max() < 0.15
    assert (progress[:-1] < 1).all()
    assert progress[-1] == 1
    assert left[-1] == 0
    assert np.isinf(left[0])
    assert left[20] == pytest.approx(times[-1] - times[20], rel=0.4)


def test_the_first_iteration_which_compiles_tells_nothing_of_the_others(clock):
    phase = Fake(clock, "scalars", 10)
    phase.first = 100.0

    seen = run(PhaseList([phase], Interrupt()))

    assert seen[4][0] == pytest.approx(0.5)
    assert seen[4][1] == pytest.approx(5.0)


def test_an_iteration_that_was_given_up_leaves_no_trace(clock):
    phase = Fake(clock, "scalars", 3)
    steps = PhaseList([phase], Interrupt())
    steps.begin()
    steps.step()
    before, phase.fails = steps.progress, True

    with pytest.raises(Interrupted):
        steps.step()

    assert phase.iterations == 1
    assert steps.progress == before


def test_a_list_goes_on_where_another_one_was(clock):
    def build():
        return PhaseList([Fake(clock, "scalars", 2), Fake(clock, "textures", 4)], Interrupt())

    steps, other = build(), build()
    steps.begin()
    for _ in range(3):
        steps.step()

    other.restore(steps.state())

    assert other.current.name == steps.current.name == "textures 4"
    assert other.current.restored == len(steps.current.calls)
    assert other.progress == steps.progress
    assert other.seconds_left == steps.seconds_left
