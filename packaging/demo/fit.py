# SPDX-License-Identifier: Apache-2.0
"""The demo's fit: opens the grey scene, finds its materials from the photos, saves the result.

Run inside Blender with the extension enabled: ``python fit.py FOLDER [camera]``. This is what a
script of a user's own would be; ``camera``: from pictures of a camera whose exposure is not known.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import bpy
import numpy as np

CAMERAS = ("Front", "Left", "Above")
NUMBERS = ("Glaze.Base Color", "Glaze.Metallic", "Glaze.Roughness")
TEXTURE = "texture:Cloth.Base Color@128x128"
EXPOSURES = ("exposure:Left", "exposure:Above")


def main(folder: Path, *, is_camera: bool) -> None:
    """Fit, and write the fitted scene and the report."""
    import weft_blender

    bpy.ops.wm.open_mainfile(filepath=str(folder / "unknown.blend"))
    began = time.perf_counter()
    times: list[float] = []

    def show(update: object) -> None:
        times.append(time.perf_counter() - began)
        if len(times) == 1 or len(times) % 10 == 0:
            loss = update.losses[-1]
            print(f"  iteration {len(times)}, loss {loss:.3g}, {times[-1]:.0f} s", flush=True)

    if is_camera:
        photos = [
            {"camera": name, "source": folder / f"shot_{name}.png", "through_view": True}
            for name in CAMERAS
        ]
    else:
        photos = [{"camera": name, "source": folder / f"photo_{name}.exr"} for name in CAMERAS]
    found = weft_blender.fit(
        targets=photos,
        parameters=(*NUMBERS, TEXTURE, *(EXPOSURES if is_camera else ())),
        bounces=4,
        texture_iterations=70,
        progress=show,
    )
    seconds = time.perf_counter() - began
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "fitted.blend"))
    found.save_report(folder, samples=32)
    (label,) = found.textures
    np.savez(folder / "texture.npz", pixels=found.textures[label], known=found.known[label])
    facts = {
        "seconds": seconds,
        "seconds_to_first_update": times[0],
        "reason": found.reason,
        "values": {name: value.tolist() for name, value in found.values.items()},
        "errors": {name: value.tolist() for name, value in found.errors.items()},
        "exposures": {name: value.tolist() for name, value in found.exposures.items()},
        "undetermined": found.undetermined,
        "problems": list(found.problems),
    }
    (folder / "found.json").write_text(json.dumps(facts))


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_camera="camera" in sys.argv[2:])
