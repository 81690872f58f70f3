# SPDX-License-Identifier: Apache-2.0
"""The extension in a Blender with a window: Debian sid's, in a chroot, on a virtual display.

WEFT_GUI_CHROOT names the chroot's folder (default: build/gui/chroot); WEFT_GUI_OUTPUT where the
pictures of the screen go (default: build/gui/out), to be looked at.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dev import extension, templates
from dev.project import BUILD, ROOT
from weft import image

GUI = ROOT / "tests" / "blender" / "gui"
CHROOT = Path(os.environ.get("WEFT_GUI_CHROOT", BUILD / "gui" / "chroot"))
OUTPUT = Path(os.environ.get("WEFT_GUI_OUTPUT", BUILD / "gui" / "out"))

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(5400),
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("debootstrap"),
        reason="a chroot needs root and the program debootstrap",
    ),
]


@pytest.fixture(scope="module")
def archive():
    """The extension with a wheel for the chroot's Python."""
    wheels = BUILD / "gui" / "wheels"
    subprocess.run([GUI / "make_chroot.sh", CHROOT], check=True)
    subprocess.run([GUI / "build_wheel.sh", CHROOT, wheels], check=True)
    found = sorted(wheels.glob("*.whl"))
    (built,) = extension.build_extension(found, BUILD / "gui", templates.provide_library())
    return built


def test_panels_viewport_and_render_work_in_a_window(archive):
    shutil.rmtree(OUTPUT, ignore_errors=True)

    done = subprocess.run([GUI / "run_blender.sh", CHROOT, archive, GUI / "tour.py", OUTPUT])

    facts = json.loads((OUTPUT / "facts.json").read_text())
    assert done.returncode == 0, facts
    assert facts["enabled"]
    assert facts["disabled"]
    assert "works" in facts["report"]
    assert "Traceback" not in (OUTPUT / "blender.log").read_text()
    # A red cube in the middle of the viewport, which solid shading would show grey.
    file = OUTPUT / "4_viewport_red_through_the_camera.png"
    middle = image.read(file, encoding="srgb")[350:550, 650:800]
    red, green, *_ = middle.mean(axis=(0, 1))
    assert red > 2 * green
    pictures = [image.read(path, encoding="srgb") for path in sorted(OUTPUT.glob("*.png"))]
    assert len(pictures) == 7
    assert all(np.std(picture) > 0.01 for picture in pictures)


def test_fit_shows_values_while_it_runs_and_escape_puts_everything_back(archive):
    output = OUTPUT.with_name(f"{OUTPUT.name}-fit")
    shutil.rmtree(output, ignore_errors=True)

    done = subprocess.run([GUI / "run_blender.sh", CHROOT, archive, GUI / "fit_tour.py", output])

    facts = json.loads((output / "facts.json").read_text())
    assert done.returncode == 0, facts
    assert np.abs(np.subtract(facts["found"], (0.7, 0.25, 0.1, 1.0))).max() < 0.02
    assert facts["found_before_the_choice"] == 0
    ((material, _),) = facts["picked"]
    assert material == "Material"
    assert facts["running_before_escape"]
    assert facts["after_escape"] == [0.5, 0.5, 0.5, 1.0]
    # What the extension itself keeps the window waiting for; drawing the window takes a software
    # renderer, on cores that the fit uses too, the rest.
    for fit in ("fit_beside_a_rendered_view", "fit_beside_a_solid_view"):
        assert facts[fit]["longest_inside_processor"] < 0.05, fit
        assert facts[fit]["usual_inside"] < 0.05, fit
        assert facts[fit]["ticks"] > 2, fit
    assert facts["seconds_of_the_click"] < 0.05
    drawing = facts["fit_beside_a_solid_view"]["longest_pause"]
    assert facts["seconds_from_escape"] < 0.3 + drawing
    assert facts["texture_shown"]
    assert facts["texture_packed"]


def test_slang_nodes_follow_their_text_in_a_window(archive):
    output = OUTPUT.with_name(f"{OUTPUT.name}-slang")
    shutil.rmtree(output, ignore_errors=True)

    done = subprocess.run([GUI / "run_blender.sh", CHROOT, archive, GUI / "slang_tour.py", output])

    facts = json.loads((output / "facts.json").read_text())
    assert done.returncode == 0, facts
    assert facts["sockets"] == ["Coordinate", "Frequency", "Softness"]
    assert facts["takes the file"]
    assert (
        140
        <= facts["width of the first node"]
        < facts["width of the dropped node"]
        < facts["width after the edit"]
    )
    assert facts["links with the error"] == facts["links after mending"] == 1
    assert facts["line of the error"] == facts["line of the cursor"] == 13
    assert facts["line of the cursor far down"] == 13
    assert facts["shows the line"]
    assert facts["shows the line far down"]
    assert facts["text is as it was"]
    assert not facts["color after mending"]
    assert "Tint" in facts["sockets with the new one"]
    assert facts["links with the new socket"] == 1
    for way, there in (("undo", False), ("redo", True)):
        assert facts[f"text and socket after {way}"] == [True, there]
        assert facts[f"links after {way}"] == 1
        assert not facts[f"is marked after {way}"]
    assert facts["one letter is undone"]
    assert facts["text after the pause"]
    for name in ("from the wrong letter to the mark", "from the last letter to the new socket"):
        assert facts[f"seconds {name}"] < 5
    second = facts["second"]
    assert not second["has the extension"]
    assert set(second["groups"]) == {"Rings", "Bricks"}
    assert all(found["inside"] > 5 and found["links"] == 1 for found in second["groups"].values())
    assert "Tint" in second["groups"]["Rings"]["inputs"]
    assert facts["spread of the colors"] > 0.01
    assert facts["difference of the renders"] < 1e-3
    assert "Traceback" not in (output / "blender.log").read_text()


def test_what_the_engine_computes_follows_in_a_window(archive):
    output = OUTPUT.with_name(f"{OUTPUT.name}-engine")
    shutil.rmtree(output, ignore_errors=True)

    done = subprocess.run([GUI / "run_blender.sh", CHROOT, archive, GUI / "engine_tour.py", output])

    facts = json.loads((output / "facts.json").read_text())
    assert done.returncode == 0, facts
    assert "Weft" in facts["libraries"]
    assert facts["height after"] > 2.5 * facts["height before"]
    assert facts["name of the asset's group"] == "Twist"
    assert facts["asset is a Slang node"]
    assert facts["heights while playing"] == facts["frames while playing"] > 5
    assert facts["seconds of the full image"] < 20
    second = facts["second"]
    assert not second["has the extension"]
    assert "Weft" not in second["libraries"]
    assert second["heights"] == facts["heights at frame 10"]
    assert second["images"]
    assert all(is_packed for _, is_packed in second["images"].values())
    assert "Traceback" not in (output / "blender.log").read_text()
