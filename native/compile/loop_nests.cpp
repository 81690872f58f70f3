// SPDX-License-Identifier: Apache-2.0
#include "compile/loop_nests.hpp"

#include "compile/file_names.hpp"
#include "compile/loop_statements.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::compile {

using core::text;

namespace {

constexpr std::size_t kNone = TokenList::npos;

/// How often a loop runs at most: a number if it is known, else a constant expression of Slang.
struct Bound {
    std::optional<long long> value;
    std::string expression;

    bool operator==(const Bound&) const = default;
};

struct Loop : LoopStatement {
    bool is_unrolled = false;
    std::size_t bound_open = kNone; ///< the `(` of its [MaxIters(...)]
    std::optional<Bound> bound;
    std::vector<std::size_t>
        path; ///< loops around it that are not unrolled, from the outside, and itself
};

std::optional<long long> integer_value(std::string_view word) {
    word = word.substr(0, word.find_last_not_of("uUlL") + 1);
    const bool is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    word.remove_prefix(is_hexadecimal ? 2 : 0);
    long long value = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), value, is_hexadecimal ? 16 : 10);
    return !word.empty() && error == std::errc() && end == word.data() + word.size()
               ? std::optional(value)
               : std::nullopt;
}

/// A number, or an expression as it stands in the source.
Bound read_bound(const TokenList& tokens, std::size_t begin, std::size_t end) {
    const bool is_negative = end - begin == 2 && tokens.text(begin) == "-";
    auto value =
        end - begin == 1 || is_negative ? integer_value(tokens.text(end - 1)) : std::nullopt;
    if (value && is_negative) {
        value = -*value;
    }
    return {value, value ? std::to_string(*value) : std::string(tokens.source_of(begin, end))};
}

/// What a `for` says about its variable.
struct Head {
    std::string_view variable;
    Bound first{};
    Bound last{};
    Bound step{.value = 1, .expression = "1"};
    bool is_rising = true;
    bool is_inclusive = false;
};

std::size_t find_sign(const TokenList& tokens, std::size_t begin, std::size_t end,
                      std::string_view sign) {
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens.text(i) == sign) {
            return i;
        }
        const bool is_open =
            tokens.text(i) == "(" || tokens.text(i) == "[" || tokens.text(i) == "{";
        i = is_open && tokens.partner(i) != kNone ? tokens.partner(i) : i;
    }
    return end;
}

/// `int i = A`, `i = A`: sets variable and first value.
bool read_initial(const TokenList& tokens, std::size_t begin, std::size_t end, Head& head) {
    const std::size_t sign = find_sign(tokens, begin, end, "=");
    if (sign == begin || sign + 1 >= end || find_sign(tokens, begin, end, ",") != end ||
        !tokens.is_word(sign - 1)) {
        return false;
    }
    head.variable = tokens.text(sign - 1);
    head.first = read_bound(tokens, sign + 1, end);
    return true;
}

/// `i < B`, `B > i` and their kin: sets last value and direction.
bool read_condition(const TokenList& tokens, std::size_t begin, std::size_t end, Head& head) {
    for (const std::string_view sign : {"<", "<=", ">", ">="}) {
        const std::size_t at = find_sign(tokens, begin, end, sign);
        if (at == end || at == begin || at + 1 == end) {
            continue;
        }
        const bool is_left = at == begin + 1 && tokens.text(begin) == head.variable;
        const bool is_right = at + 2 == end && tokens.text(at + 1) == head.variable;
        if (!is_left && !is_right) {
            return false;
        }
        head.is_inclusive = sign.size() == 2;
        head.is_rising = is_left == (sign[0] == '<');
        head.last = is_left ? read_bound(tokens, at + 1, end) : read_bound(tokens, begin, at);
        return true;
    }
    return false;
}

bool may_be_positive(const Bound& step) {
    return !step.value || *step.value > 0;
}

/// `++i`, `i--`, `i += C`: checks the direction, sets the step.
bool read_step(const TokenList& tokens, std::size_t begin, std::size_t end, Head& head) {
    const std::size_t name = tokens.is_word(begin) ? begin : begin + 1;
    const std::size_t sign = name == begin ? begin + 1 : begin;
    if (end - begin < 2 || tokens.text(name) != head.variable) {
        return false;
    }
    const std::string_view operation = tokens.text(sign);
    if (end - begin == 2) {
        return operation == (head.is_rising ? "++" : "--");
    }
    if (sign != name + 1 || operation != (head.is_rising ? "+=" : "-=")) {
        return false;
    }
    head.step = read_bound(tokens, sign + 1, end);
    return may_be_positive(head.step);
}

