// SPDX-License-Identifier: Apache-2.0
// Recorded paths shaded again, forwards and backwards.
#include "core/error.hpp"
#include "core/text.hpp"
#include "render/recorder.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <ranges>

namespace weft::render {

using core::ArgumentError;
using core::text;

namespace {

/// @throws ArgumentError unless a tensor has at least so many contiguous floats.
void require_floats(const char* function, const char* name, const tensor::TensorRef& given,
                    std::int64_t count) {
    const bool has_form = given && given->is_contiguous() &&
                          given->dtype()->kind == reflect::TypeKind::scalar &&
                          given->dtype()->scalar == reflect::ScalarKind::float32;
    if (!has_form || given->element_count() < count) {
        throw ArgumentError(text("Recorder.", function, ": ", name, " must have ", count,
                                 " contiguous elements of float or more, got ",
                                 !given     ? text("null")
                                 : has_form ? text(given->element_count())
                                            : text("another kind of tensor")));
    }
}

} // namespace

void Recorder::require_draw(const char* function, bool with_paths) const {
    if (!m_records.has_memory() || (with_paths && !m_buffers)) {
        throw ArgumentError(text("Recorder.", function,
                                 ": there is no draw, or its memory was given back; draw() first"));
    }
}

KernelArgument Recorder::scene_with(const tensor::TensorRef& values,
                                    const tensor::TensorRef& texels) const {
    KernelArgument view = m_scene;
    view.set_tensor("materials.parameters.values", values);
    view.set_tensor("materials.parameters.tangents", values);
    view.set_tensor("materials.parameters.gradients", values);
    if (texels) {
        view.set_tensor("textures.texels", texels);
    }
    return view;
}

void Recorder::replay(const ReplayDesc& desc) {
    require_draw("replay", false);
    require_floats("replay", "values", desc.values, m_desc.tables->values()->element_count());
    KernelArgument view = scene_with(desc.values, desc.texels);
    if (desc.with_tangents) {
        view.set_tensor("materials.parameters.tangents", m_desc.directions->seeds());
    }
    if (m_media) {
        m_media->evaluate(view);
        if (desc.with_tangents) {
            m_media->differentiate(view);
        }
    }
    const auto& modules = m_film->scene().modules;
    const auto sorting = modules->sorting(modules);
    for (const RecordedLaunch& launch : m_records.launches() | std::views::reverse) {
        const KernelArgument& records = m_records.view(launch.first);
        if (launch.program == kMediaProgram) {
            m_media->replay(view, records, launch.count, desc.with_tangents);
            continue;
        }
        StageModule& module = *sorting->recording(static_cast<std::size_t>(launch.program));
        if (desc.with_tangents) {
            m_launcher.launch(module, "programTangents", launch.count,
                              {&view, &records, &m_desc.directions->view()});
        } else {
            m_launcher.launch(module, "programReplay", launch.count, {&view, &records});
        }
    }
}

void Recorder::add_gradients(const GradientDesc& desc) {
    require_draw("gradients", true);
    if (m_media) {
        throw ArgumentError("Recorder.gradients: numbers of media have derivatives in forward mode "
                            "only; replay with tangents instead");
    }
    const std::int64_t samples = m_step.integer("samples");
    const std::int64_t period = std::min(samples, m_step.integer("period"));
    const std::int64_t values = m_desc.tables->values()->element_count();
    require_floats("gradients", "values", desc.values, values);
    require_floats("gradients", "gradients", desc.gradients, values);
    require_floats("gradients", "pixel_gradients", desc.pixel_gradients,
                   scene::kColorChannels * m_pixels * ((samples + period - 1) / period));
    KernelArgument view = scene_with(desc.values, desc.texels);
    view.set_tensor("materials.parameters.gradients", desc.gradients);
    if (desc.texel_gradients) {
        view.set_tensor("textures.gradients", desc.texel_gradients);
        view.set_integer("textures.hasGradients", 1);
    }
    const KernelArgument pixel_gradients = KernelArgument::tensor(desc.pixel_gradients);
    const KernelArgument pixels = KernelArgument::number(m_pixels);
    const KernelArgument weight = KernelArgument::real(1.0 / static_cast<double>(period));
    m_launcher.launch(
        *m_shared, "seed", m_paths,
        {&m_buffers->view(0), &m_records.view(), &m_step, &pixel_gradients, &pixels, &weight});
    const auto& modules = m_film->scene().modules;
    const auto sorting = modules->sorting(modules);
    for (const RecordedLaunch& launch : m_records.launches()) {
        m_launcher.launch(*sorting->recording(static_cast<std::size_t>(launch.program)),
                          "programGradients", launch.count, {&view, &m_records.view(launch.first)});
    }
}

void Recorder::resolve(std::int64_t first, std::int64_t count, const tensor::TensorRef& film,
                       std::int64_t directions) {
    require_draw("resolve", true);
    const std::int64_t samples = m_step.integer("samples");
    if (first < 0 || count < 1 || first + count > samples) {
        throw ArgumentError(text("Recorder.resolve: samples ", first, " to ", first + count,
                                 " were asked for, the draw has ", samples));
    }
    const auto all = static_cast<std::int64_t>(m_desc.directions->count());
    if (directions != 0 && directions != all) {
        throw ArgumentError(text("Recorder.resolve: directions must be 0 or ", all,
                                 ", those of the recorder, got ", directions));
    }
    require_floats("resolve", "film", film, scene::kColorChannels * m_pixels * (1 + directions));
    const KernelArgument target = KernelArgument::tensor(film);
    const KernelArgument begin = KernelArgument::number(first);
    const KernelArgument length = KernelArgument::number(count);
    const KernelArgument tangents = KernelArgument::number(directions);
    const KernelArgument pixels = KernelArgument::number(m_pixels);
    m_launcher.launch(*m_shared, "resolveSamples", m_pixels,
                      {&m_scene, &m_buffers->view(0), &m_records.view(), &m_step, &begin, &length,
                       &tangents, &m_desc.directions->view(), &pixels, &target});
}

std::vector<float> Recorder::resolve_to_host(std::int64_t first, std::int64_t count,
                                             bool with_tangents) {
    const auto directions =
        static_cast<std::int64_t>(with_tangents ? m_desc.directions->count() : 0);
    const std::int64_t floats = scene::kColorChannels * m_pixels * (1 + directions);
    const tensor::TensorRef film = tensor::Tensor::create(
        m_launcher.context().device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::float32), .shape = {floats}});
    resolve(first, count, film, directions);
    std::vector<float> means(static_cast<std::size_t>(floats));
    tensor::download(*film, std::as_writable_bytes(std::span(means)), m_launcher.context().poll);
    return means;
}

std::vector<float> Recorder::direct_fraction() const {
    require_draw("direct_fraction", false);
    // Without bounces, what lies before a surface is transparent.
    const bool is_whole = m_step.integer("bounces") == 0;
    std::int64_t direct = 0;
    for (const RecordedLaunch& launch : m_records.launches()) {
        direct += is_whole || launch.bounce == 0 ? launch.count : 0;
    }
    const std::vector<std::uint32_t> next =
        m_records.read_heads(scene::layouts::HeadRow::kNext, m_paths);
    const std::size_t samples = next.size() / static_cast<std::size_t>(m_pixels);
    std::vector<float> fractions;
    for (auto pixel = next.begin(); pixel != next.end();
         pixel += static_cast<std::ptrdiff_t>(samples)) {
        const auto shown =
            std::count_if(pixel, pixel + static_cast<std::ptrdiff_t>(samples),
                          [&](std::uint32_t record) { return std::int64_t{record} < direct; });
        fractions.push_back(static_cast<float>(shown) / static_cast<float>(samples));
    }
    return fractions;
}

} // namespace weft::render
