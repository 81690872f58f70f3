# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results are written: the mesh itself, or the points of an object that carries them.

A carrier is in no scene and has one user, the modifier: without it Blender does not save it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import bpy

from ...core.slang_nodes.interface import CARRIED, CARRIER, DATA
from ..slang_nodes.tags import PROPERTY, read_tag
from ..slang_nodes.users import is_editable
from .arrays import remove_attributes, write_attribute
from .group import PREFIX, result_name
from .modifiers import hold, relate
from .sites import all_sites, by_mesh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ...core.evaluation.plan import Plan
    from .sites import Site

CARRIER_MARK = "weft_carrier"
_LETTERS = 8
"""Of what tells the attributes of two sites apart."""


def new_data(site: Site) -> str:
    """Give a site a prefix of attributes of its own, and return it."""
    data = PREFIX + uuid4().hex[:_LETTERS]
    hold(site.original(), site.inputs[DATA], data)
    site.thing.update_tag()
    return data


def provide_carrier(site: Site, is_shared: bool) -> bpy.types.Object:
    """Return the object that carries a site's results; it is made if the site has none.

    Args:
        site: Where.
        is_shared: Another site has the same one: it is a copy's.
    """
    found = site.carrier
    if found is not None and not is_shared and found.data is not None:
        return found
    name = f".weft {site.thing.name}"
    found = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    found[CARRIER_MARK] = True
    modifier = site.original()
    hold(modifier, site.inputs[CARRIER], found)
    relate(modifier)
    site.thing.update_tag()
    return found


def set_carried(site: Site, is_carried: bool) -> None:
    """Let a site's group take results from the carrier, and store its inputs; or not."""
    if site.is_carried == is_carried:
        return
    modifier = site.original()
    hold(modifier, site.inputs[CARRIED], is_carried)
    if not is_carried:
        carrier = site.carrier
        hold(modifier, site.inputs[CARRIER], None)
        if carrier is not None:
            remove_carrier(carrier)
        relate(modifier)
    site.thing.update_tag()


def remove_carrier(carrier: bpy.types.Object) -> None:
    """Remove a carrier that no modifier has any more."""
    if CARRIER_MARK in carrier:
        _remove_unused([carrier])


def _remove_unused(carriers: list[bpy.types.Object]) -> None:
    # One map for all: it looks at the whole file.
    users = bpy.data.user_map(subset=set(carriers)) if carriers else {}
    for carrier in [one for one in carriers if not users[one]]:
        mesh = carrier.data
        bpy.data.objects.remove(carrier)
        if mesh is not None and mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def remove_unused_carriers() -> int:
    """Remove the carriers whose modifiers are gone; return how many carriers there were.

    Blender 5.2 goes on counting the user that a removed modifier was.
    """
    carriers = [one for one in bpy.data.objects if CARRIER_MARK in one]
    _remove_unused(carriers)
    return len(carriers)


def write_results(
    site: Site, plan: Plan, values: dict[str, NDArray], count: int, is_carried: bool
) -> None:
    """Write results where the group takes them, and have Blender evaluate it again."""
    data = site.data
    if is_carried:
        carrier = site.carrier
        assert carrier is not None
        geometry, domain = carrier.data, "POINT"
        if len(geometry.vertices) != count:
            geometry.clear_geometry()
            geometry.vertices.add(count)
    else:
        geometry, domain = site.thing.data, plan.domain
    names = {output: result_name(data, output.value.name) for output in plan.outputs}
    remove_attributes(geometry, f"{data}_", keep=frozenset(names.values()))
    for output, name in names.items():
        write_attribute(geometry, name, output.value.attribute, domain, values[output.value.name])
    geometry.update_tag()


def has_results(site: Site, plan: Plan, count: int, is_carried: bool) -> bool:
    """Return whether results are still where they were written: meshes are also made anew."""
    holder = site.carrier if is_carried else site.thing
    geometry = None if holder is None else holder.data
    if geometry is None or (is_carried and len(geometry.vertices) != count):
        return False
    names = geometry.attributes.keys()
    return all(result_name(site.data, output.value.name) in names for output in plan.outputs)


def clean(site: Site) -> None:
    """Remove the attributes of a site from the mesh; its results stay until they are evaluated.

    Where another object has them, too, the site leaves them to it.
    """
    data = site.data
    geometry = site.thing.data
    if not data or not _is_writable(geometry):
        return
    others = [one for one in bpy.data.objects if one.data == geometry and one != site.thing]
    if any(own.data == data for own in all_sites(others)):
        new_data(site)
    else:
        remove_attributes(geometry, f"{data}_")


def has_attributes(geometry: bpy.types.ID | None) -> bool:
    """Return whether a mesh, curves or points have attributes of ours that can be removed."""
    return _is_writable(geometry) and any(
        name.startswith(PREFIX) for name in geometry.attributes.keys()
    )


def is_edited(geometry: bpy.types.ID | None) -> bool:
    """Return whether an object with this mesh is in edit mode."""
    return bool(getattr(geometry, "is_editmode", False))


def _is_writable(geometry: bpy.types.ID | None) -> bool:
    return hasattr(geometry, "attributes") and is_editable(geometry) and not is_edited(geometry)


def remove_stale(geometries: Iterable[bpy.types.ID] | None = None) -> None:
    """Remove the attributes that no modifier reads any more: it was removed, applied or joined.

    Args:
        geometries: Where they are looked for; ``None``: in the whole file.
    """
    if geometries is None:
        geometries = (*bpy.data.meshes, *bpy.data.hair_curves, *bpy.data.pointclouds)
    found = [geometry for geometry in geometries if has_attributes(geometry)]
    if not found or any(PROPERTY in one and read_tag(one) is None for one in bpy.data.node_groups):
        return  # groups of a newer extension may read them
    carried = {one.data for one in bpy.data.objects if CARRIER_MARK in one}
    used = by_mesh(all_sites(bpy.data.objects))
    for geometry in found:
        if geometry in carried:
            continue
        kept = {site.data for site in used.get(geometry.session_uid, ())}
        for name in geometry.attributes.keys():
            if name.startswith(PREFIX) and name[: len(PREFIX) + _LETTERS] not in kept:
                geometry.attributes.remove(geometry.attributes[name])
