#pragma once

#include <string_view>

namespace aotscope::ir {

/// The parts of an operator's target, which is spelled "aten.add.Tensor".
struct OperatorName {
    /// "aten"; empty: a target without a dot ("getattr").
    std::string_view space;
    /// "add"; the whole target if it has no dot.
    std::string_view name;
    /// "Tensor"; empty: the target names none.
    std::string_view overload;
    /// "aten.add", as torch._ops.OpOverloadPacket.
    std::string_view packet;
};
[[nodiscard]] OperatorName splitTarget(std::string_view target);

/// What stands behind the last dot: "gelu" of "torch.nn.functional.gelu".
[[nodiscard]] std::string_view lastPart(std::string_view target);
/// An operator's name, or that of a function in one of torch's modules: "add" of "aten.add.Tensor" and of
/// "_operator.add", "log" of "torch.special.log".
[[nodiscard]] std::string_view functionName(std::string_view target);
/// aten.sym_size, aten.sym_constrain_range and their like: operators on symbolic numbers.
[[nodiscard]] bool isSymbolicOperator(std::string_view target);

} // namespace aotscope::ir
