#pragma once

#include "ir/graph.h"

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::ir {

/// One broken rule. Codes: verify.use_before_definition, verify.duplicate_name, verify.no_output,
/// verify.several_outputs, verify.after_output, verify.unknown_subgraph, verify.arity,
/// verify.unknown_keyword, verify.getitem_range, verify.metadata (sizes and strides of different rank,
/// negative sizes, …).
struct VerifierProblem {
    std::string code;
    /// Names the node, and the subgraph if the problem is in one.
    std::string message;
    /// A node of the top graph; invalid: the problem does not concern a single node, or is in a subgraph.
    NodeId node;
};

/// Checks a graph and its subgraphs. Calls are checked against schemas only for operators in the
/// schema table (ir/op_schema.h); unknown operators are not an error.
[[nodiscard]] std::vector<VerifierProblem> verifyGraph(const Graph& graph);

/// Whether this build verifies graphs after every transformation: CMake's AOTSCOPE_VERIFY.
[[nodiscard]] bool verifiesGraphs();

/// The error of a transformation ("The pass \"cut\"") that leaves a broken graph; nothing if it is sound.
/// `name` says which graph it is ("forward"); the notes list every broken rule.
[[nodiscard]] std::optional<base::Error> brokenGraph(const Graph& graph, std::string code,
                                                     std::string_view transformation, std::string_view name);

} // namespace aotscope::ir
