#pragma once

#include "shape_check.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>

/// Operator calls recorded in `shape_answers` and the golden files, repeated on meta tensors.
namespace aotscope::test {

/// Thrown if the metadata of an argument is not enough to call the operator.
struct NotKnown {
    std::string why;
};

struct RecordedCall {
    c10::OperatorHandle op;
    /// The arguments, complete, in the schema's order; every tensor and device is meta.
    c10::Stack stack;
    c10::IValue expected;
};

/// Throws NotKnown, or torch::RunFailure if the arguments do not match the schema.
[[nodiscard]] RecordedCall recordedCall(const ShapeQuestion& question);

} // namespace aotscope::test
