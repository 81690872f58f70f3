# SPDX-License-Identifier: Apache-2.0
"""What an edited scene finds compiled already."""

import weft
from support.render_scenes import lambert, placed, quad
from weft.render import PathSettings
from weft.scene import Add, Camera, Environment, Material, Mix


def scene_with(*materials: Material) -> weft.Scene:
    floors = [placed(quad(2), entry, move=(0, 0, -k)) for k, entry in enumerate(materials)]
    camera = Camera(4, 4, transform=Camera.look_at((0, -6, 4), (0, 0, 0)))
    return weft.Scene(floors, cameras=[camera], environment=Environment((1, 1, 1)))


def compiled_by(device: weft.Device, cache, *materials: Material) -> int:
    """Return how many kernels a picture adds to the cache."""
    kernels = cache / "slang" / "kernel"
    before = set(kernels.rglob("*"))
    weft.Renderer(device, scene_with(*materials)).render(settings=PathSettings(1, bounces=1))
    return sum(path.is_file() for path in set(kernels.rglob("*")) - before)


def test_an_edited_material_is_compiled_alone(device, tmp_path):
    mixed = Material("mixed", Mix(lambert().surface, lambert().surface, 0.5))
    added = Material("added", Add(lambert().surface, lambert().surface))
    with weft.create_device(type=device.info.type, cache_directory=tmp_path) as own:
        first = compiled_by(own, tmp_path, lambert(), mixed)
        other_values = compiled_by(own, tmp_path, lambert((0.1, 0.2, 0.3)), mixed)
        other_order = compiled_by(own, tmp_path, mixed, lambert())
        one_less = compiled_by(own, tmp_path, lambert())
        one_more = compiled_by(own, tmp_path, mixed, lambert(), added)

    assert first >= 4
    assert (other_values, other_order, one_less) == (0, 0, 0)
    assert one_more == 1
