// SPDX-License-Identifier: Apache-2.0
// Acceleration structures that the driver makes, for kernels that trace rays with Slang's RayQuery. Only devices with
// DeviceFeatures::ray_query have them (Vulkan). Start reading at RayQueries.
#pragma once

#include "device/buffer.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace weft::device {

/// What drivers trace fast: triangles (bottom level), or instances of those (top level). Keeps its device alive; what
/// the device does with it ends first, whenever it is let go of.
class WEFT_API AccelerationStructure {
public:
    virtual ~AccelerationStructure() = default;
    AccelerationStructure(const AccelerationStructure&) = delete;
    AccelerationStructure& operator=(const AccelerationStructure&) = delete;

    /// By which instances and kernels name it: RaytracingAccelerationStructure(address). Never 0.
    std::uint64_t address() const noexcept { return m_address; }
    /// What it lies in. A kernel that traces rays against it names this memory as read.
    const std::shared_ptr<Buffer>& memory() const noexcept { return m_memory; }

protected:
    explicit AccelerationStructure(std::shared_ptr<Buffer> memory) : m_memory(std::move(memory)) {}
    std::shared_ptr<Buffer> m_memory;
    std::uint64_t m_address = 0;
};

using AccelerationStructureRef = std::shared_ptr<AccelerationStructure>;

/// A mesh in memory of RayQueries::create_input(), which is read by the build and may be dropped then.
struct TriangleInput {
    Buffer* positions = nullptr;      ///< three floats a vertex
    std::uint32_t vertex_count = 0;   ///< at least 1
    Buffer* triangles = nullptr;      ///< three indices a triangle, uint32, all below vertex_count
    std::uint32_t triangle_count = 0; ///< at least 1, at most max_triangles()
};

struct TriangleBuild {
    TriangleInput input{};
    /// False: made for tracing alone; compact() may take it. True: another build may begin from it.
    bool is_movable = false;
    /// Null, or a structure with is_movable that was made of the same triangles and as many vertices, which have moved:
    /// its tree is taken over, with other boxes.
    const AccelerationStructure* from = nullptr;
};

/// An instance as VkAccelerationStructureInstanceKHR lies in memory.
struct InstanceRecord {
    static constexpr std::uint32_t kVisibleToAll =
        0xFF000000U;                                      ///< the mask, above 24 bits of a number
    static constexpr std::uint32_t kTwoSided = 1U << 24U; ///< flags, above 24 bits of an offset
    static constexpr std::uint32_t kOpaque = 4U << 24U;

    std::array<float, 12> object_to_world{}; ///< row-major, 3x4
    std::uint32_t number_and_mask = kVisibleToAll;
    std::uint32_t offset_and_flags = kTwoSided | kOpaque;
    std::uint64_t structure = 0; ///< address of a bottom level; 0: nothing is hit
};
static_assert(sizeof(InstanceRecord) == 64);

/// Thread-safe, as its device is, which owns it. Builds are ordered with all other work of the device, and do not wait.
class WEFT_API RayQueries {
public:
    virtual ~RayQueries() = default;
    RayQueries(const RayQueries&) = delete;
    RayQueries& operator=(const RayQueries&) = delete;

    /// Most triangles of one structure, and most instances. At least 2^29 - 1 and 2^24 - 1.
    virtual std::uint64_t max_triangles() const noexcept = 0;
    virtual std::uint64_t max_instances() const noexcept = 0;

    /// Memory of the device that builds may read. @throws as Device::create_buffer().
    [[nodiscard]] virtual std::shared_ptr<Buffer> create_input(const BufferDesc& desc) = 0;
    /// One bottom level a build, all at once: scratch memory is taken for all of them.
    /// @throws ArgumentError for an input that is not as above; DeviceError if memory is short.
    [[nodiscard]] virtual std::vector<AccelerationStructureRef>
    build_triangles(std::span<const TriangleBuild> builds) = 0;
    /// Copies of structures in less memory; null where a copy would save less than a tenth. Waits for their builds.
    /// @param structures of build_triangles(), not movable, not compacted. @throws DeviceError if memory is short.
    [[nodiscard]] virtual std::vector<AccelerationStructureRef>
    compact(std::span<const AccelerationStructureRef> structures) = 0;
    /// A top level. @param records InstanceRecord each, in memory of create_input(); the structures that they name must
    /// live as long as rays are traced. @param count 0 is allowed: rays then hit nothing.
    /// @throws as build_triangles().
    [[nodiscard]] virtual AccelerationStructureRef build_instances(Buffer& records,
                                                                   std::uint32_t count) = 0;
    /// Most bytes of scratch memory that one call has taken so far.
    virtual std::uint64_t scratch_bytes() const noexcept = 0;

protected:
    RayQueries() = default;
    /// What build_triangles() and build_instances() promise to refuse.
    void require_build(const TriangleBuild& build) const;
    void require_instances(const Buffer& records, std::uint32_t count) const;
};

} // namespace weft::device
