// SPDX-License-Identifier: Apache-2.0
#include "device/null/null_ray_queries.hpp"

#include "core/error.hpp"

namespace weft::device {
namespace {

class NullStructure final : public AccelerationStructure {
public:
    explicit NullStructure(std::shared_ptr<Buffer> memory)
        : AccelerationStructure(std::move(memory)) {
        m_address = m_memory->address();
    }
};

} // namespace

std::shared_ptr<Buffer> NullRayQueries::create_input(const BufferDesc& desc) {
    return m_device.create_buffer(desc);
}

AccelerationStructureRef NullRayQueries::create(std::uint64_t size_bytes) {
    return std::make_shared<NullStructure>(
        m_device.create_buffer({.size_bytes = size_bytes, .label = "acceleration structures"}));
}

std::vector<AccelerationStructureRef>
NullRayQueries::build_triangles(std::span<const TriangleBuild> builds) {
    std::vector<AccelerationStructureRef> made;
    for (const TriangleBuild& build : builds) {
        require_build(build);
        made.push_back(create(kTriangleBytes * build.input.triangle_count));
        const std::lock_guard lock(m_mutex);
        m_log.builds.push_back(build);
    }
    return made;
}

std::vector<AccelerationStructureRef>
NullRayQueries::compact(std::span<const AccelerationStructureRef> structures) {
    std::vector<AccelerationStructureRef> copies;
    for (const AccelerationStructureRef& structure : structures) {
        copies.push_back(create(structure->memory()->size_bytes() / 2));
        const std::lock_guard lock(m_mutex);
        ++m_log.compacted;
    }
    return copies;
}

AccelerationStructureRef NullRayQueries::build_instances(Buffer& records, std::uint32_t count) {
    require_instances(records, count);
    std::vector<InstanceRecord> instances(count);
    m_device.download(records, 0, std::as_writable_bytes(std::span(instances)));
    AccelerationStructureRef made = create(kInstanceBytes * (std::uint64_t{count} + 1));
    const std::lock_guard lock(m_mutex);
    m_log.instances = std::move(instances);
    ++m_log.top_levels;
    return made;
}

NullRayQueries::Log NullRayQueries::log() const {
    const std::lock_guard lock(m_mutex);
    return m_log;
}

} // namespace weft::device
