// SPDX-License-Identifier: Apache-2.0
#include "render/scene_kernels.hpp"

#include "scene/kernel_text.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace weft::render {

using tensor::TensorRef;

namespace {

using Means = std::vector<std::array<double, 2>>;
using MeansRef = std::shared_ptr<const Means>;

TensorRef create(const SceneModules& modules, reflect::ScalarKind kind,
                 std::vector<std::int64_t> shape) {
    return tensor::Tensor::create(modules.cache()->context().device,
                                  {.dtype = reflect::scalar_type(kind), .shape = std::move(shape)});
}

TensorRef upload(const SceneModules& modules, std::span<const std::byte> words,
                 std::vector<std::int64_t> shape) {
    TensorRef made = create(modules, reflect::ScalarKind::uint32, std::move(shape));
    tensor::upload(*made, words);
    return made;
}

/// What the mean emission of a scene's emitters depends on. Tensors that are the same have the same numbers: nobody writes
/// to them.
PartKey emission_key(const SceneModules& modules, const SceneTables& tables,
                     const std::set<std::uint32_t>& programs) {
    PartKey key("mean emission");
    for (const TensorRef& tensor : tables.shape_tensors()) {
        key.add_identity(tensor);
    }
    for (const std::uint32_t program : programs) {
        key.add(scene::print_program_module(*modules.programs()[program], modules.traits()));
    }
    const TexturedEmitters& emitters = tables.lights().emitters;
    key.add_content(std::as_bytes(std::span(tables.materials()->values)));
    key.add_content(std::as_bytes(std::span(emitters.places)));
    key.add_content(std::as_bytes(std::span(emitters.programs)));
    return key;
}

/// Means of the emitters of one program.
void measure(SceneModules& modules, const SceneTables& tables, std::uint32_t program,
             Means& means) {
    const TexturedEmitters& emitters = tables.lights().emitters;
    std::vector<std::array<std::uint32_t, 2>> places;
    for (std::size_t k = 0; k < emitters.places.size(); ++k) {
        if (emitters.programs[k] == program) {
            places.push_back(emitters.places[k]);
        }
    }
    const std::int64_t count = std::ssize(places);
    const KernelArgument lanes =
        KernelArgument::tensor(upload(modules, std::as_bytes(std::span(places)), {count, 2}));
    const TensorRef result = create(modules, reflect::ScalarKind::float32, {count, 2});
    KernelLauncher launcher(modules.cache()->context());
    launcher.call(*modules.program(program), "programMeasure", {&tables.view(), &lanes}, result);
    std::vector<float> found(static_cast<std::size_t>(2 * count));
    tensor::download(*result, std::as_writable_bytes(std::span(found)),
                     modules.cache()->context().poll);
    std::size_t next = 0;
    for (std::size_t k = 0; k < means.size(); ++k) {
        if (emitters.programs[k] == program) {
            means[k] = {found[2 * next], found[2 * next + 1]};
            ++next;
        }
    }
}

} // namespace

void evaluate_media(SceneModules& modules, const scene::MaterialTable& materials,
                    const KernelArgument& view, const TensorRef& coefficients) {
    KernelLauncher launcher(modules.cache()->context());
    const KernelArgument rows = KernelArgument::tensor(coefficients);
    for (std::size_t program = 0; program < modules.programs().size(); ++program) {
        if (modules.programs()[program]->medium.empty()) {
            continue;
        }
        std::vector<std::uint32_t> own;
        for (std::size_t k = 0; k < materials.records.size(); ++k) {
            if (materials.records[k].program == program) {
                own.push_back(static_cast<std::uint32_t>(k));
            }
        }
        if (own.empty()) {
            continue;
        }
        const KernelArgument numbers = KernelArgument::tensor(
            upload(modules, std::as_bytes(std::span(own)), {std::ssize(own)}));
        launcher.launch(*modules.program(program), "programMedium", std::ssize(own),
                        {&view, &numbers, &rows});
    }
}

void measure_emitters(SceneModules& modules, SceneTables& tables) {
    const TexturedEmitters& emitters = tables.lights().emitters;
    const std::set<std::uint32_t> programs(emitters.programs.begin(), emitters.programs.end());
    const auto means = tables.kept()->get<MeansRef>(emission_key(modules, tables, programs), [&] {
        auto made = std::make_shared<Means>(emitters.lights.size());
        for (const std::uint32_t program : programs) {
            measure(modules, tables, program, *made);
        }
        return made;
    });
    tables.set_mean_emission(*means);
}

void fill_tables(SceneModules& modules, std::span<const std::shared_ptr<SceneTables>> tables) {
    for (const std::shared_ptr<SceneTables>& own : tables) {
        evaluate_media(modules, *own->materials(), own->view(), own->coefficients());
        if (!own->lights().emitters.lights.empty()) {
            measure_emitters(modules, *own);
        }
    }
}

} // namespace weft::render
