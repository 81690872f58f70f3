# SPDX-License-Identifier: Apache-2.0
"""weft.lower and the command: counts, sockets, and the graph beside Slang on the device."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft
from support import lowering_corpus as corpus
from weft.cli import main

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 512

Array = np.ndarray[Any, Any]


def drawn(variable: weft.lowering.Variable, seed: int) -> Array:
    return corpus.drawn(variable, seed, COUNT)


@pytest.fixture(scope="module")
def module(device: weft.Device) -> weft.Module:
    return weft.Module.load_from_source(device, "corpus", corpus.TEXT)


def of_text(name: str, text: str, **options: Any) -> weft.Lowered:
    return weft.lower(None, name, text=text, **options)


def check(found: Array, expected: Array, movement: Array | float = 0) -> None:
    """Compare values, of which ill-conditioned ones may move as much as their inputs make them."""
    assert found.shape == expected.shape
    difference = np.abs(found.astype(np.float64) - expected)
    allowed = (1e-5 if found.dtype == np.float32 else 0) * np.maximum(1, np.abs(expected))
    assert np.all(difference <= allowed + movement)


def movement(lowered: weft.Lowered, values: dict[str, Array]) -> Array:
    """Return how far the result goes when inputs move by a few units in the last place."""
    (at,) = lowered.evaluate(values).values()
    most = np.zeros(at.shape)
    for towards in (-np.inf, np.inf):
        moved = values
        for _ in range(4):
            moved = {
                name: np.nextafter(value, np.float32(towards)) if value.dtype == "f4" else value
                for name, value in moved.items()
            }
            (there,) = lowered.evaluate(moved).values()
            most = np.maximum(most, np.abs(there.astype(np.float64) - at))
    return most


OTHER = ("split", "grow", "nearest", "horner", "lookAt", "determinant3", "shortened")


@pytest.mark.parametrize("name", [name for name in corpus.names() if name not in OTHER])
def test_graph_agrees_with_the_device(module: weft.Module, name: str) -> None:
    lowered = of_text(name, corpus.TEXT, to="dag")
    values = {
        variable.name: drawn(variable, seed) for seed, variable in enumerate(lowered.parameters)
    }

    (found,) = lowered.evaluate(values).values()

    function = module.find_function(name)
    assert function is not None
    expected = function(**values, _result="numpy")
    check(found, expected, movement(lowered, values))
    if module.device.info.features.is_software:
        near = np.isclose(found, expected, 1e-5, 1e-5)
        assert near.mean() >= 0.99


def test_structures_matrices_and_arrays_are_scalars(module: weft.Module) -> None:
    points = drawn(weft.lowering.Variable("p", "float", 3), 1)
    radii = drawn(weft.lowering.Variable("r", "float", 1), 2)

    hit = of_text("nearest", corpus.TEXT).evaluate({"p": points, "r": radii})
    split = of_text("split", corpus.TEXT).evaluate({"x": radii})
    frame = of_text("lookAt", corpus.TEXT).evaluate({"z": points})

    expected = module.nearest(points, radii, _result="numpy")
    check(hit["Result.distance"], expected["distance"])
    check(hit["Result.id"], expected["id"])
    check(hit["Result.color"], expected["color"])
    check(split["whole"], np.trunc(radii))
    check(split["part"], radii - np.trunc(radii))
    matrices = module.lookAt(points, _result="numpy")
    check(frame["Result[1][2]"], matrices[:, 1, 2])


@pytest.mark.parametrize("size", [2, 3, 4])
def test_determinants(size: int) -> None:
    text = f"float f(float{size}x{size} m) {{ return determinant(m); }}"
    matrices = np.random.default_rng(size).integers(-8, 9, (COUNT, size, size)).astype(np.float32)
    lowered = of_text("f", text)
    values = {f"m[{row}][{k}]": matrices[:, row, k] for row in range(size) for k in range(size)}

    (found,) = lowered.evaluate(values).values()

    check(found, np.linalg.det(matrices.astype(np.float64)).astype(np.float32))


def is_lowered(name: str, tree: str) -> bool:
    try:
        of_text(name, corpus.TEXT, tree=tree)
    except weft.ArgumentError as refusal:
        if not str(refusal).startswith("lower: "):
            raise
        return False
    return True


@pytest.mark.parametrize(("tree", "share"), [("shader", 0.7), ("geometry", 0.85)])
def test_shares_of_the_corpus_that_are_lowered(tree: str, share: float) -> None:
    lowered = [is_lowered(name, tree) for name in corpus.names()]

    assert sum(lowered) >= share * len(lowered)


@pytest.mark.parametrize("name", corpus.names(corpus.NOISE))
def test_white_noise_is_the_same_in_the_graph(device: weft.Device, name: str) -> None:
    module = weft.Module.load_from_source(device, "noise", corpus.NOISE)
    lowered = of_text(name, corpus.NOISE)
    values = {variable.name: drawn(variable, 7) for variable in lowered.parameters}

    (found,) = lowered.evaluate(values).values()

    function = module.find_function(name)
    assert function is not None
    check(found, function(**values, _result="numpy"))
    assert lowered.tree is not None
    assert "ShaderNodeTexWhiteNoise" in {node["type"] for node in lowered.tree["nodes"]}


@pytest.fixture(scope="module")
def patterns(device: weft.Device) -> weft.Module:
    return weft.Module.load_from_source(device, "patterns", corpus.PATTERNS)


@pytest.mark.parametrize("name", corpus.names(corpus.PATTERNS))
def test_noise_and_cells_are_the_same_in_the_graph(patterns: weft.Module, name: str) -> None:
    lowered = of_text(name, corpus.PATTERNS, blender="5.2")
    values = {variable.name: drawn(variable, 7) for variable in lowered.parameters}

    (found,) = lowered.evaluate(values).values()

    function = patterns.find_function(name)
    assert function is not None
    check(found, function(**values, _result="numpy"))
    assert lowered.tree is not None
    kinds = [node["type"] for node in lowered.tree["nodes"]]
    textures = [kind for kind in kinds if kind.startswith("ShaderNodeTex")]
    calls = {"octaves": 4, "line": 2, "borders": 2}
    assert len(textures) == calls.get(name, 1)


def test_cells_are_those_of_the_version_of_blender() -> None:
    values = {"p": np.array([[0.25, 0.5], [3.0, 1.5]], "f4"), "randomness": np.ones(2, "f4")}
    old, new = (
        of_text("cells", corpus.PATTERNS, blender=version).evaluate(values)["Result"]
        for version in ("4.5", "5.2")
    )
    assert np.abs(old - new).max() > 0.1


SLOPE = """
import weft.noise;
[Differentiable] float f(float3 p) { return perlinNoise(p, 2.5f); }
float slope(float3 p) { return fwd_diff(f)(diffPair(p, float3(1, 0, 0))).d; }
"""


def test_gradient_noise_has_derivatives(device: weft.Device) -> None:
    module = weft.Module.load_from_source(device, "slopes", SLOPE)
    places = np.random.default_rng(3).uniform(-4, 4, (64, 3)).astype(np.float32)
    step = np.array([1 / 256, 0, 0], np.float32)

    slope = module.slope(places, _result="numpy")

    after, before = (module.f(places + s * step, _result="numpy") for s in (1, -1))
    assert np.std(slope) > 0.1
    np.testing.assert_allclose(slope, (after - before) * 128, atol=0.01)


NOISE = """
import weft.node;
float sines([Label("Place")] float3 p, [Range(1, 8)] int octaves = 5,
            [Tooltip("Of each octave")] float gain = 0.5f)
{
    float s = 0, a = 1;
    for (int i = 0; i < octaves; i++)
    {
        s += a * sin(dot(p, float3(1.7f, 2.3f, 3.1f)));
        p *= 2;
        a *= gain;
    }
    return s;
}
float two(float x) { return 2 * x; }
float two(float2 x) { return 2 * x.x; }
T same<T : IFloat>(T x) { return x; }
float3 tinted([Color] float3 color, bool flip) { return flip ? color.zyx : color; }
"""


def test_sockets_come_from_the_declaration() -> None:
    lowered = of_text("sines", NOISE, build={"octaves": 3})

    place, gain = lowered.inputs
    assert (place.name, place.type, place.label) == ("p", "NodeSocketVector", "Place")
    assert (gain.name, gain.default, gain.tooltip) == ("gain", 0.5, "Of each octave")
    assert [socket.name for socket in lowered.outputs] == ["Result"]
    assert lowered.tree is not None
    assert lowered.tree["tree"] == "ShaderNodeTree"
    assert lowered.nodes == len(lowered.tree["nodes"]) - 1
    color, flip = of_text("tinted", NOISE, tree="geometry").inputs
    assert (color.type, flip.type) == ("NodeSocketColor", "NodeSocketBool")


def test_build_values_make_smaller_graphs() -> None:
    counts = [of_text("sines", NOISE, build={"octaves": n}).operations for n in (1, 2, 4)]

    assert counts[0] < counts[1] < counts[2]


def test_costs_grow_with_the_tree() -> None:
    few, many = (of_text("sines", NOISE, build={"octaves": n}).cost for n in (2, 4))
    points = of_text("sines", NOISE, build={"octaves": 2}, tree="geometry")

    assert few is not None
    assert many is not None
    assert 1.5 * few < many < 3 * few
    assert points.tree is not None
    assert (points.cost, points.cost_unit) == (points.tree["cost"], "ms a million points")
    assert of_text("sines", NOISE, build={"octaves": 2}, to="osl").cost is None


def test_overloads_and_generics_are_chosen_by_name() -> None:
    assert of_text("two(float2)", NOISE).inputs[0].type == "NodeSocketVector"
    assert of_text("same<float>", NOISE).outputs[0].type == "NodeSocketFloat"


def test_a_function_of_a_module_is_lowered(device: weft.Device, tmp_path: Path) -> None:
    path = tmp_path / "noise.slang"
    path.write_text(NOISE)
    module = weft.Module.load_from_file(device, path)

    assert weft.lower(module.tinted).text == weft.lower(path, "tinted").text
    assert weft.lower(module.two, "float2").outputs == weft.lower(path, "two(float2)").outputs


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("two", {}, ["two(float2)", "two(float)"]),
        ("two(int)", {}, ["no overload is 'two(int)'"]),
        ("two(float", {}, ["lacks its ')'"]),
        ("tow", {}, ["no function 'tow'", "'two'"]),
        ("same", {}, ["generic", "same<float>"]),
        ("sines", {}, ["256 rounds", "octaves=5"]),
        ("sines", {"build": {"octave": 3}}, ["no parameter 'octave'", "'octaves'"]),
        ("sines", {"build": {"octaves": [3]}}, ["build['octaves']", "list"]),
        ("two(float)", {"to": "glsl"}, ["to must be one of", "'glsl'"]),
        ("two(float)", {"tree": "world"}, ["tree must be one of", "'world'"]),
        ("two(float)", {"blender": "2.79"}, ["from 4.5 on", "'2.79'"]),
        ("two(float)", {"blender": "new"}, ["from 4.5 on", "'new'"]),
        (None, {}, ["name the function"]),
    ],
)
def test_bad_arguments(name: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(weft.ArgumentError) as raised:
        of_text(name, NOISE, **options)

    assert all(word in str(raised.value) for word in words)


def test_values_of_another_shape_or_name_are_refused() -> None:
    lowered = of_text("tinted", NOISE)

    with pytest.raises(weft.ArgumentError, match=r"'color' must have the shape \(4, 3\)"):
        lowered.evaluate({"color": np.zeros((4, 2)), "flip": np.zeros(4)})
    with pytest.raises(weft.ArgumentError, match="takes color, flip; got color"):
        lowered.evaluate({"color": np.zeros((4, 3))})


@pytest.mark.parametrize("form", ["nodes", "osl"])
def test_hashes_of_sines_are_warned_of(form: str) -> None:
    hashed = "float f(float2 p) { return frac(sin(dot(p, float2(12.9898f, 78.233f))) * 43758.5f); }"
    (warning,) = of_text("f", hashed, to=form).warnings
    assert "use whiteNoise() of weft.noise" in warning

    for text in ("frac(sin(x) * 3)", "sin(x) * 43758", "frac(x * 43758)"):
        assert of_text("f", f"float f(float x) {{ return {text}; }}", to=form).warnings == ()


def choices(count: int) -> str:
    """Return a function with a Mix node for each of `count` choices."""
    lines = [f"    a = a > {k} ? a * .5f : a + x;\n" for k in range(count)]
    return "float f(float x)\n{\n    float a = x;\n" + "".join(lines) + "    return a;\n}\n"


def test_trees_that_eevee_draws_wrong_are_warned_of() -> None:
    (warning,) = of_text("f", choices(900)).warnings
    assert "EEVEE draws the material wrong" in warning

    assert of_text("f", choices(600)).warnings == ()
    assert of_text("f", choices(900), blender="5.2").warnings == ()
    assert of_text("f", choices(900), tree="geometry").warnings == ()


def test_trees_that_eevee_compiles_slowly_are_warned_of() -> None:
    (warning,) = of_text("f", choices(2000), blender="5.2").warnings
    assert "EEVEE needs long to compile" in warning


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noise.slang"
    path.write_text(NOISE)

    assert main(["lower", str(path), "sines", "--set", "octaves=2", "--tree", "geometry"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["tree"] == "GeometryNodeTree"
    assert "operations" in printed.err
    assert "ms a million points" in printed.err
    output = tmp_path / "tree.json"
    assert main(["lower", str(path), "sines", "--set", "octaves=2", "-o", str(output)]) == 0
    assert json.loads(output.read_text())["tree"] == "ShaderNodeTree"
    capsys.readouterr()
    assert main(["lower", str(path), "sines"]) == 1
    assert "256 rounds" in capsys.readouterr().err
    assert main(["lower", str(path), "sines", "--set", "octaves"]) == 1
    assert "NAME=VALUE" in capsys.readouterr().err


def test_a_source_that_does_not_compile_has_slangs_message() -> None:
    with pytest.raises(weft.CompileError, match="undefined"):
        of_text("f", "float f(float x) { return y; }")
