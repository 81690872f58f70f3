# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of a fit in Blender's data: remembered, written, restored exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .fit_sockets import SocketRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit import FitResult

    from ..core.fitting.plan import FitPlan


class LiveValues:
    """The numbers of a plan's sockets and lights while a fit runs.

    What was there at the start is remembered, so that restore() brings back every bit of it.
    Sockets of nodes that the user deletes meanwhile are left alone.

    Args:
        plan: Whose sockets and lights.

    Raises:
        ArgumentError: A socket is not there, or belongs to a library file and cannot be changed.
    """

    def __init__(self, plan: FitPlan) -> None:
        """Remember what there is."""
        self.sockets = {
            name: SocketRef.of_binding(binding) for name, binding in plan.numbers.items()
        }
        self.lights = {name: LightPlace(light) for name, light in plan.lights.items()}
        for ref in self.sockets.values():
            ref.require_editable()
        for light in self.lights.values():
            light.require_editable()
        self._old = {name: self._value(ref) for name, ref in self.sockets.items()}
        self.lost: list[str] = []

    @staticmethod
    def _value(ref: SocketRef) -> Any:  # noqa: ANN401  (a number or a tuple of them)
        value = ref.require_socket().default_value
        return tuple(value) if hasattr(value, "__len__") else value

    def show(self, result: FitResult) -> None:
        """Write numbers into sockets, and factors into lights."""
        self.lost = []
        for name, value in result.values.items():
            if name in self.sockets:
                ref = self.sockets[name]
                if not ref.write(value.tolist()):
                    self.lost.append(ref.label)
            elif name in self.lights:
                light = self.lights[name]
                if not light.scale(value.tolist()):
                    self.lost.append(light.name)

    def restore(self) -> None:
        """Write what was there at the start."""
        for name, ref in self.sockets.items():
            ref.write_exactly(self._old[name])
        for light in self.lights.values():
            light.restore()


class LightPlace:
    """Strength and colour of a light, or of the world.

    Args:
        name: Blender's name of the light's object, or of the world.
    """

    def __init__(self, name: str) -> None:
        """Remember what there is."""
        self.name = name
        self._data, self._key = _light_data(name)
        self._old = (0.0, None) if self._data is None else _strength_of(self._data, self._key)

    def require_editable(self) -> None:
        """Refuse lights that cannot be changed.

        Raises:
            ArgumentError: The light's strength is driven, or belongs to a library.
        """
        from weft import ArgumentError

        if self._data is None:
            raise ArgumentError(
                f"fit: the strength of '{self.name}' is driven by its nodes; fit a number of them "
                "instead"
            )
        if self._data.id_data.library is not None:
            raise ArgumentError(
                f"fit: '{self.name}' belongs to the file {self._data.id_data.library.filepath}; "
                "make it local first"
            )

    def scale(self, factor: Sequence[float]) -> bool:
        """Scale what was there at the start; return whether the light is still there."""
        try:
            strength, color = self._old
            mean = sum(factor) / len(factor)
            setattr(self._data, self._key, strength * mean)
            if len(factor) == 3 and color is not None:
                self._data.color = [c * f / mean for c, f in zip(color, factor, strict=True)]
        except ReferenceError:
            return False
        return True

    def restore(self) -> None:
        """Write what was there at the start."""
        try:
            strength, color = self._old
            setattr(self._data, self._key, strength)
            if color is not None:
                self._data.color = color
        except ReferenceError:
            return


def _light_data(name: str) -> tuple[Any, str]:
    """Return what holds the strength of a light, and under which name."""
    entry = bpy.data.objects.get(name)
    if entry is not None and entry.type == "LIGHT":
        return entry.data, "energy"
    world = bpy.data.worlds.get(name)
    tree = world.node_tree if world is not None else None
    for node in tree.nodes if tree is not None else ():
        if node.bl_idname == "ShaderNodeBackground" and not node.inputs["Strength"].is_linked:
            return node.inputs["Strength"], "default_value"
    return None, ""


def _strength_of(holder: Any, key: str) -> tuple[float, tuple[float, ...] | None]:  # noqa: ANN401
    color = tuple(holder.color) if key == "energy" else None
    return getattr(holder, key), color
