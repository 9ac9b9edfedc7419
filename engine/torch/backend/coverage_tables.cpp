#include "backend/coverage_tables.h"

#include "decompositions/coverage.h"
#include "fake/meta/coverage.h"
#include "ops/coverage.h"

namespace aotscope::torch {

namespace {

using session::CoverageArea;
using session::CoverageRow;
using session::CoverageState;

CoverageState stateOf(const ops::CallCoverage& call, std::string_view group) {
    // Functions of torch.nn.functional always compute, also those implemented in Python without an operator
    // of their name.
    const bool isOutside = call.kind == ops::CallKind::NoOperator && group != "torch.nn.functional";
    return call.kind == ops::CallKind::Binding || call.kind == ops::CallKind::Written ? CoverageState::Covered
           : isOutside                                                                ? CoverageState::Outside
                       : CoverageState::Missing;
}

void addCalls(std::vector<CoverageRow>& rows) {
    for (const ops::CallCoverage& call : ops::callCoverage()) {
        std::string group = call.name.substr(0, call.name.rfind('.'));
        const CoverageState state = stateOf(call, group);
        rows.push_back(
            {CoverageArea::Calls, std::move(group), call.name, state, std::string(base::wordOf(call.kind))});
    }
}

CoverageState stateOf(ShapeSource source) {
    return source == ShapeSource::None        ? CoverageState::Missing
           : source == ShapeSource::RealZeros ? CoverageState::Fallback
                                              : CoverageState::Covered;
}

void addShapes(std::vector<CoverageRow>& rows) {
    for (const ShapeCoverage& shape : shapeCoverage()) {
        rows.push_back({CoverageArea::Shapes, shape.functional ? "functional" : "mutating or view", shape.op,
                        stateOf(shape.source), std::string(base::wordOf(shape.source))});
    }
}

CoverageState stateOf(DecompositionSource source) {
    return source == DecompositionSource::Missing ? CoverageState::Missing : CoverageState::Covered;
}

void addDecompositions(std::vector<CoverageRow>& rows, aot::DecompositionTable table,
                       const std::string& group) {
    for (const DecompositionCoverage& decomposition : decompositionCoverage(table)) {
        rows.push_back({CoverageArea::Decompositions, group, decomposition.op, stateOf(decomposition.source),
                        std::string(base::wordOf(decomposition.source))});
    }
}

} // namespace

std::vector<CoverageRow> coverageTables() {
    std::vector<CoverageRow> rows;
    addCalls(rows);
    addShapes(rows);
    addDecompositions(rows, aot::DecompositionTable::Core, "core");
    addDecompositions(rows, aot::DecompositionTable::Inductor, "inductor");
    return rows;
}

} // namespace aotscope::torch
