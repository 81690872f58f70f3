# SPDX-License-Identifier: Apache-2.0
"""A script of a user passes mypy --strict, and one that is wrong does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft

PACKAGE = Path(weft.__file__).resolve().parents[1]

RIGHT = """
import enum
from pathlib import Path

import numpy as np
import weft

device: weft.Device = weft.create_device(include_paths=["shaders"], defines={"COUNT": 4})
module = weft.Module.load_from_source(device, "script", "float f(float x) { return x; }")
same = device.load_module(Path("script.slang"), {"defines": {"N": 3}}, [module], hot_reload=False)
function: weft.Function | None = module.find_function("f")
required: weft.Function = module.require_function("f").map((0,)).set({"scale": 2.0})
mapped: weft.Function = required.map(x=(0, 1)).map(weft.float3).map(np.float32).return_type("numpy")
typed: weft.Function = required.return_type(np.ndarray).return_type(weft.Tensor)
kernel: weft.Function = required.constants({"N": 3, "k": [1.0, 2.0]}).thread_group_size((8, 8))
x = weft.Tensor.from_numpy(device, np.arange(4, dtype=np.float32)).with_grads()
shape: tuple[int, ...] = x.shape
is_float: bool = x.dtype == np.float32
part: weft.Tensor = x[1:3]
corner: weft.Tensor = x[..., None, 0]
x[0] = 1.0
x[:] = [1, 2, 3, 4]
x[1:3] = part
total: float = weft.sum(x)
rows: weft.Tensor = weft.sum(x, axis=0)
both: weft.Tensor = weft.max(x, axis=(0, 1), keepdims=True)
close: bool = weft.all(x) and weft.all_close(x, x)
color: weft.Vector = weft.float3(1, 2, 3) * 2 + weft.float3(0.5)
red = color.r
required(x, _result=x)
required.bwds(x, _result=x)
required.append_to(device.create_command_encoder(), x, _result=x)
zeros = weft.Tensor.zeros(device, (2, 3), weft.float3)
more = [weft.Tensor.full(device, 3, 1.5, kind) for kind in (float, "half", np.int8, weft.uint)]
name: str = module.name
numbers: np.ndarray = x.to_numpy()
element: weft.Type | None = weft.float3.element
places = weft.grid((4, 4), offset=1, stride=(2, 2))
solver = weft.optim.Adam([x], 0.1)
weights = weft.mlp.create_weights(device, 2, 1, dtype=weft.half)
with weft.create_device("vulkan") as other:
    free: int = other.memory_info().available
for row in x.reshape(2, 2).transpose(1, 0):
    value: float = float(row[0])
for info in module.functions:
    kinds: list[weft.Type] = [entry.type for entry in info.parameters]
for member in weft.TypeKind:
    assert isinstance(member, enum.Enum)
gradients = weft.value_and_grad(required)(x)[1]
try:
    module.f("one")
except weft.CompileError as error:
    lines: list[int] = [entry.line for entry in error.diagnostics]
"""

WRONG = {
    "device.load_module_from_source('m', 3)": "arg-type",
    "device.load_module(3)": "arg-type",
    "device.absent": "attr-defined",
    "weft.absent": "attr-defined",
    "weft.mlp.absent": "attr-defined",
    "len(device)": "arg-type",
    "weft.create_device(adapter='first')": "arg-type",
    "weft.create_device(include_paths=3)": "arg-type",
    "weft.create_device(nonsense=True)": "call-arg",
    "weft.Tensor.zeros(3, (2,))": "arg-type",
    "weft.Tensor.zeros(device, (2.5,))": "arg-type",
    "weft.Tensor.zeros(device, (2,), 3)": "arg-type",
    "tensor['x']": "index",
    "tensor.shape[0].upper()": "attr-defined",
    "tensor.grad.shape": "union-attr",
    "tensor.dtype.element.name": "union-attr",
    "tensor.copy_from_numpy(object())": "arg-type",
    "weft.sum(tensor).shape": "attr-defined",
    "weft.sum(tensor, axis='x')": "arg-type",
    "weft.grid('x', 3.5)": "arg-type",
    "weft.float3(1).q": "attr-defined",
    "module.find_function('f')(1)": "misc",
    "module.require_function('f').absent": "attr-defined",
    "module.require_function('f').map(object())": "arg-type",
    "module.require_function('f').return_type(3)": "arg-type",
    "module.name + 1": "operator",
}


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Runs mypy --strict on a script; its messages by line, 1-based."""
    folder = tmp_path_factory.mktemp("scripts")
    is_installed = "site-packages" in PACKAGE.parts
    stage = Path(weft.__file__).parents[1]
    path = {} if is_installed else {"MYPYPATH": str(stage)}

    def run(source: str) -> dict[int, str]:
        (folder / "script.py").write_text(source, encoding="utf-8")
        options = ["--strict", "--config-file=", "--no-error-summary", "--python-version=3.12"]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *options, "script.py"],
            cwd=folder,
            env=os.environ | path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        messages: dict[int, str] = {}
        for line in done.stdout.splitlines():
            place, _, text = line.partition(": error: ")
            assert not place.endswith("script.py"), line
            if place.startswith("script.py:"):
                number = int(place.split(":")[1])
                messages[number] = messages.get(number, "") + text
        return messages

    return run


@pytest.mark.full
@pytest.mark.slow
def test_a_right_script_passes(check):
    assert check(RIGHT) == {}


@pytest.mark.slow
def test_wrong_lines_are_found(check):
    start = [
        "import weft",
        "device = weft.create_device()",
        "module = weft.Module.load_from_source(device, 'm', '')",
        "tensor = weft.Tensor(device)",
    ]
    messages = check("\n".join([*start, *WRONG]) + "\n")

    found = {
        line: messages.get(number, "no error")
        for number, line in enumerate(WRONG, start=len(start) + 1)
    }
    missed = {line: found[line] for line, code in WRONG.items() if f"[{code}]" not in found[line]}
    assert missed == {}
