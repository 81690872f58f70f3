# SPDX-License-Identifier: Apache-2.0
"""What programs do with Weft, each with a check: where one call of the world outside may fail."""

from __future__ import annotations

import gc
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from support.render_scenes import lambert, placed, quad
from weft import Tensor
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """
float add(float a, float b) { return a + b; }
[Differentiable] float square(float x) { return x * x; }
"""

NUMBERS = itertools.count(1)
"""Makes sources that no cache knows."""


def scene_with(color: tuple[float, float, float]) -> Scene:
    """A square seen from above."""
    place = np.column_stack([np.eye(3), [0, 0, 3]])
    camera = Camera(8, 8, "orthographic", scale=1.5, transform=place)
    return Scene(
        [placed(quad(), lambert(color, "plate"), name="plate")],
        cameras=[camera],
        environment=Environment(np.ones(3)),
    )


class Workplace:
    """A device with a module, made again where a fault was its end.

    Args:
        folder: For files.
        renders: There is a renderer, too; its kernels take seconds to compile.
    """

    def __init__(self, folder: Path, renders: bool) -> None:
        """Make both."""
        self.folder, self.renders = folder, renders
        self.renew()

    def renew(self) -> None:
        """Make another device; the old one may be of no use any more."""
        self.device = weft.create_device(type="vulkan")
        self.module = weft.Module.load_from_source(self.device, "m", SOURCE)
        self.path = self.folder / "reloaded.slang"
        self.path.write_text("float f(float x) { return x; }")
        self.reloaded = weft.Module.load_from_file(self.device, self.path, hot_reload=False)
        if self.renders:
            self.renderer = weft.Renderer(self.device, scene_with((0.5, 0.5, 0.5)))
            self.photo = self.renderer.render(settings=PathSettings(samples=4, bounces=1))
        self.tensor = Tensor.from_numpy(self.device, np.arange(6, dtype=np.float32).reshape(2, 3))


def create(_place: Workplace) -> None:
    with weft.create_device(type="vulkan") as device:
        assert Tensor.full(device, (3,), 2).numpy().tolist() == [2, 2, 2]


def load(place: Workplace) -> None:
    number = next(NUMBERS)
    source = f"float times(float x) {{ return x * {number}; }}"
    module = weft.Module.load_from_source(place.device, "new", source)
    assert [parameter.name for parameter in module.times.signature.parameters] == ["x"]


def first_call(place: Workplace) -> None:
    number = next(NUMBERS)
    source = f"float times(float x) {{ return x * {number}; }}"
    module = weft.Module.load_from_source(place.device, "new", source)
    assert module.times(np.array([1, 2], np.float32)).numpy().tolist() == [number, 2 * number]


def call(place: Workplace) -> None:
    result = place.module.add(np.array([1, 2, 3], np.float32), 1.0, _result="numpy")
    assert result.tolist() == [2, 3, 4]


def call_on_large_arrays(place: Workplace) -> None:
    values = np.arange(1 << 16, dtype=np.float32)  # used where they are, if the driver lets it
    result = np.zeros_like(values)
    place.module.add(values, 1.0, _result=result)
    assert np.array_equal(result, values + 1)
    assert np.array_equal(place.module.add(values, 2.0, _result="numpy"), values + 2)


def call_with_tensors(place: Workplace) -> None:
    result = place.tensor
    for _ in range(40):
        result = place.module.add(result, 1.0)
    assert result.numpy().tolist() == [[40, 41, 42], [43, 44, 45]]


def backward(place: Workplace) -> None:
    x = Tensor.from_numpy(place.device, np.array([1, 2, 3], np.float32)).with_grads()
    y = Tensor.zeros(place.device, (3,)).with_grads()
    y.grad.copy_from_numpy(np.ones(3, np.float32))
    place.module.square.bwds(x, _result=y)
    assert x.grad.numpy().tolist() == [2, 4, 6]


def copy(place: Workplace) -> None:
    values = np.arange(3 << 20, dtype=np.float32)  # more than a piece of the upload ring
    tensor = Tensor.empty(place.device, values.shape)
    tensor.copy_from_numpy(values)
    assert np.array_equal(tensor.numpy(), values)
    assert place.tensor[:, 1].numpy().tolist() == [1, 4]


