#pragma once

#include "ir/graph.h"

#include "base/result.h"

#include <string>
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

/// Checks a frozen graph and its subgraphs. Calls are checked against schemas only for operators in the
/// schema table (ir/op_schema.h); unknown operators are not an error.
[[nodiscard]] std::vector<VerifierProblem> verifyGraph(const Graph& graph);

} // namespace aotscope::ir
