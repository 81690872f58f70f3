# SPDX-License-Identifier: Apache-2.0
"""Loading modules, and finding what they declare."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Module


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "base.slang").write_text("float base() { return 40; }")
    (tmp_path / "library" / "middle.slang").write_text(
        "import base; float middle() { return base() + 1; }"
    )
    (tmp_path / "main.slang").write_text("import middle; float answer() { return middle() + 1; }")
    return tmp_path


def test_a_file_loads_by_text_path_and_path_object(device, tmp_path):
    path = tmp_path / "one.slang"
    path.write_text("int one() { return 1; }")

    assert Module.load_from_file(device, path).one() == 1
    assert Module.load_from_file(device, str(path)).one() == 1
    assert device.load_module(path).one() == 1
    assert device.load_module_from_file(str(path)).name == "one"


def test_source_text_loads(device):
    assert device.load_module_from_source("inline", "int two() { return 2; }").two() == 2
    assert Module.load_from_source(device, "inline_too", "int three() { return 3; }").three() == 3


def test_imports_are_found_in_include_paths_through_a_chain(device, folder):
    options = {"include_paths": [folder / "library"]}

    assert Module.load_from_file(device, folder / "main.slang", options).answer() == 42


@pytest.mark.parametrize("name", ["library", "./library"])
def test_relative_include_paths_start_from_the_working_folder(device, folder, monkeypatch, name):
    monkeypatch.chdir(folder)

    assert Module.load_from_file(device, "main.slang", {"include_paths": [name]}).answer() == 42
    with weft.create_device(type=device.type, include_paths=[name]) as other:
        assert Module.load_from_file(other, "main.slang").answer() == 42


def test_a_missing_import_is_a_compile_error_with_a_place(device, folder):
    with pytest.raises(weft.CompileError) as error:
        Module.load_from_file(device, folder / "main.slang")

    assert any("middle" in diagnostic.message for diagnostic in error.value.diagnostics)
    assert error.value.diagnostics[0].line == 1


def test_defines_reach_the_source(device, tmp_path):
    path = tmp_path / "defined.slang"
    path.write_text("int steps() { return MAX_STEPS; }")

    short = Module.load_from_file(device, path, {"defines": {"MAX_STEPS": 20}})
    long = Module.load_from_file(device, path, {"defines": {"MAX_STEPS": "50"}})

    assert (short.steps(), long.steps()) == (20, 50)


def test_load_from_module_takes_the_source_again_with_other_options(device, tmp_path):
    path = tmp_path / "again.slang"
    path.write_text("int steps() { return MAX_STEPS; }")
    first = Module.load_from_file(device, path, {"defines": {"MAX_STEPS": 1}})

    second = Module.load_from_module(device, first, {"defines": {"MAX_STEPS": 2}})

    assert (first.steps(), second.steps()) == (1, 2)


def test_linked_modules_provide_exports(device):
    part = Module.load_from_source(
        device, "part", "export float partial(float x) { return x + 1; }"
    )
    whole = Module.load_from_source(
        device,
        "whole",
        "extern float partial(float x); float f(float x) { return 2 * partial(x); }",
        link=[part],
    )

    assert whole.f(3.0) == 8.0


@pytest.mark.parametrize("statement", ['import "slangpy";', "import slangpy;"])
def test_sources_written_for_slangpy_import_its_name(device, statement):
    module = Module.load_from_source(
        device,
        "ported" + str(len(statement)),
        statement
        + "\nvoid twice(int i, ITensor<float, 1> a, IWTensor<float, 1> b) { b[i] = 2 * a[i]; }",
    )
    out = weft.Tensor.empty(device, (3,), weft.float32)

    module.twice(
        weft.grid((3,)), weft.Tensor.from_numpy(device, np.array([1, 2, 3], np.float32)), out
    )

    assert np.array_equal(out.numpy(), [2, 4, 6])


@pytest.fixture(scope="module")
def shapes(device):
    return Module.load_from_source(
        device,
        "shapes",
        """
        /// Area of a circle.
        float circleArea(float radius = 1) { return 3 * radius * radius; }
        float squareArea(float side) { return side * side; }
        struct Box { float3 size; float volume() { return size.x * size.y * size.z; } };
        """,
    )


def test_find_returns_none_where_require_raises(shapes):
    assert shapes.find_function("circleArea")(2.0) == 12.0
    assert shapes.find_function("circleAria") is None
    assert shapes.find_struct("Box").name == "Box"
    assert shapes.find_struct("circleArea") is None
    assert shapes.require_function("squareArea")(3.0) == 9.0
    with pytest.raises(weft.ArgumentError, match=r"require_function.*'circleAria'.*circleArea"):
        shapes.require_function("circleAria")
    with pytest.raises(weft.ArgumentError, match=r"require_struct.*'Bix'.*Box"):
        shapes.require_struct("Bix")


def test_an_unknown_attribute_suggests_a_near_miss(shapes):
    with pytest.raises(AttributeError, match=r"module 'shapes'.*'squareAria'.*squareArea"):
        shapes.squareAria  # noqa: B018
    assert not hasattr(shapes, "nothing_of_the_kind")


def test_functions_are_also_items_and_listed_by_dir(shapes):
    assert shapes["circleArea"](1.0) == 3.0
    assert {"circleArea", "squareArea", "Box"} <= set(dir(shapes))


def test_a_module_describes_its_functions_and_structures(shapes):
    area = next(function for function in shapes.functions if function.name == "circleArea")

    assert area.documentation == "Area of a circle."
    assert area.parameters[0].name == "radius"
    assert [structure.name for structure in shapes.structs] == ["Box"]
    assert "circleArea" in repr(shapes.circleArea)


def test_types_of_the_language_are_attributes(device, shapes):
    assert weft.Tensor.zeros(device, dtype=shapes.float3, shape=(2,)).dtype == weft.float3


def test_a_syntax_error_carries_its_place_as_data(device, tmp_path):
    path = tmp_path / "broken.slang"
    path.write_text("float fine() { return 1; }\nfloat broken( { return 2; }\n")

    with pytest.raises(weft.CompileError, match="broken") as error:
        Module.load_from_file(device, path)

    first = error.value.diagnostics[0]
    assert first.file.endswith("broken.slang")
    assert first.line == 2
    assert first.column > 1
    assert first.message
