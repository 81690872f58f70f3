// SPDX-License-Identifier: Apache-2.0
// The kernels of a recorder, compiled before its first draw.
#include "render/recorder.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace weft::render {

void Recorder::compile(const core::InterruptPoll& check) {
    if (m_is_compiled) {
        return;
    }
    std::vector<StageCall> calls;
    add_program_calls(calls);
    add_stage_calls(calls);
    add_film_calls(calls);
    std::vector<std::function<void()>> jobs;
    std::ranges::transform(calls, std::back_inserter(jobs), KernelLauncher::compilation);
    compile_together(std::move(jobs), check, m_film->compiling().get());
    m_is_compiled = true;
}

void Recorder::add_program_calls(std::vector<StageCall>& calls) {
    const KernelArgument& records = m_records.view();
    const KernelArgument& paths = m_buffers->view(0);
    const bool has_gradients = m_desc.with_texels || m_desc.directions->count() == 0;
    const auto& modules = m_film->scene().modules;
    const auto sorting = modules->sorting(modules);
    for (const std::size_t program : m_programs) {
        const StageModuleRef& module = sorting->recording(program);
        if (m_desc.directions->count() > 0) {
            calls.push_back(
                {module, "programTangents", {m_scene, records, m_desc.directions->view()}});
        }
        if (has_gradients) {
            calls.push_back({module, "programGradients", {m_scene, records}});
        }
        calls.push_back({module, "programRecord", {m_scene, paths, records, m_step}});
        calls.push_back({module, "programReplay", {m_scene, records}});
    }
    for (std::size_t program = 0; program < sorting->programs().size(); ++program) {
        if (!is_recorded(program)) {
            calls.push_back({sorting->program(program), "programStep", {m_scene, paths, m_step}});
        }
    }
    if (has_gradients) {
        calls.push_back({m_shared,
                         "seed",
                         {paths, records, m_step, KernelArgument::tensor(m_desc.tables->values()),
                          KernelArgument::number(1), KernelArgument::real(1)}});
    }
}

void Recorder::add_stage_calls(std::vector<StageCall>& calls) {
    const KernelArgument& records = m_records.view();
    const KernelArgument& paths = m_buffers->view(0);
    calls.push_back({m_shared, "escape", {m_scene, paths, m_step}});
    if (m_desc.tables->traits().has_hidden) {
        calls.push_back({m_shared, "skip", {m_scene, paths, m_step}});
    }
    if (m_media) {
        std::ranges::move(m_media->calls(m_scene, *m_buffers, records, m_step),
                          std::back_inserter(calls));
    } else if (m_film->traits().has_media) {
        calls.push_back({m_shared, "cross", {m_scene, paths, m_step}});
        calls.push_back({m_shared, "scatter", {m_scene, paths, m_step}});
    }
    std::ranges::move(m_film->walk_calls(m_traced, *m_buffers, m_shared, m_step, &records),
                      std::back_inserter(calls));
    std::ranges::move(m_film->light_calls(m_traced, *m_buffers), std::back_inserter(calls));
    std::ranges::move(m_film->sort_calls(*m_buffers), std::back_inserter(calls));
}

void Recorder::add_film_calls(std::vector<StageCall>& calls) {
    const KernelArgument& records = m_records.view();
    const KernelArgument& paths = m_buffers->view(0);
    const KernelArgument none = KernelArgument::number(0);
    calls.push_back({m_shared, "close", {paths, records}});
    calls.push_back({m_shared, "settle", {paths, records}});
    calls.push_back({m_shared,
                     "resolveSamples",
                     {m_scene, paths, records, m_step, none, KernelArgument::number(1), none,
                      m_desc.directions->view(), KernelArgument::number(m_pixels),
                      KernelArgument::tensor(m_desc.tables->values())}});
}

} // namespace weft::render
