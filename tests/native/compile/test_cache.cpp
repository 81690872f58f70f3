// SPDX-License-Identifier: Apache-2.0
#include "compile_support.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <fstream>
#include <thread>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace weft;
using namespace weft::compile;

namespace {

KernelRequest simple_kernel(const LoadedModuleRef& module) {
    KernelRequest request{.module = module, .linked = {}, .source = {}, .entry_point = "go"};
    request.source = core::text("import \"", module->import_name,
                                "\";\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                                "void go(uniform float* p) { *p = f(*p); }\n");
    return request;
}

/// Overwrites the middle of every file under `folder`.
void damage_files(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
            file << "damaged";
        }
    }
}

constexpr std::string_view kText =
    "float f(float x) { return 2 * x; }\nfloat g(Tensor<float, 2> t) { return t[0, 0]; }\n";

} // namespace

TEST_CASE("a warm start answers from the cache and starts no process", "[helper]") {
    const test::TemporaryFolder cache;
    const auto cold = Compiler::create(describe_cached_compiler(cache.path()));
    const auto first = load_text(*cold, kText);
    const KernelCode code = cold->compile_kernel(simple_kernel(first));
    (void)cold->find_type(*first, "float3");
    (void)cold->find_functions(*first, "f");

    const auto warm = Compiler::create(describe_cached_compiler(cache.path()));
    const auto second = load_text(*warm, kText);
    const KernelCode again = warm->compile_kernel(simple_kernel(second));
    const auto type = warm->find_type(*second, "float3");
    const auto functions = warm->find_functions(*second, "f");

    CHECK(cold->statistics().helper_starts == 1);
    CHECK(warm->statistics().helper_starts == 0);
    CHECK(warm->statistics().module_hits == 1);
    CHECK(warm->statistics().kernel_hits == 1);
    CHECK(second->hash == first->hash);
    CHECK(second->import_name == first->import_name);
    CHECK(again.code == code.code);
    CHECK(type->columns == 3);
    REQUIRE(functions.size() == 1);
    REQUIRE(second->reflection.functions.size() == 2);
    CHECK(second->reflection.functions[1].parameters[0].type->tensor.rank == 2);
}

TEST_CASE("another installation of the same compiler and shaders takes what is in the cache",
          "[helper]") {
    const test::TemporaryFolder cache;
    const test::TemporaryFolder elsewhere;
    const CompilerDesc here = describe_cached_compiler(cache.path());
    CompilerDesc there = here;
    there.slang_directory = elsewhere.path() / "lib";
    there.shader_directory = elsewhere.path() / "shaders";
    std::filesystem::copy(here.slang_directory, there.slang_directory,
                          std::filesystem::copy_options::recursive);
    std::filesystem::copy(here.shader_directory, there.shader_directory,
                          std::filesystem::copy_options::recursive);
    const auto first = Compiler::create(here);
    (void)first->compile_kernel(simple_kernel(load_text(*first, kText)));

    const auto second = Compiler::create(there);
    (void)second->compile_kernel(simple_kernel(load_text(*second, kText)));
    std::ofstream(there.shader_directory / "weft" / "node.slang", std::ios::app) << "// other\n";
    const auto third = Compiler::create(there);
    (void)third->compile_kernel(simple_kernel(load_text(*third, kText)));

    CHECK(second->statistics().kernel_hits == 1);
    CHECK(second->statistics().helper_starts == 0);
    CHECK(third->statistics().kernel_hits == 0);
}

TEST_CASE("damaged cache entries are replaced, not used") {
    const test::TemporaryFolder cache;
    const auto compiler = Compiler::create(describe_cached_compiler(cache.path()));
    const auto module = load_text(*compiler, kText);
    const KernelCode code = compiler->compile_kernel(simple_kernel(module));
    damage_files(cache.path());

    const auto other = Compiler::create(describe_cached_compiler(cache.path()));
    const auto reloaded = load_text(*other, kText);

    CHECK(reloaded->hash == module->hash);
    CHECK(other->compile_kernel(simple_kernel(reloaded)).code == code.code);
    CHECK(other->statistics().module_misses == 1);
    CHECK(other->statistics().kernel_misses == 1);
    const auto healed = Compiler::create(describe_cached_compiler(cache.path()));
    (void)healed->compile_kernel(simple_kernel(load_text(*healed, kText)));
    CHECK(healed->statistics().helper_starts == 0);
}

TEST_CASE("an edit of the file or of an import is seen on a warm cache") {
    const test::TemporaryFolder folder;
    const auto cache = folder.path() / "cache";
    (void)folder.write("helper.slang", "float h(float x) { return x; }\n");
    const auto main =
        folder.write("main.slang", "import helper;\nfloat f(float x) { return h(x); }\n");
    const auto compiler = Compiler::create(describe_cached_compiler(cache));
    const auto first = load_file(*compiler, main);

    (void)folder.write("helper.slang", "float h(float x) { return 2 * x; }\n");
    const auto second = load_file(*compiler, main);
    (void)folder.write(
        "main.slang",
        "import helper;\nfloat f(float x) { return h(x); }\nfloat g() { return 1; }\n");
    const auto third = load_file(*compiler, main);

    CHECK(second->hash != first->hash);
    CHECK(third->reflection.functions.size() == 2);
    CHECK(compiler->statistics().module_hits == 0);
}

