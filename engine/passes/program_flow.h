#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "ir/graph.h"

#include <cstdint>
#include <span>
#include <vector>

/// The order of a half's nodes.
namespace aotscope::passes {

enum class FlowKind : std::uint8_t { Call, Placeholder, Tangent, Getitem, CopyInto, Output };

/// A graph reduced to what ordering asks: by position, the output last.
struct ProgramFlow {
    std::vector<FlowKind> kinds;
    std::vector<std::uint32_t> inputOffsets{0};
    std::vector<std::uint32_t> inputs;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kinds.size()); }
    [[nodiscard]] std::span<const std::uint32_t> inputsOf(std::uint32_t i) const {
        return std::span(inputs).subspan(inputOffsets[i], inputOffsets[i + 1] - inputOffsets[i]);
    }
};

/// Positions: the extracted graph's inputs, its nodes, its output.
[[nodiscard]] ProgramFlow flowOf(const JointProgram& program, const ExtractedGraph& extracted);
/// Positions in a frozen graph's program order.
[[nodiscard]] ProgramFlow flowOf(const ir::Graph& graph);

[[nodiscard]] std::vector<std::uint32_t> programOrder(const ProgramFlow& flow);
/// From the first node that uses a tangent on, each node directly after what it needs of the nodes before
/// (reordering_to_mimic_autograd_engine): recomputed values live only as long as they must.
[[nodiscard]] std::vector<std::uint32_t> orderLikeAutograd(const ProgramFlow& flow);
/// Puts each getitem directly after what it takes from (raise_getitems).
void raiseGetitems(const ProgramFlow& flow, std::vector<std::uint32_t>& order);

} // namespace aotscope::passes
