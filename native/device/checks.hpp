// SPDX-License-Identifier: Apache-2.0
// The checks that every backend makes of its arguments, and their messages.
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <string_view>

namespace weft::device {

/// @throws ArgumentError unless [offset, offset + size) lies in `buffer`.
void require_range(const Buffer& buffer, std::string_view label, std::uint64_t offset,
                   std::uint64_t size, std::string_view function);

/// @throws ArgumentError unless offset and size are multiples of 4.
void require_words(std::uint64_t offset, std::uint64_t size, std::string_view function);

/// @throws ArgumentError for a copy between overlapping ranges of one buffer.
void require_no_overlap(std::string_view label, std::uint64_t target_offset,
                        std::uint64_t source_offset, std::uint64_t size);

/// The error for memory of another device.
[[noreturn]] void fail_foreign_buffer(const Device& expected, const Buffer& got,
                                      std::string_view function);

/// The error for a kernel of another device.
[[noreturn]] void fail_foreign_kernel(const Device& expected);

/// The error for a call on a device after close().
[[noreturn]] void fail_closed(const Device& device, std::string_view function);

/// @throws ArgumentError if a group count exceeds the device's limit. `label` names the kernel.
void require_group_count(const Device& device, const Dispatch& dispatch, std::string_view label);

} // namespace weft::device
