// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/operation.hpp"
#include "lower/call.hpp"
#include "lower/sockets.hpp"

#include <map>
#include <set>
#include <string>

namespace weft::lower::osl {

/// A name that OSL takes: not a word of the language, nor of what every shader knows, nor like v1, which shaders are written with.
[[nodiscard]] std::string valid_name(const std::string& name);

/// What a shader's parameters are called, and where the function's inputs and results are in them.
class Parameters {
public:
    explicit Parameters(const Call& call);

    /// Adds a file and whether its colors are to be made linear, after all others.
    /// @return the file's name; the other one is this with "_is_srgb" appended
    std::string add_image(const ImageSlot& slot);
    /// All of them as OSL declares them, one a line.
    [[nodiscard]] const std::string& declarations() const noexcept { return m_declarations; }
    /// An input of the function's, by its number among those of its type; integers and booleans are one type.
    /// @throws dag::SpirvError if there is none.
    [[nodiscard]] const std::string& input(bool is_real, std::uint32_t number) const;
    [[nodiscard]] const std::string& result(bool is_real, std::uint32_t number) const;

private:
    using Places = std::map<std::pair<bool, std::uint32_t>, std::string>;

    static void place_leaves(const SocketLeaves& socket, const std::string& name, Places& places);
    void add(const Value& value, bool is_output);
    [[nodiscard]] std::string unused_name(const std::string& name, bool is_output);

    std::string m_declarations;
    std::set<std::string> m_names;
    Places m_inputs;
    Places m_results;
};

} // namespace weft::lower::osl
