#pragma once

#include "torch_headers.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Operators of LibTorch's dispatcher, found by the names FX uses and called boxed.
namespace aotscope::torch {

using NamedValues = std::vector<std::pair<std::string, c10::IValue>>;

/// The name of an operator without or with overload: "aten::mm", "aten::add.Tensor".
[[nodiscard]] c10::OperatorName operatorName(const std::string& text);

/// An operator's arguments, or its results, on top of the dispatcher's stack.
[[nodiscard]] c10::ArrayRef<c10::IValue> argumentsOn(const c10::OperatorHandle& op, const c10::Stack& stack);
[[nodiscard]] c10::ArrayRef<c10::IValue> resultsOn(const c10::OperatorHandle& op, const c10::Stack& stack);
/// Takes the arguments off the stack and puts the results there.
void replaceArguments(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<c10::IValue> results);

/// The operator of an FX target ("aten.addmm.default", "aten.add.Tensor"). A target without overload
/// ("corpus.accum_") means the operator's only overload or its default one.
[[nodiscard]] std::optional<c10::OperatorHandle> findOperator(std::string_view target);

/// Calls an operator with Python-like arguments, which are converted to its schema. Several results are
/// returned as a tuple, none as None. Throws RunFailure if the arguments do not fit, c10::Error if the
/// operator fails.
[[nodiscard]] c10::IValue callOperator(const c10::OperatorHandle& op, std::vector<c10::IValue> args,
                                       const NamedValues& kwargs = {});

/// The same for an FX target. Throws RunFailure (run.unknown_operator) if there is no such operator.
[[nodiscard]] c10::IValue callAten(std::string_view target, std::vector<c10::IValue> args,
                                   const NamedValues& kwargs = {});

/// Whether the operator has a kernel for tensors of the CPU, or of a GPU.
[[nodiscard]] bool runsOn(const c10::OperatorHandle& op, c10::DeviceType device);

/// Every schema the dispatcher knows, one per line, sorted.
[[nodiscard]] std::vector<std::string> allSchemas();

} // namespace aotscope::torch
