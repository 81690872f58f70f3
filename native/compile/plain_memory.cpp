// SPDX-License-Identifier: Apache-2.0
#include "compile/plain_memory.hpp"

#include "compile/differentiable_bodies.hpp"
#include "compile/file_names.hpp"
#include "compile/memory_accesses.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace weft::compile {

using core::text;

namespace {

using Problems = std::map<std::string, std::string, std::less<>>;

struct MemoryFile {
    std::string_view path;
    MemoryText text;
};

bool is_integer(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

/// The next part of a list of indices, cut from its front.
std::string_view next_index(std::string_view& list) {
    const std::size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    const std::size_t first = part.find_first_not_of(' ');
    part.remove_prefix(std::min(first, part.size()));
    return part.substr(0, part.find_last_not_of(' ') + 1);
}

/// True for `[0]` and `[1]`, `[i, 0]` and `[j, 1]`.
bool are_distinct(std::string_view a, std::string_view b) {
    if (a.find_first_of("([{") != std::string_view::npos ||
        b.find_first_of("([{") != std::string_view::npos ||
        std::ranges::count(a, ',') != std::ranges::count(b, ',')) {
        return false;
    }
    while (!a.empty() && !b.empty()) {
        const std::string_view left = next_index(a);
        const std::string_view right = next_index(b);
        if (is_integer(left) && is_integer(right) && left != right) {
            return true;
        }
    }
    return false;
}

/// True if no word of what the write names is changed between the write and the read, or in a loop around the read alone.
bool is_unchanged(const TokenList& tokens, const MemoryAccess& write, const MemoryAccess& read) {
    const bool is_in_one_loop = read.loop_begin <= write.begin;
    const std::size_t end = is_in_one_loop ? read.end : std::max(read.end, read.loop_end);
    for (std::size_t k = write.begin + 1; k < write.name_end; ++k) {
        if (!tokens.is_word(k)) {
            continue;
        }
        for (std::size_t i = write.end; i < end; ++i) {
            if (tokens.text(i) == tokens.text(k) && is_changed(tokens, i, i + 1)) {
                return false;
            }
        }
    }
    return true;
}

/// True if in each run what is read was written before: `t[i] = x; return t[i] * x;`.
bool is_covered(const TokenList& tokens, const MemoryAccess& write, const MemoryAccess& read) {
    if (!write.is_store || write.end > read.begin || write.block_end < read.begin ||
        write.element.empty() || write.element != read.element) {
        return false;
    }
    for (std::size_t i = write.end; i < read.begin; ++i) {
        if (tokens.text(i) == "case" || tokens.text(i) == "default") {
            return false;
        }
    }
    return is_unchanged(tokens, write, read);
}

bool is_fresh_read(const TokenList& tokens, const std::vector<MemoryAccess>& accesses,
                   const MemoryAccess& read) {
    return read.reads && std::ranges::none_of(accesses, [&](const MemoryAccess& write) {
               return write.key == read.key && is_covered(tokens, write, read);
           });
}

/// Adds what a function does to what is known of functions of its name.
bool merge(FunctionMemory& known, const TokenList& tokens, const FunctionText& function,
           const std::vector<MemoryAccess>& accesses) {
    bool is_new = false;
    for (const MemoryAccess& access : accesses) {
        std::string key = access.key;
        for (std::size_t index = 0; index < function.parameters.size(); ++index) {
            if (function.parameters[index].name == access.key) {
                key = parameter_key(index);
            }
        }
        if (access.is_local && key == access.key) {
            continue;
        }
        MemoryUse& use = known[key];
        const bool reads = use.reads || is_fresh_read(tokens, accesses, access);
        const bool writes = use.writes || access.writes;
        is_new = is_new || reads != use.reads || writes != use.writes;
        use = {reads, writes};
    }
    return is_new;
}

/// The access that changes what is read, null if there is none.
const MemoryAccess* find_change(const TokenList& tokens,
                                const std::vector<MemoryAccess>& accesses) {
    for (const MemoryAccess& read : accesses) {
        if (!is_fresh_read(tokens, accesses, read)) {
            continue;
        }
        for (const MemoryAccess& write : accesses) {
            if (write.writes && write.key == read.key &&
                (&write == &read || !are_distinct(write.element, read.element))) {
                return &write;
            }
        }
    }
    return nullptr;
}

std::string describe(const MemoryFile& file, std::string_view function,
                     const MemoryAccess& change) {
    return text("reverse mode would be wrong at ", file.path, ":",
                file.text.tokens.line_of(change.begin), ": '", change.name,
                "' is read and changed, and a backward call computes the value of '", function,
                "' before its derivative, which then reads what was changed; let '", function,
                "' return nothing and write its value to an out parameter, or change '",
                change.name, "' in a call of its own");
}

/// What is known of all functions, from what they call as well.
KnownMemory know_functions(const std::vector<MemoryFile>& files, const MemoryNames& names) {
    KnownMemory known;
    for (const MemoryFile& file : files) {
        for (const FunctionText& function : file.text.functions) {
            known.signatures[function.name].push_back(&function);
        }
    }
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        for (const MemoryFile& file : files) {
            for (const FunctionText& function : file.text.functions) {
                const auto accesses = find_accesses(file.text, function, names, known);
                is_growing =
                    merge(known.uses[function.name], file.text.tokens, function, accesses) ||
                    is_growing;
            }
        }
    }
    return known;
}

bool has_reverse_mode(const std::vector<DifferentiableBody>& bodies, const FunctionText& function) {
    return std::ranges::any_of(bodies, [&](const DifferentiableBody& body) {
        return body.has_reverse_mode && body.opening == function.opening;
    });
}

} // namespace

Problems find_memory_problems(std::span<const UserText> texts) {
    Problems problems;
    std::vector<MemoryFile> files;
    files.reserve(texts.size()); // functions and names are views of the tokens' text
    MemoryNames names;
    for (const UserText& file : texts) {
        files.push_back({file.path, MemoryText(file.text)});
        add_names(files.back().text, names);
    }
    const bool has_memory = std::ranges::any_of(
        files, [](const MemoryFile& file) { return !file.text.memory.empty(); });
    if (!has_memory && names.variables.empty()) {
        return problems;
    }
    const KnownMemory known = know_functions(files, names);
    for (const MemoryFile& file : files) {
        const auto bodies = find_differentiable_bodies(file.text.tokens);
        for (const FunctionText& function : file.text.functions) {
            if (!has_reverse_mode(bodies, function)) {
                continue;
            }
            const auto accesses = find_accesses(file.text, function, names, known);
            if (const MemoryAccess* const change = find_change(file.text.tokens, accesses)) {
                problems.try_emplace(std::string(function.name),
                                     describe(file, function.name, *change));
            }
        }
    }
    return problems;
}

} // namespace weft::compile
