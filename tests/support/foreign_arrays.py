# SPDX-License-Identifier: Apache-2.0
"""Arrays as other libraries hand them over: DLPack and nothing else, or torch's bits."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

CPU = (1, 0)
READ_ONLY = 1


class HostArray:
    """A numpy array that shows its memory by DLPack only, as a CPU tensor of torch does."""

    def __init__(self, array: np.ndarray, old: bool = False) -> None:
        """Make one; an old one speaks only the first version, which knows no read-only arrays."""
        self.array = array
        self.old = old

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU

    def __dlpack__(self, **request: Any) -> object:
        if self.old:
            if "max_version" in request:
                raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
            return self.array.__dlpack__()
        return self.array.__dlpack__(max_version=request.get("max_version"))


class TrackedArray(HostArray):
    """One that refuses to be shared while it is tracked, as torch's with requires_grad do."""

    requires_grad = True

    def __dlpack__(self, **request: Any) -> object:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return super().__dlpack__(**request)

    def detach(self) -> HostArray:
        return HostArray(self.array, self.old)


class NegatedArray(HostArray):
    """One whose memory holds the values with the opposite sign."""

    def is_neg(self) -> bool:
        return True

    def resolve_neg(self) -> HostArray:
        return HostArray(-self.array, self.old)


class SilentArray:
    """One that has the protocol, and fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU

    def __dlpack__(self, **_request: Any) -> object:
        raise self.error


class _Device(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int32), ("index", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Array(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("rank", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("array", _Array), ("owner", ctypes.c_void_p), ("release", ctypes.c_void_p))


class StridedArray:
    """float32 memory under any strides (elements) and byte offset.

    Counts how often it was released.
    """

    def __init__(
        self,
        memory: np.ndarray,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        byte_offset: int = 0,
    ) -> None:
        self.memory = memory
        self.released = 0
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
        self._release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._count)
        self._managed = _Managed()
        array = self._managed.array
        array.data, array.device = memory.ctypes.data, _Device(*CPU)
        array.rank, array.dtype = len(shape), _DataType(2, 32, 1)
        array.shape = self._shape
        if self._strides is not None:
            array.strides = self._strides
        array.byte_offset = byte_offset
        self._managed.release = ctypes.cast(self._release, ctypes.c_void_p)

    def _count(self, _managed: int) -> None:
        self.released += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU

    def __dlpack__(self, *, stream: object = None) -> object:
        create = ctypes.pythonapi.PyCapsule_New
        create.restype = ctypes.py_object
        create.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        assert stream is None
        assert sys.byteorder == "little"
        return create(ctypes.addressof(self._managed), b"dltensor", None)
