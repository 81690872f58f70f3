# SPDX-License-Identifier: Apache-2.0
"""Weft's own Slang modules come compiled; what is never used: test_shipped_modules.cpp."""

from __future__ import annotations

import weft


def test_the_first_module_of_an_installation_parses_none_of_wefts_own(tmp_path):
    source = "import slangtorch;\nfloat twice(float x) { return 2 * x; }"
    with weft.create_device(type="vulkan", cache_directory=str(tmp_path)) as device:
        module = weft.Module.load_from_source(device, "first", source)

        assert module.twice(3.0) == 6.0
        assert device.compiler_statistics["helper_starts"] == 1

    assert (tmp_path / "slang" / "kernel").is_dir()
    assert not (tmp_path / "slang" / "ir").exists()
