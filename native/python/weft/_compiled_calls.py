# SPDX-License-Identifier: Apache-2.0
"""What torch.compile reads of a call: the operator of torch that stands for it.

Imported by the native module while it starts, so it imports nothing of Weft by itself. Calls that
run do not come here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft._native import Function


def call(self: Function, *args: object, **kwargs: object) -> Any:  # noqa: ANN401
    """Call the function."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling() and _has_operators(torch):
        from weft.torch.traced import call_traced

        return call_traced(self, args, kwargs)
    return self.call(*args, **kwargs)


def _has_operators(torch: Any) -> bool:  # noqa: ANN401
    """Return whether a call can become an operator; else it breaks the graph.

    Before 2.13 torch stops where a function that it takes for a constant has an object as argument.
    """
    version = torch.version.__version__.split(".")
    return (int(version[0]), int(version[1])) >= (2, 13)
