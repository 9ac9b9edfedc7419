// Shapes of operators on symbolic sizes: evaluated at other sizes, the expressions must equal what the
// operator returns there.
#include "symbolic_check.h"
#include "unbacked_check.h"

#include "support/log_payloads.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace aotscope;
using Json = nlohmann::json;
using Symbolic = test::SymbolicOutcome;

namespace {

/// Calls per operator, and how many of them are repeated with a size of 0 or 1.
constexpr int callsPerOperator = 12;
constexpr int specializedCalls = 4;

struct SymbolicCounts {
    std::map<Symbolic::Kind, int> calls;
    std::map<Symbolic::Kind, std::string> examples;
    int sizes = 0;

    int count(Symbolic::Kind kind) const {
        const auto found = calls.find(kind);
        return found == calls.end() ? 0 : found->second;
    }
};

/// "aten::add.Tensor" of "aten.add.Tensor"
std::string schemaName(const std::string& target) {
    const std::size_t dot = target.find('.');
    const std::size_t overload = target.find('.', dot + 1);
    const std::string last = target.substr(overload + 1);
    return "aten::" + target.substr(dot + 1, overload - dot - 1) + (last == "default" ? "" : "." + last);
}

class SymbolicTally {
public:
    void call(const Json& recorded) {
        const std::string target = recorded["target"].get<std::string>();
        SymbolicCounts& counts = m_operators[schemaName(target)];
        if (const int made = ++m_made[target]; made <= callsPerOperator) {
            const Json kwargs = recorded.value("kwargs", Json::object());
            const test::ShapeQuestion question{target, recorded["args"], kwargs, recorded["val"]};
            note(counts, test::checkSymbolicShape(question), recorded.dump());
            for (const std::int64_t size : {0, 1}) {
                if (made <= specializedCalls) {
                    const auto which = static_cast<std::size_t>(made - 1);
                    note(counts, test::checkSymbolicShape(question, test::SpecializedSize{which, size}),
                         "a size as " + std::to_string(size) + " of " + recorded.dump());
                }
            }
        }
    }

    const std::map<std::string, SymbolicCounts>& operators() const { return m_operators; }

private:
    static void note(SymbolicCounts& counts, const Symbolic& outcome, const std::string& where) {
        ++counts.calls[outcome.kind];
        counts.sizes += outcome.sizes;
        counts.examples.try_emplace(outcome.kind, outcome.detail + "\n        " + where.substr(0, 600));
    }

    std::map<std::string, SymbolicCounts> m_operators;
    std::map<std::string, int> m_made;
};

void printNames(const std::string& what, const std::vector<std::string>& names) {
    std::cout << "  " << names.size() << ' ' << what << '\n';
    std::string line = "   ";
    for (const std::string& name : names) {
        line += ' ' + name;
        if (line.size() > 110) {
            std::cout << line << '\n';
            line = "   ";
        }
    }
    if (line.size() > 3) {
        std::cout << line << '\n';
    }
}

} // namespace

TEST_CASE("symbolic shapes of every operator that coverage lists as known are those of the operator") {
    SymbolicTally tally;
    const std::filesystem::path folder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "torch/shape_answers";
    const char* only = std::getenv("AOTSCOPE_ONLY");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.path().string().ends_with(".jsonl.xz")) {
            continue;
        }
        std::istringstream lines(test::readPlainOrXz(entry.path()));
        for (std::string line; std::getline(lines, line);) {
            if (only != nullptr && line.find(only) == std::string::npos) {
                continue;
            }
            const Json call = Json::parse(line);
            if (call["device"] == "cpu") {
                tally.call(call);
            }
        }
    }
    int known = 0;
    int composite = 0;
    int writing = 0;
    int agreeing = 0;
    int exercised = 0;
    long sizes = 0;
    std::vector<std::string> refused;
    std::vector<std::string> dataDependent;
    std::vector<std::string> withoutSample;
    std::vector<std::string> withoutSymbols;
    for (const test::CoverageRow& row : test::coverageRows()) {
        if (row.source == "none" || row.source == "real zeros") {
            continue;
        }
        ++known;
        if (row.composite) {
            ++composite;
            continue;
        }
        const auto found = tally.operators().find(row.op);
        if (found == tally.operators().end()) {
            if (row.functional) {
                withoutSample.push_back(row.op);
            } else {
                ++writing;
            }
            continue;
        }
        const SymbolicCounts& counts = found->second;
        sizes += counts.sizes;
        const int differing = counts.count(Symbolic::Kind::Differs);
        if (counts.count(Symbolic::Kind::Agrees) + differing > 0) {
            ++exercised;
            agreeing += differing == 0 ? 1 : 0;
        } else if (row.source == "data dependent") {
            dataDependent.push_back(row.op);
        } else if (counts.count(Symbolic::Kind::Refused) == 0) {
            withoutSymbols.push_back(row.op);
        }
        if (counts.count(Symbolic::Kind::Refused) > 0) {
            refused.push_back(row.op);
        }
        for (const Symbolic::Kind kind : {Symbolic::Kind::Differs, Symbolic::Kind::Refused}) {
            if (counts.count(kind) > 0) {
                std::cout << (kind == Symbolic::Kind::Differs ? "WRONG " : "refused ") << row.op << ": "
                          << counts.count(kind) << " calls, " << counts.count(Symbolic::Kind::Agrees)
                          << " agree\n    " << counts.examples.at(kind) << '\n';
            }
        }
    }
    std::cout << "symbolic shapes: " << agreeing << " of " << exercised
              << " operators exercised agree at all of " << sizes << " sizes; " << known
              << " are listed as known\n";
    printNames("of them refuse some of the calls with symbols, and say so:", refused);
    printNames("depend on data:", dataDependent);
    printNames("have samples without a size that could be a symbol, or that no other size fits:",
               withoutSymbols);
    printNames("functional ones have no sample here:", withoutSample);
    std::cout << "  " << writing << " that write to an argument or view one have no sample\n";
    CHECK(agreeing == exercised);
    CHECK((only != nullptr || exercised > 500));
}