TEST_CASE("a file that appears earlier on the search path is seen on a warm cache") {
    const test::TemporaryFolder folder;
    (void)folder.write("library/helper.slang", "float h() { return 1; }\n");
    const auto main = folder.write("main.slang", "import helper;\nfloat f() { return h(); }\n");
    ModuleDesc desc;
    desc.name = "main";
    desc.path = main.string();
    desc.include_paths = {(folder.path() / "library").string()};
    const auto compiler = Compiler::create(describe_cached_compiler(folder.path() / "cache"));
    const auto before = compiler->load_module(desc);

    (void)folder.write("helper.slang", "float h() { return 2; }\n");
    const auto after = compiler->load_module(desc);

    CHECK(after->hash != before->hash);
}

TEST_CASE("several threads share one compiler", "[helper]") {
    const test::TemporaryFolder cache;
    CompilerDesc desc = describe_cached_compiler(cache.path());
    desc.most_processes = 1;
    const auto compiler = Compiler::create(desc);
    std::vector<std::size_t> sizes(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        threads.emplace_back([&, i] {
            const auto module =
                load_text(*compiler, core::text("float f(float x) { return ", i, " * x; }"));
            sizes[i] = compiler->compile_kernel(simple_kernel(module)).code.size();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(std::count(sizes.begin(), sizes.end(), std::size_t{0}) == 0);
    CHECK(compiler->statistics().helper_starts == 1);
}

TEST_CASE("requests that come together get processes of their own, up to the limit", "[helper]") {
    const test::TemporaryFolder cache;
    CompilerDesc desc = describe_cached_compiler(cache.path());
    desc.most_processes = 3;
    const auto compiler = Compiler::create(desc);
    (void)load_text(*compiler, "float first() { return 1; }"); // what all modules need is cached
    std::atomic<int> right{0};

    std::vector<std::thread> threads;
    for (int number = 0; number < 6; ++number) {
        threads.emplace_back([&, number] {
            const std::string name = "f" + std::to_string(number);
            const auto module = load_text(*compiler, "float " + name + "() { return 1; }");
            right += only_function(module->reflection, name).name == name ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(right == 6);
    CHECK(compiler->statistics().helper_starts > 1);
    CHECK(compiler->statistics().helper_starts <= 6);
    (void)load_text(*compiler, "float last() { return 1; }"); // one process is left
}

TEST_CASE("two compilers fill one cold cache at the same time") {
    const test::TemporaryFolder cache;
    std::vector<core::Hash128> hashes(2);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        threads.emplace_back([&, i] {
            const auto compiler = Compiler::create(describe_cached_compiler(cache.path()));
            hashes[i] = compiler->compile_kernel(simple_kernel(load_text(*compiler, kText))).hash;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(hashes[0] == hashes[1]);
    const auto warm = Compiler::create(describe_cached_compiler(cache.path()));
    CHECK(warm->compile_kernel(simple_kernel(load_text(*warm, kText))).hash == hashes[0]);
    CHECK(warm->statistics().helper_starts == 0);
}

TEST_CASE("clearing the cache makes the next load a miss") {
    const test::TemporaryFolder cache;
    const auto compiler = Compiler::create(describe_cached_compiler(cache.path()));
    (void)load_text(*compiler, kText);

    compiler->clear_cache();
    (void)load_text(*compiler, kText);

    CHECK(compiler->statistics().module_misses == 2);
}

TEST_CASE("a folder that cannot be written is no error") {
    const auto compiler =
        Compiler::create(describe_cached_compiler("/proc/weft-cannot-write-here"));

    CHECK(load_text(*compiler, kText)->reflection.functions.size() == 2);
}

TEST_CASE("warming up starts the process only while the cache is cold", "[helper]") {
    const test::TemporaryFolder cache;
    const auto cold = Compiler::create(describe_cached_compiler(cache.path()));
    cold->warm_up();
    (void)load_text(*cold, kText);

    const auto warm = Compiler::create(describe_cached_compiler(cache.path()));
    warm->warm_up();

    CHECK(cold->statistics().helper_starts == 1);
    CHECK(warm->statistics().helper_starts == 0);
}

#if !defined(_WIN32)
TEST_CASE("a child after fork compiles with a process of its own, and the parent goes on",
          "[helper]") {
    const auto compiler = Compiler::create(describe_cached_compiler({}));
    (void)load_text(*compiler, kText);

    const pid_t child = fork();
    if (child == 0) {
        const bool is_loaded =
            load_text(*compiler, "float child() { return 1; }")->reflection.functions.size() == 1;
        _exit(is_loaded && compiler->statistics().helper_starts == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);

    CHECK(status == 0);
    CHECK(load_text(*compiler, "float parent() { return 1; }")->reflection.functions.size() == 1);
    CHECK(compiler->statistics().helper_starts == 1);
}

TEST_CASE("two processes fill one cold cache at the same time") {
    const test::TemporaryFolder cache;
    const auto fill = [&cache] {
        const auto compiler = Compiler::create(describe_cached_compiler(cache.path()));
        for (int i = 0; i < 3; ++i) {
            const auto module =
                load_text(*compiler, core::text("float f(float x) { return x + ", i, "; }"));
            (void)compiler->compile_kernel(simple_kernel(module));
        }
    };
    const pid_t child = fork();
    if (child == 0) {
        fill();
        _exit(0);
    }
    fill();
    int status = -1;
    waitpid(child, &status, 0);

    CHECK(status == 0);
    const auto warm = Compiler::create(describe_cached_compiler(cache.path()));
    for (int i = 0; i < 3; ++i) {
        const auto module =
            load_text(*warm, core::text("float f(float x) { return x + ", i, "; }"));
        (void)warm->compile_kernel(simple_kernel(module));
    }
    CHECK(warm->statistics().kernel_hits == 3);
    CHECK(warm->statistics().helper_starts == 0);
}
#endif
