# SPDX-License-Identifier: Apache-2.0
"""Public names of the release before: they work for one release more, and say what to use."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Owner = TypeVar("Owner", bound=type[Any])


def warn_renamed(owner: str, old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that a name is another one now.

    Args:
        owner: Name of the class.
        old: The name that was used.
        new: The name to use.
        stacklevel: Of the caller's caller, as warnings.warn() counts.
    """
    warnings.warn(
        f"{owner}: '{old}' is called '{new}' now; use that name, the old one goes in a later "
        "release",
        DeprecationWarning,
        stacklevel=stacklevel,
    )


def _alias(owner: str, old: str, new: str) -> property:
    """Return a property that reads and writes another attribute, and warns."""

    def read(self: object) -> object:
        warn_renamed(owner, old, new)
        return getattr(self, new)

    def write(self: object, value: object) -> None:
        warn_renamed(owner, old, new)
        setattr(self, new, value)

    return property(read, write, doc=f"The name of the release before of `{new}`.")


def with_aliases(renamed: Mapping[str, str]) -> Callable[[Owner], Owner]:
    """Return a class decorator: old names work as keywords and as attributes, and warn.

    Where both names are given the old one counts: dataclasses.replace(settings, old=...) gives
    the new one besides, as it is.

    Args:
        renamed: New names by old ones.
    """

    def decorate(owner: Owner) -> Owner:
        construct = owner.__init__

        @functools.wraps(construct)
        def init(self: object, *args: object, **given: object) -> None:
            for old in renamed.keys() & given.keys():
                warn_renamed(owner.__name__, old, renamed[old])
                given[renamed[old]] = given.pop(old)
            construct(self, *args, **given)

        owner.__init__ = init
        for old, new in renamed.items():
            setattr(owner, old, _alias(owner.__name__, old, new))
        return owner

    return decorate
