# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of fits: what goes on from one, and what is refused."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Exposure, Fit, FitSettings, Parameter, Target, TextureParameter
from weft.fit.checkpoint import FORMAT, fingerprint
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

SIZE = 24
SETTINGS = FitSettings(
    bounces=2, samples=4, texture_iterations=12, max_iterations=8, tolerance=1e-6
)


def scene_with(roughness):
    texture = Texture(np.full((8, 8, 3), 0.5, np.float32), wrap="extend")
    plate = principled("plate", base_color=texture, roughness=roughness)
    sky = np.full((8, 16, 3), 0.6, np.float32)
    sky[1:3, 4:7] = 12
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    return weft.Scene([placed(quad(), plate)], cameras=[camera], environment=Environment(sky))


@pytest.fixture(scope="module")
def photo(device):
    settings = PathSettings(samples=64, bounces=2, seed=8)
    return weft.Renderer(device, scene_with(0.4)).render(settings=settings)


KINDS = {
    "numbers": [Parameter("plate.roughness"), Exposure()],
    "textures": [TextureParameter("plate.base_color")],
    "both": [Parameter("plate.roughness"), TextureParameter("plate.base_color")],
}


def fit_of(device, photo, kind="numbers", settings=SETTINGS):
    return Fit(scene_with(0.7), [Target(photo)], KINDS[kind], settings, device=device)


def assert_same(first, second, kind):
    """Check that two fits have found the same: bit by bit where no gradients are added up."""
    for name, value in first.values.items():
        if kind == "numbers":
            np.testing.assert_array_equal(second.values[name], value)
            np.testing.assert_array_equal(second.errors[name], first.errors[name])
        else:
            np.testing.assert_allclose(second.values[name], value, rtol=1e-3)
    for name, texture in first.textures.items():
        np.testing.assert_allclose(second.textures[name].pixels, texture.pixels, atol=2e-3)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_goes_on_as_if_it_had_not_ended(device, photo, tmp_path, kind):
    whole = fit_of(device, photo, kind)
    for _ in range(3):
        whole.step()
    whole.save_checkpoint(tmp_path / "fit.npz")
    for _ in range(5):
        whole.step()
    resumed = fit_of(device, photo, kind)

    resumed.resume(tmp_path / "fit.npz")
    assert len(resumed.history) == 3
    for _ in range(5):
        resumed.step()

    first, second = whole.result("iterations"), resumed.result("iterations")
    assert_same(first, second, kind)
    assert [entry.loss for entry in first.history][:3] == [entry.loss for entry in second.history][
        :3
    ]
    assert second.history[-1].iterations == 8
    kept = ("fraction", "noise_floor", "seconds_left", "phase", "seconds")
    for before, after in zip(first.history[:3], second.history[:3], strict=True):
        assert [getattr(before, name) for name in kept] == [getattr(after, name) for name in kept]
    fractions = [entry.fraction for entry in second.history]
    assert fractions == sorted(fractions)


class SetDuring:
    """An event that is set when it was looked at so many times after so many steps."""

    def __init__(self, steps, looks):
        self.steps, self.looks = steps, looks

    def __call__(self, _update):
        """Count a step: `progress` of a fit."""
        self.steps -= 1

    def is_set(self):
        self.looks -= self.steps <= 0
        return self.looks < 0


