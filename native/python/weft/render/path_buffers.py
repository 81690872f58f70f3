# SPDX-License-Identifier: Apache-2.0
"""Memory for the paths under way (native/render/path_buffers.hpp)."""

from __future__ import annotations

from weft._native import (
    PathBuffers,
    path_buffer_bytes,
    path_rows,
    record_room,
    rows_of_hits,
    whole_groups,
)

__all__ = [
    "PathBuffers",
    "path_buffer_bytes",
    "path_rows",
    "record_room",
    "rows_of_hits",
    "whole_groups",
]
