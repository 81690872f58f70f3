// SPDX-License-Identifier: Apache-2.0
#include "render/path_records.hpp"

#include "render/path_buffers.hpp"
#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <utility>

namespace weft::render {

PathRecords::PathRecords(std::shared_ptr<device::Device> device, std::int64_t rows)
    : m_device(std::move(device)), m_row_count(rows) {}

std::uint64_t PathRecords::bytes_of(std::int64_t records) const noexcept {
    return sizeof(float) * static_cast<std::uint64_t>(m_row_count * record_room(records));
}

tensor::TensorRef PathRecords::create(std::int64_t rows, std::int64_t columns) const {
    tensor::TensorRef made = tensor::Tensor::create(
        m_device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::float32), .shape = {rows, columns}});
    tensor::clear(*made);
    return made;
}

std::int64_t PathRecords::capacity() const noexcept {
    return m_rows ? m_rows->shape()[1] : 0;
}

void PathRecords::begin(std::int64_t paths, std::int64_t guess) {
    m_launches.clear();
    m_used = 0;
    grow(m_rows ? 1 : guess);
    if (!m_heads || m_heads->shape()[1] != paths) {
        m_heads = create(scene::layouts::HeadRow::kEnd, paths);
        m_view = KernelArgument();
    }
    static_cast<void>(view());
}

void PathRecords::reserve(std::int64_t more) {
    grow(m_used + more);
}

void PathRecords::grow(std::int64_t wanted) {
    if (m_rows && capacity() >= wanted) {
        return;
    }
    const tensor::TensorRef grown = create(m_row_count, record_room(wanted));
    for (std::int64_t row = 0; m_used > 0 && row < m_row_count; ++row) {
        const auto part = [&](const tensor::TensorRef& all) {
            return tensor::view(all, {m_used}, {}, row * all->shape()[1]);
        };
        tensor::copy(*part(grown), *part(m_rows)); // on the device: both are contiguous
    }
    m_rows = grown;
    m_view = KernelArgument();
}

void PathRecords::add(std::int64_t program, std::int64_t bounce, std::int64_t count) {
    m_launches.push_back({.program = program, .bounce = bounce, .first = m_used, .count = count});
    m_used += count;
}

void PathRecords::forget() noexcept {
    m_rows.reset();
    m_heads.reset();
    m_view = KernelArgument();
    m_launches.clear();
    m_used = 0;
}

const KernelArgument& PathRecords::view(std::int64_t first) {
    if (m_view.nodes().size() == 1) {
        m_view.add_tensor("rows", m_rows);
        m_view.add_tensor("heads", m_heads);
        m_view.add_integer("capacity", capacity());
        m_view.add_integer("first", first);
    }
    m_view.set_integer("first", first);
    return m_view;
}

std::vector<std::uint32_t> PathRecords::read_heads(std::uint32_t row, std::int64_t count) const {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
    const tensor::TensorRef own =
        tensor::view(m_heads, {count}, {}, std::int64_t{row} * m_heads->shape()[1]);
    tensor::download(*own, std::as_writable_bytes(std::span(words)));
    return words;
}

} // namespace weft::render
