// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/prelude_text.hpp"

#include "device/cuda/prelude_tokens.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace weft::device::cuda {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr int kMaxExpansions = 8;

/// "if" of "  #  if X"; empty for a line that is no directive.
std::string_view directive_of(std::string_view line) {
    Tokens tokens(line);
    return tokens.next() == "#" ? tokens.next() : std::string_view();
}

std::string_view trimmed(std::string_view text) {
    const std::size_t start = text.find_first_not_of(kSpace);
    return start == std::string_view::npos
               ? std::string_view()
               : text.substr(start, text.find_last_not_of(kSpace) + 1 - start);
}

int nesting_step(char sign) {
    const bool is_open = sign == '(' || sign == '{';
    const bool is_close = sign == ')' || sign == '}';
    return is_open ? 1 : is_close ? -1 : 0;
}

/// The arguments between the brackets that open at the start of `text`.
std::vector<std::string_view> arguments_of(std::string_view text) {
    std::vector<std::string_view> result;
    Tokens tokens(text);
    int depth = 0;
    std::size_t first = 0;
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        const char c = token.front();
        depth += nesting_step(c);
        if (depth == 1 && c == '(' && first == 0) {
            first = tokens.end();
        } else if (depth == 0 || (depth == 1 && c == ',')) {
            result.push_back(trimmed(text.substr(first, tokens.first() - first)));
            first = tokens.end();
        }
        if (depth == 0) {
            break;
        }
    }
    return result;
}

/// The arguments of a parameter: of "..." all from its place on.
std::string values_of(std::string_view parameter, std::span<const std::string_view> arguments) {
    if (arguments.empty() || parameter != "__VA_ARGS__") {
        return arguments.empty() ? std::string() : std::string(arguments.front());
    }
    std::string result(arguments.front());
    for (const std::string_view argument : arguments.subspan(1)) {
        result.append(", ").append(argument);
    }
    return result;
}

/// The body of a macro with its parameters replaced. Blanks stay where there are some, so that operators are what they were.
std::string substituted(std::string_view body, const std::vector<std::string>& parameters,
                        std::span<const std::string_view> arguments) {
    std::string result;
    Tokens tokens(body);
    bool is_pasted = true;
    std::size_t end = 0; // of the token before
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "##") {
            is_pasted = true;
            continue;
        }
        result += is_pasted || tokens.first() == end ? "" : " ";
        is_pasted = false;
        end = tokens.end();
        const auto parameter = std::ranges::find(parameters, token);
        if (parameter == parameters.end()) {
            result += token;
            continue;
        }
        const auto which = static_cast<std::size_t>(parameter - parameters.begin());
        result += values_of(token, arguments.subspan(std::min(which, arguments.size())));
    }
    return result;
}

constexpr std::array<std::string_view, 16> kNotFunctions{"__launch_bounds__",
                                                         "__align__",
                                                         "alignas",
                                                         "decltype",
                                                         "__attribute__",
                                                         "__declspec",
                                                         "noexcept",
                                                         "sizeof",
                                                         "defined",
                                                         "if",
                                                         "for",
                                                         "while",
                                                         "return",
                                                         "requires",
                                                         "static_assert",
                                                         "asm"};

/// Not what an operator is found by.
constexpr std::array<std::string_view, 12> kEveryday{"const", "int",    "uint", "unsigned",
                                                     "float", "bool",   "T",    "ROWS",
                                                     "COLS",  "size_t", "char", "double"};

/// The types that an operator takes, by its parameters "(const float3& a, float3 b)".
Names operands(std::string_view parameters, const Macros& macros) {
    Names all;
    macros.add_names(parameters, all);
    for (const std::string_view word : kEveryday) {
        all.erase(std::string(word));
    }
    Tokens tokens(parameters);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (const char c = tokens.peek(); is_name(token) && (c == ',' || c == ')')) {
            all.erase(std::string(token)); // the name of a parameter
        }
    }
    return all;
}

bool is_vector(std::string_view name) {
    constexpr std::array<std::string_view, 12> kScalars{"bool",      "char",  "uchar",  "short",
                                                        "ushort",    "int",   "uint",   "longlong",
                                                        "ulonglong", "float", "double", "half"};
    return name.size() > 1 && name.back() >= '1' && name.back() <= '4' &&
           std::ranges::find(kScalars, name.substr(0, name.size() - 1)) != kScalars.end();
}

/// The vectors among the parameters of a function.
Names vectors_taken(std::string_view text) {
    const std::string_view head = text.substr(0, text.find('{'));
    const std::size_t open = head.find('(');
    Names taken;
    Tokens tokens(head, std::min(open, head.size()));
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (is_vector(token)) {
            taken.insert(std::string(token));
        }
    }
    return taken;
}

