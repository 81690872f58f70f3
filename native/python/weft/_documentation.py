# SPDX-License-Identifier: Apache-2.0
"""What Python asks of a Slang function: descriptors, as the class has a text of its own.

Imported by the native module while it starts, so it imports nothing of Weft by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import inspect

    from weft._native import Function


class FunctionDocumentation(str):
    """``__doc__``: the text itself on the class, that of the Slang source on a function."""

    __slots__ = ()

    def __get__(self, instance: Function | None, owner: type | None = None) -> str:
        """Return the text of a function, or of the class."""
        if instance is None:
            return str(self)
        from weft.signatures import documentation_of

        return documentation_of(instance)


class FunctionSignature:
    """``__signature__`` of a function; the class has none."""

    def __get__(self, instance: Function | None, owner: type | None = None) -> inspect.Signature:
        """Return the signature that inspect.signature() shows."""
        if instance is None:
            raise AttributeError("a function has a __signature__, its class has none")
        from weft.signatures import signature_of

        return signature_of(instance)
