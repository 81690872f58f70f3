// SPDX-License-Identifier: Apache-2.0
// What a camera sees first: layers beside the picture (shaders/weft/render/layers.slang), and hits without shading.
#include "render/film_tracer.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <array>

namespace weft::render {

using scene::layouts::LayerRow;

namespace {

/// Width of a filter that is as good as a point, pixels.
constexpr double kPoint = 1e-6;

} // namespace

void FilmTracer::trace_layers(const SceneInput& input, const scene::Camera& camera,
                              const PathSettings& settings, const PicturePart& part,
                              const tensor::TensorRef& film) {
    const std::int64_t count = part.pixels.count * part.samples.count;
    const std::shared_ptr<PathBuffers> paths = buffers(count);
    const std::int64_t floats = std::int64_t{LayerRow::kEnd} * paths->capacity();
    if (!m_layers || m_layers->element_count() != floats) {
        m_layers = create_film(floats);
    }
    const KernelArgument step = step_settings(settings, input.limits, part.pixels, part.samples);
    generate(input, camera, settings, *paths, step, count);
    const GroupOffsets ends = trace_to_visible(input.view, *paths, count, step);
    KernelArgument view_direction;
    const std::array<double, 3> forward = scene::forward_of(camera);
    view_direction.add_reals("forward", forward, std::array{std::ssize(forward)});
    const KernelArgument layers = KernelArgument::tensor(m_layers);
    const auto modules = sorting();
    for (std::size_t program = 0; program <= static_cast<std::size_t>(program_count()); program++) {
        const std::int64_t length = ends[program + 1] - ends[program];
        if (length == 0) {
            continue;
        }
        const KernelArgument& view = paths->view(ends[program]);
        if (program == static_cast<std::size_t>(program_count())) {
            launcher().launch(*modules->shared(), "noLayers", length, {&view, &layers});
        } else {
            launcher().launch(*modules->program(program), "programLayers", length,
                              {&input.view, &view, &view_direction, &layers});
        }
    }
    const KernelArgument target = KernelArgument::tensor(film);
    launcher().launch(*modules->shared(), "resolveAll", part.pixels.count,
                      {&paths->view(), &step, &layers, &target});
}

std::vector<float> FilmTracer::layers(const SceneInput& input, const scene::Camera& camera,
                                      const PathSettings& settings) {
    require_valid(camera);
    require_valid(settings);
    const std::int64_t pixels = camera.width * camera.height;
    const tensor::TensorRef film = create_film(pixels * LayerRow::kEnd);
    PictureParts parts(pixels, settings.samples, batch);
    while (const auto part = parts.next(batch)) {
        trace_layers(input, camera, settings, *part, film);
    }
    std::vector<float> means = read_film(*film);
    const auto samples = static_cast<float>(settings.samples);
    std::ranges::for_each(means, [&](float& sum) { sum /= samples; });
    return means;
}

std::vector<float> FilmTracer::centre_layers(const SceneInput& input, const scene::Camera& camera,
                                             const PathSettings& settings) {
    scene::Camera sharp = camera;
    sharp.aperture = 0;
    PathSettings centre = settings;
    centre.samples = 1;
    centre.filter = PixelFilter::box;
    centre.filter_width = kPoint;
    return layers(input, sharp, centre);
}

std::vector<float> FilmTracer::coverage(const SceneInput& input, const scene::Camera& camera,
                                        const PathSettings& settings, const PictureDesc& desc) {
    constexpr std::size_t kChannels = scene::kColorChannels;
    PathSettings first = settings;
    first.bounces = 0;
    first.exposure = 1;
    PictureDesc own = desc;
    own.background = scene::layouts::Background::kMask;
    const std::vector<float> beyond = picture(input, camera, first, own);
    std::vector<float> covered(beyond.size() / kChannels);
    for (std::size_t k = 0; k < covered.size(); ++k) {
        const float* const rgb = beyond.data() + kChannels * k;
        covered[k] = 1.0F - (rgb[0] + rgb[1] + rgb[2]) / 3.0F;
    }
    return covered;
}

CentreHits FilmTracer::centre_hits(const SceneInput& input, const scene::Camera& camera) {
    require_valid(camera);
    scene::Camera sharp = camera;
    sharp.aperture = 0;
    const PathSettings settings{.samples = 1, .bounces = 0, .filter_width = kPoint};
    const std::int64_t pixels = camera.width * camera.height;
    CentreHits found;
    PictureParts parts(pixels, 1, batch);
    while (const auto part = parts.next(batch)) {
        const std::int64_t count = part->pixels.count;
        const std::shared_ptr<PathBuffers> paths = buffers(count);
        const KernelArgument step =
            step_settings(settings, input.limits, part->pixels, part->samples);
        generate(input, sharp, settings, *paths, step, count);
        if (traits().has_hidden) {
            static_cast<void>(trace_to_visible(input.view, *paths, count, step));
        } else {
            scene().tracer->trace_closest(paths->path_rays(static_cast<std::uint32_t>(count)));
        }
        const core::InterruptPoll& poll = launcher().context().poll;
        paths->read_hits(scene::layouts::HitRow::kInstance, count, found.instances, poll);
        paths->read_hits(scene::layouts::HitRow::kPrimitive, count, found.triangles, poll);
    }
    return found;
}

} // namespace weft::render
