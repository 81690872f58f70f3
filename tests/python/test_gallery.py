# SPDX-License-Identifier: Apache-2.0
"""Pictures of functions: what is drawn is what the function says, in each kind of picture."""

import sys

import numpy as np
import pytest

import weft
from weft.cli import main
from weft.gallery import KINDS, draw

HEAD = "import weft.node;\n"


@pytest.fixture
def picture(tmp_path, device):
    """Draw a text, 32 pixels along a side, and give what a picture of linear light holds."""

    def drawn(text, **values):
        path = tmp_path / "drawn.slang"
        path.write_text(HEAD + text)
        encoded = draw(path, size=32, device=device, **values)
        assert (encoded.shape, encoded.dtype) == ((32, 32, 3), np.float32)
        linear = encoded.astype(np.float64)
        return np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)

    return drawn


def middles(count=32):
    return (np.arange(count) + 0.5) / count


def test_a_plane_shows_colors_at_their_places(picture):
    found = picture(
        '[Node("T")] [Preview("Plane", 2)] float3 f(float2 p) '
        "{ return float3(p * 0.5f + 0.5f, 0.25f); }"
    )

    assert found[..., 0] == pytest.approx(np.tile(middles(), (32, 1)), abs=1e-3)
    assert found[..., 1] == pytest.approx(np.tile(middles()[::-1, None], (1, 32)), abs=1e-3)
    assert found[..., 2] == pytest.approx(0.25, abs=1e-3)


def test_values_take_the_place_of_defaults(picture):
    text = (
        '[Node("T")] [Preview("Plane", 1)] float3 f(float2 p, float a = 0.5f) { return float3(a); }'
    )

    assert picture(text) == pytest.approx(0.5, abs=1e-3)
    assert picture(text, a=0.125) == pytest.approx(0.125, abs=1e-3)


def test_a_gradient_goes_from_the_sliders_end_to_the_extent(picture):
    found = picture(
        '[Node("T")] [Preview("Gradient", 3)] float3 f([SoftRange(1, 5)] float t) '
        "{ return float3(t / 4.f, 0.f, 0.f); }"
    )

    assert found[0, :, 0] == pytest.approx((1 + 2 * middles()) / 4, abs=1e-3)
    assert np.ptp(found, axis=0) == pytest.approx(0, abs=1e-6)


def test_a_gradient_brighter_than_white_keeps_its_hue(picture):
    found = picture(
        '[Node("T")] [Preview("Gradient", 1)] float3 f(float t) { return float3(4.f, 2.f, 1.f); }'
    )

    assert found[3, 3] == pytest.approx([1, 0.5, 0.25], abs=1e-3)


def test_a_graph_is_where_the_function_is(picture):
    found = picture('[Node("T")] [Preview("Graph", 1)] float f(float t) { return t * t; }')

    ink = np.maximum(found[..., 0] - found[..., 2] - 0.01, 0)
    rows = (ink * (np.arange(32) + 0.5)[:, None]).sum(axis=0) / ink.sum(axis=0)
    assert rows == pytest.approx(32 * (0.95 - 0.9 * middles() ** 2), abs=0.6)


def test_a_distance_is_filled_where_it_is_negative(picture):
    found = picture(
        '[Node("T")] [Preview("Distance", 4)] float f(float2 p) { return length(p) - 1.f; }'
    )

    x, y = np.meshgrid(middles() * 4 - 2, middles() * 4 - 2)
    warm = found[..., 0] > found[..., 2]
    away = np.hypot(x, y) - 1
    assert warm[away < -0.3].all()
    assert not warm[away > 0.3].any()


def test_a_sphere_is_round_and_lit_from_the_upper_left(picture):
    found = picture(
        '[Node("T")] [Preview("Sphere", 1)] float3 f([Source("Normal")] float3 n) '
        "{ return float3(1.f); }"
    )

    assert found[8, 10, 0] > 2 * found[24, 22, 0]
    assert found[0, 0] == pytest.approx([0.035, 0.037, 0.042], abs=2e-3)


def test_relief_is_lit_from_the_upper_left(picture):
    found = picture(
        """
        struct Bump { float height; };
        [Node("T")] [Preview("Plane", 2)] Bump f(float2 p)
        { Bump b; b.height = max(0.f, 1.f - length(p)); return b; }
        """
    )

    assert found[9, 9, 0] > 1.5 * found[22, 22, 0]


