# SPDX-License-Identifier: Apache-2.0
"""On a system that cannot load the native libraries, the import says so in one sentence."""

from __future__ import annotations

import pytest

from weft import _platform


def test_old_glibc_is_named_with_the_version_needed(monkeypatch):
    monkeypatch.setattr(_platform.sys, "platform", "linux")
    monkeypatch.setattr(_platform.os, "confstr", lambda _name: "glibc 2.31")

    with pytest.raises(ImportError, match=r"need glibc 2\.34 or later, got glibc 2\.31"):
        _platform.require_supported_platform()


def test_other_c_library_is_refused(monkeypatch):
    def refuse(_name: str) -> str:
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(_platform.sys, "platform", "linux")
    monkeypatch.setattr(_platform.os, "confstr", refuse)

    with pytest.raises(ImportError, match=r"need glibc 2\.34 or later, got another C library"):
        _platform.require_supported_platform()


@pytest.mark.parametrize("version", ["glibc 2.34", "glibc 2.36", "glibc 3.0"])
def test_new_enough_glibc_is_accepted(monkeypatch, version):
    monkeypatch.setattr(_platform.sys, "platform", "linux")
    monkeypatch.setattr(_platform.os, "confstr", lambda _name: version)

    _platform.require_supported_platform()


def test_systems_without_glibc_are_left_to_the_loader(monkeypatch):
    monkeypatch.setattr(_platform.sys, "platform", "darwin")

    _platform.require_supported_platform()
