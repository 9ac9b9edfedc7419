#include "decompositions/tables.h"

namespace aotscope::torch {

namespace {

TableSets makeTables() {
    TableSets tables;
    addActivationTable(tables);
    addBatchNormTable(tables);
    addBinaryTable(tables);
    addColumnTable(tables);
    addCreationTable(tables);
    addGridTable(tables);
    addIndexingTable(tables);
    addLinearAlgebraTable(tables);
    addLossTable(tables);
    addNormalizationTable(tables);
    addPieceTable(tables);
    addPointwiseTable(tables);
    addRandomTable(tables);
    addRangeTable(tables);
    addReductionTable(tables);
    addReflectionPadding(tables);
    addSearchTable(tables);
    addViewTable(tables);
    addInductorTable(tables);
    for (const DecompositionSet* const set : {&tables.core, &tables.inductor}) {
        TORCH_CHECK(set->unknown().empty(), "a decomposition is for ", set->unknown().front(),
                    ", an operator that this LibTorch lacks");
    }
    return tables;
}

} // namespace

const DecompositionSet* decompositionTable(aot::DecompositionTable table) {
    if (table == aot::DecompositionTable::None) {
        return nullptr;
    }
    static const TableSets tables = makeTables();
    return table == aot::DecompositionTable::Core ? &tables.core : &tables.inductor;
}

} // namespace aotscope::torch
