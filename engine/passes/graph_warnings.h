#pragma once

#include "passes/partition_rules.h"

#include "ir/graph.h"

#include "base/describe.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a compile's graphs show by themselves of results that may not be what a person expects, although
/// PyTorch compiled them without a word. docs/VERDICTS.md tells each for people.
namespace aotscope::passes {

enum class WarningSeverity : std::uint8_t {
    /// Results are wrong.
    Error,
    /// Results may be others than those of the person's program in eager mode.
    Warning,
    /// Holds only as long as the caller does nothing unusual.
    Note
};
AOTSCOPE_WORDS(WarningSeverity, "error", "warning", "note")

/// Codes that other files refer to.
inline constexpr std::string_view savedIsOutput = "saved.is_output";
inline constexpr std::string_view randomRecomputed = "random.recomputed";

/// In which graph the nodes of a warning are.
enum class WarnedGraph : std::uint8_t { Dynamo, Joint, Inference };
AOTSCOPE_WORDS(WarnedGraph, "dynamo", "joint", "inference")

/// A warning with what is needed to show it where the graph is.
struct GraphWarning {
    WarningSeverity severity = WarningSeverity::Warning;
    /// "random.recomputed", "saved.is_output", "backward.autocast", "function.…", "gradient.none"
    std::string code;
    WarnedGraph graph = WarnedGraph::Dynamo;
    /// Nodes of that graph, the most telling first; a node in a body is named by the call of the body.
    std::vector<std::string> nodes;
    /// What happens, in sentences.
    std::string message;
    /// What to do about it.
    std::string hint;
    friend bool operator==(const GraphWarning&, const GraphWarning&) = default;
};
AOTSCOPE_MEMBERS(GraphWarning, severity, code, graph, nodes, message, hint)

/// "error random.recomputed: dropout is recomputed … Save it …"
[[nodiscard]] std::string warningText(const GraphWarning& warning);

/// What the halves of a partition show, before hooks are inlined:
/// - random.recomputed (an error): a random operator is in both halves, and the backward draws its own
///   numbers, because the partitioner keeps the generator's state only for operators that a checkpoint tagged
///   (torch/_functorch/partitioners.py: functionalize_rng_ops);
/// - saved.is_output (a note): the caller holds a value that the backward reads, and may write to it.
/// `forwardOutputs`: how many values the forward returns before the saved ones.
[[nodiscard]] std::vector<GraphWarning> warningsOfHalves(const ir::Graph& forward, const ir::Graph& backward,
                                                         std::size_t forwardOutputs,
                                                         const PartitionRules& rules);

/// backward.autocast: the program switches autocast off for a part of it, but the caller's autocast holds for
/// the whole backward of the joint graph, which casts values down that the forward kept wide. Eager mode runs
/// a backward without autocast.
[[nodiscard]] std::vector<GraphWarning> warningsOfAutocast(const ir::Graph& program, const ir::Graph& joint);

} // namespace aotscope::passes
