// SPDX-License-Identifier: Apache-2.0
#include "fit/row_kernels.hpp"

#include <array>

// Each loop is written once and compiled twice where compilers let a function have another instruction set than its
// file: other processors, and MSVC, take what the file is compiled for.
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define WEFT_FIT_AVX2 __attribute__((target("avx2,fma")))
#endif
#if defined(__GNUC__) || defined(__clang__)
#define WEFT_FIT_INLINE inline __attribute__((always_inline))
#define WEFT_FIT_VECTOR
#else
#define WEFT_FIT_INLINE inline
#endif

#if defined(__clang__)
#define WEFT_FIT_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define WEFT_FIT_UNROLL _Pragma("GCC unroll 4")
#else
#define WEFT_FIT_UNROLL
#endif

namespace weft::fit {

namespace {

constexpr std::size_t kTileRows = 4;
constexpr std::size_t kTileColumns = 2 * kLanes;

#if defined(WEFT_FIT_VECTOR)
/// Stays in a register, or in two where registers hold half as much.
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
/// The same in memory: of no alignment, and an alias of floats.
using LooseLanes =
    float __attribute__((vector_size(kLanes * sizeof(float)), aligned(4), may_alias));
#else
struct Lanes {
    float& operator[](std::size_t lane) noexcept { return values[lane]; }
    float operator[](std::size_t lane) const noexcept { return values[lane]; }
    Lanes& operator+=(const Lanes& other) noexcept {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            values[lane] += other[lane];
        }
        return *this;
    }
    friend Lanes operator*(float factor, const Lanes& lanes) noexcept {
        Lanes out;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            out[lane] = factor * lanes[lane];
        }
        return out;
    }

    std::array<float, kLanes> values{};
};
using LooseLanes = Lanes;
#endif

using LaneSums = std::array<float, kLanes>;

/// One tile of a' b, kept in registers while all rows go by.
template <std::size_t vectors>
WEFT_FIT_INLINE void add_tile(const float* a, const float* b, std::size_t rows, std::size_t width,
                              double* out) {
    Lanes sums[kTileRows][vectors] = {};
    for (std::size_t row = 0; row < rows; ++row) {
        const auto* columns = reinterpret_cast<const LooseLanes*>(b + row * width);
        WEFT_FIT_UNROLL
        for (std::size_t i = 0; i < kTileRows; ++i) {
            WEFT_FIT_UNROLL
            for (std::size_t j = 0; j < vectors; ++j) {
                sums[i][j] += a[row * width + i] * columns[j];
            }
        }
    }
    for (std::size_t i = 0; i < kTileRows; ++i) {
        for (std::size_t j = 0; j < vectors; ++j) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                out[i * width + j * kLanes + lane] += static_cast<double>(sums[i][j][lane]);
            }
        }
    }
}

WEFT_FIT_INLINE void add_products(const float* a, const float* b, std::size_t rows,
                                  std::size_t width, double* out) {
    for (std::size_t i = 0; i < width; i += kTileRows) {
        std::size_t j = 0;
        for (; j + kTileColumns <= width; j += kTileColumns) {
            add_tile<2>(a + i, b + j, rows, width, out + i * width + j);
        }
        if (j < width) {
            add_tile<1>(a + i, b + j, rows, width, out + i * width + j);
        }
    }
}

template <std::size_t vectors, std::size_t tile_rows>
WEFT_FIT_INLINE void transform_tile(const float* rows_in, std::size_t width, const float* matrix,
                                    std::size_t out_width, float* out) {
    Lanes sums[tile_rows][vectors] = {};
    for (std::size_t k = 0; k < width; ++k) {
        const auto* columns = reinterpret_cast<const LooseLanes*>(matrix + k * out_width);
        WEFT_FIT_UNROLL
        for (std::size_t i = 0; i < tile_rows; ++i) {
            WEFT_FIT_UNROLL
            for (std::size_t j = 0; j < vectors; ++j) {
                sums[i][j] += rows_in[i * width + k] * columns[j];
            }
        }
    }
    for (std::size_t i = 0; i < tile_rows; ++i) {
        auto* target = reinterpret_cast<LooseLanes*>(out + i * out_width);
        WEFT_FIT_UNROLL
        for (std::size_t j = 0; j < vectors; ++j) {
            target[j] = sums[i][j];
        }
    }
}

