#pragma once

#include "torch_headers.h"

#include <cstdint>

namespace aotscope::torch {

/// Hash of a tensor's dtype, sizes and the bits of its elements in order, whatever their strides. Of more
/// than `most` elements only that many are read, evenly spread; 0: all. Without CPU memory it hashes no
/// elements.
[[nodiscard]] std::uint64_t elementsHash(const at::Tensor& tensor, std::int64_t most = 0);

/// The same over all tensors in a value.
[[nodiscard]] std::uint64_t elementsHash(const c10::IValue& value, std::int64_t most);

} // namespace aotscope::torch
