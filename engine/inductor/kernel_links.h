#pragma once

#include "inductor/output_code.h"
#include "inductor/provenance.h"
#include "ir/graph.h"

#include "base/describe.h"
#include "base/progress.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which nodes of a graph each launch of a kernel computes, and from which source lines they come. Every link
/// names its evidence, and what could not be linked is listed with the reason.
namespace aotscope::inductor {

/// The evidence for a link.
enum class Evidence : std::uint8_t {
    /// PyTorch's own mapping (`inductor_provenance_tracking_node_mappings`).
    Mapping,
    /// The graph fragment in the kernel's comment names the node, and the graph has it with the same
    /// operator.
    Fragment,
    /// The comment before the launch names the node.
    SourceNode,
    /// The call is of the node's operator.
    Operator,
    /// The node lies between what the launch reads and what it writes.
    DataFlow,
    /// The launch's result is returned, or read by a linked launch, where the graph has this node.
    Result,
    /// The operators of the kernel's name have the node's operator.
    Name,
};
AOTSCOPE_WORDS(Evidence, "PyTorch's mapping", "graph fragment", "source-node comment", "operator called",
               "data flow", "result", "kernel name")
/// A bit for each.
using EvidenceSet = std::uint32_t;
[[nodiscard]] constexpr EvidenceSet operator|(EvidenceSet set, Evidence one) {
    return set | 1U << static_cast<unsigned>(one);
}
[[nodiscard]] constexpr bool has(EvidenceSet set, Evidence one) {
    return (set | one) == set;
}
/// The words of those in the set.
[[nodiscard]] std::vector<std::string_view> evidenceNames(EvidenceSet set);
/// The same, joined with ", ".
[[nodiscard]] std::string evidenceText(EvidenceSet set);

struct NodeLink {
    /// A node of the graph that Inductor compiled.
    ir::NodeId node;
    EvidenceSet evidence = 0;
};

/// A source line of a kernel. It is the node's own line, or that of the forward node that a backward node is
/// of.
struct SourceLink {
    ir::SourceLocation source;
    bool backwardOfForward = false;
    /// From PyTorch's `…_kernel_stack_traces`, not from the graph.
    bool fromStackTraces = false;
};
AOTSCOPE_MEMBERS(SourceLink, source, backwardOfForward, fromStackTraces)

/// What one launch computes.
struct LaunchLinks {
    std::vector<NodeLink> nodes;
    std::vector<SourceLink> sources;
    /// Why it has no nodes; empty if it has.
    std::string unlinked;
};

/// Why no kernel computes a node.
enum class NodeFate : std::uint8_t {
    Linked,
    /// It is an input or the output.
    NotComputed,
    /// A view: no memory is written.
    View,
    /// An element of an operator's several results.
    Element,
    /// A value known at compile time, written into the code that uses it.
    Constant,
    /// Nothing uses it.
    Dead,
    /// A size, computed by the wrapper.
    Size,
    /// No evidence was found.
    Unknown,
};
AOTSCOPE_WORDS(NodeFate, "computed by a kernel", "an input or the output", "a view: no memory is written",
               "one of an operator's several results", "a constant, written into the code that uses it",
               "nothing uses it", "a size, computed by the wrapper", "no kernel was found")

struct KernelLinks {
    /// By launch.
    std::vector<LaunchLinks> launches;
    /// By node id of the graph.
    std::vector<NodeFate> fates;
    /// By node id of the graph: the launches that compute it.
    std::vector<std::vector<std::uint32_t>> launchesOf;
    /// What the text and the graph disagree on, in words: a fragment's node that the graph has not, …
    std::vector<std::string> disagreements;
};

/// What is known besides the code; all but the graph may be missing.
struct LinkInputs {
    /// The graph that Inductor compiled (`inductor_post_grad_graph`), else AOTAutograd's. Not null.
    ir::GraphPtr graph;
    /// Dynamo's graph, whose node names the comments of forward kernels have.
    ir::GraphPtr dynamo;
    /// Null: no mapping.
    const Provenance* provenance = nullptr;
};

/// When progress requests a stop, it returns soon with the links so far.
[[nodiscard]] KernelLinks linkKernels(const OutputCode& code, const LinkInputs& inputs,
                                      const base::Progress& progress = {});

} // namespace aotscope::inductor
