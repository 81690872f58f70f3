# SPDX-License-Identifier: Apache-2.0
"""The closures that materials are made of: one entry each.

A new BSDF of shaders/weft/bsdf needs one entry here, see docs/adding_a_bsdf.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Input:
    """An input of a closure.

    Args:
        default: One number or a colour, which also says how many components the input has.
        low: Smallest sensible value, the default bound of fits.
        high: Largest sensible value.
        is_separable: Of a colour: red acts on red only, and so on. Not so where a layer dims what
            lies below it by its largest channel.
        is_passing: It says what light passes the surface straight.
        is_walk: It says where light goes below the surface; no derivative tells of that.
        scale: On which fits take steps: ``log`` for what spans orders of magnitude.
        fit_low: Smallest value that a fit tries unless it is told another; ``None``: `low`.
    """

    default: float | tuple[float, float, float]
    low: float = 0.0
    high: float = 1.0
    is_separable: bool = True
    is_passing: bool = False
    is_walk: bool = False
    scale: Scale = "linear"
    fit_low: float | None = None


def _roughness(default: float, *, is_walk: bool = False) -> Input:
    """Return the input for a roughness: below 0.02 it is a mirror, which has no derivative."""
    return Input(default, is_walk=is_walk, scale="log", fit_low=0.02)


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
        is_raised: Normals are turned to where the viewer is reflected to above the surface.
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
    is_raised: bool = True
    options: Mapping[str, Mapping[str, tuple[str, ...]]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    hiding: tuple[Hiding, ...] = ()


def _distribution(*values: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the option that chooses the distribution of microfacets."""
    return MappingProxyType({"distribution": {value: _DISTRIBUTIONS[value] for value in values}})


_DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "multi_ggx": ("kMultiscatter",),
        "ggx": (),
        "beckmann": ("kBeckmann",),
        "ashikhmin_shirley": ("kShirley",),
    }
)

WALKS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "subsurface_method": {
            "random_walk": (),
            "random_walk_skin": ("kSkin",),
            "random_walk_5_2": ("kHulst",),
        },
        "subsurface_after_diffuse": {"walk": (), "diffuse": ()},
    }
)
"""How light wanders below a surface: as Blender's methods, and whether it does so behind a diffuse
bounce (Blender 4.5: not)."""

WHITE = (1.0, 1.0, 1.0)
COLOR = Input((0.8, 0.8, 0.8))

# Blender's inputs; ranges are those of its node, where they are open the range of fits.
PRINCIPLED: Mapping[str, Input] = MappingProxyType(
    {
        "base_color": COLOR,
        "metallic": Input(0.0),
        "roughness": _roughness(0.5),
        "ior": Input(1.5, 1.0, 4.0),
        "alpha": Input(1.0, is_passing=True),
        "diffuse_roughness": _roughness(0.0),
        "subsurface_weight": Input(0.0),
        "subsurface_radius": Input((1.0, 0.2, 0.1), 0.0, 10.0),
        "subsurface_scale": Input(0.05, 0.0, 10.0),
        "subsurface_ior": Input(1.4, 1.01, 3.8, is_walk=True),
        "subsurface_anisotropy": Input(0.0, 0.0, 0.9, is_walk=True),
        "specular_level": Input(0.5),
        "specular_tint": Input(WHITE, is_separable=False),
        "anisotropic": Input(0.0),
        "anisotropic_rotation": Input(0.0),
        "transmission_weight": Input(0.0),
        "coat_weight": Input(0.0),
        "coat_roughness": _roughness(0.03),
        "coat_ior": Input(1.5, 1.0, 4.0),
        "coat_tint": Input(WHITE),
        "sheen_weight": Input(0.0),
        "sheen_roughness": _roughness(0.5),
        "sheen_tint": Input(WHITE, is_separable=False),
        "emission_color": Input(WHITE, 0.0, 1e6),
        "emission_strength": Input(0.0, 0.0, 1e6),
        "thin_film_thickness": Input(0.0, 0.0, 1e4),
        "thin_film_ior": Input(1.33, 1.0, 4.0),
    }
)

