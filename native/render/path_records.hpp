// SPDX-License-Identifier: Apache-2.0
// Memory for the records that paths leave, see shaders/weft/render/record.slang.
#pragma once

#include "render/kernel_argument.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace weft::render {

/// Stands for a program in launches of segments in media.
inline constexpr std::int64_t kMediaProgram = -1;

/// Records of one program at one bounce: neighbours.
struct RecordedLaunch {
    std::int64_t program = 0; ///< its number, or kMediaProgram
    std::int64_t bounce = 0;
    std::int64_t first = 0; ///< record
    std::int64_t count = 0;
};

/// Records of the paths of one draw, grouped by the launches that have left them. One thread at a time.
class PathRecords {
public:
    /// @param rows floats of a record, see RecordRow of record.slang.
    PathRecords(std::shared_ptr<device::Device> device, std::int64_t rows);

    [[nodiscard]] std::int64_t rows() const noexcept { return m_row_count; }
    /// Bytes of at least so many records, as reserve() makes room for them.
    [[nodiscard]] std::uint64_t bytes_of(std::int64_t records) const noexcept;

    /// Forgets the records of the draw before. Makes room for the heads of paths.
    /// @param paths capacity of the PathBuffers. @param guess records for which room is made if there is none.
    /// @throws DeviceError if memory is short.
    void begin(std::int64_t paths, std::int64_t guess);
    /// Makes room for `more` records behind those that there are, which stay. @throws DeviceError if memory is short.
    void reserve(std::int64_t more);
    /// Counts records that a launch leaves: `first` is where it begins, used().
    void add(std::int64_t program, std::int64_t bounce, std::int64_t count);
    /// Gives back all memory.
    void forget() noexcept;

    [[nodiscard]] std::int64_t used() const noexcept { return m_used; }
    [[nodiscard]] const std::vector<RecordedLaunch>& launches() const noexcept {
        return m_launches;
    }
    [[nodiscard]] bool has_memory() const noexcept { return m_rows != nullptr; }
    /// RecordView for launches that begin at a record. Only where there is memory.
    [[nodiscard]] const KernelArgument& view(std::int64_t first = 0);
    /// Words of a row (HeadRow) of the first `count` heads. Waits for the device.
    [[nodiscard]] std::vector<std::uint32_t> read_heads(std::uint32_t row,
                                                        std::int64_t count) const;

private:
    [[nodiscard]] tensor::TensorRef create(std::int64_t rows, std::int64_t columns) const;
    void grow(std::int64_t wanted);
    [[nodiscard]] std::int64_t capacity() const noexcept;

    std::shared_ptr<device::Device> m_device;
    std::int64_t m_row_count;
    tensor::TensorRef m_rows;
    tensor::TensorRef m_heads; ///< its own: buffers of paths serve several recorders
    KernelArgument m_view;
    std::vector<RecordedLaunch> m_launches;
    std::int64_t m_used = 0;
};

} // namespace weft::render
