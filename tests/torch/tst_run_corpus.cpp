#include "run_support.h"

#include "load/trace_log.h"
#include "support/corpus_case.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

using namespace aotscope;

namespace {

bool isAtenGraph(load::RecordKind kind) {
    return kind == load::RecordKind::AotJointGraph || kind == load::RecordKind::AotForwardGraph ||
           kind == load::RecordKind::AotBackwardGraph || kind == load::RecordKind::AotInferenceGraph;
}

std::vector<std::filesystem::path> corpusLogs() {
    std::vector<std::filesystem::path> logs;
    for (const char* folder : {"traces", "traces-2.11", "traces-2.15", "tlparse-logs"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpusDir() / folder)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_regular_file() && (name.ends_with(".log") || name.ends_with(".log.xz"))) {
                logs.push_back(entry.path());
            }
        }
    }
    std::sort(logs.begin(), logs.end());
    return logs;
}

struct CorpusTotals {
    int graphs = 0;
    int ran = 0;
    int withStandIns = 0;
    std::size_t nodes = 0;
    std::int64_t nodeNanoseconds = 0;
    std::vector<std::string> failures;
    std::vector<std::string> mismatches;
};

/// Kernels that save float32 statistics for half-precision input, although the trace logs the input's dtype.
bool explained(const ir::Graph& graph, const ir::Node& node, const std::string& mismatch) {
    if (node.target != "_operator.getitem" || node.args.empty()) {
        return false;
    }
    const auto* from = node.args.front().as<ir::NodeId>();
    return from != nullptr && graph.node(*from).target == "aten.native_layer_norm.default" &&
           (mismatch == "dtype float32, logged bfloat16" || mismatch == "dtype float32, logged float16");
}

void runOne(const std::string& name, const ir::GraphPtr& graph, const session::RunOptions& options,
            CorpusTotals& totals) {
    ++totals.graphs;
    auto result = test::backend().answer(session::RunCall{graph, options});
    const base::Error* error = result.ok() ? (result->error ? &*result->error : nullptr) : &result.error();
    if (error != nullptr) {
        totals.failures.push_back(name + ": " + error->text());
        return;
    }
    ++totals.ran;
    // Every node but the output has its row.
    CHECK(result->nodes.size() == graph->size() - (graph->output() ? 1 : 0));
    bool standIn = false;
    for (const session::NodeRun& run : result->nodes) {
        const ir::Node& node = graph->node(run.node);
        totals.nodeNanoseconds += run.nanoseconds;
        standIn = standIn || !run.note.empty();
        if (!run.mismatch.empty() && !explained(*graph, node, run.mismatch)) {
            totals.mismatches.push_back(name + ": " + node.name + " (" + node.target + "): " + run.mismatch);
        }
    }
    totals.nodes += result->nodes.size();
    totals.withStandIns += standIn ? 1 : 0;
}

} // namespace

TEST_CASE("the ATen graphs of every log run and agree with their logged metadata" * test::needsCorpus()) {
    CorpusTotals totals;
    for (const std::filesystem::path& path : corpusLogs()) {
        auto log = load::TraceLog::read(path);
        if (!log.ok()) {
            FAIL_CHECK(path.string() << ": " << log.error().text());
            continue;
        }
        for (std::size_t i = 0; i < (*log)->compiles().size(); ++i) {
            const load::CompileIndex compile(static_cast<std::uint32_t>(i));
            session::RunOptions options;
            options.seed = 1;
            for (const auto& [symbol, value] : (*log)->symbolValues(compile)) {
                options.symbols.emplace(symbol, value);
            }
            for (const load::Artifact& artifact : (*log)->artifacts(compile)) {
                if (!isAtenGraph(artifact.kind)) {
                    continue;
                }
                const std::string name =
                    path.filename().string() + " " + (*log)->compile(compile).id.text() + " " + artifact.name;
                auto graph = ir::parseGraphText((*log)->payload(artifact.record));
                if (graph.ok()) {
                    runOne(name, *graph, options, totals);
                } else {
                    ++totals.graphs;
                    totals.failures.push_back(name + ": " + graph.error().text());
                }
            }
        }
    }
    std::cout << totals.ran << " of " << totals.graphs << " graphs ran (" << totals.withStandIns
              << " of them with made-up results for custom operators), " << totals.nodes << " nodes, "
              << (totals.nodes == 0 ? 0 : totals.nodeNanoseconds / static_cast<std::int64_t>(totals.nodes))
              << " ns a node\n";
    for (const std::string& failure : totals.failures) {
        FAIL_CHECK("did not run: " << failure);
    }
    for (const std::string& mismatch : totals.mismatches) {
        FAIL_CHECK(mismatch);
    }
    CHECK(totals.graphs == 451);
}
