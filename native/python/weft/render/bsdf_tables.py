# SPDX-License-Identifier: Apache-2.0
"""The tables that BSDFs of ``import weft.bsdf;`` read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weft
from weft._native import Device, Tensor

__all__ = ["bsdf_tables", "tables_path"]


def tables_path() -> Path:
    """Return the file of all tables, one row of float32."""
    return Path(weft.__file__).parent / "shaders" / "weft" / "bsdf" / "tables.npy"


def bsdf_tables(device: Device) -> Tensor:
    """Load the tables of all BSDFs; a device needs them once.

    Returns:
        20256 numbers, float32, for the field ``data`` of Slang's ``BsdfTables``. Constants.

    Raises:
        DeviceError: The memory could not be allocated.

    Example:
        >>> tables = {"data": weft.render.bsdf_tables(device)}
        >>> light = module.shade(inputs, wi, wo, tables)
    """
    return weft.Tensor.from_numpy(device, np.load(tables_path()))
