# SPDX-License-Identifier: Apache-2.0
"""What the native part reads of lights and environments that are Python's own objects."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import weft
from weft._native import (
    build_light_table,
    environment_images,
    place_environment,
    texture_records,
    triangle_bounds,
    triangle_rows,
)
from weft.colors import LUMINANCE
from weft.layouts import AreaWord, LightRule, LightWord, RayKind
from weft.render.light_rows import NONE, LightRows, analytic_light_rows
from weft.scene import (
    AreaLight,
    Environment,
    LightProfile,
    PointLight,
    SpotLight,
    SunLight,
    Texture,
)


def words_of(light: object) -> np.ndarray:
    return analytic_light_rows([light], 1.0)[0].words[0]


def test_numbers_of_numpy_lists_and_tuples_are_one() -> None:
    given = (
        PointLight((1, 2, 3), 4, (0.5, 0.25, 1), 0.5),
        PointLight([1, 2, 3], np.float32(4), [0.5, 0.25, 1], np.float64(0.5)),
        PointLight(np.array([1, 2, 3]), np.int64(4), np.array([0.5, 0.25, 1], np.float32), 0.5),
    )

    first, *others = (words_of(light) for light in given)

    for other in others:
        assert other.tolist() == first.tolist()


def test_transforms_of_three_and_four_rows_are_one() -> None:
    matrix = np.diag([2.0, 3.0, 1.0, 1.0])

    assert words_of(AreaLight(matrix)).tolist() == words_of(AreaLight(matrix[:3])).tolist()
    assert words_of(AreaLight(matrix.tolist()))[AreaWord.area] == 6


def test_a_class_of_ones_own_is_the_light_that_it_derives_from() -> None:
    @dataclass(eq=False)
    class Candle(PointLight):
        wick: float = 1.0

    assert words_of(Candle((0, 0, 1))).tolist() == words_of(PointLight((0, 0, 1))).tolist()


def test_power_is_by_the_weights_of_luminance_that_python_has() -> None:
    lights = [PointLight((0, 0, 0), 1.0, tuple(row)) for row in np.eye(3)]

    assert analytic_light_rows(lights, 1.0)[0].powers == pytest.approx(LUMINANCE, rel=1e-12)


def test_rules_are_bits() -> None:
    light = PointLight((0, 0, 0), hidden_from=["glossy", "volume"], casts_shadow=False)

    bits = int(words_of(light).view(np.uint32)[LightWord.rules])

    assert bits == RayKind.glossy | RayKind.volume | LightRule.shadowless


@pytest.mark.parametrize(
    ("light", "text"),
    [
        (PointLight((0, 0)), "PointLight 'point': position must be three numbers"),
        (PointLight(None), "position must be three numbers"),
        (PointLight((0, math.nan, 0)), "position must be finite"),
        (PointLight((0, 0, 0), math.inf), "power must be finite"),
        (PointLight((0, 0, 0), "1 W"), "power must be a number"),
        (PointLight((0, 0, 0), 1, 1.0), "color must be three numbers"),
        (SpotLight((0, 0, 0), (0, 0, 0)), "SpotLight 'spot': direction must be three numbers"),
        (SunLight([[0, 0, 1]]), "direction must be three numbers"),
        (AreaLight(np.eye(3)), r"transform must be a matrix of shape \(4, 4\) or \(3, 4\)"),
        (AreaLight(np.zeros((4, 4))), "its area is zero"),
        (AreaLight(np.eye(4), shape="disc"), "shape must be 'rectangle' or 'ellipse'"),
        (AreaLight(np.eye(4), size=(1, 2, 3)), "size must be two numbers"),
        ("light", "lights must be PointLight, SpotLight, SunLight or AreaLight of weft.scene"),
    ],
)
def test_numbers_that_cannot_be_are_named(light: object, text: str) -> None:
    with pytest.raises(weft.ArgumentError, match=text):
        analytic_light_rows([light], 1.0)


def test_what_was_changed_after_it_was_made_is_checked_again() -> None:
    light = PointLight((0, 0, 0), profile=LightProfile(np.ones((2, 2, 3))))
    assert light.profile is not None
    light.profile.image = np.ones((2, 2))
    with pytest.raises(weft.ArgumentError, match=r"image must be \(height, width, 3\)"):
        analytic_light_rows([light], 1.0)
    light.profile = None
    light.hidden_from = "glossy"
    with pytest.raises(weft.ArgumentError, match="kinds of ray are a sequence"):
        analytic_light_rows([light], 1.0)


def test_negative_powers_are_drawn_evenly() -> None:
    rows, _ = analytic_light_rows([PointLight((0, 0, 0), -1.0), PointLight((1, 0, 0), 0.5)], 1.0)

    table = build_light_table(rows)

    assert table.records[:, LightWord.probability].tolist() == [0.5, 0.5]


def test_rows_may_be_put_behind_themselves() -> None:
    rows, _ = analytic_light_rows([PointLight((0, 0, 0), 3.0)], 1.0)
    rows += rows
    rows = rows + LightRows() + rows

    assert rows.powers.tolist() == [3.0] * 4
    changed = rows.with_powers(np.array([2]), np.array([7.0]))
    assert (rows.powers[2], changed.powers[2]) == (3.0, 7.0)
    with pytest.raises(IndexError):
        rows.with_powers(np.array([4]), np.array([7.0]))


def test_tables_outlive_what_they_were_made_from() -> None:
    rows, _ = analytic_light_rows([PointLight((0, 0, 0), 3.0)], 1.0)
    records = build_light_table(rows).records

    assert records[0, LightWord.probability] == 1
    with pytest.raises(ValueError, match="read-only"):
        records[0, 0] = 1


def test_arrays_of_triangles_have_to_agree() -> None:
    bounds = triangle_bounds(np.random.default_rng(0).random((4, 3, 3)), both=False)
    arguments = (0, np.arange(4), np.ones(4), np.ones(3), False)
    assert len(triangle_rows(*arguments, bounds=bounds)) == 4
    with pytest.raises(weft.ArgumentError, match=r"bounds must have shape \(4, 12\)"):
        triangle_rows(*arguments, bounds=bounds[:3])
    with pytest.raises(weft.ArgumentError, match=r"areas must have shape \(4,\)"):
        triangle_rows(0, np.arange(4), np.ones(3), np.ones(3), False, bounds=bounds)
    with pytest.raises(weft.ArgumentError, match="numbers of triangles must be from 0"):
        triangle_rows(0, -np.arange(4), np.ones(4), np.ones(3), False, bounds=bounds)
    with pytest.raises(weft.ArgumentError, match=r"corners must have shape \(4, 3, 3\)"):
        triangle_bounds(np.ones((4, 9)), both=False)


def test_an_environment_that_was_changed_is_read_with_care() -> None:
    sky = Environment(np.ones((2, 4, 3)))
    with pytest.raises(weft.ArgumentError, match="with at least one pixel"):
        environment_images([np.ones((2, 4))])
    with pytest.raises(weft.ArgumentError, match=r"must have shape \(2, 4, 3\)"):
        environment_images([sky.image, np.ones((2, 3, 3))])
    with pytest.raises(weft.ArgumentError, match="radiance must be finite and not negative"):
        environment_images([np.full((1, 1, 3), -1.0)])
    for name, value, text in (
        ("rotation", np.eye(4), r"rotation must be a matrix of shape \(3, 3\)"),
        ("rotation", np.full((3, 3), np.nan), "must be finite"),
        ("strength", (1, 2), "strength must be one number or linear RGB"),
        ("hidden_from", ["volume"], "kinds of ray"),
        ("views", {"sideways": sky.image}, "kinds of ray"),
    ):
        broken = Environment(sky.image)
        setattr(broken, name, value)
        with pytest.raises(weft.ArgumentError, match=text):
            place_environment(broken)


def test_an_image_that_changes_while_it_is_read_makes_a_table_or_an_error() -> None:
    image = np.ones((256, 512, 3), np.float32)
    stop = threading.Event()

    def change() -> None:
        value = 0.0
        while not stop.is_set():
            value += 1.0
            image[...] = -1.0 if value % 3 == 0 else value

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(10):
            try:
                _, alias, _ = environment_images([image])
            except weft.ArgumentError:
                continue
            assert alias[:, 1].view(np.uint32).max() < len(alias)
    finally:
        stop.set()
        thread.join()


def test_records_of_textures_name_their_levels() -> None:
    levelled = Texture(np.zeros((2, 3, 1)), "clip", "mipmap")
    records = texture_records([levelled, Texture(np.zeros((4, 4, 3)))])

    assert records.tolist() == [
        [0, 3, 2, 1, 2, 2, 2, 2],
        [6, 4, 4, 3, 0, 0, 1, 0],
        [54, 1, 1, 1, 2, 2, 1, 0],
    ]
    assert NONE == 0xFFFFFFFF
