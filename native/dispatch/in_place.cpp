// SPDX-License-Identifier: Apache-2.0
#include "dispatch/in_place.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/host_format.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace weft::dispatch {

namespace {

/// What kernels expect of memory at most.
constexpr std::uint64_t kWidestAccess = 16;

struct Candidate {
    std::size_t source = 0;
    std::span<std::byte> memory;
    bool is_usable = false;
    bool is_written = false;
};

bool is_aligned(const std::byte* address, const device::Device& device) {
    const std::uint64_t binding = device.info().limits.storage_binding_alignment;
    return reinterpret_cast<std::uintptr_t>(address) % std::max(kWidestAccess, binding) == 0;
}

const HostArray* array_of(const Source& source, const ArgumentList& arguments) {
    const bool is_copied = source.kind == SourceKind::upload &&
                           arguments.nodes[source.node].kind == NodeKind::host_array;
    return is_copied ? arguments.nodes[source.node].host : nullptr;
}

/// Whether kernels could work on the array's own memory.
bool is_usable(const HostArray& host, const tensor::ArrayLayout& layout,
               const device::Device& device) {
    const std::span<const std::byte> memory = host.memory();
    return memory.size() >= least_bytes_in_place() && host.is_packed() &&
           is_aligned(memory.data(), device) && tensor::HostFormat(layout.dtype).is_identity();
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
    const std::less<> before;
    return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

/// Whether the call would see in `mine` what it writes to `other`, or the other way round.
bool is_disturbed(const Candidate& mine, const Candidate& other) {
    const bool is_mine_to_copy = other.is_written || !mine.is_written;
    return &mine != &other && (mine.is_written || other.is_written) && is_mine_to_copy &&
           overlap(mine.memory, other.memory);
}

tensor::TensorRef wrap(const tensor::ArrayLayoutRef& layout, std::span<std::byte> memory,
                       std::shared_ptr<void> owner, device::Device& device) {
    try {
        return tensor::Tensor::wrap(
            device.wrap_external(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size(),
                                 std::move(owner)),
            layout, 0);
    } catch (const core::ArgumentError&) {
        return nullptr; // this driver does not, or not these pages
    }
}

} // namespace

std::size_t least_bytes_in_place() noexcept {
    return 4096; // lavapipe: an import and a copy of 1 to 2 KiB take the same time
}

tensor::TensorRef wrap_in_place(const HostArray& host, const tensor::ArrayLayoutRef& layout,
                                device::Device& device) {
    const bool can_wrap = device.info().features.host_memory && is_usable(host, *layout, device);
    return can_wrap ? wrap(layout, host.memory(), host.keep_alive(), device) : nullptr;
}

tensor::TensorRef wrap_in_place(std::span<std::byte> memory, std::shared_ptr<void> owner,
                                const tensor::ArrayLayoutRef& layout, device::Device& device) {
    const bool can_wrap =
        memory.size() == bytes_in_place(*layout, device) && is_aligned(memory.data(), device);
    return can_wrap ? wrap(layout, memory, std::move(owner), device) : nullptr;
}

std::size_t bytes_in_place(const tensor::ArrayLayout& layout, const device::Device& device) {
    const auto bytes = static_cast<std::size_t>(layout.element_count) *
                       static_cast<std::size_t>(layout.element_bytes());
    const bool can_be = device.info().features.host_memory && bytes >= least_bytes_in_place() &&
                        tensor::HostFormat(layout.dtype).is_identity();
    return can_be ? bytes : 0;
}

void InPlace::add_arguments(std::span<const Source> sources, const ArgumentList& arguments,
                            device::Device& device) {
    if (!device.info().features.host_memory) {
        return;
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (const HostArray* const host = array_of(sources[i], arguments)) {
            candidates.push_back({.source = i,
                                  .memory = host->memory(),
                                  .is_usable = host->scalar == sources[i].scalar &&
                                               is_usable(*host, *sources[i].layout, device),
                                  .is_written = sources[i].downloads});
        }
    }
    for (const Candidate& each : candidates) {
        const auto disturbs = [&](const Candidate& other) { return is_disturbed(each, other); };
        if (!each.is_usable || std::ranges::any_of(candidates, disturbs)) {
            continue;
        }
        const Source& source = sources[each.source];
        tensor::TensorRef tensor =
            wrap(source.layout, each.memory, array_of(source, arguments)->keep_alive(), device);
        if (tensor) {
            m_arrays.push_back({.source = each.source,
                                .tensor = std::move(tensor),
                                .is_written = each.is_written});
        }
    }
}

const tensor::TensorRef& InPlace::tensor_of(std::size_t source) const noexcept {
    static const tensor::TensorRef nothing;
    const auto found = std::ranges::find(m_arrays, source, &Array::source);
    return found == m_arrays.end() ? nothing : found->tensor;
}

std::string InPlace::explanation(std::span<const Source> sources) const {
    std::vector<std::string> names;
    names.reserve(m_arrays.size());
    for (const Array& array : m_arrays) {
        names.push_back(sources[array.source].name);
    }
    return names.empty()
               ? ""
               : core::text("  in the host's own memory, without a copy: ", core::join(names, ", "),
                            "\n");
}

void InPlace::wait(device::Device& device, const device::InterruptPoll& poll) const {
    if (m_arrays.empty()) {
        return;
    }
    device.wait(poll);
    std::array<std::byte, 1> looked_at{};
    for (const Array& array : m_arrays) {
        if (array.is_written) { // as reading a result does: was the kernel cut short?
            device.download(array.tensor->buffer(), 0, looked_at, poll);
        }
    }
}

} // namespace weft::dispatch
