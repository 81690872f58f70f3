# SPDX-License-Identifier: Apache-2.0
"""Functions as templates: names of files, marks in texts, catalogs."""

from __future__ import annotations

import uuid

import pytest
from addon.core.slang_nodes.catalogs import (
    FILE,
    catalog_id,
    catalog_path,
    catalogs_of,
    with_catalogs,
)
from addon.core.slang_nodes.preparing import Request
from addon.core.slang_nodes.saving import file_name, is_title, marked_source
from addon.core.slang_nodes.sources import Source, SourceKey, marked_functions, template_entries
from addon.core.slang_nodes.templates import make_template, template_key

import weft

WAVE = (
    'float wave([Label("Where; {at}")] float2 p, float height = 1) { return height * sin(p.x); }\n'
)


def marks(text):
    return [
        (e.function, e.category, e.label) for e in marked_functions(SourceKey("text", "t"), text)
    ]


def marked(text, function="wave", line=1):
    return marked_source(text, function, line, "Water", "Big Wave")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Brick Wall", "brick_wall"),
        ("  Brick--wall 2 ", "brick_wall_2"),
        ("Größe", "größe"),
        ("レンガ", "レンガ"),
        ("../../etc", "etc"),
        ("CON", "con_"),
        ("COM1", "com1_"),
        ("...", ""),
        ("x" * 200, "x" * 64),
    ],
)
def test_titles_become_names_of_files(title, expected):
    assert file_name(title) == expected


@pytest.mark.parametrize("title", ["", "...", 'a"b', "a\nb", "a\\b", "a:b", "a\0b"])
def test_titles_that_menus_or_slang_cannot_have_are_refused(title):
    assert not is_title(title)
    with pytest.raises(weft.ArgumentError, match="save_as_template: name must be one line"):
        template_key(title, "Water")


@pytest.mark.parametrize(
    "text",
    [
        WAVE,
        "import weft.node;\n" + WAVE,
        '/// Says [Node("No")] wave(\n[Node("Old }")] [Label("Old")]\n' + WAVE,
        "module sea;\n" + WAVE.replace("float wave", "public float wave"),
        "struct S { float a; };\nfloat f(float a) { return a; }\n/* wave( */ " + WAVE,
        "float g(float2 p) { return wave(p, 2); }\n" + WAVE,
        '[Node("Other")] float other(float x) { return x; }\n' + WAVE,
    ],
)
def test_a_function_is_the_only_node_of_its_text(text):
    line = next(n for n, own in enumerate(text.splitlines(), 1) if "float wave(" in own)

    found = marked(text, line=line)

    assert marks(found) == [("wave", "Water", "Big Wave")]
    assert found.count("import weft.node;") == 1
    assert marked(found, line=line + 2) == found


@pytest.mark.parametrize(
    "before",
    [
        "#define TWICE(a) \\\n    (2 * (a))\n",
        "float half_of(float x) { return x / 2; }\n#if 1\n",
        "#define wave(x) (x)\n#undef wave\n/* # */ [Differentiable]\n",
    ],
)
def test_lines_of_the_preprocessor_stay_lines(before):
    end = "#endif\n" if "#if" in before else ""

    found = marked(before + WAVE + end, line=before.count("\n") + 1)

    kept = [line for line in found.splitlines() if line.lstrip().startswith("#")]
    assert kept == [line for line in (before + end).splitlines() if line.startswith("#")]
    assert marks(found) == [("wave", "Water", "Big Wave")]
    weft.lower(None, "wave", to="slang", text=found)


def test_a_mark_of_the_byte_order_is_left_out(device):
    found = make_template(request_for("\ufeff" + WAVE), "Wave", "Water", lambda: device)

    assert "\ufeff" not in found.text


def test_of_overloads_the_one_on_the_line_is_marked():
    text = "float wave(float x) { return x; }\n\nfloat wave(float2 p) { return p.x; }\n"

    found = marked(text, line=3)

    assert '[Node("Water")] [Label("Big Wave")] float wave(float2 p)' in found
    assert found.count("Node(") == 1


def test_a_function_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no function 'storm'"):
        marked(WAVE, "storm")


