// SPDX-License-Identifier: Apache-2.0
#include "compile/diagnostics.hpp"
#include "compile/protocol.hpp"
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::compile;

TEST_CASE("a summary line and its detail become one diagnostic, consequences are dropped") {
    const auto diagnostics = parse_diagnostics(
        "E30015\terror\ta.slang\t3\t7\t3\t8\tundefined identifier\n"
        "E30015\tspan\ta.slang\t3\t7\t3\t8\tundefined identifier 'y'.\n"
        "E39999\terror\t\t0\t0\t0\t0\timport failed due to compilation error\n"
        "E40003\tfatal error\t\t0\t0\t0\t0\tcompilation ceased\n"
        "abort compilation: E40003\tfatal error\t\t0\t0\t0\t0\tcompilation ceased\n");

    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].severity == "error");
    CHECK(diagnostics[0].code == 30015);
    CHECK(diagnostics[0].file == "a.slang");
    CHECK(diagnostics[0].line == 3);
    CHECK(diagnostics[0].column == 7);
    CHECK(diagnostics[0].message == "undefined identifier 'y'.");
    CHECK(to_string(diagnostics[0]) == "a.slang:3:7: error 30015: undefined identifier 'y'.");
}

TEST_CASE(
    "an activation without derivative() is told of the former name, other interfaces are not") {
    const auto message_with = [](std::string_view interface_file) {
        const auto diagnostics = parse_diagnostics(
            core::text("E38100\terror\ta.slang\t2\t18\t2\t29\tmissing interface member\n"
                       "E38100\tspan\ta.slang\t2\t18\t2\t29\t"
                       "type 'A' does not provide required interface member 'derivative'\n"
                       "E\tnote\t",
                       interface_file, "\t9\t18\t9\t28\tsee declaration of 'derivative'\n"));
        REQUIRE(diagnostics.size() == 2);
        return diagnostics[0].message;
    };

    CHECK(message_with("shaders/mlp/activations.slang").ends_with("'slope' before: rename it"));
    CHECK(message_with("").ends_with("'slope' before: rename it"));
    CHECK(message_with("curves.slang").ends_with("interface member 'derivative'"));
}

TEST_CASE("text that is no table of diagnostics is kept as a message") {
    const auto diagnostics = parse_diagnostics("something went wrong\n\n");

    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].message == "something went wrong");
}

TEST_CASE("a compile error names the module and carries file, line and column as data") {
    const auto compiler = plain_compiler();

    const auto error = compile_error_of(
        [&] { (void)load_text(*compiler, "float f(float x)\n{\n    return x + y;\n}\n"); });

    CHECK(std::string(error.what()) == "load_module: 'sample' does not compile: sample:3:16: error "
                                       "30015: undefined identifier 'y'.");
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].line == 3);
    CHECK(error.diagnostics()[0].column == 16);
}

TEST_CASE("an unfinished text is reported at its own end") {
    const auto compiler = plain_compiler();

    const auto error =
        compile_error_of([&] { (void)load_text(*compiler, "float f(float x)\n{ return x;\n"); });

    REQUIRE_FALSE(error.diagnostics().empty());
    CHECK(error.diagnostics()[0].line <= 3);
    CHECK(error.diagnostics()[0].file == "sample");
}

TEST_CASE("warnings come with the module") {
    const auto module = load_text(*plain_compiler(), "float f(bool b) { return b; }\n");

    REQUIRE(module->warnings.size() == 1);
    CHECK(module->warnings[0].severity == "warning");
    CHECK(module->warnings[0].line == 1);
}

TEST_CASE("several errors are counted in the message") {
    const auto compiler = plain_compiler();

    const auto error =
        compile_error_of([&] { (void)load_text(*compiler, "float f() { return a + b; }\n"); });

    CHECK(std::string(error.what()).find("(and 1 more error)") != std::string::npos);
    CHECK(error.diagnostics().size() == 2);
}

TEST_CASE("bugs of Slang itself, and memory that it did not find, are no faults of a source") {
    const auto of_text = [](const char* output) {
        Reply reply;
        reply.status = ReplyStatus::compile_error;
        reply.diagnostics = parse_diagnostics(output);
        return is_internal_failure(reply);
    };
    CHECK(of_text("a.slang(183): note 99999: an internal error threw an exception while working on "
                  "code near this location"));
    CHECK_FALSE(of_text("a.slang(3): error 30015: undefined identifier 'x'."));
    Reply thrown;
    thrown.status = ReplyStatus::internal_error;
    CHECK(is_internal_failure(thrown));
    thrown.status = ReplyStatus::compile_error;
    thrown.message = "load_module: 'm' does not compile: error: An unknown exception occurred";
    CHECK(is_internal_failure(thrown));
    CHECK_FALSE(is_internal_failure(Reply{}));
}
