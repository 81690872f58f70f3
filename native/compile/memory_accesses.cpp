// SPDX-License-Identifier: Apache-2.0
#include "compile/memory_accesses.hpp"

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/loop_statements.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::compile {

namespace {

constexpr std::size_t kNone = TokenList::npos;
constexpr std::string_view kShared = "::";

/// Of memory at module scope and in structures.
std::string shared_key(std::string_view name) {
    return core::text(kShared, name);
}

bool begins_with(std::string_view word, std::string_view small, std::string_view large) {
    return word.starts_with(small) || word.starts_with(large);
}

/// What the text of a macro does to the memory that it names or is given.
MemoryUse macro_use(const MacroDefinition& macro) {
    const TokenList content(macro.body);
    MemoryUse use{.reads = true, .writes = false};
    bool is_store_alone = false;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::string_view sign = content.text(i);
        const bool is_step = is_one_of(sign, "++", "--") || sign.starts_with("Interlocked");
        const bool is_write = is_assignment(sign) || begins_with(sign, "store", "Store");
        is_store_alone = (!use.writes && sign == "=") || (is_store_alone && !is_step && !is_write);
        use.writes = use.writes || is_step || is_write;
    }
    use.reads = !is_store_alone;
    return use;
}

class AccessFinder {
public:
    AccessFinder(const MemoryText& file, const FunctionText& function, const MemoryNames& names,
                 const KnownMemory& known)
        : m_file(file), m_tokens(file.tokens), m_function(function), m_names(names), m_known(known),
          m_loops(
              find_loop_statements(file.tokens, DifferentiableBody{.name = function.name,
                                                                   .head = function.head,
                                                                   .opening = function.opening,
                                                                   .closing = function.closing})) {}

    void find() {
        find_locals();
        for (std::size_t i = m_function.opening + 1; i < m_function.closing; ++i) {
            if (!m_tokens.is_word(i)) {
                continue;
            }
            read_macro(i);
            if (is_memory(i) && !declares(m_tokens, i)) {
                read_memory(i);
            } else if (m_names.variables.contains(m_tokens.text(i)) && !is_hidden(i) &&
                       !declares(m_tokens, i)) {
                const std::size_t end = chain_end(m_tokens, i + 1);
                add(i, end, use_of(i, end), m_tokens.source_of(i, end));
            } else if (m_tokens.text(i + 1) == "(" && !declares(m_tokens, i)) {
                read_call(i);
            }
        }
        std::ranges::stable_sort(accesses, {}, &MemoryAccess::begin);
    }

    std::vector<MemoryAccess> accesses;

private:
    bool is_memory(std::size_t at) const {
        const std::string_view name = m_tokens.text(at);
        const bool is_own = m_locals.contains(name) && m_tokens.text(at - 1) != ".";
        return is_own ? m_memory.contains(name) || m_aliases.contains(name)
                      : m_names.memory.contains(name);
    }

    /// True for `a.x` and for a variable of the function that has the name of another one.
    bool is_hidden(std::size_t at) const {
        return m_tokens.text(at - 1) == "." || m_locals.contains(m_tokens.text(at));
    }

    /// What the function declares, and which of it is another name of memory.
    void find_locals() {
        for (const MemoryParameter& parameter : m_function.parameters) {
            declare(parameter.at);
        }
        for (std::size_t i = m_function.opening + 1; i < m_function.closing; ++i) {
            if (!m_tokens.is_word(i) || !declares(m_tokens, i)) {
                continue;
            }
            declare(i);
            const bool is_deduced = is_one_of(m_tokens.text(i - 1), "let", "var");
            if (m_tokens.text(i + 1) == "=" && (is_deduced || m_file.memory.contains(i))) {
                find_alias(i);
            }
        }
    }

    /// Which memory a variable stands for, by its first value.
    void find_alias(std::size_t name) {
        const std::size_t end = m_tokens.statement_end(name);
        const bool is_address = m_tokens.text(name + 2) == "&";
        for (std::size_t i = name + 2; i < end; ++i) {
            const std::string_view next = m_tokens.text(i + 1);
            const bool is_handle = is_address || is_one_of(next, ";", ".", "+", "-");
            const bool is_value = next == "." && m_tokens.text(i + 2) != "_address";
            if (m_tokens.is_word(i) && is_memory(i) && is_handle && !is_value) {
                m_aliases[m_tokens.text(name)] = m_tokens.text(i);
            }
        }
    }

    void declare(std::size_t name) {
        m_locals.insert(m_tokens.text(name));
        if (m_file.memory.contains(name)) {
            m_memory.insert(m_tokens.text(name));
        }
    }

    std::string_view origin(std::string_view name) const {
        for (int steps = 0; steps < 8 && m_aliases.contains(name); ++steps) {
            name = m_aliases.find(name)->second;
        }
        return name;
    }

    void add(std::size_t begin, std::size_t end, MemoryUse use, std::string_view element) {
        if (!use.reads && !use.writes) {
            return;
        }
        const bool is_member = m_tokens.text(begin - 1) == ".";
        const std::string_view memory =
            is_member ? m_tokens.text(begin) : origin(m_tokens.text(begin));
        const bool is_local = m_locals.contains(memory) && !is_member;
        MemoryAccess access{.key = is_local ? std::string(memory) : shared_key(memory),
                            .name = m_tokens.text(begin),
                            .element = element,
                            .reads = use.reads,
                            .writes = use.writes,
                            .is_local = is_local,
                            .begin = begin,
                            .name_end = end,
                            .end = end};
        const std::string_view before = m_tokens.text(first_of(begin) - 1);
        access.is_store = use.writes && !use.reads && is_one_of(before, ";", "{", "}");
        access.block_end = block_end(begin);
        note_loops(access);
        if (access.is_store) { // what stands to the right is read before
            access.end = m_tokens.statement_end(begin);
        }
        accesses.push_back(access);
    }

    void note_loops(MemoryAccess& access) const {
        for (const LoopStatement& loop : m_loops) {
            if (loop.begin <= access.begin && access.begin < loop.end) {
                access.loop_begin = access.loop_end == 0 ? loop.begin : access.loop_begin;
                access.loop_end = std::max(access.loop_end, loop.end);
            }
        }
    }

    /// The first token of `this.a.t` for `t`.
    std::size_t first_of(std::size_t at) const {
        while (m_tokens.text(at - 1) == "." && m_tokens.is_word(at - 2)) {
            at -= 2;
        }
        return at;
    }

    std::size_t block_end(std::size_t at) const {
        for (std::size_t i = at; i-- > m_function.opening;) {
            const std::size_t partner = m_tokens.partner(i);
            if (m_tokens.text(i) == "{" && partner != kNone && partner > at) {
                return partner;
            }
        }
        return m_function.closing;
    }

    /// Behind `a.b` of `a.b[i]` and of `a.b.load(i)`.
    std::size_t fields_end(std::size_t at) const {
        std::size_t end = at + 1;
        while (m_tokens.text(end) == "." && m_tokens.text(end + 2) != "(" &&
               m_tokens.is_word(end + 1)) {
            end += 2;
        }
        return end;
    }

    /// `t[i]`, `t.load(i)`, `*t`, `f(t)`.
    void read_memory(std::size_t at) {
        const std::size_t end = fields_end(at);
        if (m_tokens.text(end) == "[" && m_tokens.partner(end) != kNone) {
            read_element(at, end);
        } else if (m_tokens.text(end) == "." && m_tokens.text(end + 2) == "(") {
            const std::size_t close = m_tokens.partner(end + 2);
            add(at, close == kNone ? end + 2 : close + 1, method_use(end + 1),
                first_argument(end + 2));
        } else if (m_tokens.text(at - 1) == "*" && !is_operand_before(at - 1)) {
            read_pointee(at, end);
        } else if (const std::size_t open = enclosing(m_tokens, at, "("); open != kNone) {
            read_pointer_sum(at, open);
            read_argument(at, end, open);
        }
    }

    void read_element(std::size_t at, std::size_t open) {
        const std::size_t close = m_tokens.partner(open);
        const std::size_t behind = chain_end(m_tokens, open);
        const MemoryUse use = element_use(at, behind);
        add(at, behind, use, m_tokens.source_of(open + 1, close));
        const bool is_part = behind > close + 1;
        if (is_part && (use.reads || use.writes)) {
            accesses.back().is_store = false; // t[i].x = 1
        }
    }

    /// `*t` and `(*t)`.
    void read_pointee(std::size_t at, std::size_t end) {
        const bool is_enclosed = m_tokens.text(at - 2) == "(" && m_tokens.text(end) == ")";
        add(at, end, use_of(at - (is_enclosed ? 2 : 1), end + (is_enclosed ? 1 : 0)), "0");
    }

    bool is_operand_before(std::size_t at) const {
        const std::string_view before = m_tokens.text(at - 1);
        return (m_tokens.is_word(at - 1) && before != "return") || before == ")" || before == "]" ||
               m_tokens[at - 1].kind == TokenKind::number;
    }

    /// `(p + 1)[0]` and `*(p + 1)`.
    void read_pointer_sum(std::size_t at, std::size_t open) {
        const std::size_t close = m_tokens.partner(open);
        const std::string_view next = m_tokens.text(at + 1);
        if ((next != "+" && next != "-" && m_tokens.text(at - 1) != "+") || close == kNone) {
            return;
        }
        if (m_tokens.text(close + 1) == "[") {
            const std::size_t end = chain_end(m_tokens, close + 1);
            add(at, end, use_of(open, end), "");
        } else if (m_tokens.text(open - 1) == "*" && !is_operand_before(open - 1)) {
            add(at, close + 1, use_of(open - 1, close + 1), "");
        }
    }

    /// The first argument of a call, or all of them without a comma.
    std::string_view first_argument(std::size_t open) const {
        const std::size_t close = m_tokens.partner(open);
        std::size_t end = open + 1;
        while (close != kNone && end < close && m_tokens.text(end) != ",") {
            const std::string_view sign = m_tokens.text(end);
            const bool is_open = sign == "(" || sign == "[" || sign == "{";
            end = is_open && m_tokens.partner(end) != kNone ? m_tokens.partner(end) + 1 : end + 1;
        }
        return m_tokens.source_of(open + 1, end);
    }

    /// Of a method of a buffer or tensor.
    static MemoryUse kind_of(std::string_view method) {
        if (begins_with(method, "store", "Store")) {
            return {.reads = false, .writes = true};
        }
        if (begins_with(method, "load", "Load") || begins_with(method, "sample", "Sample")) {
            return {.reads = true, .writes = false};
        }
        const bool changes = method.starts_with("Interlocked") || method == "_address" ||
                             method.ends_with("Counter") || method.starts_with("Append");
        return {.reads = changes, .writes = changes};
    }

    MemoryUse method_use(std::size_t name) const {
        const std::string_view method = m_tokens.text(name);
        const bool is_alias = method == "_address" && is_alias_statement(name);
        return is_alias ? MemoryUse() : kind_of(method);
    }

    /// True within `float* p = t._address(i);`.
    bool is_alias_statement(std::size_t at) const {
        std::size_t first = at;
        while (first > m_function.opening && m_tokens.text(first) != ";" &&
               m_tokens.text(first) != "{" && m_tokens.text(first) != "}" &&
               m_tokens.text(first) != "=") {
            --first;
        }
        return m_tokens.text(first) == "=" && m_aliases.contains(m_tokens.text(first - 1));
    }

    MemoryUse element_use(std::size_t at, std::size_t end) const {
        const bool is_address = m_tokens.text(at - 1) == "&" && !is_operand_before(at - 1);
        if (is_address && is_alias_statement(at)) {
            return {};
        }
        return is_address ? MemoryUse{true, true} : use_of(first_of(at), end);
    }

    /// What is done to the value between two tokens.
    MemoryUse use_of(std::size_t begin, std::size_t end) const {
        const std::string_view next = m_tokens.text(end);
        const std::string_view before = m_tokens.text(begin - 1);
        if (next == "=") {
            return {.reads = false, .writes = true};
        }
        if (is_changed(m_tokens, begin, end)) {
            return {.reads = true, .writes = true};
        }
        if (next == "(") { // a method of the element: m_tokens.text(end - 1)
            return {.reads = true, .writes = mutates(m_tokens.text(end - 1))};
        }
        if ((before != "(" && before != ",") || (next != ")" && next != ",")) {
            return {.reads = true, .writes = false};
        }
        const std::size_t open = enclosing(m_tokens, begin, "(");
        const std::size_t function = open == kNone ? kNone : function_name(m_tokens, open);
        return function == kNone
                   ? MemoryUse{.reads = true, .writes = false}
                   : value_use(m_tokens.text(function), argument_index(m_tokens, open, begin));
    }

    /// What a call does to a value that it is given.
    MemoryUse value_use(std::string_view function, std::size_t index) const {
        if (function.starts_with("Interlocked") ||
            function.find("tomic") != std::string_view::npos) {
            return {.reads = true, .writes = index == 0};
        }
        MemoryUse use{.reads = true, .writes = writes_argument({}, function, index)};
        const auto known = m_known.signatures.find(function);
        if (known == m_known.signatures.end()) {
            use.reads = !use.writes;
            return use;
        }
        use = {};
        for (const FunctionText* overload : known->second) {
            if (index < overload->parameters.size()) {
                use.reads = use.reads || overload->parameters[index].is_read;
                use.writes = use.writes || overload->parameters[index].is_written;
            }
        }
        return use;
    }

    /// True for [mutating] methods of any file, which change `this`.
    bool mutates(std::string_view method) const { return m_names.mutating.contains(method); }

    /// Memory that is handed to a call.
    void read_argument(std::size_t at, std::size_t end, std::size_t open) {
        const std::size_t name = function_name(m_tokens, open);
        if (name == kNone || !is_one_of(m_tokens.text(end), ")", ",")) {
            return;
        }
        const std::string_view function = m_tokens.text(name);
        if (m_known.signatures.contains(function)) {
            const auto known = m_known.uses.find(function);
            const std::string key = parameter_key(argument_index(m_tokens, open, first_of(at)));
            if (known != m_known.uses.end() && known->second.contains(key)) {
                add(at, end, known->second.find(key)->second, "");
                accesses.back().is_store = false;
            }
            return;
        }
        if (const MacroDefinition* const macro = find_macro(function)) {
            add(at, end, macro_use(*macro), "");
            return;
        }
        const bool changes =
            function.starts_with("Interlocked") || function.find("tomic") != std::string_view::npos;
        const bool is_type = is_core_type(function) || is_statement_word(function) ||
                             m_names.types.contains(function);
        add(at, end, {.reads = !is_type, .writes = changes}, "");
    }

    const MacroDefinition* find_macro(std::string_view name) const {
        const auto& macros = m_tokens.macros();
        const auto found = std::ranges::find(macros, name, &MacroDefinition::name);
        return found == macros.end() ? nullptr : &*found;
    }

    /// Memory that a macro names itself.
    void read_macro(std::size_t at) {
        const MacroDefinition* const macro = find_macro(m_tokens.text(at));
        if (macro == nullptr) {
            return;
        }
        const TokenList content(macro->body);
        const MemoryUse use = macro_use(*macro);
        for (std::size_t i = 0; i < content.size(); ++i) {
            const std::string_view name = content.text(i);
            const bool is_own = m_memory.contains(name);
            if (content.is_word(i) && (is_own || m_names.memory.contains(name))) {
                MemoryAccess access;
                access.key = is_own ? std::string(name) : shared_key(name);
                access.name = name;
                access.reads = use.reads;
                access.writes = use.writes;
                access.is_local = is_own;
                access.begin = at;
                access.name_end = access.end = at + 1;
                accesses.push_back(std::move(access));
            }
        }
    }

    /// What a function does to memory at module scope and in structures.
    void read_call(std::size_t at) {
        const auto known = m_known.uses.find(m_tokens.text(at));
        if (known == m_known.uses.end()) {
            return;
        }
        for (const auto& [key, use] : known->second) {
            if (key.starts_with(kShared) && (use.reads || use.writes)) {
                MemoryAccess access{.key = key,
                                    .name = m_tokens.text(at),
                                    .element = "",
                                    .reads = use.reads,
                                    .writes = use.writes};
                access.begin = at;
                access.end = m_tokens.partner(at + 1) == kNone ? at + 1 : m_tokens.partner(at + 1);
                accesses.push_back(std::move(access));
            }
        }
    }

    const MemoryText& m_file;
    const TokenList& m_tokens;
    const FunctionText& m_function;
    const MemoryNames& m_names;
    const KnownMemory& m_known;
    std::vector<LoopStatement> m_loops;
    std::set<std::string_view> m_locals;
    std::set<std::string_view> m_memory;                    ///< of the locals
    std::map<std::string_view, std::string_view> m_aliases; ///< name -> what it stands for
};

} // namespace

std::string parameter_key(std::size_t index) {
    return core::text('#', index);
}

std::vector<MemoryAccess> find_accesses(const MemoryText& file, const FunctionText& function,
                                        const MemoryNames& names, const KnownMemory& known) {
    AccessFinder finder(file, function, names, known);
    finder.find();
    return std::move(finder.accesses);
}

} // namespace weft::compile
