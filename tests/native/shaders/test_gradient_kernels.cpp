// SPDX-License-Identifier: Apache-2.0
#include "shader_runner.hpp"
#include "support/catch.hpp"

#include <numeric>

using namespace weft;
using namespace weft::test;

namespace {

constexpr const char* kFile = "gradient_kernels.cs.slang";
constexpr float kScale = 3;

/// 16 small integers, so that every product is exact in float.
std::vector<float> small_integers(int seed) {
    std::vector<float> values(16);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>((static_cast<int>(i) * 7 + seed * 5) % 9 + 1);
    }
    return values;
}

float at(const std::vector<float>& matrix, std::size_t row, std::size_t column) {
    return matrix[row * 4 + column];
}

/// What readEveryWay computes: the weights 1 and 8 fall on [1, 0], the others on [0, 1].
float read_every_way(const std::vector<float>& t) {
    return 9 * at(t, 1, 0) + 54 * at(t, 0, 1);
}

std::vector<float> expected_gradient(float incoming) {
    std::vector<float> gradient(16, 0.0F);
    gradient[4] = 9 * incoming;
    gradient[1] = 54 * incoming;
    return gradient;
}

} // namespace

TEST_CASE("gradients flow through every way to name an element") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = small_integers(1);
        const auto w_gradient = small_integers(2);
        const auto rw = small_integers(3);
        const auto rw_gradient = small_integers(4);
        const std::vector<float> zeros(16, 0.0F);
        const std::vector<std::shared_ptr<device::Buffer>> owners{
            upload(*device, x),          upload(*device, zeros), upload(*device, zeros),
            upload(*device, w_gradient), upload(*device, rw),    upload(*device, rw_gradient),
            upload(*device, zeros),      upload(*device, zeros)};
        ArgumentBytes arguments;
        std::vector<device::Buffer*> buffers;
        for (const auto& owner : owners) {
            arguments.add_pointer(owner.get());
            buffers.push_back(owner.get());
        }

        run_twin(*device, {kFile, "propagateGradients"}, arguments, buffers);

        const float to_v = kScale * at(w_gradient, 1, 0) + at(w_gradient, 2, 1);
        const float to_u = kScale * at(w_gradient, 0, 1) + at(w_gradient, 3, 2) +
                           kScale * at(rw_gradient, 2, 1) + at(rw_gradient, 0, 3);
        const float to_scale = at(w_gradient, 1, 0) * read_every_way(x) +
                               (at(w_gradient, 0, 1) + at(rw_gradient, 2, 1)) * read_every_way(rw);
        CHECK(download<float>(*device, *owners[1]) == expected_gradient(to_v));
        CHECK(download<float>(*device, *owners[6]) == expected_gradient(to_u));
        CHECK(download<float>(*device, *owners[7])[0] == to_scale);
    }
}

TEST_CASE("a null gradient reads zero and drops what is added") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = upload(*device, small_integers(1));
        const auto rw_gradient = upload(*device, small_integers(4));
        const auto scratch = upload(*device, small_integers(3));
        const auto rw = upload(*device, small_integers(5));
        const auto scale = upload(*device, std::vector<float>(1, 0.0F));
        ArgumentBytes arguments;
        arguments.add_pointer(x.get())
            .add_pointer(nullptr)
            .add_pointer(scratch.get())
            .add_pointer(nullptr);
        arguments.add_pointer(rw.get())
            .add_pointer(rw_gradient.get())
            .add_pointer(nullptr)
            .add_pointer(scale.get());

        const std::array<device::Buffer*, 5> buffers{x.get(), rw_gradient.get(), scratch.get(),
                                                     rw.get(), scale.get()};
        run_twin(*device, {kFile, "propagateGradients"}, arguments, buffers);

        CHECK(download<float>(*device, *x) == small_integers(1));
        CHECK(download<float>(*device, *scale)[0] ==
              at(small_integers(4), 2, 1) * read_every_way(small_integers(5)));
    }
}

TEST_CASE("the structures without gradients compute the same values") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto x = small_integers(1);
        const auto rw = small_integers(3);
        const auto x_buffer = upload(*device, x);
        const auto w_buffer = upload(*device, std::vector<float>(16, 0.0F));
        const auto rw_buffer = upload(*device, rw);
        ArgumentBytes arguments;
        arguments.add_pointer(x_buffer.get())
            .add_pointer(w_buffer.get())
            .add_pointer(rw_buffer.get());

        const std::array<device::Buffer*, 3> buffers{x_buffer.get(), w_buffer.get(),
                                                     rw_buffer.get()};
        run_twin(*device, {kFile, "evaluate"}, arguments, buffers);

        const auto written = download<float>(*device, *w_buffer);
        CHECK(at(written, 1, 0) == kScale * read_every_way(x));
        CHECK(at(written, 0, 1) == kScale * read_every_way(rw));
        CHECK(at(written, 2, 1) == read_every_way(x));
        CHECK(at(written, 3, 2) == read_every_way(rw));
        const auto updated = download<float>(*device, *rw_buffer);
        CHECK(at(updated, 2, 1) == kScale * read_every_way(rw));
        CHECK(at(updated, 0, 3) == read_every_way(rw));
    }
}

TEST_CASE("concurrent additions to one element all count") {
    for (const auto& device : shader_devices()) {
        CAPTURE(device->info().name);
        const auto vectors = upload(*device, std::vector<float>(6, 0.0F));
        const auto scalars = upload(*device, std::vector<float>(2, 0.0F));
        ArgumentBytes arguments;
        arguments.add_pointer(vectors.get()).add_pointer(scalars.get());

        const std::array<device::Buffer*, 2> buffers{vectors.get(), scalars.get()};
        run_twin(*device, {kFile, "addTogether", {8, 1, 1}}, arguments, buffers);

        CHECK(download<float>(*device, *vectors) == std::vector<float>{0, 0, 0, 8, 16, 24});
        CHECK(download<float>(*device, *scalars) == std::vector<float>{0, 8});
    }
}
