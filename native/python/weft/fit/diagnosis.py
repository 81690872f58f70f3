# SPDX-License-Identifier: Apache-2.0
"""Why pictures do not determine a parameter, in words.

Numbers say that it is so: a standard error as large as the range, or a direction in the space of
the parameters along which no picture changes. The scene says why: what the pixels show, and which
inputs switch others off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.hidden_inputs import find_hiding_input, has_own_value
from weft.fit.parameters import result_values
from weft.render.first_hits import find_first_hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.gauss_newton import Information
    from weft.fit.parameters import Block, Parameter, Unknowns
    from weft.fit.target import Target
    from weft.render.renderer import Renderer

LARGE = 0.25  # of the range: an error from which on a value says nothing
WIDEST = 50.0  # ranges beyond are open: errors are compared with the value
TOGETHER = 0.9  # correlation of parameters that take each other's place
SHARED = 0.05  # share of a direction without information that joins two parameters

# What an input shows itself by, for inputs that pictures hardly change with.
SIGNS: Sequence[tuple[str, str]] = (
    ("coat_roughness", "no reflection in its coat is seen"),
    ("diffuse_roughness", "its surface is not seen at grazing light"),
    ("sheen_roughness", "no sheen is seen at its edges"),
    ("roughness", "no highlight or reflection is seen"),
    ("anisotropic_rotation", "no stretched highlight is seen"),
    ("anisotropic", "no highlight is seen"),
    ("anisotropy", "no highlight is seen"),
    ("rotation", "no stretched highlight is seen"),
    ("metallic", "no reflection is seen that tells metal from paint"),
    ("specular_level", "no highlight or reflection is seen"),
    ("specular_tint", "no highlight or reflection is seen"),
    ("edge_tint", "its edges are not seen"),
    ("coat_weight", "no reflection in its coat is seen"),
    ("coat_ior", "no reflection in its coat is seen"),
    ("coat_tint", "too little light passes through its coat"),
    ("sheen_weight", "no sheen is seen at its edges"),
    ("sheen_tint", "no sheen is seen at its edges"),
    ("transmission_weight", "nothing is seen through it"),
    ("ior", "no reflection or refraction is seen"),
)


@dataclass
class Evidence:
    """What a fit knows of its numbers at its end.

    Args:
        renderer: Of the scene.
        targets: With the masks that were used.
        parameters: Of the fit; those that are tied share a reason.
        unknowns: The vector of their components.
        x: What was found, on the scale of the unknowns.
        information: What the draws say.
    """

    renderer: Renderer
    targets: Sequence[Target]
    parameters: Sequence[Parameter]
    unknowns: Unknowns
    x: NDArray[np.float64]
    information: Information

    @cached_property
    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Values by name, those that are tied included."""
        found = dict(result_values(self.unknowns, self.x))
        for parameter in self.parameters:
            found |= dict.fromkeys(parameter.tied, found[parameter.name])
        return found

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """Standard errors in units of the range, on the scale on which they are larger."""
        unknowns = self.unknowns
        values = unknowns.values(self.x)
        extents = unknowns.values(unknowns.high) - unknowns.values(unknowns.low)
        sizes = np.where(extents > WIDEST, np.maximum(np.abs(values) / LARGE, 1e-3), extents)
        errors = self.information.errors
        own = np.where(extents > WIDEST, 0, errors / (unknowns.high - unknowns.low))
        return np.maximum(own, errors * unknowns.slopes(self.x) / sizes)

    @cached_property
    def seen(self) -> dict[str, tuple[bool, bool, bool]]:
        """For each material: it is seen, in pixels that count, and these are not black."""
        materials = self.renderer.scene.materials()
        found = np.zeros((3, len(materials) + 1), bool)
        for target in self.targets:
            shown = find_first_hits(self.renderer, self.renderer.scene.camera(target.camera))
            assert target.mask is not None
            counts = target.mask > 0
            lit = counts & (target.image.max(axis=2) > 1e-5 * max(float(target.image.max()), 1e-30))
            for row, pixels in enumerate((np.ones_like(counts), counts, lit)):
                found[row, np.unique(shown.materials[pixels])] = True
        return {
            material.name: (bool(a), bool(b), bool(c))
            for material, (a, b, c) in zip(materials, found[:, :-1].T, strict=True)
        }


