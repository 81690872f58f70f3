// SPDX-License-Identifier: Apache-2.0
// Calls a Slang function over arrays, and takes the gradient of a loss by its arguments.
#include <weft/engine/engine.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

constexpr const char* kSource = R"(
[Differentiable]
float lit(float albedo, float light) { return albedo * albedo * light; }
)";

void print(const char* name, const std::vector<float>& values) {
    std::cout << name << ':';
    for (const float value : values) {
        std::cout << ' ' << value;
    }
    std::cout << '\n';
}

void run() {
    namespace engine = weft::engine;
    const auto weft = engine::Engine::create();
    const engine::Module module = weft->load_source("lit", kSource);
    const engine::Function lit = module.function("lit");

    // Three albedos and one light: the function runs three times.
    const std::vector<float> albedos{1, 2, 3};
    const auto albedo = engine::with_gradient(weft->array<float>(albedos, {3}));
    const auto light = engine::with_gradient(weft->array<float>(std::vector<float>{0.5F}, {}));
    print("lit", lit(albedo, light).values<float>());

    // The loss is the sum of the results: its derivative by each of them is 1.
    const std::vector<float> ones{1, 1, 1};
    const auto result = engine::with_gradient(weft->array<float>(ones, {3}));
    weft::tensor::upload(*result->grad_in(), std::as_bytes(std::span(ones)));
    lit.backward()(albedo, light, engine::Argument(result).as_result());
    print("by albedo", engine::values_of<float>(*albedo->grad_out()));
    print("by light", engine::values_of<float>(*light->grad_out()));
}

} // namespace

int main() {
    try {
        run();
        return EXIT_SUCCESS;
    } catch (const weft::core::Error& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
