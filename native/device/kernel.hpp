// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"
#include "device/buffer.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace weft::device {

/// Uniforms at module scope of the user's source; passed to the kernel as one block of bytes.
struct GlobalBlock {
    std::uint32_t size_bytes = 0;     ///< 0: none
    std::uint32_t vulkan_set = 0;     ///< descriptor set and binding of the uniform buffer
    std::uint32_t vulkan_binding = 0; ///< of that set
    std::string cuda_symbol{};        ///< "SLANG_globalParams"
};

/// What Device::create_kernel() takes. Views need only live during the call.
struct KernelDesc {
    std::span<const std::byte> code{}; ///< SPIR-V words (Vulkan), or CUDA C++ source text (CUDA)
    std::string entry_point{};         ///< its name in the code
    std::array<std::uint32_t, 3> group_size{
        1, 1, 1};                      ///< threads along each axis, as in the code; each at least 1
    std::uint32_t argument_bytes = 0;  ///< size of Dispatch::arguments (a multiple of 4)
    bool arguments_by_address = false; ///< the kernel takes one 8-byte address of them instead
    std::uint32_t storage_bindings = 0; ///< Vulkan: storage buffers at set 0, bindings 0 .. n-1
    GlobalBlock globals{};              ///< size 0: the code has none
    std::string label{};                ///< in messages and profilers; may be empty
    bool fast_math = false;             ///< CUDA: NVRTC's --use_fast_math
    /// CUDA: bytes that the kernel could use of group-shared memory beside its own. It gets them as far as the GPU has
    /// them, and asks for the size (%dynamic_smem_size).
    std::uint32_t shared_bytes = 0;
};

/// A compiled entry point on one device. Immutable, thread-safe.
class WEFT_API Kernel : public std::enable_shared_from_this<Kernel> {
public:
    virtual ~Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

protected:
    Kernel() = default;
};

/// What a dispatch does with a buffer; work is ordered by it. write: what was there may be lost.
enum class BufferAccess : std::uint8_t { read, write, read_write };

/// One buffer a dispatch touches: for ordering and lifetime, and for binding if `binding` >= 0.
struct BufferUse {
    Buffer* buffer = nullptr; ///< the device retains it (the Buffer must be owned by a shared_ptr)
    BufferAccess access =
        BufferAccess::read;    ///< at least what the kernel does, or work may overlap
    std::int32_t binding = -1; ///< storage binding slot, or -1: used by address only
    std::uint64_t offset = 0;  ///< bytes, of the bound range; aligned to storage_binding_alignment
    std::uint64_t size = 0;    ///< bytes, of the bound range
};

/// One launch. Views need only live during Device::dispatch().
struct Dispatch {
    Kernel* kernel = nullptr; ///< of the same device; never null
    std::array<std::uint32_t, 3> group_count{
        1, 1, 1}; ///< groups along each axis, up to DeviceLimits::max_group_count
    std::span<const std::byte> arguments{}; ///< copied at the call
    std::span<const BufferUse>
        buffers{}; ///< all that the kernel reads or writes, those used by address too
    std::span<const std::byte> globals{}; ///< bytes of the GlobalBlock, copied at the call
    /// CUDA: the CUstream of somebody else in whose order it runs; 0: the device's own. It goes into that stream if it
    /// uses lent memory alone (Buffer::is_lent), else into the device's queue, and events order the two.
    std::uint64_t stream = 0;
};

} // namespace weft::device
