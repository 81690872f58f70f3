// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dispatch/argument.hpp"
#include "engine/argument.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft::engine {

struct Argument::Fields {
    struct Field {
        std::string name;
        Argument value;
    };
    enum class Form : std::uint8_t { structure, pair };

    Form form = Form::structure;
    std::string type_name; ///< structure
    std::vector<Field> fields;
};

/// The arguments of one call as the dispatcher reads them. Points into the arguments, which must outlive it.
class CallArguments {
public:
    explicit CallArguments(std::span<const Argument> arguments);

    dispatch::ArgumentList& list() noexcept { return m_list; }

private:
    void add(const Argument& argument, std::string_view name);
    void add_fields(const Argument::Fields& fields, std::string_view name);
    dispatch::Node& push(dispatch::NodeKind kind, std::string_view name);

    dispatch::ArgumentList m_list;
    std::vector<std::unique_ptr<dispatch::HostArray>> m_arrays;
};

} // namespace weft::engine
