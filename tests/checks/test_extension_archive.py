# SPDX-License-Identifier: Apache-2.0
"""How the Blender extension is packed."""

from __future__ import annotations

import re
import tomllib
import zipfile

import pytest

from checks.source_tree import text_of
from dev import extension
from dev.project import BUILD, ROOT, DevError

LINUX = "weft-0.1.0-cp311-cp311-manylinux_2_34_x86_64.whl"
WINDOWS = "weft-0.1.0-cp313-cp313-win_amd64.whl"


@pytest.fixture
def wheels():
    folder = BUILD / "test-extension"
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / name for name in (LINUX, WINDOWS)]
    for wheel in made:
        wheel.write_bytes(wheel.name.encode())
    yield made
    for wheel in made:
        wheel.unlink()


def test_each_platform_has_a_zip_with_its_wheels(wheels, tmp_path):
    built = extension.build_extension(wheels, tmp_path)

    assert [path.name for path in built] == [
        "weft-0.1.0-linux_x64.zip",
        "weft-0.1.0-windows_x64.zip",
    ]
    with zipfile.ZipFile(built[0]) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        names = archive.namelist()
    assert manifest["platforms"] == ["linux-x64"]
    assert manifest["wheels"] == [f"./wheels/{LINUX}"]
    assert f"wheels/{LINUX}" in names
    assert "ui/registration.py" in names
    assert not [name for name in names if "__pycache__" in name or WINDOWS in name]


def test_equal_inputs_give_equal_archives(wheels, tmp_path):
    first = extension.build_extension(wheels, tmp_path / "first")
    second = extension.build_extension(wheels, tmp_path / "second")

    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_unknown_platform_is_named(wheels, tmp_path):
    odd = wheels[0].with_name("weft-0.1.0-cp311-cp311-plan9.whl")

    with pytest.raises(DevError, match="no platform 'plan9'"):
        extension.build_extension([odd], tmp_path)


def test_manifest_has_the_version_of_the_engine():
    found = re.search(r"project\(weft VERSION ([0-9.]+)", text_of(ROOT / "CMakeLists.txt"))

    assert found
    assert extension.version_of(text_of(ROOT / "addon" / "blender_manifest.toml")) == found[1]