PRINCIPLED_HIDING = (
    Hiding(
        ("ior", "specular_level", "diffuse_roughness", "subsurface_", "transmission_weight"),
        {"metallic": 1},
    ),
    Hiding(("diffuse_roughness", "subsurface_"), {"transmission_weight": 1}),
    Hiding(("coat_",), {"coat_weight": 0}),
    Hiding(("sheen_",), {"sheen_weight": 0}),
    Hiding(("subsurface_",), {"subsurface_weight": 0}),
    Hiding(("thin_film_ior",), {"thin_film_thickness": 0}),
    Hiding(("emission_color",), {"emission_strength": 0}),
    Hiding(("emission_strength",), {"emission_color": 0}),
    Hiding(("anisotropic_rotation",), {"anisotropic": 0}),
    Hiding(
        ("roughness", "ior", "specular_tint", "anisotropic", "anisotropic_rotation"),
        {"specular_level": 0, "metallic": 0, "transmission_weight": 0},
    ),
)
NO_ROTATION = Hiding(("rotation",), {"anisotropy": 0})
NO_FILM = Hiding(("thin_film_ior",), {"thin_film_thickness": 0})

CLOSURES: Mapping[str, ClosureSpec] = MappingProxyType(
    {
        "diffuse": ClosureSpec(
            {"color": COLOR, "roughness": _roughness(0.0)},
            "DiffuseBSDF<{features}>",
            "DiffuseBSDF<{features}>.prepare({color}, {roughness}, {wi})",
            features=MappingProxyType({"": ("kPlain",), "kDiffuseRoughness": ("roughness",)}),
            normals=("normal",),
            sides="kSoftSides",
            is_raised=False,
        ),
        "principled": ClosureSpec(
            PRINCIPLED,
            "PrincipledBSDF<{features}>",
            "PrincipledBSDF<{features}>.prepare({structure}, {wi}, s.isBackface, m.tables())",
            "{bsdf}.emission()",
            "PrincipledInputs",
            ("base_color", "roughness"),
            MappingProxyType(
                {
                    "": ("kDielectric",),
                    "kMetal": ("metallic",),
                    "kDiffuseRoughness": ("diffuse_roughness",),
                    "kAnisotropy": ("anisotropic",),
                    "kCoat": ("coat_weight",),
                    "kSheen": ("sheen_weight",),
                    "kThinFilm": ("thin_film_thickness",),
                    "kGlass": ("transmission_weight",),
                    "kAlpha": ("alpha",),
                    "kNormal": ("normal", "coat_normal"),
                    "kSubsurface": ("subsurface_weight",),
                }
            ),
            ("normal", "coat_normal"),
            ("tangent",),
            options=MappingProxyType({**_distribution("multi_ggx", "ggx"), **WALKS}),
            hiding=PRINCIPLED_HIDING,
        ),
        "glossy": ClosureSpec(
            {
                "color": COLOR,
                "roughness": _roughness(0.5),
                "anisotropy": Input(0.0, -0.99, 0.99),
                "rotation": Input(0.0),
            },
            "GlossyBSDF<{features}>",
            "GlossyBSDF<{features}>.prepare({color}, {roughness}, {anisotropy}, {rotation}, {wi}, "
            "m.tables())",
            features=MappingProxyType({"": ("kPlain",), "kAnisotropy": ("anisotropy",)}),
            normals=("normal",),
            tangents=("tangent",),
            sides="kSharpSides",
            options=_distribution("multi_ggx", "ggx", "beckmann", "ashikhmin_shirley"),
            hiding=(NO_ROTATION,),
        ),
        "metallic": ClosureSpec(
            {
                "color": Input((0.617, 0.577, 0.540)),
                "edge_tint": Input((0.695, 0.726, 0.770)),
                "roughness": _roughness(0.5),
                "anisotropy": Input(0.0),
                "rotation": Input(0.0),
                "thin_film_thickness": Input(0.0, 0.0, 1e4),
                "thin_film_ior": Input(1.33, 1.0, 4.0),
            },
            "MetallicBSDF<{features}>",
            "MetallicBSDF<{features}>.prepare({color}, {edge_tint}, {roughness}, {anisotropy}, "
            "{rotation}, float2({thin_film_thickness}, {thin_film_ior}), {wi}, m.tables())",
            features=MappingProxyType(
                {
                    "": ("kPlain",),
                    "kAnisotropy": ("anisotropy",),
                    "kThinFilm": ("thin_film_thickness",),
                }
            ),
            normals=("normal",),
            tangents=("tangent",),
            sides="kSharpSides",
            options=_distribution("multi_ggx", "ggx", "beckmann"),
            hiding=(NO_ROTATION, NO_FILM),
        ),
        "glass": ClosureSpec(
            {
                "color": Input(WHITE),
                "roughness": _roughness(0.0),
                "ior": Input(1.5, 1.0, 4.0),
                "thin_film_thickness": Input(0.0, 0.0, 1e4),
                "thin_film_ior": Input(1.33, 1.0, 4.0),
            },
            "GlassBSDF<{features}>",
            "GlassBSDF<{features}>.prepare({color}, {roughness}, {ior}, "
            "float2({thin_film_thickness}, {thin_film_ior}), {wi}, s.isBackface, m.tables())",
            features=MappingProxyType({"": ("kPlain",), "kThinFilm": ("thin_film_thickness",)}),
            normals=("normal",),
            sides="kSharpSides",
            options=_distribution("multi_ggx", "ggx", "beckmann"),
            hiding=(NO_FILM,),
        ),
        "refraction": ClosureSpec(
            {"color": Input(WHITE), "roughness": _roughness(0.0), "ior": Input(1.45, 1.0, 4.0)},
            "RefractionBSDF<{features}>",
            "RefractionBSDF<{features}>.prepare({color}, {roughness}, {ior}, {wi}, s.isBackface, "
            "m.tables())",
            features=MappingProxyType({"": ("kPlain",)}),
            normals=("normal",),
            sides="kSharpSides",
            options=_distribution("ggx", "beckmann"),
        ),
        "sheen": ClosureSpec(
            {"color": COLOR, "roughness": _roughness(0.5)},
            "SheenBSDF",
            "SheenBSDF.prepare({color}, {roughness}, {wi}, m.tables())",
            normals=("normal",),
            sides="kSoftSides",
            is_raised=False,
        ),
        "velvet": ClosureSpec(
            {"color": COLOR, "roughness": _roughness(0.5)},
            "VelvetBSDF",
            "VelvetBSDF.prepare({color}, {roughness}, {wi})",
            normals=("normal",),
            sides="kSoftSides",
            is_raised=False,
        ),
        "translucent": ClosureSpec(
            {"color": COLOR},
            "TranslucentBSDF",
            "TranslucentBSDF.prepare({color})",
            normals=("normal",),
            sides="kSoftSides",
        ),
        "subsurface": ClosureSpec(
            {
                "color": COLOR,
                "radius": Input((1.0, 0.2, 0.1), 0.0, 10.0),
                "scale": Input(0.05, 0.0, 10.0),
                "roughness": _roughness(1.0, is_walk=True),
                "ior": Input(1.4, 1.01, 3.8, is_walk=True),
                "anisotropy": Input(0.0, 0.0, 0.9, is_walk=True),
            },
            "SubsurfaceBSDF<{features}>",
            "SubsurfaceBSDF<{features}>.prepare({color}, {radius}, {scale}, {roughness}, {ior}, "
            "{anisotropy}, {walks}, {wi})",
            features=MappingProxyType({"": ("kSubsurface",)}),
            normals=("normal",),
            sides="kSoftSides",
            options=WALKS,
        ),
        "transparent": ClosureSpec(
            {"color": Input(WHITE, is_passing=True)},
            "TransparentBSDF",
            "TransparentBSDF.prepare({color}, {wi})",
            is_raised=False,
        ),
        "emission": ClosureSpec(
            {
                "color": Input(WHITE, 0.0, 1e6),
                "strength": Input(1.0, 0.0, 1e6),
                "both_sides": Input(1.0),
            },
            "NullBSDF",
            "NullBSDF.prepare()",
            "({both_sides} > 0.5f || !s.isBackface ? {strength} : 0.f) * {color}",
            is_raised=False,
            hiding=(Hiding(("color",), {"strength": 0}), Hiding(("strength",), {"color": 0})),
        ),
        "medium": ClosureSpec(
            {
                "absorption": Input((0.0, 0.0, 0.0), 0.0, 100.0),
                "scattering": Input((0.0, 0.0, 0.0), 0.0, 100.0),
                "emission": Input((0.0, 0.0, 0.0), 0.0, 1e6),
                "anisotropy": Input(0.0, -0.99, 0.99),
            },
            "NullBSDF",
            "NullBSDF.prepare()",
            is_raised=False,
            hiding=(Hiding(("anisotropy",), {"scattering": 0}),),
        ),
        "none": ClosureSpec({}, "NullBSDF", "NullBSDF.prepare()", is_raised=False),
    }
)