@pytest.mark.sweep(3)
@pytest.mark.parametrize("looks", [1, 3])
@pytest.mark.parametrize(
    ("kind", "steps"),
    [("numbers", 0), ("numbers", 2), ("textures", 0), ("textures", 1), ("both", 0), ("both", 1)],
)
def test_a_draw_that_was_given_up_leaves_no_trace(device, photo, tmp_path, kind, steps, looks):
    pytest.importorskip("OpenImageIO")  # writes the report
    settings = replace(SETTINGS, texture_iterations=3, max_iterations=6)
    whole = fit_of(device, photo, kind, settings).run()
    stopped = fit_of(device, photo, kind, settings)

    cancel = SetDuring(steps, looks)
    early = stopped.run(cancel, cancel)
    stopped.save_checkpoint(tmp_path / "fit.npz")
    resumed = fit_of(device, photo, kind, settings)
    resumed.resume(tmp_path / "fit.npz")

    assert (early.reason, len(early.history)) == ("cancelled", steps)
    assert early.save_report(tmp_path / "report", samples=1)["draws"] == steps
    for fit in (stopped, resumed):
        later = fit.run()
        assert len(later.history) == len(whole.history)
        assert_same(whole, later, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_step_that_failed_selects_no_pixels_again(device, photo, tmp_path, kind):
    settings = replace(SETTINGS, texture_iterations=3, max_iterations=6)
    whole = fit_of(device, photo, kind, settings).run()
    stopped = stopped_in_the_first_step(device, photo, kind, settings)
    stopped.save_checkpoint(tmp_path / "fit.npz")
    resumed = fit_of(device, photo, kind, settings)

    resumed.resume(tmp_path / "fit.npz")

    assert_same(whole, resumed.run(), kind)


def stopped_in_the_first_step(device, photo, kind, settings):
    """Return a fit whose pixels are selected, and that has made no step."""
    for looks in range(1, 200):
        fit = fit_of(device, photo, kind, settings)
        cancel = SetDuring(0, looks)
        assert fit.run(cancel, cancel).history == []
        has_begun = fit.stage.save()["phases.phase"][1]
        if has_begun:
            return fit
    pytest.fail("no step was given up")


def test_a_checkpoint_of_another_fit_is_refused(device, photo, tmp_path):
    fit = fit_of(device, photo)
    fit.step()
    fit.save_checkpoint(tmp_path / "fit.npz")
    other = FitSettings(bounces=2, samples=4, seed=1)

    with pytest.raises(weft.ArgumentError, match="belongs to another fit"):
        fit_of(device, photo, settings=other).resume(tmp_path / "fit.npz")
    with pytest.raises(weft.ArgumentError, match="belongs to another fit"):
        fit_of(device, photo * 2).resume(tmp_path / "fit.npz")


def about(**changes):
    """What a fingerprint is of."""
    image = np.full((3, 4, 3), 0.5, np.float32)
    target = {"image": image, "camera": 0, "mask": np.ones((3, 4), np.float32), "name": "photo"}
    target |= changes.pop("target", {})
    scene = scene_with(changes.pop("roughness", 0.7))
    scene.cameras.append(replace(scene.cameras[0], name="other"))
    return SimpleNamespace(
        renderer=SimpleNamespace(scene=scene),
        targets=[Target(target.pop("image"), **target)],
        lighting=SimpleNamespace(scenes=[scene]),
        parameters=changes.pop("parameters", KINDS["numbers"]),
        settings=replace(SETTINGS, **changes),
    )


MASK = np.ones((3, 4), np.float32)
MASK[1, 2] = 0.5
BRIGHTER = np.full((3, 4, 3), 0.5, np.float32)
BRIGHTER[2, 3, 1] = 0.6
DIFFERENCES = {
    "scene": {"roughness": 0.6},
    "image": {"target": {"image": BRIGHTER}},
    "mask": {"target": {"mask": MASK}},
    "saturation": {"target": {"image": BRIGHTER, "saturation": 0.6}},
    "camera": {"target": {"camera": 1}},
    "target's name": {"target": {"name": "other"}},
    "parameters": {"parameters": KINDS["both"]},
    "bounds": {"parameters": [Parameter("plate.roughness", bounds=(0.1, 0.9)), Exposure()]},
    "samples": {"samples": 5},
    "bounces": {"bounces": 3},
    "seed": {"seed": 7},
}


def test_each_thing_that_a_fit_is_about_has_a_fingerprint_of_its_own():
    found = {name: fingerprint(about(**changes)) for name, changes in DIFFERENCES.items()}

    assert len({fingerprint(about()), *found.values()}) == len(DIFFERENCES) + 1


@pytest.mark.parametrize("changes", [{"max_iterations": 99}, {"time_limit": 5.0}])
def test_how_long_a_fit_may_take_is_not_part_of_it(changes):
    assert fingerprint(about(**changes)) == fingerprint(about())


@pytest.mark.parametrize("version", [5, FORMAT - 1, FORMAT + 1])
def test_a_checkpoint_of_another_version_is_refused_in_a_sentence(device, photo, tmp_path, version):
    fit = fit_of(device, photo)
    fit.step()
    fit.save_checkpoint(tmp_path / "fit.npz")
    with np.load(tmp_path / "fit.npz") as saved:
        other = {name: saved[name] for name in saved.files} | {"format": np.array(version)}
    np.savez(tmp_path / "other.npz", **other)

    with pytest.raises(weft.ArgumentError, match="no checkpoint of this version of Weft; start"):
        fit.resume(tmp_path / "other.npz")


def test_damaged_checkpoints_are_refused(device, photo, tmp_path):
    fit = fit_of(device, photo)
    fit.step()
    fit.save_checkpoint(tmp_path / "fit.npz")
    whole = (tmp_path / "fit.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.npz").write_bytes(b"")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))

    for name in ("half", "empty", "other"):
        with pytest.raises(weft.ArgumentError, match="no checkpoint"):
            fit.resume(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError):
        fit.resume(tmp_path / "absent.npz")
    assert [entry.name for entry in tmp_path.iterdir() if entry.suffix == ".tmp"] == []
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []
