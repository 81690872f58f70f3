// SPDX-License-Identifier: Apache-2.0
// What the public headers promise, held against an installed tree. Prints what does not hold.
#include <weft/engine/engine.hpp>
#include <weft/tensor/view.hpp>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using weft::engine::Argument;
using weft::engine::host_array;

constexpr const char* kSource = R"(
struct Pixel { float3 color; int count; float total() { return (color.x + color.y + color.z) * float(count); } }
enum Mode { Plus, Minus }
extern static const int kScale = 1;
float add(float a, float b) { return a + b; }
float signed_by(float a, Mode mode) { return mode == Mode::Minus ? -a : a; }
float total(Pixel pixel) { return pixel.total(); }
void split(float3 v, out float first, out int second) { first = v.x; second = int(v.y); }
int scaled(int n) { return n * kScale; }
bool is_large(uint64_t n) { return n > 18000000000000000000ULL; }
[Differentiable] float square(float a) { return a * a; }
)";

int failures = 0;

void expect(bool holds, const char* what) {
    if (!holds) {
        std::cout << "does not hold: " << what << '\n';
        ++failures;
    }
}

template <typename Error, typename Work>
void expect_error(Work work, const std::string& part, const char* what) {
    try {
        work();
    } catch (const Error& error) {
        expect(std::string(error.what()).find(part) != std::string::npos, error.what());
        return;
    }
    expect(false, what);
}

void check_calls(const weft::engine::Engine& engine, const weft::engine::Module& module) {
    const auto add = module.function("add");
    expect(add(1.5, 2).values<float>() == std::vector<float>{3.5F}, "numbers give a number");
    const std::vector<float> column{10, 20};
    const std::vector<float> row{1, 2, 3};
    const auto sum = add(engine.array<float>(column, {2, 1}), host_array(std::span(row)));
    expect(sum.values<float>() == std::vector<float>{11, 12, 13, 21, 22, 23},
           "a tensor and a host array broadcast");
    const auto shape = sum.tensor()->shape();
    expect(std::vector<std::int64_t>(shape.begin(), shape.end()) == std::vector<std::int64_t>{2, 3},
           "the result has the shape of the call");
    const auto turned = weft::tensor::reshape(sum.tensor(), {3, 2});
    expect(weft::engine::values_of<float>(*turned).size() == 6, "views are exported");

    const auto is_large = module.function("is_large");
    expect(is_large(std::uint64_t{18'000'000'000'000'000'001U}).at(0).bytes.at(0) != std::byte{0},
           "64 unsigned bits arrive");
    expect(module.function("signed_by")(2.0, "Minus").values<float>() == std::vector<float>{-2},
           "an enumerator is named");
    const std::vector<float> color{1, 2, 3};
    const auto pixel = Argument::structure({{"color", host_array(std::span(color))}, {"count", 2}});
    expect(module.function("total")(pixel).values<float>() == std::vector<float>{12},
           "a structure is made of its fields");
    expect(add(Argument(1.0).named("b"), Argument(2.0).named("a")).values<float>() ==
               std::vector<float>{3},
           "arguments have names");
    expect(module.function("scaled", {{"kScale", "5"}})(3).values<std::int32_t>() ==
               std::vector<std::int32_t>{15},
           "a constant is set");
}

void check_results(const weft::engine::Module& module) {
    const std::vector<float> vectors{1, 2, 3, 4, 5, 6};
    const auto given = host_array(std::span(vectors), {2, 3});
    const auto both = module.function("split")(given);
    expect(both.size() == 2 && both.values<float>(0) == std::vector<float>{1, 4} &&
               both.values<std::int32_t>(1) == std::vector<std::int32_t>{2, 5},
           "out parameters that got nothing are returned");
    std::array<double, 2> first{};
    std::array<std::int64_t, 2> second{};
    const auto none = module.function("split")(given, host_array(std::span(first)),
                                               host_array(std::span(second)));
    expect(none.size() == 0 && first[1] == 4 && second[1] == 5,
           "out parameters are written to host arrays of other kinds");

    std::vector<float> value{3, 4};
    std::vector<float> gradient{0, 0};
    std::vector<float> result{0, 0};
    std::vector<float> weights{1, 10};
    module.function("square").backward()(
        Argument::pair(host_array(std::span(value)), host_array(std::span(gradient))),
        Argument::pair(host_array(std::span(result)), host_array(std::span(weights))).as_result());
    expect(gradient == std::vector<float>{6, 80}, "a pair of host arrays gets its gradient");
}

void check_reflection(const weft::engine::Module& module) {
    const auto type = module.find_type("Pixel");
    expect(type != nullptr && type->fields.size() == 2 && type->fields[1].offset == 12,
           "a structure's layout is known");
    expect(module.function("add").overloads().at(0).parameters.at(1).name == "b",
           "parameters are known");
    const std::array<Argument, 2> arguments{1.0, 2.0};
    expect(module.function("add").generated_source(arguments).find("add") != std::string::npos,
           "a kernel's source can be read");
}

void check_errors(const weft::engine::Engine& engine, const weft::engine::Module& module) {
    using weft::core::ArgumentError;
    expect_error<ArgumentError>([&] { static_cast<void>(module.function("ad")); }, "add",
                                "an unknown function is an error that names similar ones");
    expect_error<weft::core::CompileError>(
        [&] { static_cast<void>(engine.load_source("bad", "float f() { return x; }")); }, "x",
        "what Slang refuses is a CompileError");
    expect_error<ArgumentError>([&] { static_cast<void>(engine.load_file("absent.slang")); },
                                "absent.slang", "a file that is missing is an error");
    expect_error<ArgumentError>(
        [&] { static_cast<void>(module.function("add")(1, 2).values<double>()); }, "double",
        "values of another type are an error");
    const std::vector<float> row{1, 2, 3};
    expect_error<ArgumentError>([&] { static_cast<void>(host_array(std::span(row), {2, 2})); },
                                "(2, 2)", "a shape of another size is an error");
    expect_error<ArgumentError>(
        [&] { module.function("split")(host_array(std::span(row)), host_array(std::span(row))); },
        "split", "results are not written to const elements");
    expect_error<ArgumentError>(
        [] { static_cast<void>(weft::engine::Engine::create({.root = "nowhere"})); }, "nowhere",
        "an installation without its files is an error");
}

} // namespace

int main() {
    try {
        const auto engine = weft::engine::Engine::create();
        const auto module = engine->load_source("promises", kSource);
        check_calls(*engine, module);
        check_results(module);
        check_reflection(module);
        check_errors(*engine, module);
        engine->wait();
    } catch (const std::exception& error) {
        std::cout << "failed: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
