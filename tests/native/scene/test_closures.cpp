// SPDX-License-Identifier: Apache-2.0
#include "scene/closures.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <set>

using namespace weft::scene;

TEST_CASE("kinds of closures are named once, and found by name") {
    std::set<std::string> kinds;
    for (const ClosureSpec& spec : closure_table()) {
        kinds.insert(spec.kind);
        CHECK(find_closure(spec.kind) == &spec);
    }
    CHECK(kinds.size() == closure_table().size());
    CHECK(find_closure("lambert") == nullptr);
}

TEST_CASE("inputs are one number or a colour, with defaults in their range") {
    for (const ClosureSpec& spec : closure_table()) {
        for (const auto& [name, input] : spec.inputs) {
            INFO(spec.kind << "." << name);
            CHECK((input.size() == 1 || input.size() == 3));
            CHECK(input.low < input.high);
            for (const double value : input.standard) {
                CHECK(value >= input.low);
                CHECK(value <= input.high);
            }
            CHECK(input.fit_low.value_or(input.low) >= input.low);
        }
    }
}

TEST_CASE("rules, features and what is always given name inputs that exist") {
    const auto exists = [](const ClosureSpec& spec, const std::string& name) {
        return spec.find_input(name) != nullptr || has_name(spec.normals, name) ||
               (name.ends_with("_") && std::ranges::any_of(spec.inputs, [&](const auto& entry) {
                    return entry.first.starts_with(name);
                }));
    };
    for (const ClosureSpec& spec : closure_table()) {
        for (const ClosureHiding& rule : spec.hiding) {
            for (const std::string& name : rule.hidden) {
                CHECK(exists(spec, name));
            }
            for (const auto& [name, level] : rule.when) {
                CHECK(spec.find_input(name) != nullptr);
            }
        }
        for (const auto& [flag, names] : spec.features) {
            for (const std::string& name : names) {
                CHECK((flag.empty() || exists(spec, name)));
            }
        }
        for (const std::string& name : spec.always) {
            CHECK(spec.find_input(name) != nullptr);
        }
    }
}
