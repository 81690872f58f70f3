# SPDX-License-Identifier: GPL-3.0-or-later
"""What a baked group remembers of the last bake: one ID-property of the tree, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ...core.baking.raster import MAX_SPANNED_IMAGES

if TYPE_CHECKING:
    import bpy

    from ...core.baking.bake import Report

PROPERTY = "weft_bake_record"


@dataclass(frozen=True)
class Record:
    """The last bake of a group.

    Args:
        state: Hash of all that it was made from, "": nothing was baked.
        size: Texels along each side, 0: of an attribute.
        error: Why it is not what its inputs say now; "": it is.
        notes: What people should know, one sentence each.
        seconds: How long the bake took.
    """

    state: str = ""
    size: int = 0
    error: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def read_record(group: bpy.types.NodeTree) -> Record:
    """Return what a group remembers."""
    try:
        found = json.loads(group.get(PROPERTY, "{}"))
        known = {key: value for key, value in found.items() if key in Record.__annotations__}
        return Record(**{**known, "notes": tuple(known.get("notes", ()))})
    except (ValueError, TypeError, AttributeError):
        return Record()


def write_record(group: bpy.types.NodeTree, record: Record) -> None:
    """Write it, if it is another one."""
    if record != read_record(group):
        group[PROPERTY] = json.dumps(asdict(record))


def notes_of(report: Report, size: int) -> tuple[str, ...]:
    """Return what people should know of a bake, one sentence each."""
    found = []
    if report.bad.count:
        found.append(
            f"the function gives no number at {report.bad.count} places, first at "
            f"{report.bad.first}; they are black"
        )
    if report.crowded > 0.0005:
        found.append(
            f"objects overlap in the UV map: {report.crowded:.1%} of the texels are shared, and "
            "show the last one; move the UV maps apart, or bake a color attribute"
        )
    if report.folded > 0.0005:
        found.append(
            f"parts of one object overlap in the UV map: {report.folded:.1%} of the texels show "
            "one of them"
        )
    if report.without:
        found.append(f"without UV map, and not baked: {', '.join(report.without)}")
    if report.gaps:
        found.append(f"tiles without a face: {', '.join(map(str, report.gaps))}")
    if report.outside:
        found.append(f"{report.outside} triangles lie in no tile")
    if report.stretched:
        found.append(
            f"{report.stretched} triangles reach over more than {MAX_SPANNED_IMAGES} images of the "
            "UV map, and are not baked"
        )
    if size and report.covered and report.covered * size * size < 64:
        found.append(f"the UV map covers {report.covered * size * size:.0f} texels alone")
    return tuple(found)
