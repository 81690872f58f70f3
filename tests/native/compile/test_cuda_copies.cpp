// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_copies.hpp"
#include "compile_support.hpp"
#include "core/text.hpp"
#include "support/catch.hpp"

#include <string>

using namespace weft;
using namespace weft::compile;

namespace {

const std::string kStructures =
    "struct s_minCtx_f_0\n{\n    float value0_0;\n"
    "    FixedArray<FixedArray<float, 4>, 8>  value1_0;\n};\n\n"
    "struct s_minCtx_g_0\n{\n    float value0_1;\n};\n\n"
    "struct Tuple_0\n{\n    float value0_2;\n    s_minCtx_f_0 value1_1;\n};\n\n"
    "struct Table_0\n{\n    FixedArray<float, 64>  rows_0;\n};\n\n"
    "struct Call_0\n{\n    FixedArray<Tuple_0, 2>  value0_3;\n    s_minCtx_g_0 value1_2;\n};\n\n";

std::string after(const std::string& lines) {
    return keep_copies_apart(kStructures + lines).substr(kStructures.size());
}

/// CUDA source of a derivative of `f`.
std::string derivative_of(const std::string& function) {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, function, Target::cuda);
    KernelRequest request{.module = module, .linked = {}, .source = {}, .entry_point = "go"};
    request.target = Target::cuda;
    request.source =
        core::text("import \"", module->import_name,
                   "\";\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid go(uniform "
                   "float* p)\n{ var x = diffPair(p[0], 0.f); bwd_diff(f)(x, 1.f); p[1] = "
                   "x.d; }\n");
    const KernelCode kernel = compiler->compile_kernel(request);
    return {reinterpret_cast<const char*>(kernel.code.data()), kernel.code.size()};
}

} // namespace

TEST_CASE("what is copied of a loop's rounds is used behind the copy, on the same line") {
    CHECK(after("    (&_S1)->value1_1 = _S62;\n    return _S1;\n") ==
          "    (&_S1)->value1_1 = _S62; asm volatile(\"\" :: \"l\"(&_S62));\n    return _S1;\n");
    CHECK(after("    s_minCtx_f_0 _S3 = _S2.value1_1;\n") ==
          "    s_minCtx_f_0 _S3 = _S2.value1_1; asm volatile(\"\" :: \"l\"(&_S2));\n");
    CHECK(after("    _S3 = (&_S2)->value1_1;\n") ==
          "    _S3 = (&_S2)->value1_1; asm volatile(\"\" :: \"l\"(&_S2));\n");
    CHECK(after("    Tuple_0 _S3 = *_S2;\n") ==
          "    Tuple_0 _S3 = *_S2; asm volatile(\"\" :: \"l\"(_S2));\n");
    CHECK(after("    (&_S4)->value1_1 = _S5->value1_1;\n") ==
          "    (&_S4)->value1_1 = _S5->value1_1; asm volatile(\"\" :: \"l\"(_S5));\n");
    CHECK(after("    FixedArray<Tuple_0, 2>  _S7 = _S6.value0_3;\n") ==
          "    FixedArray<Tuple_0, 2>  _S7 = _S6.value0_3; asm volatile(\"\" :: \"l\"(&_S6));\n");
}

TEST_CASE("the array of an indexed read is used behind its copy, in no other function") {
    const std::string head = "struct Tuple_6\n{\n    FixedArray<float, 8>  value0_11;\n};\n";
    const std::string copy = "{\n\n    Tuple_6 _S38;\n    (&_S38)->value0_11 = *_S37;";
    const std::string rest = "\n    return _S38;\n}\n";
    const std::string read =
        head +
        "__device__ Tuple_6 s_apply_weft_read_1(FixedArray<float, 8>  * _S37, int place_1)\n";
    const std::string other =
        head + "__device__ Tuple_6 s_apply_f_1(FixedArray<float, 8>  * _S37, int place_1)\n";

    CHECK(keep_copies_apart(read + copy + rest + other + copy + rest) ==
          read + copy + " asm volatile(\"\" :: \"l\"(_S37));" + rest + other + copy + rest);
}

TEST_CASE("other lines stay as they are") {
    for (const std::string line :
         {"    float _S1 = _S2;\n", "    (&_S1)->value0_0 = 0.5f;\n", "    Table_0 _S1 = _S2;\n",
          "    (&_S1)->value1_2 = _S2.value1_2;\n", "    Tuple_0 _S1 = f_0(_S2, _S3);\n",
          "    (&_S62)->value1_0[_pc_1][_pc_0] = s_0;\n", "    s_minCtx_f_0 _S4;\n",
          "    float x_0 = (&_S1)->value1_1.value0_0 + 1.0f;\n", "    if(_S1 == _S2)\n", "\n"}) {
        CHECK(after(line) == line);
    }
    CHECK(keep_copies_apart("float a_0 = b_0;\n") == "float a_0 = b_0;\n");
    CHECK(keep_copies_apart("").empty());
}

TEST_CASE("derivatives of nested loops hold such copies, those without a loop do not") {
    const std::string nest = derivative_of("[Differentiable] float f(float x) { float s = x; for "
                                           "(int i = 0; i < 9; i++) for (int j = 0; "
                                           "j < 4; j++) s = sin(s * x); return s; }");

    CHECK(nest.find("; asm volatile(\"\" :: \"l\"(&_S") != std::string::npos);
    CHECK(derivative_of("[Differentiable] float f(float x) { return sin(x) * x; }")
              .find("asm volatile(\"\" :: \"l\"(&_S") == std::string::npos);
}

TEST_CASE("indices of tensors are copied as they are") {
    const std::string text =
        "struct s_minCtx_s_bwdCallableCtx_f_0\n{\n    FixedArray<longlong, 2>  value0_90;\n};\n"
        "    (&_S2)->value1_91 = _S1.value0_90;\n";

    CHECK(keep_copies_apart(text) == text);
}
