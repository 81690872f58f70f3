// SPDX-License-Identifier: Apache-2.0
#include "scene/parameter_changes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_changer.hpp"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace weft::scene {

namespace {

Value value_of(const Numbers& numbers) {
    return numbers.size() == 1 ? Value(numbers.front()) : Value(numbers);
}

bool is_number(const Value& value) {
    return std::holds_alternative<double>(value) || std::holds_alternative<Numbers>(value);
}

/// What a value is that has no number of its own.
std::string_view kind_of(const Value& value) {
    if (std::holds_alternative<std::shared_ptr<Texture>>(value)) {
        return "a texture";
    }
    if (std::holds_alternative<std::shared_ptr<SlangCall>>(value)) {
        return "a Slang function, whose parameters have names below it";
    }
    return "a quantity of the point";
}

/// Copies materials with other numbers.
class ParameterChanger : public MaterialChanger {
public:
    explicit ParameterChanger(const ParameterValues& values) : m_values(values) {}

    /// @throws ArgumentError for the first name that no material has.
    void require_all_found() const {
        const std::vector<std::string> known(m_known.begin(), m_known.end());
        for (const auto& [name, numbers] : m_values) {
            if (!m_known.contains(name)) {
                throw core::ArgumentError(
                    core::text("with_parameters: the scene has no parameter '", name, "'",
                               core::suggestion(name, known),
                               known.empty() ? "; its materials have none" : ""));
            }
        }
    }

protected:
    std::optional<Value> replaced(const std::string& name, const Value& value) override {
        m_known.insert(name);
        if (const auto* const held = std::get_if<std::shared_ptr<const Constant>>(&value)) {
            return changed_constant(name, *held);
        }
        if (const auto given = m_values.find(name); given != m_values.end()) {
            require_number(name, value, given->second);
            return value_of(given->second);
        }
        return std::nullopt;
    }

    void begin_material() override { m_constants.clear(); }
    /// Uses of a constant may come before the one that has its name.
    bool wants_another_visit() override { return !m_constants.empty(); }

private:
    std::optional<Value> changed_constant(const std::string& place,
                                          const std::shared_ptr<const Constant>& held) {
        const std::string name = core::text(owner(), ".", held->name);
        m_known.insert(name);
        auto given = m_values.find(place);
        if (given == m_values.end()) {
            given = m_values.find(name);
        }
        auto& own = m_constants[name];
        if (own == nullptr && given != m_values.end()) {
            require_number(name, held->value, given->second);
            own = constant(held->name, value_of(given->second), held->low, held->high);
        }
        return own == nullptr ? std::nullopt : std::optional<Value>(own);
    }

    static void require_number(const std::string& name, const Value& before, const Numbers& after) {
        if (!is_number(before)) {
            throw core::ArgumentError(core::text("with_parameters: '", name, "' is driven by ",
                                                 kind_of(before), ", not by a number"));
        }
        if (after.size() != size_of(before)) {
            throw core::ArgumentError(core::text("with_parameters: '", name, "' has ",
                                                 size_of(before), " numbers, got ", after.size()));
        }
    }

    const ParameterValues& m_values;
    std::set<std::string> m_known;
    std::map<std::string, std::shared_ptr<const Constant>> m_constants;
};

} // namespace

Scene with_parameters(const Scene& scene, const ParameterValues& values) {
    ParameterChanger changer(values);
    Scene out = changer.changed(scene);
    changer.require_all_found();
    return out;
}

} // namespace weft::scene
