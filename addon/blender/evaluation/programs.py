# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled functions of the open file, by the hash of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from weft import ArgumentError, Error

from ...core.evaluation.program import Program, compile_program
from ...core.slang_nodes.preparing import prepare
from ...core.slang_nodes.trust import is_trusted, trust
from ..session import require_session
from ..slang_nodes.contents import state_of
from ..slang_nodes.nodes import request_of, require_tag
from ..slang_nodes.tags import tagged_trees
from .sites import evaluated_tag

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from ...core.slang_nodes.preparing import Prepared


class Programs:
    """Compiles functions when they are needed, once each.

    Attributes:
        foreign: Hashes of sources that came with a file and that nobody has vouched for.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.foreign: set[str] = set()
        self._made: dict[str, Program] = {}
        self._vouched: set[str] = set()
        self._failed: dict[object, Error] = {}

    def find(self, hashed: str) -> Program | None:
        """Return the function of a group's hash if it is compiled."""
        return self._made.get(hashed)

    def maker(self, tree: bpy.types.NodeTree) -> Callable[[threading.Event | None], Program]:
        """Return what compiles a group's function, in any thread.

        Raises:
            ArgumentError: It came with the file and may not run; its source is gone.
        """
        tag = require_tag(tree)
        state = (tag.hash, state_of(tag.source, tag.files))
        if state in self._failed:
            raise self._failed[state]
        request = request_of(tree, tag)
        is_foreign = tag.content in self.foreign and tag.source.kind != "template"
        session = require_session()

        def make(_cancelled: threading.Event | None = None) -> Program:
            try:
                return made()
            except Error as error:
                # Playing would compile it in each frame.
                self._failed[state] = error
                raise

        def made() -> Program:
            prepared = prepare(request)
            self._check(prepared, is_foreign)
            device = session.device()
            session.when_device_closes(self.forget)
            assert prepared.plan is not None
            program = compile_program(device, prepared.request.source, prepared.plan)
            self._made[tag.hash] = program
            return program

        return make

    def _check(self, prepared: Prepared, is_foreign: bool) -> None:
        """Let what is the user's own run, and keep it.

        Raises:
            ArgumentError: It is another's.
        """
        if is_foreign and not is_trusted(prepared):
            message = (
                f"the function '{prepared.request.function}' came with the file: read its text, "
                "then choose Allow in the panel of the modifier"
            )
            raise ArgumentError(message)
        trust(prepared)

    def forget(self) -> None:
        """Drop what was compiled."""
        self._made.clear()
        self._failed.clear()

    def note_foreign(self) -> None:
        """Note that the functions of the file that was opened, or appended, are another's."""
        if bpy.context.preferences.filepaths.use_scripts_auto_execute:
            return
        self.foreign |= {
            tag.content for tree, tag in tagged_trees() if evaluated_tag(tree) is not None
        } - self._vouched

    def allow(self) -> None:
        """Let the functions of this file run."""
        self._failed.clear()
        self._vouched |= self.foreign
        self.foreign.clear()

    def note_own(self, tree: bpy.types.NodeTree) -> None:
        """Note that a group's function is the user's."""
        self._vouched.add(require_tag(tree).content)
        self.foreign -= self._vouched
