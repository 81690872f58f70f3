# SPDX-License-Identifier: Apache-2.0
"""Scene files and jobs that nobody meant: each is refused by one clear message."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

import weft
from weft.fit.job_file import read_job_text
from weft.scene import Camera, ColorAttribute, Scene, UVSet
from weft.scene.files import TEXT

LONGEST = 1000


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "scene.weft"
    Scene(cameras=[Camera(4, 4)]).save(path)
    return path.read_bytes()


def changed(content, change):
    """The scene file whose JSON went through `change`."""
    output = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(output, "w") as target,
    ):
        for name in source.namelist():
            data = source.read(name)
            if name == TEXT:
                described = change(json.loads(data))
                data = described if isinstance(described, bytes) else json.dumps(described)
            target.writestr(name, data)
    return output.getvalue()


def with_key(described):
    described["scene"]["colour_of_love"] = 3
    return described


def with_field(described):
    described["objects"][0]["fields"]["colour_of_love"] = 3
    return described


def with_reference(number):
    def change(described):
        described["scene"]["cameras"] = [{"ref": number}]
        return described

    return change


def deep(described):
    return b'{"weft": "scene", "version": 1, "objects": ' + b"[" * 5000 + b"]" * 5000 + b"}"


CHANGES = {
    "unknown key of the scene": with_key,
    "unknown key of an object": with_field,
    **{
        f"reference {number!r}": with_reference(number)
        for number in (-1, -2, 99, 1 << 70, True, 0.0, "0", None, [0], {"ref": 0})
    },
    "5,000 brackets": deep,
    "no dict": lambda described: [described],
    "no objects": lambda described: {"weft": "scene", "version": 1},
    "text for a version": lambda described: {**described, "version": "new" * 100_000},
    "a class that is none": lambda described: {**described, "objects": [{"type": "os.system"}]},
    "a long key": lambda described: {**described, "scene": {"x" * 3_000_000: 1}},
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_scenes_are_refused(whole, tmp_path, name):
    path = tmp_path / "changed.weft"
    path.write_bytes(changed(whole, CHANGES[name]))

    with pytest.raises(weft.ArgumentError, match=r"Scene\.load: .*changed\.weft") as caught:
        Scene.load(path)
    assert type(caught.value) is weft.ArgumentError
    assert len(str(caught.value)) < 20_000


def test_every_flipped_bit_of_a_scene_is_harmless_or_refused(whole, tmp_path):
    path = tmp_path / "flipped.weft"
    bits = np.random.default_rng(0).integers(0, len(whole) * 8, 1000).tolist()
    longest = 0
    for bit in bits:
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        try:
            Scene.load(path)
        except weft.ArgumentError as error:
            longest = max(longest, len(str(error)))
    assert 0 < longest < LONGEST


@pytest.mark.parametrize("index", ["x", -1, 1.0, None, True, 1 << 40, "y" * 100_000])
@pytest.mark.parametrize("kind", [UVSet, ColorAttribute])
def test_positions_of_attributes_are_integers_from_0(kind, index):
    with pytest.raises(weft.ArgumentError, match=rf"{kind.__name__}: the index must be") as caught:
        kind(index)
    assert len(str(caught.value)) < LONGEST


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "{a=" * 5000 + "1" + "}" * 5000,
        "x" + ".x" * 5000 + " = 1",
        "scene = " + repr("y" * 3_000_000).replace("'", '"') + "\n[settings]\nsamples = 'z'",
        "scene = " + "1" * 4000,
        "scene = " + "1" * 9000,
        "scene = 's'\n[settings]\nsamples = [" + "1, " * 100_000 + "]",
    ],
    ids=["arrays", "tables", "dotted", "long text", "long number", "longer number", "long list"],
)
def test_jobs_that_nobody_meant_are_refused(tmp_path, text):
    path = tmp_path / "job.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(weft.ArgumentError, match=r"job\.toml") as caught:
        read_job_text(path)
    assert len(str(caught.value)) < LONGEST
