#include "shape_check.h"
#include "support/corpus_case.h"

#include "ir/json/graph_json.h"
#include "ir/symbolic/expression.h"
#include "ir/text/parser.h"
#include "support/log_payloads.h"

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
    int onRealZeros = 0;
    /// The first of each kind that is not agreement.
    std::map<Kind, std::string> examples;

    int called() const { return agrees + differs + throws + noRule; }
};

/// The results of each operator's calls.
class Tally {
public:
    void note(const std::string& op, const test::ShapeOutcome& outcome, const std::string& where) {
        Counts& counts = m_ops[op];
        int* counters[] = {&counts.agrees, &counts.differs, &counts.throws, &counts.notCalled,
                           &counts.noRule};
        ++*counters[static_cast<int>(outcome.kind)];
        counts.onRealZeros += outcome.onRealZeros ? 1 : 0;
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

    std::vector<std::string> operatorsOnRealZeros() const {
        std::vector<std::string> names;
        for (const auto& [op, counts] : m_ops) {
            if (counts.onRealZeros > 0) {
                names.push_back(op);
            }
        }
        return names;
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

/// Operators whose recorded results do not come from a shape kernel, with reasons.
const char* exempt(const std::string& target, const std::string& where) {
    if (target == "aten.dropout.default" || target == "aten.scaled_dot_product_attention.default") {
        return "a composite that PyTorch's Python takes apart before it reaches fake tensors";
    }
    if (target == "aten.nonzero.default") {
        return "sizes that depend on values, for which fake tensors have symbols";
    }
    if (target == "aten.copy.default" && where.find("min_cut") != std::string::npos) {
        return "the partitioned backward records another place in storage than the joint graph";
    }
    return nullptr;
}

bool isCuda(const Json& value) {
    if (value.is_object() && value.contains("device") && value["device"].is_string()) {
        return value["device"].get<std::string>().starts_with("cuda");
    }
    return value.is_structured() && std::any_of(value.begin(), value.end(), isCuda);
}

/// Checks the nodes of one graph, one after the other.
class GraphCheck {
public:
    GraphCheck(std::string where, bool offsets, Tally& tally)
        : m_where(std::move(where)), m_offsets(offsets), m_tally(tally) {}

    void run(const Json& graph) {
        for (const Json& node : graph["nodes"]) {
            noteValue(node);
        }
        for (const Json& node : graph["nodes"]) {
            const std::string target = node.value("target", "");
            if (node.value("op", "") == "call_function" && target.starts_with("aten.")) {
                ask(node, target);
            }
        }
    }

private:
    static bool hasValue(const Json& node) { return node.contains("val") && !node["val"].is_null(); }

    /// Texts tell the results of an operator with several at the nodes that take them apart.
    void noteValue(const Json& node) {
        if (hasValue(node)) {
            m_values[node["name"].get<std::string>()] = node["val"];
        }
        if (node.value("target", "") == "_operator.getitem" && hasValue(node) && node["args"].size() == 2 &&
            node["args"][0].contains("node") && node["args"][1].is_number_integer()) {
            Json& parts = m_parts[node["args"][0]["node"].get<std::string>()];
            const auto index = node["args"][1].get<std::size_t>();
            while (parts.size() <= index) {
                parts.push_back(Json::object({{"unknown", true}}));
            }
            parts[index] = node["val"];
        }
    }

    std::optional<Json> recorded(const Json& node) const {
        if (hasValue(node)) {
            return node["val"];
        }
        const auto parts = m_parts.find(node["name"].get<std::string>());
        if (parts == m_parts.end()) {
            return std::nullopt;
        }
        return Json::object({{"partial", parts->second}});
    }

    void ask(const Json& node, const std::string& target) {
        const std::string place = m_where + ' ' + node["name"].get<std::string>();
        std::optional<Json> val = recorded(node);
        if (!val || exempt(target, place) != nullptr) {
            return;
        }
        Json args = node.value("args", Json::array());
        Json kwargs = node.value("kwargs", Json::object());
        bindSymbols(*val);
        if (!resolve(args) || !resolve(kwargs)) {
            return m_tally.note(target, {Kind::NotCalled, "an argument without metadata"}, place);
        }
        test::ShapeOutcome outcome =
            test::checkShape({target, args, kwargs, *val, isCuda(*val) || isCuda(args), m_offsets});
        if (outcome.kind == Kind::Throws && m_symbolic) {
            outcome.kind = Kind::NotCalled;
            outcome.detail = "the sizes put in for the symbols do not fit: " + outcome.detail;
        }
        m_tally.note(target, outcome, place);
    }

    /// Puts the recorded metadata in place of the nodes that an argument names; false where a node has none.
    bool resolve(Json& argument) {
        if (argument.is_object() && argument.contains("node")) {
            const auto found = m_values.find(argument["node"].get<std::string>());
            if (found == m_values.end()) {
                return false;
            }
            argument = found->second;
        }
        bindSymbols(argument);
        return !argument.is_structured() ||
               std::all_of(argument.begin(), argument.end(), [this](Json& item) { return resolve(item); });
    }

    /// Symbols without a hint get a number each.
    void bindSymbols(Json& value) {
        if (value.is_object() && (value.contains("symint") || value.value("kind", "") == "symint") &&
            (!value.contains("hint") || !value["hint"].is_number_integer())) {
            m_symbolic = true;
            const ir::SymExpr expression(value.value(value.contains("symint") ? "symint" : "expr", ""));
            for (const std::string& symbol : expression.symbols()) {
                m_bindings.try_emplace(symbol, 24 + 8 * static_cast<std::int64_t>(m_bindings.size()));
            }
            if (const auto number = expression.evaluateInt(m_bindings)) {
                value["hint"] = *number;
            }
        }
        if (value.is_structured()) {
            for (Json& item : value) {
                bindSymbols(item);
            }
        }
    }

    std::string m_where;
    bool m_offsets;
    Tally& m_tally;
    std::map<std::string, Json> m_values;
    std::map<std::string, Json> m_parts;
    ir::SymbolBindings m_bindings;
    bool m_symbolic = false;
};

void checkGraph(const std::string& where, const Json& graph, bool offsets, Tally& tally) {
    GraphCheck(where, offsets, tally).run(graph);
    if (graph.contains("subgraphs")) {
        for (const auto& [name, subgraph] : graph["subgraphs"].items()) {
            if (subgraph.contains("nodes")) {
                checkGraph(where + " " + name, subgraph, offsets, tally);
            }
        }
    }
}

/// Checks every graph in a golden file.
void checkGraphsIn(const std::string& where, const Json& value, Tally& tally) {
    if (value.is_object() && value.contains("nodes") && value["nodes"].is_array()) {
        checkGraph(where, value, true, tally);
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
    for (const std::string& op : tally.operatorsOnRealZeros()) {
        std::cout << "    on real zeros: " << op << '\n';
    }
}

constexpr bool isOldest = std::string_view(AOTSCOPE_LIBTORCH_RELEASE) == "2.11";

} // namespace

TEST_CASE("every rule is for an operator that LibTorch has") {
    // Torch 2.15 has removed it.
    const std::vector<std::string> removed = {"aten::cholesky"};
    CHECK(test::unknownRuleNames() == (isOldest ? std::vector<std::string>{} : removed));
}

TEST_CASE("real zeros answer what has no rule, and refuse what they cannot tell") {
    const test::RealZerosAnswers answers = test::askRealZeros();
    CHECK(answers.resultsAreMeta);
    CHECK(answers.inPlaceGivesTheArgument);
    CHECK(answers.refusesDataDependence);
    CHECK(answers.refusalKeepsTheStack);
    CHECK(answers.refusesViews);
    CHECK(answers.refusesTooMany);
    CHECK(answers.names == std::vector<std::string>{"aten::_histogramdd_bin_edges", "aten::put_"});
}

TEST_CASE("a shape that is a matter of the release is refused where none is followed") {
    CHECK(test::errorWithoutRelease().find("where none is followed") != std::string::npos);
}

TEST_CASE("what kernels find around them is that of the innermost scope on their thread") {
    const test::HintAnswers answers = test::askDeviceHint();
    CHECK(answers.inScope);
    CHECK(answers.inScopeOfOtherPart);
    CHECK_FALSE(answers.inInnerScope);
    CHECK(answers.afterUnwinding);
    CHECK_FALSE(answers.onOtherThread);
    CHECK_FALSE(answers.afterAll);
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
    CHECK(functional["ours"] > 200);
}

TEST_CASE("shapes are those of the golden graphs" * test::needsCorpus()) {
    Tally tally;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::filesystem::path& path = entry.path();
        if (path.extension() == ".json" || path.string().ends_with(".json.xz")) {
            checkGraphsIn(path.filename().string(), Json::parse(test::readPlainOrXz(path)), tally);
        }
    }
    print("golden graphs", tally);
    CHECK(tally.called() > 10000);
    CHECK(tally.agreeing() == tally.called());
}

TEST_CASE("shapes are those of the logged graphs" * test::needsCorpus()) {
    Tally tally;
    for (const std::filesystem::path& log : test::corpusLogs()) {
        test::forEachPayload(log, [&](const test::LogPayload& payload) {
            if (payload.text.find("torch.ops.aten.") == std::string::npos) {
                return;
            }
            if (const auto graph = ir::parseGraphText(payload.text)) {
                checkGraph(payload.where, Json::parse(ir::graphToJson(**graph)), false, tally);
            }
        });
    }
    print("logged graphs", tally);
    CHECK(tally.called() > 50000);
    CHECK(tally.agreeing() == tally.called());
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
                      test::checkShape(
                          {target, call["args"], call.value("kwargs", Json::object()), call["val"], onCuda}),
                      line);
        }
    }
    print("fake CPU tensors", cpu);
    print("fake CUDA tensors", cuda);
    // PyTorch has no shape function for these either, and runs them.
    std::vector<std::string> onRealZeros = {
        "aten._histogramdd_bin_edges.default", "aten._histogramdd_from_bin_cts.default",
        "aten._histogramdd_from_bin_tensors.default", "aten._slow_conv2d_forward.default"};
    if (isOldest) {
        onRealZeros.emplace_back("aten._unique.default");
    }
    CHECK(cpu.operatorsOnRealZeros() == onRealZeros);
    CHECK(cuda.operatorsOnRealZeros().empty());
    CHECK(cpu.called() > 10000);
    CHECK(cuda.called() > 10000);
    // LibTorch 2.15 refuses aten._unique without a shape function from Python.
    CHECK(cpu.agreeing() + (isOldest ? 0 : 4) == cpu.called());
    CHECK(cuda.agreeing() == cuda.called());
}