/// What a declaration declares, or for an operator what it takes. Empty if that is not plain.
Names declared_by(std::string_view text, const Macros& macros) {
    Tokens tokens(text);
    std::string_view token = tokens.next();
    while (token == "template") {
        if (tokens.peek() == '<') {
            tokens.skip_brackets('<', '>');
        }
        token = tokens.next();
    }
    if (token == "typedef" || token == "extern" || token == "static_assert") {
        return {};
    }
    if (token == "using") {
        const std::string_view name = tokens.next();
        return name == "namespace" ? Names() : Names{std::string(name)};
    }
    const bool is_type = token == "namespace" || token == "struct" || token == "class" ||
                         token == "union" || token == "enum";
    std::string_view last;
    int angles = 0;
    for (token = is_type ? tokens.next() : token; !token.empty(); token = tokens.next()) {
        const char c = token.front();
        if (token == "operator") {
            const std::size_t open = text.find('(', tokens.end());
            Tokens parameters(text, open);
            parameters.skip_brackets('(', ')');
            return operands(text.substr(open, parameters.end() - open), macros);
        }
        const bool is_skipped =
            std::ranges::find(kNotFunctions, last) != kNotFunctions.end() || macros.contains(last);
        if (c == '(' && is_skipped) {
            tokens.jump(tokens.first());
            tokens.skip_brackets('(', ')');
            last = {};
        } else if (c == '<' || c == '>') {
            angles += c == '<' ? 1 : -1;
        } else if (c == '(' || c == '{' || c == ';' || c == '=' || c == '[' || c == ':') {
            break;
        } else if (angles == 0 && is_name(token)) {
            last = token;
        }
    }
    return last.empty() ? Names() : Names{std::string(last)};
}

/// Where the declaration that begins at `at` ends; npos if it does not, or if its conditionals do not close.
std::size_t declaration_end(std::string_view text, std::size_t at, const Macros& macros) {
    Tokens tokens(text, at);
    std::string_view token = tokens.next();
    if (macros.contains(token) && tokens.peek() == '(') {
        tokens.skip_brackets('(', ')');
        if (tokens.peek() == ';') {
            tokens.next();
        }
        return tokens.end();
    }
    if (macros.is_list(token)) {
        return tokens.end();
    }
    const bool is_typedef = token == "typedef";
    int depth = 0;
    int conditionals = 0;
    for (; !token.empty() && depth >= 0 && conditionals >= 0; token = tokens.next()) {
        const char c = token.front();
        if (c == '#') {
            const std::size_t end = directive_end(text, tokens.first());
            const std::string_view line = text.substr(tokens.first(), end - tokens.first());
            const bool is_other = directive_of(line).starts_with("el");
            conditionals += is_other && conditionals == 0 ? -1 : conditional_step(line);
            tokens.jump(end);
            continue;
        }
        depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        const bool is_body = c == '}' && depth == 0 && !is_typedef;
        if (is_body && tokens.peek() == ';') {
            tokens.next();
        }
        if (is_body || (c == ';' && depth == 0)) {
            return conditionals == 0 ? tokens.end() : std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

Item directive_item(std::string_view line, const Macros& macros) {
    Item item{.text = std::string(line), .provides = {}, .takes = {}, .mentions = {}};
    Tokens tokens(line);
    tokens.next();
    const std::string_view name = tokens.next();
    if (name == "define") {
        item.provides.insert(std::string(tokens.next()));
    }
    if (name != "undef") {
        macros.add_names(line.substr(tokens.end()), item.mentions);
    }
    return item;
}

Item code_item(std::string_view text, const Macros& macros) {
    Item item{.text = std::string(text),
              .provides = declared_by(text, macros),
              .takes = vectors_taken(text),
              .mentions = {}};
    macros.add_names(text, item.mentions);
    return item;
}

/// Whether the text is a call of a macro alone.
bool is_call(std::string_view text, const Macros& macros) {
    Tokens tokens(text);
    const std::string_view name = tokens.next();
    return macros.is_list(name) || (macros.is_plain(name) && tokens.peek() == '(');
}

} // namespace

std::size_t directive_end(std::string_view text, std::size_t at) {
    for (;;) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) {
            return text.size();
        }
        const std::size_t last = text.find_last_not_of(" \t\r", end == 0 ? 0 : end - 1);
        if (last == std::string_view::npos || text[last] != '\\' || last < at) {
            return end + 1;
        }
        at = end + 1;
    }
}

