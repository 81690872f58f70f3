// SPDX-License-Identifier: Apache-2.0
#include "tensor/host_format.hpp"

#include "tensor/dtype.hpp"

#include <algorithm>
#include <cstring>

namespace weft::tensor {

namespace {

using reflect::Type;
using reflect::TypeKind;

/// Walks an element type in both layouts at once.
class RunBuilder {
public:
    explicit RunBuilder(std::vector<ScalarRun>& runs) : m_runs(runs) {}

    void add(const Type& host, const Type& device, std::size_t host_at, std::size_t device_at) {
        switch (device.kind) {
        case TypeKind::vector: return repeat(host, device, device.columns, host_at, device_at);
        case TypeKind::matrix: return add_rows(host, device, host_at, device_at);
        case TypeKind::array: return repeat(host, device, device.count, host_at, device_at);
        case TypeKind::structure:
            for (std::size_t i = 0; i < device.fields.size(); ++i) {
                add(*host.fields[i].type, *device.fields[i].type, host_at + host.fields[i].offset,
                    device_at + device.fields[i].offset);
            }
            return;
        default: return add_scalar(host, device, host_at, device_at);
        }
    }

private:
    void repeat(const Type& host, const Type& device, std::int64_t count, std::size_t host_at,
                std::size_t device_at) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            add(*host.element, *device.element, host_at + i * host.element->layout.stride,
                device_at + i * device.element->layout.stride);
        }
    }

    void add_rows(const Type& host, const Type& device, std::size_t host_at,
                  std::size_t device_at) {
        const auto rows = static_cast<std::size_t>(device.rows);
        for (std::size_t row = 0; row < rows; ++row) {
            repeat(host, device, device.columns, host_at + row * (host.layout.size / rows),
                   device_at + row * (device.layout.size / rows));
        }
    }

    void add_scalar(const Type& host, const Type& device, std::size_t host_at,
                    std::size_t device_at) {
        const ScalarRun run{.size = host.layout.size,
                            .device_size = device.layout.size,
                            .count = 1,
                            .host_offset = host_at,
                            .device_offset = device_at,
                            .is_bool = device.scalar == reflect::ScalarKind::bool_ &&
                                       device.kind != TypeKind::pointer};
        if (m_runs.empty() || !continues(m_runs.back(), run)) {
            m_runs.push_back(run);
        } else {
            ++m_runs.back().count;
        }
    }

    static bool continues(const ScalarRun& a, const ScalarRun& b) noexcept {
        return a.size == b.size && a.device_size == b.device_size && a.is_bool == b.is_bool &&
               a.host_offset + a.count * a.size == b.host_offset &&
               a.device_offset + a.count * a.device_size == b.device_offset;
    }

    std::vector<ScalarRun>& m_runs;
};

bool has_same_place(const ScalarRun& run) noexcept {
    return run.host_offset == run.device_offset && run.size == run.device_size;
}

/// Normalises to 0 or 1, which is what kernels and numpy both rely on.
void copy_bools(const std::byte* source, std::size_t source_size, std::byte* target,
                std::size_t target_size, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const begin = source + i * source_size;
        const bool value =
            std::any_of(begin, begin + source_size, [](std::byte b) { return b != std::byte{0}; });
        std::memset(target + i * target_size, 0, target_size);
        target[i * target_size] = std::byte{value};
    }
}

} // namespace

HostFormat::HostFormat(const reflect::TypeRef& dtype)
    : m_host_type(with_rules(dtype, reflect::LayoutRules::host)),
      m_device_stride(dtype->layout.stride) {
    RunBuilder(m_runs).add(*m_host_type, *dtype, 0, 0);
    m_is_identity = host_stride() == m_device_stride &&
                    std::all_of(m_runs.begin(), m_runs.end(), has_same_place);
}

void HostFormat::to_device(std::span<const std::byte> host, std::span<std::byte> device) const {
    if (m_is_identity) {
        std::copy(host.begin(), host.end(), device.begin());
        return;
    }
    std::fill(device.begin(), device.end(), std::byte{0});
    const std::size_t count = host.size() / host_stride();
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const from = host.data() + i * host_stride();
        std::byte* const to = device.data() + i * m_device_stride;
        for (const ScalarRun& run : m_runs) {
            if (run.is_bool) {
                copy_bools(from + run.host_offset, run.size, to + run.device_offset,
                           run.device_size, run.count);
            } else {
                std::memcpy(to + run.device_offset, from + run.host_offset, run.count * run.size);
            }
        }
    }
}

void HostFormat::to_host(std::span<const std::byte> device, std::span<std::byte> host) const {
    if (m_is_identity) {
        std::copy(device.begin(), device.end(), host.begin());
        return;
    }
    const std::size_t count = device.size() / m_device_stride;
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const from = device.data() + i * m_device_stride;
        std::byte* const to = host.data() + i * host_stride();
        for (const ScalarRun& run : m_runs) {
            if (run.is_bool) {
                copy_bools(from + run.device_offset, run.device_size, to + run.host_offset,
                           run.size, run.count);
            } else {
                std::memcpy(to + run.host_offset, from + run.device_offset, run.count * run.size);
            }
        }
    }
}

} // namespace weft::tensor
