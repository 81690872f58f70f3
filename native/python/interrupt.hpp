// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

namespace weft::python {

/// Takes the interpreter lock and runs pending signal handlers; throws core::Interrupted if one raised.
/// For waits that have released the lock.
[[nodiscard]] device::InterruptPoll interrupt_poll();

} // namespace weft::python
