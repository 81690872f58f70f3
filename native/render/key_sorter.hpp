// SPDX-License-Identifier: Apache-2.0
// Sorts paths by what they hit where they are: in the memory of the device.
#pragma once

#include "render/kernel_launcher.hpp"
#include "render/path_queue.hpp"

#include <cstdint>
#include <vector>

namespace weft::render {

/// sort_by_key() without the way of keys and numbers to the host and back: of a GPU's keys the host sees how many there are
/// in each of some thousand parts (shaders/weft/render/queue.slang). Keys that the host shares, few of them, or of very many
/// kinds are sorted by the host as before. Both give the same order. One thread at a time.
class KeySorter {
public:
    explicit KeySorter(dispatch::Context context) : m_launcher(std::move(context)) {}

    /// As sort_by_key(). @throws as that, CompileError, DeviceError.
    [[nodiscard]] std::vector<std::int64_t> sort(const tensor::TensorRef& keys,
                                                 const tensor::TensorRef& queue,
                                                 std::uint32_t count, std::uint32_t key_count);
    /// The same on the device, whatever the host shares.
    [[nodiscard]] std::vector<std::int64_t> sort_on_device(const tensor::TensorRef& keys,
                                                           const tensor::TensorRef& queue,
                                                           std::uint32_t count,
                                                           std::uint32_t key_count);
    /// Calls of its kernels, to be compiled; none where the host sorts. @param keys as sort() will get them
    [[nodiscard]] std::vector<StageCall> calls(const tensor::TensorRef& keys,
                                               const tensor::TensorRef& queue);
    /// Bytes that sort() holds on a GPU, at most.
    [[nodiscard]] static std::uint64_t most_bytes() noexcept;

private:
    [[nodiscard]] StageModuleRef module();
    [[nodiscard]] KernelArgument argument(const tensor::TensorRef& keys,
                                          const tensor::TensorRef& queue, std::uint32_t count,
                                          std::uint32_t key_count);

    KernelLauncher m_launcher;
    StageModuleRef m_module;
    tensor::TensorRef m_counts;
    std::vector<std::uint32_t> m_places;
};

} // namespace weft::render
