# SPDX-License-Identifier: Apache-2.0
"""Views of a fit that are shared out over several devices.

Each device holds the scene and draws, replays and develops its share of the views, in a thread of
its own. What a view gives goes to the host; there it is put in the order of the views and summed as
it is for one device, so that results do not depend on the number of devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft._native import ArgumentError, Device, DeviceError
from weft.fit.texture_parameters import TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter

if TYPE_CHECKING:
    from weft.fit.target import Target
    from weft.render.renderer import Renderer
    from weft.scene import Scene


_ON_ONE_DEVICE = (TextureParameter, EnvironmentParameter)
"""Kinds of parameters whose gradients are summed on the device."""


def require_devices(
    devices: Sequence[Device], device: Device | None, parameters: Sequence[object]
) -> Sequence[Device]:
    """Return the devices of a fit; refuse those that it cannot use together.

    Args:
        devices: All that are given; none: `device` counts.
        device: Given beside them.
        parameters: Of the fit.

    Raises:
        ArgumentError: They are no sequence of devices, given beside `device`, given twice, not
            alike, or several for textures.
        DeviceError: One of them is closed.
    """
    _require_list(devices)
    if devices and device is not None:
        raise ArgumentError("Fit: device and devices are given; leave device out")
    if len({id(entry) for entry in devices}) < len(devices):
        raise ArgumentError(
            "Fit: devices has one device twice; call create_device() once for each entry"
        )
    _require_open(devices)
    _require_alike(devices)
    if len(devices) > 1 and any(isinstance(entry, _ON_ONE_DEVICE) for entry in parameters):
        raise ArgumentError(
            f"Fit: textures and unknown environments are fitted on one device, got {len(devices)}; "
            "pass device=, or fit scalar parameters and lights alone on several"
        )
    return devices


def _require_list(devices: object) -> None:
    if not isinstance(devices, Sequence) or not all(isinstance(own, Device) for own in devices):
        raise ArgumentError(
            "Fit: devices must be a list of devices of create_device(), got "
            f"{devices!r}; pass for example devices=[first, second]"
        )


def _require_open(devices: Sequence[Device]) -> None:
    for number, entry in enumerate(devices):
        if entry.is_closed:
            raise DeviceError(
                f"Fit: devices[{number}] ({entry.info.name}) is closed; create a new one with "
                "create_device()"
            )


def _require_alike(devices: Sequence[Device]) -> None:
    """Refuse devices that round differently: results would depend on which view lies where."""
    if not devices:
        return
    first = devices[0].info
    for number, entry in enumerate(devices):
        own = entry.info
        for name in ("type", "name", "driver", "architecture"):
            one, other = getattr(first, name), getattr(own, name)
            if one != other:
                raise ArgumentError(
                    f"Fit: devices must be alike, or the result depends on which of them draws "
                    f"which view; {name} of devices[0] is {_text(one)}, of devices[{number}] "
                    f"{_text(other)}; use one of them"
                )


def _text(value: object) -> str:
    return repr(getattr(value, "name", value))


def shares_of(targets: Sequence[Target], count: int) -> list[int]:
    """Return the number of the device of each target: the largest pictures first, evenly.

    Args:
        targets: Pictures.
        count: Of devices.
    """
    held = [0] * count
    out = [0] * len(targets)
    sizes = [target.image.shape[0] * target.image.shape[1] for target in targets]
    for number in sorted(range(len(targets)), key=lambda entry: -sizes[entry]):
        out[number] = held.index(min(held))
        held[out[number]] += sizes[number]
    return out


def renderer_of(
    scene: Scene, lit_by: Sequence[Scene], device: Device | None, given: Renderer | None
) -> Renderer:
    """Return a renderer of a scene, or one that was given and renders it from now on.

    Raises:
        ArgumentError: The one that was given works on another device.
    """
    from weft.render.renderer import Renderer

    if given is None:
        if device is None:
            from weft import create_device

            device = create_device()
        return Renderer(device, scene, lit_by=lit_by)
    if device is not None and device is not given.device:
        raise ArgumentError(
            "Fit: renderer works on another device than the one given; leave device out"
        )
    if scene is not given.scene or lit_by:
        given.update(scene, lit_by=lit_by)
    given.restore_values()
    return given


def renderers_beside(
    renderer: Renderer, devices: Sequence[Device], scene: Scene, lit_by: Sequence[Scene]
) -> list[Renderer]:
    """Return renderers of a scene on the devices after the first.

    Args:
        renderer: On the first device. What ends its draws ends those of the others.
        devices: Of the fit.
        scene: What `renderer` renders.
        lit_by: The scene under other lights.
    """
    from weft.render.renderer import Renderer

    others = []
    for device in devices[1:]:
        # One after the other: what the first one compiled, the next one finds on the disk.
        other = Renderer(device, scene, lit_by=lit_by)
        other.interrupt = renderer.interrupt
        others.append(other)
    return others
