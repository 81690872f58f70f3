# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled side by side, before the first of them is needed."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from weft._native import _Cancellation

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
    waiting = list(reversed(calls))
    errors: list[BaseException] = []
    cancellation = _Cancellation()

    def compile_waiting() -> None:
        with cancellation:
            while not errors:
                try:
                    function, arguments = waiting.pop()
                except IndexError:
                    return
                try:
                    # Describing how a call runs compiles it, and lets other threads run meanwhile.
                    function.explain(*arguments)
                except BaseException as error:
                    errors.append(error)

    # No ThreadPoolExecutor: Python would wait for its threads when the host is left.
    count = min(os.cpu_count() or 1, len(calls))
    threads = [threading.Thread(target=compile_waiting, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        cancellation.cancel()  # signals reach only the main thread
        raise
    if errors:
        raise errors[0]
