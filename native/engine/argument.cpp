// SPDX-License-Identifier: Apache-2.0
#include "engine/argument.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "engine/call_arguments.hpp"

namespace weft::engine {

void require_extents(std::span<const std::int64_t> shape, std::size_t count) {
    std::uint64_t product = 1;
    bool is_valid = true;
    for (const std::int64_t extent : shape) {
        is_valid =
            is_valid && extent >= 0 &&
            (extent == 0 || product <= count / static_cast<std::uint64_t>(extent) || count == 0);
        product *= static_cast<std::uint64_t>(extent);
    }
    if (!is_valid || product != count) {
        std::string extents;
        for (const std::int64_t extent : shape) {
            extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
        }
        throw core::ArgumentError(core::text("host_array: the shape must make ", count,
                                             " elements, got (", extents,
                                             "); pass extents whose product is the array's size"));
    }
}

Argument Argument::structure(std::vector<std::pair<std::string, Argument>> fields,
                             std::string type_name) {
    auto made = std::make_shared<Fields>();
    made->type_name = std::move(type_name);
    for (auto& [name, value] : fields) {
        made->fields.push_back({.name = std::move(name), .value = std::move(value)});
    }
    Argument argument;
    argument.m_value = std::shared_ptr<const Fields>(std::move(made));
    return argument;
}

Argument Argument::pair(HostMemory value, HostMemory gradient) {
    if (value.shape != gradient.shape) {
        throw core::ArgumentError("Argument::pair: the gradient must have the shape of the value; "
                                  "pass host arrays of equal shapes");
    }
    auto made = std::make_shared<Fields>();
    made->form = Fields::Form::pair;
    made->fields.push_back({.name = {}, .value = Argument(std::move(value))});
    made->fields.push_back({.name = {}, .value = Argument(std::move(gradient))});
    Argument argument;
    argument.m_value = std::shared_ptr<const Fields>(std::move(made));
    return argument;
}

Argument Argument::named(std::string name) const {
    Argument argument = *this;
    argument.m_name = std::move(name);
    return argument;
}

Argument Argument::as_result() const {
    Argument argument = *this;
    argument.m_is_result = true;
    return argument;
}

} // namespace weft::engine
