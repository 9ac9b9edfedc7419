#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// What a table of coverage is about.
enum class CoverageArea : std::uint8_t {
    /// Functions and methods that a Dynamo graph calls: whether the engine can carry them out.
    Calls,
    /// ATen operators: where the shape of their results comes from when nothing is computed.
    Shapes,
    /// Operators that PyTorch's decomposition tables replace: whether the engine's tables do so too.
    Decompositions,
};

enum class CoverageState : std::uint8_t {
    Covered,
    /// Works by a general route, not by a rule for this name: see the note.
    Fallback,
    /// A graph that needs it cannot be traced, or is traced unlike PyTorch.
    Missing,
    /// No operator has the name (conversions to NumPy, hooks…): not counted; a graph with it is not traced.
    Outside,
};

/// One name of PyTorch's own lists and how it is covered.
struct CoverageRow {
    CoverageArea area = CoverageArea::Calls;
    /// The list it is counted with: "torch.nn.functional", "Tensor", "functional", "inductor".
    std::string group;
    /// As PyTorch spells it: "torch.nn.functional.gelu", "Tensor.split", "aten::add.Tensor".
    std::string name;
    CoverageState state = CoverageState::Missing;
    /// How: "binding", "written", "real zeros"….
    std::string note;
};

/// How many rows of a group have each state.
struct CoverageTotal {
    CoverageArea area = CoverageArea::Calls;
    std::string group;
    std::size_t covered = 0;
    std::size_t fallback = 0;
    std::size_t missing = 0;
    std::size_t outside = 0;

    /// Of what counts, the part that works, from 0 to 1; 1 where nothing counts.
    [[nodiscard]] double share() const;
};

/// "calls", "shapes", "decompositions"
[[nodiscard]] std::string_view coverageAreaName(CoverageArea area);
/// "covered", "fallback", "missing", "outside"
[[nodiscard]] std::string_view coverageStateName(CoverageState state);

/// One per area and group, in the order in which they come first.
[[nodiscard]] std::vector<CoverageTotal> coverageTotals(std::span<const CoverageRow> rows);

} // namespace aotscope::session
