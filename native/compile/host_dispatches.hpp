// SPDX-License-Identifier: Apache-2.0
// Host functions of SlangTorch run on the device and write down what they dispatch (shaders/compat/slangtorch/host.slang).
#pragma once

#include <string>
#include <string_view>

namespace weft::compile {

/// `source` with `__dispatch_kernel(kernel, grid, block)(...)` as a call that writes the dispatch down, and behind it what
/// that call needs. Lines and columns stay. A kernel that
/// the source does not declare is an undefined name of Slang's, recordLaunchOf_kernel.
[[nodiscard]] std::string record_dispatches(std::string_view source);

} // namespace weft::compile
