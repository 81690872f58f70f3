// SPDX-License-Identifier: Apache-2.0
#include "render/media_recorder.hpp"

#include "render/scene_kernels.hpp"
#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace weft::render {

using scene::layouts::FittedMedium;
using scene::layouts::MediumWord;

namespace {

constexpr std::int64_t kScattered = 2;    // group of the sorted paths, after those of programs
constexpr std::uint32_t kWithSegment = 2; // keys of `mark`: it has a segment in media, or none

std::shared_ptr<FilmTracer> film_with_media(const FilmTracer& film) {
    auto own = std::make_shared<FilmTracer>(film);
    own->forget_paths(); // theirs have more rows
    own->set_scene(
        {.tracer = film.scene().tracer, .modules = film.scene().modules->fitting_media()});
    return own;
}

/// Whether the medium of a material scatters, now or with other numbers.
bool may_scatter(const scene::Material& material) {
    bool found = false;
    scene::for_each_closure(*material.volume, [&](const scene::Closure& closure) {
        found = found || closure.has("scattering");
    });
    return found;
}

tensor::TensorRef upload(const std::shared_ptr<device::Device>& device,
                         const std::vector<std::uint32_t>& words) {
    tensor::TensorRef made =
        tensor::Tensor::create(device, {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32),
                                        .shape = {std::ssize(words)}});
    tensor::upload(*made, std::as_bytes(std::span(words)));
    return made;
}

tensor::TensorRef zeros(const std::shared_ptr<device::Device>& device,
                        std::vector<std::int64_t> shape) {
    tensor::TensorRef made =
        tensor::Tensor::create(device, {.dtype = reflect::scalar_type(reflect::ScalarKind::float32),
                                        .shape = std::move(shape)});
    tensor::clear(*made);
    return made;
}

} // namespace

MediaRecorder::MediaRecorder(const FilmTracer& film, std::shared_ptr<SceneTables> tables,
                             std::span<const std::uint32_t> materials, DirectionsRef directions)
    : m_film(film_with_media(film)), m_tables(std::move(tables)),
      m_materials(materials.begin(), materials.end()), m_directions(std::move(directions)),
      m_launcher(film.modules()->context()) {
    const auto& device = m_launcher.context().device;
    const std::vector<scene::MaterialRef> named = scene::materials_of(m_tables->scene());
    std::vector<std::uint32_t> bits(m_tables->materials()->records.size());
    for (std::size_t slot = 0; slot < m_materials.size(); ++slot) {
        const std::uint32_t number = m_materials[slot];
        bits[number] = static_cast<std::uint32_t>(slot + 1) |
                       (may_scatter(*named[number]) ? FittedMedium::kScatters : 0);
    }
    const auto shape = m_tables->coefficients()->shape();
    m_coefficients = zeros(device, {shape.begin(), shape.end()});
    m_fitted = upload(device, bits);
    m_unknown = upload(device, m_materials);
    m_derivatives =
        zeros(device, {std::max<std::int64_t>(m_directions->entries(), 1), MediumWord::kEnd});
}

std::size_t MediaRecorder::program_of(std::uint32_t material) const {
    return m_tables->materials()->records[material].program;
}

std::uint32_t MediaRecorder::most() const noexcept {
    std::uint32_t sum = 0;
    for (const std::uint32_t material : m_materials) {
        sum += m_directions->lengths()[material];
    }
    return sum;
}

void MediaRecorder::add_to(KernelArgument& view) const {
    view.set_tensor("media.coefficients", m_coefficients);
    view.set_tensor("media.fitted", m_fitted);
    view.set_tensor("media.unknown", m_unknown);
    view.set_integer("media.unknownCount", std::ssize(m_materials));
    view.set_tensor("media.derivatives", m_derivatives);
}

void MediaRecorder::evaluate(const KernelArgument& view) const {
    evaluate_media(*m_film->scene().modules, *m_tables->materials(), view, m_coefficients);
}

void MediaRecorder::differentiate(const KernelArgument& view) {
    const KernelArgument derivatives = KernelArgument::tensor(m_derivatives);
    for (const std::uint32_t material : m_materials) {
        const std::int64_t count = m_directions->lengths()[material];
        if (count > 0) {
            const KernelArgument number = KernelArgument::number(material);
            m_launcher.launch(*m_film->scene().modules->recording(program_of(material)),
                              "programDerivatives", count,
                              {&view, &m_directions->view(), &number, &derivatives});
        }
    }
}

std::int64_t MediaRecorder::find_segments(const KernelArgument& view, PathBuffers& buffers,
                                          std::int64_t count) {
    m_launcher.launch(shared(), "mark", count, {&view, &buffers.view(0)}, buffers.keys_of(count));
    return m_film->sort_keys(buffers, count, kWithSegment)[1];
}

void MediaRecorder::record(const KernelArgument& view, PathBuffers& buffers,
                           const KernelArgument& records, const KernelArgument& step,
                           std::int64_t count) {
    m_launcher.launch(shared(), "recordMedia", count, {&view, &buffers.view(0), &records, &step});
}

void MediaRecorder::scatter(const KernelArgument& view, PathBuffers& buffers,
                            const GroupOffsets& ends, const KernelArgument& records,
                            const KernelArgument& step) {
    const auto own = static_cast<std::size_t>(m_film->program_count() + kScattered);
    const std::int64_t length = ends.at(own + 1) - ends.at(own);
    if (length > 0) {
        m_launcher.launch(shared(), "recordScattered", length,
                          {&view, &buffers.view(ends.at(own)), &records, &step});
    }
}

void MediaRecorder::replay(const KernelArgument& view, const KernelArgument& records,
                           std::int64_t count, bool with_tangents) {
    if (with_tangents) {
        m_launcher.launch(shared(), "mediaTangents", count,
                          {&view, &records, &m_directions->view()});
    } else {
        m_launcher.launch(shared(), "replayMedia", count, {&view, &records});
    }
}

std::vector<StageCall> MediaRecorder::calls(const KernelArgument& view, PathBuffers& buffers,
                                            const KernelArgument& records,
                                            const KernelArgument& step) const {
    const KernelArgument& paths = buffers.view(0);
    const KernelArgument& directions = m_directions->view();
    const StageModuleRef& own = m_film->scene().modules->shared();
    std::vector<StageCall> calls{
        {own, "mark", {view, paths}, buffers.keys()},
        {own, "recordMedia", {view, paths, records, step}},
        {own, "recordScattered", {view, paths, records, step}},
        {own, "replayMedia", {view, records}},
        {own, "mediaTangents", {view, records, directions}},
    };
    std::set<std::size_t> programs;
    for (const std::uint32_t material : m_materials) {
        programs.insert(program_of(material));
    }
    for (const std::size_t program : programs) {
        calls.push_back(
            {m_film->scene().modules->recording(program),
             "programDerivatives",
             {view, directions, KernelArgument::number(0), KernelArgument::tensor(m_derivatives)}});
    }
    return calls;
}

} // namespace weft::render
