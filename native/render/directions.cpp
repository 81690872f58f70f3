// SPDX-License-Identifier: Apache-2.0
#include "render/directions.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace weft::render {

namespace {

template <typename T>
tensor::TensorRef upload(const std::shared_ptr<device::Device>& device,
                         const std::vector<T>& numbers) {
    constexpr auto kKind =
        std::is_same_v<T, float> ? reflect::ScalarKind::float32 : reflect::ScalarKind::uint32;
    tensor::TensorRef made = tensor::Tensor::create(
        device, {.dtype = reflect::scalar_type(kKind), .shape = {std::ssize(numbers)}});
    tensor::upload(*made, std::as_bytes(std::span(numbers)));
    return made;
}

} // namespace

Directions::Directions(const std::shared_ptr<device::Device>& device,
                       std::span<const scene::MaterialRecord> records, std::span<const float> rows,
                       std::size_t parameters)
    : m_count(parameters == 0 ? 0 : rows.size() / parameters) {
    scene::DirectionTable table = scene::lay_out_directions(records, rows, parameters);
    m_lengths = std::move(table.lengths);
    m_moved = std::move(table.moved);
    m_seeds = upload(device, table.seeds);
    m_view.add_tensor("starts", upload(device, table.starts));
    m_view.add_tensor("numbers", upload(device, table.numbers));
    m_view.add_integer("slots", static_cast<std::int64_t>(table.slots));
}

std::uint32_t Directions::most() const noexcept {
    return m_lengths.empty() ? 0 : std::ranges::max(m_lengths);
}

std::uint32_t Directions::entries() const noexcept {
    return std::accumulate(m_lengths.begin(), m_lengths.end(), 0U);
}

} // namespace weft::render
