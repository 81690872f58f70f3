// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "lower/images.hpp"
#include "lower/inputs.hpp"
#include "lower/osl_operations.hpp"
#include "lower/osl_parameters.hpp"
#include "lower/osl_program.hpp"
#include "lower/osl_uses.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace weft::lower::osl {

using core::text;
using dag::Scalar;

namespace {

std::string_view type_name(Scalar type) {
    return type == Scalar::real ? "float" : "int";
}

struct Expression {
    std::string words;
    bool is_whole = true; ///< needs no parentheses
};

class Printer {
public:
    Printer(const Program& program, const Call& call)
        : m_program(program), m_graph(program.graph()), m_uses(program), m_parameters(call),
          m_call(call), m_slots(image_slots(call, program.function)) {
        for (const ImageSlot& slot : m_slots) {
            m_images.push_back(m_parameters.add_image(slot));
        }
        for (NodeId id = 0; id < m_graph.size(); id++) {
            const dag::Node& node = m_graph[id];
            if (node.op == dag::Op::lookup && m_uses.is_live(id) &&
                node.payload % kComponents == kComponents - 1) {
                m_straight.insert(place_of(node));
            }
        }
    }

    std::string print(const std::string& name) {
        print_list(m_program.body);
        const std::string body = std::move(m_text);
        m_text.clear();
        print_declarations();
        const std::string whole = text("shader ", valid_name(name), "(\n",
                                       m_parameters.declarations(), ")\n{\n", m_text, body, "}\n");
        return helpers_for(whole) + whole;
    }

private:
    static constexpr std::uint32_t kComponents = 4; ///< of a lookup

    /// A texture and what it is looked up at.
    using LookupPlace = std::pair<std::uint32_t, std::array<NodeId, 3>>;

    static LookupPlace place_of(const dag::Node& lookup) {
        return {lookup.payload / kComponents, lookup.arguments};
    }

    void line(const std::string& words) {
        m_text.append(static_cast<std::size_t>(4) * m_depth, ' ');
        m_text += words;
        m_text += '\n';
    }

    static std::string array_name(std::size_t number) { return text('m', number); }

    void print_declarations() {
        for (const auto& [number, words] : m_named) {
            line(words);
        }
        for (std::size_t i = 0; i < m_program.arrays.size(); i++) {
            const Array& array = m_program.arrays[i];
            if (!m_uses.is_array_live(static_cast<std::uint32_t>(i))) {
                continue;
            }
            const bool is_real = array.type == Scalar::real;
            line(text(type_name(array.type), ' ', array_name(i), '[', array.count, "];"));
            line(text("for (int i = 0; i < ", array.count, "; i++)"));
            line(text("    ", array_name(i), "[i] = ", is_real ? "0.0;" : "0;"));
        }
        for (const NodeId id : m_variables) {
            const Scalar type = m_graph[id].type;
            line(text(type_name(type), ' ', variable_name(id), " = ",
                      type == Scalar::real ? "0.0;" : "0;"));
        }
    }

    [[nodiscard]] std::string variable_name(NodeId id) const { return text('v', m_numbers.at(id)); }

    std::string input(NodeId id) {
        if (m_program.is_variable(id)) {
            return variable(id);
        }
        const dag::Node& node = m_graph[id];
        const dag::Function& function = m_program.function;
        if (node.type != Scalar::real || node.payload < function.first_named) {
            return m_parameters.input(node.type == Scalar::real, node.payload);
        }
        const std::uint32_t place = node.payload - function.first_named;
        const std::uint32_t number = place / kComponents;
        const dag::NamedInput& named = function.named.at(number);
        const std::string name = text("weft_input", number);
        m_named[number] = osl_input(named, m_call.literals, name);
        return components_of(named) == 1 ? name : text(name, '[', place % kComponents, ']');
    }

    /// Variables are numbered as the text meets them.
    std::string variable(NodeId id) {
        if (m_numbers.try_emplace(id, m_variables.size()).second) {
            m_variables.push_back(id);
        }
        return variable_name(id);
    }

