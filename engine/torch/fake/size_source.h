#pragma once

#include "ir/argument.h"

#include <cstdint>

namespace aotscope::torch {

/// Where a graph that is recorded can read a number off a tensor. PyTorch tracks each size, stride, count of
/// elements and offset by its identity, and makes the node that reads it when something asks for it; of equal
/// numbers that came about separately each has a node of its own.
struct SizeSource {
    enum class What : std::uint8_t { Size, Stride, Elements, Offset };
    /// 0: none.
    std::uint64_t recording = 0;
    ir::NodeId node;
    What what = What::Size;
    std::int64_t dimension = 0;
};

} // namespace aotscope::torch
