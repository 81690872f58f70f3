// SPDX-License-Identifier: Apache-2.0
#include "render/film_tracer.hpp"

#include "core/interrupt.hpp"
#include "scene/colors.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace weft::render {

namespace {

/// Modules of stages that stay: one a kind of camera, lens, pixel filter and traits.
constexpr std::size_t kMaxStageModules = 32;

/// Asks a poll every 50 ms at most: segments on software devices take less.
class PollTimer {
public:
    explicit PollTimer(const core::InterruptPoll& poll) : m_poll(poll) {}

    void poll_if_due() {
        const auto now = std::chrono::steady_clock::now();
        if (m_poll && now >= m_next) {
            m_poll();
            m_next = now + core::kPollInterval;
        }
    }

private:
    const core::InterruptPoll& m_poll;
    std::chrono::steady_clock::time_point m_next =
        std::chrono::steady_clock::now() + core::kPollInterval;
};

} // namespace

FilmTracer::FilmTracer(const dispatch::Context& context, const compile::ModuleDesc& options)
    : PathStages(context), m_modules(std::make_shared<ModuleCache>(context, options)),
      m_stage_modules(std::make_shared<ModuleCache>(context, options)),
      m_compiling(std::make_shared<CompileProgress>()) {}

FilmTracer::FilmTracer(const FilmTracer& other)
    : PathStages(other.launcher().context()), batch(other.batch), m_modules(other.m_modules),
      m_stage_modules(other.m_stage_modules), m_compiling(other.m_compiling),
      m_buffers(other.m_buffers), m_numbers(other.m_numbers), m_is_compiled(other.m_is_compiled) {
    if (other.scene().modules) {
        PathStages::set_scene(other.scene());
    }
}

void FilmTracer::set_scene(SceneOnDevice scene) {
    const auto& before = this->scene().modules;
    if (before && path_rows(before->traits()) != path_rows(scene.modules->traits())) {
        forget_paths();
    }
    m_is_compiled = m_is_compiled && before && scene.modules->is_same(*before);
    PathStages::set_scene(std::move(scene));
}

const std::shared_ptr<PathBuffers>& FilmTracer::buffers(std::int64_t paths) {
    if (capacity() < paths) {
        m_buffers.reset(); // room for the new ones
        m_buffers = std::make_shared<PathBuffers>(
            *scene().tracer, static_cast<std::uint32_t>(whole_groups(paths)), traits());
    }
    return m_buffers;
}

PictureParts::PictureParts(std::int64_t pixels, std::int64_t samples, std::int64_t batch) noexcept
    : m_pixels(pixels), m_samples(samples),
      m_at_once(std::min(samples, std::max(batch / pixels, std::int64_t{1}))) {}

std::optional<PicturePart> PictureParts::next(std::int64_t batch) noexcept {
    m_part.pixels.first += m_part.pixels.count;
    if (m_part.pixels.first >= m_pixels) {
        m_part.pixels.first = 0;
        m_part.samples.first += m_part.samples.count;
    }
    if (m_part.samples.first >= m_samples) {
        return std::nullopt;
    }
    m_part.samples.count = std::min(m_at_once, m_samples - m_part.samples.first);
    m_part.pixels.count =
        std::max(std::min(batch / m_at_once, m_pixels - m_part.pixels.first), std::int64_t{1});
    return m_part;
}

tensor::TensorRef FilmTracer::upload(std::span<const std::uint32_t> words) const {
    tensor::TensorRef made = tensor::Tensor::create(
        launcher().context().device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32), .shape = {std::ssize(words)}});
    tensor::upload(*made, std::as_bytes(words));
    return made;
}

const tensor::TensorRef& FilmTracer::pixel_numbers(std::int64_t count) {
    if (!m_numbers || m_numbers->element_count() < count) {
        std::vector<std::uint32_t> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0U);
        m_numbers = upload(numbers);
    }
    return m_numbers;
}

StageModuleRef FilmTracer::stages(const scene::Camera& camera, PixelFilter filter) {
    return m_stage_modules->load("weft_stages", print_stage_module(camera, filter, traits()),
                                 kMaxStageModules);
}

tensor::TensorRef FilmTracer::create_film(std::int64_t floats) const {
    tensor::TensorRef film = tensor::Tensor::create(
        launcher().context().device,
        {.dtype = reflect::scalar_type(reflect::ScalarKind::float32), .shape = {floats}});
    tensor::clear(*film);
    return film;
}

std::vector<float> FilmTracer::read_film(const tensor::Tensor& film) const {
    std::vector<float> sums(static_cast<std::size_t>(film.element_count()));
    tensor::download(film, std::as_writable_bytes(std::span(sums)), launcher().context().poll);
    return sums;
}

void FilmTracer::generate(const SceneInput& input, const scene::Camera& camera,
                          const PathSettings& settings, PathBuffers& buffers,
                          const KernelArgument& step, std::int64_t count,
                          const tensor::TensorRef& pixels) {
    buffers.set_pixels(pixels ? pixels : pixel_numbers(camera.width * camera.height));
    buffers.transparent_bounces = settings.transparent_bounces;
    if (traits().has_media) {
        buffers.set_start_media(upload(input.start_media));
    }
    const KernelArgument view = camera_argument(camera, settings.filter_width);
    launcher().launch(*stages(camera, settings.filter), "generate", count,
                      {&view, &buffers.view(), &step});
}

