// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/copier.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::dispatch {

struct ReduceArguments;

enum class Reduction : std::uint8_t { sum, mean, minimum, maximum, norm, dot, any, all, all_close };

/// As users call it: "sum", "min", "all_close".
[[nodiscard]] const char* to_string(Reduction operation) noexcept;

struct ReduceRequest {
    Reduction operation = Reduction::sum;
    tensor::TensorRef x;
    tensor::TensorRef y{};            ///< dot, all_close: same shape as x
    std::vector<std::int64_t> axes{}; ///< reduced axes, negative ones from the end
    bool all_axes = true;             ///< reduce everything; `axes` is then ignored
    bool keep_dimensions = false;     ///< reduced axes stay with extent 1
    float relative_tolerance = 1e-5F; ///< all_close
    float absolute_tolerance = 1e-8F; ///< all_close
};

/// Reductions over tensors of scalars (vectors count as one more axis). Deterministic: the order of combination
/// depends on sizes and strides alone, so two runs on one device agree bit for bit. Thread-safe.
class Reducer {
public:
    Reducer(Context context, std::shared_ptr<Copier> copier)
        : m_context(std::move(context)), m_copier(std::move(copier)) {}

    /// Element types of the result: sums and dots of half and float are float, of double double, of integers
    /// 64-bit; minimum and maximum keep the type; mean and norm are float or double; any, all, all_close are uint.
    /// @throws ArgumentError for structures, axes out of range or given twice, unequal shapes or types of x and y,
    ///         and the minimum or maximum of nothing.
    [[nodiscard]] tensor::TensorRef reduce(const ReduceRequest& request);

private:
    [[nodiscard]] Module& module();
    [[nodiscard]] CompiledKernelRef kernel(const std::string& call, const std::string& arguments,
                                           std::uint32_t bytes);
    void launch(const CompiledKernelRef& kernel, std::span<const std::byte> arguments,
                std::uint64_t groups, std::span<const device::BufferUse> buffers);
    /// One launch over the rows of `arguments`; sets the addresses there.
    void run(const std::string& reduction, ReduceArguments& arguments, const tensor::Tensor& x,
             const tensor::Tensor& y, const tensor::Tensor& to);
    [[nodiscard]] tensor::TensorRef finish(const ReduceRequest& request,
                                           const tensor::TensorRef& wide, std::int64_t count);

    Context m_context;
    std::shared_ptr<Copier> m_copier;
    std::mutex m_mutex;
    std::shared_ptr<Module> m_module; ///< made by the first reduction
};

} // namespace weft::dispatch
