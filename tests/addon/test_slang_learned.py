# SPDX-License-Identifier: Apache-2.0
"""Learned textures: networks of weft.mlp's layout, the text that they become, what is learned."""

from __future__ import annotations

import runpy
import threading

import numpy as np
import pytest
from addon.core.slang_nodes import learned
from addon.core.slang_nodes.learned_text import learned_from, learned_text

import weft
from checks.source_tree import ROOT
from weft.lowering import lower

KERNEL = """import mlp;

[Differentiable]
float squaredError(Network<float, Sine, Identity, 1, 8, 3, 8, 8> network, no_diff float features[8],
                   no_diff float3 root)
{
    let found = network.run(features);
    const float3 difference = float3(found[0], found[1], found[2]) - root;
    return dot(difference, difference) / 3.f;
}
"""


def picture(height=20, width=30):
    right, down = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    wave = 0.5 + 0.4 * np.sin(2 * np.pi * (2 * right - down))
    return np.dstack([wave, 1 - wave, 0.3 + 0.2 * np.cos(2 * np.pi * down)]).astype(np.float32)


def texture(tiles, size="SMALL", steps=60):
    return learned.train(picture(), size=size, tiles=tiles, steps=steps)


@pytest.mark.parametrize("size", learned.SIZES)
@pytest.mark.parametrize("tiles", [True, False])
def test_the_text_computes_what_was_learned(tiles, size):
    found = texture(tiles, size, steps=20)
    text = learned_text(found, "a 'picture'\n*/")
    places = np.random.default_rng(1).uniform(-3, 3, (500, 2)).astype(np.float32)
    given = {
        "coordinate": places,
        "scale": np.full(500, 1, np.float32),
        "rotation": np.full(500, 0, np.float32),
        "contrast": np.full(500, 1, np.float32),
        "tint": np.full((500, 3), 1, np.float32),
    }

    graph = lower(None, "learnedTexture", text=text, to="dag")

    np.testing.assert_allclose(graph.evaluate(given)["Result"], found.evaluate(places), atol=1e-3)
    for tree in ("shader", "geometry", "compositor"):
        assert lower(None, "learnedTexture", text=text, tree=tree).warnings == ()
    assert lower(None, "learnedTexture", text=text, to="osl").text
    assert learned_from(text).startswith("'a _picture____' at 30 x 20, ")


def test_pictures_that_repeat_are_learned():
    found = texture(tiles=True, steps=800)

    assert found.psnr > 35
    first, last = found.loss
    assert last < first / 100


def test_steps_follow_the_gradient_of_a_network_on_a_device(device):
    training = learned._Training(picture(), learned.SIZES["SMALL"], tiles=True, seed=3)
    learner = learned._Learner(training, steps=10)
    weights = weft.Tensor.from_numpy(device, learner.weights).with_grads()
    count = len(training.roots)
    errors = weft.Tensor.zeros(device, (count,))
    errors = errors.with_grads(grad_in=weft.Tensor.full(device, (count,), 1 / count))
    module = device.load_module_from_source("learned", KERNEL)

    loss = learner.differentiate(training.features, training.roots)
    module.squaredError.bwds(weights, training.features, training.roots, _result=errors)

    assert loss == pytest.approx(float(weft.mean(errors)), rel=1e-4)
    gradient = weights.grad.numpy()
    np.testing.assert_allclose(learner.gradient, gradient, atol=1e-4 * np.abs(gradient).max())


def test_the_strongest_waves_of_a_picture_are_seen():
    roots = np.sqrt(picture())

    waves = learned.choose_waves(roots, 4, tiles=True)
    mirrored = learned.choose_waves(roots, 4, tiles=False)

    # Down is against up.
    assert [2, 1] in waves.tolist()
    assert len(np.unique(waves, axis=0)) == 4
    assert np.isin(mirrored * 2 % 1, 0).all()
    assert (np.abs(mirrored) % 1 == 0.5).any()


def test_a_picture_of_one_color_is_learned_from_two_pixels():
    found = learned.train(np.full((2, 2, 3), 0.25, np.float32), size="SMALL", steps=300)

    places = np.random.default_rng(1).uniform(0, 1, (100, 2))
    np.testing.assert_allclose(found.evaluate(places), 0.25, atol=0.02)


def test_large_pictures_are_means_over_blocks():
    pixels = np.random.default_rng(1).uniform(0, 1, (300, 100, 3)).astype(np.float32)

    small = learned.shrink(pixels)

    assert small.shape == (128, 43, 3)
    assert small.mean() == pytest.approx(pixels.mean(), abs=0.01)


def test_equal_seeds_give_equal_textures():
    first, second, third = (
        learned.train(picture(), size="SMALL", steps=10, seed=seed) for seed in (1, 1, 2)
    )

    assert (first.weights == second.weights).all()
    assert (first.weights != third.weights).any()


def test_it_can_be_cancelled_and_says_how_far_it_is():
    shares, cancelled = [], threading.Event()

    def note(share, loss):
        assert loss > 0
        shares.append(share)
        if len(shares) == 2:
            cancelled.set()

    found = learned.train(picture(), size="SMALL", steps=500, cancelled=cancelled, progress=note)

    assert found is None
    assert len(shares) == 2


@pytest.mark.parametrize(
    ("pixels", "options", "message"),
    [
        (picture()[:1], {}, "image 'wood' has 30 x 1 pixels; give one of at least 2 x 2"),
        (picture(), {"steps": 0}, "steps must be 1 or more, got 0"),
        (picture(), {"size": "HUGE"}, "size must be one of SMALL, MEDIUM, LARGE, got 'HUGE'"),
        (
            np.where(np.arange(20)[:, None, None] == 2, np.nan, picture()),
            {},
            r"has 30 pixels that are NaN or infinite, first \(0, 17\) from the lower left",
        ),
    ],
)
def test_bad_input_is_named(pixels, options, message):
    with pytest.raises(weft.ArgumentError, match=message):
        learned.train(pixels, name="wood", **options)


def test_the_template_shows_the_picture_that_its_script_computes():
    glazed_tile = runpy.run_path(str(ROOT / "packaging" / "learned" / "make.py"))["glazed_tile"]
    template = ROOT / "node_templates" / "learned" / "learned_texture.slang"
    tile = glazed_tile()
    places = learned.places_of(tile.shape).astype(np.float32)
    count = len(places)
    given = {name: np.ones(count, np.float32) for name in ("scale", "contrast")}
    given |= {"coordinate": places, "tint": np.ones((count, 3), np.float32)}
    given["rotation"] = np.zeros(count, np.float32)

    found = lower(template, "learnedTexture", to="dag").evaluate(given)["Result"]

    squared = ((np.sqrt(found) - np.sqrt(tile.reshape(-1, 3))) ** 2).mean()
    assert -10 * np.log10(squared) > 35
    assert learned_from(template.read_text(encoding="utf-8")).endswith("35.5 dB")