/// True if the statements between two tokens may change a variable.
bool writes_to(const TokenList& tokens, std::size_t begin, std::size_t end,
               std::string_view variable) {
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens.text(i) != variable || tokens.text(i - 1) == ".") {
            continue;
        }
        if (is_changed(tokens, i, i + 1)) {
            return true;
        }
    }
    return false;
}

Bound rounds(const Head& head) {
    const Bound& low = head.is_rising ? head.first : head.last;
    const Bound& high = head.is_rising ? head.last : head.first;
    const int more = head.is_inclusive ? 1 : 0;
    if (low.value && high.value && head.step.value) {
        const long long count =
            (*high.value - *low.value + *head.step.value - 1 + more) / *head.step.value;
        return {std::max(count, 0LL), std::to_string(std::max(count, 0LL))};
    }
    const bool counts_from_zero = low.value == 0 && head.step.value == 1;
    if (counts_from_zero && more == 0) {
        return {std::nullopt, text("(", high.expression, ")")};
    }
    return {std::nullopt,
            text("((", high.expression, ") - (", low.expression, ") + (", head.step.expression,
                 ") - ", 1 - more, ") / (", head.step.expression, ")")};
}

/// The most rounds of a `for` whose head has constants, which is how Slang finds them.
std::optional<Bound> inferred_bound(const TokenList& tokens, const Loop& loop) {
    const std::size_t open = loop.keyword + 1;
    const std::size_t close = tokens.partner(open);
    if (tokens.text(loop.keyword) != "for" || tokens.text(open) != "(" || close == kNone) {
        return std::nullopt;
    }
    const std::size_t first = find_sign(tokens, open + 1, close, ";");
    const std::size_t second = first < close ? find_sign(tokens, first + 1, close, ";") : close;
    Head head;
    if (second == close || !read_initial(tokens, open + 1, first, head) ||
        !read_condition(tokens, first + 1, second, head) ||
        !read_step(tokens, second + 1, close, head) ||
        writes_to(tokens, close + 1, loop.end, head.variable)) {
        return std::nullopt;
    }
    return rounds(head);
}

void read_attributes(const TokenList& tokens, Loop& loop) {
    for (std::size_t i = loop.begin; i < loop.keyword; ++i) {
        loop.is_unrolled = loop.is_unrolled || tokens.text(i) == "ForceUnroll";
        const bool has_bound = tokens.text(i) == "MaxIters" && tokens.text(i + 1) == "(";
        if (has_bound && tokens.partner(i + 1) != kNone) {
            loop.bound_open = i + 1;
            loop.bound = read_bound(tokens, i + 2, tokens.partner(i + 1));
        }
    }
}

std::vector<Loop> find_loops(const TokenList& tokens, const DifferentiableBody& body) {
    std::vector<Loop> loops;
    for (const LoopStatement& statement : find_loop_statements(tokens, body)) {
        Loop& loop = loops.emplace_back();
        static_cast<LoopStatement&>(loop) = statement;
        read_attributes(tokens, loop);
        if (!loop.bound) {
            loop.bound = inferred_bound(tokens, loop);
        }
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
        for (std::size_t k = 0; k <= i; ++k) {
            if (loops[k].end >= loops[i].end && !loops[k].is_unrolled) {
                loops[i].path.push_back(k);
            }
        }
    }
    return loops;
}

bool is_inside(const Loop& loop, std::size_t outer) {
    return std::find(loop.path.begin(), loop.path.end(), outer) != loop.path.end();
}

/// The largest of some bounds; nullopt if one is not known.
std::optional<Bound> largest(const std::vector<std::optional<Bound>>& bounds) {
    std::vector<Bound> others;
    std::optional<long long> number;
    for (const std::optional<Bound>& bound : bounds) {
        if (!bound) {
            return std::nullopt;
        }
        if (bound->value) {
            number = std::max(number.value_or(0), *bound->value);
        } else if (std::find(others.begin(), others.end(), *bound) == others.end()) {
            others.push_back(*bound);
        }
    }
    std::string expression = number ? std::to_string(*number) : "";
    for (const Bound& other : others) {
        // MaxIters takes no max().
        expression = expression.empty() ? other.expression
                                        : text("((", expression, ") > (", other.expression, ") ? (",
                                               expression, ") : (", other.expression, "))");
    }
    return Bound{others.empty() ? number : std::nullopt, expression};
}

