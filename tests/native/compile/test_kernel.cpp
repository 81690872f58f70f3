// SPDX-License-Identifier: Apache-2.0
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace weft;
using namespace weft::compile;

namespace {

/// A kernel that stores `expression` through the pointer in its arguments.
KernelRequest store_request(const LoadedModuleRef& module, const std::string& expression) {
    KernelRequest request{.module = module,
                          .linked = {},
                          .source = {},
                          .entry_point = "weft_entry",
                          .target = module->desc.target};
    request.source = core::text(
        "import \"", module->import_name, "\";\nimport weft;\n",
        "struct Arguments { float* result; float value; };\n"
        "[shader(\"compute\")] [numthreads(32, 1, 1)]\n"
        "void weft_entry(uint3 thread : SV_DispatchThreadID, uniform Arguments arguments)\n"
        "{ let value = arguments.value; arguments.result[thread.x] = ",
        expression, "; }\n");
    return request;
}

std::string code_text(const KernelCode& kernel) {
    return {reinterpret_cast<const char*>(kernel.code.data()), kernel.code.size()};
}

} // namespace

TEST_CASE("a kernel compiles to SPIR-V 1.5 that keeps the name of its entry point") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, "float twice(float x) { return 2 * x; }");

    const KernelCode kernel = compiler->compile_kernel(store_request(module, "twice(value)"));

    std::uint32_t header[2] = {};
    REQUIRE(kernel.code.size() > sizeof header);
    std::memcpy(header, kernel.code.data(), sizeof header);
    CHECK(header[0] == 0x07230203);
    CHECK(header[1] == 0x00010500);
    CHECK(code_text(kernel).find("weft_entry") != std::string::npos);
    CHECK(kernel.hash == core::hash_bytes(kernel.code));
    CHECK(kernel.global_bytes == 0);
}

TEST_CASE("a kernel compiles to CUDA source with its prelude") {
    const auto compiler = plain_compiler();
    const auto module =
        load_text(*compiler, "float twice(float x) { return 2 * x; }", Target::cuda);

    const std::string code =
        code_text(compiler->compile_kernel(store_request(module, "twice(value)")));

    CHECK(code.find("extern \"C\" __global__") != std::string::npos);
    CHECK(code.find("weft_entry") != std::string::npos);
    CHECK(code.find("SLANG_CUDA_CALL") != std::string::npos);
}

TEST_CASE("sums of a subgroup are warp instructions on CUDA") {
    const auto compiler = plain_compiler();
    const auto module =
        load_text(*compiler,
                  "import weft;\nexport static const bool weft_adds_by_subgroup = true;\n"
                  "float share(float x, float* target) { weft_subgroup_add(target, "
                  "int64_t(uint64_t(target)), x); return x; }\n"
                  "uniform float* sum;\n"
                  "float shared(float x) { return share(x, sum); }\n",
                  Target::cuda);

    const std::string code =
        code_text(compiler->compile_kernel(store_request(module, "shared(value)")));

    // The prelude defines what Slang calls for its own wave operations.
    const std::string own = code.substr(code.rfind("weft_subgroup_enter"));
    CHECK(code.find("__shfl_xor_sync") != std::string::npos);
    CHECK(own.find("_wave") == std::string::npos);
    CHECK(own.find("_getActiveMask") == std::string::npos);
}

TEST_CASE("uniforms at module scope become one block with offsets, if the kernel uses them") {
    const auto compiler = plain_compiler();
    for (const Target target : {Target::spirv, Target::cuda}) {
        const auto module =
            load_text(*compiler,
                      "uniform float scale;\nuniform float3 tint;\nuniform int count;\n"
                      "float scaled(float x) { return x * scale + tint.y + count; }\n"
                      "float plain(float x) { return x; }\n",
                      target);

        const KernelCode used = compiler->compile_kernel(store_request(module, "scaled(value)"));
        const KernelCode unused = compiler->compile_kernel(store_request(module, "plain(value)"));

        REQUIRE(used.globals.size() == 3);
        CHECK(used.globals[0].name == "scale");
        CHECK(used.globals[0].offsets.front() == 0);
        CHECK(used.globals[1].name == "tint");
        CHECK(used.globals[1].offsets.front() == (target == Target::spirv ? 16 : 4));
        CHECK(used.globals[2].offsets.front() == (target == Target::spirv ? 28 : 16));
        CHECK(used.global_bytes >= 20);
        CHECK(unused.global_bytes == 0);
        CHECK(unused.globals.empty());
    }
}

TEST_CASE("only the uniforms that a kernel reads are part of it") {
    const auto compiler = plain_compiler();
    for (const Target target : {Target::spirv, Target::cuda}) {
        const auto module =
            load_text(*compiler,
                      "struct Lamp { float3 color; float power; };\n"
                      "uniform float gain;\nuniform Lamp lamp;\n"
                      "uniform float weights[4];\nuniform int gain_0;\n"
                      "float amplified(float x) { return x * gain_0; }\n"
                      "float lit(float x) { return x * lamp.power; }\n"
                      "float power(Lamp l, float x) { return l.power * x + l.color.y; }\n"
                      "float lit_by_all(float x) { return power(lamp, x); }\n"
                      "float weighted(float x) { return x * weights[int(x)]; }\n",
                      target);
        const auto names = [&](const std::string& expression) {
            std::vector<std::string> result;
            const KernelCode kernel = compiler->compile_kernel(store_request(module, expression));
            for (const GlobalField& field : kernel.globals) {
                result.push_back(field.name);
            }
            return result;
        };

        CHECK(names("amplified(value)") == std::vector<std::string>{"gain_0"});
        CHECK(names("lit(value)") == std::vector<std::string>{"lamp.power"});
        CHECK(names("lit_by_all(value)") == std::vector<std::string>{"lamp.color", "lamp.power"});
        CHECK(names("weighted(value)") == std::vector<std::string>{"weights"});
    }
}

