// SPDX-License-Identifier: Apache-2.0
// Watertightness rests on products that are rounded before they are subtracted. What drivers fuse cannot be seen on
// the CPU, so this looks at the code that they get.
#include "fixture.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;

namespace {

constexpr const char* kKernel = R"(import "weft/trace";
[shader("compute")] [numthreads(64, 1, 1)]
void traceRays(uint3 thread : SV_DispatchThreadID, uniform View bvh, uniform float* rays, uniform uint* hits)
{
    traceClosestRay(int(thread.x), 64, 64, bvh, rays, hits);
}
)";

std::vector<std::byte> compile_for(compile::Target target, const std::string& view) {
    compile::CompilerDesc desc;
    desc.slang_directory = test::slang_directory();
    desc.shader_directory = test::shader_directory();
    const auto compiler = compile::Compiler::create(desc);
    compile::ModuleDesc module;
    module.name = "rounding";
    module.text = "// The function stands in the kernel.\n";
    module.target = target;
    return compiler
        ->compile_kernel({.module = compiler->load_module(module),
                          .linked = {},
                          .source = kKernel + ("typealias View = " + view + ";"),
                          .entry_point = "traceRays",
                          .target = target})
        .code;
}

std::size_t decoration_count(std::span<const std::byte> code, std::uint32_t wanted) {
    std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
    constexpr std::size_t kHeader = 5;
    constexpr std::uint32_t kDecorate = 71;
    std::size_t count = 0;
    for (std::size_t at = kHeader; at < words.size(); at += std::max(words[at] >> 16U, 1U)) {
        count += (words[at] & 0xFFFFU) == kDecorate && words[at + 2] == wanted ? 1 : 0;
    }
    return count;
}

std::string cuda_text(const std::string& view) {
    const std::vector<std::byte> code = compile_for(compile::Target::cuda, view);
    return {reinterpret_cast<const char*>(code.data()), code.size()};
}

} // namespace

TEST_CASE("CUDA may not fuse the products of edge functions") {
    for (const char* const view : {"BvhView", "WideBvhView"}) {
        CHECK_THAT(cuda_text(view), ContainsSubstring("__fmul_rn("));
    }
}

TEST_CASE("Vulkan may not fuse the products of edge functions") {
    constexpr std::uint32_t kNoContraction = 42;

    for (const char* const view : {"BvhView", "WideBvhView"}) {
        CHECK(decoration_count(compile_for(compile::Target::spirv, view), kNoContraction) > 0);
    }
}

// Slang's own takes a word with bit 31 for a negative number, and looks for the highest 0 of it.
TEST_CASE("CUDA finds the first child of a group by its own instruction") {
    const std::string text = cuda_text("WideBvhView");

    CHECK_THAT(text, ContainsSubstring("__clz(int("));
    CHECK_THAT(text, !ContainsSubstring("U32_firstbithigh(("));
}
