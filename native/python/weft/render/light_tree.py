# SPDX-License-Identifier: Apache-2.0
"""How one of many lights is drawn (native/render/light_sampling.hpp)."""

from __future__ import annotations

from typing import Literal

LightSampling = Literal["auto", "power", "tree"]
"""By their powers, or from a tree (shaders/weft/render/light_tree.slang): Conty Estevez and Kulla
2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting"."""
