# SPDX-License-Identifier: Apache-2.0
"""Whether the brightness of an unknown environment can be told from what else is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.exposure import Exposure
from weft.fit.parameters import Parameter
from weft.fit.texture_parameters import TextureParameter
from weft.render.first_hits import find_first_hits
from weft.scene.changes import names_of_inputs

if TYPE_CHECKING:
    from weft.fit.inputs import FitInputs
    from weft.fit.unknown_environment import EnvironmentParameter

ALBEDOS = ("base_color", "color")
TRADE_OFF = (
    "the brightness of the environment and the base colours trade off: no material whose colour is "
    "known is seen, nor the environment itself; leave one known colour out of the fit (a grey "
    "card), or give one a prior"
)
EXPOSED = (
    "the brightness of the environment and the exposures trade off: leave the exposure of one "
    "picture out of the fit"
)


def find_trade_off(fit: FitInputs, parameter: EnvironmentParameter) -> str | None:
    """Return in words what the brightness of the environment cannot be told from; None: nothing."""
    if _are_all_exposed(fit):
        return EXPOSED
    scene, free = fit.renderer.scene, _free_names(fit)
    seen: set[int] = set()
    for target in fit.targets:
        assert target.mask is not None
        shown = find_first_hits(fit.renderer, scene.camera(target.camera)).materials
        seen |= set(np.unique(shown[target.mask > 0]).tolist())
    for number, material in enumerate(scene.materials()):
        if number not in seen:
            continue
        if material.name == parameter.name or not names_of_inputs(material, ALBEDOS) & free:
            return None
    return TRADE_OFF


def _are_all_exposed(fit: FitInputs) -> bool:
    """Return whether the exposure of each picture is unknown."""
    names = {entry.target for entry in fit.parameters if isinstance(entry, Exposure)}
    return bool(names) and (None in names or names >= {target.name for target in fit.targets})


def _free_names(fit: FitInputs) -> set[str]:
    """Return the inputs of which nothing is known."""
    free: set[str] = set()
    for entry in fit.parameters:
        if isinstance(entry, TextureParameter):
            free.add(entry.name)
        elif isinstance(entry, Parameter) and entry.prior is None:
            free |= {entry.name, *entry.tied}
    return free
