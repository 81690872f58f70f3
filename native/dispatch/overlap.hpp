// SPDX-License-Identifier: Apache-2.0
// Arguments of one call that share memory while the call writes it.
#pragma once

#include "dispatch/bound_call.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::dispatch {

/// The bytes that an operand touches: every `element_bytes` at multiples of the strides.
struct Footprint {
    struct Axis {
        std::int64_t extent = 1;
        std::int64_t stride = 0; ///< bytes, greater than 0
    };
    std::vector<Axis> axes;
    std::int64_t element_bytes = 4;
    std::int64_t low = 0;  ///< bytes from the operand's address to the first one touched, 0 or less
    std::int64_t high = 0; ///< bytes from the operand's address behind the last one touched
};

/// Two sources of a call that must not overlap, unless every call reads and writes the same element of both.
struct OverlapCheck {
    std::uint32_t written = 0; ///< index of a source
    std::uint32_t other = 0;
    bool is_one_to_one = false; ///< at equal addresses each call stays with its own element
    Footprint written_footprint;
    Footprint other_footprint;
};

/// The pairs of sources of a lowered kernel that a launch has to look at. None of a raw dispatch, whose threads are the
/// user's, of pointers, and of whole tensors that are both read and written: nothing is known of these.
[[nodiscard]] std::vector<OverlapCheck> find_overlap_checks(const codegen::Kernel& kernel,
                                                            const std::vector<Source>& sources);

/// The sources whose memory the kernel writes, as far as it is known: whole tensors that may be written included.
[[nodiscard]] std::vector<std::uint32_t> find_written_sources(const codegen::Kernel& kernel);

/// Whether the two can touch a common byte; `distance` is the address of `b` less that of `a`.
/// May say true for strides without a common structure.
[[nodiscard]] bool can_overlap(const Footprint& a, const Footprint& b, std::int64_t distance);

/// True if the ranges from the first to the last byte have none in common.
[[nodiscard]] inline bool are_apart(const OverlapCheck& check, std::uint64_t written,
                                    std::uint64_t other) noexcept {
    const auto distance = static_cast<std::int64_t>(other - written);
    return distance + check.other_footprint.low >= check.written_footprint.high ||
           distance + check.other_footprint.high <= check.written_footprint.low;
}

/// For ranges that are not apart. @throws ArgumentError that names both parameters if the call cannot work.
void require_no_overlap(const OverlapCheck& check, const std::vector<Source>& sources,
                        const std::string& function, std::int64_t distance);

} // namespace weft::dispatch
