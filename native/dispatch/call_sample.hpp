// SPDX-License-Identifier: Apache-2.0
// A backward call at a few of its elements, with copies of all that it reads: it can be made again later, whatever
// became of the arguments.
#pragma once

#include "dispatch/launch.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace weft::dispatch {

/// What one tensor argument holds.
struct KeptTensor {
    std::uint32_t node = 0;
    reflect::TypeRef dtype{};
    std::vector<std::int64_t> shape{};
    std::vector<std::byte> values{}; ///< in host format, row-major
    reflect::TypeRef gradient{};     ///< its element type; null: the argument is a constant
    bool is_input = false;           ///< the call adds to its gradient
    bool is_output = false;          ///< the call reads its gradient
};

/// One element of a call. Movable; belongs to one thread at a time.
struct CallSample {
    std::vector<std::int64_t> element; ///< call index
    std::vector<KeptTensor> tensors;
    ArgumentList arguments; ///< but for the tensors, which with_tensors() fills in
    std::shared_ptr<std::deque<std::string>> names; ///< that nodes point to
};

/// Takes at most `most` elements of a backward call, the first and the last among them. Waits for the device.
/// @throws ArgumentError that says why this call cannot be made again.
[[nodiscard]] std::vector<CallSample> take_samples(const LaunchPlan& plan,
                                                   const ArgumentList& arguments, std::size_t most,
                                                   const device::InterruptPoll& poll);

} // namespace weft::dispatch
