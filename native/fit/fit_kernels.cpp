// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_kernels.hpp"

#include "core/file.hpp"
#include "tensor/transfer.hpp"
#include "tensor/view.hpp"

#include <algorithm>
#include <string>

namespace weft::fit {

namespace {

/// In the order of FitModule.
constexpr std::array<std::string_view, 4> kNames{"images", "texels", "quantile", "residuals"};
constexpr std::int64_t kElementsOfPart = 16;
constexpr std::int64_t kMostParts = std::int64_t{1} << 14U; ///< threads of a reduction

} // namespace

std::int64_t parts_of(std::int64_t count) noexcept {
    return std::clamp((count + kElementsOfPart - 1) / kElementsOfPart, std::int64_t{1}, kMostParts);
}

tensor::TensorRef slice(const tensor::TensorRef& values, std::int64_t first, std::int64_t count) {
    return tensor::view(values, {count}, {}, first);
}

FitKernels::FitKernels(dispatch::Context context)
    : m_launcher(std::move(context)),
      m_copier(std::make_shared<dispatch::Copier>(m_launcher.context())),
      m_reducer(m_launcher.context(), m_copier) {}

render::StageModule& FitKernels::load(FitModule module) {
    const auto number = static_cast<std::size_t>(module);
    render::StageModuleRef& found = m_loaded.at(number);
    if (!found) {
        // The file and no text that imports it: reflection reads there what threads are to a parameter.
        const dispatch::Context& context = m_launcher.context();
        compile::ModuleDesc desc;
        desc.name = kNames.at(number);
        desc.path = core::utf8_path(context.compiler->shader_directory() / "weft" / "fit" /
                                    (desc.name + ".slang"));
        desc.target = context.device->target();
        found = std::make_shared<render::StageModule>(
            dispatch::Module::create(context, std::move(desc), {.links = {}, .hot_reload = false}));
    }
    return *found;
}

tensor::TensorRef FitKernels::create(std::vector<std::int64_t> shape,
                                     reflect::ScalarKind kind) const {
    return tensor::Tensor::create(
        device(), {.dtype = reflect::scalar_type(kind), .shape = std::move(shape)}, "fit");
}

tensor::TensorRef FitKernels::zeros(std::vector<std::int64_t> shape,
                                    reflect::ScalarKind kind) const {
    tensor::TensorRef made = create(std::move(shape), kind);
    tensor::clear(*made);
    return made;
}

tensor::TensorRef FitKernels::upload(std::span<const float> values) const {
    tensor::TensorRef made = create({std::ssize(values)});
    tensor::upload(*made, std::as_bytes(values));
    return made;
}

void FitKernels::copy(const tensor::TensorRef& target, const tensor::TensorRef& source) {
    m_copier->copy(*target, *source, m_launcher.context().poll);
}

tensor::TensorRef FitKernels::copy_of(const tensor::TensorRef& values) {
    tensor::TensorRef made = create({values->element_count()});
    copy(made, values);
    return made;
}

std::vector<float> FitKernels::download(const tensor::Tensor& values) const {
    std::vector<float> out(static_cast<std::size_t>(values.element_count()));
    tensor::download(values, std::as_writable_bytes(std::span(out)), m_launcher.context().poll);
    return out;
}

tensor::TensorRef FitKernels::sum_of_parts(const tensor::TensorRef& parts) {
    return m_reducer.reduce(
        {.operation = dispatch::Reduction::sum, .x = parts, .axes = {0}, .all_axes = false});
}

tensor::TensorRef FitKernels::dots(const tensor::TensorRef& rows, const tensor::TensorRef& vector) {
    const std::int64_t size = vector->element_count();
    const std::int64_t count = rows->element_count() / size;
    return m_reducer.reduce({.operation = dispatch::Reduction::dot,
                             .x = tensor::view(rows, {count, size}, {}, 0),
                             .y = tensor::view(vector, {count, size}, {0, 1}, 0),
                             .axes = {1},
                             .all_axes = false});
}

} // namespace weft::fit
