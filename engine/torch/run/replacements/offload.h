#pragma once

#include "dispatch/operators.h"
#include "torch_headers.h"

#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// The result of a copy between a GPU and the CPU (`aten._to_copy` that changes nothing but the device),
/// copied as by programs that keep saved tensors in the CPU's memory: through pinned memory, on a stream
/// beside the one that computes. Work that is queued on the GPU later waits for it; a reader of the CPU's
/// copy must wait for the GPU first (awaitDevice). Nothing: the call is none of these.
[[nodiscard]] std::optional<at::Tensor>
offloaded(std::string_view target, const std::vector<c10::IValue>& args, const NamedValues& kwargs);

} // namespace aotscope::torch
