// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace weft::core {

/// Called every 50 ms by a function that waits, on the thread that called it; throws core::Interrupted to end the wait.
/// Empty: the wait cannot be interrupted.
using InterruptPoll = std::function<void()>;

} // namespace weft::core