def part_of(block: Block) -> slice:
    """Return the unknowns of a parameter."""
    return slice(block.first, block.first + block.size)


def find_undetermined(evidence: Evidence) -> dict[str, str]:
    """Return the parameters that the pictures do not determine, and why, in words."""
    is_silent = evidence.information.is_silent
    found = {}
    for block in evidence.unknowns.blocks:
        part = part_of(block)
        if not (evidence.errors[part] > LARGE).any():
            continue
        partners = find_partners(evidence, block)
        if is_silent[part].any():
            found[block.name] = explain_silence(evidence, block)
        elif partners:
            found[block.name] = (
                f"it cannot be told apart from {' and '.join(partners)}; hold one of them fixed, "
                "or add a picture in which they differ"
            )
        else:
            found[block.name] = explain_weakness(evidence, block)
    return found


def find_partners(evidence: Evidence, block: Block) -> list[str]:
    """Return the names of parameters that can take the place of one."""
    information = evidence.information
    shared = np.abs(information.lost @ information.lost.T)
    spread = np.sqrt(np.maximum(np.diag(information.covariance), 1e-300))
    correlation = np.abs(information.covariance) / np.outer(spread, spread)
    own = part_of(block)
    partners = []
    for other in evidence.unknowns.blocks:
        if other is block:
            continue
        theirs = part_of(other)
        is_large = (evidence.errors[theirs] > LARGE).any()
        if (shared[own, theirs] > SHARED).any() or (
            is_large and (correlation[own, theirs] > TOGETHER).any()
        ):
            partners.append(phrase(other.name))
    return partners


def phrase(name: str) -> str:
    """Return a parameter as people say it: ``roughness of 'Handle'``."""
    material, _, rest = name.partition(".")
    return f"{rest} of '{material}'" if rest else f"'{name}'"


def explain_silence(evidence: Evidence, block: Block) -> str:
    """Return why nothing changes with a parameter."""
    tied = [
        name for entry in evidence.parameters if entry.name == block.name for name in entry.tied
    ]
    reasons = [_silence_of(evidence, name) for name in (block.name, *tied)]
    return "; ".join(dict.fromkeys(reasons))


def _silence_of(evidence: Evidence, name: str) -> str:
    material = name.partition(".")[0]
    scene = evidence.renderer.scene
    if material in evidence.seen:
        if not has_own_value(scene, name):
            return "the scene gives it no value, and its default has no effect; give it one"
        reason = find_hiding_input(scene, name, evidence.values) or _sight_of(evidence, material)
        if reason is not None:
            return reason
    return "no pixel of the pictures depends on it"


def _sight_of(evidence: Evidence, material: str) -> str | None:
    """Return what keeps a material from being seen; None: it is."""
    is_seen, counts, is_lit = evidence.seen[material]
    objects = dict.fromkeys(
        entry.name
        for entry in evidence.renderer.scene.objects
        if any(own.name == material for own in entry.materials)
    )
    names = " or ".join(f"'{name}'" for name in objects)
    if not is_seen:
        return f"no picture shows {names}"
    if not counts:
        return f"the masks leave out every pixel that shows {names}"
    if not is_lit:
        return f"{names} is black in the pictures: no light reaches it"
    return None


def explain_weakness(evidence: Evidence, block: Block) -> str:
    """Return why the pictures change too little with a parameter."""
    material, _, rest = block.name.partition(".")
    share = float(np.max(evidence.errors[part_of(block)]))
    percent = "larger than" if not share < 1 else f"{100 * share:.0f} % of"
    size = f"its error is {percent} its range"
    reason = None
    if material in evidence.seen:
        scene = evidence.renderer.scene
        reason = find_hiding_input(scene, block.name, evidence.values)
        reason = reason or _sight_of(evidence, material)
        reason = reason or dict(SIGNS).get(rest.rpartition(".")[2])
    return f"{reason or 'the pictures hardly change with it'} ({size})"
