// SPDX-License-Identifier: Apache-2.0
// Paths that are recorded once and replayed for other parameters, without Python.
#include "core/error.hpp"
#include "renderer_fixture.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace weft::render {
namespace {

using core::ArgumentError;
using testing::camera_above;
using testing::furnace;
using testing::RendererFixture;
using testing::square;

struct RecorderFixture : RendererFixture {
    /// Samples in two halves, stratified apart.
    PathSettings halves{
        .samples = 8, .bounces = 2, .seed = 5, .roulette_from = std::nullopt, .period = 4};
    std::vector<std::uint32_t> pixels = std::vector<std::uint32_t>(64);

    RecorderFixture() { std::iota(pixels.begin(), pixels.end(), 0U); }

    void draw(const Renderer& of, Recorder& recorder) {
        const std::vector<std::uint32_t> media = of.start_media(camera_above());
        recorder.record(
            {.camera = camera_above(), .settings = halves, .pixels = pixels, .start_media = media});
    }
    tensor::TensorRef upload(const std::vector<float>& numbers) const {
        tensor::TensorRef made = tensor::Tensor::create(
            device, {.dtype = reflect::scalar_type(reflect::ScalarKind::float32),
                     .shape = {std::ssize(numbers)}});
        tensor::upload(*made, std::as_bytes(std::span(numbers)));
        return made;
    }
    static std::vector<float> read(const tensor::Tensor& from) {
        std::vector<float> numbers(static_cast<std::size_t>(from.element_count()));
        tensor::download(from, std::as_writable_bytes(std::span(numbers)));
        return numbers;
    }
    /// Directions that move one parameter each.
    static std::vector<float> unit_rows(const Renderer& of, const std::vector<std::size_t>& moved) {
        const std::size_t count = of.tables()->materials()->values.size();
        std::vector<float> rows(moved.size() * count);
        for (std::size_t k = 0; k < moved.size(); ++k) {
            rows[k * count + moved[k]] = 1;
        }
        return rows;
    }
    /// Mean of all samples with one parameter moved.
    std::vector<float> film_at(const Renderer& of, Recorder& recorder, std::size_t parameter,
                               float step) {
        std::vector<float> values = of.tables()->materials()->values;
        values[parameter] += step;
        recorder.replay({.values = upload(values)});
        return recorder.resolve_to_host(0, halves.samples, false);
    }
};

double dot(std::span<const float> a, std::span<const float> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// A grey square below another one, under a white sky: paths go from one to the other.
scene::Scene two_squares() {
    scene::Scene scene = furnace();
    const auto grey =
        scene::material("Grey", scene::closure("diffuse", {{"color", scene::Numbers{.5, .4, .3}}}));
    scene.objects.front().materials = {grey};
    scene.objects.push_back(scene::object({.mesh = square(0.5),
                                           .materials = {grey},
                                           .transform = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0.5},
                                           .name = "shade"}));
    return scene;
}

TEST_CASE_METHOD(RecorderFixture, "records give the picture, its tangents and its gradients") {
    Renderer own = renderer(two_squares());
    const std::size_t first = own.tables()->materials()->find("Grey.color")->first;
    const auto recorder =
        own.create_recorder({0}, unit_rows(own, {first, first + 1, first + 2}), true);
    const tensor::TensorRef& values = own.tables()->values();

    draw(own, *recorder);
    recorder->replay({.values = values, .with_tangents = true});
    const std::vector<float> film = recorder->resolve_to_host(0, halves.samples, true);

    const std::size_t block = 3 * pixels.size();
    REQUIRE(film.size() == 4 * block);
    const std::vector<float> image = own.render(camera_above(), halves, {});
    for (std::size_t k = 0; k < block; ++k) {
        REQUIRE(film[k] == Approx(image[k]).margin(1e-5));
    }
    // Tangents: the film is a polynomial of degree two in each channel, so central differences are exact.
    for (std::size_t direction = 0; direction < 3; ++direction) {
        const std::vector<float> above = film_at(own, *recorder, first + direction, 0.1F);
        const std::vector<float> below = film_at(own, *recorder, first + direction, -0.1F);
        for (std::size_t k = 0; k < block; ++k) {
            REQUIRE(film[(1 + direction) * block + k] ==
                    Approx((above[k] - below[k]) / 0.2F).margin(2e-5));
        }
    }
    // Gradients: <J v, w> = <v, J^T w>, where both halves of the samples have the same w.
    std::vector<float> weights(2 * block);
    for (std::size_t k = 0; k < block; ++k) {
        weights[k] = weights[block + k] = std::sin(static_cast<float>(k));
    }
    const tensor::TensorRef gradients = upload(std::vector<float>(values->element_count()));
    recorder->replay({.values = values});
    recorder->add_gradients(
        {.values = values, .pixel_gradients = upload(weights), .gradients = gradients});
    const std::vector<float> found = read(*gradients);
    for (std::size_t k = 0; k < 3; ++k) {
        const auto tangent = std::span(film).subspan((1 + k) * block, block);
        const double forward = 2 * dot(tangent, std::span(weights).first(block));
        CHECK(found[first + k] == Approx(forward).margin(1e-3));
    }
}

TEST_CASE_METHOD(RecorderFixture, "the next draw forgets the one before, and memory grows") {
    Renderer own = renderer(two_squares());
    const auto recorder = own.create_recorder({0}, {});
    const tensor::TensorRef& values = own.tables()->values();
    draw(own, *recorder);
    recorder->replay({.values = values});
    const std::vector<float> few = recorder->resolve_to_host(0, 4, false);
    const std::int64_t used = recorder->records().used();
    CHECK(recorder->record_bytes(used) > 0);

    halves.samples = 64;
    halves.period = 32;
    draw(own, *recorder);
    CHECK(recorder->records().used() > 4 * used);
    const std::vector<float> fractions = recorder->direct_fraction();
    CHECK(fractions.front() == 0); // beside the squares
    CHECK(std::ranges::max(fractions) == 1);
    halves.samples = 8;
    halves.period = 4;
    draw(own, *recorder);
    recorder->replay({.values = values});

    CHECK(recorder->resolve_to_host(0, 4, false) == few);
    recorder->forget();
    CHECK_FALSE(recorder->records().has_memory());
    CHECK_THROWS_WITH(recorder->replay({.values = values}), ContainsSubstring("there is no draw"));
}

TEST_CASE_METHOD(RecorderFixture,
                 "a draw ends where its check says so, and the next one is whole") {
    Renderer own = renderer(two_squares());
    const auto recorder = own.create_recorder({0}, {});
    draw(own, *recorder);
    recorder->replay({.values = own.tables()->values()});
    const std::vector<float> whole = recorder->resolve_to_host(0, 8, false);
    int segments = 0;
    const core::InterruptPoll check = [&] {
        if (++segments == 2) {
            throw core::Interrupted();
        }
    };

    CHECK_THROWS_AS(
        recorder->record(
            {.camera = camera_above(), .settings = halves, .pixels = pixels, .check = check}),
        core::Interrupted);

    draw(own, *recorder);
    recorder->replay({.values = own.tables()->values()});
    CHECK(recorder->resolve_to_host(0, 8, false) == whole);
}

TEST_CASE_METHOD(RecorderFixture, "gradients of texels are differences of films") {
    scene::Scene scene = furnace();
    const auto image = scene::texture(std::vector<float>(4 * 3, 0.5F), 2, 2, 3);
    scene.objects.front().materials = {
        scene::material("Board", scene::closure("diffuse", {{"color", image}}))};
    Renderer own = renderer(scene);
    const auto recorder = own.create_recorder({0}, {}, true);
    const tensor::TensorRef& values = own.tables()->values();
    const tensor::TensorRef& texels = own.tables()->textures().texels;
    draw(own, *recorder);

    const tensor::TensorRef found =
        upload(std::vector<float>(static_cast<std::size_t>(texels->element_count())));
    const tensor::TensorRef unused =
        upload(std::vector<float>(static_cast<std::size_t>(values->element_count())));
    recorder->replay({.values = values});
    recorder->add_gradients({.values = values,
                             .pixel_gradients = upload(std::vector<float>(2 * 64 * 3, 1)),
                             .gradients = unused,
                             .texel_gradients = found});

    const std::vector<float> before = read(*texels);
    const auto sum_with = [&](float step) {
        std::vector<float> moved = before;
        moved[4] += step;
        recorder->replay({.values = values, .texels = upload(moved)});
        const std::vector<float> film = recorder->resolve_to_host(0, halves.samples, false);
        return std::accumulate(film.begin(), film.end(), 0.0);
    };
    const double slope = 2 * (sum_with(0.1F) - sum_with(-0.1F)) / 0.2;
    CHECK(slope > 1);
    CHECK(read(*found)[4] == Approx(slope).epsilon(1e-3));
}

TEST_CASE_METHOD(RecorderFixture, "numbers of media have tangents, and no gradients") {
    scene::Scene scene = furnace();
    const auto fog =
        scene::material("Fog", scene::closure("transparent"),
                        scene::closure("medium", {{"absorption", scene::Numbers{0.6, 0.4, 0.2}},
                                                  {"scattering", scene::Numbers{0.3, 0.3, 0.3}}}));
    // An open sheet: what is below it is in the medium.
    scene.objects.push_back(
        scene::object({.mesh = square(0.8F), .materials = {fog}, .name = "fog"}));
    Renderer own = renderer(scene);
    const std::size_t moved = own.tables()->materials()->find("Fog.volume.absorption")->first;
    const auto recorder = own.create_recorder({1}, unit_rows(own, {moved}));
    REQUIRE(recorder->has_media());

    draw(own, *recorder);
    recorder->replay({.values = own.tables()->values(), .with_tangents = true});
    const std::vector<float> film = recorder->resolve_to_host(0, halves.samples, true);

    const std::vector<float> above = film_at(own, *recorder, moved, 0.01F);
    const std::vector<float> below = film_at(own, *recorder, moved, -0.01F);
    const std::size_t block = above.size();
    double largest = 0;
    for (std::size_t k = 0; k < block; ++k) {
        largest = std::max(largest, std::abs(double{film[block + k]}));
        REQUIRE(film[block + k] == Approx((above[k] - below[k]) / 0.02F).margin(2e-3));
    }
    CHECK(largest > 0.1);
    CHECK_THROWS_WITH(recorder->add_gradients({}), ContainsSubstring("forward mode only"));
    CHECK_THROWS_WITH(own.create_recorder({1}, unit_rows(own, {moved}), true),
                      ContainsSubstring("cannot be fitted together with textures"));
}

TEST_CASE_METHOD(RecorderFixture, "what cannot be recorded is refused with its reason") {
    scene::Scene scene = furnace();
    scene.objects.front().materials = {scene::material(
        "Pane", scene::mix(scene::closure("diffuse"), scene::closure("transparent")))};
    CHECK_THROWS_WITH(renderer(scene).create_recorder({0}, {}),
                      ContainsSubstring("'Pane' is transparent"));
    Renderer own = renderer(furnace());
    CHECK_THROWS_WITH(own.create_recorder({7}, {}), ContainsSubstring("no material 7"));
    const auto recorder = own.create_recorder({0}, {});
    CHECK_THROWS_WITH(recorder->resolve_to_host(0, 1, false),
                      ContainsSubstring("there is no draw"));
    draw(own, *recorder);
    CHECK_THROWS_WITH(recorder->resolve_to_host(4, 5, false),
                      ContainsSubstring("samples 4 to 9 were asked for, the draw has 8"));
    CHECK_THROWS_WITH(recorder->replay({.values = upload({1})}),
                      ContainsSubstring("values must have"));
    CHECK_THROWS_WITH(recorder->resolve(0, 8, upload({1}), 0), ContainsSubstring("film must have"));
    pixels = {64};
    CHECK_THROWS_WITH(draw(own, *recorder), ContainsSubstring("below width * height = 64, got 64"));
    pixels.clear();
    CHECK_THROWS_AS(draw(own, *recorder), ArgumentError);
    pixels = {0};
    own.update(two_squares());
    CHECK_THROWS_WITH(draw(own, *recorder), ContainsSubstring("renders another scene"));
}

} // namespace
} // namespace weft::render
