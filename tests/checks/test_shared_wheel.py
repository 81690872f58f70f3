# SPDX-License-Identifier: Apache-2.0
"""Libraries that are the same for every Python are once in an extension."""

from __future__ import annotations

import base64
import hashlib
import stat
import zipfile

import pytest

from dev.shared_wheel import share_libraries

PLATFORM = "manylinux_2_34_x86_64"
INFO = "weft-1.0.dist-info"


def make_wheel(folder, python, libraries):
    files = {
        f"weft/_native.{python}.so": python.encode(),
        "weft/bin/weft-compiler": b"program",
        **{f"weft/lib/{name}": data for name, data in libraries.items()},
        f"{INFO}/licenses/LICENSE": b"text",
        f"{INFO}/METADATA": b"Name: weft\n",
    }
    record = "".join(f"{name},sha256=x,{len(data)}\n" for name, data in files.items())
    path = folder / f"weft-1.0-{python}-{python}-{PLATFORM}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o755 if "bin" in name else 0o644) << 16
            archive.writestr(info, data)
        archive.writestr(f"{INFO}/RECORD", f"{record}{INFO}/RECORD,,\n")
    return path


def contents_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def wheels(tmp_path):
    same = {"libslang.so": b"slang" * 999, "libtbb-01.so.12": b"tbb"}
    return [
        make_wheel(tmp_path, "cp311", same | {"own.so": b"one"}),
        make_wheel(tmp_path, "cp313", same | {"own.so": b"two"}),
    ]


def test_each_file_is_there_once_for_each_python(wheels, tmp_path):
    folder = tmp_path / "packed"

    shared, *slim = share_libraries(wheels, folder)

    assert shared.name == f"weft_libraries-1.0-py3-none-{PLATFORM}.whl"
    assert [path.name for path in slim] == [path.name for path in wheels]
    for before, after in zip(wheels, slim, strict=True):
        together = contents_of(shared) | contents_of(after)
        wanted = contents_of(before)
        assert {n: d for n, d in together.items() if n in wanted and "RECORD" not in n} == {
            n: d for n, d in wanted.items() if "RECORD" not in n
        }
        assert "weft/lib/libslang.so" not in contents_of(after)
        assert "weft/lib/own.so" in contents_of(after)


def test_records_are_true(wheels, tmp_path):
    shared, slim, _ = share_libraries(wheels, tmp_path / "packed")

    record = contents_of(slim)[f"{INFO}/RECORD"].decode().splitlines()
    assert {line.split(",")[0] for line in record} == set(contents_of(slim))
    files = contents_of(shared)
    record = files["weft_libraries-1.0.dist-info/RECORD"].decode().splitlines()
    assert {line.split(",")[0] for line in record} == set(files)
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"tbb").digest()).rstrip(b"=").decode()
    assert f"weft/lib/libtbb-01.so.12,sha256={digest},3" in record


def test_shared_wheel_has_what_blender_reads_and_the_licences(wheels, tmp_path):
    files = contents_of(share_libraries(wheels, tmp_path / "packed")[0])

    assert f"Tag: py3-none-{PLATFORM}\n" in files["weft_libraries-1.0.dist-info/WHEEL"].decode()
    assert "Name: weft_libraries\n" in files["weft_libraries-1.0.dist-info/METADATA"].decode()
    assert files["weft_libraries-1.0.dist-info/licenses/LICENSE"] == b"text"


def test_programs_stay_programs(wheels, tmp_path):
    with zipfile.ZipFile(share_libraries(wheels, tmp_path / "packed")[1]) as archive:
        mode = archive.getinfo("weft/bin/weft-compiler").external_attr >> 16

    assert mode & stat.S_IXUSR


def test_equal_wheels_give_equal_wheels(wheels, tmp_path):
    first = share_libraries(wheels, tmp_path / "first")
    second = share_libraries(wheels, tmp_path / "second")

    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_a_single_wheel_stays_as_it_is(wheels, tmp_path):
    assert share_libraries(wheels[:1], tmp_path) == wheels[:1]


def test_wheels_that_share_nothing_stay_as_they_are(tmp_path):
    wheels = [
        make_wheel(tmp_path, "cp311", {"libslang.so": b"one"}),
        make_wheel(tmp_path, "cp313", {"libslang.so": b"two"}),
    ]

    assert share_libraries(wheels, tmp_path) == wheels
