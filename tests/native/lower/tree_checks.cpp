// SPDX-License-Identifier: Apache-2.0
#include "tree_checks.hpp"

#include "support/catch.hpp"
#include "tree_values.hpp"

#include <random>

namespace weft::lower {

Lowered lowered(const compile::LoadedModuleRef& module, const reflect::Function& function) {
    Lowered made{describe_call(function, module->import_name), {}};
    made.function =
        dag::build(dag::read_spirv(dag::compile_source(module, made.call.source, kEntryPoint)));
    return made;
}

Lowered lowered(const char* text) {
    const compile::LoadedModuleRef module = dag::load_text(text);
    return lowered(module, module->reflection.functions.back());
}

void check_tree(const Lowered& made, const NodeOptions& options) {
    const Tree tree = make_tree(made.call, made.function, options);
    std::mt19937 random(11);
    std::uniform_real_distribution<float> reals(-4, 4);
    std::uniform_int_distribution<int> integers(-100, 100);
    for (int point = 0; point < 200; point++) {
        dag::Values inputs;
        std::vector<double> flat;
        for (const Value& value : made.call.inputs) {
            for (const Leaf& leaf : value.leaves) {
                if (leaf.is_real) {
                    inputs.reals.push_back({reals(random)});
                    flat.push_back(inputs.reals.back()[0]);
                } else {
                    const int number = leaf.kind == reflect::ScalarKind::bool_
                                           ? integers(random) & 1
                                           : integers(random);
                    inputs.integers.push_back({static_cast<dag::Word>(number)});
                    flat.push_back(number);
                }
            }
        }
        const dag::Values expected = dag::interpret(made.function, inputs, 1);
        const std::vector<double> got = values_of(tree, flat);
        std::size_t at = 0;
        for (const Value& value : made.call.results) {
            for (const Leaf& leaf : value.leaves) {
                CAPTURE(point, leaf.path, flat);
                REQUIRE(at < got.size());
                if (leaf.is_real) {
                    CHECK(got[at] ==
                          Approx(expected.reals[leaf.number][0]).margin(1e-4).epsilon(1e-4));
                } else {
                    CHECK(got[at] == static_cast<std::int32_t>(expected.integers[leaf.number][0]));
                }
                at++;
            }
        }
        CHECK(at == got.size());
    }
}

} // namespace weft::lower
