// SPDX-License-Identifier: Apache-2.0
// The functions of shaders/weft/fit and the memory that they work on. For the sources of this layer.
#pragma once

#include "dispatch/reduce.hpp"
#include "render/kernel_launcher.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::fit {

/// Files of shaders/weft/fit.
enum class FitModule : std::uint8_t { images, texels, quantile, residuals };

/// How many partial sums a reduction of so many elements has.
[[nodiscard]] std::int64_t parts_of(std::int64_t count) noexcept;

/// Some of the elements of a flat tensor, which share its memory.
[[nodiscard]] tensor::TensorRef slice(const tensor::TensorRef& values, std::int64_t first,
                                      std::int64_t count);

/// Calls of those functions. Modules are loaded when they are first needed, and so are kernels compiled. Tensors are
/// contiguous float32 where nothing else is said. Calls return before the device has run; download() waits. One thread at a
/// time.
class FitKernels {
public:
    explicit FitKernels(dispatch::Context context);

    [[nodiscard]] const std::shared_ptr<device::Device>& device() const noexcept {
        return m_launcher.context().device;
    }
    /// Not filled.
    [[nodiscard]] tensor::TensorRef
    create(std::vector<std::int64_t> shape,
           reflect::ScalarKind kind = reflect::ScalarKind::float32) const;
    [[nodiscard]] tensor::TensorRef
    zeros(std::vector<std::int64_t> shape,
          reflect::ScalarKind kind = reflect::ScalarKind::float32) const;
    [[nodiscard]] tensor::TensorRef upload(std::span<const float> values) const;
    void copy(const tensor::TensorRef& target, const tensor::TensorRef& source);
    [[nodiscard]] tensor::TensorRef copy_of(const tensor::TensorRef& values);
    /// @throws core::Interrupted if the context's poll does.
    [[nodiscard]] std::vector<float> download(const tensor::Tensor& values) const;
    /// Sums over the first axis of partial sums; their order is fixed.
    [[nodiscard]] tensor::TensorRef sum_of_parts(const tensor::TensorRef& parts);
    /// Dot products of rows with a vector. @param rows flat, as many times the vector's size as there are rows.
    [[nodiscard]] tensor::TensorRef dots(const tensor::TensorRef& rows,
                                         const tensor::TensorRef& vector);

    /// Calls a function once for each of 0 ... lanes - 1, which is its first parameter.
    template <typename... Values>
    void lanes(FitModule module, std::string_view function, std::int64_t lanes,
               const Values&... values) {
        with_arguments(
            [&](render::KernelLauncher::Arguments arguments) {
                m_launcher.launch(load(module), function, lanes, arguments);
            },
            values...);
    }
    /// Calls a function once for each element of its tensors.
    template <typename... Values>
    void each(FitModule module, std::string_view function, const Values&... values) {
        with_arguments(
            [&](render::KernelLauncher::Arguments arguments) {
                m_launcher.call(load(module), function, arguments, nullptr);
            },
            values...);
    }
    /// Calls a function whose threads are its own.
    template <typename... Values>
    void threads(FitModule module, std::string_view function,
                 const std::array<std::int64_t, 3>& threads, const Values&... values) {
        with_arguments(
            [&](render::KernelLauncher::Arguments arguments) {
                m_launcher.dispatch(load(module), function, threads, arguments);
            },
            values...);
    }

private:
    [[nodiscard]] static render::KernelArgument argument_of(const tensor::TensorRef& value) {
        return render::KernelArgument::tensor(value);
    }
    [[nodiscard]] static render::KernelArgument argument_of(double value) {
        return render::KernelArgument::real(value);
    }
    template <std::integral Integer>
    [[nodiscard]] static render::KernelArgument argument_of(Integer value) {
        return render::KernelArgument::number(static_cast<std::int64_t>(value));
    }
    [[nodiscard]] static render::KernelArgument argument_of(const std::array<double, 3>& values) {
        return render::KernelArgument::reals(values);
    }

    template <typename Call, typename... Values>
    static void with_arguments(const Call& call, const Values&... values) {
        const std::array<render::KernelArgument, sizeof...(Values)> own{argument_of(values)...};
        [&]<std::size_t... number>(std::index_sequence<number...>) {
            call({&own[number]...});
        }(std::index_sequence_for<Values...>());
    }

    [[nodiscard]] render::StageModule& load(FitModule module);

    std::array<render::StageModuleRef, 4> m_loaded;
    render::KernelLauncher m_launcher;
    std::shared_ptr<dispatch::Copier> m_copier;
    dispatch::Reducer m_reducer;
};

} // namespace weft::fit
