#include "operators/operator_rows.h"

namespace aotscope::torch {

void OperatorRows::addRow(std::initializer_list<const char*> operators, const OperatorRow& row) {
    for (const std::string name : operators) {
        const bool hasSpace = name.find("::") != std::string::npos;
        const bool isNew = m_rows.emplace(hasSpace ? name : "aten::" + name, row).second;
        TORCH_INTERNAL_ASSERT(isNew, name, " has two rows");
    }
}

const OperatorRows& operatorRows() {
    static const OperatorRows all = [] {
        OperatorRows rows;
        addActivationRows(rows);
        addArithmeticRows(rows);
        addAttentionRows(rows);
        addCreationRows(rows);
        addImageRows(rows);
        addInPlaceRows(rows);
        addIndexingRows(rows);
        addLinearAlgebraRows(rows);
        addLossRows(rows);
        addNormalizationRows(rows);
        addQuantizationRows(rows);
        addRandomRows(rows);
        addRecurrentRows(rows);
        addReductionRows(rows);
        addSpectralRows(rows);
        addViewRows(rows);
        return rows;
    }();
    return all;
}

} // namespace aotscope::torch
