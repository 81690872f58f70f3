// SPDX-License-Identifier: Apache-2.0
// A kernel that needs what its device lacks is refused before a driver sees it.
#include "call_builder.hpp"
#include "core/error.hpp"
#include "dispatch/function.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;

namespace {

constexpr const char* kSource = R"(
float single(float x) { return x + 1; }
float precise(float x) { return float(double(x) * double(x)); }
float wide(float x) { return float(int64_t(x) * 3); }
float narrow(float x) { return float(half(x) * half(3)); }
[Differentiable] float scaled(float x, float by) { return x * by; }
)";

/// A device of host memory that can do nothing special.
struct Fixture {
    std::shared_ptr<device::NullDevice> device;
    std::shared_ptr<Module> module;

    explicit Fixture(const device::DeviceFeatures& features = {})
        : device(device::create_null_device(features)) {
        compile::ModuleDesc desc;
        desc.name = "features";
        desc.text = kSource;
        auto compiler = compile::Compiler::create({.slang_directory = test::slang_directory(),
                                                   .helper_executable = test::helper_executable(),
                                                   .shader_directory = test::shader_directory(),
                                                   .cache_directory = {}});
        module = Module::create({.device = device, .compiler = std::move(compiler)}, desc, {});
    }

    void plan(const std::string& name) const {
        const Arguments arguments = std::move(Arguments(device).tensor(ScalarKind::float32, {16}));
        (void)module->function(name)->make_plan(arguments.list());
    }

    /// Of a backward call in which all threads add to the gradient of one number.
    void plan_sum(bool is_deterministic) const {
        const TypeRef number = reflect::scalar_type(ScalarKind::float32);
        const Arguments arguments = std::move(Arguments(device)
                                                  .tensor(number, {16})
                                                  .tensor(number, {1})
                                                  .with_gradient()
                                                  .tensor(number, {16}, Role::result)
                                                  .with_gradient());
        CallOptions options;
        options.derivative = codegen::Derivative::backward;
        options.is_deterministic = is_deterministic;
        (void)module->function("scaled", options)->make_plan(arguments.list());
    }
};

} // namespace

TEST_CASE("a type that the device lacks is refused with function, type, device and remedy") {
    const Fixture fixture;

    CHECK_THROWS_WITH(fixture.plan("precise"), ContainsSubstring("precise: it uses double") &&
                                                   ContainsSubstring("device 'null device'") &&
                                                   ContainsSubstring("features.float64 is False") &&
                                                   ContainsSubstring("use float"));
    CHECK_THROWS_WITH(fixture.plan("wide"), ContainsSubstring("wide: it uses 64-bit integers"));
    CHECK_THROWS_WITH(fixture.plan("narrow"), ContainsSubstring("narrow: it uses half"));
    CHECK_THROWS_AS(fixture.plan("narrow"), core::ArgumentError);
}

TEST_CASE("deterministic sums ask for 64-bit integer atomics") {
    const Fixture fixture({.float64 = true, .int64 = true});

    CHECK_THROWS_WITH(fixture.plan_sum(true),
                      ContainsSubstring("scaled: it uses 64-bit integer atomics") &&
                          ContainsSubstring("features.int64_atomics is False") &&
                          ContainsSubstring("pass deterministic=False"));
    CHECK_NOTHROW(fixture.plan_sum(false));
    CHECK_NOTHROW(Fixture({.float64 = true, .int64 = true, .int64_atomics = true}).plan_sum(true));
}

TEST_CASE("a kernel of floats asks nothing of the device") {
    const Fixture fixture;

    CHECK_NOTHROW(fixture.plan("single"));
}