    void print_list(const Statements& list) {
        m_scopes.emplace_back();
        m_lookups.emplace_back();
        for (const Statement& statement : list) {
            print_statement(statement);
        }
        m_scopes.pop_back();
        m_lookups.pop_back();
    }

    void print_body(const Statements& list) {
        m_depth++;
        print_list(list);
        m_depth--;
    }

    /// Prints what is not printed where it is used.
    void need_all(const std::vector<NodeId>& values) {
        for (const NodeId value : values) {
            if (m_uses.is_live(value) && !m_uses.is_inlined(value)) {
                need(value);
            }
        }
    }

    void print_statement(const Statement& statement) {
        switch (statement.kind) {
        case StatementKind::define: need_all(statement.values); return;
        case StatementKind::assign: print_assign(statement); return;
        case StatementKind::load: print_load(statement); return;
        case StatementKind::store: print_store(statement); return;
        case StatementKind::result: print_result(statement); return;
        case StatementKind::choice: print_choice(statement); return;
        case StatementKind::forever:
            line("while (1) {");
            print_body(statement.bodies[0]);
            line("}");
            return;
        case StatementKind::break_: line("break;"); return;
        case StatementKind::continue_: line("continue;"); return;
        case StatementKind::return_: line("return;"); return;
        default: return; // settle() leaves no others.
        }
    }

    /// All values are taken before the first variable changes.
    void print_assign(const Statement& statement) {
        std::vector<std::string> moves;
        std::set<NodeId> written;
        for (std::size_t k = 0; k < statement.targets.size(); k++) {
            const NodeId target = statement.targets[k];
            if (!m_uses.is_live(target)) {
                continue;
            }
            need(statement.values[k]);
            std::string words = expression(statement.values[k]).words;
            if (mentions(statement.values[k], written)) {
                words = new_value(statement.values[k], words);
            }
            moves.push_back(text(variable(target), " = ", words, ';'));
            written.insert(target);
        }
        for (const std::string& move : moves) {
            line(move);
        }
    }

    void print_load(const Statement& statement) {
        if (!m_uses.is_live(statement.targets[0])) {
            return;
        }
        need(statement.values[0]);
        line(text(variable(statement.targets[0]), " = ", array_name(statement.number), '[',
                  expression(statement.values[0]).words, "];"));
    }

    void print_store(const Statement& statement) {
        if (!m_uses.is_array_live(statement.number)) {
            return;
        }
        need(statement.values[0]);
        need(statement.values[1]);
        line(text(array_name(statement.number), '[', expression(statement.values[0]).words,
                  "] = ", expression(statement.values[1]).words, ';'));
    }

    void print_result(const Statement& statement) {
        const NodeId value = statement.values[0];
        need(value);
        const bool is_real = m_graph[value].type == Scalar::real;
        line(text(m_parameters.result(is_real, statement.number), " = ", expression(value).words,
                  ';'));
    }

    void print_choice(const Statement& statement) {
        for (const NodeId condition : statement.values) {
            need(condition);
        }
        const std::size_t count = statement.values.size();
        if (count == 1 && statement.bodies[0].empty()) {
            const Expression condition = expression(statement.values[0]);
            line(text("if (!",
                      condition.is_whole ? condition.words : text('(', condition.words, ')'),
                      ") {"));
            print_body(statement.bodies[1]);
            line("}");
            return;
        }
        for (std::size_t i = 0; i < count; i++) {
            line(text(i == 0 ? "if (" : "} else if (", expression(statement.values[i]).words,
                      ") {"));
            print_body(statement.bodies[i]);
        }
        if (!statement.bodies.back().empty()) {
            line("} else {");
            print_body(statement.bodies.back());
        }
        line("}");
    }

