# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluates functions on geometry when what they depend on has changed, and never else.

Handlers (addon/ui/slang_nodes/evaluating.py) call `update` after Blender has evaluated a scene. It
gathers the inputs of the sites that may have changed (gathering.py), compares them with those of
last time (`Memory`), calls the function (programs.py) and writes the results (carrier.py), which
Blender then evaluates once more before anything is drawn or rendered.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from weft import Error

from ...core.evaluation.state import FEEDING, Memory, Reports, Rounds
from ...core.job import Job
from ..session import require_session
from ..slang_nodes.users import modifiers
from .carrier import (
    CARRIER_MARK,
    clean,
    has_results,
    is_edited,
    new_data,
    provide_carrier,
    remove_stale,
    remove_unused_carriers,
    set_carried,
    write_results,
)
from .gathering import (
    Gathered,
    NotDirectError,
    NotStoredError,
    Reader,
    parts_of,
    same_inputs,
    with_states,
)
from .programs import Programs
from .sites import (
    Site,
    by_mesh,
    dependents,
    holder_of,
    is_steady,
    problem_of,
    shares_carrier,
    sites_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...core.evaluation.program import Program, Results

    Key = tuple[int, str]

WAIT = 0.02
"""Seconds between two looks at what threads evaluate."""


@dataclass(frozen=True)
class Pending:
    """An evaluation in a thread.

    Args:
        job: Evaluates, or compiles.
        site: Where.
        gathered: Its inputs.
        number: Of evaluations of the place before it.
    """

    job: Job[Any]
    site: Site
    gathered: Gathered
    number: int = 0


class Evaluator:
    """The sites of the open file and what is known of them. Called in the main thread.

    Attributes:
        programs: Compiled functions.
        reports: What is wrong, by the labels of sites.
        evaluations: How often a function ran.
        is_busy: What Blender reports now is our own doing.
        always_waits: Nothing is left to threads: no timer would bring what they give.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.programs = Programs()
        self.reports = Reports()
        self.evaluations = 0
        self.is_busy = False
        self.always_waits = bpy.app.background
        self._sites: dict[int, list[Site]] = {}
        self._memory: dict[Key, Memory] = {}
        self._pending: dict[Key, Pending] = {}
        self._takes_matrix: set[str] = set()
        self._beside: dict[int, list[Site]] | None = None  # sites by their mesh, in a round
        self._all_changed = False
        self._adopts = False
        self._has_gone = False
        self._timer = self.tick  # a bound method is another object each time

    def look(self, *, adopts: bool = False, all_changed: bool = False) -> None:
        """Find the sites of the file: it was opened, or undo made other objects of everything.

        Args:
            adopts: The results in the file are those of its state.
            all_changed: They may be those of another one.
        """
        for pending in self._pending.values():
            pending.job.cancel()
        self._pending.clear()
        for memory in self._memory.values():
            memory.function = ""  # states go on
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)
        self._sites.clear()
        self._all_changed, self._adopts = all_changed, adopts
        for thing in bpy.data.objects:
            self._look_at(thing, {})

    def sites(self) -> list[Site]:
        """Return the sites that are still there."""
        found = []
        known: dict = {}
        for uid, sites in list(self._sites.items()):
            try:
                # A modifier or a node that is renamed is told by nobody.
                is_same = all(site.is_there for site in sites)
                found += sites if is_same else self._look_at(sites[0].thing, known)
            except ReferenceError:  # the object is gone
                del self._sites[uid]
                self._has_gone = True
        return found

    def _forget_gone(self) -> None:
        """Drop what belonged to sites that are gone; panels are not drawn meanwhile."""
        self._has_gone = False
        remove_unused_carriers()
        remove_stale()
        sites = self.sites()
        self.reports.keep({site.label for site in sites})
        used = {self._key(site, carried) for site in sites for carried in (False, True)}
        self._memory = {key: own for key, own in self._memory.items() if key in used}

    def _look_at(self, thing: bpy.types.Object, known: dict) -> list[Site]:
        uid = thing.session_uid
        before = self._sites.pop(uid, [])
        sites = list(sites_of(thing, known))
        if sites:
            self._sites[uid] = sites
        self._has_gone |= len(sites) < len(before)
        return sites

    def changed(self, depsgraph: bpy.types.Depsgraph) -> list[Site]:
        """Return the sites whose inputs may have changed, as Blender tells."""
        known: dict = {}
        if self._all_changed:
            self._all_changed = False
            return self.sites()
        found: dict[tuple[int, str, str], Site] = {}
        bare = []
        for update in depsgraph.updates:
            thing = update.id.original
            if isinstance(thing, bpy.types.Scene | bpy.types.Collection):
                self.sites()  # objects may be gone
            elif isinstance(thing, bpy.types.Object):
                if update.is_updated_geometry:
                    own = self._look_at(thing, known)
                    found.update((site.place, site) for site in own)
                    if not own and CARRIER_MARK not in thing:
                        bare.append(thing.data)
                elif update.is_updated_transform:
                    for site in self._sites.get(thing.session_uid, ()):
                        if site.hash in self._takes_matrix:
                            found[site.place] = site
            elif isinstance(thing, bpy.types.NodeTree):
                for owner in self._owners(thing):
                    found.update((site.place, site) for site in self._look_at(owner, known))
        remove_stale(bare)  # copies of what was applied
        return list(found.values())

    def _owners(self, tree: bpy.types.NodeTree) -> list[bpy.types.Object]:
        """Return the objects whose sites may be others after a tree was edited."""
        found = [site.thing for site in self.sites() if site.tree == tree]
        return found + [modifier.id_data for modifier in modifiers(tree)]

    def update(
        self,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
        sites: Iterable[Site] | None = None,
        *,
        waits: bool = False,
    ) -> None:
        """Evaluate what has changed.

        Args:
            scene: Whose frame it is.
            depsgraph: Its evaluated state.
            sites: Those that may have changed; ``None``: as Blender tells.
            waits: The results are there when this returns.
        """
        if self.is_busy:
            return
        found = self.changed(depsgraph) if sites is None else list(sites)
        if self._has_gone:
            self._forget_gone()
        if not found:
            return
        if self._adopts and sites is None:
            self._adopts = False
            return
        self._adopts = False
        self.is_busy = True
        try:
            self._rounds(found, scene, depsgraph, waits or self.always_waits)
        finally:
            self.is_busy = False

    def before_frame(self, scene: bpy.types.Scene) -> None:
        """Evaluate what takes the frame and nothing that Blender has yet to evaluate.

        The frame is evaluated once then, not again for the results.
        """
        sites = [
            site
            for site in self.sites()
            if (program := self.programs.find(site.hash)) is not None
            and is_steady(site, program.plan, scene)
        ]
        if not sites or self.is_busy:
            return
        self.is_busy = True
        try:
            reader = Reader(scene)
            self._beside = None
            for site in sites:
                self._attempt(site, reader, None, waits=True, is_last=False)
        finally:
            self.is_busy = False

    def _rounds(
        self,
        sites: list[Site],
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
        waits: bool,
    ) -> None:
        """Evaluate sites, and those that take what these give."""
        rounds = Rounds()
        while True:
            reader = Reader(scene)
            self._beside = None
            is_last = rounds.is_last
            written = [
                site for site in sites if self._attempt(site, reader, depsgraph, waits, is_last)
            ]
            if not written:
                return
            if is_last:
                for site in written:
                    self.reports.say(site.label, FEEDING.format(len(rounds.written)))
                return
            rounds.written.append({site.place for site in written})
            sites = dependents(self.sites(), written, self._reads)
            if not sites:
                return
            if any(site.is_carried for site in sites):
                depsgraph.update()

    def _reads(self, site: Site) -> frozenset[str]:
        """Return the attributes of its mesh that a site has read."""
        memory = self._memory.get(self._key(site, is_carried=False))
        return frozenset() if memory is None else memory.reads_of

    def _attempt(
        self,
        site: Site,
        reader: Reader,
        depsgraph: bpy.types.Depsgraph | None,
        waits: bool,
        is_last: bool,
    ) -> bool:
        """Evaluate a site if its inputs have changed; return whether results were written."""
        try:
            return self._evaluate(site, reader, depsgraph, waits, is_last)
        except (Error, NotStoredError, ReferenceError) as error:
            self.reports.say(site.label, str(error))
        except Exception as error:  # a handler never raises
            self.reports.say(site.label, f"{type(error).__name__}: {error}")
        return False

    def _evaluate(
        self,
        site: Site,
        reader: Reader,
        depsgraph: bpy.types.Depsgraph | None,
        waits: bool,
        is_last: bool,
    ) -> bool:
        modifier = site.stacked()
        is_render = depsgraph is not None and depsgraph.mode == "RENDER"
        if not (modifier.show_render if is_render else modifier.show_viewport):
            return False
        if depsgraph is not None and not site.thing.evaluated_get(depsgraph).is_evaluated:
            return False  # of another scene, or hidden
        problem = problem_of(site)
        if problem:
            self.reports.say(site.label, problem)
            return False
        program = self.programs.find(site.hash)
        if program is None:
            make = self.programs.maker(site.tree)
            if not waits:
                self._start_compiling(site, make)
                return False
            program = make(None)
        if program.plan.uses("object"):
            self._takes_matrix.add(site.hash)
        begun = self._gather(site, program, reader, depsgraph)
        if begun is None:
            return False
        key = self._key(site, begun.is_carried)
        memory = self._memory.setdefault(key, Memory())
        gathered = with_states(begun, program.plan, memory, reader.scene)
        if (
            memory.function == site.hash
            and memory.count == gathered.count
            and same_inputs(memory.inputs, gathered.inputs)
            and has_results(site, program.plan, gathered.count, gathered.is_carried)
        ):
            memory.note_states(gathered.states, memory.after, gathered.frame)
            self.reports.say(site.label, memory.notes)
            return False
        if is_last:
            return True
        if not begun.is_carried and self._separate(site, program, begun, reader, depsgraph):
            key = self._key(site, is_carried=False)
            memory = self._memory.setdefault(key, Memory())
        if memory.is_slow and not waits:
            self._start(key, site, program, gathered)
            return False
        start = time.perf_counter()
        results = program.evaluate(gathered.inputs, gathered.count, gathered.positions)
        self._take(key, site, program, gathered, results)
        memory.seconds = time.perf_counter() - start
        return True

    def _gather(
        self, site: Site, program: Program, reader: Reader, depsgraph: bpy.types.Depsgraph | None
    ) -> Gathered | None:
        """Return a site's inputs; ``None``: not now, in edit mode the mesh is elsewhere."""
        if not site.data:
            new_data(site)
        holder = holder_of(site, depsgraph)
        if (site.thing.mode == "EDIT" or is_edited(site.thing.data)) and not site.is_carried:
            return None
        try:
            gathered = reader.direct(site, program.plan, holder)
            if site.is_carried:
                set_carried(site, False)
            return gathered
        except NotDirectError:
            if depsgraph is None:
                return None
        was_carried = site.is_carried and site.carrier is not None
        is_shared = shares_carrier(site, self.sites())
        provide_carrier(site, is_shared)
        set_carried(site, True)
        beside = self._sites.get(site.thing.session_uid, ())
        if any(own.data == site.data and own != site for own in beside):
            is_shared = bool(new_data(site))  # a copy of the modifier stores its inputs, too
        if not was_carried or is_shared:
            clean(site)
            depsgraph.update()
        kept, parts = parts_of(site.thing.evaluated_get(depsgraph))
        gathered = reader.carried(site, program.plan, holder_of(site, depsgraph), parts)
        del kept  # until here: the parts are its own
        return gathered

    def _separate(
        self,
        site: Site,
        program: Program,
        gathered: Gathered,
        reader: Reader,
        depsgraph: bpy.types.Depsgraph | None,
    ) -> bool:
        """Give a site attributes of its own if another one of the mesh gives other values."""
        data = site.data
        if self._beside is None:
            self._beside = by_mesh(self.sites())
        for own in self._beside.get(site.thing.data.session_uid, ()):
            if own == site or own.data != data or own.is_carried:
                continue
            if own.hash == site.hash:
                try:
                    other = reader.direct(own, program.plan, holder_of(own, depsgraph))
                except (Error, NotDirectError):
                    other = None  # which is said of that one
                if other is not None and same_inputs(other.inputs, gathered.inputs):
                    continue
            new_data(site)
            return True
        return False

    @staticmethod
    def _key(site: Site, is_carried: bool) -> Key:
        holder = site.carrier if is_carried else site.thing.data
        return (0 if holder is None else holder.session_uid, site.data)

    def _take(
        self, key: Key, site: Site, program: Program, gathered: Gathered, results: Results
    ) -> None:
        """Write results and remember what they were made from."""
        write_results(site, program.plan, results.values, gathered.count, gathered.is_carried)
        memory = self._memory.setdefault(key, Memory())
        memory.function, memory.count = site.hash, gathered.count
        memory.inputs, memory.reads_of = gathered.inputs, gathered.attributes
        if gathered.is_between:
            memory.function = ""  # the frame is evaluated again
        else:
            memory.note_states(gathered.states, results.states, gathered.frame)
        self.evaluations += 1
        memory.number += 1
        memory.notes = "; ".join(results.notes)
        self.reports.say(site.label, memory.notes)

    def _start_compiling(self, site: Site, make: Callable[..., Program]) -> None:
        """Compile in a thread; the site is looked at again then."""
        key = (-1, site.hash)
        if key not in self._pending:
            self._begin(key, Pending(Job(make, "weft-evaluate"), site, Gathered({}, 0)))

    def _start(self, key: Key, site: Site, program: Program, gathered: Gathered) -> None:
        """Evaluate in a thread; one at a time, the latest inputs follow."""
        if key in self._pending:
            return

        def work(_cancelled: object) -> Results:
            return program.evaluate(gathered.inputs, gathered.count, gathered.positions)

        number = self._memory[key].number
        self._begin(key, Pending(Job(work, "weft-evaluate"), site, gathered, number))

    def _begin(self, key: Key, pending: Pending) -> None:
        self._pending[key] = pending
        require_session().add_job(pending.job)
        if not bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.register(self._timer, first_interval=WAIT)

    def is_pending(self, site: Site) -> bool:
        """Return whether a thread evaluates a site, or compiles its function."""
        keys = ((-1, site.hash), self._key(site, False), self._key(site, True))
        return any(key in self._pending for key in keys)

    def tick(self) -> float | None:
        """Write what threads have evaluated; return when to be called again."""
        for key, pending in list(self._pending.items()):
            if pending.job.is_done:
                del self._pending[key]
                self._finish(key, pending)
        return WAIT if self._pending else None

    def _finish(self, key: Key, pending: Pending) -> None:
        site = pending.site
        try:
            if not site.is_there:
                return
            result = pending.job.result()
            program = self.programs.find(site.hash)
            is_current = key[0] >= 0 and key == self._key(site, pending.gathered.is_carried)
            is_new = is_current and self._memory[key].number == pending.number
            if is_new and program is not None and not pending.job.cancelled.is_set():
                self._take(key, site, program, pending.gathered, result)
            context = bpy.context
            self.update(
                context.scene,
                context.evaluated_depsgraph_get(),
                [own for own in self.sites() if own.hash == site.hash],
            )
            for window in context.window_manager.windows:
                for area in window.screen.areas:
                    area.tag_redraw()
        except ReferenceError:
            return
        except Exception as error:  # a timer that raises is gone
            self.reports.say(site.label, str(error))
