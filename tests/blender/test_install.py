# SPDX-License-Identifier: Apache-2.0
"""The zip that people install: Blender finds it valid, runs it, and is rid of it afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from blender.installed import InstalledBlender
from support.patience import at_most

ARCHIVE = os.environ.get("WEFT_EXTENSION", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ARCHIVE, reason="WEFT_EXTENSION names no zip; ./dev test sets it"),
]


@pytest.fixture
def blender(tmp_path):
    return InstalledBlender(tmp_path, Path(ARCHIVE))


def test_zip_is_valid_for_blender():
    scripts = Path(bpy.utils.system_resource("SCRIPTS"))
    validator = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"

    done = subprocess.run(
        [sys.executable, validator, "validate", ARCHIVE], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout
    assert "WARN" not in done.stdout + done.stderr


def test_installed_extension_runs_its_own_engine_and_goes_without_a_trace(blender):
    facts = blender.run(
        """
        import time
        from pathlib import Path
        from blender.blender_state import blender_state, differences

        user = Path(os.environ["BLENDER_USER_RESOURCES"])
        before = blender_state()
        install()
        say(enabled=MODULE in bpy.context.preferences.addons, early="weft" in sys.modules)
        session = bpy.context.window_manager.weft_session
        bpy.ops.weft.test_device()
        say(report=session.test_report, cache=session.settings.cache_folder)

        import numpy, weft
        say(engine=weft.__file__, numpy=numpy.__version__)
        mesh = weft.scene.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]])
        light = weft.scene.Closure("emission", color=(0.25, 0.5, 0.75), strength=1.0)
        paint = weft.scene.Material("paint", light)
        view = weft.scene.Camera(
            8, 8, transform=weft.scene.Camera.look_at((0, 0, 0.5), (0, 0, 0), (0, 1, 0))
        )
        scene = weft.Scene([weft.scene.Object(mesh, [paint])], cameras=[view])
        renderer = weft.Renderer(session.device(), scene)
        picture = renderer.render()
        say(tracer=renderer.tracer.kind, software=session.device().info.features.is_software)
        maps = open("/proc/self/maps").read().splitlines()
        say(loaded=sorted({line.split()[-1] for line in maps if "embree" in line or "tbb" in line}))
        weft.image.write("picture.exr", picture, encoding="linear")
        say(pixel=weft.image.read("picture.exr", encoding="linear")[4, 4].tolist())
        say(helper=session.device().compiler_statistics["helper_starts"])
        import OpenImageIO
        say(images=OpenImageIO.__file__)

        start = time.process_time()
        bpy.ops.preferences.addon_disable(module=MODULE)
        bpy.ops.preferences.addon_enable(module=MODULE)
        say(seconds=time.process_time() - start)
        bpy.ops.preferences.addon_disable(module=MODULE)
        say(left=differences(before, blender_state()))
        bpy.ops.extensions.package_uninstall(repo_index=repository_index(), pkg_id="weft")
        say(files=[str(file) for file in user.rglob("*") if "weft" in file.name.lower()])
        """,
        WEFT_CACHE_DIR=str(blender.folder / "cache"),
    )

    assert facts["enabled"]
    assert not facts["early"]
    assert "works" in facts["report"]
    assert facts["engine"].startswith(str(blender.user))
    assert facts["images"].startswith(str(blender.modules))
    assert facts["pixel"] == pytest.approx([0.25, 0.5, 0.75], rel=1e-3)
    assert facts["helper"] >= 1  # more where kernels that are wanted together share the cores
    assert facts["tracer"] == ("embree" if facts["software"] else "bvh")
    if facts["software"]:
        own = [path for path in facts["loaded"] if path.startswith(str(blender.user))]
        assert len(own) == 2  # Embree and TBB of the extension
        assert len(facts["loaded"]) > 2  # and Blender's
    # Blender unpacks the wheels anew; seconds of the processor, as others may use the machine too.
    assert facts["seconds"] < at_most(1)
    assert facts["left"] == {}
    assert facts["files"] == []


def test_compiled_kernels_go_with_the_extension(blender):
    facts = blender.run(
        """
        from pathlib import Path

        os.environ.pop("WEFT_CACHE_DIR", None)
        install()
        bpy.ops.weft.test_device()
        folder = bpy.context.window_manager.weft_session.settings.cache_folder
        bpy.ops.weft.measure_cache()
        size = bpy.context.window_manager.weft_session.cache_bytes
        bpy.ops.preferences.addon_disable(module=MODULE)
        bpy.ops.extensions.package_uninstall(repo_index=repository_index(), pkg_id="weft")
        say(folder=folder, size=size, is_left=Path(folder).exists())
        """
    )

    assert facts["folder"].startswith(str(blender.user))
    assert facts["size"] > 0
    assert not facts["is_left"]


def saved_libraries(blender):
    """Return what the saved preferences list, in a Blender of its own without the extension."""
    facts = blender.run(
        """
        bpy.ops.wm.read_userpref()
        libraries = bpy.context.preferences.filepaths.asset_libraries
        say(listed=[(entry.name, entry.path) for entry in libraries])
        """
    )
    return facts["listed"]


def test_the_library_is_listed_while_the_extension_is_there(blender):
    facts = blender.run(
        """
        from pathlib import Path
        libraries = bpy.context.preferences.filepaths.asset_libraries
        def listed():
            return [(entry.name, entry.path) for entry in libraries]

        libraries.new(name="Mine", directory="/mine")
        before = listed()
        install()
        added = [entry for entry in listed() if entry not in before]
        bpy.ops.wm.save_userpref()
        say(before=before, added=added)
        for name, folder in added:
            file = f"{folder}/weft.blend"
            with bpy.data.libraries.load(file, assets_only=True) as (offered, wanted):
                wanted.node_groups = ["Hexagons", "Twist"]
            say(assets=len(offered.node_groups), appended=[g.name for g in wanted.node_groups])
            import weft_blender
            say(files={path.name: path.stat().st_size for path in Path(folder).iterdir()})
            say(changed=weft_blender.refresh())
        """
    )
    again = blender.run(
        """
        bpy.ops.wm.read_userpref()
        libraries = bpy.context.preferences.filepaths.asset_libraries
        preferences = bpy.context.preferences
        say(dirty=preferences.is_dirty, again=[(entry.name, entry.path) for entry in libraries])
        bpy.ops.extensions.package_uninstall(repo_index=repository_index(), pkg_id="weft")
        bpy.ops.wm.save_userpref()
        """
    )

    if not facts["added"]:
        pytest.skip("the zip was built without the asset library")
    ((name, folder),) = facts["added"]
    assert name == "Weft"
    assert folder.startswith(str(blender.user))
    assert set(facts["files"]) == {"blender_assets.cats.txt", "weft.blend"}
    assert sum(facts["files"].values()) < 5e6
    assert facts["assets"] >= 54
    assert facts["appended"] == ["Hexagons", "Twist"]
    assert facts["changed"] == 0
    assert again["again"] == [*facts["before"], [name, folder]]
    assert not again["dirty"]
    assert saved_libraries(blender) == facts["before"]


def test_preferences_survive_in_another_session(blender):
    blender.run(
        """
        install()
        preferences = bpy.context.preferences.addons[MODULE].preferences
        preferences.device = "vulkan:0"
        preferences.log_level = "DEBUG"
        bpy.ops.wm.save_userpref()
        """
    )

    facts = blender.run(
        """
        bpy.ops.wm.read_userpref()
        session = bpy.context.window_manager.weft_session
        preferences = bpy.context.preferences.addons[MODULE].preferences
        say(device=session.settings.device, level=preferences.log_level)
        """
    )

    assert (facts["device"], facts["level"]) == ("vulkan:0", "DEBUG")
