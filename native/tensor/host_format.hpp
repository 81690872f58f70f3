// SPDX-License-Identifier: Apache-2.0
// How elements look in the caller's arrays, and how they get from there into device memory and back.
// The host layout is LayoutRules::host; structures with bools or padding differ from it on a device.
#pragma once

#include "reflect/type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::tensor {

/// `count` scalars of an element that follow each other on both sides.
struct ScalarRun {
    std::size_t size = 0;        ///< bytes of a scalar on the host
    std::size_t device_size = 0; ///< bytes of a scalar on the device
    std::size_t count = 0;
    std::size_t host_offset = 0; ///< bytes into the element
    std::size_t device_offset = 0;
    bool is_bool = false;
};

class HostFormat {
public:
    /// @param dtype an element type in the rules of its device.
    explicit HostFormat(const reflect::TypeRef& dtype);

    /// The element type laid out for the host: its fields' offsets are those of the host array.
    const reflect::TypeRef& host_type() const noexcept { return m_host_type; }
    std::size_t host_stride() const noexcept { return m_host_type->layout.stride; }
    std::size_t device_stride() const noexcept { return m_device_stride; }
    /// Both sides have the same bytes.
    bool is_identity() const noexcept { return m_is_identity; }

    /// Packed host elements to packed device elements; padding becomes 0.
    void to_device(std::span<const std::byte> host, std::span<std::byte> device) const;
    /// Packed device elements to packed host elements; padding is left alone.
    void to_host(std::span<const std::byte> device, std::span<std::byte> host) const;

private:
    reflect::TypeRef m_host_type;
    std::size_t m_device_stride = 0;
    std::vector<ScalarRun> m_runs;
    bool m_is_identity = false;
};

} // namespace weft::tensor
