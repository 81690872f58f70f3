// SPDX-License-Identifier: Apache-2.0
// Reverse mode against forward mode, <J v, w> = <v, J^T w>, at one element of a call.
#pragma once

#include "dispatch/call_sample.hpp"
#include "dispatch/function.hpp"

#include <string>

namespace weft::dispatch {

/// What is known of the gradients of one element.
struct GradientVerdict {
    enum class Kind : std::uint8_t {
        right,
        wrong, ///< in every direction, nearby as well, and central differences side with forward mode
        undecided, ///< they differ, but not surely because reverse mode is wrong; or a value is not finite
    };

    Kind kind = Kind::right;
    double reverse = 0;    ///< <v, J^T w>
    double forward = 0;    ///< <J v, w>
    double difference = 0; ///< of the two, relative to the size of the terms that they sum
};

/// One function and both of its derivatives, for one thread.
class GradientComparison {
public:
    /// @param options of the backward call. Throws nothing of forward mode: run() does.
    GradientComparison(Module& module, const std::string& name, const CallOptions& options);

    /// Waits for the device, and for the compiler the first time.
    /// @throws CompileError, ArgumentError if the function has no forward mode for such arguments.
    [[nodiscard]] GradientVerdict run(CallSample& sample, const device::InterruptPoll& poll);

private:
    Module& m_module;
    Function m_values; ///< the function itself: forward mode may be wrong about values, too
    Function m_forward;
    Function m_backward;
};

} // namespace weft::dispatch
