# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict of a fit, one line with a color."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text import draw_text

if TYPE_CHECKING:
    import bpy

    from weft.fit import Verdict

    from .properties import WEFT_PG_fit

COLORS = {
    "explained": "STRIP_COLOR_04",  # green
    "doubtful": "STRIP_COLOR_03",  # yellow
    "wrong": "STRIP_COLOR_01",  # red
    "open": "STRIP_COLOR_09",  # gray
}
MARKS = {"explained": "CHECKMARK", "doubtful": "QUESTION", "wrong": "ERROR", "open": "NONE"}


def keep_verdict(fit: WEFT_PG_fit, verdict: Verdict, names: list[str]) -> None:
    """Keep a verdict beside the fit and its pictures.

    Args:
        fit: Of the panel.
        verdict: Of its fit.
        names: Of the pictures in use, as the fit calls them.
    """
    fit.verdict, fit.verdict_level = verdict.sentence, verdict.level
    views = {view.name: view for view in verdict.views}
    used = [target for target in fit.targets if target.use]
    for target, name in zip(used, names, strict=True):
        view = views.get(name)
        if view is not None:
            target.verdict_level = view.level
            is_noise = view.level == "explained"
            left = "what is left is noise" if is_noise else f"{view.ratio:.2g} times the noise"
            target.verdict = f"{left}: {view.cause}" if view.cause else left


def forget_verdict(fit: WEFT_PG_fit) -> None:
    """Clear what an earlier fit left."""
    for entry in (fit, *fit.targets):
        entry.verdict = entry.verdict_level = ""


def draw_verdict(layout: bpy.types.UILayout, entry: bpy.types.PropertyGroup) -> None:
    """Draw the verdict of a fit, or of one of its pictures."""
    level = entry.verdict_level
    if level not in COLORS:
        return
    row = layout.row(align=True)
    row.alert = level == "wrong"
    row.label(text="", icon=COLORS[level])
    draw_text(row, entry.verdict[:1].upper() + entry.verdict[1:], icon=MARKS[level])
