// The partitioner's small passes, one at a time: dead nodes, equal calls, views, bans, checkpoints, random
// numbers. Each file in partition_cases is a joint graph with the halves that PyTorch made of it
// (make_partition_cases.py).
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

/// Options by their names in torch._functorch.config.
passes::PartitionOptions optionsOf(const std::map<std::string, std::string>& named) {
    passes::PartitionOptions options;
    for (const auto& [name, value] : named) {
        if (name == "partitioner") {
            options.partitioner =
                value == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
        } else if (name == "outputs") {
            options.forwardOutputs = std::stoul(value);
        } else if (name == "cse") {
            options.mergeCommonSubexpressions = value == "True";
        } else if (name == "ban_recompute_reductions") {
            options.bans.reductions = value == "True";
        } else if (name == "activation_memory_budget") {
            options.memoryBudget = std::stod(value);
        } else {
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

} // namespace

TEST_CASE("small joint graphs are split as PyTorch splits them") {
    int cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(AOTSCOPE_TEST_DIR) /
                                                                 "passes" / "partition_cases")) {
        CAPTURE(entry.path().stem().string());
        ++cases;
        const PartitionCase wanted = readCase(entry.path());
        const auto made =
            passes::partitionJointGraph(parsed(wanted.graphs.at("joint")), optionsOf(wanted.options));
        REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        CHECK(withoutComments(ir::printGraph(*made->forward).text) ==
              withoutComments(wanted.graphs.at("forward")));
        CHECK(withoutComments(ir::printGraph(*made->backward).text) ==
              withoutComments(wanted.graphs.at("backward")));
    }
    CHECK(cases == 17);
}
