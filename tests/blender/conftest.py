# SPDX-License-Identifier: Apache-2.0
"""Tests inside Blender: they run where the module bpy is, each in an empty file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BPY = importlib.util.find_spec("bpy")
HAS_BPY = BPY is not None
STATUS = pytest.StashKey[int]()

# Without Blender nothing of this folder is imported.
collect_ignore_glob = [] if HAS_BPY else ["*"]

if HAS_BPY:
    # Blender reads this when it is imported; the user's settings and extensions stay out.
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-blender-")
    # Packages that Blender brings, OpenImageIO among them: its own Python finds them by itself.
    packages = Path(BPY.origin).parent.glob("*/python/lib/python3*/site-packages")
    sys.path.extend(str(folder) for folder in packages)


@pytest.fixture(autouse=True)
def empty_file():
    """Begin with factory settings and an empty file."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(scope="session")
def repository():
    """The folder that holds the extension's package `addon`."""
    return ROOT


@pytest.fixture
def extension(repository, monkeypatch):
    """The extension, imported as a package of this folder and registered."""
    monkeypatch.syspath_prepend(str(repository))
    addon = importlib.import_module("addon")
    addon.register()
    yield addon
    addon.unregister()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Remember the status for pytest_unconfigure()."""
    session.config.stash[STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """End the process without Blender's own clean-up, in which it can hang."""
    if "bpy" in sys.modules:
        shutil.rmtree(os.environ["BLENDER_USER_RESOURCES"], ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash.get(STATUS, 1))
