// SPDX-License-Identifier: Apache-2.0
#include "render/key_sorter.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weft::render {

namespace {

/// Fewer are sorted by the host before a GPU has started three times.
constexpr std::uint32_t kMinKeysOnDevice = std::uint32_t{1} << 14U;
/// Numbers of a part: enough threads for a GPU, few enough counts for the host.
constexpr std::uint32_t kShortest = 256;
/// Counts that the host adds up, but for one part a key.
constexpr std::uint32_t kMaxCounts = std::uint32_t{1} << 17U;
constexpr std::uint32_t kMaxKeys = kMaxCounts / 64;

constexpr const char* kText = R"(import "weft/render/queue";
void countPart(int part, KeyQueue queue) { countKeys(part, queue); }
void placePart(int part, KeyQueue queue) { placeNumbers(part, queue); }
)";

std::uint32_t divide_up(std::uint64_t count, std::uint64_t size) {
    return static_cast<std::uint32_t>((count + size - 1) / size);
}

std::uint32_t length_of_parts(std::uint32_t count, std::uint32_t key_count) {
    const std::uint32_t most_parts = kMaxCounts / key_count;
    return std::max(kShortest, divide_up(count, most_parts));
}

} // namespace

std::uint64_t KeySorter::most_bytes() noexcept {
    return sizeof(std::uint32_t) * std::uint64_t{kMaxCounts};
}

StageModuleRef KeySorter::module() {
    if (!m_module) {
        const dispatch::Context& context = m_launcher.context();
        compile::ModuleDesc desc;
        desc.name = "weft_sort_paths";
        desc.text = kText;
        desc.target = context.device->target();
        m_module = std::make_shared<StageModule>(
            dispatch::Module::create(context, std::move(desc), {.links = {}, .hot_reload = false}));
    }
    return m_module;
}

KernelArgument KeySorter::argument(const tensor::TensorRef& keys, const tensor::TensorRef& queue,
                                   std::uint32_t count, std::uint32_t key_count) {
    const std::uint32_t length = length_of_parts(count, key_count);
    const std::uint32_t parts = divide_up(count, length);
    const std::int64_t wanted = std::int64_t{parts} * key_count;
    if (!m_counts || m_counts->element_count() < wanted) {
        m_counts = tensor::Tensor::create(
            m_launcher.context().device,
            {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32), .shape = {wanted}});
    }
    KernelArgument made;
    made.add_tensor("keys", keys);
    made.add_tensor("queue", queue);
    made.add_tensor("counts", m_counts);
    made.add_integer("count", count);
    made.add_integer("parts", parts);
    made.add_integer("length", length);
    made.add_integer("keyCount", key_count);
    return made;
}

std::vector<StageCall> KeySorter::calls(const tensor::TensorRef& keys,
                                        const tensor::TensorRef& queue) {
    if (keys->buffer().mapped() != nullptr) {
        return {};
    }
    const KernelArgument any = argument(keys, queue, kMinKeysOnDevice, 1);
    return {{module(), "countPart", {any}}, {module(), "placePart", {any}}};
}

std::vector<std::int64_t> KeySorter::sort(const tensor::TensorRef& keys,
                                          const tensor::TensorRef& queue, std::uint32_t count,
                                          std::uint32_t key_count) {
    if (keys->buffer().mapped() != nullptr || count < kMinKeysOnDevice || key_count == 0 ||
        key_count > kMaxKeys) {
        return sort_by_key(*keys, *queue, count, key_count);
    }
    return sort_on_device(keys, queue, count, key_count);
}

std::vector<std::int64_t> KeySorter::sort_on_device(const tensor::TensorRef& keys,
                                                    const tensor::TensorRef& queue,
                                                    std::uint32_t count, std::uint32_t key_count) {
    const KernelArgument sorted = argument(keys, queue, count, key_count);
    const std::int64_t parts = sorted.integer("parts");
    m_places.resize(static_cast<std::size_t>(parts) * key_count);
    const auto words = std::as_writable_bytes(std::span(m_places));
    device::Device& device = *m_launcher.context().device;
    m_launcher.launch(*module(), "countPart", parts, {&sorted});
    device.download(m_counts->buffer(), m_counts->offset_bytes(), words, m_launcher.context().poll);
    std::vector<std::int64_t> offsets{0};
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < m_places.size();) {
        for (const std::size_t end = at + static_cast<std::size_t>(parts); at < end; ++at) {
            sum += std::exchange(m_places[at], sum);
        }
        offsets.push_back(sum);
    }
    device.upload(m_counts->buffer(), m_counts->offset_bytes(), words);
    m_launcher.launch(*module(), "placePart", parts, {&sorted});
    if (sum != count) {
        return sort_by_key(*keys, *queue, count, key_count); // says which key is none
    }
    return offsets;
}

} // namespace weft::render
