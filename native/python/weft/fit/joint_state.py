# SPDX-License-Identifier: Apache-2.0
"""What the phases of a fit of scalar parameters together with textures share.

Scalar parameters that untextured pixels determine well are optimised on those pixels only, and
re-optimised after 25 % and 50 % of the texture iterations and at the end: what a texture looks like
matters little in such pixels, and an iteration of few pixels costs little. All other scalar
parameters move together with the textures (see JointModel).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft._native import JointModel, MapReweighting, TextureModel
    from weft.fit.information import Information

PASS_FRACTIONS = (0.0, 0.25, 0.5, 1.0)  # of the texture iterations: scalar passes come after them

Selection = dict[str, "NDArray[np.generic]"]
"""Pixels and weights of all views, as Views.save() returns them."""


@dataclass
class JointState:
    """What the phases of a joint fit share.

    Args:
        images: Model of the textures.
        model: Of the scalars and textures together.
        weighing: When the pixels of photos are weighed anew.
        shown: Which pixels of each view show textures that change, or lie close to one that does.
        selections: Pixel selections and weights, of ``"scalars"`` and of ``"textures"``.
        iterations: Of the textures so far.
        passes: Scalar passes that have ended.
        found: What the last of these says of the scalars; ``None``: nothing.
    """

    images: TextureModel
    model: JointModel
    weighing: MapReweighting
    shown: list[NDArray[np.bool_]]
    selections: dict[str, Selection] = field(default_factory=dict)
    iterations: int = 0
    passes: int = 0
    found: Information | None = None
