# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes the open file's baked Slang nodes: at once when asked, in steps when they follow changes.

The main thread reads and writes Blender's data; compiling and computing happen in a thread. A
change is baked coarse first, then in full. What a bake was made from is hashed, and kept with the
group: nothing is computed while that is the same.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy

from weft import ArgumentError, Error

from ...core.baking.bake import BakeCancelled, bake, bake_corners
from ...core.baking.programs import Programs
from ...core.job import Job
from ...core.slang_nodes.preparing import prepare
from ...core.slang_nodes.trust import is_trusted, trust
from ..images import ImageStore
from ..session import require_session
from ..slang_nodes.nodes import request_of, require_editable
from ..slang_nodes.tags import read_tag
from .attributes import shared_meshes, write_attributes
from .gathering import SurfaceStore, gather
from .images import pack_images, write_images
from .places import baked_groups, place_of, separate, users_of
from .record import Record, notes_of, read_record, write_record
from .tree import baked_images, image_count, is_baked

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from ...core.baking.bake import Baked
    from ...core.slang_nodes.preparing import Prepared
    from .gathering import Gathered

    Waits = Generator[Job[Any] | None, None, None]

REFUSAL = (
    "its function has not run on this machine before: read it, and press Bake if you trust who "
    "wrote it"
)
COARSE = 256
"""Texels along each side of what is shown first."""

SILENCE = 0.1
"""Seconds without a change before a node is baked."""

FAULTS = (Error, RuntimeError, OSError)


