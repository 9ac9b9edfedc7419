#pragma once

#include "run/run_context.h"

#include "torch_headers.h"

#include "ir/value.h"

#include <string>

namespace aotscope::torch {

/// Where a result contradicts the logged metadata, in words; empty where it agrees. Devices are not compared.
/// Strides of dimensions of size 1 mean nothing. A tensor of the right shape with other strides is copied
/// into the logged ones, so that the nodes behind see what they saw when they were traced.
[[nodiscard]] std::string compareWithMeta(const ir::ValueMeta& meta, c10::IValue& value,
                                          const RunContext& context);

} // namespace aotscope::torch
