// SPDX-License-Identifier: Apache-2.0
#include "render/path_queue.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <cstring>

namespace weft::render {

namespace {

constexpr std::uint32_t kMaxKeys = 65536;

void require_words(const tensor::Tensor& tensor, std::uint32_t count, const char* name) {
    const bool has_form = tensor.is_contiguous() &&
                          tensor.dtype()->kind == reflect::TypeKind::scalar &&
                          tensor.dtype()->scalar == reflect::ScalarKind::uint32 &&
                          tensor.element_count() >= static_cast<std::int64_t>(count);
    if (!has_form) {
        throw core::ArgumentError(core::text("sort_by_key: '", name,
                                             "' must be a contiguous tensor of uint with at least ",
                                             count, " elements"));
    }
}

/// Host memory to read or write; the buffer's own where the host shares it.
std::span<std::uint32_t> host_words(const tensor::Tensor& tensor, std::uint32_t count,
                                    std::vector<std::uint32_t>& copy) {
    if (std::byte* const mapped = tensor.buffer().mapped(); mapped != nullptr) {
        return {reinterpret_cast<std::uint32_t*>(mapped + tensor.offset_bytes()), count};
    }
    copy.resize(count);
    return copy;
}

std::vector<std::int64_t> count_keys(std::span<const std::uint32_t> keys, std::uint32_t key_count) {
    std::vector<std::int64_t> offsets(key_count + 1, 0);
    for (const std::uint32_t key : keys) {
        if (key >= key_count) {
            throw core::ArgumentError(
                core::text("sort_by_key: key ", key, " is not below ", key_count));
        }
        offsets[key + 1]++;
    }
    for (std::uint32_t key = 0; key < key_count; key++) {
        offsets[key + 1] += offsets[key];
    }
    return offsets;
}

} // namespace

std::vector<std::int64_t> sort_by_key(const tensor::Tensor& keys, tensor::Tensor& queue,
                                      std::uint32_t count, std::uint32_t key_count) {
    require_words(keys, count, "keys");
    require_words(queue, count, "queue");
    if (key_count == 0 || key_count > kMaxKeys) {
        throw core::ArgumentError(
            core::text("sort_by_key: key_count must be 1 to ", kMaxKeys, ", got ", key_count));
    }
    std::vector<std::uint32_t> key_copy;
    std::vector<std::uint32_t> queue_copy;
    const std::span<std::uint32_t> from = host_words(keys, count, key_copy);
    const std::span<std::uint32_t> to = host_words(queue, count, queue_copy);
    device::Device& device = keys.device();
    if (key_copy.empty()) {
        device.wait();
    } else {
        device.download(keys.buffer(), keys.offset_bytes(), std::as_writable_bytes(from));
    }
    std::vector<std::int64_t> offsets = count_keys(from, key_count);
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::uint32_t number = 0; number < count; number++) {
        to[static_cast<std::size_t>(next[from[number]]++)] = number;
    }
    if (!queue_copy.empty()) {
        device.upload(queue.buffer(), queue.offset_bytes(), std::as_bytes(to));
    }
    return offsets;
}

} // namespace weft::render
