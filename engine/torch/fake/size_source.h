#pragma once

#include "ir/argument.h"

#include <cstdint>

namespace aotscope::torch {

/// Where a recorded graph can read a number off a tensor. PyTorch tracks each size, stride, element count and
/// offset by identity and makes the node that reads it only when something uses it, so equal numbers of
/// different origin get nodes of their own. Follows torch 2.11, torch/fx/experimental/proxy_tensor.py:
/// track_tensor.
struct SizeSource {
    enum class What : std::uint8_t { Size, Stride, Elements, Offset };
    /// 0: none.
    std::uint64_t recording = 0;
    ir::NodeId node;
    What what = What::Size;
    std::int64_t dimension = 0;
};

} // namespace aotscope::torch
