// SPDX-License-Identifier: Apache-2.0
#include "device/checks.hpp"

#include "core/text.hpp"

namespace weft::device {

void require_range(const Buffer& buffer, std::string_view label, std::uint64_t offset,
                   std::uint64_t size, std::string_view function) {
    if (offset > buffer.size_bytes() || size > buffer.size_bytes() - offset) {
        throw core::ArgumentError(core::text(
            function, ": [", offset, ", ", offset + size, ") is outside the ", buffer.size_bytes(),
            "-byte buffer '", label, "'; pass an offset and a size within it"));
    }
}

void require_words(std::uint64_t offset, std::uint64_t size, std::string_view function) {
    if (offset % 4 != 0 || size % 4 != 0) {
        throw core::ArgumentError(
            core::text(function, ": expected offset and size in multiples of 4 bytes, got ", offset,
                       " and ", size, "; fill whole 32-bit words"));
    }
}

void require_no_overlap(std::string_view label, std::uint64_t target_offset,
                        std::uint64_t source_offset, std::uint64_t size) {
    if (target_offset < source_offset + size && source_offset < target_offset + size) {
        throw core::ArgumentError(core::text("copy: [", source_offset, ", ", source_offset + size,
                                             ") and [", target_offset, ", ", target_offset + size,
                                             ") of buffer '", label,
                                             "' overlap; copy through a second buffer"));
    }
}

void fail_foreign_buffer(const Device& expected, const Buffer& got, std::string_view function) {
    throw core::ArgumentError(core::text(function, ": expected memory of device '",
                                         expected.info().name, "', got memory of another device ('",
                                         got.device().info().name,
                                         "'); copy it over through numpy"));
}

void fail_foreign_kernel(const Device& expected) {
    throw core::ArgumentError(
        core::text("dispatch: expected a kernel of device '", expected.info().name,
                   "', got one of another device; load the module on this device"));
}

void fail_closed(const Device& device, std::string_view function) {
    throw core::DeviceError(core::text(function, ": device '", device.info().name,
                                       "' is closed; create a new one with create_device()"));
}

void require_group_count(const Device& device, const Dispatch& dispatch, std::string_view label) {
    const DeviceLimits& limits = device.info().limits;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (dispatch.group_count[axis] > limits.max_group_count[axis]) {
            throw core::ArgumentError(core::text(
                "dispatch: '", label, "' needs ", dispatch.group_count[axis], " groups along axis ",
                axis, ", device '", device.info().name, "' takes at most ",
                limits.max_group_count[axis], "; use larger groups"));
        }
    }
}

} // namespace weft::device
