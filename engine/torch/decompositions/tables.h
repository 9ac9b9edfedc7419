#pragma once

#include "decompositions/decomposition_set.h"

#include "aot/retrace.h"

#include <cstdint>
#include <string>
#include <vector>

/// PyTorch's decomposition tables: which operators a trace replaces by others before it records them. Follows
/// torch 2.11, torch/_decomp/__init__.py: core_aten_decompositions, and torch/_inductor/decomposition.py:
/// select_decomp_table.
namespace aotscope::torch {

/// What Inductor's table has of operators that draw random numbers: with
/// `torch._inductor.config.fallback_random` none, before torch 2.15 only those like a tensor (rand_like).
enum class DrawTable : std::uint8_t { Decomposed, Kept, KeptButLikes };

/// The decompositions of a table; null for None, which has none, and for Chosen. Lives as long as the
/// process.
///
/// Operators that `decompositionCoverage` lists as missing are recorded as they are. Random operators are not
/// functionalized.
[[nodiscard]] const DecompositionSet* decompositionTable(aot::DecompositionTable table,
                                                         DrawTable draws = DrawTable::Decomposed);

/// Those of single operators ("aten.gelu.default", "aten.gelu" for all overloads), from the table of core
/// ATen, else from Inductor's. Operators without one are left out, as they are in no table.
[[nodiscard]] DecompositionSet decompositionsOf(const std::vector<std::string>& operators);

} // namespace aotscope::torch
