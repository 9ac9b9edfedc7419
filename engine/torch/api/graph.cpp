#include "api/handles.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "wrappers/compose.h"

#include "ir/json/graph_json.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "load/trace_log.h"

namespace aotscope {

namespace {

Result<Graph> readGraph(base::Result<ir::GraphPtr> read) {
    if (!read) {
        return torch::api::errorOf(std::move(read).error());
    }
    return torch::api::handleOf(std::move(read).value());
}

} // namespace

Result<Graph> Graph::fromText(std::string_view text) {
    return readGraph(ir::parseGraphText(text));
}

Result<Graph> Graph::fromJson(std::string_view json) {
    return readGraph(ir::graphFromJson(json));
}

std::string Graph::text() const {
    return ir::printGraph(*m_impl->graph).text;
}

std::string Graph::json() const {
    return ir::graphToJson(*m_impl->graph);
}

std::size_t Graph::nodeCount() const {
    return m_impl->graph->size();
}

Result<std::vector<Value>> runGraph(const Graph& graph, std::span<const Value> arguments) {
    return torch::api::guarded("run.operator_failed", [&] {
        const std::size_t inputs = graph.impl().graph->placeholders().size();
        if (inputs != arguments.size()) {
            torch::fail("aot.arguments", "The graph takes " + std::to_string(inputs) + " arguments and got " +
                                             std::to_string(arguments.size()) + ".");
        }
        // An exported function is its graph alone.
        aot::CompiledFunction function;
        function.path = aot::TracePath::Export;
        function.graph = graph.impl().graph;
        function.constants = graph.impl().constants;
        torch::ComposedCall composed = torch::composeCall(function, {}, {}, nullptr);
        torch::Values list =
            base::mapped(arguments, [](const Value& each) { return torch::api::boxed(each); });
        return torch::api::unboxed(composed.call(list));
    });
}

Result<std::vector<LoggedGraph>> readLog(const std::string& path, std::string_view name) {
    return torch::api::guarded("load.open", [&] {
        const auto log = torch::valueOrThrow(load::TraceLog::read(path));
        std::vector<LoggedGraph> graphs;
        for (std::uint32_t i = 0; i < log->compiles().size(); ++i) {
            const load::CompileIndex index(i);
            if (const auto artifact = log->tryFindArtifact(index, name)) {
                graphs.push_back(
                    {log->compile(index).id.text(), Graph::fromText(log->payload(artifact->record))});
            }
        }
        return graphs;
    });
}

} // namespace aotscope
