// SPDX-License-Identifier: Apache-2.0
#include "render/memory.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <unordered_set>

namespace weft::render {

namespace {

constexpr std::uint64_t kWord = 4;
/// Bytes of what kernels are called with, and of what stands for nothing.
constexpr std::uint64_t kSlack = std::uint64_t{1} << 20U;

} // namespace

std::uint64_t scene_bytes(const LitScene& scene) {
    std::unordered_set<const tensor::Tensor*> seen;
    std::uint64_t held = 0;
    for (const SceneTablesRef& tables : scene.tables) {
        const KernelArgument& view = tables->view();
        for (const dispatch::Node& node : view.nodes()) {
            const tensor::TensorRef tensor = view.owner_of(node);
            if (tensor && seen.insert(tensor.get()).second) {
                held += tensor::host_size_bytes(*tensor);
            }
        }
    }
    return held + scene.traced->tracer()->memory().held + kSlack;
}

std::uint64_t picture_bytes(const FilmTracer& film, const scene::Camera& camera,
                            const PathSettings& settings, bool has_layers) {
    const std::int64_t pixels = camera.width * camera.height;
    const std::int64_t at_once =
        std::min(settings.samples, std::max(film.batch / pixels, std::int64_t{1}));
    const std::int64_t paths =
        std::min(pixels, std::max(film.batch / at_once, std::int64_t{1})) * at_once;
    // What is there stays.
    const std::int64_t capacity = std::max(whole_groups(paths), film.capacity());
    auto bytes = static_cast<std::uint64_t>(path_buffer_bytes(capacity, film.traits()));
    bytes += kWord * static_cast<std::uint64_t>(pixels) * (3 + 1); // film, numbers of pixels
    if (!film.scene().tracer->device()->info().features.is_software) {
        bytes += KeySorter::most_bytes();
    }
    if (has_layers) {
        bytes +=
            kWord * scene::layouts::LayerRow::kEnd * static_cast<std::uint64_t>(capacity + pixels);
    }
    return std::max(bytes, film.scene().tracer->memory().build);
}

} // namespace weft::render
