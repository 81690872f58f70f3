// SPDX-License-Identifier: Apache-2.0
#include "compile/tensor_generics.hpp"
#include "compile_support.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::compile;

TEST_CASE("differentiable tensor parameters become generic") {
    CHECK(make_tensor_parameters_generic("[Differentiable]\nvoid f(int i, IDiffTensor<float, 1> x, "
                                         "IWDiffTensor<float3, 2> y)\n{ }") ==
          "[Differentiable]\nvoid f<weft_tensor_0 : IDiffTensor<float, 1>, weft_tensor_1 : "
          "IWDiffTensor<float3, 2>>(int i, weft_tensor_0 x, weft_tensor_1 y)\n{ }");
}

TEST_CASE("what is not a differentiable declaration stays as it is") {
    for (const std::string source :
         {"void f(IDiffTensor<float, 1> x) { }",
          "// [Differentiable] void f(IDiffTensor<float, 1> x) { }\n",
          "[Differentiable] void f<T : IDifferentiable>(IDiffTensor<T, 1> x) { }",
          "[Differentiable] void f(DiffTensor<float, 1> x) { }",
          "struct S { IDiffTensor<float, 1> x; }",
          "[Differentiable] void g() { f((IDiffTensor<float, 1>)x); }", "IDiffTensor<float, 1",
          ""}) {
        CHECK(make_tensor_parameters_generic(source) == source);
    }
}

TEST_CASE("lines stay where they are though a type spans several") {
    const std::string source =
        "[Differentiable] void f(\n    IDiffTensor<float,\n        1> x, // one\n"
        "    float y) { }\nint after;\n";

    const std::string generic = make_tensor_parameters_generic(source);

    CHECK(std::count(generic.begin(), generic.end(), '\n') ==
          std::count(source.begin(), source.end(), '\n'));
    CHECK(generic.substr(generic.rfind("int after")) == "int after;\n");
}

TEST_CASE("generic tensor parameters are reflected as they were written") {
    const auto module = load_text(
        *plain_compiler(),
        "[Differentiable] void f(int i, IDiffTensor<float, 2> x, IWDiffTensor<float3, 1> y)\n"
        "{ y[i] = float3(x[i, 0]); }");

    REQUIRE(module->reflection.functions.size() == 1);
    const reflect::Function& function = module->reflection.functions[0];
    CHECK(function.generics.empty());
    REQUIRE(function.parameters.size() == 3);
    CHECK(function.parameters[1].type->kind == reflect::TypeKind::tensor);
    CHECK(function.parameters[1].type->tensor.is_interface);
    CHECK(function.parameters[1].type->tensor.rank == 2);
    CHECK(function.parameters[2].type->tensor.access == reflect::Access::write);
    CHECK(function.parameters[2].type->element->columns == 3);
}
