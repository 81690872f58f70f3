// SPDX-License-Identifier: Apache-2.0
#include "render/kept_parts.hpp"

#include "core/text.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::render {

using reflect::ScalarKind;
using tensor::TensorRef;

namespace {

constexpr std::size_t kNumberBytes = 4;

using Assembled = KeptParts::Assembled;

/// Chunks that are written one after the other, or that lie so in the tensor before.
struct Run {
    std::size_t first = 0; ///< chunk
    std::size_t last = 0;  ///< chunk behind the last
    std::optional<std::size_t>
        source{}; ///< first number in the tensor before; not set: they are new
};

TensorRef create(const std::shared_ptr<device::Device>& device, std::size_t count,
                 ScalarKind kind) {
    return tensor::Tensor::create(
        device, {.dtype = reflect::scalar_type(kind), .shape = {static_cast<std::int64_t>(count)}});
}

std::vector<std::size_t> starts_of(const std::vector<Chunk>& chunks) {
    std::vector<std::size_t> starts{0};
    for (const Chunk& chunk : chunks) {
        starts.push_back(starts.back() + chunk.count);
    }
    return starts;
}

std::vector<Run> runs_of(const std::vector<Chunk>& chunks, std::span<const std::size_t> starts,
                         const Assembled* before) {
    std::vector<Run> runs;
    for (std::size_t k = 0; k < chunks.size(); ++k) {
        std::optional<std::size_t> source;
        if (before != nullptr) {
            if (const auto found = before->starts.find(chunks[k].key);
                found != before->starts.end()) {
                source = found->second;
            }
        }
        const bool goes_on =
            !runs.empty() && runs.back().source.has_value() == source.has_value() &&
            (!source || *source == *runs.back().source + starts[k] - starts[runs.back().first]);
        if (!goes_on) {
            runs.push_back({.first = k, .last = k, .source = source});
        }
        runs.back().last = k + 1;
    }
    return runs;
}

void write_chunks(device::Device& device, const TensorRef& target, std::span<const Chunk> chunks,
                  std::size_t start, std::size_t count) {
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(count * kNumberBytes);
    const std::span<std::byte> whole(bytes.get(), count * kNumberBytes);
    std::size_t at = 0;
    for (const Chunk& chunk : chunks) {
        chunk.write(whole.subspan(at, chunk.count * kNumberBytes));
        at += chunk.count * kNumberBytes;
    }
    device.upload(target->buffer(), target->offset_bytes() + start * kNumberBytes, whole);
}

std::shared_ptr<const Assembled> assembled(const std::shared_ptr<device::Device>& device,
                                           const std::vector<Chunk>& chunks, ScalarKind kind,
                                           const Assembled* before) {
    const std::vector<std::size_t> starts = starts_of(chunks);
    auto made = std::make_shared<Assembled>();
    made->tensor = create(device, std::max<std::size_t>(starts.back(), 1), kind);
    if (starts.back() == 0) {
        tensor::clear(*made->tensor);
    }
    for (std::size_t k = 0; k < chunks.size(); ++k) {
        made->keys.push_back(chunks[k].key);
        made->starts.insert_or_assign(chunks[k].key, starts[k]);
    }
    for (const Run& run : runs_of(chunks, starts, before)) {
        const std::size_t begin = starts[run.first];
        const std::size_t count = starts[run.last] - begin;
        if (count == 0) {
            continue;
        }
        if (run.source) {
            device->copy(
                made->tensor->buffer(), made->tensor->offset_bytes() + begin * kNumberBytes,
                before->tensor->buffer(),
                before->tensor->offset_bytes() + *run.source * kNumberBytes, count * kNumberBytes);
        } else {
            write_chunks(*device, made->tensor,
                         std::span(chunks).subspan(run.first, run.last - run.first), begin, count);
        }
    }
    return made;
}

bool has_keys(const Assembled& found, const std::vector<Chunk>& chunks) {
    return std::ranges::equal(found.keys, chunks, {}, {}, &Chunk::key);
}

} // namespace

Chunk zeros_chunk(std::size_t count) {
    PartKey key("zeros");
    key.add(static_cast<std::uint64_t>(count));
    return {.key = std::move(key), .count = count, .write = [](std::span<std::byte> out) {
                std::ranges::fill(out, std::byte{0});
            }};
}

KeptParts::KeptParts(std::shared_ptr<device::Device> device, const KeptParts* before)
    : m_device(std::move(device)), m_before(before == nullptr ? nullptr : before->m_own) {}

std::shared_ptr<KeptParts::Store> KeptParts::before() const {
    const std::scoped_lock lock(m_mutex);
    return m_before;
}

std::any KeptParts::find_or_make(PartKey key, const std::function<std::any()>& make) {
    const auto find_in = [&key](Store& store) {
        const std::scoped_lock lock(store.mutex);
        const auto found = store.parts.find(key);
        return found == store.parts.end() ? std::any() : found->second;
    };
    std::any part = find_in(*m_own);
    if (part.has_value()) {
        return part;
    }
    if (const std::shared_ptr<Store> old = before()) {
        part = find_in(*old);
    }
    if (!part.has_value()) {
        part = make();
    }
    const std::scoped_lock lock(m_own->mutex);
    return m_own->parts.try_emplace(std::move(key), std::move(part)).first->second;
}

TensorRef KeptParts::upload_bytes(std::string_view name, std::span<const std::byte> numbers,
                                  ScalarKind kind, const std::optional<PartKey>& key) {
    PartKey own(core::text(name, " on the device"));
    own.add(static_cast<std::uint8_t>(kind));
    if (key) {
        own.add(*key);
    } else {
        own.add_content(numbers);
    }
    return get<TensorRef>(std::move(own), [&] {
        const std::size_t count = numbers.size() / reflect::size_bytes(kind);
        TensorRef made = create(m_device, std::max<std::size_t>(count, 1), kind);
        if (count == 0) {
            tensor::clear(*made);
        } else {
            tensor::upload(*made, numbers);
        }
        return made;
    });
}

TensorRef KeptParts::assemble(const std::string& name, std::vector<Chunk> chunks, ScalarKind kind) {
    const auto find_in = [&name](Store& store) -> std::shared_ptr<const Assembled> {
        const std::scoped_lock lock(store.mutex);
        const auto found = store.tensors.find(name);
        return found == store.tensors.end() ? nullptr : found->second;
    };
    std::shared_ptr<const Assembled> found = find_in(*m_own);
    if (!found) {
        if (const std::shared_ptr<Store> old = before()) {
            found = find_in(*old);
        }
    }
    if (!found || !has_keys(*found, chunks)) {
        found = assembled(m_device, chunks, kind, found.get());
    }
    TensorRef result = found->tensor;
    {
        const std::scoped_lock lock(m_own->mutex);
        std::swap(m_own->tensors[name], found);
    }
    return result; // what was there before goes now
}

void KeptParts::end() {
    std::shared_ptr<Store> old; // goes after the lock
    const std::scoped_lock lock(m_mutex);
    std::swap(old, m_before);
}

} // namespace weft::render
