// SPDX-License-Identifier: Apache-2.0
// Walking several strided arrays of one shape together, row by row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::tensor {

/// One shape and the strides of N arrays; units are the caller's. Axes that all arrays can walk with one
/// stride are merged, so that rows are as long as possible.
template <std::size_t N>
class StridedWalk {
public:
    using Offsets = std::array<std::int64_t, N>;

    StridedWalk(std::span<const std::int64_t> shape,
                const std::array<std::span<const std::int64_t>, N>& strides) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            m_is_empty = m_is_empty || shape[axis] == 0;
            if (shape[axis] != 1) {
                Offsets axis_strides{};
                for (std::size_t i = 0; i < N; ++i) {
                    axis_strides[i] = strides[i][axis];
                }
                append(shape[axis], axis_strides);
            }
        }
    }

    /// Calls row(offsets, count, strides) in row-major order; an array of no dimensions is one row of one.
    template <typename Row>
    void for_each_row(Row&& row) const {
        if (m_is_empty) {
            return;
        }
        if (m_axes.empty()) {
            row(Offsets{}, std::int64_t{1}, Offsets{});
            return;
        }
        Offsets offsets{};
        std::vector<std::int64_t> index(m_axes.size() - 1, 0);
        do {
            row(offsets, m_axes.back().extent, m_axes.back().strides);
        } while (advance(index, offsets));
    }

private:
    struct Axis {
        std::int64_t extent;
        Offsets strides;
    };

    void append(std::int64_t extent, const Offsets& strides) {
        bool can_merge = !m_axes.empty();
        for (std::size_t i = 0; i < N && can_merge; ++i) {
            can_merge = m_axes.back().strides[i] == strides[i] * extent;
        }
        if (can_merge) {
            m_axes.back() = {m_axes.back().extent * extent, strides};
        } else {
            m_axes.push_back({extent, strides});
        }
    }

    /// Counts `index` up; false after the last row.
    bool advance(std::vector<std::int64_t>& index, Offsets& offsets) const {
        for (std::size_t axis = index.size(); axis-- > 0;) {
            const Axis& current = m_axes[axis];
            const bool wraps = ++index[axis] == current.extent;
            const std::int64_t steps = wraps ? 1 - current.extent : 1;
            for (std::size_t i = 0; i < N; ++i) {
                offsets[i] += steps * current.strides[i];
            }
            if (!wraps) {
                return true;
            }
            index[axis] = 0;
        }
        return false;
    }

    std::vector<Axis> m_axes;
    bool m_is_empty = false;
};

} // namespace weft::tensor
