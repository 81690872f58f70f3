# SPDX-License-Identifier: Apache-2.0
"""The path tracer: stages on the device, one after the other, for batches of paths."""

from __future__ import annotations

import warnings
from copy import copy
from typing import TYPE_CHECKING, overload

import numpy as np

from weft._native import (
    ArgumentError,
    Device,
    default_batch,
    kernel_traits,
    prepare_scene,
)
from weft._native import FilmTracer as NativeTracer
from weft.render.film_tracer import FilmTracer
from weft.render.interrupt import Interrupt
from weft.render.layers import ALPHA, LayerPass, checked_names
from weft.render.light_tree import LightSampling
from weft.render.media_stages import evaluate_media
from weft.render.memory import picture_bytes, scene_bytes
from weft.render.path_settings import PathSettings
from weft.render.upload import build_tables
from weft.scene.kernel_text import SceneTraits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from weft._native import TracedMeshes
    from weft.render.upload import SceneTables
    from weft.scene import Camera, Scene


class Renderer(FilmTracer):
    """Renders one scene on one device.

    Args:
        device: Where.
        scene: What. Later changes of it do not show; see update().
        batch: Most paths that are under way at a time; bounds the memory (about 150 bytes a path).
            ``None``: 2^24 where they take at most an eighth of the GPU's free memory, fewer
            elsewhere, 2^20 at least and in software.
        light_sampling: How one of the lights is drawn at each surface: ``power``, by their powers;
            ``tree``, by about what they bring to the place; ``auto``, the tree where lights at
            finite distance and emissive objects are 8 or more.
        lit_by: The scene under other lights and worlds, that relit() shall render with the same
            kernels.

    Raises:
        ArgumentError: The scene has no object, a mesh cannot be traced, or there is no such
            light_sampling.
        CompileError: A Slang function of a material does not compile.
    """

    def __init__(
        self,
        device: Device,
        scene: Scene,
        *,
        batch: int | None = None,
        light_sampling: LightSampling = "auto",
        lit_by: Sequence[Scene] = (),
    ) -> None:
        """Upload the scene and load its programs."""
        self.device, self.native = device, NativeTracer(device)
        self.interrupt = Interrupt()
        self._light_sampling: LightSampling = light_sampling
        self._layer_pass: LayerPass | None = None
        self._take(scene, lit_by)
        self.batch = default_batch(device, self.traits) if batch is None else batch

    def update(self, scene: Scene, *, lit_by: Sequence[Scene] = ()) -> None:
        """Render another scene from now on; what it has in common with the one before is kept.

        Pictures are those of a new Renderer of the scene, number by number. What is the same object
        as before counts as the same: meshes and their trees, pixels of textures and of the
        environment stay where they are, and kernels of materials of the same form. A moved light,
        camera or object, and other numbers of a material, therefore take milliseconds. Arrays that
        were written to since must come in new objects. While it is at work, both scenes may need
        memory.

        Args:
            scene: What to render.
            lit_by: It under other lights, as in Renderer(); ask relit() again for all of them.

        Raises:
            ArgumentError: As Renderer(); the scene before is rendered as before.
            CompileError: Likewise.
        """
        new = copy(self)
        new._take(scene, lit_by)
        self.__dict__.update(new.__dict__)

    def _take(self, scene: Scene, lit_by: Sequence[Scene]) -> None:
        """Make everything that depends on the scene; failing, it leaves other objects alone."""
        before: SceneTables | None = self.__dict__.get("tables")
        known = None if before is None else before.kept
        device = self.device
        self.tables, self._relit = build_tables(device, scene, lit_by, self._light_sampling, known)
        every = [self.tables, *self._relit.values()]
        if not any(tables.has_light for tables in every):
            warnings.warn(
                "Renderer: the scene has no light, pictures of it will be black; add a light, an "
                "emissive material or an environment",
                RuntimeWarning,
                stacklevel=3,
            )
        native = [tables.native for tables in every]
        self.traits = SceneTraits(**kernel_traits(device, native))
        self.sorts_paths = self.traits.sorts_paths
        self.require_contained()
        self.scene = scene
        # Last, as it changes the tracer that other objects may use.
        traced: TracedMeshes | None = self.__dict__.get("_traced")
        self.modules, self._traced = prepare_scene(self.native, native, self.traits, traced)
        self.tracer = self._traced.tracer
        self.native.set_scene(self.tracer, self.modules)

    def relit(self, scene: Scene) -> Renderer:
        """Return a renderer of the scene under other lights, which shares all else with this one.

        Args:
            scene: One of `lit_by`, or the renderer's own.
        """
        if scene is self.scene:
            return self
        out = copy(self)
        out.scene, out.tables, out._layer_pass = scene, self._relit[id(scene)], None
        return out

    @property
    def all_tables(self) -> list[SceneTables]:
        """Tables of the scene, and of it under other lights."""
        return [self.tables, *self._relit.values()]

    def restore_values(self) -> None:
        """Render the scene's own scalars and texels again, whatever a fit has left of them."""
        for tables in self.all_tables:
            tables.restore_values()
            evaluate_media(self, tables)

    def memory(
        self,
        settings: PathSettings | None = None,
        camera: str | int | Camera = 0,
        *,
        aovs: Iterable[str] = (),
    ) -> int:
        """Return how many bytes of the device the scene and a picture of it take, at most.

        Compiled kernels, and what the driver needs for itself, come on top; so does the scene
        before, while update() is at work.

        Args:
            settings: How the picture is rendered; ``None``: as render() has it.
            camera: Name, number or camera.
            aovs: What else it brings, as render() takes them.

        Raises:
            ArgumentError: There is no such camera or AOV.
        """
        chosen, names = self.scene.camera(camera), checked_names(aovs)
        own = scene_bytes(self, self.all_tables)
        return own + picture_bytes(self, chosen, settings or PathSettings(), names)

    @overload
    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        progress: Callable[[float], None] | None = None,
    ) -> NDArray[np.float32]: ...

    @overload
    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        aovs: Iterable[str],
        progress: Callable[[float], None] | None = None,
    ) -> dict[str, NDArray[np.float32]]: ...

    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        aovs: Iterable[str] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> NDArray[np.float32] | dict[str, NDArray[np.float32]]:
        """Return the picture of a camera.

        Args:
            camera: Name, number or camera.
            settings: How; ``None``: 64 samples, 8 bounces.
            aovs: What else: names of ``weft.render.AOVS``. ``albedo`` and ``normal`` (world space)
                are means over the pixel; ``depth`` (metres along the view, infinite where nothing
                is), ``uv``, ``object`` and ``material`` (numbers in the scene, -1: nothing) belong
                to the point at the pixel's centre. ``alpha`` is the fraction of the pixel in which
                the camera does not see past everything, through what lets light pass, too.
            progress: Called with the fraction that is done, in (0, 1], after each batch.

        Returns:
            Radiance, linear Rec.709, shape ``(height, width, 3)``, the top row first. With `aovs`
            a dict: the picture as ``"color"``, and each AOV, shape ``(height, width, channels)``.

        Raises:
            ArgumentError: There is no such camera or AOV; or the renderer came from relit(), and
                update() has moved objects since.
        """
        if not self._traced.is_current:
            raise ArgumentError(
                "Renderer.render: expected the objects where this renderer has them, but update() "
                "moved those of the one that relit() returned it from; ask relit() again"
            )
        chosen = self.scene.camera(camera)
        settings = settings or PathSettings()
        names = None if aovs is None else checked_names(aovs)
        image = self.picture(chosen, settings, progress)
        if names is None:
            return image
        layers = {}
        if ALPHA in names:
            names.remove(ALPHA)
            layers[ALPHA] = self.coverage(chosen, settings, progress)
        if self._layer_pass is None and names:
            self._layer_pass = LayerPass(self)
        if self._layer_pass and names:
            layers |= self._layer_pass.render(chosen, settings, names)
        return {"color": image} | layers