class Bakery:
    """What baking needs, and what is under way. Every method is called in the main thread."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.store = SurfaceStore()
        self.bakes = 0
        self._images = ImageStore()
        self._programs: Programs | None = None
        self._prepared: dict[tuple[object, ...], Prepared] = {}
        self._allowed: set[int] = set()
        self._shown: dict[int, str] = {}  # states that images show coarse
        self._written: dict[int, str] = {}  # states that images were written for, by image
        self._changed: float | None = None
        self._objects = 0
        self._has_written = False  # images, which Blender will report as a change
        self._rechecks = False
        self._running: Waits | None = None
        self._job: Job[Any] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is baked or waited for."""
        return self._running is None and self._changed is None

    def forget(self) -> None:
        """Drop what is under way and what was read: other objects take the place of all."""
        self._stop()
        self.store.forget()
        self._prepared.clear()
        self._shown.clear()

    def forget_file(self) -> None:
        """Drop what belongs to the file that was open."""
        self.forget()
        self._changed = None
        self._allowed.clear()
        self._written.clear()

    def allow(self, group: bpy.types.NodeTree) -> None:
        """Note that the user has chosen that a group is baked."""
        self._allowed.add(group.session_uid)
        self.touch()

    def touch(self) -> None:
        """Note that something changed on which a bake may depend."""
        self._changed = time.monotonic()

    def note(self, *, is_of_mesh: bool) -> None:
        """Note a change that Blender reports.

        The first one after images were written is that of the images, as a rule: what is under way
        goes on, and is looked at again at its end.

        Args:
            is_of_mesh: An object or its mesh is another one.
        """
        is_own = self._has_written and self._running is not None and not is_of_mesh
        self._has_written = False
        if is_own:
            self._rechecks = True
        else:
            self.touch()

    def note_objects(self, count: int) -> bool:
        """Note how many objects there are; return whether these are less than before."""
        before, self._objects = self._objects, count
        return count < before

    def programs(self) -> Programs:
        """Return functions on the session's device.

        Raises:
            DeviceError: There is none.
        """
        session = require_session()
        device = session.device()
        if self._programs is None:
            self._programs = Programs(device)
            session.when_device_closes(self._drop_device)
        return self._programs

    def _drop_device(self) -> None:
        self._stop()
        self._programs = None

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
        if self._running is not None:
            self._running.close()
        self._running = self._job = None

    # What is asked for -----------------------------------------------------------------------

    def bake_now(self, group: bpy.types.NodeTree) -> Record:
        """Bake a group in full, and wait.

        Raises:
            ArgumentError: It cannot be baked; says why, and so does its record.
            CompileError: Its function does not compile.
            DeviceError: The device fails.
        """
        self._stop()
        self.store.forget()  # scripts change meshes without telling
        require_editable(group)
        separate(group)
        try:
            prepared = self._prepare(group)
            trust(prepared)
            self._allowed.add(group.session_uid)
            return self._bake_all(group, prepared)
        except FAULTS as error:
            write_record(group, replace(read_record(group), error=str(error)))
            raise

    def finish_all(self) -> None:
        """Bake whatever is not what its inputs say, and wait; what fails is recorded."""
        self._stop()
        self._changed = None
        if bpy.app.background:
            self.store.forget()
        for group in baked_groups():
            separate(group)
        for group in baked_groups():
            if not group.users or not group.weft_bake.follows:
                continue
            try:
                prepared = self._prepare(group)
                if self._may_run(group, prepared):
                    self._bake_all(group, prepared)
            except FAULTS as error:
                write_record(group, replace(read_record(group), error=str(error)))

    def _bake_all(self, group: bpy.types.NodeTree, prepared: Prepared) -> Record:
        start = time.perf_counter()
        self._images.begin()
        if edited := edited_user(group):
            message = (
                f"bake: '{group.name}': '{edited}' is in Edit Mode, in which its faces are not "
                "known; leave that"
            )
            raise ArgumentError(message)
        gathered = _last(gather(group, prepared, self.store, self._images))
        record = read_record(group)
        if self._is_current(group, gathered, record) and not record.error:
            return record
        cancelled = None
        if group.weft_bake.target == "IMAGE":
            programs = self.programs()
            found = bake(gathered.task, group.weft_bake.size, programs, cancelled)
            self._begin_writing(group)
            _last(write_images(group, found))
            _last(pack_images(group))
            return self._record_images(group, gathered, found, start)
        rows = self._bake_attributes(gathered, cancelled)
        write_attributes(group, gathered, rows)
        return self._record_attributes(group, gathered, rows, start)

    def _bake_attributes(self, gathered: Gathered, cancelled: threading.Event | None) -> Any:  # noqa: ANN401
        made = []
        for surface, count in zip(gathered.task.surfaces, gathered.corners, strict=True):
            if cancelled is not None and cancelled.is_set():
                raise BakeCancelled
            made.append(bake_corners(gathered.task, surface, count, self.programs()))
        return made

    def _record_images(
        self, group: bpy.types.NodeTree, gathered: Gathered, found: Baked, start: float
    ) -> Record:
        size = group.weft_bake.size
        notes = notes_of(found.report, size)
        record = Record(gathered.state, size, "", notes, time.perf_counter() - start)
        write_record(group, record)
        self._note_written(group, gathered.state)
        self.bakes += 1
        return record

    def _record_attributes(
        self,
        group: bpy.types.NodeTree,
        gathered: Gathered,
        rows: Any,  # noqa: ANN401
        start: float,
    ) -> Record:
        bad = [(own.count, own.first) for _, own in rows if own.count]
        notes = [
            f"the function gives no number at {count} places, first at {first}; they are black"
            for count, first in bad
        ]
        if shared := shared_meshes(gathered):
            notes.append(
                f"objects share the mesh {', '.join(map(repr, shared))}, which holds the values of "
                "the last of them: make it single-user, or bake images"
            )
        record = Record(gathered.state, 0, "", tuple(notes), time.perf_counter() - start)
        write_record(group, record)
        self.bakes += 1
        return record

    def _is_current(self, group: bpy.types.NodeTree, gathered: Gathered, record: Record) -> bool:
        """Return whether a group looks up what its inputs say.

        Undo takes records back, but not the pixels of images.
        """
        held = list(baked_images(group).values())
        written = {self._written.get(image.session_uid, record.state) for image in held}
        has_all = group.weft_bake.target != "IMAGE" or len(held) == image_count(group)
        return record.state == gathered.state and has_all and written <= {record.state}

    def _begin_writing(self, group: bpy.types.NodeTree) -> None:
        """Note that images are not what the record says, should writing them end early."""
        self._note_written(group, "")
        write_record(group, replace(read_record(group), state=""))

    def _note_written(self, group: bpy.types.NodeTree, state: str) -> None:
        for image in baked_images(group).values():
            self._written[image.session_uid] = state

    def _may_run(self, group: bpy.types.NodeTree, prepared: Prepared) -> bool:
        """Return whether a group is baked without being asked for; note it if not."""
        if group.session_uid in self._allowed or is_trusted(prepared):
            trust(prepared)
            self._allowed.add(group.session_uid)
            return True
        write_record(group, replace(read_record(group), error=REFUSAL))
        return False

    def _key(self, group: bpy.types.NodeTree) -> tuple[object, ...]:
        tag = read_tag(group)
        if tag is None:
            message = f"bake: '{group.name}' is not made from a Slang function; add it again"
            raise ArgumentError(message)
        return (tag.source, tag.function, tuple(sorted(tag.build.items())), tag.content, tag.hash)

    def _prepare(self, group: bpy.types.NodeTree) -> Prepared:
        key = self._key(group)
        if key not in self._prepared:
            tag = read_tag(group)
            assert tag is not None
            self._prepared[key] = prepare(request_of(group, tag))
        return self._prepared[key]

    # What follows changes ----------------------------------------------------------------------

    def advance(self, seconds: float) -> bool:
        """Do a little; return whether something is shown that was not before."""
        if self._changed is not None:
            if self._running is not None:
                self._stop()
            if time.monotonic() - self._changed < SILENCE:
                return False
            self._changed = None
            self._running = self._follow()
        if self._running is None or (self._job is not None and not self._job.is_done):
            return False
        before = self.bakes
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            try:
                self._job = next(self._running)
            except StopIteration:
                self._running = self._job = None
                if self._rechecks:
                    self._rechecks = False
                    self.touch()
                break
            if self._job is not None:
                break
        return self.bakes != before

    def _follow(self) -> Waits:
        """Bake the groups whose inputs changed."""
        self._images.begin()
        self.store.forget_gone()
        for number in [group.session_uid for group in baked_groups()]:
            group = find_group(number)
            if group is not None:
                separate(group)
                yield None
        coarse = [group for group in baked_groups() if group.users and group.weft_bake.follows]
        for number in [group.session_uid for group in coarse]:
            group = find_group(number)
            if group is None:
                continue
            try:
                yield from self._follow_one(group)
            except BakeCancelled:
                return
            except Exception as error:  # the timer that calls would end, and with it all following
                self._note_fault(number, error)

    def _note_fault(self, number: int, error: Exception) -> None:
        """Record why a group could not be baked, unless it is gone by now."""
        group = find_group(number)
        if group is None or not is_baked(group):
            return
        is_known = isinstance(error, FAULTS)
        text = str(error) if is_known else f"bake: {type(error).__name__}: {error}; press Bake"
        write_record(group, replace(read_record(group), error=text))
        self.bakes += 1

    def _start(self, work: Callable[[threading.Event], Any], name: str) -> Job[Any]:
        """Start a job that ends before the device is closed."""
        job: Job[Any] = Job(work, name)
        require_session().add_job(job)
        return job

    def _follow_one(self, group: bpy.types.NodeTree) -> Waits:
        if edited_user(group):
            return  # leaving Edit Mode is a change
        key = self._key(group)
        if key not in self._prepared:
            tag = read_tag(group)
            assert tag is not None
            request = request_of(group, tag)
            making = self._start(lambda _: prepare(request), "weft-prepare-bake")
            yield making
            self._prepared[key] = making.result()
        prepared = self._prepared[key]
        gathered = yield from gather(group, prepared, self.store, self._images)
        record = read_record(group)
        if self._is_current(group, gathered, record):
            if record.error:
                write_record(group, replace(record, error=""))
                self.bakes += 1
            return
        if not self._may_run(group, prepared):
            return
        start = time.perf_counter()
        making = self._start(lambda _: self.programs(), "weft-bake-device")
        yield making
        programs = making.result()
        if group.weft_bake.target != "IMAGE":
            making = self._start(
                lambda cancelled: self._bake_attributes(gathered, cancelled), "weft-bake"
            )
            yield making
            write_attributes(group, gathered, making.result())
            self._record_attributes(group, gathered, making.result(), start)
            return
        size = group.weft_bake.size
        # A change while the coarse image was written may have changed nothing here.
        is_shown = self._shown.get(group.session_uid) == gathered.state
        for side in [COARSE, size] if size > COARSE and not is_shown else [size]:
            making = self._start(
                lambda cancelled, side=side: bake(gathered.task, side, programs, cancelled),  # type: ignore[misc]
                "weft-bake",
            )
            yield making
            found: Baked = making.result()
            self._begin_writing(group)
            for _ in write_images(group, found):
                self._has_written = True
                yield None
            if side == size:
                yield from pack_images(group)
                self._record_images(group, gathered, found, start)
            else:
                self._shown[group.session_uid] = gathered.state
                self._note_written(group, "")
                self.bakes += 1
            yield None


def _last(steps: Generator[Any, None, Any]) -> Any:  # noqa: ANN401
    """Take all steps at once, and wait for jobs."""
    while True:
        try:
            job = next(steps)
            if job is not None:
                job.wait()
        except StopIteration as end:
            return end.value


def find_group(number: int) -> bpy.types.NodeTree | None:
    """Return a group by its session number: people rename and remove groups meanwhile."""
    return next((own for own in bpy.data.node_groups if own.session_uid == number), None)


def edited_user(group: bpy.types.NodeTree) -> str:
    """Return the name of an object in Edit Mode that shows a group's material; "": none is."""
    material = place_of(group).material
    users = users_of(material, bpy.context.scene)
    return next((thing.name for thing in users if thing.mode == "EDIT"), "")


def allow(group: bpy.types.NodeTree) -> None:
    """Note that the user has chosen that a group is baked: it is, whatever its function is."""
    bakery().allow(group)


def bakery() -> Bakery:
    """Return the session's.

    Raises:
        RuntimeError: The extension is not registered.
    """
    session = require_session()
    if session.slang_bakes is None:
        session.slang_bakes = Bakery()
    found: Bakery = session.slang_bakes
    return found
