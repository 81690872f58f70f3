# SPDX-License-Identifier: Apache-2.0
"""Tests inside Blender: they run where the module bpy is, each with a scene of its own."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="no bpy for this Python", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def empty_file():
    """Begin with factory settings and an empty file."""
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
