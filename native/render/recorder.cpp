// SPDX-License-Identifier: Apache-2.0
#include "render/recorder.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <utility>

namespace weft::render {

using core::ArgumentError;
using core::text;
using scene::layouts::RecordRow;

namespace {

RecorderDesc checked(RecorderDesc desc) {
    if (!desc.tables) {
        throw ArgumentError("Recorder: tables of the scene are needed, got null");
    }
    if (!desc.lit) {
        desc.lit = desc.tables;
    }
    if (!desc.directions) {
        const scene::MaterialTable& table = *desc.tables->materials();
        desc.directions =
            std::make_shared<const Directions>(desc.tables->kept()->device(), table.records,
                                               std::span<const float>(), table.values.size());
    }
    return desc;
}

/// What records media, where directions move numbers of some; else null.
std::unique_ptr<MediaRecorder> media_recorder(const FilmTracer& film, const RecorderDesc& desc) {
    const std::vector<std::uint32_t> media = fitted_media(*desc.tables, *desc.directions);
    if (media.empty()) {
        return nullptr;
    }
    if (desc.with_texels) {
        const auto name = scene::materials_of(desc.tables->scene())[media.front()]->name;
        throw ArgumentError(text("Fit: the medium of '", name,
                                 "' cannot be fitted together with textures; fit its numbers "
                                 "first, then the textures"));
    }
    return std::make_unique<MediaRecorder>(film, desc.tables, media, desc.directions);
}

/// Floats of a record: the surface, and three for each direction of its material.
std::int64_t rows_of(const Directions& directions, const MediaRecorder* media) {
    const std::int64_t most = std::max(directions.most(), 1U);
    return media != nullptr
               ? RecordRow::kDerivativeBehind +
                     scene::kColorChannels * std::max<std::int64_t>(most, media->most())
               : RecordRow::kDerivative + scene::kColorChannels * most;
}

tensor::TensorRef upload(const std::shared_ptr<device::Device>& device,
                         std::span<const std::uint32_t> words) {
    tensor::TensorRef made =
        tensor::Tensor::create(device, {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32),
                                        .shape = {std::ssize(words)}});
    tensor::upload(*made, std::as_bytes(words));
    return made;
}

/// Limits of a scene's paths, with which no light is held down: derivatives need all of it.
scene::LightPaths without_clamps(scene::LightPaths limits) {
    limits.clamp_direct = 0;
    limits.clamp_indirect = 0;
    return limits;
}

void require_pixels(const DrawDesc& desc) {
    const std::int64_t count = desc.camera.width * desc.camera.height;
    if (desc.pixels.empty()) {
        throw ArgumentError("Recorder.draw: pixels must hold at least one number, got none");
    }
    const auto found = std::ranges::find_if(
        desc.pixels, [&](std::uint32_t pixel) { return std::int64_t{pixel} >= count; });
    if (found != desc.pixels.end()) {
        throw ArgumentError(text("Recorder.draw: pixels must be numbers below width * height = ",
                                 count, ", got ", *found));
    }
}

} // namespace

Recorder::Recorder(std::shared_ptr<FilmTracer> film, RecorderDesc desc)
    : m_given(std::move(film)), m_modules(m_given->scene().modules), m_film(m_given),
      m_desc(checked(std::move(desc))), m_launcher(m_film->modules()->context()),
      m_scene(m_desc.lit->view_without_lights(m_desc.materials)), m_traced(m_desc.tables->view()),
      m_media(media_recorder(*m_film, m_desc)),
      m_programs(recorded_programs(*m_desc.tables, m_desc.materials, m_media != nullptr)),
      m_records(m_launcher.context().device, rows_of(*m_desc.directions, m_media.get())) {
    if (m_media) {
        m_film = m_media->film();
        m_media->add_to(m_scene);
        m_media->add_to(m_traced);
    }
    const auto& modules = m_film->scene().modules;
    const auto sorting = modules->sorting(modules);
    m_shared = sorting->shared();
    for (const std::size_t program : m_programs) {
        static_cast<void>(sorting->recording(program)); // before the first draw: it may not compile
    }
}

std::uint64_t Recorder::record_bytes(std::int64_t surfaces) const noexcept {
    return m_records.bytes_of(m_media ? 2 * surfaces : surfaces);
}

bool Recorder::is_recorded(std::size_t program) const noexcept {
    return std::ranges::binary_search(m_programs, program);
}

void Recorder::forget() noexcept {
    m_records.forget();
    forget_paths();
}

