#include "fake/derived_strides.h"

#include <string_view>

namespace aotscope::torch {

namespace {

using Sizes = std::vector<c10::SymInt>;
using Arguments = c10::ArrayRef<c10::IValue>;

/// Rows of `HxW` that group norm's gradient is folded out of.
Sizes foldedStrides(Arguments arguments) {
    const auto sizes = arguments[1].toTensor().sym_sizes();
    if (sizes.size() < 4) {
        return {};
    }
    Sizes strides(sizes.size(), 1);
    c10::SymInt left = arguments[7].toSymInt();
    strides[0] = sizes[1] * left;
    strides[1] = left;
    for (std::size_t d = 2; d + 1 < sizes.size(); ++d) {
        left = left / sizes[d];
        strides[d] = left;
    }
    return strides;
}

} // namespace

std::vector<c10::SymInt> derivedStrides(const c10::OperatorHandle& op, Arguments arguments) {
    const std::string_view name = op.operator_name().name;
    return name == "aten::native_group_norm_backward" ? foldedStrides(arguments) : Sizes();
}

FurtherResult furtherResult(const c10::OperatorHandle& op, Arguments arguments) {
    if (op.operator_name().name != "aten::_scaled_dot_product_flash_attention_for_cpu") {
        return {};
    }
    const Sizes query = arguments[0].toTensor().sym_sizes().vec();
    if (query.size() != 4) {
        return {};
    }
    // Made with the heads inside, and then seen with the queries there.
    return {{query[0], query[1], query[2]}, {query[2].max(1) * query[1].max(1), 1, query[1].max(1)}};
}

} // namespace aotscope::torch