template <std::size_t tile_rows>
WEFT_FIT_INLINE void transform_rows(const float* rows_in, std::size_t width, const float* matrix,
                                    std::size_t out_width, float* out) {
    std::size_t j = 0;
    for (; j + kTileColumns <= out_width; j += kTileColumns) {
        transform_tile<2, tile_rows>(rows_in, width, matrix + j, out_width, out + j);
    }
    if (j < out_width) {
        transform_tile<1, tile_rows>(rows_in, width, matrix + j, out_width, out + j);
    }
}

WEFT_FIT_INLINE void transform(const float* rows_in, std::size_t rows, std::size_t width,
                               const float* matrix, std::size_t out_width, float* out) {
    std::size_t row = 0;
    for (; row + kTileRows <= rows; row += kTileRows) {
        transform_rows<kTileRows>(rows_in + row * width, width, matrix, out_width,
                                  out + row * out_width);
    }
    for (; row < rows; ++row) {
        transform_rows<1>(rows_in + row * width, width, matrix, out_width, out + row * out_width);
    }
}

/// The sums of one cluster in kLanes columns.
WEFT_FIT_INLINE void add_cluster(const RowBlock& block, std::size_t first, std::size_t column,
                                 float* apart, LaneSums& gradient, LaneSums& spread,
                                 LaneSums& variance) {
    LaneSums differences{};
    LaneSums products{};
    LaneSums squares{};
    for (std::size_t row = first; row < first + block.cluster_size; ++row) {
        const float* a = block.jacobian_a + row * block.width + column;
        const float* b = block.jacobian_b + row * block.width + column;
        for (std::size_t j = 0; j < kLanes; ++j) {
            const float of_a = a[j] * block.residual_b[row];
            const float of_b = b[j] * block.residual_a[row];
            gradient[j] += of_a + of_b;
            differences[j] += of_a - of_b;
            products[j] += a[j] * b[j];
            squares[j] += (a[j] - b[j]) * (a[j] - b[j]);
            spread[j] += a[j] * a[j] + b[j] * b[j];
        }
    }
    for (std::size_t j = 0; j < kLanes; ++j) {
        apart[j] = differences[j] / 2;
        const float mean_square = products[j] > 0 ? products[j] : 0;
        variance[j] += squares[j] * (mean_square + squares[j] / 4);
    }
}

WEFT_FIT_INLINE void add_cluster_sums(const RowBlock& block, const ClusterSums& sums) {
    for (std::size_t column = 0; column < block.width; column += kLanes) {
        LaneSums gradient{};
        LaneSums spread{};
        LaneSums variance{};
        float* apart = sums.apart + column;
        for (std::size_t row = 0; row < block.rows; row += block.cluster_size) {
            add_cluster(block, row, column, apart, gradient, spread, variance);
            apart += block.width;
        }
        for (std::size_t j = 0; j < kLanes; ++j) {
            sums.gradient[column + j] += gradient[j];
            sums.spread[column + j] += spread[j];
            sums.variance[column + j] += variance[j];
        }
    }
}

WEFT_FIT_INLINE void dot_products(const float* a, const float* b, std::size_t count,
                                  std::size_t width, float* out) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            LaneSums sums{};
            for (std::size_t k = 0; k < width; k += kLanes) {
                for (std::size_t lane = 0; lane < kLanes; ++lane) {
                    sums[lane] += a[i * width + k + lane] * b[j * width + k + lane];
                }
            }
            out[i * count + j] = ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
                                 ((sums[2] + sums[6]) + (sums[3] + sums[7]));
        }
    }
}

WEFT_FIT_INLINE void add_scaled_sum(const float* a, const float* b, float factor, std::size_t width,
                                    float* out) {
    for (std::size_t i = 0; i < width; ++i) {
        out[i] += factor * (a[i] + b[i]);
    }
}

