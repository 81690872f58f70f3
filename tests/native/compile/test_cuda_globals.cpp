// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_globals.hpp"
#include "support/catch.hpp"

#include <string>

using namespace weft::compile;

namespace {

const std::string kBlock = "struct GlobalParams_0\n{\n    float gain_0;\n    Lamp_0 lamp_0;\n"
                           "    FixedArray<float, 4>  weights_0;\n    int gain_0_0;\n};\n\n"
                           "extern \"C\" __constant__ GlobalParams_0 SLANG_globalParams;\n"
                           "#define globalParams_0 (&SLANG_globalParams)\n";

} // namespace

TEST_CASE("members that are read are found by their names") {
    const CudaGlobals globals = read_cuda_globals(
        kBlock + "int _S9 = __ldg(&globalParams_0->gain_0_0);\nf(&globalParams_0->lamp_0, _S9);\n");

    CHECK(globals.is_used);
    CHECK_FALSE(globals.reads_all);
    CHECK(globals.reads({"gain_0"}));
    CHECK(globals.reads({"lamp"}));
    CHECK(globals.reads({"lamp", "color"}));
    CHECK_FALSE(globals.reads({"gain"}));
    CHECK_FALSE(globals.reads({"weights"}));
}

TEST_CASE("fields of members are told apart") {
    CudaGlobals globals =
        read_cuda_globals(kBlock + "x = globalParams_0->lamp_0.color_2.x_0[1];\n");

    CHECK(globals.reads({"lamp", "color"}));
    CHECK_FALSE(globals.reads({"lamp", "power"}));

    globals.settle({"lamp"}, {"colour", "power"});
    CHECK(globals.reads({"lamp", "power"}));
}

TEST_CASE("fields of a copy are told apart") {
    const std::string copy = kBlock + "Lamp_0 _S7 = slang_ldg_1(&globalParams_0->lamp_0);\n";
    const CudaGlobals field = read_cuda_globals(copy + "y = x * _S7.power_0 + _S70.color_0;\n");
    const CudaGlobals whole = read_cuda_globals(copy + "y = f(_S7.power_0, _S7);\n");

    CHECK(field.reads({"lamp", "power"}));
    CHECK_FALSE(field.reads({"lamp", "color"}));
    CHECK(whole.reads({"lamp", "color"}));
}

TEST_CASE("fields are told apart behind addresses, and not behind calls") {
    const CudaGlobals address =
        read_cuda_globals(kBlock + "x = __ldg(&(&globalParams_0->lamp_0)->power_0);\n");
    const CudaGlobals call =
        read_cuda_globals(kBlock + "x = find_0(&globalParams_0->lamp_0)->power_0;\n");

    CHECK(address.reads({"lamp", "power"}));
    CHECK_FALSE(address.reads({"lamp", "color"}));
    CHECK(call.reads({"lamp", "color"}));
}

TEST_CASE("a block that is only declared is not used") {
    CHECK_FALSE(read_cuda_globals(kBlock + "float f(float x) { return x; }\n").is_used);
}

TEST_CASE("an access that names no known member reads everything") {
    CHECK(read_cuda_globals(kBlock + "GlobalParams_0 all = *globalParams_0;\n").reads_all);
    CudaGlobals unknown = read_cuda_globals(kBlock + "float x = globalParams_0->other_0;\n");
    CHECK_FALSE(unknown.reads({"gain"}));
    unknown.settle({}, {"gain", "lamp", "weights", "gain_0"});
    CHECK(unknown.reads({"gain"}));
}

TEST_CASE("longer names that contain the block's do not count") {
    CHECK_FALSE(read_cuda_globals(kBlock + "float globalParams_01 = my_globalParams_0;\n").is_used);
}

TEST_CASE("source without a block uses none") {
    CHECK_FALSE(read_cuda_globals("float f(float x) { return x; }\n").is_used);
    CHECK(read_cuda_globals("x = SLANG_globalParams.gain_0;\n").reads_all);
}
