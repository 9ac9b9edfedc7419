#include "ops_check.h"

#include "ir/text/parser.h"
#include "load/trace_log.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

using namespace aotscope;

namespace {

std::vector<std::filesystem::path> logFiles() {
    std::vector<std::filesystem::path> files;
    const char* only = std::getenv("AOTSCOPE_ONLY");
    for (const char* folder : {"traces", "traces-2.11", "traces-2.15"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpusDir() / folder)) {
            const std::string file = entry.path().filename().string();
            if ((file.ends_with(".log") || file.ends_with(".log.xz")) &&
                (only == nullptr || entry.path().string().find(only) != std::string::npos)) {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Why a graph is not run here; empty if it is.
std::string leftOut(const ir::Graph& graph) {
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.target.starts_with("higher_order.")) {
            return "higher-order operators";
        }
        if (node.target.starts_with("corpus.") || node.target.starts_with("_c10d_functional.")) {
            return "operators that LibTorch does not have";
        }
        const ir::TensorMeta* meta = ir::asTensor(node.value);
        if (node.op == ir::Opcode::Placeholder && std::holds_alternative<std::monostate>(node.value)) {
            return "inputs of which the log tells nothing";
        }
        if (node.op == ir::Opcode::Placeholder && meta != nullptr) {
            if (meta->subclass || meta->layout == "jagged") {
                return "tensor subclasses";
            }
            if (meta->device && meta->device->type != "cpu") {
                return "another device than the CPU";
            }
        }
    }
    return {};
}

} // namespace

TEST_CASE("every logged Dynamo graph runs" * test::needsCorpus()) {
    int graphs = 0;
    std::map<std::string, int> notRun;
    for (const auto& file : logFiles()) {
        const auto log = load::TraceLog::read(file);
        REQUIRE(log.ok());
        for (std::size_t record = 0; record < (*log)->recordCount(); ++record) {
            const load::RecordId id{static_cast<std::uint32_t>(record)};
            if ((*log)->kindName(id) != "dynamo_output_graph") {
                continue;
            }
            const std::string where = file.filename().string() + ":" + std::to_string((*log)->lineOf(id));
            const auto graph = ir::parseGraphText((*log)->payload(id));
            REQUIRE_MESSAGE(graph.ok(), where << ": " << graph.error().text());
            if (const std::string why = leftOut(**graph); !why.empty()) {
                ++notRun[why];
                continue;
            }
            ir::SymbolBindings symbols;
            for (const auto& [name, value] : (*log)->symbolValues((*log)->compileOf(id))) {
                symbols.emplace(name, value);
            }
            const test::OpsRun run = test::runOps(**graph, {}, 100, symbols);
            CHECK_MESSAGE(run.error.empty(), where << ": " << run.error);
            CHECK(run.stateRestored);
            ++graphs;
        }
    }
    if (std::getenv("AOTSCOPE_ONLY") == nullptr) {
        CHECK(graphs == 120);
        const std::map<std::string, int> leftOutGraphs = {{"higher-order operators", 18},
                                                          {"inputs of which the log tells nothing", 8},
                                                          {"operators that LibTorch does not have", 6},
                                                          {"tensor subclasses", 6}};
        CHECK(notRun == leftOutGraphs);
    }
}