void Recorder::record(const DrawDesc& desc) {
    scene::require_valid(desc.camera);
    require_valid(desc.settings);
    require_pixels(desc);
    if (m_given->scene().modules != m_modules) {
        throw ArgumentError("Recorder.draw: the film renders another scene than the recorder was "
                            "made for; make a recorder of that one");
    }
    start(desc);
    const std::int64_t segments = m_film->segments(desc.settings);
    for (std::int64_t bounce = 0; bounce < segments; ++bounce) {
        if (desc.check) {
            desc.check();
        }
        if (!record_segment(bounce)) {
            break;
        }
    }
    m_launcher.launch(*m_shared, "close", m_paths, {&m_buffers->view(0), &m_records.view()});
}

void Recorder::start(const DrawDesc& desc) {
    const scene::LightPaths limits = without_clamps(m_desc.tables->scene().light_paths);
    m_pixels = std::ssize(desc.pixels);
    m_paths = m_pixels * desc.settings.samples;
    m_buffers = m_film->buffers(m_paths);
    m_step = step_settings(desc.settings, limits, {.first = 0, .count = m_pixels},
                           {.first = 0, .count = desc.settings.samples});
    m_records.begin(m_buffers->capacity(), m_paths / 2);
    compile(desc.check);
    if (m_media) {
        m_media->evaluate(m_scene);
    }
    m_film->generate({.view = m_scene, .limits = limits, .start_media = desc.start_media},
                     desc.camera, desc.settings, *m_buffers, m_step, m_paths,
                     upload(m_launcher.context().device, desc.pixels));
}

/// Takes all paths over one surface. @return whether one was under way
bool Recorder::record_segment(std::int64_t bounce) {
    m_step.set_integer("bounce", bounce);
    m_film->trace_segment(m_traced, *m_buffers, m_paths, bounce);
    cross_media(bounce);
    const GroupOffsets ends = m_film->sort_segment(m_traced, *m_buffers, m_paths);
    settle_lights(bounce - 1);
    if (m_film->has_ended(ends)) {
        return false;
    }
    std::int64_t more = 0;
    for (const std::size_t program : m_programs) {
        more += ends[program + 1] - ends[program];
    }
    m_records.reserve(more);
    m_film->escape(m_scene, *m_buffers, ends, m_step);
    m_film->skip_hidden(m_scene, *m_buffers, ends, m_step);
    if (m_media) {
        m_media->scatter(m_scene, *m_buffers, ends, m_records.view(), m_step);
    } else {
        m_film->scatter(m_scene, *m_buffers, ends, m_step, &m_records.view());
    }
    shade(ends, bounce);
    return true;
}

/// Takes the paths through media; those that are fitted leave records of their segments.
void Recorder::cross_media(std::int64_t bounce) {
    if (!m_media) {
        if (m_film->traits().has_media) {
            m_launcher.launch(*m_shared, "cross", m_paths,
                              {&m_scene, &m_buffers->view(0), &m_step});
        }
        return;
    }
    const std::int64_t count = m_media->find_segments(m_scene, *m_buffers, m_paths);
    if (count == 0) {
        return;
    }
    m_records.reserve(count);
    m_media->record(m_scene, *m_buffers, m_records.view(m_records.used()), m_step, count);
    m_records.add(kMediaProgram, bounce, count);
}

/// The light rays of a bounce have been traced: its records keep what they have brought.
void Recorder::settle_lights(std::int64_t bounce) {
    for (const RecordedLaunch& launch : m_records.launches()) {
        if (launch.bounce == bounce) {
            m_launcher.launch(*m_shared, "settle", launch.count,
                              {&m_buffers->view(0), &m_records.view(launch.first)});
        }
    }
}

/// Takes the sorted paths over the surfaces that they have hit; some leave records.
void Recorder::shade(const GroupOffsets& ends, std::int64_t bounce) {
    const auto& modules = m_film->scene().modules;
    const auto sorting = modules->sorting(modules);
    for (std::size_t program = 0; program < sorting->programs().size(); ++program) {
        const std::int64_t length = ends[program + 1] - ends[program];
        if (length == 0) {
            continue;
        }
        const KernelArgument& paths = m_buffers->view(ends[program]);
        if (is_recorded(program)) {
            m_launcher.launch(*sorting->recording(program), "programRecord", length,
                              {&m_scene, &paths, &m_records.view(m_records.used()), &m_step});
            m_records.add(static_cast<std::int64_t>(program), bounce, length);
        } else {
            m_launcher.launch(*sorting->program(program), "programStep", length,
                              {&m_scene, &paths, &m_step});
        }
    }
}

} // namespace weft::render
