# SPDX-License-Identifier: Apache-2.0
"""Compute the tables of shaders/weft/bsdf; writes ``tables.npy`` beside this file.

    python shaders/weft/bsdf/make_tables.py integrals
    python shaders/weft/bsdf/make_tables.py thin_film

``integrals`` takes half a minute and needs numpy. ``thin_film`` needs colour-science and scipy, for
the CIE 1931 2 degree colour matching functions. The third part, the sheen's, is measured by
``tests/golden/cycles_sheen.py``. Each part leaves the others as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[3]
TABLES = Path(__file__).with_name("tables.npy")
sys.path.insert(0, str(ROOT / "native" / "python" / "weft" / "render"))

XYZ_TO_RGB = np.array(
    [
        [3.2404542, -1.5371385, -0.4985314],
        [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]
)
"""From CIE XYZ to linear Rec. 709 (D65), Blender's default working space."""


def thin_film() -> dict[str, np.ndarray]:
    """Return the Fourier transform of the colour matching functions over the wave number.

    Belcour and Barla, "A practical extension to microfacet theory for the modeling of varying
    iridescence", ACM TOG 36(4), 2017, section 4; 512 entries for optical paths from 0 to
    60/(2 pi) micrometres, red, green, blue, the real parts first; the first entry is 1.
    """
    import colour
    from scipy.interpolate import CubicSpline

    functions = colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"]
    wavelength = np.concatenate([[359], functions.wavelengths, [831]])
    values = np.pad(functions.values, ((1, 1), (0, 0)))
    spline = CubicSpline(wavelength, values, extrapolate=False)
    samples = 1022
    wave = np.maximum(np.arange(samples) * (np.pi / 60), 1e-40)
    spectrum = np.nan_to_num(spline(1000 / wave) / wave[:, None] ** 2)
    transform = np.fft.rfft(spectrum @ XYZ_TO_RGB.T, axis=0)
    transform /= transform[0].real
    return {"thin_film": np.concatenate([transform.real, transform.imag], axis=1)}


def update(parts: dict[str, np.ndarray]) -> None:
    """Replace parts of the file."""
    from bsdf_layout import LAYOUT

    sizes = {name: int(np.prod(shape)) for name, shape in LAYOUT.items()}
    tables = np.zeros(sum(sizes.values()), np.float32)
    if TABLES.exists():
        tables = np.load(TABLES)
    offset = 0
    for name, size in sizes.items():
        if name in parts:
            tables[offset : offset + size] = np.reshape(parts[name], -1)
        offset += size
    np.save(TABLES, tables)


def main() -> None:
    """Compute the parts that were asked for."""
    for name in sys.argv[1:]:
        if name == "integrals":
            from bsdf_integrals import compute_tables

            update(compute_tables())
        elif name == "thin_film":
            update(thin_film())
        else:
            sys.exit(f"{name}: expected integrals or thin_film")


if __name__ == "__main__":
    main()
