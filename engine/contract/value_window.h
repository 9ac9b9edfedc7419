#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::session {

/// Which part of a tensor is shown: a window in the plane of two dimensions, the others fixed.
struct ValueWindow {
    /// Among the tensors that the node returned.
    std::size_t output = 0;
    /// Nothing: the last two dimensions; a tensor with one dimension is a row.
    std::optional<std::size_t> rowDimension = std::nullopt;
    std::optional<std::size_t> columnDimension = std::nullopt;
    /// The index in each dimension; those of the plane are ignored, missing ones are 0, too large ones the
    /// last.
    std::vector<std::int64_t> fixed = {};
    std::int64_t firstRow = 0;
    std::int64_t firstColumn = 0;
    std::int64_t rows = 64;
    std::int64_t columns = 64;
    friend bool operator==(const ValueWindow&, const ValueWindow&) = default;
};

} // namespace aotscope::session
