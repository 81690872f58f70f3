# SPDX-License-Identifier: Apache-2.0
"""Every input of every closure, with all others switched on: derivatives beside differences."""

import numpy as np
import pytest

from support.derivative_sweep import PASSING, WALKING, WORST, Difference, Sweep, mixture, whole
from weft.scene import CLOSURES, Add, Closure, Mix, NormalMap

pytestmark = pytest.mark.slow

ALONE = ("principled", "subsurface")
"""Closures with a surface of their own: light goes below one at most in a material."""

NODES = [kind for kind in CLOSURES if kind not in (*ALONE, "transparent", "none", "medium")]

NORMAL = NormalMap((0.6, 0.45, 0.95))

SURFACES = {
    "principled": lambda random: whole("principled", random),
    "nodes": lambda random: mixture(NODES, random),
    "wax": lambda random: whole("subsurface", random),
    "facets": lambda random: mixture(NODES[1:4], random),
    "other nodes": lambda random: mixture([NODES[0], *NODES[4:]], random),
    "normals": lambda random: whole(
        "principled", random, normal=NORMAL, coat_normal=NormalMap((0.4, 0.6, 0.9))
    ),
    "coated": lambda random: whole(
        "principled",
        random,
        [name for name in CLOSURES["principled"].inputs if "film" not in name and name != "ior"],
        transmission_weight=0.0,
        normal=NORMAL,
    ),
    "distributions": lambda random: Add(
        Mix(
            whole("glossy", random, distribution="beckmann"),
            whole("glossy", random, distribution="ashikhmin_shirley"),
            0.4,
        ),
        Mix(
            whole("metallic", random, distribution="beckmann"),
            Mix(
                whole("glass", random, distribution="beckmann"),
                whole("refraction", random, distribution="beckmann"),
                0.5,
            ),
            0.6,
        ),
    ),
    "filmed glass": lambda random: whole(
        "principled",
        random,
        (
            "base_color roughness ior specular_level specular_tint transmission_weight metallic "
            "thin_film_thickness thin_film_ior emission_color emission_strength"
        ).split(),
    ),
}

ALL_CLOSURES = ("principled", "nodes", "wax")

OF_MEDIA = {"medium": tuple(CLOSURES["medium"].inputs)}
"""What is inside of objects, of which fits refuse parameters."""


@pytest.fixture(scope="module")
def sweeps(device):
    """A sweep of each surface; made when it is asked for."""
    made = {}

    def find(name):
        if name not in made:
            made[name] = Sweep(device, SURFACES[name](np.random.default_rng(1)))
        return made[name]

    return find


def closures_below(surface, prefix=""):
    """Return the kind of closure at each place of a surface."""
    if isinstance(surface, Closure):
        return {prefix: surface.kind}
    first = closures_below(surface.first, f"{prefix}first.")
    return first | closures_below(surface.second, f"{prefix}second.")


def check(sweep, seed):
    """Compare derivatives at one setting; return what is wrong."""
    sweep.draw(seed)
    tangents = sweep.tangents()
    wrong = []
    for (name, component, place), own in zip(sweep.components, tangents, strict=True):
        difference = Difference(sweep, name, place)
        size = np.abs(difference.middle).sum()
        off = difference.off(own)
        share = difference.share_off(own)
        # The rounding of single numbers is 1e-4 of the radiance.
        if off > 0.01 * size + 1e-4 * difference.scale * own.size or share > WORST:
            wrong.append(
                f"{name}[{component}]: {off / max(size, 1e-9):.2g} off, {share:.1%} of the records"
            )
        if size == 0:
            wrong.append(f"{name}[{component}] changes nothing")
        entry = sweep.table.ranges[f"m.{name}"]
        others = [channel for channel in range(3) if channel != component]
        if entry.size == 3 and entry.is_separable:
            across = max(np.abs(own[:, others]).max(), np.abs(difference.middle[:, others]).max())
            if across > 0:
                wrong.append(f"{name}[{component}] is no matter of one channel: {across:.2g}")
    return wrong


FORWARD = ("principled", "nodes", "wax", "normals", "coated", "filmed glass", "distributions")

QUICK = ("principled", "wax")


def with_marks(names):
    """Leave out what compiles for long, but in the full tests."""
    return [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in names]


@pytest.mark.full
@pytest.mark.parametrize("name", with_marks(FORWARD))
def test_derivatives_are_differences(sweeps, name):
    sweep = sweeps(name)

    wrong = {seed: check(sweep, seed) for seed in range(2)}

    assert wrong == {0: [], 1: []}


@pytest.mark.full
@pytest.mark.parametrize("name", FORWARD)
def test_derivatives_are_differences_at_many_settings(sweeps, name):
    sweep = sweeps(name)

    wrong = {seed: check(sweep, seed) for seed in range(2, 26)}

    assert not any(wrong.values()), wrong


def test_every_input_of_every_closure_is_swept(sweeps):
    covered = {}
    for name in ALL_CLOSURES:
        surface = SURFACES[name](np.random.default_rng(1))
        swept = {entry for entry, _, _ in sweeps(name).components}
        for prefix, kind in closures_below(surface).items():
            names = CLOSURES[kind].inputs
            covered[kind] = {entry for entry in names if f"{prefix}{entry}" in swept}

    missing = {
        f"{kind}.{name}"
        for kind, spec in CLOSURES.items()
        for name in spec.inputs
        if name not in covered.get(kind, ())
    }

    refused = {
        f"{kind}.{name}"
        for table in (PASSING, WALKING, OF_MEDIA)
        for kind, names in table.items()
        for name in names
    }
    assert missing == refused | {"emission.both_sides"}


@pytest.mark.full
@pytest.mark.parametrize("name", ["specular_tint", "sheen_tint"])
def test_tints_that_dim_by_their_largest_channel_are_not_separable(sweeps, name):
    sweep = sweeps("principled")
    across = 0.0
    for seed in range(3):
        sweep.draw(seed)
        for (entry, component, _), own in zip(sweep.components, sweep.tangents(), strict=True):
            others = [channel for channel in range(3) if channel != component]
            across = max(across, np.abs(own[:, others]).max() if entry == name else 0)

    assert not sweep.table.ranges[f"m.{name}"].is_separable
    assert across > 1e-3


@pytest.mark.parametrize(
    "name", with_marks(["facets", "other nodes", "wax", "coated", "filmed glass"])
)
def test_reverse_mode_is_the_transpose(device, name):
    sweep = Sweep(device, SURFACES[name](np.random.default_rng(1)), with_gradients=True)
    random = np.random.default_rng(2)
    for seed in range(2):
        sweep.draw(seed)
        weights = random.normal(size=(sweep.recorder.pixels, 3))
        sweep.tangents()
        film = sweep.recorder.resolve_to_host(0, 4, with_tangents=True)[1:].astype(np.float64)
        forward = (film * weights).sum(axis=(1, 2))
        size = np.sqrt((film**2).sum(axis=(1, 2)) + 1e-6)

        found = sweep.gradients(weights)

        assert (np.abs(found - forward) <= 1e-4 * size).all()
