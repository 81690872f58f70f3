// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_globals.hpp"

#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

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
    CHECK((second.reads_all || second.offsets == std::set<std::uint32_t>{16}));
    CHECK((both.reads_all || both.offsets == std::set<std::uint32_t>{16, 32}));
}

TEST_CASE("what is no SPIR-V has no block") {
    CHECK_FALSE(read_spirv_globals({}).is_used);
    const std::vector<std::byte> zeros(64);
    CHECK_FALSE(read_spirv_globals(zeros).is_used);
    const std::vector<std::byte> noise(63, std::byte{0xFF});
    CHECK_FALSE(read_spirv_globals(noise).is_used);
}
