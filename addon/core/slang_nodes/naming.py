# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


ACRONYMS = {word.lower(): word for word in ("UV", "ID", "RGB", "HSV", "IOR", "SDF", "BRDF", "GGX")}


def title_of(name: str) -> str:
    """Return a name of code as a title: ``fractalNoise`` and ``fractal_noise`` are Fractal Noise.

    >>> title_of("cell.placeUV")
    'Cell Place UV'
    """
    words = ["".join(word) for word in _words(name)]
    return (
        " ".join(ACRONYMS.get(word.lower(), word[0].upper() + word[1:]) for word in words) or name
    )


def _words(name: str) -> Iterator[list[str]]:
    word: list[str] = []
    for place, letter in enumerate(name):
        if not letter.isalnum():
            if word:
                yield word
            word = []
            continue
        after = name[place + 1 : place + 2]
        begins = letter.isupper() and (not word or not word[-1].isupper() or after.islower())
        if word and (begins or letter.isdigit() != word[-1].isdigit()):
            yield word
            word = []
        word.append(letter)
    if word:
        yield word


def base_name(spelled: str) -> str:
    """Return the name of a function without types and arguments."""
    return spelled.split("(")[0].split("<")[0].strip()


def arguments_of(spelled: str) -> str:
    """Return the arguments of a generic function, ``<float, 3>``; "" without them."""
    begin = spelled.find("<")
    is_generic = begin >= 0 and "(" not in spelled[:begin]
    return spelled[begin : spelled.rfind(">") + 1] if is_generic else ""


def variant_label(spelled: str) -> str:
    """Return what tells a function from others of its name: ``(float2, int)``, ``<float, 3>``."""
    return spelled.strip()[len(base_name(spelled)) :]


def unique_labels(labels: Iterable[str]) -> list[str]:
    """Return labels of which no two are equal: the second "Scale" is "Scale 2".

    >>> unique_labels(["Scale", "Scale", "Scale 2"])
    ['Scale', 'Scale 3', 'Scale 2']
    """
    given = list(labels)
    taken = set(given)
    seen: set[str] = set()
    found = []
    for label in given:
        unique, number = label, 1
        while unique in seen or (number > 1 and unique in taken):
            number += 1
            unique = f"{label} {number}"
        seen.add(unique)
        found.append(unique)
    return found
