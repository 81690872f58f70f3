# SPDX-License-Identifier: Apache-2.0
"""Files of strangers beside scenes: no pickles, no bombs, no way out of a folder."""

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft._archives import FREE_BYTES, ArchiveReader
from weft.fit.checkpoint import load_state
from weft.fit.report import file_name
from weft.scene import Closure, Material, Scene, Texture


class WritesAFile:
    """An object whose unpickling writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.write_text, (self.path, "pickled code has run")


def npy(array, **options):
    """The bytes of an array in numpy's format."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), **options)
    return stream.getvalue()


def header(shape, dtype=np.float32):
    """A header that promises an array, without the array."""
    stream = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(np.dtype(dtype))
    np.lib.format.write_array_header_1_0(
        stream, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return stream.getvalue()


def archive_of(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def textured_scene(path):
    """A scene with one texture, and the name of the member that holds it."""
    texture = Texture(np.random.default_rng(0).random((4, 4, 3)))
    Scene([placed(quad(2), Material("m", Closure("diffuse", color=texture)))]).save(path)
    with zipfile.ZipFile(path) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    return next(name for name, size in sizes.items() if size == 128 + 4 * 4 * 3 * 4)


def replace_member(path, name, content):
    with zipfile.ZipFile(path) as archive:
        members = {entry: archive.read(entry) for entry in archive.namelist()}
    members[name] = content
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, value in members.items():
            archive.writestr(entry, value)


def hostile_arrays(path):
    """Contents of members that promise what they have not, or code."""
    return {
        "objects": npy(np.array([WritesAFile(path)], object), allow_pickle=True),
        "a bare pickle": pickle.dumps(WritesAFile(path)),
        "a terabyte": header((1 << 38,)) + b"\0" * 64,
        "more than there is": header((4, 4, 3)) + b"\0" * 8,
        "less than there is": header((2,)) + b"\0" * 4096,
        "too large to count": header((1 << 62, 1 << 62)),
        "negative": header((-1,)) + b"\0" * 8,
        "an odd version": b"\x93NUMPY\x07\x00" + header((2,))[8:] + b"\0" * 8,
        "code in the header": npy(np.zeros(2)).replace(b"'fortran_order'", b"__import__('o')"),
        "nothing": b"",
    }


HOSTILE = list(hostile_arrays(Path("unused")))


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_arrays_of_a_scene_give_one_error_and_run_nothing(tmp_path, kind):
    path, mark = tmp_path / "a.weft", tmp_path / "mark"
    replace_member(path, textured_scene(path), hostile_arrays(mark)[kind])

    for trust in (False, True):
        with pytest.raises(weft.ArgumentError, match="no scene of Weft, or damaged"):
            Scene.load(path, trust=trust)
    assert not mark.exists()


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_checkpoints_give_one_error_and_run_nothing(tmp_path, kind):
    mark = tmp_path / "mark"
    path = archive_of(tmp_path / "fit.npz", history=hostile_arrays(mark)[kind])

    with pytest.raises(weft.ArgumentError, match="no checkpoint"):
        load_state(path, None)
    assert not mark.exists()


def test_a_bare_pickle_is_no_checkpoint(tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "fit.npz").write_bytes(pickle.dumps(WritesAFile(mark)))

    with pytest.raises(weft.ArgumentError, match="no checkpoint"):
        load_state(tmp_path / "fit.npz", None)
    assert not mark.exists()


class Claims:
    """An archive whose members claim a size, as a bomb's directory does."""

    def __init__(self, size):
        self.size = size

    def getinfo(self, name):
        info = zipfile.ZipInfo(name)
        info.file_size = self.size
        return info

    def open(self, info):
        raise AssertionError("a bomb was opened")

    read = open


@pytest.mark.parametrize("file_size", [100, 1 << 20, FREE_BYTES // 100])
def test_an_array_that_unpacks_to_more_than_its_file_may_is_not_opened(file_size):
    reader = ArchiveReader(Claims(FREE_BYTES + 1), file_size)

    with pytest.raises(ValueError, match="unpack to more than 4 GB"):
        reader.array("bomb.npy")


def test_arrays_add_up_however_often_they_are_named(tmp_path):
    path = archive_of(tmp_path / "a.zip", a=npy(np.zeros(1000)))
    with zipfile.ZipFile(path) as archive:
        reader = ArchiveReader(archive, 100)
        reader._most = 40_000  # 4 GB would take long
        for _ in range(4):
            reader.array("a.npy")
        with pytest.raises(ValueError, match="unpack to more than"):
            reader.array("a.npy")


def test_a_large_file_may_unpack_to_a_hundred_times_its_size(tmp_path):
    path = archive_of(tmp_path / "a.zip", a=npy(np.zeros(1000)))
    with zipfile.ZipFile(path) as archive:
        assert ArchiveReader(archive, FREE_BYTES)._most == 100 * FREE_BYTES
        assert ArchiveReader(archive, 100, trust=True)._most == float("inf")


def test_a_text_beyond_its_bound_is_not_read():
    with pytest.raises(ValueError, match="of at most 1000"):
        ArchiveReader(Claims(1001), 100).read("scene.json", 1000)


NAMES = [
    "../../../etc/passwd", "/etc/passwd", "..", ".", "", "a/../../b", "C:\\x", "\\\\host\\x",
    "a\0b", "a\nb", "~root", "x" * 5000, "../" * 2000, "név", "CON", ".hidden", "a:b", "%2e%2e%2f",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_files_cannot_leave_their_folder(tmp_path, name):
    taken: set[str] = set()
    for _ in range(2):
        file = tmp_path / f"texture_{file_name(name, taken)}.exr"
        file.write_text("")

        assert file.resolve().parent == tmp_path.resolve()
        assert len(file.name) < 255
    assert len(list(tmp_path.iterdir())) == 2
