// SPDX-License-Identifier: Apache-2.0
// One call through all layers on every device of this machine: Slang text in, numbers out.
#include "call_builder.hpp"
#include "core/error.hpp"
#include "dispatch/function.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "tensor/transfer.hpp"

#include <cstring>
#include <numeric>

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;

namespace {

struct Fixture {
    std::shared_ptr<device::Device> device =
        device::Device::create({.type = device::DeviceType::automatic, .debug = true});
    std::shared_ptr<Module> module;

    explicit Fixture(const std::string& text) {
        compile::CompilerDesc compiler;
        compiler.slang_directory = test::slang_directory();
        compiler.helper_executable = test::helper_executable();
        compiler.shader_directory = test::shader_directory();
        compile::ModuleDesc desc;
        desc.name = "end_to_end";
        desc.text = text;
        desc.target = device->target();
        module = Module::create({.device = device, .compiler = compile::Compiler::create(compiler)},
                                desc, {});
    }
    ~Fixture() { CHECK(device->validation_message_count() == 0); }

    std::vector<float> call(const std::string& name, const Arguments& arguments) {
        const auto function = module->function(name);
        auto plan = function->find_plan(arguments.list());
        if (!plan) {
            plan = function->make_plan(arguments.list());
        }
        CallState state;
        state.launch(*plan, arguments.list(), *device, {});
        if (state.needs_read_back(*plan)) {
            state.read_back(*plan, *device, {});
            std::vector<float> value(state.outputs[0].value.size() / sizeof(float));
            std::memcpy(value.data(), state.outputs[0].value.data(), state.outputs[0].value.size());
            return value;
        }
        tensor::Tensor& result = *state.outputs.at(0).tensor;
        std::vector<float> values(static_cast<std::size_t>(result.element_count()) *
                                  result.dtype()->layout.size / sizeof(float));
        tensor::download(result, std::as_writable_bytes(std::span(values)));
        return values;
    }
};

constexpr const char* kSource = R"(
float add(float a, float b) { return a + b; }
float3 scale(float3 v, float s) { return v * s; }
float pick(ITensor<float, 1> t, int i) { return t[i]; }
)";

} // namespace

TEST_CASE("a function of numbers returns a number") {
    Fixture fixture(kSource);

    CHECK(fixture.call("add", Arguments(fixture.device).real(1.5).integer(2)) ==
          std::vector<float>{3.5F});
}

TEST_CASE("a function is called over a list and a broadcast number") {
    Fixture fixture(kSource);

    CHECK(fixture.call("add", Arguments(fixture.device).list({3}, {1, 2, 3}).real(10)) ==
          std::vector<float>{11, 12, 13});
}

TEST_CASE("a row and a column broadcast to a matrix") {
    Fixture fixture(kSource);

    CHECK(fixture.call("add",
                       Arguments(fixture.device).list({2, 1}, {10, 20}).list({3}, {1, 2, 3})) ==
          std::vector<float>{11, 12, 13, 21, 22, 23});
}

TEST_CASE("vectors are taken from the trailing dimension") {
    Fixture fixture(kSource);

    CHECK(fixture.call(
              "scale",
              Arguments(fixture.device).list({2, 3}, {1, 2, 3, 4, 5, 6}).list({2}, {1, 10})) ==
          std::vector<float>{1, 2, 3, 40, 50, 60});
}

TEST_CASE("a whole tensor is read at computed indices") {
    Fixture fixture(kSource);

    CHECK(fixture.call("pick", Arguments(fixture.device).list({4}, {5, 6, 7, 8}).integer(3)) ==
          std::vector<float>{8});
}
