// SPDX-License-Identifier: Apache-2.0
#include "compile/source_files.hpp"
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::compile;
using core::ArgumentError;

namespace {

bool depends_on(const LoadedModule& module, const std::filesystem::path& path) {
    return std::any_of(module.dependencies.begin(), module.dependencies.end(),
                       [&path](const Dependency& file) { return file.path == path.string(); });
}

} // namespace

TEST_CASE("names of module weft are visible without an import and lines keep their numbers") {
    const auto compiler = plain_compiler();

    const auto module = load_text(
        *compiler, "float f(Tensor<float, 1> t) { return t[0]; }\nfloat g() { return 1; }\n");

    CHECK(only_function(module->reflection, "g").location.line == 2);
}

TEST_CASE("a text that declares its own module name compiles, its public functions can be called") {
    const auto compiler = plain_compiler();

    const auto module = load_text(
        *compiler, "// mine\nmodule mine;\npublic float f(Tensor<float, 1> t) { return t[0]; }\n"
                   "float hidden(float x) { return x; }\n");

    CHECK(only_function(module->reflection, "f").location.line == 3);
    CHECK(only_function(module->reflection, "f").is_public);
    CHECK_FALSE(only_function(module->reflection, "hidden").is_public);
    CHECK(
        only_function(load_text(*compiler, "float f() { return 1; }")->reflection, "f").is_public);
}

TEST_CASE("sources written for slangpy find its module, by name and by string") {
    const auto compiler = plain_compiler();

    for (const std::string import : {"import slangpy;", "import \"slangpy\";"}) {
        const auto module =
            load_text(*compiler, import + "\nfloat f(Tensor<float, 1> t) { return t[0]; }\n");
        CHECK(only_function(module->reflection, "f").location.line == 2);
    }
}

TEST_CASE("tensors with gradients are visible to sources that name them") {
    const auto module = load_text(*plain_compiler(), "void f(IDiffTensor<float, 2> t) {}\n");

    const reflect::Type& tensor = *only_function(module->reflection, "f").parameters.at(0).type;
    CHECK(tensor.tensor.is_differentiable);
    CHECK(tensor.tensor.rank == 2);
}

TEST_CASE("a user's file named weft.slang does not replace module weft") {
    const test::TemporaryFolder folder;
    (void)folder.write("weft.slang", "this is not Slang");
    const auto main = folder.write("main.slang", "float f(Tensor<float, 1> t) { return t[0]; }\n");

    CHECK(load_file(*plain_compiler(), main)->reflection.functions.size() == 1);
}

TEST_CASE("an imported user module sees module weft too and is a dependency") {
    const test::TemporaryFolder folder;
    const auto helper =
        folder.write("helper.slang", "float h(Tensor<float, 1> t) { return t[0]; }\n");
    const auto header = folder.write("constants.h", "static const float kTwo = 2;\n");
    const auto main = folder.write("main.slang", "import helper;\n#include \"constants.h\"\nfloat "
                                                 "f(Tensor<float, 1> t) { return kTwo * h(t); }\n");

    const auto module = load_file(*plain_compiler(), main);

    CHECK(module->dependencies.at(0).path == main.string());
    CHECK(depends_on(*module, helper));
    CHECK(depends_on(*module, header));
    CHECK(module->dependencies.size() == 3);
    CHECK(module->reflection.functions.size() == 1);
}

TEST_CASE("a module made of several files lists the functions of all of them") {
    const test::TemporaryFolder folder;
    (void)folder.write("part.slang", "implementing main;\nfloat part(float x) { return x; }\n");
    const auto main = folder.write(
        "main.slang",
        "module main;\n__include part;\npublic float f(float x) { return part(x); }\n");

    const auto module = load_file(*plain_compiler(), main);

    CHECK(only_function(module->reflection, "part").location.line == 2);
    CHECK(only_function(module->reflection, "f").location.line == 3);
}

TEST_CASE("imports are looked for beside the file, then in the include paths") {
    const test::TemporaryFolder folder;
    (void)folder.write("library/extra.slang", "float extra() { return 1; }\n");
    (void)folder.write("library/near.slang", "this is not the one;\n");
    (void)folder.write("user/near.slang", "float near() { return 1; }\n");
    const auto main = folder.write(
        "user/main.slang", "import extra;\nimport near;\nfloat f() { return extra() + near(); }\n");
    ModuleDesc desc;
    desc.name = "main";
    desc.path = main.string();
    desc.include_paths = {(folder.path() / "library").string()};

    const auto module = plain_compiler()->load_module(desc);

    CHECK(depends_on(*module, folder.path() / "user/near.slang"));
    CHECK(depends_on(*module, folder.path() / "library/extra.slang"));
}

