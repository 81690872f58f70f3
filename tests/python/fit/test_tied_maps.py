# SPDX-License-Identifier: Apache-2.0
"""Maps of one material tied by what they have in common, on quadratics without a scene."""

import numpy as np
import pytest

from weft._native import ArgumentError, TiedSchedule, tied_schedule
from weft.fit.map_errors import Uncertainty, name_untold
from weft.fit.map_group import MapGroup, group_maps
from weft.fit.texture_parameters import FittedTexture, Region, TextureParameter
from weft.fit.tied_maps import TiedMaps

SIDE = 24
ROWS = 8  # residuals a texel


def region(name, first=0, size=(SIDE, SIDE), channels=1):
    return Region(TextureParameter(name, smoothness=0.0), first, (*size, channels))


def two_maps():
    texels = SIDE * SIDE
    regions = [region("m.roughness"), region("m.metallic", texels)]
    (group,) = group_maps(regions)
    return group


def mixed(share):
    """Return roughness and metallic of a mix of two materials."""
    return np.array([0.55, 0.05]) + share[..., None] * np.array([-0.3, 0.9])


def fitted(blocks, truth, noise, draws=80):
    """Step on quadratics around the truth whose gradients have noise."""
    random = np.random.default_rng(3)
    maps = np.full((SIDE, SIDE, 2), 0.4)
    tied = TiedMaps(two_maps(), maps)
    root = np.linalg.cholesky(blocks)
    for draw in range(draws):
        schedule = tied_schedule(draw, draws)
        tied.add_blocks(blocks)
        random_slope = np.einsum("...ij,...j->...i", root, random.normal(size=truth.shape)) * noise
        difference = maps - truth
        gradient = np.einsum("...ij,...j->...i", blocks, difference) + random_slope
        excess = np.einsum("...i,...ij,...j->...", difference, blocks, difference).mean() / 2 / ROWS
        tied.expect(excess, noise**2 / 2 * schedule.noise)
        maps = tied.move(maps, gradient, np.zeros_like(maps), schedule)
    return tied, maps


