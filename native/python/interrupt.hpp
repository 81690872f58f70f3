// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

/// For all waits, with or without the interpreter lock taken, but under no other lock: runs pending signal handlers
/// if this is the thread that may (taking the interpreter lock for that time), lets other threads run if this one has
/// the lock, and throws core::Interrupted if a handler raised, or if the interpreter ends.
[[nodiscard]] device::InterruptPoll interrupt_poll();

/// Finds out which thread handles signals. Call once, when the module is imported.
void note_main_thread();

} // namespace weft::python