def test_a_bar_that_does_not_move_is_a_box(picture):
    still = picture(
        '[Node("T")] [Preview("Deform", 2)] float3 f([Source("Position")] float3 p) { return p; }'
    )
    long = picture(
        '[Node("T")] [Preview("Deform", 2)] float3 f([Source("Position")] float3 p) '
        "{ return p * float3(1, .2f, .2f); }"
    )

    covered = [np.count_nonzero(np.abs(p[..., 0] - 0.035) > 0.004) for p in (still, long)]
    assert 150 < covered[0] < 600
    assert 30 < covered[1] < 0.5 * covered[0]


def test_rays_end_where_the_function_says(picture):
    found = picture(
        """
        struct Hit { float hit; float3 normal; };
        [Node("T")] [Preview("Rays", 4)] Hit f(float3 o, [Subtype("Direction")] float3 d)
        {
            Hit h;
            const float b = dot(o, d);
            const float q = b * b - dot(o, o) + 1.f;
            h.hit = q > 0.f ? 1.f : 0.f;
            h.normal = o + d * (-b - sqrt(max(q, 0.f)));
            return h;
        }
        """
    )

    covered = np.count_nonzero(np.abs(found[..., 2] - 0.042) > 0.004) / 32**2
    assert covered == pytest.approx(np.pi / 16, abs=0.03)


def test_points_are_discs_at_their_places(picture):
    found = picture(
        '[Node("T")] [Preview("Points", 2)] float3 f([Source("Index")] int i) '
        "{ return float3(i * 2 - 1, 0, 0); }"
    )

    bright = found.max(axis=-1) > 0.2
    assert bright[16, 2]
    assert bright[16, 29]
    assert not bright[:4].any()


@pytest.mark.parametrize("kind", ["Flow", "Sheet", "Tuft"])
def test_other_kinds_draw_something(picture, kind):
    found = picture(
        f'[Node("T")] [Preview("{kind}", 2)] float3 f([Source("Position")] float3 p) '
        "{ return p + float3(-p.y, p.x, 0.f) * 0.2f; }"
    )

    assert found.std() > 0.02
    assert kind in KINDS


@pytest.mark.parametrize(
    ("text", "values", "words"),
    [
        (
            '[Preview("Plan", 1)] float f(float2 p) { return 0; }',
            {},
            "the kind 'Plan'; there are Plane",
        ),
        ('[Preview("Graph", 1)] float f(float2 p) { return 0; }', {}, "needs a parameter float"),
        ('[Preview("Rays", 1)] float f(float3 p) { return 0; }', {}, "Subtype"),
        (
            '[Preview("Deform", 1)] float f(float3 p) { return 0; }',
            {},
            "a result float3 'position'",
        ),
        ("float f(float t) { return 0; }", {}, "has no \\[Preview\\]"),
        ("float f(float2 p) { return 0; }", {"scale": 1.0}, "no parameter 'scale'; it has p"),
        ("float f(float2 p) { return 0; } float g(float2 p) { return 0; }", {}, "f, g"),
    ],
)
def test_what_cannot_be_drawn_says_why(picture, text, values, words):
    with pytest.raises(weft.ArgumentError, match=words):
        picture(text, **values)


@pytest.mark.parametrize(
    ("size", "error"), [(4, "8 to 2048"), (4096, "8 to 2048"), (8.5, "pixels")]
)
def test_wrong_sizes_are_refused(tmp_path, device, size, error):
    path = tmp_path / "f.slang"
    path.write_text("float f(float2 p) { return p.x; }")

    with pytest.raises((weft.ArgumentError, weft.ArgumentTypeError), match=error):
        draw(path, size=size, device=device)


def test_nan_is_black_and_no_error(picture):
    found = picture(
        '[Node("T")] [Preview("Plane", 2)] float3 f(float2 p) { return float3(sqrt(p.x)); }'
    )

    assert found[:, :15] == pytest.approx(0)
    assert found[:, 20:].min() > 0.1


def test_the_command_writes_a_file_and_says_which(tmp_path, capsys):
    source = tmp_path / "f.slang"
    source.write_text("float ramp(float2 p) { return p.x; }")

    status = main(["gallery", str(source), "--out", str(tmp_path / "out"), "--size", "16"])

    told = capsys.readouterr()
    assert status == 0
    assert told.out.strip() == str(tmp_path / "out" / "ramp.png")
    assert "'ramp' has no [Preview]: drawn as Plane, 1 across" in told.err
    assert (tmp_path / "out" / "ramp.png").stat().st_size > 0


def test_the_command_wants_one_source(tmp_path, capsys):
    assert main(["gallery", "--out", str(tmp_path)]) == 1
    assert "name a .slang file, or pass --templates" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="folders are always writable there")
def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["gallery", str(tmp_path / "none.slang"), "--out", str(tmp_path)]) == 1
    assert "none.slang" in capsys.readouterr().err