    [[nodiscard]] const std::string* name_of(NodeId id) const {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
            const auto found = scope->find(id);
            if (found != scope->end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

    /// Computes what an expression is made of, and itself unless it is written where it is used.
    void need(NodeId root) {
        std::vector<std::pair<NodeId, bool>> open{{root, false}};
        while (!open.empty()) {
            const auto [id, is_ready] = open.back();
            open.pop_back();
            const dag::Node& node = m_graph[id];
            if (node.count == 0 || name_of(id) != nullptr) {
                continue;
            }
            if (is_ready) {
                m_scopes.back()[id] = node.op == dag::Op::lookup
                                          ? looked_up(node)
                                          : new_value(id, expression(id).words);
                continue;
            }
            if (!m_uses.is_inlined(id)) {
                open.emplace_back(id, true);
            }
            for (std::size_t k = node.count; k-- > 0;) {
                open.emplace_back(node.arguments[k], false);
            }
        }
    }

    /// A component of an image; the first one that is needed looks all of them up.
    std::string looked_up(const dag::Node& node) {
        const std::uint32_t component = node.payload % kComponents;
        const LookupPlace place = place_of(node);
        const auto [known, is_new] = m_lookups.back().try_emplace(place, m_values);
        const std::string color = text('t', known->second);
        const std::string alpha = text('t', known->second + 1);
        if (is_new) {
            m_values += 2;
            const std::string& image =
                m_images.at(slot_of(m_program.function.textures.at(place.first), m_call, m_slots));
            line(text("color ", color, ';'));
            line(text("float ", alpha, ';'));
            line(text("weft_image(", image, ", ", image, "_is_srgb, ",
                      m_straight.contains(place) ? "1, " : "0, ",
                      expression(node.arguments[0]).words, ", ",
                      expression(node.arguments[1]).words, ", ", color, ", ", alpha, ");"));
        }
        return component + 1 == kComponents ? alpha : text(color, '[', component, ']');
    }

    std::string new_value(NodeId id, const std::string& words) {
        std::string name = text('t', m_values++);
        line(text(type_name(m_graph[id].type), ' ', name, " = ", words, ';'));
        return name;
    }

    Expression expression(NodeId id) {
        if (const std::string* name = name_of(id)) {
            return {*name};
        }
        const dag::Node& node = m_graph[id];
        if (node.op == dag::Op::constant) {
            return {literal(node)};
        }
        if (node.op == dag::Op::input) {
            return {input(id)};
        }
        const Form form = form_of(m_graph, node);
        Expression made{"", form.is_call};
        for (std::size_t i = 0; i < form.text.size(); i++) {
            if (form.text[i] != '$') {
                made.words += form.text[i];
                continue;
            }
            const Expression argument =
                expression(node.arguments[static_cast<std::size_t>(form.text[++i] - '0')]);
            const bool is_bare = form.is_call || argument.is_whole;
            made.words += is_bare ? argument.words : text('(', argument.words, ')');
        }
        return made;
    }

    /// Whether an expression reads one of the variables where it is written.
    [[nodiscard]] bool mentions(NodeId id, const std::set<NodeId>& variables) const {
        if (name_of(id) != nullptr) {
            return false;
        }
        const dag::Node& node = m_graph[id];
        return variables.contains(id) ||
               std::any_of(node.arguments.begin(), node.arguments.begin() + node.count,
                           [&](NodeId argument) { return mentions(argument, variables); });
    }

    const Program& m_program;
    const dag::Graph& m_graph;
    Uses m_uses;
    Parameters m_parameters;
    const Call& m_call;
    std::vector<ImageSlot> m_slots;
    std::vector<std::string> m_images;            ///< parameters, by slot
    std::map<std::uint32_t, std::string> m_named; ///< what declares inputs, by number
    std::string m_text;
    std::size_t m_depth = 1;
    std::size_t m_values = 0;
    std::vector<std::unordered_map<NodeId, std::string>> m_scopes; ///< names of what is computed
    /// Numbers of the variables that lookups are in, of each scope.
    std::vector<std::map<LookupPlace, std::size_t>> m_lookups;
    std::set<LookupPlace> m_straight; ///< lookups of which alpha is used
    std::unordered_map<NodeId, std::size_t> m_numbers;
    std::vector<NodeId> m_variables;
};

} // namespace

std::string print_program(const Program& program, const Call& call, const std::string& name) {
    return Printer(program, call).print(name);
}

} // namespace weft::lower::osl
