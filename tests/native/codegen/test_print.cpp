// SPDX-License-Identifier: Apache-2.0
#include "codegen/leaves.hpp"
#include "codegen/pipeline.hpp"
#include "codegen/print.hpp"
#include "kernel_builder.hpp"
#include "support/catch.hpp"

using namespace weft::codegen;
using namespace weft::codegen::testing;
using namespace weft;

TEST_CASE("kernels that differ in extents only print alike") {
    Kernel a = add_kernel({100, 7}, {7, 1}, {0, 1});
    Kernel b = add_kernel({32, 9}, {9, 1}, {0, 1});

    lower(a);
    lower(b);

    CHECK(print(a) == print(b));
}

TEST_CASE("a broadcast operand is read at offset zero without coordinates") {
    Kernel kernel = add_kernel({100}, {1}, {0});

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(source.find("weft_b_at = int(0)") != std::string::npos);
    CHECK(source.find("weft_rest") == std::string::npos);
}

TEST_CASE("a kernel without a tail has no branch for one") {
    Kernel even = add_kernel({1 << 20}, {1}, {1});
    Kernel odd = add_kernel({(1 << 20) + 1}, {1}, {1});

    lower(even);
    lower(odd);

    CHECK(print(even).find("weft_filled") == std::string::npos);
    CHECK(print(odd).find("if (2 < weft_filled) weft_a_words[2]") != std::string::npos);
}

TEST_CASE("the lanes of a thread share the division into rows") {
    Kernel kernel = add_kernel({1024, 1024}, {0, 1}, {1, 0});

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(source.find("weft_rest / ") == source.rfind("weft_rest / "));
    CHECK(source.find("weft_c1 = weft_first_column + weft_lane;") != std::string::npos);
}

TEST_CASE("staged operands wait for the group before and after the call") {
    Kernel kernel = vector_kernel(3, 1 << 20);

    lower(kernel);
    const std::string source = print(kernel);

    const auto call = source.find("= scale(weft_a);");
    REQUIRE(call != std::string::npos);
    CHECK(source.find("groupshared uint weft_stage0[768];") != std::string::npos);
    CHECK(source.find("GroupMemoryBarrierWithGroupSync();") < call);
    CHECK(source.rfind("GroupMemoryBarrierWithGroupSync();") > call);
}

TEST_CASE("wide operands of a software device are bound as vectors") {
    Kernel kernel = add_kernel({1 << 20}, {1}, {1});
    kernel.prefers_storage_bindings = true;

    lower(kernel);

    CHECK(print(kernel).find("weft_StorageBuffer<uint4> weft_a_storage;") != std::string::npos);
}

TEST_CASE("the printed kernel imports the module and calls the function with all operands") {
    Kernel kernel = add_kernel({100}, {1}, {1});

    lower(kernel);
    const std::string source = print(kernel);

    CHECK(source.find("import \"user\";") != std::string::npos);
    CHECK(source.find("float weft_result = add(weft_a, weft_b);") != std::string::npos);
}

TEST_CASE("scalar leaves of a nested structure carry paths and offsets") {
    reflect::Type inner;
    inner.kind = reflect::TypeKind::structure;
    inner.full_name = "Inner";
    inner.fields = {{"color", reflect::vector_type(reflect::ScalarKind::float32, 3), 0, {}, ""},
                    {"id", reflect::scalar_type(reflect::ScalarKind::int32), 12, {}, ""}};
    inner.layout = {16, 4, 16};

    const auto leaves = scalar_leaves(inner);

    REQUIRE(leaves);
    REQUIRE(leaves->size() == 4);
    CHECK((*leaves)[2].path == ".color[2]");
    CHECK((*leaves)[3].path == ".id");
    CHECK((*leaves)[3].offset == 12);
    CHECK(word_count(inner) == 4);
}

TEST_CASE("types with padding or 8-byte scalars are not words") {
    CHECK_FALSE(word_count(*reflect::scalar_type(reflect::ScalarKind::float64)));
    CHECK_FALSE(word_count(*reflect::scalar_type(reflect::ScalarKind::float16)));
    CHECK(word_count(*reflect::vector_type(reflect::ScalarKind::int32, 3)) == 3);
}

TEST_CASE("one operand that collects its gradient brackets the turns of its group") {
    Kernel kernel = add_kernel({1 << 20}, {1}, {1});
    kernel.derivative = Derivative::backward;
    kernel.subgroup_size = 32;
    kernel.has_team = kernel.has_matrix_units = true;
    kernel.group_size = {kTeamGroup, 1, 1};
    Kernel both = kernel;
    kernel.operands[0].can_collect = true;
    kernel.operands[0].collected_bytes = 26624;
    Kernel large = kernel;
    large.operands[0].collected_bytes = 106496;
    Kernel beside = large;
    beside.keeps_group_size = true;
    both.operands[0].can_collect = both.operands[1].can_collect = true;

    lower(kernel);
    lower(both);
    lower(large);
    lower(beside);
    const std::string source = print(kernel);

    const auto begin = source.find("weft_a.beginGroup(weft_lane_in_group);");
    const auto loop = source.find("[loop]");
    const auto end = source.find("weft_a.endGroup(weft_lane_in_group, weft_group.x);");
    REQUIRE(end != std::string::npos);
    CHECK(begin < loop);
    CHECK(loop < end);
    CHECK(kernel.group_count[0] == 256);
    CHECK(kernel.collected_bytes == 26624);
    CHECK(both.collected_bytes == 0);
    CHECK(kernel.group_size[0] == 128);
    CHECK(large.group_size[0] == 256);
    CHECK(beside.group_size[0] == 128);
    CHECK(source.find("weft_has_matrix_units = true;") != std::string::npos);
    CHECK(print(both).find("Group(") == std::string::npos);
    CHECK(both.collector.empty());
    CHECK(print(both).find("weft_has_matrix_units = true;") != std::string::npos);
    CHECK(print(both).find("beginGroup") == std::string::npos);
}

TEST_CASE("a function with a team learns the size of subgroups, and each thread makes one call") {
    Kernel alone = add_kernel({1 << 22}, {1}, {1});
    Kernel team = add_kernel({1 << 22}, {1}, {1});
    alone.subgroup_size = team.subgroup_size = 32;
    team.has_team = true;

    lower(alone);
    lower(team);

    const std::string option = "export static const int weft_cooperative_lanes = 32;";
    CHECK(print(alone).find(option) == std::string::npos);
    CHECK(print(team).find(option) != std::string::npos);
    CHECK(alone.width == 4);
    CHECK(team.width == 1);
}
