# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's world as an environment of `weft.scene`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.scene import Environment, SunLight

from ..core.graph.compile import AttributeTable, compile_material
from ..core.graph.nodes.sky import find_suns
from ..core.graph.outputs import choose_output, output_kinds
from ..core.problems import Problem
from ..core.sky import (
    draw_sky,
    draw_views,
    find_plain_sky,
    key_of,
    look_at_sky,
    sky_width,
)
from .graphs import read_graph
from .versions import node_tree_of
from .visibility import RAYS

if TYPE_CHECKING:
    from collections.abc import Callable

    import bpy

    from ..core.graph.compile import CompiledMaterial
    from ..core.graph.model import Graph, Images

Found = tuple[Environment | None, list[SunLight], list[Problem]]


class WorldStore:
    """The world's light, made anew when its nodes or images change.

    Args:
        device: Returns the device that skies are drawn on; ``None``: one is created for it.
    """

    def __init__(self, device: Callable[[], weft.Device] | None) -> None:
        self._device = device or weft.create_device
        self._key = b""
        self._found: Found = (None, [], [])

    def export(self, world: bpy.types.World | None, images: Images) -> Found:
        """Return light from everywhere, ``None`` if it is dark, suns, and what is left out."""
        if world is None:
            return None, [], []
        tree = node_tree_of(world)
        if tree is None:
            color = np.array(world.color, np.float32)
            if color.max() <= 0:
                return None, [], []
            return Environment(color, hidden_from=_hidden_from(world)), [], []
        graph = read_graph(tree)
        hidden = _hidden_from(world)
        key = key_of(graph, images) + repr(hidden).encode()
        if key != self._key:
            environment, suns, problems = self._make(graph, images, world.name)
            if environment is not None:
                environment.hidden_from = hidden
            if suns and hidden:
                message = "its sun is seen by rays that the world is hidden from"
                problems.append(Problem(f"World '{world.name}'", message, "a light"))
            self._found = environment, suns, problems
            self._key = key
        return self._found

    def _make(self, graph: Graph, images: Images, name: str) -> Found:
        plain = find_plain_sky(graph, images, f"World '{name}'")
        if plain is not None:
            return plain.environment, [], [*plain.problems, *_volume_problems(graph, name)]
        problems: list[Problem] = []

        def compiled(ray: str) -> CompiledMaterial:
            table = AttributeTable()
            made = compile_material(graph, images, name, target="world", attributes=table, ray=ray)
            problems.extend(made.problems)
            return made

        environment = draw_views(
            graph, lambda ray: draw_sky(compiled(ray), self._device(), sky_width(graph, images))
        )
        suns = self._suns(graph, compiled, f"World '{name}'", problems)
        return environment, suns, list(dict.fromkeys(problems))

    def _suns(
        self,
        graph: Graph,
        compiled: Callable[[str], CompiledMaterial],
        where: str,
        problems: list[Problem],
    ) -> list[SunLight]:
        """Return the sun of the world's Sky Texture as a light."""
        found = find_suns(graph)
        if not found:
            return []
        sun = found[0]
        if len(found) > 1 or sun.is_moved:
            message = "the sun of several skies, or of one with a Vector, is not supported"
            problems.append(Problem(where, message, "the sky without sun"))
            return []
        views = [
            look_at_sky(compiled(ray), self._device(), sun.direction) for ray in ("sun", "light")
        ]
        # The disc hides what lies behind it.
        radiance = np.maximum(views[0] - views[1], 0)
        if radiance.max() <= 0:
            return []
        irradiance = radiance * np.pi * np.sin(sun.size / 2) ** 2
        return [
            SunLight(
                [-x for x in sun.direction],
                color=irradiance.tolist(),
                angle=sun.height,
                name=f"{where} sun",
            )
        ]


def _volume_problems(graph: Graph, name: str) -> list[Problem]:
    """Return what is said of a world that is filled with something."""
    end = choose_output(graph, output_kinds("world"))
    socket = None if end is None else end.find_input("Volume")
    if end is None or socket is None or socket.link is None:
        return []
    where = f"World '{name}' > node '{end.name}'"
    return [Problem(where, "the volume of a world is not supported", "no volume")]


def _hidden_from(world: bpy.types.World) -> tuple[str, ...]:
    """Return the kinds of ray that see nothing of a world."""
    visible = getattr(world, "cycles_visibility", None)
    return tuple(
        name
        for name in RAYS
        if name != "shadow" and visible is not None and not getattr(visible, name)
    )