/// Room for the rounds that loops of other kinds than `for` count beyond their own.
Bound with_slack(const Bound& bound) {
    constexpr long long kSlack = 2;
    if (bound.value) {
        return {*bound.value + kSlack, std::to_string(*bound.value + kSlack)};
    }
    return {std::nullopt, text("(", bound.expression, ") + ", kSlack)};
}

/// What every loop of the nest with loop `index` needs, see the header.
std::optional<Bound> needed_bound(const TokenList& tokens, const std::vector<Loop>& loops,
                                  std::size_t index) {
    std::vector<std::optional<Bound>> bounds;
    bool is_mixed = false;
    for (const Loop& other : loops) {
        if (!other.is_unrolled && other.path.front() == loops[index].path.front()) {
            is_mixed = is_mixed || tokens.text(other.keyword) != "for";
            bounds.push_back(other.bound);
        }
    }
    const std::optional<Bound> most = largest(bounds);
    return most && is_mixed ? with_slack(*most) : most;
}

/// True if another loop that is not unrolled lies in it, or it in one.
bool is_nested(const std::vector<Loop>& loops, std::size_t index) {
    return loops[index].path.size() > 1 ||
           std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
               return other.path.size() > 1 && !other.is_unrolled && is_inside(other, index);
           });
}

/// `while (c)` as `for (; c;)`.
void change_while(const TokenList& tokens, const Loop& loop, std::vector<TextEdit>& edits) {
    const std::size_t open = loop.keyword + 1;
    const std::size_t close = tokens.partner(open);
    if (tokens.text(loop.keyword) == "while" && tokens.text(open) == "(" && close != kNone) {
        edits.push_back({tokens[loop.keyword].begin, tokens[loop.keyword].text.size(), "for"});
        edits.push_back({tokens[open].end(), 0, "; "});
        edits.push_back({tokens[close].begin, 0, ";"});
    }
}

/// `do s while (c);` as `for (bool first = true; first || (c); first = false) s`. A condition that reads by an index stays.
void change_do(const TokenList& tokens, const Loop& loop, std::vector<TextEdit>& edits) {
    if (tokens.text(loop.keyword) != "do") {
        return;
    }
    const std::size_t word = tokens.statement_end(loop.keyword + 1); // `while`
    const std::size_t open = word + 1;
    const std::size_t close = tokens.partner(open);
    if (tokens.text(word) != "while" || tokens.text(open) != "(" || close == kNone ||
        tokens.text(close + 1) != ";") {
        return;
    }
    std::string condition(tokens.source_of(open, close + 1));
    if (condition.find('[') != std::string::npos) {
        return;
    }
    const std::size_t begin = tokens[word].begin;
    const std::size_t size = tokens[close + 1].end() - begin;
    const std::string_view removed = tokens.source().substr(begin, size);
    const auto lines = static_cast<std::size_t>(std::count(removed.begin(), removed.end(), '\n'));
    std::replace(condition.begin(), condition.end(), '\n', ' ');
    const std::string first = text("weft_first_", begin);
    edits.push_back({tokens[loop.keyword].begin, tokens[loop.keyword].text.size(),
                     text("for (bool ", first, " = true; ", first, " || ", condition, "; ", first,
                          " = false)")});
    edits.push_back({begin, size, std::string(lines, '\n')});
}

void change_bound(const TokenList& tokens, const Loop& loop, const Bound& bound,
                  std::vector<TextEdit>& edits) {
    if (loop.bound_open == kNone) {
        edits.push_back(
            {tokens[loop.keyword].begin, 0, text("[MaxIters(", bound.expression, ")] ")});
        return;
    }
    const std::size_t begin = tokens[loop.bound_open].end();
    edits.push_back(
        {begin, tokens[tokens.partner(loop.bound_open)].begin - begin, bound.expression});
}

} // namespace

void repair_loop_nests(const TokenList& tokens, const DifferentiableBody& body,
                       std::vector<TextEdit>& edits, std::vector<ReverseProblem>& problems) {
    const std::vector<Loop> loops = find_loops(tokens, body);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const Loop& loop = loops[i];
        if (loop.is_unrolled || !is_nested(loops, i)) {
            continue;
        }
        const std::optional<Bound> bound = needed_bound(tokens, loops, i);
        if (!bound) {
            problems.push_back(
                {std::string(body.name), tokens.line_of(loop.keyword),
                 "a loop inside a loop whose number of rounds is not to be seen; put "
                 "[MaxIters(n)] in front of each of them"});
            continue;
        }
        change_while(tokens, loop, edits);
        change_do(tokens, loop, edits);
        if (bound != loop.bound) {
            change_bound(tokens, loop, *bound, edits);
        }
    }
}

} // namespace weft::compile
