// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_globals.hpp"

#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::compile;

namespace {

SpirvGlobals globals_of(const std::string& declarations, const std::string& expression) {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, declarations);
    KernelRequest request{.module = module,
                          .linked = {},
                          .source = {},
                          .entry_point = "weft_entry",
                          .target = Target::spirv};
    request.source =
        core::text("import \"", module->import_name, "\";\n",
                   "struct Arguments { float* result; };\n"
                   "[shader(\"compute\")] [numthreads(32, 1, 1)]\n"
                   "void weft_entry(uint3 thread : SV_DispatchThreadID, uniform Arguments a)\n"
                   "{ a.result[thread.x] = ",
                   expression, "; }\n");
    return read_spirv_globals(compiler->compile_kernel(request).code);
}

constexpr const char* kUniforms = "uniform float4 first;\nuniform float second;\n"
                                  "uniform int4 third;\n"
                                  "float use_second() { return second; }\n"
                                  "float use_third(uint i) { return third[i]; }\n";

} // namespace

TEST_CASE("a kernel without uniforms has no block") {
    CHECK_FALSE(globals_of(kUniforms, "1.0").is_used);
}

TEST_CASE("only the members that a kernel reads are listed") {
    const SpirvGlobals second = globals_of(kUniforms, "use_second()");
    const SpirvGlobals both = globals_of(kUniforms, "use_second() + use_third(thread.x & 3)");

    CHECK(second.is_used);
    CHECK_FALSE(second.reads(0, 4));
    CHECK(second.reads(16, 4));
    CHECK_FALSE(second.reads(32, 4));
    CHECK_FALSE(both.reads(0, 4));
    CHECK(both.reads(8, 12));
    CHECK((both.reads(16, 4) && both.reads(32, 4) && both.reads(44, 4)));
}

TEST_CASE("fields and elements that a kernel reads are told apart") {
    const std::string declarations =
        "struct Lamp { float3 color; float power; };\nuniform Lamp lamp;\nuniform Lamp lamps[3];\n"
        "float power_of(Lamp l) { return l.power; }\n";
    const SpirvGlobals power = globals_of(declarations, "lamp.power + lamps[1].color.y");
    const SpirvGlobals any = globals_of(declarations, "lamps[thread.x].power");

    CHECK_FALSE(power.reads(0, 4));
    CHECK(power.reads(12, 4));
    CHECK_FALSE(power.reads(16, 4));
    CHECK(power.reads(32, 4));
    CHECK_FALSE(power.reads(44, 4));
    CHECK_FALSE(power.reads(48, 4));
    CHECK((any.reads(16, 4) && any.reads(32, 4) && any.reads(60, 4)));
    CHECK_FALSE(any.reads(0, 4));
}

TEST_CASE("descriptors of the user's are listed by name") {
    const SpirvGlobals globals = globals_of("Texture2D<float4> picture;\nSamplerState linear;\n",
                                            "picture.SampleLevel(linear, float2(0.5), 0).x");

    REQUIRE(globals.resources.size() == 2);
    CHECK_FALSE(globals.is_used);
    std::vector<std::string> names{globals.resources[0].name, globals.resources[1].name};
    std::sort(names.begin(), names.end());
    CHECK(names == std::vector<std::string>{"linear", "picture"});
}

TEST_CASE("what is no SPIR-V has no block") {
    CHECK_FALSE(read_spirv_globals({}).is_used);
    const std::vector<std::byte> zeros(64);
    CHECK_FALSE(read_spirv_globals(zeros).is_used);
    const std::vector<std::byte> noise(63, std::byte{0xFF});
    CHECK_FALSE(read_spirv_globals(noise).is_used);
}