TEST_CASE("sizes that are no number of the arguments are refused by name, not guessed") {
    // 0.34 of 6, 42 and 66 is what a third of them is; of most other sizes it is not.
    CHECK(test::symbolicAnswer("part", 6).starts_with("no shape function for aotscope_test::part: "));
    CHECK(test::symbolicAnswer("root", 4).starts_with("no shape function for aotscope_test::root: "));
    CHECK(test::symbolicAnswer("root", 16).starts_with("no shape function for aotscope_test::root: "));
}

TEST_CASE("a size that only the even numbers have is not taken for the whole") {
    CHECK(test::symbolicAnswer("even_and_all", 8)
              .starts_with("no shape function for aotscope_test::even_and_all: "));
    CHECK(test::symbolicAnswer("all_and_all", 8) == "[s0] [s0, s0]");
}

TEST_CASE("a trace that was begun anew says so, and why") {
    const std::vector<std::string> notes = test::notesOfAttempts();
    REQUIRE(notes.size() == 2);
    CHECK(notes[0] == "Traced again with sizes for which Eq(s0, s1) holds, because an operator needs it.");
    CHECK(notes[1].starts_with("Attempt 1 of 4 to trace it failed"));
    CHECK(notes[1].ends_with(": sizes must match"));
}

TEST_CASE("of numbers that only the data tell, bounds and assertions answer what they can") {
    using test::UnbackedQuestion;
    const std::vector<std::pair<UnbackedQuestion, bool>> known = {
        {{0, 10, {}, 1, "ge", 0}, true},
        {{0, 10, {}, 1, "lt", 0}, false},
        {{0, 10, {}, 1, "gt", 10}, false},
        {{0, 10, {}, -1, "ge", -10}, true},
        {{0, 10, {}, 4, "eq", 41}, false},
        {{0, {}, {"u0 >= 2"}, 1, "eq", 1}, false},
        {{0, {}, {"u0 >= 2"}, 1, "ne", 0}, true},
        {{0, {}, {"u0 <= 6"}, 1, "le", 8}, true},
        {{0, {}, {"Ne(u0, 1)"}, 1, "eq", 1}, false},
        {{0, {}, {"Eq(u0, 4)"}, 1, "eq", 4}, true},
        {{0, {}, {"Eq(u0, 4)"}, 1, "eq", 5}, false},
        {{{}, {}, {"7 > u0"}, 1, "ge", 7}, false},
    };
    for (const auto& row : known) {
        const UnbackedQuestion& question = row.first;
        const bool answer = row.second;
        INFO(question.factor << "*u0 " << question.relation << " " << question.number);
        const test::UnbackedAnswers answers = test::answersTo(question);
        CHECK(answers.orFalse == answer);
        CHECK(answers.orTrue == answer);
        CHECK(answers.isKnownTrue == answer);
        CHECK(answers.guarded == answer);
        CHECK(answers.guards == 0);
    }
}

TEST_CASE("what only the data answer is the fallback, and no guard") {
    using test::UnbackedQuestion;
    const std::vector<UnbackedQuestion> open = {
        {0, {}, {}, 1, "eq", 1},
        {0, {}, {}, 1, "ne", 0},
        {0, 10, {}, 1, "lt", 5},
        {0, {}, {}, 4, "eq", 0},
        {0, {}, {"Ne(u0, 1)"}, 1, "eq", 0},
        {{}, {}, {}, 1, "ge", 0},
    };
    for (const UnbackedQuestion& question : open) {
        INFO(question.factor << "*u0 " << question.relation << " " << question.number);
        const test::UnbackedAnswers answers = test::answersTo(question);
        CHECK_FALSE(answers.orFalse);
        CHECK(answers.orTrue);
        CHECK_FALSE(answers.isKnownTrue);
        CHECK_FALSE(answers.guarded.has_value());
        CHECK(answers.error.find("Could not guard on data-dependent expression") != std::string::npos);
        CHECK(answers.guards == 0);
    }
}
