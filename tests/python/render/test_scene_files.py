# SPDX-License-Identifier: Apache-2.0
"""Scenes as files."""

import json
import zipfile

import numpy as np
import pytest

import weft
from support.render_scenes import dark_lights, lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.scene import (
    Add,
    Attribute,
    Bump,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    Mix,
    NormalMap,
    Scene,
    SlangCall,
    Texture,
    UVSet,
    principled,
)

WAVE = "[Differentiable] float wave(float2 uv, float n) { return 0.5f + 0.5f * sin(n * uv.x); }"


def everything():
    """A scene with one of each kind of thing."""
    texture = Texture(np.random.default_rng(0).random((4, 4, 3)), "mirror", uv=UVSet(0))
    call = SlangCall("wave", WAVE, {"uv": Attribute.UV, "n": 9.0})
    mixed = Material("mixed", Mix(Closure("diffuse", color=texture), Closure("none"), call))
    shining = Material("shining", Add(Closure("emission", strength=0.5), Closure("none")))
    ball = sphere(0.5, 8)
    bump = Bump(texture, 0.8, 0.01, NormalMap(texture, 0.5), step=0.01)
    gloss = principled("gloss", roughness=0.4, normal=bump, distribution="ggx")
    return Scene(
        [
            placed(quad(4), mixed, name="floor"),
            placed(ball, gloss, move=(-0.6, 0, 0.5)),
            placed(ball, shining, move=(0.6, 0, 0.5)),
        ],
        dark_lights(),
        [Camera(8, 6, transform=Camera.look_at((0, -4, 2), (0, 0, 0.3)), name="front")],
        Environment(np.random.default_rng(1).random((4, 8, 3)), strength=(1.0, 0.5, 0.2)),
    )


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "scene.weft"
    everything().save(path)
    return path


def test_a_loaded_scene_renders_the_same_picture(device, stored):
    settings = PathSettings(samples=2, bounces=2)

    first, second = (
        weft.Renderer(device, scene).render("front", settings)
        for scene in (everything(), Scene.load(stored))
    )

    assert np.array_equal(first, second)


def test_what_was_shared_stays_shared(stored):
    scene = Scene.load(stored)

    assert scene.objects[1].mesh is scene.objects[2].mesh
    assert len(scene.meshes()) == 2


def test_equal_scenes_have_equal_files_and_hashes(stored, tmp_path):
    Scene.load(stored).save(tmp_path / "again.weft")

    assert (tmp_path / "again.weft").read_bytes() == stored.read_bytes()
    assert Scene.load(stored).hash() == everything().hash()


def change_number(scene):
    scene.lights[0].power = 1e-6


def change_array(scene):
    scene.environment.image[0, 0, 0] += 1e-3


@pytest.mark.parametrize("change", [change_number, change_array])
def test_any_change_changes_the_hash(change):
    scene = everything()
    change(scene)

    assert scene.hash() != everything().hash()


def test_a_failed_save_leaves_the_old_file(stored):
    before = stored.read_bytes()
    scene = everything()
    scene.lights.append(object())

    with pytest.raises(weft.ArgumentError, match="a object cannot be stored"):
        scene.save(stored)

    assert stored.read_bytes() == before
    assert list(stored.parent.iterdir()) == [stored]


def rewritten(path, change):
    """The file with another text."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = json.loads(members["scene.json"])
    change(text)
    members["scene.json"] = json.dumps(text).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"not a scene"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-2000]),
        lambda path: path.write_bytes(
            path.read_bytes()[:3000] + b"\xff" * 50 + path.read_bytes()[3050:]
        ),
        lambda path: rewritten(path, lambda text: text.pop("objects")),
        lambda path: rewritten(path, lambda text: text["objects"][0].update(type="os.system")),
        lambda path: rewritten(path, lambda text: text["scene"].update(lights=[{"ref": 999}])),
        lambda path: rewritten(path, lambda text: text["objects"][0]["fields"].update(x=1)),
        lambda path: rewritten(path, lambda text: text.update(weft="picture")),
    ],
)
def test_a_damaged_file_gives_one_clear_error(stored, damage):
    damage(stored)

    with pytest.raises(weft.ArgumentError, match=r"no scene of Weft, or damaged .*; save it again"):
        Scene.load(stored)


def test_a_file_of_a_newer_version_is_named_as_such(stored):
    rewritten(stored, lambda text: text.update(version=99))

    with pytest.raises(weft.ArgumentError, match="version 99, this Weft reads up to 1"):
        Scene.load(stored)


def test_absent_files_and_folders_are_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Scene.load(tmp_path / "absent.weft")
    with pytest.raises(FileNotFoundError, match="folder"):
        Scene().save(tmp_path / "absent" / "scene.weft")


def test_numbers_that_json_has_not_are_kept(tmp_path):
    Scene(cameras=[Camera(2, 2)]).save(tmp_path / "a.weft")

    assert Scene.load(tmp_path / "a.weft").cameras[0].far == float("inf")


def test_a_material_of_a_mesh_without_triangles_is_kept(tmp_path):
    empty = Mesh(np.zeros((0, 3)), np.zeros((0, 3)))
    Scene([placed(empty, lambert())]).save(tmp_path / "a.weft")

    assert Scene.load(tmp_path / "a.weft").materials()[0].name == "lambert"
