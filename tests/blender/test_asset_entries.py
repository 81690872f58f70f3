# SPDX-License-Identifier: Apache-2.0
"""Asset libraries in the preferences: there while the extension is on, and nothing else touched."""

from __future__ import annotations

import importlib
import statistics
import time
from types import SimpleNamespace

import bpy
import pytest

from support.patience import at_most

CATALOGS = "blender_assets.cats.txt"


@pytest.fixture
def addon(repository, monkeypatch):
    """The extension, not registered, with a library in a folder whose name is hard."""
    monkeypatch.syspath_prepend(str(repository))
    return importlib.import_module("addon")


@pytest.fixture
def listing(addon):
    return importlib.import_module("addon.ui.asset_libraries")


@pytest.fixture
def folder(tmp_path, monkeypatch, listing):
    made = tmp_path / "größe und leerzeichen"
    made.mkdir()
    (made / CATALOGS).write_text("VERSION 1\n")
    monkeypatch.setattr(listing, "brought_folder", lambda: made)
    return made


@pytest.fixture
def own(tmp_path):
    """A folder of the user's templates."""
    made = tmp_path / "mine"
    made.mkdir()
    (made / CATALOGS).write_text("VERSION 1\n")
    return made


@pytest.fixture
def settings(monkeypatch, addon, listing):
    """The preferences of the extension, as they are where it is enabled."""
    found = SimpleNamespace(
        lists_libraries=True,
        templates_folder="",
        brought_library="",
        own_library="",
        log_level="WARNING",
        device="",
        cache_megabytes=1024,
        memory_megabytes=0,
    )
    module = importlib.import_module("addon.ui.preferences.settings")
    monkeypatch.setattr(module, "find_settings", lambda: found)
    monkeypatch.setattr(listing, "find_settings", lambda: found)
    return found


def libraries():
    return bpy.context.preferences.filepaths.asset_libraries


def listed():
    return [(entry.name, entry.path) for entry in libraries()]


def test_a_library_is_listed_while_the_extension_is_on(addon, folder):
    libraries().new(name="Mine", directory=str(folder.parent))
    before = listed()

    for _ in range(3):
        addon.register()
        assert listed() == [*before, ("Weft", str(folder))]
        assert libraries()["Weft"].import_method.startswith("APPEND")
        addon.unregister()
        assert listed() == before


def test_a_checkout_lists_nothing(addon):
    before = listed()

    addon.register()
    during = listed()
    addon.unregister()

    assert (during, listed()) == (before, before)


def test_the_preferences_have_nothing_to_save(addon, folder, settings):
    preferences = bpy.context.preferences
    for was_dirty in (False, True):
        preferences.is_dirty = was_dirty
        addon.register()
        assert preferences.is_dirty == was_dirty
        addon.unregister()
        assert preferences.is_dirty == was_dirty


def test_a_users_library_of_that_name_stays(addon, folder, tmp_path):
    libraries().new(name="Weft", directory=str(tmp_path))
    before = listed()

    addon.register()
    assert listed() == [*before, ("Weft.001", str(folder))]
    addon.unregister()

    assert listed() == before


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_folder_that_the_user_has_listed_is_the_users(addon, folder, settings, ending):
    libraries().new(name="Slang", directory=str(folder) + ending)
    before = listed()

    addon.register()
    assert listed() == before
    assert settings.brought_library == ""
    addon.unregister()

    assert listed() == before


def test_an_entry_that_the_user_renamed_goes_too(addon, folder):
    before = listed()

    addon.register()
    libraries()["Weft"].name = "Functions"
    addon.unregister()

    assert listed() == before


def test_an_entry_that_the_user_pointed_elsewhere_is_the_users(addon, folder, tmp_path):
    before = listed()

    addon.register()
    libraries()["Weft"].path = str(tmp_path)
    addon.unregister()

    assert listed() == [*before, ("Weft", str(tmp_path))]


def test_an_entry_that_the_user_removed_is_gone(addon, folder):
    before = listed()

    addon.register()
    libraries().remove(libraries()["Weft"])
    addon.unregister()

    assert listed() == before


