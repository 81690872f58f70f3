// SPDX-License-Identifier: Apache-2.0
// OSL has while, break and continue, and no way to leave two loops at once. An exit at the very end of its construct is
// nothing; what follows a branch that leaves becomes the other branch; a construct that is left from its middle still is a
// loop of one round; and an exit out of several loops sets a variable that each of them looks at when it ends.
#include "lower/osl_program.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::lower::osl {

using dag::Id;

namespace {

constexpr int kMaxDepth = 40; // of branches that come to stand in each other

bool jumps(const Statements& list) {
    if (list.empty()) {
        return false;
    }
    const Statement& last = list.back();
    switch (last.kind) {
    case StatementKind::exit:
    case StatementKind::break_:
    case StatementKind::continue_:
    case StatementKind::return_: return true;
    case StatementKind::choice: return std::all_of(last.bodies.begin(), last.bodies.end(), jumps);
    default: return false;
    }
}

void append(Statements& to, Statements from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

bool has_exit(const Statements& list, Id label);

bool has_exit(const Statement& statement, Id label) {
    return (statement.kind == StatementKind::exit && statement.label == label) ||
           std::any_of(statement.bodies.begin(), statement.bodies.end(),
                       [&](const Statements& body) { return has_exit(body, label); });
}

bool has_exit(const Statements& list, Id label) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Statement& statement) { return has_exit(statement, label); });
}

void collect_exits(const Statements& list, std::vector<Id>& labels) {
    for (const Statement& statement : list) {
        if (statement.kind == StatementKind::exit && statement.label != kEnd &&
            std::find(labels.begin(), labels.end(), statement.label) == labels.end()) {
            labels.push_back(statement.label);
        }
        for (const Statements& body : statement.bodies) {
            collect_exits(body, labels);
        }
    }
}

/// Puts statements in the place of all exits to a label.
void replace(Statements& list, Id label, const Statements& by) {
    for (Statement& statement : list) {
        for (Statements& body : statement.bodies) {
            replace(body, label, by);
        }
    }
    if (!list.empty() && list.back().kind == StatementKind::exit && list.back().label == label) {
        list.pop_back();
        append(list, by);
    }
}

Statements jump(StatementKind kind) {
    return {Statement{kind}};
}

/// Moves what stands behind a choice into its only way that goes on, if another way exits.
void move_rests(Statements& list, Id label) {
    for (std::size_t i = 0; i + 1 < list.size(); i++) {
        Statement& choice = list[i];
        if (choice.kind != StatementKind::choice || !has_exit(choice, label)) {
            continue;
        }
        const auto goes_on = [](const Statements& body) { return !jumps(body); };
        const auto ways = std::count_if(choice.bodies.begin(), choice.bodies.end(), goes_on);
        if (ways != 1) {
            continue;
        }
        const auto rest = list.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        Statements moved(std::make_move_iterator(rest), std::make_move_iterator(list.end()));
        list.erase(rest, list.end());
        append(*std::find_if(choice.bodies.begin(), choice.bodies.end(), goes_on),
               std::move(moved));
    }
}

/// Takes exits to a label away that stand at the end, or can: `if (c) { exit } rest` is `if (c) {} else { rest }`.
void sink(Statements& list, Id label, int depth = 0) {
    if (depth < kMaxDepth) {
        move_rests(list, label);
    }
    if (list.empty()) {
        return;
    }
    Statement& last = list.back();
    if (last.kind == StatementKind::exit && last.label == label) {
        list.pop_back();
    } else if (last.kind == StatementKind::choice) {
        for (Statements& body : last.bodies) {
            sink(body, label, depth + 1);
        }
    }
}

class Settling {
public:
    explicit Settling(Program& program)
        : m_program(program), m_leave(program.new_variable(dag::Scalar::integer)) {}

    void settle(Statements& list) {
        Statements made;
        for (Statement& statement : list) {
            for (Statements& body : statement.bodies) {
                settle(body);
            }
            if (statement.kind == StatementKind::construct) {
                append(made, construct(statement));
            } else if (statement.kind == StatementKind::loop) {
                append(made, loop(statement));
            } else {
                made.push_back(std::move(statement));
            }
        }
        list = std::move(made);
    }

private:
    Statements construct(Statement& statement) {
        Statements body = std::move(statement.bodies[0]);
        sink(body, statement.label);
        if (!has_exit(body, statement.label)) {
            return body;
        }
        replace(body, statement.label, jump(StatementKind::break_));
        if (!jumps(body)) {
            body.push_back({StatementKind::break_});
        }
        return enclose(std::move(body));
    }

    Statements loop(Statement& statement) {
        Statements body = std::move(statement.bodies[0]);
        Statements rest = std::move(statement.bodies[1]);
        sink(body, statement.continue_label);
        Statements round = rest;
        Statement again{StatementKind::exit};
        again.label = statement.header;
        if (!jumps(round)) {
            round.push_back(again);
        }
        replace(body, statement.continue_label, round);
        if (!jumps(body)) {
            append(body, std::move(rest));
        }
        sink(body, statement.header);
        replace(body, statement.header, jump(StatementKind::continue_));
        replace(body, statement.label, jump(StatementKind::break_));
        return enclose(std::move(body));
    }

    /// An endless loop, and after it what it was left for.
    Statements enclose(Statements body) {
        std::vector<Id> labels;
        collect_exits(body, labels);
        Statements after;
        for (const Id label : labels) {
            const NodeId number = constant(++m_exits);
            Statements leave{set_leave(number), {StatementKind::break_}};
            replace(body, label, leave);
            Statement choice{StatementKind::choice};
            choice.values = {m_program.graph().make(dag::Op::i_equal, {m_leave, number})};
            Statement exit{StatementKind::exit};
            exit.label = label;
            choice.bodies = {{set_leave(constant(0)), std::move(exit)}, {}};
            after.push_back(std::move(choice));
        }
        Statement forever{StatementKind::forever};
        forever.bodies.push_back(std::move(body));
        Statements made;
        made.push_back(std::move(forever));
        append(made, std::move(after));
        return made;
    }

    [[nodiscard]] NodeId constant(std::uint32_t value) {
        return m_program.graph().constant_integer(value);
    }

    [[nodiscard]] Statement set_leave(NodeId number) const {
        Statement set{StatementKind::assign};
        set.targets = {m_leave};
        set.values = {number};
        return set;
    }

    Program& m_program;
    NodeId m_leave;
    std::uint32_t m_exits = 0;
};

/// Takes choices away that choose nothing.
void tidy(Statements& list) {
    for (Statement& statement : list) {
        std::for_each(statement.bodies.begin(), statement.bodies.end(), tidy);
    }
    std::erase_if(list, [](const Statement& statement) {
        return statement.kind == StatementKind::choice &&
               std::all_of(statement.bodies.begin(), statement.bodies.end(),
                           [](const Statements& body) { return body.empty(); });
    });
}

} // namespace

void settle(Program& program) {
    Settling settling(program);
    settling.settle(program.body);
    sink(program.body, kEnd);
    replace(program.body, kEnd, jump(StatementKind::return_));
    tidy(program.body);
}

} // namespace weft::lower::osl
