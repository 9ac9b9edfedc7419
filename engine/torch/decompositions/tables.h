#pragma once

#include "decompositions/decomposition_set.h"

#include "aot/retrace.h"

/// PyTorch's decomposition tables: which operators a trace replaces by others before it records them.
namespace aotscope::torch {

/// The decompositions of a table; null for None. Lives as long as the process.
///
/// What `decompositionCoverage` lists as missing is recorded as it is. RNG is not functionalized.
[[nodiscard]] const DecompositionSet* decompositionTable(aot::DecompositionTable table);

/// The decompositions that core ATen's table has, of which Inductor's takes most. One function per family.
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
/// Its parts by family.
void addInductorComplex(DecompositionSet& set);
void addInductorMatrices(DecompositionSet& set);
void addInductorPointwise(DecompositionSet& set);
void addInductorPooling(DecompositionSet& set);

} // namespace aotscope::torch
