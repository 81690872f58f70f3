# SPDX-License-Identifier: Apache-2.0
"""Programs of the kind that SlangTorch is used for: curves, rasterizers, networks, surfaces."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest

import weft
from weft import slangtorch

EXAMPLES = Path(__file__).parent / "examples"
BLOCK = (8, 8, 1)
SIDE = 24
FRAME = {"origin": (-1.0, -1.0), "extent": (2.0, 2.0), "pixels": (SIDE, SIDE)}
CORNERS = np.array([[-0.7, -0.6], [0.8, -0.4], [0.1, 0.75]], np.float32)


@pytest.fixture
def load(device):
    def loaded(name, **options):
        return slangtorch.loadModule(EXAMPLES / f"{name}.slang", device=device, **options)

    return loaded


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def like(array):
    return np.zeros_like(array)


def slope_along(function, array, direction, step):
    """Return the derivative of a sum along a direction, by central differences."""
    ahead, behind = (
        function((array + sign * step * direction).astype(np.float32)) for sign in (1, -1)
    )
    return (ahead - behind) / (2 * step)


def require_slopes(function, arrays, gradients, step=1e-2, rtol=1e-2):
    """Compare gradients of a sum with its differences, along random directions.

    Sums are of float32 elements: 1e-7 of them, over 2e-2, is 1e-5 of their size.
    """
    for name, array in arrays.items():
        direction = numbers(*array.shape, seed=len(name))
        expected = slope_along(lambda x, n=name: function({**arrays, n: x}), array, direction, step)
        assert (gradients[name] * direction).sum() == pytest.approx(expected, rel=rtol), name


def bernstein(times, count):
    degree = count - 1
    return np.stack(
        [comb(degree, k) * times**k * (1 - times) ** (degree - k) for k in range(count)], axis=1
    )


@pytest.mark.parametrize("count", [2, 5])
def test_bezier_curves_and_their_gradients_are_bernsteins(load, count):
    module = load("bezier", defines={"POINTS": count})
    times = np.linspace(0, 1, 50, dtype=np.float32)
    controls, upstream = numbers(count, 2), numbers(50, 2, seed=2)
    curve, gradient, weights = np.zeros((50, 2), np.float32), like(controls), upstream.copy()

    module.drawCurve(times=times, controls=controls, curve=curve).launchTotal((32, 1, 1), (50,))
    module.drawCurve.bwd(
        times=times, controls=(controls, gradient), curve=(curve, weights)
    ).launchTotal((32, 1, 1), (50,))

    basis = bernstein(times.astype(np.float64), count)
    assert np.allclose(curve, basis @ controls, atol=1e-6)
    assert np.allclose(gradient, basis.T @ upstream, atol=1e-5)
    assert not weights.any()


def test_control_points_are_found_from_a_curve(load):
    module = load("bezier", defines={"POINTS": 3})
    times = np.linspace(0, 1, 32, dtype=np.float32)
    wanted = np.array([[0, 0], [1, 2], [2, 0]], np.float32)
    target = (bernstein(times, 3) @ wanted).astype(np.float32)
    controls, curve = np.zeros((3, 2), np.float32), np.zeros((32, 2), np.float32)

    for _ in range(150):
        gradient = like(controls)
        module.drawCurve(times=times, controls=controls, curve=curve).launchRaw((32,), (1,))
        module.drawCurve.bwd(
            times=times, controls=(controls, gradient), curve=(curve, curve - target)
        ).launchRaw((32,), (1,))
        controls -= 0.15 * gradient

    assert np.abs(controls - wanted).max() < 0.02


def weights_of(corners, at):
    """Return barycentric coordinates."""
    a, b, c = corners.astype(np.float64)
    inverse = np.linalg.inv(np.stack([a - c, b - c], axis=1))
    first = (at - c) @ inverse.T
    return np.concatenate([first, 1 - first.sum(axis=-1, keepdims=True)], axis=-1)


def centres():
    line = (np.arange(SIDE) + 0.5) / SIDE * 2 - 1
    return np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)


def test_a_hard_triangle_has_its_corners_colours(load):
    module = load("triangles")
    colors, picture = np.eye(3, dtype=np.float32), np.full((SIDE, SIDE, 3), 9, np.float32)

    module.drawHard(
        frame=module.Frame(**FRAME), corners=CORNERS, colors=colors, picture=picture
    ).autoLaunch((SIDE, SIDE))

    weights = weights_of(CORNERS, centres())
    expected = np.where((weights >= 0).all(axis=-1, keepdims=True), weights, 0)
    assert np.allclose(picture, expected, atol=1e-5)
    assert 0.2 < (picture.sum(axis=-1) > 0.5).mean() < 0.3  # .2575 of the plane


def test_a_soft_triangle_follows_its_corners_and_its_colour(load):
    module = load("triangles")
    upstream = numbers(SIDE, SIDE, 3, seed=3)
    arrays = {"corners": CORNERS, "color": np.array([0.9, 0.5, 0.2], np.float32)}

    def draw(kernel, corners, color, picture):
        kernel(
            corners={"positions": corners, "frame": FRAME}, width=0.1, color=color, picture=picture
        ).launchTotal(BLOCK, (SIDE, SIDE))

    def drawn(arrays):
        picture = np.zeros((SIDE, SIDE, 3), np.float32)
        draw(module.drawSoft, picture=picture, **arrays)
        return picture

    gradients = {name: like(array) for name, array in arrays.items()}
    pairs = {name: (arrays[name], gradients[name]) for name in arrays}
    draw(module.drawSoft.bwd, picture=(like(upstream), upstream.copy()), **pairs)

    picture = drawn(arrays)
    edges = [(CORNERS[k], CORNERS[(k + 1) % 3]) for k in range(3)]
    covered = 1
    for a, b in edges:
        d, offset = b - a, centres() - a
        distance = (d[0] * offset[..., 1] - d[1] * offset[..., 0]) / np.hypot(*d)
        covered = covered / (1 + np.exp(-distance / 0.1))
    assert np.allclose(picture, covered[..., None] * arrays["color"], atol=1e-5)
    require_slopes(
        lambda given: (drawn(given).astype(np.float64) * upstream).sum(), arrays, gradients
    )


def test_the_edges_of_a_triangle_carry_the_gradient_of_its_area(load):
    module = load("triangles")
    picture, gradient = np.zeros((SIDE, SIDE), np.float32), like(CORNERS)
    pixel = (2 / SIDE) ** 2

    module.drawByEdges.bwd(
        corners={"positions": (CORNERS, gradient), "frame": FRAME},
        steps=256,
        picture=(picture, np.full_like(picture, pixel)),
    ).launchTotal(BLOCK, (SIDE, SIDE))
    module.drawByEdges(
        corners={"positions": CORNERS, "frame": FRAME}, steps=1, picture=picture
    ).launchTotal(BLOCK, (SIDE, SIDE))

    a, b, c = CORNERS
    area = np.linalg.det(np.stack([b - a, c - a])) / 2
    assert picture.sum() * pixel == pytest.approx(area, abs=0.03)
    opposite = np.stack([b - c, c - a, a - b])
    assert np.allclose(gradient, np.stack([opposite[:, 1], -opposite[:, 0]], 1) / 2, atol=1e-4)


def test_a_texture_is_seen_through_a_triangle(load):
    module = load("triangles")
    rows, columns = np.indices((6, 9))
    upstream = numbers(SIDE, SIDE, seed=4)
    arrays = {
        "places": np.array([[0.1, 0.2], [0.9, 0.3], [0.4, 0.8]], np.float32),
        "texture": (0.25 * columns + 0.5 * rows).astype(np.float32),
        "corners": CORNERS,
    }

    def draw(kernel, corners, places, texture, picture):
        kernel(
            corners=module.Corners(positions=corners, frame=module.Frame(**FRAME)),
            places=places,
            texture=texture,
            picture=picture,
        ).launchTotal(BLOCK, (SIDE, SIDE))

    def drawn(arrays):
        picture = np.zeros((SIDE, SIDE), np.float32)
        draw(module.drawTextured, picture=picture, **arrays)
        return picture

    gradients = {name: like(array) for name, array in arrays.items()}
    pairs = {name: (arrays[name], gradients[name]) for name in arrays}
    draw(module.drawTextured.bwd, picture=(like(upstream), upstream.copy()), **pairs)

    weights = weights_of(CORNERS, centres())
    is_inside = (weights >= 0).all(axis=-1)
    place = weights @ arrays["places"]
    assert np.allclose(
        drawn(arrays), is_inside * (2 * place[..., 0] + 2.5 * place[..., 1]), atol=1e-5
    )
    arrays.pop("corners")  # pixels jump in and out

    def seen(given):
        return (drawn({**given, "corners": CORNERS}).astype(np.float64) * upstream).sum()

    require_slopes(seen, arrays, gradients)
    # The picture is linear inside, so that its corners' gradient is a closed form, too.
    homogeneous = np.c_[CORNERS, np.ones(3)]
    tilt = np.linalg.solve(homogeneous, arrays["places"] @ [2, 2.5])[:2]
    expected = -np.einsum("p,pk,a->ka", upstream[is_inside], weights[is_inside], tilt)
    assert np.allclose(gradients["corners"], expected, rtol=1e-3, atol=1e-4)


def layers():
    sizes = [(4, 6), (6, 6), (6, 6), (6, 3)]
    return [
        (0.5 * numbers(out, into, seed=k), 0.1 * numbers(out, seed=9 + k))
        for k, (into, out) in enumerate(sizes)
    ]


def as_network(module, parameters):
    """Return the arguments of a network."""
    first, *hidden, last = [{"weights": w, "biases": b} for w, b in parameters]
    return module.Network(first=first, hidden=hidden, last=last)


def reference_network(parameters, places):
    at = np.stack([f(3 * places[:, k]) for k in range(2) for f in (np.sin, np.cos)], axis=1)
    for k, (weights, biases) in enumerate(parameters):
        at = at @ weights.T + biases
        if k < 3:
            at = np.where(at > 0, at, 0.1 * at)
    return at


def test_a_network_has_gradients_for_all_its_layers(load):
    module = load("network")
    parameters, places = layers(), numbers(40, 2, seed=20)
    colors, upstream = np.zeros((40, 3), np.float32), numbers(40, 3, seed=21)
    gradients = [(like(w), like(b)) for w, b in parameters]

    module.evaluate(
        network=as_network(module, parameters), places=places, colors=colors
    ).launchTotal((32,), (40,))
    pairs = [tuple(zip(*each, strict=True)) for each in zip(parameters, gradients, strict=True)]
    module.evaluate.bwd(
        network=as_network(module, pairs), places=places, colors=(colors, upstream.copy())
    ).launchTotal((32,), (40,))

    assert np.allclose(colors, reference_network(parameters, places), atol=1e-5)
    for layer in range(4):
        for part in range(2):
            direction = numbers(*parameters[layer][part].shape, seed=30 + layer)

            def moved(step, layer=layer, part=part, direction=direction):
                exact = [[np.float64(each) for each in both] for both in parameters]
                exact[layer][part] += step * direction
                return (reference_network(exact, places) * upstream).sum()

            expected = (moved(1e-6) - moved(-1e-6)) / 2e-6
            found = (gradients[layer][part] * direction).sum()
            assert found == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_a_layer_in_text_for_cuda(device, load):
    if device.info.type != weft.DeviceType.cuda:
        pytest.skip("its prelude is CUDA's")
    module = load("network_cuda")
    weights, inputs = numbers(5, 32), numbers(7, 32, seed=2)
    outputs, upstream = np.zeros((7, 5), np.float32), numbers(7, 5, seed=3)
    gradients = like(weights), like(inputs)

    module.evaluate(weights=weights, inputs=inputs, outputs=outputs).launchRaw((32,), (7, 5))
    module.evaluate.bwd(
        weights=(weights, gradients[0]),
        inputs=(inputs, gradients[1]),
        outputs=(outputs, upstream.copy()),
    ).launchRaw((32,), (7, 5))

    assert np.allclose(outputs, inputs @ weights.T, atol=1e-4)
    assert np.allclose(gradients[0], upstream.T @ inputs, atol=1e-4)
    assert np.allclose(gradients[1], upstream @ weights, atol=1e-4)


def unit(*vector):
    return tuple(float(each) for each in vector / np.linalg.norm(vector))


LIGHT, EYE = unit(0.3, 0.2, 1), unit(-0.4, 0.1, 1)


def surface(side):
    return {
        "albedo": np.random.default_rng(1).random((side, side, 3), np.float32),
        "normal": 0.2 * numbers(side, side, 2, seed=2),
        "roughness": 0.4 + 0.4 * np.random.default_rng(3).random((side, side), np.float32),
    }


def shaded(module, maps):
    picture = np.zeros_like(maps["albedo"])
    kernel = module.shadeMaps(maps=maps, toLight=LIGHT, toEye=EYE, picture=picture)
    kernel.autoLaunch(picture.shape[:2])
    return picture


def reference_shading(maps):
    normal = np.concatenate([maps["normal"], np.ones((*maps["roughness"].shape, 1))], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    middle = np.add(LIGHT, EYE) / np.linalg.norm(np.add(LIGHT, EYE))
    alpha2 = np.float64(maps["roughness"]) ** 4
    lobe = 0.04 * alpha2 / (np.pi * ((normal @ middle) ** 2 * (alpha2 - 1) + 1) ** 2)
    return (maps["albedo"] / np.pi + lobe[..., None]) * np.maximum(normal @ LIGHT, 0)[..., None]


def gradients_of_shading(module, maps, upstream):
    gradients = {name: like(array) for name, array in maps.items()}
    pairs = {name: (maps[name], gradients[name]) for name in maps}
    module.shadeMaps.bwd(
        maps=pairs, toLight=LIGHT, toEye=EYE, picture=(like(upstream), upstream)
    ).autoLaunch(upstream.shape[:2])
    return gradients


def test_a_surface_has_gradients_for_all_its_maps(load):
    module, maps = load("appearance"), surface(9)
    upstream = numbers(9, 9, 3, seed=5)

    found = gradients_of_shading(module, maps, upstream.copy())

    assert np.allclose(shaded(module, maps), reference_shading(maps), rtol=1e-4, atol=1e-5)

    def seen(given):
        return (reference_shading({n: np.float64(x) for n, x in given.items()}) * upstream).sum()

    require_slopes(seen, maps, found, step=1e-3, rtol=2e-3)


def test_small_maps_learn_to_look_like_the_means_of_large_ones(load):
    module = load("appearance")
    whole = shaded(module, surface(16))
    target = module.halved(whole)
    expected = whole.reshape(8, 2, 8, 2, 3).mean(axis=(1, 3))
    assert np.allclose(target, expected, atol=1e-6)
    maps = {
        "albedo": np.full((8, 8, 3), 0.5, np.float32),
        "normal": np.zeros((8, 8, 2), np.float32),
        "roughness": np.full((8, 8), 0.6, np.float32),
    }

    losses = []
    for _ in range(60):
        error = shaded(module, maps) - target
        losses.append(float((error**2).sum()))
        gradients = gradients_of_shading(module, maps, 2 * error)
        maps["albedo"] -= 2.0 * gradients["albedo"]
        maps["roughness"] -= 0.05 * gradients["roughness"]

    assert losses[-1] < 1e-3 * losses[0]
