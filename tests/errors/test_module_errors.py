# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
"""Messages about uncallable functions, uniforms, constants, dispatch and closed devices."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
uniform float gain;
uniform float offsets[3];
extern static const int kSteps = 1;
float amplify(float x) { return x * gain; }
float shifted(float x) { return x + offsets[1]; }
float climb(float x) { return x + kSteps; }
struct Item { float weight; float weigh() { return weight; } };
float heavy(Item item) { return item.weight; }
[numthreads(32, 1, 1)] void fill(RWTensor<float, 1> t, float value, uint3 id : SV_DispatchThreadID)
{
    if (id.x < t.shape[0]) t[id.x] = value;
}
"""

PUBLIC = """
module guarded;
public float open(float x) { return hidden(x) + 1; }
float hidden(float x) { return 2 * x; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "module_errors", SOURCE)


@pytest.fixture(scope="module")
def guarded(device):
    return weft.Module.load_from_source(device, "guarded_functions", PUBLIC)


def assert_raises(kind, text, action):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)) as caught:
        action()
    assert isinstance(caught.value, kind)
    assert not isinstance(caught.value, weft.InternalError)


def test_public_functions_of_a_declared_module_are_called(guarded):
    assert guarded.open(3.0) == 7.0


def test_functions_that_are_not_public_say_so(guarded):
    assert_raises(ValueError, "hidden: it is not public", lambda: guarded.hidden(3.0))
    assert_raises(ValueError, "write 'public' in front of it", lambda: guarded.hidden(np.ones(3)))


def test_set_knows_the_uniforms_of_the_module(module):
    assert_raises(
        AttributeError,
        "set: module 'module_errors' declares no uniform 'gian'. Did you mean 'gain'",
        lambda: module.amplify.set(gian=2.0),
    )
    assert_raises(
        AttributeError,
        "declares no uniform 'offset'. Did you mean 'offsets'",
        lambda: module.amplify.set({"gain": 1.0, "offset": 3}),
    )
    assert_raises(
        TypeError, "has a key of type int; keys are names", lambda: module.amplify.set({1: 2})
    )


def test_set_takes_uniforms_of_imported_files(device, tmp_path):
    (tmp_path / "tuning.slang").write_text(
        "uniform float level; float tuned(float x) { return x * level; }"
    )
    (tmp_path / "user.slang").write_text("import tuning; float use(float x) { return tuned(x); }")
    module = weft.Module.load_from_file(device, tmp_path / "user.slang", hot_reload=False)

    assert module.use.set(level=4.0)(2.0) == 8.0
    assert_raises(AttributeError, "no uniform 'levle'", lambda: module.use.set(levle=4.0))


def test_constants_are_checked_when_they_are_named(module):
    assert_raises(
        AttributeError,
        "constants: module 'module_errors' declares no 'extern static const ... kStep'. Did you mean 'kSteps'",
        lambda: module.climb.constants({"kStep": 2}),
    )


def test_a_constant_may_be_set_again(module):
    assert module.climb.constants({"kSteps": 2}).constants({"kSteps": 5})(1.0) == 6.0


def test_dispatch_passes_arguments_whole(module, device):
    target = Tensor.zeros(device, (4,))

    assert_raises(
        ValueError,
        "dispatch() passes arguments whole, but it would be split over (3,); take it as a Tensor parameter in Slang",
        lambda: module.fill.dispatch(4, target, Tensor.zeros(device, (3,))),
    )
    assert_raises(
        TypeError,
        "fill.dispatch: thread_count is missing; pass the number of threads",
        lambda: module.fill.dispatch(),
    )
    module.fill.dispatch(4, target, 2.5)
    assert target.numpy().tolist() == [2.5] * 4
    module.fill.dispatch(t=target, value=1.5, thread_count=4)
    assert target.numpy().tolist() == [1.5] * 4


@pytest.mark.parametrize(
    ("threads", "text"),
    [
        (0, "must be 1 to"),
        ((1, 2, 3, 4), "has 4 entries"),
        (2.5, "must be an integer or up to three of them, got float"),
        ((8, -1), "got -1"),
    ],
)
def test_thread_counts_are_checked(module, device, threads, text):
    assert_raises(
        ValueError, text, lambda: module.fill.dispatch(threads, Tensor.zeros(device, (4,)), 1.0)
    )


def test_append_to_takes_an_encoder_first(module, device):
    encoder = device.create_command_encoder()
    target = Tensor.zeros(device, ())

    assert_raises(
        TypeError,
        "command_encoder must be a weft.CommandEncoder, got float",
        lambda: module.climb.append_to(1.0),
    )
    assert_raises(TypeError, "command_encoder is missing", lambda: module.climb.append_to())
    assert_raises(TypeError, "command_encoder is missing", lambda: module.climb.append_to(x=1.0))
    module.climb.append_to(command_encoder=encoder, x=1.0, _result=target)
    encoder.submit()
    assert target.item() == 2.0


def test_include_paths_are_a_list():
    assert_raises(
        TypeError,
        "create_device: include_paths must be a list of folders, got str",
        lambda: weft.create_device(include_paths="shaders"),
    )


def closed_device_actions(device):
    """Everything that a closed device cannot do, by name."""
    module = weft.Module.load_from_source(device, "closed", SOURCE)
    tensor = Tensor.from_numpy(device, np.ones((4, 4), np.float32))
    encoder = device.create_command_encoder()
    bound = module.climb
    bound(tensor)
    device.close()
    return {
        "call": lambda: bound(tensor),
        "call of a number": lambda: bound(1.0),
        "call that compiles": lambda: module.heavy({"weight": 1.0}),
        "call with arrays": lambda: bound(np.ones(3)),
        "append": lambda: (bound.append_to(encoder, tensor, _result=tensor), encoder.submit()),
        "dispatch": lambda: module.fill.dispatch(4, tensor[0], 1.0),
        "load a module": lambda: weft.Module.load_from_source(
            device, "late", "float f() { return 1; }"
        ).f(),
        "read": tensor.numpy,
        "read a view": tensor.T.numpy,
        "write": lambda: tensor.copy_from_numpy(np.zeros((4, 4))),
        "fill": lambda: tensor.fill(1),
        "clear": tensor.clear,
        "copy": tensor.T.contiguous,
        "convert": lambda: tensor.astype(int),
        "print": lambda: str(tensor),
        "reduce": lambda: weft.sum(tensor),
        "make": lambda: Tensor.zeros(device, (2,)),
        "export": tensor.__dlpack__,
        "wait": device.wait,
    }


def test_a_closed_device_is_named_by_everything(fresh_device):
    for name, action in closed_device_actions(fresh_device).items():
        with pytest.raises(weft.DeviceError, match="closed") as caught:
            action()
        assert not isinstance(caught.value, weft.InternalError), name


def test_what_needs_no_device_works_after_it_is_closed(fresh_device):
    module = weft.Module.load_from_source(fresh_device, "closed_reflection", SOURCE)
    tensor = Tensor.zeros(fresh_device, (4, 4))
    fresh_device.close()

    assert tensor.shape == (4, 4)
    assert "shape=(4, 4)" in repr(tensor)
    assert module.functions[0].name == "amplify"
    fresh_device.close()
