// SPDX-License-Identifier: Apache-2.0
// Whatever a source does to the compiler, this process lives and the next request is served.
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <chrono>

using namespace weft;
using namespace weft::compile;

namespace {

std::string repeat(std::string_view text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) {
        result += text;
    }
    return result;
}

std::shared_ptr<Compiler> create_process_compiler(std::chrono::milliseconds time_limit,
                                                  std::uint64_t memory_limit = std::uint64_t{4}
                                                                               << 30) {
    CompilerDesc desc = describe_cached_compiler({});
    desc.time_limit = time_limit;
    desc.memory_limit = memory_limit;
    return Compiler::create(desc);
}

/// Loads `text`; success and CompileError both are fine, then a harmless module must load.
void survive(std::string_view text) {
    const auto compiler = create_process_compiler(std::chrono::seconds(5));
    try {
        (void)load_text(*compiler, text);
    } catch (const core::CompileError& error) {
        CHECK(std::string(error.what()).find("sample") != std::string::npos);
    }
    CHECK(load_text(*compiler, "float f() { return 1; }")->reflection.functions.size() == 1);
}

} // namespace

TEST_CASE("100,000 nested parentheses do not harm the caller", "[helper]") {
    survive("float f(float x) { return " + repeat("(", 100'000) + "x" + repeat(")", 100'000) +
            "; }");
}

TEST_CASE("an expression of 20,000 terms does not harm the caller", "[helper]") {
    survive("float f(float x) { return x" + repeat(" + x", 20'000) + "; }");
}

TEST_CASE("20,000 nested blocks do not harm the caller", "[helper]") {
    survive("void f() { " + repeat("{", 20'000) + repeat("}", 20'000) + " }");
}

TEST_CASE("a generic that instantiates itself for ever does not harm the caller", "[helper]") {
    survive("struct Box<T> { T item; };\nint grow<T>(T x, int n) { Box<T> b; return n <= 0 ? 0 : "
            "grow<Box<T>>(b, n - 1); }\n"
            "int f() { return grow<int>(1, 3); }\n");
}

TEST_CASE("a macro that expands to itself does not harm the caller", "[helper]") {
    std::string text = "#define A0 1\n";
    for (int i = 1; i < 40; ++i) {
        text += core::text("#define A", i, " A", i - 1, " + A", i - 1, "\n");
    }
    survive(text + "#define LOOP LOOP LOOP\nint f() { return A39; }\nint g() { return LOOP; }\n");
}

TEST_CASE("a file that includes itself does not harm the caller", "[helper]") {
    const test::TemporaryFolder folder;
    const auto path =
        folder.write("self.slang", "#include \"self.slang\"\nfloat f() { return 1; }\n");
    const auto compiler = create_process_compiler(std::chrono::seconds(5));

    CHECK_THROWS_AS(load_file(*compiler, path), core::CompileError);
    CHECK(load_text(*compiler, "float f() { return 1; }")->reflection.functions.size() == 1);
}

TEST_CASE("control characters and unfinished tokens do not harm the caller", "[helper]") {
    survive("\x01\x02\x03 float \x7f f(\"unfinished\n/* unfinished");
}

TEST_CASE("a compile that takes too long is stopped and named", "[helper]") {
    const auto compiler = create_process_compiler(std::chrono::milliseconds(1));

    const auto error =
        compile_error_of([&] { (void)load_text(*compiler, "float f() { return 1; }"); });

    CHECK_THAT(error.what(), ContainsSubstring("'sample'") &&
                                 ContainsSubstring("took longer than the limit of 0.001 s"));
}

#if !defined(WEFT_SANITIZED) // a sanitizer needs more addresses than any limit
TEST_CASE("a compile that needs too much memory is an error that says so", "[helper]") {
    const auto compiler =
        create_process_compiler(std::chrono::seconds(20), std::uint64_t{256} << 20);
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text +=
            core::text("struct S", i, " { float a[", i + 1, "]; float get() { return a[0]; } };\n");
    }

    CHECK_THROWS_AS(load_text(*compiler, text), core::CompileError);
}
#endif

TEST_CASE("a missing compiler executable is named", "[helper]") {
    CompilerDesc desc = describe_cached_compiler({});
    desc.helper_executable = "/nowhere/weft-compiler";

    CHECK_THROWS_WITH(load_text(*Compiler::create(desc), "float f() { return 1; }"),
                      ContainsSubstring("/nowhere/weft-compiler"));
}

TEST_CASE("a folder without the Slang library is named") {
    const test::TemporaryFolder folder;
    CompilerDesc desc = describe_cached_compiler({});
    desc.slang_directory = folder.path();

    CHECK_THROWS_WITH(load_text(*Compiler::create(desc), "float f() { return 1; }"),
                      ContainsSubstring("holds no libslang-compiler") &&
                          ContainsSubstring(folder.path().string()));
}
