# SPDX-License-Identifier: Apache-2.0
"""Kernels that are called with their tensors first and launched then."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import weft
from weft import _native

from .launcher import NAME, Mode, launcher_source
from .quick import QuickLaunch, has_quick_launch
from .quick import Values as QuickValues
from .values import DiffTensorView, Marshaller
from .views import Staging

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft import FunctionInfo

    from .module import TorchModule
    from .views import View

    Extents = tuple[int, int, int]


class LaunchWarning(UserWarning):
    """A kernel got its arguments and was never launched."""


class Kernel(_native._Kernel):
    """A kernel of a module; call it with its arguments by name, then launch what it returns.

    Args:
        module: That has it.
        name: Of the function.
        mode: The kernel itself, or a derivative.
    """

    def __init__(self, module: TorchModule, name: str, mode: Mode = Mode.PLAIN) -> None:
        super().__init__()
        self._module = module
        self._name = name
        self._mode = mode
        self._loaded: tuple[int, weft.Function] | None = None
        self._quick: QuickLaunch | None = None
        self._derivatives: dict[Mode, tuple[int, Kernel]] = {}

    @property
    def name(self) -> str:
        """As the source and messages call it: 'square', 'square.bwd'."""
        suffix = {Mode.FORWARD: ".fwd", Mode.REVERSE: ".bwd"}.get(self._mode, "")
        return self._name + suffix

    @property
    def device(self) -> weft.Device:
        """That it runs on."""
        return self._module.device

    @property
    def fwd(self) -> Kernel:
        """The forward derivative: tangents of the inputs make those of the outputs."""
        return self._derivative(Mode.FORWARD)

    @property
    def bwd(self) -> Kernel:
        """The reverse derivative: adds to gradients of inputs, uses up those of outputs.

        Each gradient of an output that the kernel writes is zero afterwards.
        """
        return self._derivative(Mode.REVERSE)

    def __repr__(self) -> str:
        info = self._module.function_info(self._name)
        names = ", ".join(f"{p.name}: {p.type.name}" for p in info.parameters)
        return f"<weft.slangtorch.Kernel {self.name}({names})>"

    def _call(self, /, *arguments: Any, **named: Any) -> BoundKernel:
        """Return the kernel with its arguments, to be launched, where the bindings do not know how.

        Raises:
            ArgumentTypeError: Arguments without names, names that the kernel has not, or values
                of another kind.
            ArgumentError: Tensors of wrong shapes.
        """
        quick = self._quick
        if (
            quick is not None
            and not arguments
            and quick.generation == self._module.generation
            and named.keys() == quick.names
        ):
            return self._bound(named)
        return self.bind(named, arguments)

    def _bound(self, named: dict[str, Any]) -> BoundKernel:
        """Return the kernel with all of its arguments."""
        quick = self._quick
        values = None if quick is None else quick.values(named)
        return self.bind(named) if values is None else BoundKernel(self, values, (), quick, named)

    def _warn(self, stacklevel: int) -> None:
        """Say that a launch was forgotten."""
        warnings.warn(
            f"{self.name} got its arguments and was never launched; call "
            "launchRaw(blockSize=..., gridSize=...)",
            LaunchWarning,
            stacklevel=stacklevel,
        )

    def bind(self, named: dict[str, Any], arguments: tuple[Any, ...] = ()) -> BoundKernel:
        """Do what a call does, the long way."""
        info = self._module.function_info(self._name)
        self._require_names(info, named, arguments)
        is_derivative = self._mode in (Mode.FORWARD, Mode.REVERSE)
        marshaller = Marshaller(self._module.device, self.name, is_derivative=is_derivative)
        values = {
            parameter.name: marshaller.value(named[parameter.name], parameter.type, parameter.name)
            for parameter in info.parameters
        }
        bound = BoundKernel(self, values, marshaller.views)
        if self._mode is Mode.PLAIN and (marshaller.tracked or marshaller.untracked):
            from .autograd import tracked_launch

            bound.follow(tracked_launch(self, info, named, marshaller))
        elif self._mode is not Mode.NOTED and has_quick_launch(info):
            self._keep_quick_launch(info)
        return bound

    def _require_names(
        self, info: FunctionInfo, named: Mapping[str, Any], arguments: tuple[Any, ...]
    ) -> None:
        names = [parameter.name for parameter in info.parameters]
        if arguments:
            raise weft.ArgumentTypeError(
                f"{self.name}: expected its arguments by name ({', '.join(names)}), got "
                f"{len(arguments)} without; write {names[0] if names else 'name'}=..."
            )
        for name in named:
            if name not in names:
                raise weft.ArgumentTypeError(
                    f"{self.name}: there is no parameter '{name}'; it has {', '.join(names)}"
                )
        missing = [name for name in names if name not in named]
        if missing:
            raise weft.ArgumentTypeError(
                f"{self.name}: argument '{missing[0]}' is missing; it has {', '.join(names)}"
            )

    def _keep_quick_launch(self, info: FunctionInfo) -> None:
        """Let later calls go the short way."""
        generation = self._module.generation
        if self._quick is None or self._quick.generation != generation:
            is_derivative = self._mode is not Mode.PLAIN
            self._quick = quick = QuickLaunch(
                info, generation, self._module.device, is_derivative=is_derivative
            )
            self._set_short_way(
                self._module.loaded, quick.readers, quick.launches, DiffTensorView, is_derivative
            )

    def _derivative(self, mode: Mode) -> Kernel:
        generation = self._module.generation
        known = self._derivatives.get(mode)
        if known is not None and known[0] == generation:
            return known[1]
        info = self._module.function_info(self._name)
        if self._mode in (Mode.FORWARD, Mode.REVERSE):
            raise weft.ArgumentAttributeError(
                f"{self.name}: derivatives of derivatives are not bound; use {self._name}.fwd or "
                f"{self._name}.bwd"
            )
        if not info.is_differentiable:
            raise weft.ArgumentAttributeError(
                f"{self._name} has no derivatives; mark it [Differentiable]"
            )
        found = self._module.kernel(self._name, mode)
        self._derivatives[mode] = generation, found
        return found

    def torch_op(
        self,
        name: str,
        *,
        outputs: Mapping[str, Any],
        blockSize: Any,
        gridSize: Any = None,
        totalSize: Any = None,
    ) -> Any:
        """Register it as an operator of torch.library, which torch.compile and export take whole.

        The operator takes the parameters that are not in ``outputs``, in their order or by name,
        and returns the tensors of those that are. Its derivative is that of the kernel.

        Args:
            name: ``"library::operator"``, new in this process.
            outputs: For each parameter that is a result, a function that makes its tensor from
                the arguments that it names:
                ``{"output": lambda input: torch.empty_like(input)}``. It also runs on tensors
                without values, so it may look at shapes only.
            blockSize: Threads of a block along x, y, z.
            gridSize: Blocks along x, y, z, or a function of arguments that returns them.
            totalSize: Instead of ``gridSize``, threads: as of :meth:`BoundKernel.launchTotal`.

        Raises:
            ArgumentError: No output, a name that no parameter has, neither or both sizes, a
                parameter that an operator cannot have.
        """
        from .torch_op import Operator, make_operator

        info = self._module.function_info(self._name)
        names = [parameter.name for parameter in info.parameters]
        unknown = [each for each in outputs if each not in names]
        if unknown or not outputs:
            raise weft.ArgumentError(
                f"{self.name}.torch_op: outputs must name at least one of {', '.join(names)}, got "
                f"{list(outputs)}; write outputs={{'name': function that makes its tensor}}"
            )
        if (gridSize is None) == (totalSize is None):
            raise weft.ArgumentError(
                f"{self.name}.torch_op: expected one of gridSize and totalSize, got "
                f"{'neither' if gridSize is None else 'both'}"
            )
        operator = Operator(self, info, outputs, blockSize, gridSize, totalSize)
        return make_operator(operator, name)

    def launch(
        self,
        values: Mapping[str, Any],
        views: Sequence[View],
        block: Extents,
        grid: Extents,
    ) -> weft.Function:
        """Run it. See BoundKernel.launchRaw()."""
        total = tuple(b * g for b, g in zip(block, grid, strict=True))
        try:
            function = self._launcher().thread_group_size(block)
            if views:
                with Staging(self._module.device, views):
                    function.dispatch(total, slangtorch_size=block, **values)
            else:
                function.dispatch(total, slangtorch_size=block, **values)
        except weft.CompileError as error:
            raise self._module.explained(error) from error
        except weft.ArgumentError as error:
            text = str(error)
            if text.startswith(f"{NAME}: "):  # users know the kernel, not what is around it
                raise type(error)(self.name + text.removeprefix(NAME)) from error
            raise
        return function

    def noted(self, notes: weft.Tensor, named: Mapping[str, Any]) -> BoundKernel:
        """Return the kernel with its arguments, to be launched with notes of what it writes.

        Args:
            notes: A word for each DiffTensorView, in the order of the arguments.
            named: Arguments by name.
        """
        bound = self._module.kernel(self._name, Mode.NOTED)._call(**named)
        bound.add("slangtorch_notes", notes)
        return bound

    @property
    def generation(self) -> int:
        """Grows with each reload of the file."""
        return self._module.generation

    def _launcher(self) -> weft.Function:
        """Return the entry point that calls it."""
        generation = self._module.generation
        if self._loaded is None or self._loaded[0] != generation:
            info = self._module.function_info(self._name)
            text = launcher_source(self._module.path, info, self._mode)
            found = self._module.launcher(f"{self.name} (launch)", text).find_function(NAME)
            assert found is not None
            self._loaded = generation, found
        return self._loaded[1]


class BoundKernel:
    """A kernel with its arguments. Nothing runs before it is launched.

    Args:
        kernel: The kernel.
        values: Arguments of its launcher.
        views: Tensors among them.
        quick: The short way, if these are arguments for it.
        named: Then: arguments of the kernel.
    """

    __slots__ = ("_follower", "_kernel", "_named", "_quick", "_values", "_views", "_was_launched")

    def __init__(
        self,
        kernel: Kernel,
        values: Mapping[str, Any],
        views: Sequence[View],
        quick: QuickLaunch | None = None,
        named: dict[str, Any] | None = None,
    ) -> None:
        self._kernel = kernel
        self._values = values
        self._views = views
        self._quick = quick
        self._named = named
        self._was_launched = False
        self._follower: Callable[[Extents, Extents], None] | None = None

    def follow(self, follower: Callable[[Extents, Extents], None] | None) -> None:
        """Let something else launch it, which torch's autograd follows."""
        self._follower = follower

    def add(self, name: str, value: Any) -> None:
        """Add an argument of the launcher."""
        self._values = {**self._values, name: value}

    def launchRaw(
        self,
        blockSize: Any,
        gridSize: Any,
    ) -> None:
        """Run it on blockSize * gridSize threads.

        Args:
            blockSize: Threads of a block along x, y, z; fewer numbers: 1 for the others.
            gridSize: Blocks along x, y, z.

        Raises:
            ArgumentError: A size below 1, or above what the device has.
            CompileError: The derivative of the kernel does not compile.
        """
        self._was_launched = True  # or tried: the error says the rest
        if self._quick is not None:
            try:
                assert isinstance(self._values, QuickValues)
                if self._quick.launch(self._values, (blockSize, gridSize)):
                    return
            except weft.ArgumentError:
                self._launch_long(blockSize, gridSize)
                return
        block = self._extents(blockSize, "blockSize")
        grid = self._extents(gridSize, "gridSize")
        self._require_possible(block, grid)
        if self._follower is not None:
            self._follower(block, grid)
        elif self._quick is None:
            self._kernel.launch(self._values, self._views, block, grid)
        else:
            assert isinstance(self._values, QuickValues)
            copies = self._quick.upload(self._values)
            try:
                function = self._kernel.launch(self._values, (), block, grid)
            except weft.ArgumentError:
                self._launch_long(block, grid)
                return
            self._quick.bring_back(copies)
            total = tuple(b * g for b, g in zip(block, grid, strict=True))
            self._quick.remember((blockSize, gridSize), function, total, block)

    def _require_possible(self, block: Extents, grid: Extents) -> None:
        limits = self._kernel.device.info.limits
        if block[0] * block[1] * block[2] > limits.max_threads_per_group:
            raise weft.ArgumentError(
                f"{self._kernel.name}.launchRaw: blockSize {block} has "
                f"{block[0] * block[1] * block[2]} threads, expected at most "
                f"{limits.max_threads_per_group} on {self._kernel.device.info.name}; use smaller "
                "blocks"
            )
        for axis, (count, most) in enumerate(zip(grid, limits.max_group_count, strict=True)):
            if count > most:
                raise weft.ArgumentError(
                    f"{self._kernel.name}.launchRaw: gridSize has {count} blocks along "
                    f"{'xyz'[axis]}, expected at most {most}; use larger blocks"
                )

    def _launch_long(self, blockSize: Any, gridSize: Any) -> None:
        """Launch the long way, which says what is wrong with an argument."""
        assert self._named is not None
        self._kernel.bind(self._named).launchRaw(blockSize, gridSize)

    def launchTotal(
        self,
        blockSize: Any,
        totalSize: Any,
    ) -> None:
        """Run it on as many blocks as hold totalSize threads along each axis.

        The kernel itself leaves out the threads beyond: cudaThreadIdx() counts them, too.

        Args:
            blockSize: Threads of a block along x, y, z.
            totalSize: Threads that are needed along x, y, z.

        Raises:
            ArgumentError: As of launchRaw().
        """
        block = self._extents(blockSize, "blockSize")
        total = self._extents(totalSize, "totalSize")
        grid = tuple(-(-t // b) for t, b in zip(total, block, strict=True))
        self.launchRaw(block, grid)

    def autoLaunch(self, totalSize: Any) -> None:
        """Run it on totalSize threads or more, in blocks that fit their shape.

        Args:
            totalSize: Threads that are needed along x, y, z.

        Raises:
            ArgumentError: As of launchRaw().
        """
        total = self._extents(totalSize, "totalSize")
        axes = sum(extent > 1 for extent in total)
        sides = {0: (1,), 1: (128,), 2: (16, 8), 3: (8, 4, 4)}[axes]
        rest = list(sides)
        block = tuple(rest.pop(0) if extent > 1 else 1 for extent in total)
        self.launchTotal(block, total)

    def _extents(self, given: Any, name: str) -> Extents:
        """Return three extents."""
        try:
            is_one = not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0
            numbers = [given] if is_one else list(given)
            extents = [int(number) for number in numbers]
            is_whole = all(extents[k] == numbers[k] for k in range(len(extents)))
        except (TypeError, ValueError):
            is_whole, extents = False, []
        if not is_whole or not 1 <= len(extents) <= 3 or min(extents, default=0) < 1:
            raise weft.ArgumentError(
                f"{self._kernel.name}: {name} must be one to three whole numbers from 1 on, got "
                f"{given!r}; count threads and blocks along x, y, z"
            )
        x, y, z = [*extents, 1, 1][:3]
        return x, y, z

    def __del__(self) -> None:
        """Warn where a launch was forgotten."""
        if not getattr(self, "_was_launched", True):
            self._kernel._warn(3)
