# SPDX-License-Identifier: Apache-2.0
"""Render a Lambert ball and a Lambert Suzanne with Mitsuba; writes ``mitsuba_lambert.npz``.

Run it with a Python that has Mitsuba (``pip install mitsuba==3.9.1``), from the repository's root:

    python tests/golden/mitsuba_lambert.py

Where LLVM is older than 17, ``DRJIT_LIBLLVM_PATH`` must name the library of a newer one. The file
holds means of blocks of 16 x 16 pixels, and their standard errors.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mitsuba as mi
import numpy as np

mi.set_variant("llvm_ad_rgb")
sys.path.insert(0, str(Path(__file__).parents[1]))

from support import anchor_cases as anchor  # noqa: E402
from support import mitsuba_anchor  # noqa: E402

SAMPLES, PICTURES = 64, 16


def main() -> None:
    """Render both."""
    arrays = {}
    for name, shape in (("ball", anchor.ball()), ("suzanne", anchor.suzanne())):
        scene = mitsuba_anchor.scene(shape, mitsuba_anchor.diffuse(anchor.TRUTH["base_color"]))
        pictures = [
            np.array(mi.render(scene, spp=SAMPLES, seed=seed + 1)) for seed in range(PICTURES)
        ]
        mean, error = anchor.mean_and_error(pictures)
        arrays[name], arrays[f"{name}_error"] = mean.astype(np.float32), error.astype(np.float16)
        print(name, mean.mean(axis=(0, 1)), "noise", (error / mean).max())
    np.savez_compressed(Path(__file__).with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main()
