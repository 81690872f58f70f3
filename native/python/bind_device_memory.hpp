// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/session.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

using DeviceClass = pybind11::class_<Session, std::shared_ptr<Session>>;

/// The class MemoryInfo.
void bind_memory_info(pybind11::module_& module);
/// What a device says of its memory, its limit, and trim().
void bind_device_memory(DeviceClass& bound);

} // namespace weft::python