TEST_CASE("definitions reach the preprocessor and are part of the hash") {
    const auto compiler = plain_compiler();
    ModuleDesc desc;
    desc.name = "sample";
    desc.text = "#if WIDE\nfloat4 f() { return 1; }\n#else\nfloat f() { return 1; }\n#endif\n";
    const auto narrow = compiler->load_module(desc);
    desc.defines = {{"WIDE", "1"}};

    const auto wide = compiler->load_module(desc);

    CHECK(wide->reflection.functions.at(0).return_type->columns == 4);
    CHECK(narrow->reflection.functions.at(0).return_type->kind == reflect::TypeKind::scalar);
    CHECK(wide->hash != narrow->hash);
}

TEST_CASE("editing an imported file changes the hash of the module") {
    const test::TemporaryFolder folder;
    (void)folder.write("helper.slang", "float h() { return 1; }\n");
    const auto main = folder.write("main.slang", "import helper;\nfloat f() { return h(); }\n");
    const auto compiler = plain_compiler();
    const auto before = load_file(*compiler, main);
    (void)folder.write("helper.slang", "float h() { return 2; }\n");

    const auto after = load_file(*compiler, main);

    CHECK(after->hash != before->hash);
}

TEST_CASE(
    "a kernel of a loaded module compiles from the text that was loaded, whatever is on disk now") {
    const test::TemporaryFolder folder;
    const auto helper = folder.write("helper.slang", "float h() { return 1; }\n");
    const auto main = folder.write("main.slang", "import helper;\nfloat f() { return h(); }\n");
    const auto compiler = plain_compiler();
    const auto module = load_file(*compiler, main);
    (void)folder.write("main.slang", "float f() { return\n");
    std::filesystem::remove(helper);

    KernelRequest request{.module = module, .linked = {}, .source = {}, .entry_point = "go"};
    request.source = core::text("import \"", module->import_name,
                                "\";\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                                "void go(uniform float* p) { *p = f(); }\n");

    CHECK_FALSE(compiler->compile_kernel(request).code.empty());
}

TEST_CASE("an absent file, a directory, a large file and bytes that are not text are refused") {
    const test::TemporaryFolder folder;
    const auto compiler = plain_compiler();
    const auto load = [&](const std::filesystem::path& path) { return load_file(*compiler, path); };

    CHECK_THROWS_WITH(load(folder.path() / "absent.slang"),
                      ContainsSubstring("there is no file") && ContainsSubstring("absent.slang"));
    CHECK_THROWS_WITH(load(folder.path()), ContainsSubstring("is a directory"));
    CHECK_THROWS_WITH(load(folder.write("large.slang", std::string((16 << 20) + 1, ' '))),
                      ContainsSubstring("larger than 16 MB"));
    CHECK_THROWS_WITH(load(folder.write("binary.slang", std::string("\x89PNG\xff\x00\x01", 7))),
                      ContainsSubstring("is not UTF-8 text (byte 0)"));
    CHECK_THROWS_WITH(load(folder.write("zero.slang", std::string("int a;\0\xff", 8))),
                      ContainsSubstring("has a NUL at byte 6"));
    CHECK_THROWS_WITH(load("/tmp/\xff.slang"),
                      ContainsSubstring("path of the module is not valid UTF-8"));
    CHECK_THROWS_AS(load(folder.path() / "absent.slang"), ArgumentError);
}

TEST_CASE("an absent file is told apart from other bad arguments") {
    const test::TemporaryFolder folder;
    try {
        (void)load_file(*plain_compiler(), folder.path() / "absent.slang");
        FAIL("expected an ArgumentError");
    } catch (const ArgumentError& error) {
        CHECK(error.kind() == ArgumentError::Kind::not_found);
    }
}

TEST_CASE("an import that cannot be found is a compile error at its line") {
    const auto compiler = plain_compiler();

    const auto error = compile_error_of([&] { (void)load_text(*compiler, "\nimport nothing;\n"); });

    REQUIRE_FALSE(error.diagnostics().empty());
    CHECK(error.diagnostics()[0].line == 2);
    CHECK(error.diagnostics()[0].message.find("nothing.slang") != std::string::npos);
}

TEST_CASE("an imported file that is not text is refused by name") {
    const test::TemporaryFolder folder;
    (void)folder.write("helper.slang", "\xff\xfe");
    const auto main = folder.write("main.slang", "import helper;\n");

    CHECK_THROWS_WITH(load_file(*plain_compiler(), main),
                      ContainsSubstring("helper.slang") && ContainsSubstring("is not UTF-8"));
}

TEST_CASE("a compiled module lying beside the source is never loaded") {
    const test::TemporaryFolder folder;
    (void)folder.write("helper.slang-module", "garbage of another compiler version");
    (void)folder.write("helper.slang", "float h() { return 1; }\n");
    const auto main = folder.write("main.slang", "import helper;\nfloat f() { return h(); }\n");

    CHECK(load_file(*plain_compiler(), main)->reflection.functions.size() == 1);
}
