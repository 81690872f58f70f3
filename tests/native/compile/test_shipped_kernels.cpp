// SPDX-License-Identifier: Apache-2.0
// Kernels that come compiled with Weft are taken as long as everything that decides them is as it was.
#include "compile/stored_code.hpp"
#include "compile_support.hpp"
#include "core/kernel_images.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace weft;
using namespace weft::compile;

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kText = "float f(float x) { return 2 * x; }\n";

KernelCode code_of(Compiler& compiler, std::string_view text = kText,
                   Target target = Target::spirv) {
    const auto module = load_text(compiler, text, target);
    KernelRequest request{.module = module, .linked = {}, .source = {}, .entry_point = "go"};
    request.target = target;
    request.source = core::text("import \"", module->import_name,
                                "\";\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                                "void go(uniform float* p) { *p = f(*p); }\n");
    return compiler.compile_kernel(request);
}

/// What Weft would ship, made by another compiler; and an installation of it with an empty cache.
struct Installation {
    test::TemporaryFolder made;
    test::TemporaryFolder installed;
    CompilerDesc desc = describe_cached_compiler(installed.path() / "cache");
    KernelCode code;

    explicit Installation(Target target = Target::spirv) {
        const auto maker = Compiler::create(describe_cached_compiler(made.path()));
        code = code_of(*maker, kText, target);
        const fs::path shaders = installed.path() / "shaders";
        fs::copy(desc.shader_directory, shaders, fs::copy_options::recursive);
        desc.shader_directory = shaders;
        fs::copy(made.path(), shipped(), fs::copy_options::recursive);
    }

    fs::path shipped() const { return installed.path() / "kernels"; }
};

} // namespace

TEST_CASE("shipped kernels are taken without a compiler's process, also without a cache",
          "[helper]") {
    Installation installation;
    for (const bool has_cache : {true, false}) {
        if (!has_cache) {
            installation.desc.cache_directory.clear();
        }
        const auto compiler = Compiler::create(installation.desc);

        CHECK(code_of(*compiler).code == installation.code.code);
        CHECK(compiler->statistics().helper_starts == 0);
        CHECK(compiler->statistics().kernel_hits == 1);
        CHECK(compiler->statistics().module_hits == 1);
    }
    CHECK_FALSE(fs::exists(installation.installed.path() / "cache" / "kernel"));
}

TEST_CASE("a shipped kernel is not taken once one of Weft's shaders is another", "[helper]") {
    const Installation installation;
    std::ofstream(installation.desc.shader_directory / "weft" / "random.slang", std::ios::app)
        << "// changed\n";
    const auto compiler = Compiler::create(installation.desc);

    (void)code_of(*compiler);

    CHECK(compiler->statistics().module_misses == 1);
    CHECK(compiler->statistics().kernel_misses == 1);
}

TEST_CASE("a shipped kernel is not taken for another source", "[helper]") {
    const Installation installation;
    const auto compiler = Compiler::create(installation.desc);

    (void)code_of(*compiler, "float f(float x) { return 3 * x; }\n");

    CHECK(compiler->statistics().module_misses == 1);
    CHECK(compiler->statistics().kernel_misses == 1);
}

TEST_CASE("damaged shipped kernels are compiled anew, and stay as they are", "[helper]") {
    const Installation installation;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(installation.shipped())) {
        if (entry.is_regular_file()) {
            std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
            file << "damaged";
            files.push_back(entry.path());
        }
    }
    const auto compiler = Compiler::create(installation.desc);

    CHECK(code_of(*compiler).code == installation.code.code);
    CHECK(compiler->statistics().kernel_misses == 1);
    for (const fs::path& file : files) {
        CHECK(fs::exists(file));
    }
}

TEST_CASE("CUDA sources share what they begin with in a cache, and come back whole", "[helper]") {
    const Installation installation(Target::cuda);
    const auto compiler = Compiler::create(installation.desc);

    CHECK(code_of(*compiler, kText, Target::cuda).code == installation.code.code);
    CHECK(compiler->statistics().kernel_hits == 1);

    std::uintmax_t kernel_bytes = 0;
    for (const auto& entry :
         fs::recursive_directory_iterator(installation.made.path() / "kernel")) {
        kernel_bytes += entry.is_regular_file() ? entry.file_size() : 0;
    }
    CHECK(kernel_bytes < installation.code.code.size() / 10);
}

TEST_CASE("a shipped CUDA source brings what was made of it", "[helper]") {
    Installation installation(Target::cuda);
    core::FileCache shipped({.directory = installation.shipped()});
    const std::vector<std::byte> machine_code(100, std::byte{7});
    shipped.store(core::kImageEntry, installation.code.hash,
                  core::pack_images({{.architecture = 90, .bytes = machine_code}}));
    const auto compiler = Compiler::create(installation.desc);

    const KernelCode code = code_of(*compiler, kText, Target::cuda);
    const core::SplitImages split = core::split_images(code.code);

    CHECK(std::ranges::equal(split.source, installation.code.code));
    REQUIRE(split.find(90) != nullptr);
    CHECK(split.find(90)->bytes == machine_code);
    CHECK(split.find(80) == nullptr);
}

TEST_CASE("code whose beginning is gone, or another's, is a miss") {
    const test::TemporaryFolder folder;
    core::FileCache cache({.directory = folder.path()});
    const std::string source = std::string(10'000, 'x') + "\n#endif\nvoid k() {}\n";
    KernelCode code;
    const auto bytes = std::as_bytes(std::span(source));
    code.code.assign(bytes.begin(), bytes.end());
    code.hash = core::hash_bytes(code.code);

    const KernelCode stored = to_stored(cache, code);
    KernelCode whole = stored;
    CHECK(stored.code.size() < 100);
    CHECK(from_stored(cache, whole));
    CHECK(whole.code == code.code);

    KernelCode other = stored;
    other.hash = {};
    CHECK_FALSE(from_stored(cache, other));
    cache.clear();
    KernelCode lost = stored;
    CHECK_FALSE(from_stored(cache, lost));
}