TEST_CASE("what the block of uniforms cannot hold is listed by name where it is used") {
    const auto compiler = plain_compiler();
    for (const Target target : {Target::spirv, Target::cuda}) {
        const auto module = load_text(*compiler,
                                      "Texture2D<float4> picture;\nuniform float gain;\n"
                                      "float plain(float x) { return x * gain; }\n"
                                      "float inner(float x) { return picture[int2(int(x))].y; }\n"
                                      "float pictured(float x) { return inner(x) * gain; }\n",
                                      target);
        const KernelCode plain = compiler->compile_kernel(store_request(module, "plain(value)"));
        const KernelCode used = compiler->compile_kernel(store_request(module, "pictured(value)"));

        CHECK(plain.unbound.empty());
        CHECK(plain.globals.size() == 1);
        REQUIRE(used.unbound.size() == 1);
        CHECK(used.unbound[0].name == "picture");
        CHECK(used.unbound[0].type.find("Texture2D") != std::string::npos);
    }
}

TEST_CASE("buffers lie in the block of uniforms as pointers with their sizes") {
    const auto compiler = plain_compiler();
    for (const Target target : {Target::spirv, Target::cuda}) {
        const auto module =
            load_text(*compiler,
                      "struct Weights { float scale; StructuredBuffer<float> values; }\n"
                      "ParameterBlock<Weights> weights;\nRWStructuredBuffer<int> counts;\n"
                      "ByteAddressBuffer bytes;\nStructuredBuffer<float2> pairs[2];\n"
                      "cbuffer Camera : register(b3) { float focus[3]; float3x3 turn; }\n"
                      "float f(float x) { InterlockedAdd(counts[1], 1); return weights.values[1] "
                      "+ bytes.Load(4) + pairs[1][2].y + focus[int(x)] + turn[1][2]; }\n",
                      target);
        const KernelCode kernel = compiler->compile_kernel(store_request(module, "f(value)"));
        const auto sizes = [&](const std::string& name) {
            std::size_t size = 0;
            for (const GlobalField& field : kernel.globals) {
                size = field.name == name ? field.offsets.size() : size;
            }
            return size;
        };

        CHECK(kernel.unbound.empty());
        CHECK(sizes("weights.values") == 2);
        CHECK(sizes("weights.scale") == 0);
        CHECK(sizes("counts") == 1);
        CHECK(sizes("bytes") == 2);
        CHECK(sizes("pairs.1") == 2);
        CHECK(sizes("focus") == 3);
        CHECK(sizes("turn") == 9);
        for (const GlobalField& field : kernel.globals) {
            const bool is_in_block = field.name == "focus" || field.name == "turn";
            CHECK(field.block == (is_in_block ? "Camera" : ""));
        }
    }
}

TEST_CASE("link-time constants are set by the kernel") {
    const auto compiler = plain_compiler();
    const auto module = load_text(
        *compiler, "extern static const int kCount;\nfloat f(float x) { return x * kCount; }",
        Target::cuda);
    KernelRequest request = store_request(module, "f(value)");
    request.source += "export static const int kCount = 12345;\n";

    CHECK(code_text(compiler->compile_kernel(request)).find("12345") != std::string::npos);
}

TEST_CASE("a kernel reaches the modules that were linked to it") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, "float f(float x) { return x; }");
    ModuleDesc desc;
    desc.name = "other";
    desc.text = "float g(float x) { return 3 * x; }";
    const auto other = compiler->load_module(desc);
    KernelRequest request = store_request(module, "g(f(value))");
    request.source = core::text("import \"", other->import_name, "\";\n", request.source);
    request.linked = {other};

    CHECK_FALSE(compiler->compile_kernel(request).code.empty());
}

TEST_CASE("two modules of one name do not collide") {
    const auto compiler = plain_compiler();
    const auto first = load_text(*compiler, "float f(float x) { return x + 1111; }", Target::cuda);
    const auto second = load_text(*compiler, "float f(float x) { return x + 2222; }", Target::cuda);

    CHECK(first->import_name != second->import_name);
    CHECK(code_text(compiler->compile_kernel(store_request(first, "f(value)"))).find("1111") !=
          std::string::npos);
    CHECK(code_text(compiler->compile_kernel(store_request(second, "f(value)"))).find("2222") !=
          std::string::npos);
}

TEST_CASE("an error in a kernel's source is a CompileError with diagnostics") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, "float f(float x) { return x; }");

    const auto error = compile_error_of(
        [&] { (void)compiler->compile_kernel(store_request(module, "nothing(value)")); });

    REQUIRE_FALSE(error.diagnostics().empty());
    CHECK(error.diagnostics()[0].message.find("nothing") != std::string::npos);
}
