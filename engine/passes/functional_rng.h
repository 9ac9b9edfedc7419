#pragma once

#include "passes/halves.h"
#include "passes/joint_program.h"

#include "ir/graph.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace aotscope::passes {

/// Makes random operators that the backward computes again give the forward's numbers
/// (functionalize_rng_ops): on the CPU the forward saves the generator's state before each and the backward
/// runs with it; on one CUDA device each half takes a generator of its own. The graphs are as extracted, not
/// yet put in order; the results are frozen. `stateSymbols` as PartitionOptions::generatorStateSymbols.
[[nodiscard]] std::pair<ir::GraphPtr, ir::GraphPtr>
functionalizeRandom(const JointProgram& program, const Halves& halves, const ir::Graph& forward,
                    const ir::Graph& backward, const std::map<std::int64_t, std::string>& stateSymbols);

/// The same graph with its nodes in another order (positions in program order).
[[nodiscard]] ir::GraphPtr reorderedGraph(const ir::Graph& graph, std::span<const std::uint32_t> order);

} // namespace aotscope::passes
