# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled side by side, before the first of them is needed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Function


def compile_together(calls: Sequence[tuple[Function, Sequence[Any]]]) -> None:
    """Compile the kernels of calls that will come, on all cores.

    Args:
        calls: Functions and what they will be called with; of tensors, kinds and dtypes matter.

    Raises:
        CompileError: One of them does not compile.
    """
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as threads:
        # Describing how a call runs compiles it, without the lock of Python's interpreter.
        waiting = [threads.submit(function.explain, *arguments) for function, arguments in calls]
        for entry in waiting:
            entry.result()
