// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"
#include "device/ray_queries.hpp"

#include <mutex>

namespace weft::device {

/// Checks builds as a real device does, gives structures memory and addresses, and keeps what they were made of: for
/// tests of the host's side of tracing.
class NullRayQueries final : public RayQueries {
public:
    /// Bytes of a structure, a triangle or an instance. Compacting halves those of triangles.
    static constexpr std::uint64_t kTriangleBytes = 64;
    static constexpr std::uint64_t kInstanceBytes = 128;
    static constexpr std::uint64_t kMaxTriangles = (std::uint64_t{1} << 29U) - 1;
    static constexpr std::uint64_t kMaxInstances = (std::uint64_t{1} << 24U) - 1;

    /// What was asked for, in order.
    struct Log {
        std::vector<TriangleBuild> builds{};     ///< whose pointers may have died since
        std::uint64_t compacted = 0;             ///< structures
        std::vector<InstanceRecord> instances{}; ///< of the last top level
        std::uint64_t top_levels = 0;
    };

    /// @param device outlives it. @param most_triangles, most_instances that it says it takes.
    explicit NullRayQueries(Device& device, std::uint64_t most_triangles = kMaxTriangles,
                            std::uint64_t most_instances = kMaxInstances)
        : m_device(device), m_most_triangles(most_triangles), m_most_instances(most_instances) {}

    std::uint64_t max_triangles() const noexcept override { return m_most_triangles; }
    std::uint64_t max_instances() const noexcept override { return m_most_instances; }
    std::shared_ptr<Buffer> create_input(const BufferDesc& desc) override;
    std::vector<AccelerationStructureRef>
    build_triangles(std::span<const TriangleBuild> builds) override;
    std::vector<AccelerationStructureRef>
    compact(std::span<const AccelerationStructureRef> structures) override;
    AccelerationStructureRef build_instances(Buffer& records, std::uint32_t count) override;
    std::uint64_t scratch_bytes() const noexcept override { return 0; }

    Log log() const;

private:
    AccelerationStructureRef create(std::uint64_t size_bytes);

    Device& m_device;
    const std::uint64_t m_most_triangles;
    const std::uint64_t m_most_instances;
    mutable std::mutex m_mutex; ///< of m_log
    Log m_log;
};

} // namespace weft::device
