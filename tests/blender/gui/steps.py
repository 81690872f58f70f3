# SPDX-License-Identifier: Apache-2.0
"""Runs steps in a Blender with a window, one after the other, and takes pictures of the screen."""

from __future__ import annotations

import json
import os
import subprocess
import time
import traceback
from pathlib import Path

import bpy

OUT = Path("/weft/run/out")


class Steps:
    """A generator's steps: it yields the seconds that Blender goes on by itself."""

    def __init__(self, steps, facts_file: str = "facts.json") -> None:
        self.steps = steps
        self.facts_file = facts_file
        self.facts: dict[str, object] = {}

    def start(self) -> None:
        """Begin when Blender has drawn its window."""
        bpy.app.timers.register(self.go_on, first_interval=2.0, persistent=True)

    def go_on(self) -> float | None:
        """Do one step; end Blender after the last one, or a failure."""
        try:
            return next(self.steps)
        except StopIteration:
            self.facts["done"] = True
        except BaseException:
            self.facts["failure"] = traceback.format_exc()
        (OUT / self.facts_file).write_text(json.dumps(self.facts, default=str, indent=1))
        os._exit(0 if "done" in self.facts else 1)


def wait_for(condition, seconds: float):
    """Yield until a condition holds; fail after so long."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        yield 0.01


def mouse(*words: object) -> None:
    """Have xdotool act: ``mouse("mousemove", 10, 20)``."""
    subprocess.run(["xdotool", *map(str, words)], check=True)


def keys(*names: str, seconds: float = 0.2):
    """Press keys one after the other, and have Blender act on each."""
    for name in names:
        mouse("key", name)
        yield seconds


def type_text(text: str):
    """Type a text where the mouse is, as fast as people do; yield until the last key."""
    typing = subprocess.Popen(["xdotool", "type", "--delay", "60", text])
    while typing.poll() is None:
        yield 0.01
    assert typing.returncode == 0, text


def move_over(kind: str, x: int = 200, y: int = 200) -> None:
    """Move the mouse over an area; keys act on what it is over."""
    area = area_of(kind)
    window = bpy.context.window
    mouse("mousemove", area.x + x, window.height - area.y - y)


def take_picture(name: str) -> None:
    """Write what the screen shows to a file."""
    subprocess.run(["import", "-window", "root", str(OUT / f"{name}.png")], check=True)


def area_of(kind: str) -> bpy.types.Area:
    """Return the first area of a kind."""
    return next(area for area in bpy.context.window.screen.areas if area.type == kind)


def timed(facts: dict[str, object], name: str, condition):
    """Yield until a condition holds; note the seconds."""
    start = time.monotonic()
    yield from wait_for(condition, 90)
    facts[f"seconds {name}"] = round(time.monotonic() - start, 3)


def open_in_a_second_blender(file: str, script: str):
    """Open a file in a Blender that has no extensions; yield until its script has ended it.

    Returns:
        How it ended, 0 if well.
    """
    user = OUT.parent / "second"
    user.mkdir()
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(user)}
    no_splash = "import bpy; bpy.context.preferences.view.show_splash = False"
    subprocess.run(
        [
            *(bpy.app.binary_path, "--background", "--python-expr"),
            f"{no_splash}; bpy.ops.wm.save_userpref()",
        ],
        env=environment,
        check=True,
    )
    second = subprocess.Popen(
        [
            *(bpy.app.binary_path, "--gpu-backend", "opengl"),
            *("--window-geometry", "0", "0", "1600", "1000"),
            *("--python-use-system-env", file),
            *("--python", str(Path(__file__).with_name(script))),
        ],
        env=environment,
        stdout=(OUT / "second.log").open("w"),
        stderr=subprocess.STDOUT,
    )
    yield from wait_for(lambda: second.poll() is not None, 120)
    return second.returncode


def within(kind: str):
    """Return a context in which operators act on an area's main region."""
    area = area_of(kind)
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=bpy.context.window, area=area, region=region)
