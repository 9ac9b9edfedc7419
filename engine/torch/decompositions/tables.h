#pragma once

#include "decompositions/decomposition_set.h"

#include "aot/retrace.h"

/// PyTorch's decomposition tables: which operators a trace replaces by others before it records them. Follows
/// torch 2.11, torch/_decomp/__init__.py: core_aten_decompositions, and torch/_inductor/decomposition.py:
/// select_decomp_table.
namespace aotscope::torch {

/// The decompositions of a table; null for None. Lives as long as the process.
///
/// Operators that `decompositionCoverage` lists as missing are recorded as they are. Random operators are not
/// functionalized.
[[nodiscard]] const DecompositionSet* decompositionTable(aot::DecompositionTable table);

} // namespace aotscope::torch
