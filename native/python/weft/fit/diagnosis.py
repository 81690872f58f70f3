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
from weft.fit.unknowns import WIDEST, result_values
from weft.render.first_hits import find_first_hits
from weft.scene.parameter_ref import ParameterRef, owner_of, rest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.information import Information
    from weft.fit.parameters import Parameter
    from weft.fit.target import Target
    from weft.fit.unknowns import Block, Unknowns
    from weft.render.renderer import Renderer

LARGE_ERROR = 0.25  # of the range: an error from which on a value says nothing
TRADE_OFF_CORRELATION = 0.9  # correlation of parameters that take each other's place
MOST_PARTNERS = 3  # that are named
NOISE_FRACTION = 0.5  # of a variance: by noise of the draws
SHARED = 0.05  # share of a direction without information that joins two parameters

NO_PIXEL = "no pixel of the pictures depends on it"

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
        information: What the draws say, after textures that are fitted have taken what they can.
        textures: Names of those textures.
    """

    renderer: Renderer
    targets: Sequence[Target]
    parameters: Sequence[Parameter]
    unknowns: Unknowns
    x: NDArray[np.float64]
    information: Information
    textures: Sequence[str] = ()

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
        sizes = np.where(extents > WIDEST, np.maximum(np.abs(values) / LARGE_ERROR, 1e-3), extents)
        errors = self.information.errors
        own = np.where(extents > WIDEST, 0, errors / (unknowns.high - unknowns.low))
        return np.maximum(own, errors * unknowns.derivatives(self.x) / sizes)

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


def find_undetermined(evidence: Evidence) -> dict[str, str]:
    """Return the parameters that the pictures do not determine, and why, in words."""
    blocks = [
        block
        for block in evidence.unknowns.blocks
        if (evidence.errors[block.part] > LARGE_ERROR).any()
    ]
    reasons = {block.name: explain_by_scene(evidence, block) for block in blocks}
    # What the scene explains needs no partner, and noise alone makes it one.
    plain = [block for block in blocks if reasons[block.name] is None]
    return {
        block.name: _why_undetermined(evidence, block, reasons[block.name], plain)
        for block in blocks
    }


def _why_undetermined(
    evidence: Evidence, block: Block, by_scene: str | None, others: Sequence[Block]
) -> str:
    """Return why the pictures do not determine a parameter.

    Args:
        evidence: Of the fit.
        block: The parameter's.
        by_scene: What the scene explains of it.
        others: Those that it may be mistaken for.
    """
    is_silent = evidence.information.is_silent[block.part].any()
    partners = [] if by_scene or is_silent else find_partners(evidence, block, others)
    if is_silent and not by_scene:
        partners = [f"the texture {phrase(name)}" for name in evidence.textures]
    if partners:
        return (
            f"it cannot be told apart from {' and '.join(partners)}; hold one of them fixed, "
            "or add a picture in which they differ"
        )
    if is_silent:
        return by_scene or NO_PIXEL
    shown = by_scene or f"{_sign_of(block)}{_noise_of(evidence, block)}"
    return f"{shown}{_size_of(evidence, block)}"


def _noise_of(evidence: Evidence, block: Block) -> str:
    """Return that noise of the draws hides a parameter, where it is most of the error."""
    shares = evidence.information.drawn_share
    if not len(shares) or shares[block.part].max() < NOISE_FRACTION:
        return ""
    return ", or too seldom by the paths that are drawn: raise samples or max_iterations"


def find_partners(evidence: Evidence, block: Block, others: Sequence[Block]) -> list[str]:
    """Return the names of parameters, among others, that can take the place of one."""
    information = evidence.information
    shared = np.abs(information.lost @ information.lost.T)
    spread = np.sqrt(np.maximum(np.diag(information.covariance), 1e-300))
    correlation = np.abs(information.covariance) / np.outer(spread, spread)
    own = block.part
    partners = []
    for other in others:
        theirs = other.part
        if other is not block and (
            (shared[own, theirs] > SHARED).any()
            or (correlation[own, theirs] > TRADE_OFF_CORRELATION).any()
        ):
            partners.append((float(correlation[own, theirs].max()), phrase(other.name)))
    partners.sort(key=lambda entry: -entry[0])
    names = [name for _, name in partners[:MOST_PARTNERS]]
    more = len(partners) - len(names)
    return names if more <= 0 else [*names, f"{more} more"]


def phrase(name: str) -> str:
    """Return a parameter as people say it: ``roughness of 'Handle'``."""
    rest = rest_of(name)
    return f"{rest} of '{owner_of(name)}'" if rest else f"'{name}'"


def explain_by_scene(evidence: Evidence, block: Block) -> str | None:
    """Return why nothing changes with a parameter, from what the scene is; None: it may."""
    if block.is_factor:
        return None
    names: list[str] = [block.name]
    for entry in evidence.parameters:
        names += entry.tied if entry.name == block.name else ()
    reasons = [_reason_of(evidence, name) for name in names]
    if any(reason is None for reason in reasons):
        return None
    return "; ".join(dict.fromkeys(filter(None, reasons)))


def _reason_of(evidence: Evidence, name: str) -> str | None:
    material = owner_of(name)
    if material not in evidence.seen:
        return None
    scene = evidence.renderer.scene
    if not has_own_value(scene, name):
        return "the scene gives it no value, and its default has no effect; give it one"
    return find_hiding_input(scene, name, evidence.values) or _sight_of(evidence, material)


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


def _sign_of(block: Block) -> str:
    """Return what a parameter would show itself by."""
    return dict(SIGNS).get(ParameterRef(block.name).input, "the pictures hardly change with it")


def _size_of(evidence: Evidence, block: Block) -> str:
    """Return the size of the error in words; nothing where it is infinite."""
    share = float(np.max(evidence.errors[block.part]))
    if not np.isfinite(share):
        return ""
    percent = f"{100 * share:.0f} % of" if share < 1 else "larger than"
    return f" (its error is {percent} its range)"
