// SPDX-License-Identifier: Apache-2.0
// Several threads call through reflection, planning and launch at once. The device runs nothing, so
// that the thread sanitizer sees all that happens.
#include "call_builder.hpp"
#include "core/text.hpp"
#include "dispatch/function.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/temporary_folder.hpp"
#include "support/threads.hpp"

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;
using weft::core::text;

namespace {

constexpr const char* kSource = R"(
float add(float a, float b) { return a + b; }
float3 scale(float3 v, float s) { return v * s; }
T twice<T : IArithmetic>(T x) { return x + x; }
)";

struct Fixture {
    test::TemporaryFolder folder;
    std::shared_ptr<device::NullDevice> device = device::create_null_device();
    std::shared_ptr<Module> module;

    Fixture() {
        compile::ModuleDesc desc;
        desc.name = "threads";
        desc.path = folder.write("threads.slang", kSource).string();
        auto compiler = compile::Compiler::create({.slang_directory = test::slang_directory(),
                                                   .helper_executable = test::helper_executable(),
                                                   .shader_directory = test::shader_directory(),
                                                   .cache_directory = {}});
        module = Module::create({.device = device, .compiler = std::move(compiler)}, desc, {});
    }

    void call(const std::string& name, const Arguments& arguments, CallState& state) const {
        const auto function = module->function(name);
        auto plan = function->find_plan(arguments.list());
        if (!plan) {
            plan = function->make_plan(arguments.list());
        }
        state.launch(*plan, arguments.list(), *device, {});
    }
};

} // namespace

TEST_CASE("threads call the same functions of one module") {
    const Fixture fixture;

    const bool is_clean = test::run_threads([&](int) {
        const Arguments row = std::move(Arguments(fixture.device)
                                            .tensor(ScalarKind::float32, {16})
                                            .tensor(ScalarKind::float32, {16}));
        const Arguments colors =
            std::move(Arguments(fixture.device).tensor(ScalarKind::float32, {5, 3}).real(2));
        const Arguments one = std::move(Arguments(fixture.device).tensor(ScalarKind::float32, {7}));
        CallState state;
        for (int i = 0; i < 200; ++i) {
            fixture.call("add", row, state);
            fixture.call("scale", colors, state);
            fixture.call("twice", one, state);
        }
    });

    CHECK(is_clean);
    CHECK(fixture.device->dispatch_count() == std::uint64_t{test::kThreads} * 600);
}

TEST_CASE("one thread reloads a module while others call it") {
    const Fixture fixture;

    const bool is_clean = test::run_threads([&](int thread) {
        const Arguments row =
            std::move(Arguments(fixture.device).tensor(ScalarKind::float32, {16}).real(1));
        CallState state;
        for (int i = 0; i < (thread == 0 ? 5 : 100); ++i) {
            if (thread == 0) {
                fixture.folder.write("threads.slang", text(kSource, "// edit ", i, "\n"));
                fixture.module->reload();
            }
            fixture.call("add", row, state);
        }
    });

    CHECK(is_clean);
    CHECK(fixture.module->generation() == 6);
}
