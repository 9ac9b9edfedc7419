#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "ir/graph.h"

#include <cstdint>
#include <span>
#include <vector>

/// The order of the nodes in the forward or backward graph.
namespace aotscope::passes {

enum class FlowKind : std::uint8_t { Call, Placeholder, Tangent, Getitem, CopyInto, Output };

/// A graph reduced to what ordering needs: kinds and inputs of nodes, by position; the output is last.
struct ProgramFlow {
    std::vector<FlowKind> kinds;
    std::vector<std::uint32_t> inputOffsets{0};
    std::vector<std::uint32_t> inputs;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kinds.size()); }
    [[nodiscard]] std::span<const std::uint32_t> inputsOf(std::uint32_t i) const {
        return std::span(inputs).subspan(inputOffsets[i], inputOffsets[i + 1] - inputOffsets[i]);
    }
};

/// Positions count the extracted graph's inputs, then its nodes, then its output.
[[nodiscard]] ProgramFlow flowOf(const JointProgram& program, const ExtractedGraph& extracted);
/// Positions are those in the graph's program order.
[[nodiscard]] ProgramFlow flowOf(const ir::Graph& graph);

[[nodiscard]] std::vector<std::uint32_t> programOrder(const ProgramFlow& flow);
/// From the first node that uses a tangent on, inserts before each node the earlier nodes that it needs and
/// that are not placed yet, so that recomputed values have short live ranges. Follows torch 2.11,
/// torch/_functorch/partitioners.py: reordering_to_mimic_autograd_engine.
[[nodiscard]] std::vector<std::uint32_t> orderLikeAutograd(const ProgramFlow& flow);
/// Moves each getitem directly after its input. Follows torch 2.11, torch/_functorch/compile_utils.py:
/// raise_getitems.
void raiseGetitems(const ProgramFlow& flow, std::vector<std::uint32_t>& order);

} // namespace aotscope::passes
