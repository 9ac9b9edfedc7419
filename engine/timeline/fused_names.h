#pragma once

#include "ir/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::timeline {

/// "aten::addmm" of the target "aten.addmm.default"; empty: it is no operator of the dispatcher.
[[nodiscard]] std::string operatorName(std::string_view target);
/// "addmm" of the target "aten.addmm.default"; empty as above.
[[nodiscard]] std::string_view shortOperatorName(std::string_view target);

/// Whether the name is one that Inductor gives to fused kernels: "triton_poi_fused_add_gelu_2",
/// "cpp_fused_mul_0".
[[nodiscard]] bool isFusedKernel(std::string_view name);
/// Which of `known` operators the name of a fused kernel lists; the longest that fit.
[[nodiscard]] std::vector<std::string> operatorsOfKernel(std::string_view name,
                                                         const std::vector<std::string>& known);

} // namespace aotscope::timeline
