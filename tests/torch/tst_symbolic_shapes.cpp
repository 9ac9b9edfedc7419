// Shapes of operators on symbolic sizes: evaluated at other sizes, the expressions must equal what the
// operator returns there.
#include "symbolic_check.h"

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
    /// Calls whose answer was compared with the operator itself, and the first that was not its.
    int ran = 0;
    int apart = 0;
    std::string firstApart;

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
            const bool onCuda = recorded["device"] == "cuda";
            const test::ShapeQuestion question{target, recorded["args"], kwargs, recorded["val"], onCuda};
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
        counts.ran += outcome.ran ? 1 : 0;
        if (!outcome.besideOperator.empty() && counts.apart++ == 0) {
            counts.firstApart = outcome.besideOperator + "\n        " + where.substr(0, 600);
        }
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

/// All recorded calls on the CPU; of operators that only CUDA has, those on CUDA.
SymbolicTally tallyOfSamples(const char* only) {
    SymbolicTally tally;
    std::vector<Json> onCuda;
    const std::filesystem::path folder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "torch/shape_answers";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.path().string().ends_with(".jsonl.xz")) {
            continue;
        }
        std::istringstream lines(test::readPlainOrXz(entry.path()));
        for (std::string line; std::getline(lines, line);) {
            if (only != nullptr && line.find(only) == std::string::npos) {
                continue;
            }
            Json call = Json::parse(line);
            if (call["device"] == "cpu") {
                tally.call(call);
            } else {
                onCuda.push_back(std::move(call));
            }
        }
    }
    std::erase_if(onCuda, [&](const Json& call) {
        return tally.operators().contains(schemaName(call["target"].get<std::string>()));
    });
    for (const Json& call : onCuda) {
        tally.call(call);
    }
    return tally;
}

} // namespace

TEST_CASE("symbolic shapes of every operator that coverage lists as known are those of the operator") {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    const SymbolicTally tally = tallyOfSamples(only);
    int known = 0;
    int composite = 0;
    int ran = 0;
    int agreeing = 0;
    int exercised = 0;
    long sizes = 0;
    std::vector<std::string> refused;
    std::vector<std::string> dataDependent;
    std::vector<std::string> withoutSample;
    std::vector<std::string> withoutSymbols;
    std::vector<std::string> apart;
    std::vector<std::string> notClaimed;
    for (const test::CoverageRow& row : test::coverageRows()) {
        if (row.source == "none" || row.source == "real zeros") {
            continue;
        }
        if (row.source == "not compared") {
            notClaimed.push_back(row.op);
            CHECK_MESSAGE(!tally.operators().contains(row.op), row.op << " has a sample and may be claimed");
            continue;
        }
        ++known;
        if (row.composite) {
            ++composite;
            continue;
        }
        const auto found = tally.operators().find(row.op);
        if (found == tally.operators().end()) {
            (row.source == "data dependent" ? dataDependent : withoutSample).push_back(row.op);
            continue;
        }
        const SymbolicCounts& counts = found->second;
        sizes += counts.sizes;
        ran += counts.ran;
        if (counts.apart > 0) {
            apart.push_back(row.op);
            std::cout << "not the operator's own " << row.op << ": " << counts.apart << " of " << counts.ran
                      << "\n    " << counts.firstApart << '\n';
        }
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
    printNames("are claimed without a sample:", withoutSample);
    std::cout << "  " << ran << " answers were compared with what the operator itself returns\n";
    printNames("have other strides or sizes than the operator itself, as PyTorch's shape functions:", apart);
    std::cout << "  " << notClaimed.size()
              << " more are not claimed, because none of them was ever compared\n";
    CHECK(agreeing == exercised);
    CHECK((only != nullptr || withoutSample.empty()));
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
