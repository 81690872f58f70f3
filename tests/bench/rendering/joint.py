# SPDX-License-Identifier: Apache-2.0
"""Errors of fits of numbers and a texture together, and how often error bars cover the truth.

Prints one JSON line a fit, then one of all: photos and fits of different seeds, of
``tests/support/joint_cases.py``.

./dev python tests/bench/rendering/joint.py [--seeds 8] [--draws 40]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from curves import Spent, report

import weft

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support.joint_cases import fit_photos, take_photos


def main() -> None:
    """Fit each seed's photos."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--draws", type=int, default=40)
    arguments = parser.parse_args()
    device = weft.create_device()
    outcomes = []
    for seed in range(arguments.seeds):
        photos = take_photos(device, 1000 + seed)
        began = Spent.now()
        found = fit_photos(device, photos, seed, texture_iterations=arguments.draws)
        outcomes.append(found)
        report(
            seed=seed,
            errors=np.round(found.errors, 4).tolist(),
            standard_errors=np.round(found.standard_errors, 4).tolist(),
            texture=round(found.texture, 4),
            reason=found.reason,
            cpu_seconds=round(Spent.now().since(began).cpu_seconds, 1),
        )
    errors = np.array([found.errors for found in outcomes])
    bars = np.array([found.standard_errors for found in outcomes])
    report(
        rms_errors=np.round(np.sqrt((errors**2).mean(axis=0)), 4).tolist(),
        median_standard_errors=np.round(np.median(bars, axis=0), 4).tolist(),
        within_two=float((np.abs(errors) <= 2 * bars).mean()),
        within_one=float((np.abs(errors) <= bars).mean()),
        texture=round(float(np.mean([found.texture for found in outcomes])), 4),
    )


if __name__ == "__main__":
    main()
