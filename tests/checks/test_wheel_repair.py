# SPDX-License-Identifier: Apache-2.0
"""The wheel is tagged for older systems only if it runs there."""

from __future__ import annotations

import base64
import ctypes
import hashlib
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from elf_versions import is_elf, needed_libraries, needed_versions, own_name, search_path
from graft_libraries import graft
from repair_wheel import libraries_missing, platform_of, repair, versions_too_new

DIST_INFO = "weft-1.0.dist-info"
SOURCE = '#include <cmath>\nextern "C" double root(double x) { return std::pow(x, x); }\n'


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small shared library that needs libm."""
    return compiled(tmp_path_factory.mktemp("library"), "root.so", SOURCE).read_bytes()


def compiled(folder: Path, name: str, source: str, *linked: Path) -> Path:
    """Compile a shared library of that name."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (folder / "source.cpp").write_text(source)
    options = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", folder / name]
    subprocess.run([compiler, *options, folder / "source.cpp", *linked], check=True)
    return folder / name


@pytest.fixture
def with_tbb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A library that needs a libtbb.so.12, which this "system" has."""
    folder = tmp_path / "system"
    folder.mkdir()
    tbb = compiled(folder, "libtbb.so.12", 'extern "C" int threads() { return 7; }\n')
    source = 'extern "C" int threads();\nextern "C" int rays() { return 10 * threads(); }\n'
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    return compiled(folder, "libembree3.so.3", source, tbb).read_bytes()


def make_wheel(folder: Path, files: dict[str, bytes]) -> Path:
    wheel = folder / "weft-1.0-cp311-cp311-linux_x86_64.whl"
    wheel_file = b"Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            f"{DIST_INFO}/RECORD", f"{DIST_INFO}/WHEEL,sha256=old,1\na.py,sha256=x,3\n"
        )
        archive.writestr(f"{DIST_INFO}/WHEEL", wheel_file)
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def test_needed_libraries_are_read(library: bytes) -> None:
    assert is_elf(library)
    assert "libm.so.6" in needed_libraries(library)


def test_needed_symbol_versions_are_read(library: bytes) -> None:
    assert ("libm.so.6", "GLIBC_2.29") in set(needed_versions(library))


def test_text_is_not_taken_for_a_library() -> None:
    assert not is_elf(b"print('hello')")
    with pytest.raises(ValueError, match="expected a 64-bit little-endian ELF file"):
        needed_libraries(b"print('hello')")


def test_symbol_newer_than_the_platform_is_refused(library: bytes) -> None:
    newer = library.replace(b"GLIBC_2.29", b"GLIBC_2.99")

    complaints = versions_too_new("root.so", newer)

    assert any("needs GLIBC_2.99 of libm.so.6" in complaint for complaint in complaints)


def test_library_that_is_not_bundled_is_refused(library: bytes) -> None:
    foreign = library.replace(b"libm.so.6", b"libq.so.6")

    assert any("needs libq.so.6" in text for text in libraries_missing("root.so", foreign, set()))
    assert not libraries_missing("root.so", foreign, {"libq.so.6"})


def test_system_newer_than_the_release_systems_tags_the_wheel_for_itself(
    library: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"root.so": library.replace(b"GLIBC_2.29", b"GLIBC_2.38"), "a.py": b"1"}

    assert platform_of(files, (2, 39)) == "manylinux_2_39_x86_64"
    assert "root.so needs GLIBC_2.38 of libm.so.6" in capsys.readouterr().out
    assert platform_of({"root.so": library}, (2, 39)) == "manylinux_2_34_x86_64"
    with pytest.raises(ValueError, match=r"root\.so needs GLIBC_2\.38"):
        platform_of(files, (2, 36))
    foreign = library.replace(b"libm.so.6", b"libq.so.6")
    with pytest.raises(ValueError, match=r"root\.so needs libq\.so\.6"):
        platform_of({"root.so": foreign}, (2, 39))


def test_compiled_kernels_are_added_to_the_wheel_and_its_record(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    (kernels / "kernel" / "ab").mkdir(parents=True)
    (kernels / "kernel" / "ab" / "abcd.weft").write_bytes(b"code")

    repaired = repair(make_wheel(tmp_path, {"a.py": b"1\n"}), tmp_path / "out", kernels)

    with zipfile.ZipFile(repaired) as archive:
        assert archive.read("weft/kernels/kernel/ab/abcd.weft") == b"code"
        record = archive.read(f"{DIST_INFO}/RECORD").decode().splitlines()
    assert any(line.startswith("weft/kernels/kernel/ab/abcd.weft,sha256=") for line in record)


def test_wheel_gets_the_platform_tag_and_a_true_record(tmp_path: Path, library: bytes) -> None:
    wheel = make_wheel(tmp_path, {"a.py": b"1\n", "weft/lib/root.so": library})

    repaired = repair(wheel, tmp_path / "out")

    assert repaired.name == "weft-1.0-cp311-cp311-manylinux_2_34_x86_64.whl"
    with zipfile.ZipFile(repaired) as archive:
        wheel_file = archive.read(f"{DIST_INFO}/WHEEL")
        record = archive.read(f"{DIST_INFO}/RECORD").decode().splitlines()
    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel_file).digest()).rstrip(b"=").decode()
    assert b"Tag: cp311-cp311-manylinux_2_34_x86_64" in wheel_file
    assert b"linux_x86_64\nTag" not in wheel_file
    assert f"{DIST_INFO}/WHEEL,sha256={digest},{len(wheel_file)}" in record
    assert "a.py,sha256=x,3" in record


def test_wheel_with_a_foreign_library_is_not_written(tmp_path: Path, library: bytes) -> None:
    wheel = make_wheel(tmp_path, {"weft/root.so": library.replace(b"libm.so.6", b"libq.so.6")})

    with pytest.raises(ValueError, match=r"weft/root\.so needs libq\.so\.6"):
        repair(wheel, tmp_path / "out")

    assert not (tmp_path / "out").exists()


def test_library_that_is_needed_is_bundled_under_a_name_of_its_own(
    tmp_path: Path, with_tbb: bytes
) -> None:
    wheel = make_wheel(tmp_path, {"weft/lib/libweft-embree3.so": with_tbb})

    repaired = repair(wheel, tmp_path / "out")

    shutil.rmtree(tmp_path / "system")
    with zipfile.ZipFile(repaired) as archive:
        archive.extractall(tmp_path / "installed")
        record = archive.read(f"{DIST_INFO}/RECORD").decode()
    lib = tmp_path / "installed" / "weft" / "lib"
    copy, embree = sorted(lib.iterdir())
    data = embree.read_bytes()
    assert re.fullmatch(r"libtbb-[0-9a-f]{8}\.so\.12", copy.name)
    assert own_name(copy.read_bytes()) == copy.name
    assert own_name(data) == embree.name
    assert copy.name in needed_libraries(data)
    assert "libtbb.so.12" not in needed_libraries(data)
    assert search_path(data) == "$ORIGIN"
    assert ctypes.CDLL(str(embree)).rays() == 70
    for file in (copy, embree):
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
        line = f"weft/lib/{file.name},sha256={digest.rstrip(b'=').decode()},{file.stat().st_size}"
        assert line in record.splitlines()


def test_bundling_gives_the_same_bytes_again(with_tbb: bytes) -> None:
    files = {"weft/lib/libweft-embree3.so": with_tbb}

    assert graft(files) == graft(files)


def test_library_that_this_system_lacks_is_named(
    with_tbb: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graft_libraries.GRAFTED", {"libqqq.so.12"})
    files = {"weft/lib/root.so": with_tbb.replace(b"libtbb.so.12", b"libqqq.so.12")}

    with pytest.raises(ValueError, match=r"root\.so needs libqqq\.so\.12, which this system"):
        graft(files)


def test_library_without_foreign_needs_stays_as_it_is(library: bytes) -> None:
    assert graft({"weft/lib/root.so": library}) == {}
