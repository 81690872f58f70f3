// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace weft::render {

/// Elements of a RangeArray.
struct DeviceRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// An array on the device of which ranges are taken and given back. It grows as it has to, by a copy on the device.
class RangeArray {
public:
    /// @param element_words 32-bit words of an element. @throws DeviceError if memory is short.
    RangeArray(std::shared_ptr<device::Device> device, std::uint32_t element_words,
               const char* label);

    /// Makes room for so many elements behind those that are in use. @throws DeviceError if memory is short.
    void reserve(std::uint64_t count);
    /// A range that nobody uses: the first that is large enough, else at the end. @throws as reserve().
    [[nodiscard]] DeviceRange take(std::uint32_t count);
    void give_back(const DeviceRange& range);

    bool is_empty() const noexcept { return m_end == 0; }
    /// The memory, a tensor of words; another one after it has grown. Never empty.
    const tensor::TensorRef& words() const noexcept { return m_words; }
    /// Writes elements. @param bytes of all elements of `range`.
    void upload(const DeviceRange& range, std::span<const std::byte> bytes);

private:
    tensor::TensorRef create(std::uint64_t count) const;

    std::shared_ptr<device::Device> m_device;
    std::uint64_t m_element_words;
    const char* m_label;
    tensor::TensorRef m_words;
    std::uint64_t m_capacity = 0;    ///< elements
    std::uint64_t m_end = 0;         ///< no element from here on is in use
    std::vector<DeviceRange> m_free; ///< before m_end; in order, none touches the next
};

} // namespace weft::render
