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

/// Both tables while they are filled, by one function per family. Inductor's has most decompositions of core
/// ATen's.
struct TableSets {
    DecompositionSet core;
    DecompositionSet inductor;

    /// Adds to both tables.
    void add(std::initializer_list<const char*> operators, Decomposition decomposition) {
        core.add(operators, decomposition);
        inductor.add(operators, decomposition);
    }
};

void addActivationTable(TableSets& tables);
void addBatchNormTable(TableSets& tables);
void addBinaryTable(TableSets& tables);
void addColumnTable(TableSets& tables);
void addCreationTable(TableSets& tables);
void addGridTable(TableSets& tables);
void addIndexingTable(TableSets& tables);
void addLinearAlgebraTable(TableSets& tables);
void addLossTable(TableSets& tables);
void addNormalizationTable(TableSets& tables);
void addPieceTable(TableSets& tables);
void addPointwiseTable(TableSets& tables);
void addRandomTable(TableSets& tables);
void addRangeTable(TableSets& tables);
void addReductionTable(TableSets& tables);
void addReflectionPadding(TableSets& tables);
void addSearchTable(TableSets& tables);
void addViewTable(TableSets& tables);
void addInductorTable(TableSets& tables);
/// The parts of Inductor's own decompositions, by family.
void addInductorComplex(DecompositionSet& set);
void addInductorMatrices(DecompositionSet& set);
void addInductorPointwise(DecompositionSet& set);
void addInductorPooling(DecompositionSet& set);

} // namespace aotscope::torch
