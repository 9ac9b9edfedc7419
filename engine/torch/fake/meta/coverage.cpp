#include "fake/meta/coverage.h"

#include "fake/meta/compute_shapes.h"
#include "fake/meta/shape_kernels.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <set>

namespace aotscope::torch {

namespace {

ShapeSource sourceOf(const c10::OperatorHandle& op) {
    if (op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output)) {
        return ShapeSource::DataDependent;
    }
    if (hasShapeKernel(op)) {
        return ShapeSource::LibTorch;
    }
    return op.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU) ? ShapeSource::RealZeros
                                                                     : ShapeSource::None;
}

} // namespace

std::vector<ShapeCoverage> shapeCoverage() {
    const std::vector<std::string>& ours = installShapeKernels().names();
    const std::set<std::string> known(ours.begin(), ours.end());
    std::vector<ShapeCoverage> rows;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        if (!op || !name.name.starts_with("aten::")) {
            continue;
        }
        const std::string full = c10::toString(name);
        rows.push_back({full, known.contains(full) ? ShapeSource::Ours : sourceOf(*op),
                        !op->schema().hasAnyAliasInfo()});
    }
    std::ranges::sort(rows,
                      [](const ShapeCoverage& one, const ShapeCoverage& other) { return one.op < other.op; });
    return rows;
}

} // namespace aotscope::torch