def test_what_maps_share_is_learned_where_texels_tell_little():
    share = (np.mgrid[0:SIDE, 0:SIDE][1] // 6 % 2).astype(float)
    truth = mixed(share)
    # Only one mean of roughness and metallic is well told, as where reflections are few.
    told = np.array([[1.0, -0.95], [-0.95, 1.0]]) + 0.002 * np.eye(2)
    blocks = np.broadcast_to(told, (SIDE, SIDE, 2, 2))

    tied, maps = fitted(blocks, truth, noise=0.02)

    off = np.sqrt(((maps - truth) ** 2).mean(axis=(0, 1)))
    assert (off < 0.5 * truth.std(axis=(0, 1))).all()
    direction = np.linalg.eigh(tied.covariance)[1][:, -1]
    assert abs(direction @ [-0.3, 0.9]) / np.hypot(0.3, 0.9) > 0.95


def test_errors_of_texels_grow_where_little_is_told():
    told = np.eye(2) * np.where(np.arange(SIDE) < SIDE // 2, 1.0, 0.01)[:, None, None, None]
    blocks = np.broadcast_to(told, (SIDE, SIDE, 2, 2)).copy()

    share = (np.mgrid[0:SIDE, 0:SIDE][1] // 6 % 2).astype(float)

    tied, _ = fitted(blocks, mixed(share), noise=0.02)

    errors = tied.find_uncertainty(np.full((SIDE, SIDE, 2), 0.5), 1e-2, 1.0).errors
    assert (errors[-1] > 2 * errors[0]).all()


def uncertain(errors, correlation):
    maps = np.broadcast_to(np.array(errors), (SIDE, SIDE, 2))
    return Uncertainty(maps, np.array([[1.0, correlation], [correlation, 1.0]]))


def test_maps_that_are_not_told_are_named_with_their_partners():
    known = [np.ones((SIDE, SIDE), bool)] * 2
    lost = uncertain([0.3, 0.3], 0.95)

    random = np.random.default_rng(1)
    maps = random.uniform(0.2, 0.8, (SIDE, SIDE, 2))
    named = name_untold(two_maps(), lost, known, maps)

    assert set(named) == {"m.roughness", "m.metallic"}
    assert "cannot be told apart from metallic of 'm'" in named["m.roughness"]
    assert name_untold(two_maps(), uncertain([0.003, 0.003], 0.01), known, maps) == {}


def test_a_map_that_differs_less_than_its_errors_is_named():
    known = [np.ones((SIDE, SIDE), bool)] * 2
    found = uncertain([0.09, 0.09], 0.01)
    maps = np.random.default_rng(1).uniform(0.2, 0.8, (SIDE, SIDE, 2))
    maps[..., 1] = 0.5 + 0.02 * (maps[..., 1] - 0.5)

    named = name_untold(two_maps(), found, known, maps)

    assert set(named) == {"m.metallic"}
    assert "one value explains the pictures about as well" in named["m.metallic"]
    assert "only 0% of" in named["m.metallic"]


def test_a_share_of_the_differences_is_certain():
    pixels = np.array([[[0.2], [0.4]], [[0.9], [0.4]]], np.float32)
    errors = np.array([[[0.1], [0.1]], [[np.inf], [0.1]]], np.float32)
    known = np.array([[1, 1], [0, 1]], np.float32)

    found = FittedTexture(pixels, known, errors)

    variance = np.var([0.2, 0.4, 0.4])
    assert found.told == pytest.approx(variance / (variance + 0.01), rel=1e-5)
    assert FittedTexture(pixels, np.zeros_like(known), errors).told == 0


def test_ends_of_a_mix_are_found_where_texels_hardly_move():
    share = (np.mgrid[0:SIDE, 0:SIDE][1] // 6 % 2).astype(float)
    truth, maps = mixed(share), 0.3 + 0.02 * (mixed(share) - mixed(share).mean(axis=(0, 1)))
    tied = TiedMaps(two_maps(), maps)
    covariance = 1e-6 * np.eye(2) + np.cov(maps.reshape(-1, 2).T)
    tied.restore(tied.save() | {"mean": maps.mean(axis=(0, 1)), "covariance": covariance})
    schedule = TiedSchedule(0.0, 0.0, 0.0, 1.0, is_first=False)
    tied.expect(0.5, 0.0)
    for _ in range(40):
        tied.add_blocks(np.broadcast_to(np.eye(2), (SIDE, SIDE, 2, 2)))
        maps = tied.move(maps, maps - truth, np.zeros_like(maps), schedule)

    # `rate` is 0: no texel has moved by itself.
    assert np.abs(maps - truth).max() < 0.02


def test_fireflies_move_no_map():
    tied = TiedMaps(two_maps(), np.full((SIDE, SIDE, 2), 0.5))
    random = np.random.default_rng(2)
    blocks = np.broadcast_to(np.eye(2), (SIDE, SIDE, 2, 2)).copy()
    gradient = 0.01 * random.normal(size=(SIDE, SIDE, 2))
    blocks[3, 4], gradient[3, 4] = [[1e5, 3e5], [3e5, 1e5]], 1e5

    tied.add_blocks(blocks)
    schedule = TiedSchedule(0.0, 0.5, 0.0, 0.5, is_first=False)
    maps = np.full((SIDE, SIDE, 2), 0.5)
    moved = tied.move(maps, gradient, np.zeros_like(maps), schedule)

    others = np.ones((SIDE, SIDE), bool)
    others[3, 4] = False
    assert np.abs(moved - maps)[others].max() < 0.03


def test_maps_of_other_materials_are_not_tied():
    regions = [
        region("a.roughness"),
        region("b.roughness"),
        region("c.metallic", size=(SIDE, 2 * SIDE)),
        region("b.base_color", channels=3),
    ]

    (group,) = group_maps(regions)

    assert group.numbers == (1, 3)


def two_sizes(coarse):
    texels = SIDE * SIDE
    regions = [region("m.roughness"), region("m.metallic", texels, size=coarse)]
    (group,) = group_maps(regions)
    return group, np.zeros(texels + coarse[0] * coarse[1], np.float32)


@pytest.mark.parametrize("coarse", [(SIDE // 2, SIDE // 3), (7, 10), (1, 1)])
def test_maps_of_other_sizes_share_a_grid(coarse):
    group, texels = two_sizes(coarse)
    random = np.random.default_rng(4)
    texels[:] = random.uniform(0.2, 0.8, texels.shape)

    maps, sums = group.gather(texels), group.gather_sums(texels)

    assert maps.shape == sums.shape == (SIDE, SIDE, 2)
    first, second = (texels[entry.part].astype(float) for entry in group.regions)
    assert np.allclose(maps[..., 0].ravel(), first)
    assert sums[..., 1].sum() == pytest.approx(second.sum(), rel=1e-6)
    assert second.min() - 1e-6 <= maps[..., 1].min() <= maps[..., 1].max() <= second.max() + 1e-6
    # The first derivative of any change on the grid is that of what the map becomes by it.
    change, slope = random.normal(size=(SIDE, SIDE, 2)), random.normal(size=texels.shape)
    moved = np.zeros_like(texels)
    group.scatter(change, moved)
    slope = slope.astype(np.float32)
    assert (group.gather_sums(slope) * change).sum() == pytest.approx(slope @ moved, rel=1e-4)


def test_whole_ratios_of_sizes_lose_nothing():
    group, texels = two_sizes((SIDE // 2, SIDE // 3))
    texels[:] = np.random.default_rng(5).uniform(size=texels.shape)
    again = np.zeros_like(texels)

    group.scatter(group.gather(texels), again)

    assert np.allclose(again, texels, atol=1e-6)


def test_blocks_tell_channels_apart_by_the_partner_of_a_color():
    regions = (region("m.base_color", channels=3), region("m.roughness", 3 * SIDE * SIDE))
    group = MapGroup(regions, (0, 1))
    random = np.random.default_rng(1)
    by_color, by_roughness = random.normal(size=(2, 4 * SIDE * SIDE)).astype(np.float32)

    blocks = group.blocks([by_color, by_roughness])

    color, rough = group.gather(by_color), group.gather(by_roughness)
    assert np.allclose(blocks, np.swapaxes(blocks, 2, 3))
    assert np.allclose(np.einsum("...ii->...i", blocks)[..., :3], color[..., :3])
    assert np.allclose(blocks[..., 3, 3], rough[..., 3])
    assert np.allclose(blocks[..., :3, 3], rough[..., :3])
    assert np.all(blocks[..., 0, 1] == 0)


def test_a_state_goes_on_as_before():
    truth = mixed(np.full((SIDE, SIDE), 0.5))
    tied, maps = fitted(np.broadcast_to(np.eye(2), (SIDE, SIDE, 2, 2)), truth, 0.02, draws=20)
    other = TiedMaps(two_maps(), maps)
    other.restore(tied.save())

    steps = []
    for one in (tied, other):
        one.expect(0.01, 0.0)
        steps.append(one.move(maps, maps - truth, np.zeros_like(maps), tied_schedule(15, 20)))
    assert np.array_equal(*steps)


def test_arrays_of_earlier_checkpoints_are_read():
    tied = TiedMaps(two_maps(), np.full((SIDE, SIDE, 2), 0.5))
    saved = tied.save()
    views = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)

    tied.restore(saved | {"views": views})

    assert saved["blocks"].shape == (SIDE, SIDE, 2, 2)
    assert np.array_equal(tied.save()["views"], views)
    with pytest.raises(ArgumentError, match="'mean' must have 2 numbers, got 3"):
        tied.restore(saved | {"mean": np.zeros(3)})


def test_steps_move_the_texels_of_the_scene():
    texels = np.full(2 * SIDE * SIDE + 5, 0.5, np.float32)
    tied = TiedMaps(two_maps(), np.full((SIDE, SIDE, 2), 0.5))
    tied.add_blocks(np.broadcast_to(np.eye(2), (SIDE, SIDE, 2, 2)))
    gradient = np.full_like(texels, 0.1)

    tied.step(gradient, texels, tied_schedule(0, 20))

    assert (texels[:-5] < 0.45).all()
    assert (texels[-5:] == 0.5).all()
    with pytest.raises(TypeError):
        tied.step(gradient, texels.astype(np.float64), tied_schedule(0, 20))
    with pytest.raises(ArgumentError, match="ends at 1152 of 1000 floats"):
        tied.step(gradient, texels[:1000].copy(), tied_schedule(0, 20))


def test_pictures_that_show_a_texel_are_counted():
    tied = TiedMaps(two_maps(), np.full((SIDE, SIDE, 2), 0.5))
    shown = np.zeros(2 * SIDE * SIDE, np.float32)
    shown[: SIDE * SIDE // 2] = 1.0

    tied.forget_views()
    tied.add_view(shown)
    tied.add_view(np.ones_like(shown))

    views = tied.save()["views"]
    assert (views[: SIDE // 2] == 2).all()
    assert (views[SIDE // 2 :] == 1).all()
