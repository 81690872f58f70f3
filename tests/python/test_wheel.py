# SPDX-License-Identifier: Apache-2.0
"""What the wheel carries beside code. Skipped where weft is imported from a build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import weft
from elf_versions import needed_libraries, own_name, search_path

TRACER = """
import json
import numpy as np
import weft
from weft._native import Tracer

device = weft.create_device(weft.DeviceType.vulkan)
kinds = {}
for kind in ("automatic", "embree"):
    mesh = (np.eye(3, dtype=np.float32), np.arange(3, dtype=np.uint32))
    placed = np.eye(3, 4, dtype=np.float32)[None]
    try:
        kinds[kind] = Tracer(device, [mesh], np.zeros(1, np.uint32), placed, kind).kind
    except weft.ArgumentError as error:
        kinds[kind] = str(error)
with open("/proc/self/maps") as maps:
    paths = sorted({line.split()[-1] for line in maps if "embree" in line or "tbb" in line})
software = device.info.features.is_software
print(json.dumps({"kinds": kinds, "paths": paths, "is_software": software}))
"""


@pytest.fixture(scope="module")
def files():
    """The wheel's files by their name."""
    try:
        wheel = metadata.distribution("weft")
    except metadata.PackageNotFoundError:
        pytest.skip("weft is not installed from a wheel here")
    if not Path(weft.__file__).samefile(wheel.locate_file("weft/__init__.py")):
        pytest.skip("weft is imported from a build, although a wheel is installed")
    return {path.name: path for path in wheel.files}


def facts_of(**variables):
    """What tracers are in a fresh process on a software device."""
    environment = {k: v for k, v in os.environ.items() if k != "WEFT_TRACER"} | variables
    done = subprocess.run(
        [sys.executable, "-c", TRACER], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    if not facts["is_software"]:
        pytest.skip("Vulkan's device is a GPU here")
    return facts


def test_each_bundled_library_has_its_licence_in_the_wheel(files):
    licences = files["third_party.txt"].read_text()
    bundled = [path for path in files.values() if path.parent.name == "lib"]

    assert "Apache License" in files["LICENSE"].read_text()
    assert len(bundled) == 4
    for path in bundled:
        words = path.name.split(".")[0].split("-")
        assert "-".join(words[: 1 if words[0] == "libtbb" else 2]) in licences


def test_the_compiler_process_may_be_started(files):
    assert os.access(files["weft-compiler"].locate(), os.X_OK)


def test_embree_and_its_tbb_cannot_be_taken_for_others_of_the_process(files):
    (embree,) = (path for name, path in files.items() if name.startswith("libweft-embree"))
    (tbb,) = (path for name, path in files.items() if name.startswith("libtbb"))
    data = embree.read_binary()

    assert own_name(data) == embree.name
    assert own_name(tbb.read_binary()) == tbb.name != "libtbb.so.12"
    assert [name for name in needed_libraries(data) if "tbb" in name] == [tbb.name]
    assert search_path(data) == "$ORIGIN"


def test_software_devices_trace_with_the_embree_of_the_wheel(files):
    facts = facts_of()

    assert facts["kinds"] == {"automatic": "embree", "embree": "embree"}
    assert len(facts["paths"]) == 2
    installed = {str(path.locate().resolve()) for path in files.values()}
    assert set(facts["paths"]) <= installed


def test_weft_traces_itself_where_embree_does_not_load(files, tmp_path):
    package = Path(files["_platform.py"].locate()).parent
    copy = tmp_path / "weft"
    (copy / "lib").mkdir(parents=True)
    for source in [*package.iterdir(), *(package / "lib").iterdir()]:
        is_left_out = source.name == "lib" or source.name.startswith(("libweft", "libtbb"))
        if not is_left_out:
            (copy / source.relative_to(package)).symlink_to(source)
    (tmp_path / "libembree3.so.3").write_text("no library")
    (tmp_path / "libembree4.so.4").write_text("no library")

    facts = facts_of(PYTHONPATH=str(tmp_path), LD_LIBRARY_PATH=str(tmp_path))

    assert facts["kinds"]["automatic"] == "bvh"
    assert "there is no Embree (" in facts["kinds"]["embree"]
    assert "use bvh" in facts["kinds"]["embree"]
