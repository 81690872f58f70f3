# SPDX-License-Identifier: Apache-2.0
"""Questions that every BSDF is asked: is its density that of its samples, do they weigh right?"""

from __future__ import annotations

import functools

import numpy as np

import weft

COSINES, TURNS, FINE = 12, 16, 24
"""Bins of a histogram over cos(theta) from -1 to 1 and phi, and points along a bin's side."""

DELTA, BELOW = 4, 32
"""Flags of samples that have no density, see shaders/weft/bsdf/interface.slang."""


def source(prepare: str) -> str:
    """Return Slang around an expression that prepares a BSDF from inputs, wi and tables."""
    return f"""
        import weft.bsdf;
        struct Answers {{ float3 value; float density; float3 albedo; BsdfSample drawn; }};
        Answers ask(PrincipledInputs inputs, float3 wi, BsdfTables tables, float3 wo, float3 u)
        {{
            let bsdf = {prepare};
            Answers answers;
            answers.value = bsdf.eval(wo);
            answers.density = bsdf.pdf(wo);
            answers.albedo = bsdf.albedo();
            if (!bsdf.sample(u, answers.drawn))
                answers.drawn.flags = 0;
            return answers;
        }}
    """


@functools.cache
def module(device, prepare):
    """Load the function of `source`; its kernel is compiled once for all tests."""
    name = f"bsdf_{len(prepare)}_{sum(map(ord, prepare))}"
    return weft.Module.load_from_source(device, name, source(prepare))


class Asked:
    """A BSDF with one material and one direction to the camera.

    Args:
        device: Where it runs.
        prepare: Slang expression, see :func:`source`.
        wi: Unit vector.
        fields: Inputs other than the node's defaults.
    """

    def __init__(self, device, prepare, wi, **fields):
        self.module = module(device, prepare)
        inputs = self.module.PrincipledInputs.standard() | fields
        self.given = (inputs, wi, {"data": weft.render.bsdf_tables(device)})

    def eval(self, wo):
        return self.ask(wo)["value"]

    def pdf(self, wo):
        return self.ask(wo)["density"]

    def albedo(self):
        return self.ask(np.zeros((64, 3), np.float32))["albedo"][0]  # one is another kernel

    def ask(self, wo, u=None):
        """Ask all questions at once: nearly all the time of these tests is that of compiling."""
        u = np.full_like(wo, 0.5) if u is None else u
        return self.module.ask(*self.given, wo, u, _result="numpy")

    def draw(self, side, seed=0):
        """Draw side x side directions, one a cell of u.xy; those that failed have no flags."""
        random = np.random.default_rng(seed)
        u = random.random((side, side, 3), dtype=np.float32)
        u[..., 0] = (u[..., 0] + np.arange(side)[:, None]) / side
        u[..., 1] = (u[..., 1] + np.arange(side)) / side
        u = u.reshape(-1, 3)
        return self.ask(np.zeros_like(u), u)["drawn"]


def directions(rows=COSINES * FINE, columns=TURNS * FINE):
    """Directions (rows, columns, 3) at the midpoints of cos(theta) and phi."""
    z = np.repeat((np.arange(rows) + 0.5) * (2 / rows) - 1, columns)
    phi = np.tile((np.arange(columns) + 0.5) * (2 * np.pi / columns), rows)
    sine = np.sqrt(1 - z * z)
    points = np.stack([sine * np.cos(phi), sine * np.sin(phi), z], axis=-1)
    return points.astype(np.float32)


def integrate(values, rows=COSINES * FINE, columns=TURNS * FINE):
    """Integrate values at `directions()` over the sphere."""
    return values.astype(np.float64).sum(axis=0) * (4 * np.pi / (rows * columns))


def require_samples_to_fit(asked, side=256, leads=lambda wo: True, fine=FINE):
    """Compare samples with pdf() and eval(): weights, densities, a histogram, the mass.

    Deltas and what goes below the surface are left out; where ``leads`` is false samples cannot
    go, whatever pdf() says.
    """
    drawn = asked.draw(side)
    kept = drawn[(drawn["flags"] != 0) & (drawn["flags"] & (DELTA | BELOW) == 0)]
    wo = np.ascontiguousarray(kept["wo"])
    density = asked.pdf(wo)
    np.testing.assert_allclose(np.linalg.norm(wo, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(kept["pdf"], density, rtol=1e-3)
    np.testing.assert_allclose(
        kept["weight"] * density[:, None], asked.eval(wo), rtol=2e-3, atol=1e-6
    )
    assert np.all(leads(wo))
    grid = directions(COSINES * fine, TURNS * fine)
    expected = (asked.pdf(grid) * leads(grid)).astype(np.float64)
    expected = expected.reshape(COSINES, fine, TURNS, fine).sum(axis=(1, 3))
    expected *= side**2 * 4 * np.pi / (COSINES * TURNS * fine**2)
    z = np.clip(((wo[:, 2] + 1) / 2 * COSINES).astype(int), 0, COSINES - 1)
    turn = (np.arctan2(wo[:, 1], wo[:, 0]) / (2 * np.pi) % 1.0 * TURNS).astype(int) % TURNS
    found = np.zeros((COSINES, TURNS))
    np.add.at(found, (z, turn), 1)
    full = expected > 20
    # Sums of squares of about normal numbers; 5 standard deviations.
    chi2 = ((found - expected)[full] ** 2 / expected[full]).sum()
    freedom = full.sum()
    assert chi2 < freedom + 5 * np.sqrt(2 * freedom), (chi2, freedom)
    assert abs(found[~full].sum() - expected[~full].sum()) < 5 * np.sqrt(expected[~full].sum() + 9)
    # Where midpoints find no density there may be a sliver of a bin at the edge of what is reached.
    assert found[expected == 0].sum() < 1e-4 * side**2


def refracts(wo, wi, ior):
    """Return where a facet above the surface reflects or refracts wi to wo; see GlassBSDF.

    wi is outside; ``ior``, greater than 1, is that of the inside.
    """
    bent = wo @ np.array(wi) < -1 / ior + 1e-4
    return (wo[:, 2] > 0) | (bent & (ior * wo[:, 2] + wi[2] < 1e-4))