WEFT_FIT_INLINE void add_step(const float* jacobian, const float* step, std::size_t rows,
                              std::size_t columns, float* residual) {
    const std::size_t whole = columns / kLanes * kLanes;
    for (std::size_t row = 0; row < rows; ++row) {
        const float* own = jacobian + row * columns;
        LaneSums sums{};
        for (std::size_t k = 0; k < whole; k += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                sums[lane] += own[k + lane] * step[k + lane];
            }
        }
        float rest = 0;
        for (std::size_t k = whole; k < columns; ++k) {
            rest += own[k] * step[k];
        }
        residual[row] += rest + (((sums[0] + sums[4]) + (sums[1] + sums[5])) +
                                 ((sums[2] + sums[6]) + (sums[3] + sums[7])));
    }
}

WEFT_FIT_INLINE float sum(const float* values, std::size_t count) {
    LaneSums sums{};
    const std::size_t whole = count / kLanes * kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += values[i + lane];
        }
    }
    float out = 0;
    for (std::size_t i = whole; i < count; ++i) {
        out += values[i];
    }
    for (const float lane : sums) {
        out += lane;
    }
    return out;
}

WEFT_FIT_INLINE void add_to_mean(const float* values, std::size_t count, float fraction,
                                 float* mean) {
    for (std::size_t i = 0; i < count; ++i) {
        mean[i] += fraction * (values[i] - mean[i]);
    }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the macro's arguments are declarations.
#define WEFT_FIT_KERNELS(suffix, target)                                                           \
    target void add_products_##suffix(const float* a, const float* b, std::size_t rows,            \
                                      std::size_t width, double* out) {                            \
        add_products(a, b, rows, width, out);                                                      \
    }                                                                                              \
    target void transform_##suffix(const float* rows_in, std::size_t rows, std::size_t width,      \
                                   const float* matrix, std::size_t out_width, float* out) {       \
        transform(rows_in, rows, width, matrix, out_width, out);                                   \
    }                                                                                              \
    target void add_cluster_sums_##suffix(const RowBlock& block, const ClusterSums& sums) {        \
        add_cluster_sums(block, sums);                                                             \
    }                                                                                              \
    target void dot_products_##suffix(const float* a, const float* b, std::size_t count,           \
                                      std::size_t width, float* out) {                             \
        dot_products(a, b, count, width, out);                                                     \
    }                                                                                              \
    target void add_scaled_sum_##suffix(const float* a, const float* b, float factor,              \
                                        std::size_t width, float* out) {                           \
        add_scaled_sum(a, b, factor, width, out);                                                  \
    }                                                                                              \
    target void add_step_##suffix(const float* jacobian, const float* step, std::size_t rows,      \
                                  std::size_t columns, float* residual) {                          \
        add_step(jacobian, step, rows, columns, residual);                                         \
    }                                                                                              \
    target float sum_##suffix(const float* values, std::size_t count) {                            \
        return sum(values, count);                                                                 \
    }                                                                                              \
    target void add_to_mean_##suffix(const float* values, std::size_t count, float fraction,       \
                                     float* mean) {                                                \
        add_to_mean(values, count, fraction, mean);                                                \
    }                                                                                              \
    constexpr RowKernels kKernels_##suffix{                                                        \
        add_products_##suffix, transform_##suffix,      add_cluster_sums_##suffix,                 \
        dot_products_##suffix, add_scaled_sum_##suffix, add_step_##suffix,                         \
        sum_##suffix,          add_to_mean_##suffix};
// NOLINTEND(bugprone-macro-parentheses)

WEFT_FIT_KERNELS(plain, )
#if defined(WEFT_FIT_AVX2)
WEFT_FIT_KERNELS(avx2, WEFT_FIT_AVX2)
#endif

} // namespace

const RowKernels& row_kernels() noexcept {
#if defined(WEFT_FIT_AVX2)
    static const bool has_avx2 =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    return has_avx2 ? kKernels_avx2 : kKernels_plain;
#else
    return kKernels_plain;
#endif
}

} // namespace weft::fit
