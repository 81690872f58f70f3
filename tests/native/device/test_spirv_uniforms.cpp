// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_uniforms.hpp"

#include "compile/compiler.hpp"
#include "core/text.hpp"
#include "device/vulkan/spirv.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <utility>
#include <vector>

using namespace weft;
using namespace weft::device::vulkan;

namespace {

constexpr const char* kDeclarations = R"(
    struct Rows { half3x2 rows; float number; };
    struct Part { half3 v; int8_t number; };
    struct Mixed { half4 narrow; float4 wide; };
    uniform half4 h4; uniform half3x2 h32; uniform half2 h2[4]; uniform half scalars[5];
    uniform int8_t3 b3; uniform uint8_t4 u4; uniform int16_t2 s2; uniform uint16_t2 k[4];
    uniform Rows rows; uniform Rows many[3]; uniform Part part;
    uniform float4 f4; uniform float3x3 f33; uniform int3 i3; uniform bool3 flags; uniform double2 d2;
    ConstantBuffer<Mixed> block; cbuffer Old { int16_t4 old; }
    static half4 global;
    struct Counter { int value; half4 kept; };
    half pick(half4 v, int i) { return v[i]; }
    [noinline] half pick_apart(half4 v, int i) { return v[i]; }
    half write(half4 v, int i) { v[i] = 3; return v.x + v.y; }
    half through_global(int i) { global = h4; return global[i]; }
    half through_member(int i) { Counter c; c.value = i; c.kept = h4; return c.kept[c.value]; }
    half in_loop(int i)
    {
        half4 now = half4(half(i)), later = now;
        half sum = 0;
        for (int j = 0; j < i; j++)
        {
            sum += now[j & 3];
            now = later;
            later = h4;
        }
        return sum;
    }
)";

SpirvModule module_of(const std::string& expression) {
    static const std::shared_ptr<compile::Compiler> compiler =
        compile::Compiler::create({.slang_directory = test::slang_directory(),
                                   .helper_executable = {}, // in this process
                                   .shader_directory = test::shader_directory(),
                                   .cache_directory = {}});
    compile::ModuleDesc module;
    module.name = "uniforms";
    module.text = kDeclarations;
    compile::KernelRequest request;
    request.module = compiler->load_module(module);
    request.entry_point = "entry";
    request.source = core::text(
        "import \"", request.module->import_name,
        "\";\nstruct Arguments { double* result; half4* h; "
        "int i; int j; half4 given; };\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
        "void entry(uniform Arguments a)\n{ int i = a.i; int j = a.j; *a.result = double(",
        expression, "); }\n");
    const auto code = read_spirv(compiler->compile_kernel(request).code);
    REQUIRE(code.has_value());
    return SpirvModule::read(code->words).value();
}

using Cases = std::vector<std::pair<std::string, std::string>>; ///< expression, uniform

} // namespace

TEST_CASE("a component of a narrow uniform that is picked at run time is found") {
    const auto [expression, uniform] = GENERATE(from_range(Cases{
        {"h4[i]", "h4"},
        {"h32[i][j]", "h32"},
        {"h32[1][j]", "h32"},
        {"h2[i][j]", "h2"},
        {"h2[1][j]", "h2"},
        {"b3[i]", "b3"},
        {"u4[i]", "u4"},
        {"s2[i]", "s2"},
        {"k[i][j]", "k"},
        {"rows.rows[i][j]", "rows"},
        {"many[1].rows[i][j]", "many"},
        {"many[i].rows[j][j]", "many"},
        {"part.v[i]", "part"},
        {"block.narrow[i]", "block"},
        {"old[i]", "old"},
        {"h4.wzyx[i]", "h4"},
        {"half4(h4.x, h4.y, 0, 0)[i]", "h4"},
        {"(h4 * h4)[i]", "h4"},
        {"(i > 3 ? h4 : a.given)[j]", "h4"},
        {"h4[i > 3 ? 1 : 2]", "h4"},
        {"pick(h4, i)", "h4"},
        {"write(h4, i)", "h4"},
        {"through_global(i)", "h4"},
        {"through_member(i)", "h4"},
        {"in_loop(i)", "h4"},
        {"h4.x + b3[i]", "b3"},
    }));
    CAPTURE(expression);

    const auto found = find_indexed_narrow_uniform(module_of(expression));

    REQUIRE(found.has_value());
    CHECK(*found == uniform);
}

TEST_CASE("a component that a function kept apart picks is found") {
    CHECK(find_indexed_narrow_uniform(module_of("pick_apart(h4, i)")).has_value());
}

TEST_CASE("reads that the driver gets right are not found") {
    const std::string expression =
        GENERATE(as<std::string>{},                                     //
                 "h4.y + h4[2]", "h32[i].y", "h32[i][1]", "h2[i][0]",   //
                 "k[i].x", "many[i].rows[j].x", "scalars[i]",           //
                 "many[i].number", "part.number", "part.v.z", "f4[i]",  //
                 "f33[i][j]", "i3[i]", "flags[i] ? 1 : 0", "d2[i]",     //
                 "block.wide[i]", "block.narrow.x + f4[i]",             //
                 "a.given[i]", "a.given[i] + h4.x", "(*a.h)[i] + h4.x", //
                 "pick(a.given, i) * f4[j]",                            //
                 "write(a.given, i) + b3.x", "half4(f4)[i] + h4.y",     //
                 "dot(h4, h4) + f4[i]", "a.given[int(h4.x) & 3]");
    CAPTURE(expression);

    CHECK_FALSE(find_indexed_narrow_uniform(module_of(expression)).has_value());
}

TEST_CASE("a component taken by OpVectorExtractDynamic is found") {
    SpirvModule module = module_of("h4[i]");
    const std::uint32_t half = module.type(spirv::kTypeFloat, {16});
    // As other compilers write it: the load, then the component, without a variable.
    std::uint32_t vector = 0;
    std::uint32_t index = 0;
    for (SpirvInstruction& one : module.code) {
        if (one.operation == spirv::kStore && vector == 0) {
            vector = one.operands[1];
            one = {spirv::kStore, {}};
        } else if (one.operation == spirv::kAccessChain && vector != 0 && index == 0) {
            index = one.operands[3];
            one = {spirv::kVectorExtractDynamic, {half, one.operands[1], vector, index}};
        }
    }
    std::erase_if(module.code, [](const SpirvInstruction& one) {
        return one.operation == spirv::kStore && one.operands.empty();
    });

    CHECK(find_indexed_narrow_uniform(module) == "h4");
}
