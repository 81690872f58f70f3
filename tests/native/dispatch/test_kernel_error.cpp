// SPDX-License-Identifier: Apache-2.0
// Whose turn it is when Slang rejects a generated kernel.
#include "dispatch/kernel_error.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::dispatch;

namespace {

constexpr const char* kSource = "import \"m\";\nint own = 1;\nvoid weft_kernel() {}\n";

codegen::Kernel kernel() {
    codegen::Kernel made;
    made.imports = {"m"};
    made.prelude = "int own = 1;";
    made.callee = "f";
    return made;
}

core::Diagnostic diagnostic(std::string file, std::int32_t line, std::int32_t code = 30015,
                            std::string severity = "error") {
    return {.severity = std::move(severity),
            .code = code,
            .file = std::move(file),
            .line = line,
            .column = 1,
            .message = "something is wrong."};
}

void fail_with(std::vector<core::Diagnostic> diagnostics) {
    throw_kernel_error(core::CompileError("compile_kernel", std::move(diagnostics)), kernel(),
                       kSource);
}

} // namespace

TEST_CASE("an error in the generated text is a bug, and the text is in the report") {
    CHECK_THROWS_AS(fail_with({diagnostic("weft_kernel_1", 3)}), core::InternalError);
    CHECK_THROWS_WITH(fail_with({diagnostic("weft_kernel_1", 3)}),
                      ContainsSubstring("f: ") && ContainsSubstring("something is wrong") &&
                          ContainsSubstring(kSource) && ContainsSubstring("please report"));
}

TEST_CASE("an error in the user's file is theirs") {
    CHECK_THROWS_AS(fail_with({diagnostic("user.slang", 3)}), core::CompileError);
    CHECK_THROWS_WITH(fail_with({diagnostic("user.slang", 3)}),
                      ContainsSubstring("f: it does not compile: user.slang:3:1"));
}

TEST_CASE("an error in the text given to prelude() is the user's") {
    CHECK_THROWS_AS(fail_with({diagnostic("weft_kernel_1", 2)}), core::CompileError);
    CHECK_THROWS_WITH(fail_with({diagnostic("weft_kernel_1", 2)}), ContainsSubstring("prelude()"));
}

TEST_CASE("what the user's declarations forbid the generated text is the user's, with a remedy") {
    CHECK_THROWS_WITH(fail_with({diagnostic("weft_kernel_1", 3, 30600)}),
                      ContainsSubstring("declare it public"));
    CHECK_THROWS_WITH(
        fail_with({diagnostic("weft_kernel_1", 3, 36107), diagnostic("user.slang", 7, 0, "note")}),
        ContainsSubstring("user.slang:7:1"));
}

TEST_CASE("an end without a diagnostic keeps its message") {
    CHECK_THROWS_WITH(fail_with({}), ContainsSubstring("compile_kernel"));
}
