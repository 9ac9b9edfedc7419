// The partitioner's small passes, one at a time: dead nodes, equal calls, views, bans, checkpoints, random
// numbers. Each file in partition_cases is a joint graph with the halves that PyTorch made of it
// (make_partition_cases.py).
#include "aot/versions/versions.h"
#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/partition.h"
#include "support/corpus.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace aotscope;

namespace {

struct PartitionCase {
    std::map<std::string, std::string> options;
    /// "joint", "forward" and "backward", as FX prints them.
    std::map<std::string, std::string> graphs;
};

PartitionCase readCase(const std::filesystem::path& file) {
    PartitionCase read;
    std::istringstream lines(test::readFile(file));
    std::string graph;
    for (std::string line; std::getline(lines, line);) {
        if (line == "joint:" || line == "forward:" || line == "backward:") {
            graph = line.substr(0, line.size() - 1);
        } else if (!graph.empty()) {
            read.graphs[graph] += line + '\n';
        } else if (!line.starts_with('#')) {
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                const std::size_t equals = word.find('=');
                read.options[word.substr(0, equals)] = word.substr(equals + 1);
            }
        }
    }
    return read;
}

/// "a,,b": items may be empty.
std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> items;
    std::istringstream parts(text);
    for (std::string item; std::getline(parts, item, ',');) {
        items.push_back(item);
    }
    return items;
}

/// The example values that a log has for symbols: "hints=s77:4,s27:8".
ir::GraphPtr withHints(const ir::GraphPtr& graph, const std::map<std::string, std::string>& options) {
    ir::GraphBuilder hinted(*graph);
    if (const auto hints = options.find("hints"); hints != options.end()) {
        for (const std::string& hint : listOf(hints->second)) {
            const std::size_t colon = hint.find(':');
            hinted.editSymbolHints()[hint.substr(0, colon)] = std::stoll(hint.substr(colon + 1));
        }
    }
    return hinted.finish();
}

/// Options by their names in torch._functorch.config.
passes::PartitionOptions optionsOf(const std::map<std::string, std::string>& named) {
    passes::PartitionOptions options;
    for (const auto& [name, value] : named) {
        if (name == "partitioner") {
            options.partitioner =
                value == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
        } else if (name == "torch") {
            options.rules = aot::torchRules(aot::torchVersionFromText(value).value()).partition;
        } else if (name == "symbols") {
            options.inputSymbols = listOf(value);
        } else if (name == "outputs") {
            options.forwardOutputs = std::stoul(value);
        } else if (name == "cse") {
            options.mergeCommonSubexpressions = value == "True";
        } else if (name == "ban_recompute_reductions") {
            options.bans.reductions = value == "True";
        } else if (name == "activation_memory_budget") {
            options.memoryBudget = std::stod(value);
        } else if (name != "hints") {
            FAIL("no option " << name);
        }
    }
    return options;
}

ir::GraphPtr parsed(const std::string& text) {
    const auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

/// A node's call without comments on its origin.
std::string withoutComments(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find("  # "));
        const std::size_t first = line.find_first_not_of(' ');
        if (first != std::string::npos && line[first] != '#') {
            kept += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        }
    }
    return kept;
}

void checkCases(const std::string& folder, int count) {
    int cases = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(AOTSCOPE_TEST_DIR) / "passes" / folder)) {
        CAPTURE(entry.path().stem().string());
        ++cases;
        const PartitionCase wanted = readCase(entry.path());
        const auto made = passes::partitionJointGraph(
            withHints(parsed(wanted.graphs.at("joint")), wanted.options), optionsOf(wanted.options));
        if (!wanted.graphs.contains("forward")) {
            REQUIRE_FALSE(made.ok());
            CHECK(made.error().code == "passes.memory_budget");
            continue;
        }
        REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        CHECK(withoutComments(ir::printGraph(*made->forward).text) ==
              withoutComments(wanted.graphs.at("forward")));
        CHECK(withoutComments(ir::printGraph(*made->backward).text) ==
              withoutComments(wanted.graphs.at("backward")));
    }
    CHECK(cases == count);
}

} // namespace

TEST_CASE("small joint graphs are split as PyTorch splits them") {
    checkCases("partition_cases", 24);
}

TEST_CASE("under the rules of torch 2.15 they are split as torch 2.15 splits them") {
    checkCases("partition_cases_2_15", 37);
}
