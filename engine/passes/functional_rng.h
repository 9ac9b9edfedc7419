#pragma once

#include "passes/halves.h"
#include "passes/joint_program.h"
#include "passes/partition_options.h"

#include "ir/graph.h"

#include <cstdint>
#include <span>
#include <utility>

namespace aotscope::passes {

/// Makes random operators that the backward recomputes give the forward's numbers. On the CPU the forward
/// saves the generator's state before each operator and the backward runs with that state; on a single CUDA
/// device each half gets a generator as an input. Takes the graphs as extracted, before they are ordered;
/// returns graphs, forward and backward. `stateSymbols`: PartitionOptions::generatorStateSymbols.
/// Follows torch 2.11, torch/_functorch/partitioners.py: functionalize_rng_ops,
/// apply_graphsafe_rng_functionalization.
[[nodiscard]] std::pair<ir::GraphPtr, ir::GraphPtr>
functionalizeRandom(const JointProgram& program, const Halves& halves, const ir::Graph& forward,
                    const ir::Graph& backward, const StateSymbols& stateSymbols);

/// A copy of the graph with its nodes in this order (positions in program order).
[[nodiscard]] ir::GraphPtr reorderedGraph(const ir::Graph& graph, std::span<const std::uint32_t> order);

} // namespace aotscope::passes
