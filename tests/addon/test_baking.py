# SPDX-License-Identifier: Apache-2.0
"""Functions over UV maps: texels against the interpreter of lowered functions, at their places."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from addon.core.baking.bake import BakeCancelled, bake, bake_corners
from addon.core.baking.programs import Programs

import weft
from support.baked import OBJECT, Read, grid, outputs_of, prepared_of, surface, task_of
from weft.scene import Attribute, ColorAttribute, SlangCall, Texture
from weft.scene.values import UVSet

WAVES = """import weft.node;
enum Mode { Plain, Squared }
struct Shape { float size = 2; float2 shift; int rounds = 3; }
struct Found { float3 color; float height; bool is_high; }

Found waves([Source("Position")] float3 p, Shape shape, out float4 all, Mode mode = Mode.Plain,
            float gain = 1)
{
    float wave = 0;
    for (int i = 1; i <= shape.rounds; i++)
        wave += sin(6 * i * shape.size * (p.x + shape.shift.x) + p.y * shape.shift.y) / i;
    wave *= gain;
    if (mode == Mode.Squared)
        wave *= wave;
    all = float4(p, wave);
    return { float3(wave, p.xy), wave * 2, wave > 0.25f };
}
"""
RINGS = "float rings(float3 p, float count) { return sin(count * length(p)); }"


@pytest.fixture
def programs(device):
    return Programs(device)


def test_texels_are_what_the_function_gives_at_their_places(programs):
    values = {
        "p": ColorAttribute(0),
        "shape.size": 1.5,
        "shape.shift": (0.25, 0.5, 0.0),
        "shape.rounds": 2.0,
        "mode": 1.0,
        "gain": 0.75,
    }
    task = task_of(WAVES, "waves", values, [surface(grid(6))])

    found = bake(task, 64, programs)

    slots = outputs_of(task, found.tiles[0])
    p = slots["all"].astype(np.float64)
    x, y = np.meshgrid((np.arange(64) + 0.5) / 32 - 1, (np.arange(64) + 0.5) / 32 - 1)
    assert np.abs(p[..., 0] - x).max() < 1e-5
    assert np.abs(p[..., 1] - y).max() < 1e-5
    wave = sum(np.sin(6 * i * 1.5 * (x + 0.25) + y * 0.5) / i for i in (1, 2))
    wave = (wave * 0.75) ** 2
    assert np.abs(slots["Result.color"][..., 0] - wave).max() < 2e-4
    assert np.abs(slots["Result.height"][..., 0] - 2 * wave).max() < 4e-4
    assert np.abs(slots["all.w"][..., 0] - wave).max() < 2e-4
    assert set(np.unique(slots["Result.is_high"])) == {0.0, 1.0}
    assert found.report.covered == 1.0
    assert found.report.bad.count == 0
    assert not found.wraps


def test_texels_agree_with_the_interpreter_of_the_lowered_function(programs):
    task = task_of(
        RINGS + "float3 where(float3 p) { return p; }",
        "where",
        {"p": ColorAttribute(0)},
        [surface(grid(9))],
    )
    rings = task_of(RINGS, "rings", {"p": ColorAttribute(0), "count": 9.0}, task.surfaces)
    lowered = weft.lower(None, "rings", to="dag", text=RINGS)

    places = bake(task, 50, programs).tiles[0][0][..., :3].reshape(-1, 3)
    texels = bake(rings, 50, programs).tiles[0][0][..., 0].ravel()

    wanted = lowered.evaluate({"p": places, "count": np.full(len(places), 9, np.float32)})
    assert np.abs(texels - wanted["Result"]).max() < 2e-6


def test_the_margin_goes_on_with_the_function_and_then_repeats(programs):
    half = surface(grid(4) * np.float32(0.5) + np.float32(0.25))
    text = "float along(float3 p) { return p.x; }"
    task = task_of(text, "along", {"p": ColorAttribute(0)}, [half], margin=4)

    row = bake(task, 64, programs).tiles[0][0][32, :, 0]

    x = (np.arange(64) + 0.5) / 32 - 1
    assert np.abs(row[15:49] - x[15:49]).max() < 1e-5  # one texel beyond the surface
    assert np.abs(row[12:15] - x[15]).max() < 1e-5
    assert (row[:12] == 0).all()
    assert (row[52:] == 0).all()


def test_values_of_nodes_are_computed_at_the_same_places(programs):
    uvs = grid(5)
    turn = np.array([[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1]], float)
    picture = np.random.default_rng(0).random((16, 16, 3), np.float32)
    texel = Texture(picture, "extend", "linear", UVSet(0))
    scaled = SlangCall(
        "mathMultiply",
        "",
        {"x": SlangCall("vectorToFloat", "", {"x": texel}, 1, module="weft.nodes"), "y": 2.0},
        1,
        module="weft.nodes",
    )
    text = """
    float3 all(float3 world, float3 normal, float3 image, float twice)
    {
        return float3(world.z, twice - (image.x + image.y + image.z) / 1.5f, normal.z);
    }
    """
    values = {
        "world": Attribute.POSITION,
        "normal": Attribute.NORMAL,
        "image": texel,
        "twice": scaled,
    }
    task = task_of(text, "all", values, [surface(uvs, matrix=turn)], [Read("uv", "", 0)])

    found = bake(task, 64, programs).tiles[0][0]

    u, v = np.meshgrid((np.arange(64) + 0.5) / 64, (np.arange(64) + 0.5) / 64)
    # Between corners places are linear: the surface is near to u * v.
    assert np.abs(found[..., 0] - (2 * u * v + 3)).max() < 0.05
    assert np.abs(found[..., 1]).max() < 1e-5
    assert found[..., 2].min() > 0.7
    assert found[..., 2].max() <= 1.00001


def test_nan_is_counted_and_black(programs):
    text = "float3 bad(float3 p, float zero) { return p.x > 0.5f ? float3(p.x / zero, 0, 0) : p; }"
    task = task_of(text, "bad", {"p": ColorAttribute(0), "zero": 0.0}, [surface(grid(2))])

    found = bake(task, 64, programs)

    assert found.report.bad.count == 16 * 64
    assert found.report.bad.first == "texel (48, 0)"
    assert np.isfinite(found.tiles[0][0]).all()


def test_tiles_are_images_of_their_own(programs):
    parts = [surface(grid(2) + np.float32([u, v]), f"At {u} {v}") for u, v in ((0, 0), (2, 0))]
    text = "float along(float3 p) { return p.x; }"
    task = task_of(text, "along", {"p": ColorAttribute(0)}, parts, is_tiled=True)

    found = bake(task, 32, programs)

    assert set(found.tiles) == {1001, 1003}
    x = (np.arange(32) + 0.5) / 16 - 1
    assert np.abs(found.tiles[1003][0][5, :, 0] - (x + 4)).max() < 1e-5
    assert found.report.gaps == (1002,)


def test_objects_that_share_texels_are_told_and_instances_are_not(programs):
    text = "float along(float3 p) { return p.x; }"
    moved = np.eye(4)
    moved[0, 3] = 5
    one, two = surface(grid(3), "A"), surface(grid(3), "B", moved)
    other = surface(grid(2) * np.float32([0.5, 1]), "C")

    alike = bake(task_of(text, "along", {"p": ColorAttribute(0)}, [one, two]), 32, programs)
    world = bake(task_of(text, "along", {"p": Attribute.POSITION}, [one, two], ()), 32, programs)
    apart = bake(task_of(text, "along", {"p": ColorAttribute(0)}, [one, other]), 32, programs)

    assert alike.report.crowded == 0
    assert world.report.crowded == 1
    assert apart.report.crowded == 0.5


def test_what_cannot_be_baked_says_why(programs):
    text = "float along(float3 p) { return p.x; }"
    values = {"p": ColorAttribute(0)}
    bare = surface(grid(1), "Bare", maps=())
    cases = [
        ([bare], {}, "none of its objects has a UV map at all"),
        ([surface(grid(1))], {"uv_map": "Other"}, "none of its objects has a UV map named 'Other'"),
        ([], {}, "none of its objects has a UV map"),
        ([surface(grid(1)[:0])], {}, "its material is on no face"),
        ([surface(grid(1) * 9)], {}, "covers its image 81 times over"),
        ([surface(grid(1) - 3)], {"is_tiled": True}, "no face lies in a tile"),
    ]
    for surfaces, options, message in cases:
        with pytest.raises(weft.ArgumentError, match=message):
            bake(task_of(text, "along", values, surfaces, **options), 32, programs)
    mixed = bake(task_of(text, "along", values, [bare, surface(grid(1))]), 32, programs)
    assert mixed.report.without == ("Bare",)


def test_a_bake_ends_when_it_is_cancelled(programs):
    cancelled = threading.Event()
    cancelled.set()
    task = task_of(RINGS, "rings", {"p": ColorAttribute(0), "count": 9.0}, [surface(grid(3))])

    with pytest.raises(BakeCancelled):
        bake(task, 64, programs, cancelled)


def test_corners_get_the_function_at_their_places(programs):
    whole = surface(grid(3))
    task = task_of(RINGS, "rings", {"p": ColorAttribute(0), "count": 9.0}, [whole])

    (rows,), bad = bake_corners(task, whole, 54 + 3, programs)

    wanted = np.sin(9 * np.linalg.norm(whole.positions.reshape(-1, 3), axis=1))
    assert np.abs(rows[:54, 0] - wanted).max() < 1e-5
    assert (rows[54:, :3] == 0).all()
    assert bad.count == 0


def test_functions_that_no_tree_computes_are_baked(programs):
    text = """
    T pick<T : __BuiltinFloatingPointType>(T x, float3 p)
    {
        double total = 0;
        uint seed = asuint(float(p.x)) ^ 0x9e3779b9u;
        while (total < double(p.y + 2)) { total += 0.37; seed = seed * 1664525u + 1013904223u; }
        return x * T(float(total)) + T(float(seed & 1u));
    }
    float over(float3 p) { return 1; }
    float over(float3 p, int k) { return k; }
    """
    for function, values in (
        ("pick<float>", {"x": 1.0, "p": ColorAttribute(0)}),
        ("over(vector<float,3>, int)", {"p": ColorAttribute(0), "k": 3.0}),
    ):
        name = function if "<f" in function[:6] else None
        spelled = name or prepared_of(text, "over(float3, int)").request.function
        found = bake(task_of(text, spelled, values, [surface(grid(2))]), 16, programs)
        assert np.isfinite(found.tiles[0][0]).all()
        assert found.tiles[0][0][..., 0].max() >= 1


def test_parameters_of_all_types_of_sockets_arrive(programs):
    text = """
    struct Inner { int3 cell; half soft; }
    struct Outer { Inner inner[2]; float4 color; }
    float3 all(float2x2 m, Outer outer, uint seed, bool on, inout float kept, float2 uv)
    {
        kept += outer.color.w;
        float sum = m[0][0] + 10 * m[0][1] + 100 * m[1][0] + 1000 * m[1][1];
        float cells = outer.inner[1].cell.z + 10 * outer.inner[0].soft + 100 * outer.color.y;
        return float3(sum, on ? cells : -1, seed + uv.y);
    }
    """
    prepared = prepared_of(text, "all")
    values = dict.fromkeys(prepared.wrapper.arguments, 0.0)
    values |= {"m[0][0]": 1.0, "m[0][1]": 2.0, "m[1][0]": 3.0, "m[1][1]": 4.0}
    values |= {"outer.inner[1].cell.z": 5.0, "outer.inner[0].soft": 0.5, "outer.color.w": 6.0}
    values |= {"outer.color": (0.0, 7.0, 0.0), "seed": 3.0, "on": 1.0, "kept": 8.0}
    values |= {"uv": (0.0, 0.25, 0.0)}
    assert set(values) == set(prepared.wrapper.arguments)
    task = task_of(text, "all", values, [surface(grid(1))])

    slots = outputs_of(task, bake(task, 8, programs).tiles[0])

    assert slots["Result"][3, 3].tolist() == [4321, 710, 3.25]
    assert slots["kept"][3, 3].tolist() == [14]


def test_sockets_are_those_that_the_form_osl_has():
    as_slang = weft.lower(None, "waves", to="slang", text=WAVES)
    as_osl = weft.lower(None, "waves", to="osl", text=WAVES)

    assert as_slang.inputs == as_osl.inputs
    assert as_slang.outputs == as_osl.outputs
    assert [socket.name for socket in as_slang.inputs][:2] == ["p", "shape.size"]


def test_what_only_trees_know_is_refused():
    asks = "import weft.inputs; float stripes() { return sin(position().x); }"
    with pytest.raises(weft.ArgumentError, match=r"asks weft.inputs for position\(\)"):
        prepared_of(asks, "stripes")
    looks = "float3 look(Sampler2D<float3> image, float2 uv) { return image.SampleLevel(uv, 0); }"
    with pytest.raises(weft.ArgumentError, match="looks images up"):
        prepared_of(looks, "look")


def test_numbers_share_images_and_vectors_do_not():
    prepared = prepared_of(WAVES, "waves")

    slots = {slot.output: (slot.image, slot.channel, slot.count) for slot in prepared.wrapper.slots}

    assert slots["Result.color"] == (0, 0, 3)
    assert [slots[name][1] for name in ("Result.height", "Result.is_high", "all.w")] == [0, 1, 2]
    assert len({slots[name][0] for name in ("Result.height", "Result.is_high", "all.w")}) == 1
    assert prepared.wrapper.images == 3
    assert prepared.wrapper.sources == {"p": "position"}
    assert OBJECT.kind == "object"
