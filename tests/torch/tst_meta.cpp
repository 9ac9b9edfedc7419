#include "shape_check.h"

#include "ir/json.h"
#include "support/corpus.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

using namespace aotscope;
using Json = nlohmann::json;
using Kind = test::ShapeOutcome::Kind;

namespace {

struct Counts {
    int agrees = 0;
    int differs = 0;
    int throws = 0;
    int noRule = 0;
    int notCalled = 0;
    /// The first of each kind that is not agreement.
    std::map<Kind, std::string> examples;

    int called() const { return agrees + differs + throws + noRule; }
};

/// What became of each operator's calls.
class Tally {
public:
    void note(const std::string& op, const test::ShapeOutcome& outcome, const std::string& where) {
        Counts& counts = m_ops[op];
        int* counters[] = {&counts.agrees, &counts.differs, &counts.throws, &counts.notCalled,
                           &counts.noRule};
        ++*counters[static_cast<int>(outcome.kind)];
        if (outcome.kind != Kind::Agrees) {
            counts.examples.try_emplace(outcome.kind, where + ": " + outcome.detail);
        }
    }

    const std::map<std::string, Counts>& ops() const { return m_ops; }

    int agreeing() const {
        return total([](const Counts& counts) { return counts.agrees; });
    }
    int called() const {
        return total([](const Counts& counts) { return counts.called(); });
    }

    /// Each operator whose calls do not all agree, with an example of each trouble.
    std::string report() const {
        std::string text;
        for (const auto& [op, counts] : m_ops) {
            if (counts.agrees == counts.called()) {
                continue;
            }
            text += op + ": " + std::to_string(counts.agrees) + " of " + std::to_string(counts.called()) +
                    " agree\n";
            for (const auto& [kind, example] : counts.examples) {
                if (kind != Kind::NotCalled) {
                    text += "    " + example.substr(0, 700) + '\n';
                }
            }
        }
        return text;
    }

private:
    template<typename Count>
    int total(const Count& count) const {
        int sum = 0;
        for (const auto& [op, counts] : m_ops) {
            sum += count(counts);
        }
        return sum;
    }

    std::map<std::string, Counts> m_ops;
};

/// Puts the recorded metadata in place of the nodes that an argument names; false where a node has none.
bool resolve(Json& argument, const std::map<std::string, const Json*>& values) {
    if (argument.is_object() && argument.contains("node")) {
        const auto found = values.find(argument["node"].get<std::string>());
        if (found == values.end()) {
            return false;
        }
        argument = *found->second;
        return true;
    }
    if (argument.is_array() || argument.is_object()) {
        return std::all_of(argument.begin(), argument.end(),
                           [&](Json& item) { return resolve(item, values); });
    }
    return true;
}

/// As fake tensors do: by rule, else on real zeros.
test::ShapeOutcome check(const std::string& target, const Json& args, const Json& kwargs, const Json& val,
                         bool cuda) {
    test::ShapeOutcome outcome = test::checkShape(target, args, kwargs, val, cuda);
    if (outcome.kind == Kind::NoRule) {
        const test::ShapeOutcome other = test::checkRealZeros(target, args, kwargs, val);
        return other.kind == Kind::NoRule ? outcome : other;
    }
    return outcome;
}

void checkGraph(const std::string& where, const Json& graph, Tally& tally) {
    std::map<std::string, const Json*> values;
    for (const Json& node : graph["nodes"]) {
        const std::string target = node.value("target", "");
        if (node.value("op", "") == "call_function" && target.starts_with("aten.") && node.contains("val") &&
            !node["val"].is_null()) {
            Json args = node.value("args", Json::array());
            Json kwargs = node.value("kwargs", Json::object());
            const std::string place = where + " " + node["name"].get<std::string>();
            const bool known = resolve(args, values) && resolve(kwargs, values);
            tally.note(target,
                       known ? check(target, args, kwargs, node["val"], false)
                             : test::ShapeOutcome{Kind::NotCalled, "an argument without metadata"},
                       place);
        }
        if (node.contains("val") && !node["val"].is_null()) {
            values[node["name"].get<std::string>()] = &node["val"];
        }
    }
    if (graph.contains("subgraphs")) {
        for (const auto& [name, subgraph] : graph["subgraphs"].items()) {
            if (subgraph.contains("nodes")) {
                checkGraph(where + " " + name, subgraph, tally);
            }
        }
    }
}

/// Every graph anywhere in a golden file.
void checkGraphsIn(const std::string& where, const Json& value, Tally& tally) {
    if (value.is_object() && value.contains("nodes") && value["nodes"].is_array()) {
        checkGraph(where, value, tally);
        return;
    }
    if (value.is_object()) {
        for (const auto& [key, item] : value.items()) {
            checkGraphsIn(where + " " + key, item, tally);
        }
    } else if (value.is_array()) {
        for (const Json& item : value) {
            checkGraphsIn(where, item, tally);
        }
    }
}

void print(const std::string& what, const Tally& tally) {
    std::cout << what << ": " << tally.agreeing() << " of " << tally.called() << " calls of "
              << tally.ops().size() << " operators agree\n"
              << tally.report();
}

} // namespace

TEST_CASE("every rule is for an operator that LibTorch has") {
    for (const std::string& name : test::unknownRuleNames()) {
        FAIL_CHECK(name);
    }
}

TEST_CASE("the table of shape coverage") {
    std::map<std::string, int> functional;
    for (const test::CoverageRow& row : test::coverageRows()) {
        if (row.functional) {
            ++functional[row.source];
        }
        if (std::getenv("AOTSCOPE_SHAPE_TABLE") != nullptr) {
            std::cout << row.source << '\t' << (row.functional ? "functional" : "mutating") << '\t' << row.op
                      << '\n';
        }
    }
    for (const auto& [source, count] : functional) {
        std::cout << "functional operators, " << source << ": " << count << '\n';
    }
    CHECK(functional["ours"] > 100);
}

TEST_CASE("shapes are those of the golden graphs") {
    if (test::corpusMissing()) {
        return;
    }
    Tally tally;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::filesystem::path& path = entry.path();
        if (path.extension() == ".json" || path.string().ends_with(".json.xz")) {
            checkGraphsIn(path.filename().string(), Json::parse(test::readPlainOrXz(path)), tally);
        }
    }
    print("golden graphs", tally);
    CHECK(tally.called() > 10000);
    CHECK(tally.agreeing() > 76600);
}

TEST_CASE("shapes are those of PyTorch's fake tensors") {
    Tally cpu;
    Tally cuda;
    const std::filesystem::path folder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "torch/shape_answers";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.path().string().ends_with(".jsonl.xz")) {
            continue;
        }
        std::istringstream lines(test::readPlainOrXz(entry.path()));
        std::string line;
        while (std::getline(lines, line)) {
            const Json call = Json::parse(line);
            const std::string target = call["target"].get<std::string>();
            const bool onCuda = call["device"] == "cuda";
            if (std::getenv("AOTSCOPE_SHAPE_TRACE") != nullptr) {
                std::cout << line << std::endl;
            }
            (onCuda ? cuda : cpu)
                .note(target,
                      check(target, call["args"], call.value("kwargs", Json::object()), call["val"], onCuda),
                      line);
        }
    }
    print("fake CPU tensors", cpu);
    print("fake CUDA tensors", cuda);
    CHECK(cpu.agreeing() > 6000);
    CHECK(cuda.agreeing() > 5300);
}
