# SPDX-License-Identifier: Apache-2.0
"""Makes node_templates/learned/learned_texture.slang: weights fitted to a glazed tile.

Run it from the repository's root: ``./dev python packaging/learned/make.py``. The picture is
computed here; it is written beside the template's only where a folder for it is given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "node_templates" / "learned" / "learned_texture.slang"
sys.path.insert(0, str(ROOT))

SIDE = 128
COBALT, CREAM = (0.02, 0.07, 0.25), (0.80, 0.75, 0.62)
OCHRE, LEAF = (0.62, 0.30, 0.04), (0.06, 0.22, 0.16)

DOCUMENTATION = """/// A glazed tile of blue, cream, ochre and green; *Fit to Image*, in the
/// panel of the node, makes one of another picture.
"""


def smooth_step(values: np.ndarray, edge: float, width: float) -> np.ndarray:
    """Return 0 below an edge, 1 above, smooth over a width; shape ``(..., 1)``."""
    t = np.clip((values - edge) / width + 0.5, 0, 1)
    return (t * t * (3 - 2 * t))[..., None]


def glazed_tile(side: int = SIDE) -> np.ndarray:
    """Return the picture, linear, shape ``(side, side, 3)``: it repeats."""
    steps = 2 * np.pi * (np.arange(side) + 0.5) / side
    x, y = np.meshgrid(steps, steps)
    lattice = np.cos(x) + np.cos(y)
    flower = lattice + 0.7 * np.cos(x) * np.cos(y) - 0.35 * (np.cos(2 * x) + np.cos(2 * y))
    vine = np.cos(x + y) * np.cos(x - y) + 0.5 * np.cos(x) * np.cos(y)
    color = np.broadcast_to(CREAM, (side, side, 3))
    for values, edge, paint in (
        (vine, 0.45, COBALT),
        (-np.abs(lattice), -0.16, LEAF),
        (flower, 0.9, COBALT),
        (flower, 1.35, OCHRE),
        (-flower, 1.6, OCHRE),
        (-flower, 2.2, COBALT),
    ):
        share = smooth_step(values, edge, 0.4)
        color = color * (1 - share) + np.array(paint) * share
    return color.astype(np.float32)


def main(folder: str | None = None) -> None:
    """Write the template, and the picture and what was learned of it into a folder."""
    from addon.core.slang_nodes.learned import places_of, train
    from addon.core.slang_nodes.learned_text import learned_text

    picture = glazed_tile()
    found = train(picture, size="MEDIUM", steps=6000)
    assert found is not None
    text = learned_text(found, "Glazed tile", module=TEMPLATE.stem, documentation=DOCUMENTATION)
    TEMPLATE.parent.mkdir(exist_ok=True)
    TEMPLATE.write_text(text, encoding="utf-8")
    print(f"{found.psnr:.1f} dB, loss {found.loss[0]:.4g} to {found.loss[1]:.4g}")
    if folder is not None:
        from weft.image import write

        learned = found.evaluate(places_of(picture.shape)).reshape(picture.shape)
        both = np.concatenate([picture, learned.astype(np.float32)], axis=1)
        write(Path(folder) / "glazed_tile.png", np.tile(both, (1, 1, 1)), encoding="linear")


if __name__ == "__main__":
    main(*sys.argv[1:2])
