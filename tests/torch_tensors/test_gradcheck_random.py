# SPDX-License-Identifier: Apache-2.0
"""Random differentiable functions in double through torch's own check of gradients."""

from __future__ import annotations

import random
import re

import pytest

import weft
from support import gradient_programs

torch = pytest.importorskip("torch", reason="torch is not installed")

# torch's own parts use what other parts call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

MAX_LINES = 22
"""As in tests/python/test_random_gradients.py: software Vulkan makes no kernel of longer ones."""


def draw(seed):
    return gradient_programs.draw(random.Random(seed), f"f{seed}")


SMOOTH = {"sin": "x / (1.0L + x * x)", "cos": "1.0L / (1.0L + x * x)"}
"""What stands for functions that SPIR-V has no double of."""
BOTH = """
[Differentiable] void smooth_sincos(double x, out double s, out double c)
{ s = smooth_sin(x); c = smooth_cos(x); }
"""


def in_double(text):
    """Return Slang text with doubles for floats; ``1.5f`` becomes ``1.5L``."""
    text = re.sub(r"(?<=[\d.])f\b", "L", re.sub(r"\bfloat", "double", text))
    text = re.sub(rf"\b({'|'.join(SMOOTH)})\(", r"smooth_\1(", text)
    stand_ins = (
        f"[Differentiable] double smooth_{name}(double x) {{ return {body}; }}\n"
        for name, body in SMOOTH.items()
    )
    return "".join(stand_ins) + BOTH + text.replace("sincos(", "smooth_sincos(")


LENGTHS = {seed: len(draw(seed).text.splitlines()) for seed in range(1000, 1080)}
SHORT = sorted(LENGTHS, key=LENGTHS.__getitem__)[:2]
SEEDS = SHORT + [
    pytest.param(seed, marks=[pytest.mark.full, pytest.mark.timeout(900)])
    for seed, lines in LENGTHS.items()
    if lines <= MAX_LINES and seed not in SHORT
]


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_random_functions_pass_gradcheck(device, seed):
    if not device.info.features.float64:
        pytest.skip("the device has no double")
    program = draw(seed)
    text = in_double(gradient_programs.module_text([program]))
    function = getattr(weft.Module.load_from_source(device, f"random_{seed}", text), program.name)
    inputs = [
        part.detach().requires_grad_()
        for part in torch.tensor(gradient_programs.point_of(seed)).double().split((8, 4, 4))
    ]

    def call(x, v, a):
        return function(x, v, {"a": a}, *program.bounds, _result="torch")

    assert torch.autograd.gradcheck(call, inputs, check_forward_ad=True)
    is_constant = torch.equal(call(*inputs), call(*(part * 2.0 for part in inputs)))
    gradients = torch.autograd.grad(call(*inputs), inputs)
    assert any(gradient.any() for gradient in gradients) != is_constant  # some return at once
