# SPDX-License-Identifier: Apache-2.0
"""The least that any program pays before its first kernel: the driver's own initialisation.

Argument: vulkan or cuda. Vulkan: loader, instance, adapters, one device with one queue and buffer
device address. CUDA: driver, primary context of device 0, one allocation. Prints
{"seconds": ...}. Pure ctypes, no Weft.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int, c_uint32, c_uint64, c_void_p

API_VERSION_1_2 = 1 << 22 | 2 << 12
APPLICATION_INFO, INSTANCE_INFO, QUEUE_INFO, DEVICE_INFO, FEATURES_1_2 = 0, 1, 2, 3, 51
# VkPhysicalDeviceVulkan12Features: 47 flags in all, bufferDeviceAddress is the 39th.
FEATURE_COUNT, BUFFER_DEVICE_ADDRESS = 47, 38
TYPE_PREFERENCE = {2: 0, 1: 1, 3: 2, 4: 3}  # discrete, integrated, virtual, cpu


class ApplicationInfo(Structure):
    _fields_ = (("type", c_int), ("next", c_void_p), ("name", c_char_p), ("version", c_uint32),
                ("engine", c_char_p), ("engine_version", c_uint32), ("api", c_uint32))  # fmt: skip


class InstanceInfo(Structure):
    _fields_ = (("type", c_int), ("next", c_void_p), ("flags", c_uint32),
                ("application", POINTER(ApplicationInfo)),
                ("layer_count", c_uint32), ("layers", c_void_p),
                ("extension_count", c_uint32), ("extensions", c_void_p))  # fmt: skip


class Features12(Structure):
    _fields_ = (("type", c_int), ("next", c_void_p), ("flags", c_uint32 * FEATURE_COUNT))


class QueueInfo(Structure):
    _fields_ = (("type", c_int), ("next", c_void_p), ("flags", c_uint32), ("family", c_uint32),
                ("count", c_uint32), ("priorities", POINTER(c_float)))  # fmt: skip


class DeviceInfo(Structure):
    _fields_ = (("type", c_int), ("next", c_void_p), ("flags", c_uint32),
                ("queue_count", c_uint32),
                ("queues", POINTER(QueueInfo)), ("layer_count", c_uint32), ("layers", c_void_p),
                ("extension_count", c_uint32), ("extensions", c_void_p),
                ("features", c_void_p))  # fmt: skip


def require(result: int, call: str) -> None:
    """Stop unless a driver call succeeded."""
    if result != 0:
        sys.exit(f"bare_driver: {call} returned {result}")


def preferred(vulkan: ctypes.CDLL, adapters: ctypes.Array[c_void_p]) -> c_void_p:
    """Return the adapter that Weft would take: a GPU before software."""

    def rank(adapter: int) -> int:
        properties = (c_uint32 * 256)()  # VkPhysicalDeviceProperties; deviceType is its fifth word
        vulkan.vkGetPhysicalDeviceProperties(c_void_p(adapter), properties)
        return TYPE_PREFERENCE.get(properties[4], len(TYPE_PREFERENCE))

    return c_void_p(min(adapters, key=rank))


def start_vulkan() -> None:
    """Create an instance and a device."""
    vulkan = ctypes.CDLL("libvulkan.so.1")
    application = ApplicationInfo(APPLICATION_INFO, None, b"bare", 1, b"bare", 1, API_VERSION_1_2)
    instance_info = InstanceInfo(
        INSTANCE_INFO, None, 0, ctypes.pointer(application), 0, None, 0, None
    )
    instance, count = c_void_p(), c_uint32()
    require(
        vulkan.vkCreateInstance(byref(instance_info), None, byref(instance)), "vkCreateInstance"
    )
    require(
        vulkan.vkEnumeratePhysicalDevices(instance, byref(count), None),
        "vkEnumeratePhysicalDevices",
    )
    adapters = (c_void_p * count.value)()
    require(
        vulkan.vkEnumeratePhysicalDevices(instance, byref(count), adapters),
        "vkEnumeratePhysicalDevices",
    )
    features = Features12(FEATURES_1_2, None)
    features.flags[BUFFER_DEVICE_ADDRESS] = 1
    queue = QueueInfo(QUEUE_INFO, None, 0, 0, 1, ctypes.pointer(c_float(1.0)))
    device_info = DeviceInfo(DEVICE_INFO, ctypes.addressof(features), 0, 1, ctypes.pointer(queue))
    device = c_void_p()
    adapter = preferred(vulkan, adapters)
    require(
        vulkan.vkCreateDevice(adapter, byref(device_info), None, byref(device)), "vkCreateDevice"
    )


def start_cuda() -> None:
    """Retain the primary context of the first device and allocate once in it."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, memory = c_int(), c_void_p(), c_uint64()
    require(cuda.cuInit(0), "cuInit")
    require(cuda.cuDeviceGet(byref(device), 0), "cuDeviceGet")
    require(cuda.cuDevicePrimaryCtxRetain(byref(context), device), "cuDevicePrimaryCtxRetain")
    require(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    require(cuda.cuMemAlloc_v2(byref(memory), ctypes.c_size_t(4096)), "cuMemAlloc")


def main() -> None:
    """Time one initialisation."""
    run = {"vulkan": start_vulkan, "cuda": start_cuda}[sys.argv[1]]
    start = time.perf_counter()
    run()
    print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