def test_an_entry_that_a_crash_left_is_used_again(addon, folder, settings):
    before = listed()
    left = libraries().new(name="Weft", directory=str(folder))
    left.name, left.import_method = "Functions", "LINK"
    settings.brought_library = str(folder)

    addon.register()
    assert listed() == [*before, ("Functions", str(folder))]
    assert libraries()["Functions"].import_method == "LINK"
    addon.unregister()

    assert listed() == before
    assert settings.brought_library == ""


def test_an_entry_of_another_blender_follows_the_extension(addon, folder, settings):
    before = listed()
    libraries().new(name="Functions", directory="/blender/4.5/weft/assets")
    settings.brought_library = "/blender/4.5/weft/assets"

    addon.register()
    assert listed() == [*before, ("Functions", str(folder))]
    addon.unregister()

    assert listed() == before


def test_an_entry_that_an_extension_without_library_finds_is_taken_out(addon, settings):
    before = listed()
    libraries().new(name="Weft", directory="/blender/4.5/weft/assets")
    settings.brought_library = "/blender/4.5/weft/assets"

    addon.register()
    assert listed() == before
    addon.unregister()


def test_a_user_who_lists_the_folder_meanwhile_keeps_it(addon, folder, settings):
    before = listed()
    libraries().new(name="Weft", directory=str(folder))
    libraries().new(name="Mine", directory=str(folder))
    settings.brought_library = str(folder)

    addon.register()
    addon.unregister()

    assert listed() == [*before, ("Mine", str(folder))]


def test_people_can_have_it_unlisted(addon, folder, listing, settings):
    before = listed()
    addon.register()

    settings.lists_libraries = False
    listing.list_libraries()
    assert listed() == before
    settings.lists_libraries = True
    listing.list_libraries()
    assert listed() == [*before, ("Weft", str(folder))]

    addon.unregister()
    assert listed() == before


def test_templates_of_the_user_are_a_library_of_their_own(addon, folder, own, listing, settings):
    before = listed()
    settings.templates_folder = str(own)

    addon.register()
    assert listed()[len(before) :] == [("Weft", str(folder)), ("Weft, My Templates", str(own))]
    settings.templates_folder = str(own / "nowhere")
    importlib.import_module("addon.ui.preferences.settings").libraries_changed(None, None)
    assert listed() == [*before, ("Weft", str(folder))]
    addon.unregister()

    assert listed() == before
    assert list(own.iterdir()) == [own / CATALOGS]


def test_a_second_copy_changes_nothing(addon, folder):
    addon.register()
    during = listed()

    with pytest.raises(RuntimeError, match="enabled already"):
        addon.register()

    assert listed() == during
    addon.unregister()


def test_a_register_that_fails_lists_nothing(addon, folder, monkeypatch):
    registration = importlib.import_module("addon.ui.registration")
    topics = registration.topics()
    before = listed()

    def fail():
        raise LookupError("no")

    broken = SimpleNamespace(SETUPS=((fail, fail),))
    monkeypatch.setattr(registration, "topics", lambda: [*topics, broken])
    with pytest.raises(LookupError):
        addon.register()

    assert listed() == before


def test_factory_settings_while_it_is_on_are_no_error(addon, folder):
    addon.register()
    libraries().remove(libraries()["Weft"])
    bpy.context.preferences.filepaths.asset_libraries.new(name="Weft", directory="/elsewhere")

    addon.unregister()

    assert ("Weft", "/elsewhere") in listed()


def test_listing_is_quick(addon, folder, own, listing, settings, record_property):
    settings.templates_folder = str(own)
    addon.register()
    times = []
    for _ in range(20):
        listing.take_out_libraries()
        start = time.process_time()
        listing.list_libraries()
        times.append(time.process_time() - start)
    addon.unregister()

    record_property("ms to list", round(statistics.median(times) * 1e3, 2))
    assert statistics.median(times) < at_most(0.05)
