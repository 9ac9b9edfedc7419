#pragma once

#include "shape_check.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>

/// Calls of operators as `shape_answers` and the golden files record them, made again on meta tensors.
namespace aotscope::test {

/// An argument whose metadata says too little to call the operator.
struct NotKnown {
    std::string why;
};

struct RecordedCall {
    c10::OperatorHandle op;
    /// The arguments, complete, in the schema's order; every tensor and device is meta.
    c10::Stack stack;
    c10::IValue expected;
};

/// Throws NotKnown, or torch::RunFailure where the arguments do not fit the schema.
[[nodiscard]] RecordedCall recordedCall(const ShapeQuestion& question);

} // namespace aotscope::test
