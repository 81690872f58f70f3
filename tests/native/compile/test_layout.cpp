// SPDX-License-Identifier: Apache-2.0
// Layouts are computed by reflect/. The judge for SPIR-V is the code that Slang emits; for CUDA it is a table
// that NVRTC's offsetof gave for the structures that Slang emits.
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <map>

using namespace weft;
using namespace weft::compile;

namespace {

constexpr std::string_view kStructures =
    "struct Inner { float3 f; half e; };\n"
    "enum Mode { a, b };\n"
    "struct All { Inner i; half z; half2 h2; half4 h4; bool b1; bool2 b2; bool b; bool3 b3; bool4 "
    "b4; uint8_t u;\n"
    "  vector<uint8_t, 2> u2; vector<uint8_t, 3> u3; vector<int16_t, 2> s2; vector<int16_t, 3> "
    "s3;\n"
    "  vector<int16_t, 4> s4; double2 d2; float x; double3 d3; float y; double4 d4; float4x4 m44; "
    "float2x2 m22;\n"
    "  half3x3 h33; float2x3 m23; float3x2 m32; bool2x2 bm; vector<float, 1> f1; Inner items[2]; "
    "Mode mode;\n"
    "  float* p; vector<half, 1> h1; vector<int64_t, 2> l2; half3 h3; half3 h3a[2]; half tail; };\n"
    "struct Small { float a; float2 b; bool c; double d; half e; float3 f; float3x3 m; int g[3]; "
    "};\n";

std::vector<std::uint32_t> to_words(const std::vector<std::byte>& code) {
    std::vector<std::uint32_t> words(code.size() / 4);
    std::memcpy(words.data(), code.data(), words.size() * 4);
    return words;
}

/// Byte offsets of the members of the SPIR-V structure called `name`.
std::vector<std::size_t> member_offsets(const std::vector<std::uint32_t>& words,
                                        const std::string& name) {
    constexpr std::uint32_t kName = 5;
    constexpr std::uint32_t kMemberDecorate = 72;
    constexpr std::uint32_t kOffsetDecoration = 35;
    constexpr std::size_t kHeaderWords = 5;
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> offsets;
    std::uint32_t id = 0;
    for (std::size_t i = kHeaderWords; i < words.size(); i += words[i] >> 16) {
        const std::uint32_t op = words[i] & 0xffff;
        if (op == kName && name == reinterpret_cast<const char*>(&words[i + 2])) {
            id = words[i + 1];
        } else if (op == kMemberDecorate && words[i + 3] == kOffsetDecoration) {
            offsets[words[i + 1]][words[i + 2]] = words[i + 4];
        }
    }
    std::vector<std::size_t> result;
    for (const auto& [member, offset] : offsets[id]) {
        result.push_back(offset);
    }
    return result;
}

std::vector<std::size_t> field_offsets(const reflect::Type& type) {
    std::vector<std::size_t> result;
    for (const reflect::Field& field : type.fields) {
        result.push_back(field.offset);
    }
    return result;
}

} // namespace

TEST_CASE("the SPIR-V layout of a structure is the one in the code that Slang emits") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, kStructures);

    KernelRequest request{.module = module, .linked = {}, .source = {}, .entry_point = "probe"};
    request.source =
        core::text("import \"", module->import_name, "\";\n",
                   "struct Arguments { All* all; Small* small; };\n"
                   "[shader(\"compute\")] [numthreads(1, 1, 1)] void probe(uniform Arguments a)\n"
                   "{ a.all[1].x = a.all.y; a.small[1].a = a.small.e; }\n");
    const auto words = to_words(compiler->compile_kernel(request).code);

    for (const std::string name : {"All", "Small"}) {
        const reflect::Type& type = *only_struct(module->reflection, name).type;
        const auto emitted = member_offsets(words, name + "_natural");
        REQUIRE(emitted.size() == type.fields.size());
        CHECK(field_offsets(type) == emitted);
    }
    const reflect::Layout& all = only_struct(module->reflection, "All").type->layout;
    CHECK(all.size == 444);
    CHECK(all.alignment == 8);
    CHECK(all.stride == 448);
}

TEST_CASE("the CUDA layout of a structure is the one that NVRTC gives it") {
    const auto module = load_text(*plain_compiler(), kStructures, Target::cuda);

    const reflect::Type& all = *only_struct(module->reflection, "All").type;
    const reflect::Type& small = *only_struct(module->reflection, "Small").type;
    CHECK(field_offsets(all) ==
          std::vector<std::size_t>{0,   16,  20,  24,  32,  34,  36,  37,  40,  44,  46,  48,
                                   52,  56,  64,  80,  96,  104, 128, 144, 176, 240, 256, 280,
                                   304, 328, 332, 336, 368, 376, 384, 400, 416, 424, 440});
    CHECK(all.layout.stride == 448);
    CHECK(all.layout.alignment == 16);
    CHECK(field_offsets(small) == std::vector<std::size_t>{0, 8, 16, 24, 32, 36, 48, 84});
    CHECK(small.layout.stride == 96);
}

TEST_CASE("a bool takes four bytes behind a SPIR-V pointer and one behind a CUDA pointer") {
    const auto spirv = load_text(*plain_compiler(), "void f(bool b) {}");
    const auto cuda = load_text(*plain_compiler(), "void f(bool b) {}", Target::cuda);

    CHECK(spirv->reflection.functions.at(0).parameters.at(0).type->layout.stride == 4);
    CHECK(cuda->reflection.functions.at(0).parameters.at(0).type->layout.stride == 1);
}

TEST_CASE("a global whose type CUDA cannot lay out is named") {
    const std::string source = "Texture2D<float4> picture;\nSubpassInput<float4> attachment;\n"
                               "float f(float x) { return x; }\n";

    CHECK(load_text(*plain_compiler(), source)->reflection.functions.size() == 1);
    CHECK_THROWS_WITH(
        load_text(*plain_compiler(), source, Target::cuda),
        Catch::Contains("'attachment' is a resource that kernels of this device cannot hold") &&
            Catch::Contains(":2:"));
}
