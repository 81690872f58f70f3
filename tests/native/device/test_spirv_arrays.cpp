// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/spirv_arrays.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <vector>

using namespace weft::device::vulkan;

namespace {

constexpr std::uint32_t kFunctionStorage = 7;

// Ids of what the function below declares.
constexpr std::uint32_t kFloat = 3, kRow = 6, kArray = 7, kZero = 10, kOne = 13, kZeroRow = 11,
                        kZeros = 12, kA = 20, kB = 21, kElement = 22, kEntry = 30, kAfter = 31,
                        kIndex = 40, kLoaded = 41;

/// Variables A and B of 32 x 32 floats, the block kEntry of `code`, and the block kAfter with a phi of its edge.
SpirvModule function_of(const std::vector<SpirvInstruction>& code, std::uint32_t columns = 32) {
    std::vector<std::uint32_t> words{0x07230203, 0x00010500, 0, 60, 0};
    SpirvModule module = *SpirvModule::read([&] {
        words.push_back(3U << 16 | spirv::kMemoryModel);
        words.insert(words.end(), {0, 1});
        return words;
    }());
    const std::uint32_t uint_type = module.type(spirv::kTypeInt, {32, 0});
    module.declare({spirv::kTypeVoid, {1}});
    module.declare({spirv::kTypeFunction, {2, 1}});
    module.declare({spirv::kTypeFloat, {kFloat, 32}});
    module.declare({spirv::kConstant, {uint_type, 4, 32}});
    module.declare({spirv::kConstant, {uint_type, 5, columns}});
    module.declare({spirv::kTypeArray, {kRow, kFloat, 5}});
    module.declare({spirv::kTypeArray, {kArray, kRow, 4}});
    module.declare({spirv::kTypePointer, {8, kFunctionStorage, kArray}});
    module.declare({spirv::kTypePointer, {9, kFunctionStorage, kFloat}});
    module.declare({spirv::kConstant, {kFloat, kZero, 0}});
    module.declare({spirv::kConstant, {kFloat, kOne, 0x3F800000}});
    SpirvInstruction row{spirv::kConstantComposite, {kRow, kZeroRow}};
    row.operands.insert(row.operands.end(), columns, kZero);
    module.declare(row);
    SpirvInstruction all{spirv::kConstantComposite, {kArray, kZeros}};
    all.operands.insert(all.operands.end(), 32, kZeroRow);
    module.declare(all);
    module.declare({spirv::kUndef, {uint_type, kIndex}});
    module.code = {{spirv::kFunction, {1, 50, 0, 2}},
                   {spirv::kLabel, {kEntry}},
                   {spirv::kVariable, {8, kA, kFunctionStorage}},
                   {spirv::kVariable, {8, kB, kFunctionStorage}},
                   {spirv::kAccessChain, {9, kElement, kA, kIndex, kIndex}}};
    module.code.insert(module.code.end(), code.begin(), code.end());
    const std::vector<SpirvInstruction> end{{spirv::kBranch, {kAfter}},
                                            {spirv::kLabel, {kAfter}},
                                            {spirv::kPhi, {kFloat, 51, kZero, kEntry}},
                                            {spirv::kReturn, {}},
                                            {spirv::kFunctionEnd, {}}};
    module.code.insert(module.code.end(), end.begin(), end.end());
    return module;
}

std::vector<SpirvInstruction> all_of(const SpirvModule& module, std::uint32_t operation) {
    std::vector<SpirvInstruction> found;
    std::copy_if(module.code.begin(), module.code.end(), std::back_inserter(found),
                 [&](const SpirvInstruction& one) { return one.operation == operation; });
    return found;
}

const SpirvInstruction kFill{spirv::kStore, {kA, kZeros}};
const SpirvInstruction kLoadA{spirv::kLoad, {kArray, kLoaded, kA}};
const SpirvInstruction kStoreB{spirv::kStore, {kB, kLoaded}};
const SpirvInstruction kWriteElement{spirv::kStore, {kElement, kZero}};

} // namespace

TEST_CASE("a large array is filled by a loop of rows and one of their parts") {
    SpirvModule module = function_of({kFill});

    loop_over_arrays(module);

    CHECK(all_of(module, spirv::kLoopMerge).size() == 2);
    const auto stores = all_of(module, spirv::kStore);
    REQUIRE(stores.size() == 16);
    CHECK(std::all_of(stores.begin(), stores.end(),
                      [](const auto& one) { return one.operands[1] == kZero; }));
    CHECK(SpirvModule::read(module.write()).has_value());
}

TEST_CASE("rows that no loop divides end without one") {
    SpirvModule module = function_of({kFill}, 35);

    loop_over_arrays(module);

    CHECK(all_of(module, spirv::kLoopMerge).size() == 2);
    CHECK(all_of(module, spirv::kStore).size() == 16 + 3);
}

TEST_CASE("short rows are written at once") {
    SpirvModule module = function_of({kFill}, 16);

    loop_over_arrays(module);

    CHECK(all_of(module, spirv::kLoopMerge).size() == 1);
    const auto stores = all_of(module, spirv::kStore);
    REQUIRE(stores.size() == 1);
    CHECK(stores[0].operands[1] == kZeroRow);
}

TEST_CASE("a copy of a large array becomes a loop, and the load of the whole goes") {
    SpirvModule module = function_of({kFill, kLoadA, kStoreB, kWriteElement});

    loop_over_arrays(module);

    CHECK(all_of(module, spirv::kLoopMerge).size() == 4);
    for (const SpirvInstruction& load : all_of(module, spirv::kLoad)) {
        CHECK(load.operands[0] == kFloat);
    }
}

TEST_CASE("edges from a block that was split come from its last part") {
    SpirvModule module = function_of({kFill});

    loop_over_arrays(module);

    const auto phis = all_of(module, spirv::kPhi);
    const auto old = std::find_if(phis.begin(), phis.end(),
                                  [](const auto& one) { return one.operands[1] == 51; });
    REQUIRE(old != phis.end());
    const std::uint32_t last = all_of(module, spirv::kLoopMerge)[0].operands[0];
    CHECK(old->operands[3] == last);
}

TEST_CASE("a copy of what has changed since the load stays as it is") {
    SpirvModule module = function_of({kLoadA, kWriteElement, kStoreB});
    const auto words = module.write();

    loop_over_arrays(module);

    CHECK(module.write() == words);
}

TEST_CASE("a value that more than a copy uses is loaded still") {
    SpirvModule module =
        function_of({kLoadA, kStoreB, {spirv::kCompositeExtract, {kFloat, 52, kLoaded, 3, 4}}});
    const auto words = module.write();

    loop_over_arrays(module);

    CHECK(module.write() == words);
}

TEST_CASE("stores of small arrays, of tables and in heads of loops stay as they are") {
    SpirvModule small = function_of({kFill}, 8);
    SpirvModule table = function_of({kFill});
    for (SpirvInstruction& declared : table.declarations) {
        const bool is_row =
            declared.operation == spirv::kConstantComposite && declared.operands[1] == kZeroRow;
        if (is_row) {
            declared.operands.back() = kOne;
        }
    }
    SpirvModule head = function_of({kFill, {spirv::kLoopMerge, {kAfter, 54, 0}}});

    for (SpirvModule* module : {&small, &table, &head}) {
        const auto words = module->write();
        loop_over_arrays(*module);
        CHECK(module->write() == words);
    }
}

TEST_CASE("numbers in arrays are those of the function's variables") {
    CHECK(array_numbers(function_of({kFill})) == 2048);
}