std::string without_dead_branches(std::string_view text, const Names& defined,
                                  const Names& undefined) {
    struct Branch {
        bool is_settled = false; ///< its condition is one of those that are known
        bool is_alive = true;
    };
    std::vector<Branch> open;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = directive_end(text, at);
        const std::string_view line = text.substr(at, end - at);
        at = end;
        Tokens tokens(line);
        const bool is_directive = tokens.next() == "#";
        const std::string_view kind = is_directive ? tokens.next() : std::string_view();
        if (kind.starts_with("if")) {
            std::string_view name = tokens.next();
            const bool is_not = name == "!" || kind == "ifndef";
            name = name == "!" ? tokens.next() : name;
            const bool is_simple = tokens.next().empty();
            const bool is_defined = is_simple && defined.contains(std::string(name));
            const bool is_known =
                is_defined || (is_simple && undefined.contains(std::string(name)));
            open.push_back({.is_settled = is_known, .is_alive = !is_known || is_defined != is_not});
        } else if (kind == "else" && !open.empty() && open.back().is_settled) {
            open.back().is_alive = !open.back().is_alive;
        }
        const bool is_own = !open.empty() && open.back().is_settled &&
                            (kind.starts_with("if") || kind == "else" || kind == "endif");
        if (!is_own && std::ranges::all_of(open, &Branch::is_alive)) {
            result.append(line);
        }
        if (kind == "endif" && !open.empty()) {
            open.pop_back();
        }
    }
    return result;
}

int conditional_step(std::string_view line) {
    const std::string_view name = directive_of(line);
    return name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
}

Macros::Macros(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = directive_end(text, at);
        const std::string_view line = text.substr(at, end - at);
        at = end;
        Tokens tokens(line);
        if (tokens.next() != "#" || tokens.next() != "define") {
            continue;
        }
        const std::string name(tokens.next());
        if (tokens.end() >= line.size() || line[tokens.end()] != '(') {
            const auto [place, is_new] = m_plain.emplace(name, line.substr(tokens.end()));
            if (!is_new) {
                place->second.clear(); // which of them is not known
            }
            continue;
        }
        const std::string_view rest = line.substr(tokens.end());
        Macro macro;
        for (const std::string_view parameter : arguments_of(rest)) {
            macro.parameters.emplace_back(parameter == "..." ? "__VA_ARGS__" : parameter);
        }
        Tokens body(rest);
        body.skip_brackets('(', ')');
        macro.body = rest.substr(body.end());
        m_macros[name].push_back(std::move(macro));
    }
}

bool Macros::contains(std::string_view name) const {
    return is_name(name) && m_macros.contains(std::string(name));
}

bool Macros::is_list(std::string_view name) const {
    const auto found = is_name(name) ? m_plain.find(std::string(name)) : m_plain.end();
    if (found == m_plain.end()) {
        return false;
    }
    Tokens tokens(found->second);
    return contains(tokens.next()) && tokens.peek() == '(';
}

bool Macros::is_plain(std::string_view name) const {
    const auto found = m_macros.find(std::string(name));
    if (found == m_macros.end() || found->second.size() != 1) {
        return false;
    }
    Tokens tokens(found->second.front().body);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "#") {
            return false;
        }
    }
    return true;
}

std::string Macros::expand(std::string_view call) const {
    Tokens head(call);
    const std::string name(head.next());
    if (is_list(name)) {
        return m_plain.find(name)->second;
    }
    const auto found = m_macros.find(name);
    std::string result;
    if (found == m_macros.end()) {
        return result;
    }
    const std::vector<std::string_view> arguments = arguments_of(call.substr(head.end()));
    for (const Macro& macro : found->second) {
        result += substituted(macro.body, macro.parameters, arguments);
        result += '\n';
    }
    return result;
}

void Macros::add_names(std::string_view text, Names& out, int depth) const {
    Tokens tokens(text);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (!is_name(token)) {
            continue;
        }
        out.insert(std::string(token));
        if (depth < kMaxExpansions && m_macros.contains(std::string(token)) &&
            tokens.peek() == '(') {
            const std::size_t first = tokens.first();
            Tokens call(text, tokens.end());
            call.skip_brackets('(', ')');
            add_names(expand(text.substr(first, call.end() - first)), out, depth + 1);
        }
    }
}

std::optional<std::vector<Item>> split(std::string_view text, const Macros& macros) {
    std::vector<Item> items;
    Tokens tokens(text);
    for (;;) {
        const char c = tokens.peek();
        const std::size_t at = tokens.end();
        if (c == '\0') {
            return items;
        }
        const bool is_directive = c == '#';
        const std::size_t end =
            is_directive ? directive_end(text, at) : declaration_end(text, at, macros);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view part = text.substr(at, end - at);
        if (is_directive) {
            items.push_back(directive_item(part, macros));
        } else if (!is_call(part, macros)) {
            items.push_back(code_item(part, macros));
        } else if (auto inner = split(macros.expand(part), macros)) {
            std::ranges::move(*inner, std::back_inserter(items));
        } else { // left to the compiler, with all it may name
            items.push_back(
                {.text = std::string(part), .provides = {}, .takes = {}, .mentions = {}});
            macros.add_names(part, items.back().mentions);
        }
        tokens.jump(end);
    }
}

} // namespace weft::device::cuda
