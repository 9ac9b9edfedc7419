#pragma once

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aotscope::session {

/// The question that a coverage table answers.
enum class CoverageArea : std::uint8_t {
    /// Can the engine execute the functions and methods that a Dynamo graph calls?
    Calls,
    /// For ATen operators: where do the shapes of their results come from without data?
    Shapes,
    /// Do the engine's decomposition tables replace the operators that PyTorch's tables replace?
    Decompositions,
};
AOTSCOPE_WORDS(CoverageArea, "calls", "shapes", "decompositions")

enum class CoverageState : std::uint8_t {
    Covered,
    /// Works through a general route, not a rule for this name; `note` names it.
    Fallback,
    /// A graph that needs it cannot be traced, or gives another graph than PyTorch.
    Missing,
    /// Not an operator (conversions to NumPy, hooks…). Not counted, but a graph that uses it cannot be
    /// traced.
    Outside,
};
AOTSCOPE_WORDS(CoverageState, "covered", "fallback", "missing", "outside")

/// A name from PyTorch's own lists and how it is covered.
struct CoverageRow {
    CoverageArea area = CoverageArea::Calls;
    /// The list that it is counted in: "torch.nn.functional", "Tensor", "functional", "inductor".
    std::string group;
    /// As PyTorch spells it: "torch.nn.functional.gelu", "Tensor.split", "aten::add.Tensor".
    std::string name;
    CoverageState state = CoverageState::Missing;
    /// How it is covered: "binding", "written", "real zeros"….
    std::string note;
};
AOTSCOPE_MEMBERS(CoverageRow, area, group, name, state, note)

/// The number of rows of a group in each state.
struct CoverageTotal {
    CoverageArea area = CoverageArea::Calls;
    std::string group;
    std::size_t covered = 0;
    std::size_t fallback = 0;
    std::size_t missing = 0;
    std::size_t outside = 0;
    /// The fraction of counted rows that work, 0 to 1; 1 if no row counts.
    double share = 1;
};
AOTSCOPE_MEMBERS(CoverageTotal, area, group, covered, fallback, missing, outside, share)

/// One total per area and group, in order of first appearance.
[[nodiscard]] std::vector<CoverageTotal> coverageTotals(std::span<const CoverageRow> rows);

} // namespace aotscope::session
