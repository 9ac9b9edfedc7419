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
    switch (call.kind) {
    case ops::CallKind::Binding:
    case ops::CallKind::Written:
        return CoverageState::Covered;
    case ops::CallKind::Unknown:
        return CoverageState::Missing;
    case ops::CallKind::NoOperator:
        break;
    }
    // Functions of torch.nn.functional always compute, also those implemented in Python without an operator
    // of their name.
    return group == "torch.nn.functional" ? CoverageState::Missing : CoverageState::Outside;
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
    switch (source) {
    case ShapeSource::LibTorch:
    case ShapeSource::Ours:
    case ShapeSource::DataDependent:
        return CoverageState::Covered;
    case ShapeSource::RealZeros:
        return CoverageState::Fallback;
    case ShapeSource::None:
        break;
    }
    return CoverageState::Missing;
}

void addShapes(std::vector<CoverageRow>& rows) {
    for (const ShapeCoverage& shape : shapeCoverage()) {
        rows.push_back({CoverageArea::Shapes, shape.functional ? "functional" : "mutating or view", shape.op,
                        stateOf(shape.source), std::string(base::wordOf(shape.source))});
    }
}

CoverageState stateOf(DecompositionSource source) {
    switch (source) {
    case DecompositionSource::Ours:
    case DecompositionSource::Composite:
    case DecompositionSource::Functionalized:
        return CoverageState::Covered;
    case DecompositionSource::Missing:
        break;
    }
    return CoverageState::Missing;
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