def reduce(place: Workplace) -> None:
    assert weft.sum(place.tensor) == 15
    assert weft.max(place.tensor) == 5


def reload(place: Workplace) -> None:
    number = next(NUMBERS)
    place.path.write_text(f"float f(float x) {{ return x * {number}; }}")
    place.reloaded.reload()
    assert place.reloaded.f(2.0) == 2 * number


def cache(place: Workplace) -> None:
    with weft.create_device(type="vulkan", cache_directory=place.folder / "cache") as device:
        module = weft.Module.load_from_source(device, "cached", SOURCE)
        assert module.add(1.0, 2.0) == 3.0


def render(place: Workplace) -> None:
    picture = place.renderer.render(settings=PathSettings(samples=4, bounces=1))
    np.testing.assert_allclose(picture, place.photo, rtol=1e-5)


def fit(place: Workplace) -> None:
    settings = FitSettings(bounces=1, samples=4, max_iterations=3, tolerance=1e-9)
    fit = Fit(
        scene_with((0.4, 0.4, 0.4)),
        [Target(place.photo)],
        [Parameter("plate.color")],
        settings,
        device=place.device,
    )
    result = fit.run()
    path = place.folder / "fit.npz"
    fit.save_checkpoint(path)
    assert np.all(np.abs(result.values["plate.color"] - 0.5) < 0.2)
    assert path.stat().st_size > 0


SCENARIOS = (
    create,
    load,
    first_call,
    call,
    call_on_large_arrays,
    call_with_tensors,
    backward,
    copy,
    reduce,
    reload,
    cache,
    render,
    fit,
)
RENDERING = (render, fit)
KINDS = ("driver", "file", "process")


class Leftovers:
    """What a process holds."""

    def __init__(self, device: weft.Device) -> None:
        """Count it."""
        gc.collect()
        device.wait()
        self.buffers = device.memory_info().live_buffers
        self.files = len(list(Path("/proc/self/fd").iterdir()))
        tasks = Path("/proc/self/task").glob("*/children")
        self.children = len([word for task in tasks for word in task.read_text().split()])

    def __repr__(self) -> str:
        """Say it."""
        return f"{self.buffers} buffers, {self.files} files, {self.children} children"


def count_calls(place: Workplace, scenario: Callable[[Workplace], None], kind: str) -> int:
    """Return how many calls of a kind a scenario makes."""
    weft._native._arm_fault(kind, 0)
    scenario(place)
    return int(weft._native._counted_calls(kind))


def is_typed(error: BaseException) -> bool:
    """Say whether an error is one that docs/errors.md promises."""
    return isinstance(error, weft.Error | FileNotFoundError) and not isinstance(
        error, weft.InternalError
    )


def fail_once(
    place: Workplace, scenario: Callable[[Workplace], None], kind: str, number: int
) -> str | None:
    """Let one call fail; return what is wrong with what followed, None if nothing is."""
    weft._native._arm_fault(kind, number)
    error: Any = None
    try:
        scenario(place)
    except Exception as caught:
        error = caught
    weft._native._arm_fault(kind, 0)
    if error is not None and not is_typed(error):
        return f"{type(error).__name__}: {error}"
    is_lost = error is not None and "create a new device" in str(error)
    del error
    if is_lost:
        place.renew()
    try:
        scenario(place)
    except Exception as caught:
        if "create a new device" not in str(caught):
            return f"afterwards {type(caught).__name__}: {caught}"
        place.renew()
        scenario(place)
    return None


def sweep(
    place: Workplace, scenario: Callable[[Workplace], None], kind: str, most: int
) -> list[str]:
    """Let calls fail one after the other, at most so many of them; return what went wrong."""
    scenario(place)
    count = count_calls(place, scenario, kind)
    before = Leftovers(place.device)
    device = place.device
    steps = range(1, count + 1, max(1, -(-count // most)))
    wrong = []
    for number in steps:
        found = fail_once(place, scenario, kind, number)
        if found is not None:
            wrong.append(f"{scenario.__name__}: {kind} call {number} of {count}: {found}")
    after = Leftovers(place.device)
    if place.device is device and (
        after.buffers > before.buffers + 4 or after.files > before.files + 2
    ):
        wrong.append(f"{scenario.__name__}: {kind}: {before} became {after}")
    return wrong
