// SPDX-License-Identifier: Apache-2.0
#include "python/bind_device_memory.hpp"

#include "core/text.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"

#include <optional>
#include <pybind11/stl.h>
#include <string>

namespace weft::python {

namespace py = pybind11;
using core::text;

namespace {

std::uint64_t trim_memory(const Session& session) {
    const Unlocked unlocked;
    return session.device->trim(interrupt_poll());
}

void set_memory_limit(const Session& session, std::optional<std::uint64_t> bytes) {
    if (bytes) {
        require_memory_limit(*bytes, "Device.memory_limit");
    }
    const Unlocked unlocked;
    session.device->set_memory_limit(bytes.value_or(0));
}

} // namespace

void bind_memory_info(py::module_& module) {
    using device::MemoryInfo;
    py::class_<MemoryInfo>(
        module, "MemoryInfo",
        "Memory of a device, in bytes, at the time of Device.memory_info().\n\n"
        "used <= used + idle <= reserved: what is neither lies free between live buffers.\n")
        .def_readonly("total", &MemoryInfo::total,
                      "That the device has, or the limit if that is less.")
        .def_readonly("available", &MemoryInfo::available,
                      "As the driver reports it; 0 if unknown.")
        .def_readonly("reserved", &MemoryInfo::reserved, "Taken from the driver.")
        .def_readonly("used", &MemoryInfo::used, "In live buffers.")
        .def_readonly("idle", &MemoryInfo::idle,
                      "Kept for later buffers, in blocks that hold none: what Device.trim() gives "
                      "back.")
        .def_readonly("peak_used", &MemoryInfo::peak_used, "Largest used so far.")
        .def_readonly("peak_reserved", &MemoryInfo::peak_reserved, "Largest reserved so far.")
        .def_property_readonly(
            "limit",
            [](const MemoryInfo& self) {
                return self.limit == 0 ? std::nullopt : std::optional(self.limit);
            },
            "Device.memory_limit; None: there is none.")
        .def_readonly("live_buffers", &MemoryInfo::live_buffers, "A count.")
        .def_readonly("allocations", &MemoryInfo::allocations,
                      "Calls of the driver's allocator so far.")
        .def("__repr__", [](const MemoryInfo& self) {
            return text("<weft.MemoryInfo used ", self.used, ", idle ", self.idle, ", reserved ",
                        self.reserved, ", peak_used ", self.peak_used, ", limit ",
                        self.limit == 0 ? "None" : std::to_string(self.limit), ", total ",
                        self.total, " bytes>");
        });
}

void bind_device_memory(DeviceClass& bound) {
    bound
        .def(
            "memory_info", [](const Session& self) { return self.device->memory_info(); },
            "What this device's tensors hold, and what is kept for later ones, in bytes.")
        .def_property(
            "memory_limit",
            [](const Session& self) {
                const std::uint64_t bytes = self.device->memory_limit();
                return bytes == 0 ? std::nullopt : std::optional(bytes);
            },
            &set_memory_limit,
            "Bytes of device memory that arrays may take, at least 64 MiB; None: what there is. "
            "Idle memory\nbeyond a new limit is given back at once. Arrays stay, whatever the "
            "limit: further ones are an\nOutOfMemoryError until enough of them are gone.")
        .def(
            "trim", &trim_memory,
            "Gives memory that no array lies in back to the system, and returns how many bytes.\n\n"
            "Waits for submitted work first. What is needed again is taken again, which takes "
            "longer than\nfrom the pool: call it at the end of something large, not between "
            "its steps.\n\nRaises:\n    KeyboardInterrupt: Ctrl-C; nothing was given back.\n    "
            "DeviceError: The device is closed or lost.\n");
}

} // namespace weft::python
