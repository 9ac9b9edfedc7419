// Modules that are derived for joint graphs of a log, beside those that PyTorch records while it compiles and
// writes nowhere (tests/golden/module_paths.tsv).
#include "partition_bench.h"

#include "files/logged_partitions.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

using namespace aotscope;

namespace {

struct Row {
    std::string node;
    bool isBackward = false;
    std::string sequence;
    /// "?": PyTorch records none.
    std::string module;
};

/// By number of the model.
std::map<std::size_t, std::vector<Row>> recordedModules() {
    std::ifstream file(std::string(AOTSCOPE_TEST_DIR) + "/golden/module_paths.tsv");
    std::map<std::size_t, std::vector<Row>> models;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::istringstream fields(line);
        std::string model;
        std::string half;
        Row row;
        std::getline(fields, model, '\t');
        std::getline(fields, row.node, '\t');
        std::getline(fields, half, '\t');
        std::getline(fields, row.sequence, '\t');
        std::getline(fields, row.module, '\t');
        row.isBackward = half == "backward";
        models[std::stoul(model)].push_back(row);
    }
    return models;
}

/// "layers.0" contains "layers.0.attn" and itself.
bool contains(const std::string& outer, const std::string& inner) {
    return outer.empty() || inner == outer || inner.starts_with(outer + ".");
}

bool isSum(const ir::Graph& graph, ir::NodeId node) {
    return graph.node(node).target == "aten.add.Tensor" && graph.inputs(node).size() == 2;
}

} // namespace

TEST_CASE("a gradient is in the module whose parameter or activation it is of") {
    const auto models = recordedModules();
    REQUIRE(models.size() == 8);
    test::Bench bench(std::string(AOTSCOPE_TEST_DIR) + "/golden/module_paths.log.xz");
    REQUIRE(bench.log);
    std::vector<session::GraphSnapshotPtr> joints;
    for (std::uint32_t index = 0; index < bench.log->traceLog()->compiles().size(); ++index) {
        const load::CompileId id = bench.log->traceLog()->compiles()[index].id;
        for (const auto& logged : session::loggedPartitions(*bench.log, load::CompileIndex(index), id)) {
            joints.push_back(bench.ask(session::LoadGraph{logged.joint}).get<session::GraphSnapshotPtr>());
        }
    }
    REQUIRE(joints.size() == models.size());
    std::size_t backward = 0;
    std::size_t exact = 0;
    std::size_t tooNarrow = 0;
    for (const auto& [model, rows] : models) {
        CAPTURE(model);
        const session::GraphSnapshot& joint = *joints[model];
        const auto derived = [&](ir::NodeId node) { return joint.modules.ofNode[node.index()].path; };
        // The forward node that made a node of autograd is the first with its number.
        std::map<std::string, std::string> bySequence;
        for (const Row& row : rows) {
            const auto node = joint.graph->tryFind(row.node);
            if (node && !row.isBackward) {
                bySequence.try_emplace(row.sequence, derived(*node));
            }
        }
        for (const Row& row : rows) {
            CAPTURE(row.node);
            const auto node = joint.graph->tryFind(row.node);
            REQUIRE(node);
            if (!row.isBackward) {
                continue;
            }
            // A sum of gradients carries the number of whatever ran last.
            if (isSum(*joint.graph, *node)) {
                continue;
            }
            ++backward;
            const std::string& partner = bySequence[row.sequence];
            const std::string found = derived(*node);
            CAPTURE(found);
            CAPTURE(partner);
            CAPTURE(row.module);
            exact += found == partner ? 1 : 0;
            // Never a module beside the right one; where nothing decides, one around it. Views between a
            // module and one inside it are counted: they may be taken for the inner one.
            const std::string& right = row.module == "?" ? partner : row.module;
            CHECK((found == partner || contains(found, right) || contains(right, found)));
            tooNarrow += found != partner && !contains(found, right) ? 1 : 0;
        }
    }
    // Without the log's help of numbers, which it does not have.
    CAPTURE(exact);
    CAPTURE(backward);
    CHECK(exact * 100 >= backward * 89);
    CAPTURE(tooNarrow);
    CHECK(tooNarrow * 100 <= backward * 6);
}
