# SPDX-License-Identifier: Apache-2.0
"""append_to() records calls; submitting runs them in order, as often as wanted."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float next(float x) { return 2 * x + 1; }
void bump(uint3 thread : SV_DispatchThreadID, RWTensor<float, 1> values)
{
    values[thread.x] = values[thread.x] + 1;
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "recorded", SOURCE)


def test_recorded_calls_run_when_submitted_and_in_order(device, module):
    x, y, z = (Tensor.zeros(device, (4,), weft.float32) for _ in range(3))
    commands = device.create_command_encoder()
    module.next.append_to(commands, x, _result=y)
    module.next.append_to(commands, y, _result=z)

    before = z.numpy().copy()
    device.submit_command_buffer(commands.finish())

    assert np.array_equal(before, np.zeros(4))
    assert np.array_equal(z.numpy(), np.full(4, 3))


def test_a_recording_may_be_submitted_again(device, module):
    x = Tensor.zeros(device, (3,), weft.float32)
    commands = device.create_command_encoder()
    module.next.append_to(commands, x, _result=x)

    for _ in range(3):
        commands.submit()

    assert np.array_equal(x.numpy(), np.full(3, 7))


def test_dispatches_are_recorded_too(device, module):
    values = Tensor.zeros(device, (8,))
    commands = device.create_command_encoder()
    module.bump.dispatch(8, values, command_encoder=commands)

    commands.submit()

    assert np.array_equal(values.numpy(), np.ones(8))


def test_a_call_that_returns_a_value_cannot_be_recorded(device, module):
    commands = device.create_command_encoder()

    with pytest.raises(weft.ArgumentError, match=r"append_to: 'next'.*_result"):
        module.next.append_to(commands, Tensor.zeros(device, (2,)))
    with pytest.raises(weft.ArgumentError, match=r"append_to: 'next'"):
        module.next.append_to(commands, np.zeros(2), _result=Tensor.zeros(device, (2,)))
