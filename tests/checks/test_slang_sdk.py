# SPDX-License-Identifier: Apache-2.0
"""The pinned SDK is taken from the cache only if it is what was pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

import slang_sdk


def test_damaged_download_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Path] = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(slang_sdk, "SHA256", slang_sdk.hashlib.sha256(b"good").hexdigest())
    monkeypatch.setattr(
        slang_sdk, "download", lambda path: (fetched.append(path), path.write_bytes(b"good"))
    )
    cached = slang_sdk.cache_folder() / slang_sdk.WHEEL
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"bad")

    assert slang_sdk.provide_wheel().read_bytes() == b"good"
    assert fetched == [cached]


def test_wrong_hash_is_refused_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        slang_sdk,
        "download",
        lambda path: (path.parent.mkdir(parents=True), path.write_bytes(b"bad")),
    )

    with pytest.raises(slang_sdk.SdkError, match=r"has SHA-256 .* expected"):
        slang_sdk.provide_wheel()

    assert not (slang_sdk.cache_folder() / slang_sdk.WHEEL).exists()


def test_failing_command_line_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> Path:
        raise slang_sdk.SdkError("slang_sdk: no network")

    monkeypatch.setattr(slang_sdk, "provide_wheel", refuse)
    monkeypatch.setattr(slang_sdk.sys, "argv", ["slang_sdk.py", str(tmp_path / "sdk")])

    assert slang_sdk.main() == 1
    assert "no network" in capsys.readouterr().err