void FilmTracer::trace_part(const SceneInput& input, const scene::Camera& camera,
                            const PathSettings& settings, const PictureDesc& desc,
                            const PicturePart& part, const tensor::TensorRef& film) {
    const std::int64_t count = part.pixels.count * part.samples.count;
    const std::shared_ptr<PathBuffers> paths = buffers(count);
    KernelArgument step = step_settings(settings, input.limits, part.pixels, part.samples);
    if (desc.background) {
        step.set_integer("background", *desc.background);
    }
    compile(input, camera, settings, *paths, step, film, desc.check);
    generate(input, camera, settings, *paths, step, count);
    PollTimer timer(launcher().context().poll);
    for (std::int64_t bounce = 0; bounce < segments(settings); bounce++) {
        timer.poll_if_due();
        step.set_integer("bounce", bounce);
        if (!sorts_paths()) {
            trace_segment(input.view, *paths, count, bounce);
            classify(input.view, *paths, count);
            shade_segment(input.view, *paths, count, step, nullptr);
            continue;
        }
        const GroupOffsets ends = trace_and_sort(input.view, *paths, count, bounce, &step);
        if (has_ended(ends)) {
            break;
        }
        shade_segment(input.view, *paths, count, step, &ends);
        skip_hidden(input.view, *paths, ends, step);
        scatter(input.view, *paths, ends, step, nullptr);
    }
    KernelArgument film_argument = KernelArgument::tensor(film);
    launcher().launch(*stages(camera, settings.filter), "resolve", part.pixels.count,
                      {&paths->view(), &step, &film_argument});
}

std::vector<float> FilmTracer::picture(const SceneInput& input, const scene::Camera& camera,
                                       const PathSettings& settings, const PictureDesc& desc) {
    require_valid(camera);
    require_valid(settings);
    const std::int64_t pixels = camera.width * camera.height;
    const tensor::TensorRef film = create_film(pixels * scene::kColorChannels);
    std::int64_t done = 0;
    PictureParts parts(pixels, settings.samples, batch);
    while (const auto part = parts.next(batch)) {
        trace_part(input, camera, settings, desc, *part, film);
        done += part->pixels.count * part->samples.count;
        if (desc.progress) {
            const dispatch::Context& context = launcher().context();
            context.device->wait(context.poll);
            desc.progress(static_cast<double>(done) /
                          static_cast<double>(pixels * settings.samples));
        }
    }
    std::vector<float> image = read_film(*film);
    const auto factor =
        static_cast<float>(settings.exposure / static_cast<double>(settings.samples));
    std::ranges::for_each(image, [&](float& sum) { sum *= factor; });
    return image;
}

/// What takes paths over one surface, but for sorting, tracing and lights.
std::vector<StageCall> FilmTracer::surface_calls(const KernelArgument& view, PathBuffers& buffers,
                                                 const KernelArgument& step) const {
    const KernelArgument& paths = buffers.view();
    const StageModuleRef& shared = scene().modules->shared();
    std::vector<StageCall> calls;
    for (std::size_t k = 0; k < static_cast<std::size_t>(program_count()); k++) {
        calls.push_back({scene().modules->program(k), "programStep", {view, paths, step}});
    }
    calls.push_back({shared, "escape", {view, paths, step}});
    calls.push_back({shared,
                     "classify",
                     {view, paths, KernelArgument::number(program_count())},
                     buffers.keys()});
    if (traits().has_media) {
        calls.push_back({shared, "cross", {view, paths, step}});
        calls.push_back({shared, "scatter", {view, paths, step}});
    }
    if (traits().has_hidden) {
        calls.push_back({shared, "skip", {view, paths, step}});
    }
    return calls;
}

void FilmTracer::compile(const SceneInput& input, const scene::Camera& camera,
                         const PathSettings& settings, PathBuffers& buffers,
                         const KernelArgument& step, const tensor::TensorRef& film,
                         const core::InterruptPoll& check) {
    if (m_is_compiled) {
        return;
    }
    const KernelArgument& view = input.view;
    const KernelArgument& paths = buffers.view();
    const StageModuleRef& shared = scene().modules->shared();
    const StageModuleRef own = stages(camera, settings.filter);
    std::vector<StageCall> calls = surface_calls(view, buffers, step);
    const KernelArgument lens = camera_argument(camera, settings.filter_width);
    calls.push_back({own, "generate", {lens, paths, step}});
    calls.push_back({own, "resolve", {paths, step, KernelArgument::tensor(film)}});
    std::ranges::move(walk_calls(view, buffers, shared, step, nullptr), std::back_inserter(calls));
    std::vector<StageCall> of_lights = light_calls(view, buffers);
    if (sorts_paths() || traits().has_walks || !of_lights.empty()) {
        std::ranges::move(sort_calls(buffers), std::back_inserter(calls));
    }
    std::ranges::move(of_lights, std::back_inserter(calls));
    std::vector<std::function<void()>> jobs;
    std::ranges::transform(calls, std::back_inserter(jobs), KernelLauncher::compilation);
    compile_together(std::move(jobs), check, m_compiling.get());
    m_is_compiled = true;
}

} // namespace weft::render
