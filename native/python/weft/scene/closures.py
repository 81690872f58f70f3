# SPDX-License-Identifier: Apache-2.0
"""The closures that materials are made of, as native/scene/closures.cpp has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from weft._native import closure_table

if TYPE_CHECKING:
    from collections.abc import Mapping

Scale = Literal["linear", "log"]
T = TypeVar("T")


@dataclass(frozen=True)
class Input:
    """An input of a closure.

    Args:
        default: One number or a colour, which also says how many components the input has.
        low: Smallest sensible value, the default bound of fits.
        high: Largest sensible value.
        is_separable: Of a colour: red acts on red only, and so on. Not so where a layer dims what
            lies below it by its largest channel.
        drives_transparency: It drives the surface's transparency.
        is_walk: It says where light goes below the surface; no derivative tells of that.
        scale: On which fits take steps: ``log`` for what spans orders of magnitude.
        fit_low: Smallest value that a fit tries unless it is told another; ``None``: `low`.
    """

    default: float | tuple[float, float, float]
    low: float = 0.0
    high: float = 1.0
    is_separable: bool = True
    drives_transparency: bool = False
    is_walk: bool = False
    scale: Scale = "linear"
    fit_low: float | None = None


@dataclass(frozen=True)
class Hiding:
    """Conditions under which inputs have no effect.

    Args:
        hidden: Names of inputs; those that begin with one that ends in ``_`` as well.
        when: Value near which each of the other inputs must lie.
    """

    hidden: tuple[str, ...]
    when: Mapping[str, float]

    def hides(self, name: str) -> bool:
        """Return whether the rule is about an input."""
        return (
            any(
                name == entry or (entry.endswith("_") and name.startswith(entry))
                for entry in self.hidden
            )
            and name not in self.when
        )


@dataclass(frozen=True)
class ClosureSpec:
    """How a closure becomes Slang.

    Args:
        inputs: By name.
        bsdf: Slang type; ``{features}`` is replaced by flags of what is in use.
        construct: Slang expression of the BSDF; ``{name}`` stands for the value of an input,
            ``{wi}`` for the direction
            of the viewer in the local frame.
        emission: Slang expression of the radiance, or "".
        structure: Slang structure that gathers the inputs, "" if the BSDF takes them one by one.
            It has Blender's
            defaults; inputs that are not given stay at them and are no parameters, but for those
            in `always`.
        always: Inputs that are parameters even if not given.
        features: Flags of the BSDF that are set if one of the inputs is given; the empty name
            holds those of all.
        normals: Inputs that are normals: unit vectors in world space, left out of `inputs` because
            they have no default and no derivative.
        tangents: As `normals`, inputs that are tangents: vectors of any length, from which long
            highlights count the rotation.
        sides: How the BSDF is cut off behind a surface whose normal it does not share, see
            shaders/weft/bsdf/normals.slang.
        ensures_valid_reflection: Normals are turned to where the viewer is reflected to above the
            surface, as by Cycles.
        options: Choices that are no numbers: name -> value -> flags of the BSDF. The first value
            is the default.
        hiding: Which inputs are without effect while others have a certain value.
    """

    inputs: Mapping[str, Input]
    bsdf: str
    construct: str
    emission: str = ""
    structure: str = ""
    always: tuple[str, ...] = ()
    features: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    normals: tuple[str, ...] = ()
    tangents: tuple[str, ...] = ()
    sides: str = "kOwnSides"
    ensures_valid_reflection: bool = True
    options: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    hiding: tuple[Hiding, ...] = ()


def _frozen(entries: Mapping[str, T]) -> Mapping[str, T]:
    return MappingProxyType(dict(entries))


def _spec(fields: dict[str, Any]) -> ClosureSpec:
    """Return an entry of the table that the native part has."""
    return ClosureSpec(
        _frozen({name: Input(**entry) for name, entry in fields["inputs"].items()}),
        features=_frozen(fields["features"]),
        options=_frozen({name: _frozen(entry) for name, entry in fields["options"].items()}),
        hiding=tuple(Hiding(hidden, _frozen(when)) for hidden, when in fields["hiding"]),
        **{name: fields[name] for name in _AS_THEY_ARE},
    )


_AS_THEY_ARE = (
    "bsdf",
    "construct",
    "emission",
    "structure",
    "always",
    "normals",
    "tangents",
    "sides",
    "ensures_valid_reflection",
)

CLOSURES: Mapping[str, ClosureSpec] = _frozen(
    {kind: _spec(fields) for kind, fields in closure_table().items()}
)

WALKS: Mapping[str, Mapping[str, tuple[str, ...]]] = CLOSURES["subsurface"].options
"""How light wanders below a surface: as Blender's methods, and whether it does so behind a diffuse
bounce (Blender 4.5: not)."""
