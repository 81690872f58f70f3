// SPDX-License-Identifier: Apache-2.0
#include "reflect/serialize.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::reflect;

namespace {

Module make_module() {
    Type pixel;
    pixel.kind = TypeKind::structure;
    pixel.name = pixel.full_name = "Pixel";
    pixel.fields.push_back({.name = "r",
                            .type = scalar_type(ScalarKind::float32),
                            .offset = 4,
                            .attributes = {{"Range", {std::int64_t{1}, 2.5, std::string("x")}}},
                            .documentation = "red"});
    pixel.location = {"a.slang", 3, 8};
    pixel.tensor.rank = 2;
    Function scale;
    scale.name = "scale";
    scale.full_name = "Pixel.scale";
    scale.this_type = std::make_shared<const Type>(pixel);
    scale.parameters.push_back({.name = "by",
                                .type = scale.this_type,
                                .direction = Direction::inout,
                                .is_no_diff = true,
                                .has_default = true,
                                .default_value = -1.5,
                                .default_text = "-1.5",
                                .semantic = "S",
                                .attributes = {},
                                .documentation = "factor",
                                .location = {}});
    scale.return_type = vector_type(ScalarKind::int8, 3);
    scale.generics = {{"T", false, {"IFoo"}}, {"N", true, {}}};
    scale.group_size = {8, 4, 1};
    scale.is_mutating = true;
    Module module;
    module.name = "m";
    module.structs.push_back({scale.this_type, {scale}, {}});
    module.functions = {scale};
    module.globals = {{"gain", scalar_type(ScalarKind::float64)}};
    module.constants = {{"kCount", scalar_type(ScalarKind::int32)}};
    return module;
}

} // namespace

TEST_CASE("a module survives the archive") {
    const auto copy = core::from_archive<Module>(core::to_archive(make_module()));

    const Function& scale = copy.functions.at(0);
    CHECK(scale.full_name == "Pixel.scale");
    CHECK(scale.parameters.at(0).direction == Direction::inout);
    CHECK(scale.parameters[0].default_value == Literal(-1.5));
    CHECK(scale.generics.at(0).constraints == std::vector<std::string>{"IFoo"});
    CHECK(scale.group_size[1] == 4);
    CHECK(scale.is_mutating);
    CHECK(scale.return_type->columns == 3);
    const Type& pixel = *copy.structs.at(0).type;
    CHECK(pixel.fields.at(0).offset == 4);
    CHECK(std::get<double>(pixel.fields[0].attributes.at(0).arguments.at(1)) == 2.5);
    CHECK(pixel.location.line == 3);
    CHECK(pixel.tensor.rank == 2);
    CHECK(copy.globals.at(0).name == "gain");
    CHECK(copy.constants.at(0).type->scalar == ScalarKind::int32);
}

TEST_CASE("one type stays one object") {
    const auto copy = core::from_archive<Module>(core::to_archive(make_module()));

    CHECK(copy.functions.at(0).this_type == copy.structs.at(0).type);
    CHECK(copy.functions.at(0).parameters.at(0).type == copy.structs.at(0).type);
}
