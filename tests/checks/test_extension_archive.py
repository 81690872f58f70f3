# SPDX-License-Identifier: Apache-2.0
"""How the Blender extension is packed."""

from __future__ import annotations

import ast
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
        "weft-0.1.0-linux_x64-cp311.zip",
        "weft-0.1.0-windows_x64-cp313.zip",
    ]
    with zipfile.ZipFile(built[0]) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        names = archive.namelist()
    assert manifest["platforms"] == ["linux-x64"]
    assert manifest["wheels"] == [f"./wheels/{LINUX}"]
    assert f"wheels/{LINUX}" in names
    assert "ui/registration.py" in names
    assert not [name for name in names if "__pycache__" in name or WINDOWS in name]


def test_the_asset_library_is_packed_where_it_is_built(wheels, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    for name in ("weft.blend", "blender_assets.cats.txt"):
        (library / name).write_bytes(name.encode())
    with_it = extension.build_extension(wheels, tmp_path / "with", library)
    without = extension.build_extension(wheels, tmp_path / "without")

    names = []
    for built in (with_it, without):
        with zipfile.ZipFile(built[0]) as archive:
            names.append({name for name in archive.namelist() if name.startswith("assets/")})
    assert names == [{"assets/weft.blend", "assets/blender_assets.cats.txt"}, set()]


def test_a_zip_for_one_python_says_for_which_blenders(wheels, tmp_path):
    found = {}
    for path in extension.build_extension(wheels, tmp_path):
        with zipfile.ZipFile(path) as archive:
            found[path.stem[-5:]] = tomllib.loads(archive.read("blender_manifest.toml").decode())

    assert found["cp311"]["blender_version_min"] == "4.5.0"
    assert found["cp311"]["blender_version_max"] == "5.1.0"
    assert found["cp313"]["blender_version_min"] == "5.1.0"
    assert "blender_version_max" not in found["cp313"]


def test_a_zip_for_both_pythons_is_for_all_blenders():
    names = [LINUX, LINUX.replace("cp311", "cp313")]
    text = text_of(ROOT / "addon" / "blender_manifest.toml")

    found = tomllib.loads(extension.manifest(text, "linux-x64", names))

    assert found["blender_version_min"] == "4.5.0"
    assert "blender_version_max" not in found


BRITISH = re.compile(r"colour|grey|centre|metre\b|neighbour|behaviour|\w+isation|optimise", re.I)


def shown_texts(tree):
    """Yield what people may read: strings, and docstrings of operators, which are tooltips."""
    hidden = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", [])
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            if not (isinstance(node, ast.ClassDef) and node.name.startswith("WEFT_OT_")):
                hidden.add(first.value)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if node is not first:
                hidden.add(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in hidden:
            yield node.value


def test_texts_are_spelled_as_blenders():
    found = [
        (path.relative_to(ROOT).as_posix(), text)
        for path in (ROOT / "addon").rglob("*.py")
        if path.name != "spelling.py"  # which knows the other spelling
        for text in shown_texts(ast.parse(text_of(path)))
        if BRITISH.search(text)
    ]

    assert found == []


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
