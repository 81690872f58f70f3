// SPDX-License-Identifier: Apache-2.0
#include "render/range_array.hpp"

#include <algorithm>
#include <utility>

namespace weft::render {

RangeArray::RangeArray(std::shared_ptr<device::Device> device, std::uint32_t element_words,
                       const char* label)
    : m_device(std::move(device)), m_element_words(element_words), m_label(label),
      m_words(create(1)) {}

tensor::TensorRef RangeArray::create(std::uint64_t count) const {
    return tensor::Tensor::create(
        m_device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32),
         .shape = {static_cast<std::int64_t>(std::max<std::uint64_t>(count, 1) * m_element_words)}},
        m_label);
}

void RangeArray::reserve(std::uint64_t count) {
    const std::uint64_t wanted = m_end + count;
    if (wanted <= m_capacity) {
        return;
    }
    tensor::TensorRef grown = create(wanted);
    if (m_end != 0) {
        m_device->copy(grown->buffer(), grown->offset_bytes(), m_words->buffer(),
                       m_words->offset_bytes(), m_end * m_element_words * sizeof(std::uint32_t));
    }
    m_words = std::move(grown);
    m_capacity = wanted;
}

DeviceRange RangeArray::take(std::uint32_t count) {
    const auto found = std::ranges::find_if(
        m_free, [count](const DeviceRange& range) { return range.count >= count; });
    if (found != m_free.end()) {
        const DeviceRange taken{.first = found->first, .count = count};
        found->first += count;
        found->count -= count;
        if (found->count == 0) {
            m_free.erase(found);
        }
        return taken;
    }
    reserve(count);
    const DeviceRange taken{.first = static_cast<std::uint32_t>(m_end), .count = count};
    m_end += count;
    return taken;
}

void RangeArray::give_back(const DeviceRange& range) {
    if (range.count == 0) {
        return;
    }
    const auto after = std::ranges::lower_bound(m_free, range.first, {}, &DeviceRange::first);
    auto own = m_free.insert(after, range);
    if (const auto next = own + 1; next != m_free.end() && own->first + own->count == next->first) {
        own->count += next->count;
        m_free.erase(next);
    }
    if (own != m_free.begin() && (own - 1)->first + (own - 1)->count == own->first) {
        (own - 1)->count += own->count;
        own = m_free.erase(own) - 1;
    }
    if (own->first + std::uint64_t{own->count} == m_end) {
        m_end = own->first;
        m_free.erase(own);
    }
}

void RangeArray::upload(const DeviceRange& range, std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
        m_device->upload(
            m_words->buffer(),
            m_words->offset_bytes() + range.first * m_element_words * sizeof(std::uint32_t), bytes);
    }
}

} // namespace weft::render
