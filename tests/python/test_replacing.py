# SPDX-License-Identifier: Apache-2.0
"""Files of daemon threads that the end of the interpreter stops: whole, or not there."""

import subprocess
import sys

import pytest

SCRIPT = """
import pathlib, sys, threading, time
from weft._replacing import replacing

file = pathlib.Path(sys.argv[1])
begun = threading.Event()

def write():
    while True:
        with replacing(file) as temporary:
            with temporary.open("w") as out:
                for _ in range(200):
                    out.write("line\\n")
                    out.flush()
                    begun.set()
                    PAUSE

threading.Thread(target=write, daemon=True).start()
begun.wait()
time.sleep(DELAY)
"""


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("pause", ["pass", "time.sleep(0.001)"])
def test_the_end_leaves_no_part_of_a_file(delay, pause, tmp_path):
    script = SCRIPT.replace("PAUSE", pause).replace("DELAY", str(delay))
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", script, tmp_path / "a.txt"], capture_output=True, text=True
        )

        assert (ended.returncode, ended.stderr) == (0, "")
        assert [path.name for path in tmp_path.iterdir()] in ([], ["a.txt"])
        assert all(path.read_text() == "line\n" * 200 for path in tmp_path.iterdir())


def test_what_is_written_while_the_interpreter_ends_arrives(tmp_path):
    script = (
        "import atexit, pathlib, sys\n"
        "def last():\n"
        "    with weft._replacing.replacing(pathlib.Path(sys.argv[1])) as temporary:\n"
        "        temporary.write_text('whole')\n"
        "atexit.register(last)\n"
        "import weft._replacing, weft\n"
    )
    file = tmp_path / "a.txt"
    ended = subprocess.run([sys.executable, "-c", script, file], capture_output=True, text=True)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert file.read_text() == "whole"