def test_catalogs_keep_what_a_person_wrote():
    own = uuid.uuid4()
    before = f"# Mine\nVERSION 1\n\n{own}:Weft/Water:Mine\n{uuid.uuid4()}:Props:Props"

    after = with_catalogs(before, [catalog_path("Water"), catalog_path("Stone/Old  brick: x")])

    assert after.startswith(before + "\n")
    found = catalogs_of(after)
    assert found["Weft/Water"] == str(own)
    assert list(found) == ["Weft/Water", "Props", "Weft", "Weft/Stone", "Weft/Stone/Old brick x"]
    assert with_catalogs(after, ["Weft/Water"]) == after


def test_catalogs_are_the_same_everywhere():
    text = with_catalogs("", ["Weft/Pattern"])

    assert FILE == "blender_assets.cats.txt"
    assert "\nVERSION 1\n" in text
    assert catalogs_of(text)["Weft/Pattern"] == "9bf14c8f-a109-5008-bf85-0d264219644f"
    assert catalog_id("Weft/Pattern") != catalog_id("Weft/Noise")


def request_for(text, **options):
    source = Source(SourceKey("text", "sea.slang"), None, text)
    return Request(source, "wave", "ShaderNodeTree", (4, 5), **options)


def test_a_template_has_each_tree_in_which_it_lowers(device):
    found = make_template(request_for(WAVE), "Big Wave", "Water", lambda: device)

    assert str(found.key) == "library:water/big_wave"
    assert sorted(found.prepared) == ["CompositorNodeTree", "GeometryNodeTree", "ShaderNodeTree"]
    assert {entry.interface.title for entry in found.prepared.values()} == {"Big Wave"}
    assert (found.picture.shape, found.without) == ((128, 128, 3), "")
    assert found.picture.std() > 0.1


def test_what_cannot_be_drawn_says_why(device):
    text = "float wave(int x) { return sin(x); }"

    found = make_template(request_for(text), "Big Wave", "Water", lambda: device)

    assert found.picture is None
    assert '[Preview("Graph", 1)]' in found.without
    assert "weft-template-" not in found.without


@pytest.mark.parametrize(
    "text",
    [
        "float wave(float x) { return sin(9 * x); }",
        "float wave(float a, float3 p) { return a + sin(9 * p.x); }",
        '[Preview("Graph", 2)] float wave(float x) { return sin(9 * x); }',
        "float storm(float2 p) { return 1; }\nfloat wave(float x) { return sin(9 * x); }",
    ],
)
def test_what_says_nothing_of_pictures_is_drawn_over_what_it_takes(text, device):
    found = make_template(request_for(text), "Big Wave", "Water", lambda: device)

    assert found.without == ""
    assert found.picture.std() > 0.02
    assert found.text.count("Preview") == text.count("Preview")


def test_a_function_of_images_has_no_picture_and_says_so(device):
    text = "float3 wave(Sampler2D<float3> sea, float2 p) { return sea.Sample(p); }"

    found = make_template(request_for(text), "Big Wave", "Water", lambda: device)

    assert found.picture is None
    assert found.without == "'Big Wave' looks images up, and a template has none to draw"
    assert "ShaderNodeTree" in found.prepared


def test_a_device_that_is_not_there_costs_the_picture_alone():
    def fail():
        raise weft.DeviceError("no device")

    found = make_template(request_for(WAVE), "Big Wave", "Water", fail)

    assert (found.picture, found.without) == (None, "no device")


def test_a_function_of_several_files_is_refused(tmp_path, device):
    (tmp_path / "other.slang").write_text("float twice(float x) { return 2 * x; }")
    file = tmp_path / "sea.slang"
    file.write_text("import other;\nfloat wave(float2 p) { return twice(p.x); }")
    request = Request(Source(SourceKey("file", str(file)), file), "wave", "ShaderNodeTree", (4, 5))

    with pytest.raises(weft.ArgumentError, match=r"imports 'other.slang', and a template is one"):
        make_template(request, "Big Wave", "Water", lambda: device)


def test_menus_leave_out_what_cannot_be_read(tmp_path):
    (tmp_path / "water").mkdir()
    (tmp_path / "water" / "wave.slang").write_text(marked(WAVE), encoding="utf-8")
    (tmp_path / "water" / "broken.slang").write_bytes(b'[Node("Water")] float f\xff(float x) {}')

    found = template_entries(tmp_path, "library")

    assert [(str(e.key), e.label) for e in found] == [("library:water/wave", "Big Wave")]
    assert template_entries(tmp_path / "nowhere", "library") == []
