// SPDX-License-Identifier: Apache-2.0
#include "lower/tree.hpp"

#include "lower/cost.hpp"
#include "lower/tree_sockets.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace weft::lower {

namespace {

/// A string of JSON.
std::string quoted(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (letter == '"' || letter == '\\') {
            out += '\\';
            out += letter;
        } else if (byte < ' ') {
            out += "\\u00";
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
        } else {
            out += letter;
        }
    }
    return out + '"';
}

/// Numbers that JSON has not are strings: "inf", "-inf", "nan".
std::string number(double value) {
    if (std::isnan(value)) {
        return "\"nan\"";
    }
    if (std::isinf(value)) {
        return value > 0 ? "\"inf\"" : "\"-inf\"";
    }
    std::ostringstream out;
    out.precision(std::numeric_limits<float>::max_digits10);
    out << value;
    std::string text = std::move(out).str();
    // What has no point would be read as an integer.
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class Printer {
public:
    explicit Printer(const Tree& tree) : m_tree(tree) {}

    std::string print() {
        m_out << "{\n  \"tree\": " << quoted(tree_type(m_tree.kind)) << ",\n  \"blender\": ["
              << m_tree.version.major << ", " << m_tree.version.minor
              << "],\n  \"cost\": " << number(cost_of(m_tree))
              << ",\n  \"cost_unit\": " << quoted(cost_unit(m_tree.kind)) << ",\n  \"inputs\": ";
        print_sockets(m_tree.inputs);
        m_out << ",\n  \"outputs\": ";
        print_sockets(m_tree.outputs);
        print_images();
        m_out << ",\n  \"nodes\": [";
        for (std::size_t i = 0; i < m_tree.nodes.size(); i++) {
            m_out << (i == 0 ? "\n    " : ",\n    ");
            print_node(m_tree.nodes[i]);
        }
        m_out << "\n  ],\n  \"results\": [";
        for (std::size_t i = 0; i < m_tree.results.size(); i++) {
            m_out << (i == 0 ? "" : ", ");
            print_source(m_tree.results[i]);
        }
        m_out << "],\n  \"zones\": [";
        for (std::size_t i = 0; i < m_tree.zones.size(); i++) {
            m_out << (i == 0 ? "" : ", ");
            print_zone(m_tree.zones[i]);
        }
        m_out << "]\n}\n";
        return std::move(m_out).str();
    }

private:
    void print_sockets(const std::vector<TreeSocket>& sockets) {
        m_out << '[';
        for (std::size_t i = 0; i < sockets.size(); i++) {
            m_out << (i == 0 ? "\n    " : ",\n    ");
            print_socket(sockets[i]);
        }
        m_out << (sockets.empty() ? "]" : "\n  ]");
    }

    void print_images() {
        m_out << ",\n  \"images\": [";
        for (std::size_t i = 0; i < m_tree.images.size(); i++) {
            const ImageSlot& slot = m_tree.images[i];
            m_out << (i == 0 ? "" : ", ") << "{\"name\": " << quoted(slot.name);
            print_text("label", slot.hints.label);
            print_text("tooltip", slot.hints.tooltip);
            m_out << '}';
        }
        m_out << ']';
    }

    void print_text(std::string_view key, const std::string& text) {
        if (!text.empty()) {
            m_out << ", " << quoted(key) << ": " << quoted(text);
        }
    }

    void print_socket(const TreeSocket& socket) {
        const Hints& hints = socket.hints;
        m_out << "{\"name\": " << quoted(socket.name) << ", \"type\": " << quoted(socket.type);
        const auto print_number = [&](std::string_view key, const std::optional<double>& value) {
            if (value) {
                m_out << ", " << quoted(key) << ": " << number(*value);
            }
        };
        print_text("label", hints.label);
        print_text("tooltip", hints.tooltip);
        print_number("default", hints.default_value);
        print_number("minimum", hints.minimum);
        print_number("maximum", hints.maximum);
        print_defaults(socket);
        print_cases(socket.cases);
        if (!socket.items.empty()) {
            m_out << ", \"items\": [";
            for (std::size_t i = 0; i < socket.items.size(); i++) {
                m_out << (i == 0 ? "" : ", ");
                print_socket(socket.items[i]);
            }
            m_out << ']';
        }
        m_out << '}';
    }

    /// What a structure holds by default: a number, or a list.
    void print_defaults(const TreeSocket& socket) {
        if (!socket.items.empty() || !has_default(socket)) {
            return;
        }
        const bool is_list = socket.leaves.size() > 1;
        m_out << ", \"default\": " << (is_list ? "[" : "");
        for (std::size_t i = 0; i < socket.leaves.size(); i++) {
            m_out << (i == 0 ? "" : ", ") << number(socket.leaves[i].default_value);
        }
        m_out << (is_list ? "]" : "");
    }

    void print_cases(const std::vector<reflect::Enumerator>& cases) {
        for (std::size_t i = 0; i < cases.size(); i++) {
            m_out << (i == 0 ? ", \"cases\": {" : ", ") << quoted(cases[i].name) << ": "
                  << cases[i].value;
        }
        m_out << (cases.empty() ? "" : "}");
    }

    void print_node(const TreeNode& node) {
        m_out << "{\"type\": " << quoted(node.type) << ", \"properties\": {";
        for (std::size_t i = 0; i < node.properties.size(); i++) {
            const auto& [name, value] = node.properties[i];
            const bool is_truth = value == "true" || value == "false";
            m_out << (i == 0 ? "" : ", ") << quoted(name) << ": "
                  << (is_truth ? value : quoted(value));
        }
        m_out << "}, \"inputs\": {";
        for (std::size_t i = 0; i < node.inputs.size(); i++) {
            m_out << (i == 0 ? "" : ", ") << quoted(node.inputs[i].socket) << ": ";
            print_source(node.inputs[i].source);
        }
        m_out << '}';
        print_names("items", node.items);
        print_names("types", node.types);
        m_out << '}';
    }

    void print_names(std::string_view key, const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); i++) {
            m_out << ", " << (i == 0 ? quoted(key) + ": [" : "") << quoted(names[i]);
        }
        m_out << (names.empty() ? "" : "]");
    }

    void print_zone(const Zone& zone) {
        m_out << "{\"input\": " << zone.input << ", \"output\": " << zone.output
              << ", \"items\": [";
        for (std::size_t i = 0; i < zone.items.size(); i++) {
            m_out << (i == 0 ? "" : ", ") << quoted(zone.items[i]);
        }
        m_out << "]}";
    }

    void print_source(const Source& source) {
        if (const auto* link = std::get_if<Link>(&source)) {
            m_out << "{\"node\": " << link->node << ", \"socket\": " << quoted(link->socket) << '}';
        } else if (const auto* real = std::get_if<double>(&source)) {
            m_out << number(*real);
        } else if (const auto* integer = std::get_if<std::int64_t>(&source)) {
            m_out << *integer;
        } else if (const auto* words = std::get_if<std::string>(&source)) {
            m_out << quoted(*words);
        } else {
            m_out << (std::get<bool>(source) ? "true" : "false");
        }
    }

    const Tree& m_tree;
    std::ostringstream m_out;
};

} // namespace

std::string_view tree_type(TreeKind kind) noexcept {
    switch (kind) {
    case TreeKind::geometry: return "GeometryNodeTree";
    case TreeKind::compositor: return "CompositorNodeTree";
    default: return "ShaderNodeTree";
    }
}

std::string print_json(const Tree& tree) {
    return Printer(tree).print();
}

} // namespace weft::lower
