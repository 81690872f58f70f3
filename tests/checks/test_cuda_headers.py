# SPDX-License-Identifier: Apache-2.0
"""The build finds the headers of CUDA where pip put them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checks.source_tree import ROOT

PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(probe LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "{modules}")
find_package(CudaHeaders REQUIRED)
get_target_property(found weft::cuda_headers INTERFACE_INCLUDE_DIRECTORIES)
message(STATUS "found=${{found}}")
"""


def wheel_in(folder: Path) -> Path:
    """Lay headers out as the wheels of nvidia-cuda-runtime and -nvrtc do."""
    include = folder / "nvidia" / "cu13" / "include"
    include.mkdir(parents=True)
    for name in ("cuda.h", "nvrtc.h"):
        (include / name).write_text("")
    return include


def configure(folder: Path, *options: str, **variables: str) -> str:
    """Configure a project that asks for the headers; return what CMake said."""
    cmake = shutil.which(
        "cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if cmake is None:
        pytest.skip("there is no CMake")
    source = folder / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT.format(modules=ROOT / "packaging" / "cmake"))
    left_out = ("CUDA_HOME", "CUDA_PATH")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [
            cmake,
            "-S",
            source,
            "-B",
            folder / "build",
            "-DPython_EXECUTABLE=/usr/bin/false",
            *options,
        ],
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    return " ".join((done.stdout + done.stderr).split())


def test_headers_of_pips_isolated_environment_are_found(tmp_path):
    isolated = tmp_path / "overlay" / "site-packages"
    include = wheel_in(isolated)

    assert f"found={include}" in configure(tmp_path, f"-DCMAKE_PREFIX_PATH=/nowhere;{isolated}")


def test_cuda_home_comes_before_wheels(tmp_path):
    isolated = tmp_path / "site-packages"
    wheel_in(isolated)
    own = wheel_in(tmp_path / "own")

    said = configure(tmp_path, f"-DCMAKE_PREFIX_PATH={isolated}", CUDA_HOME=str(own.parent))

    assert f"found={own}" in said


def test_what_is_missing_is_named_with_the_remedy(tmp_path):
    toolkits = "/usr/local/cuda/include;/opt/cuda/include"

    said = configure(tmp_path, f"-DCMAKE_IGNORE_PATH={toolkits}")

    assert "install the Python packages nvidia-cuda-runtime" in said
