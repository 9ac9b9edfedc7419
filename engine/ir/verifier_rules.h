#pragma once

#include "ir/op_schema.h"
#include "ir/verifier.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The verifier's rules by topic; verifier.cpp runs them over a graph.
namespace aotscope::ir::detail {

/// Collects the problems of one graph; `where` is put before every message ("subgraph body: ").
class ProblemList {
public:
    ProblemList(const Graph& graph, std::string where, std::vector<VerifierProblem>& problems)
        : m_graph(graph), m_where(std::move(where)), m_problems(problems) {}

    void add(std::string_view code, NodeId node, std::string_view message);
    void addForGraph(std::string_view code, std::string_view message);

private:
    const Graph& m_graph;
    std::string m_where;
    std::vector<VerifierProblem>& m_problems;
};

/// Schemas of the operators that were looked up so far.
class SchemaCache {
public:
    /// Null: not in the table.
    [[nodiscard]] const OpSchema* find(const Node& node);

private:
    std::unordered_map<std::string, std::shared_ptr<const OpSchema>> m_known;
};

/// Calls of known operators: too many or missing arguments, unknown keywords, number of results.
void checkCall(const Graph& graph, NodeId id, SchemaCache& schemas, ProblemList& problems);
/// `_operator.getitem` with a constant index into a value of known length.
void checkGetItem(const Graph& graph, NodeId id, SchemaCache& schemas, ProblemList& problems);
/// Tensors with contradictory metadata, and views that contradict their input.
void checkMetadata(const Graph& graph, NodeId id, ProblemList& problems);

} // namespace aotscope::ir::detail
