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
    /// Names the node, and the subgraph where the problem lies in one.
    std::string message;
    /// Of the top graph; invalid where the problem is not one node's, or lies in a subgraph.
    NodeId node;
};

/// Checks a frozen graph and its subgraphs. A schema check is made only for operators found in the program's
/// schema table (ir/op_schema.h); unknown operators are not an error.
[[nodiscard]] std::vector<VerifierProblem> verifyGraph(const Graph& graph);

} // namespace aotscope::ir
