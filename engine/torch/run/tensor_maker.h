#pragma once

#include "run/row_needs.h"
#include "run/run_context.h"

#include "torch_headers.h"

#include "ir/value.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// What the nodes that read an input expect of its values.
struct ValueNeeds {
    /// Integers lie in [0, below).
    std::optional<std::int64_t> below;
    /// Floats are positive (a variance, the argument of a logarithm).
    bool positive = false;
    /// Floats lie in [0, 1).
    bool probability = false;
    /// Integers are at least this: 1 for divisors and positions counted from 1.
    std::int64_t least = 0;
    /// Integers part rows.
    std::optional<RowLimits> rows;
    /// So many bools are true at most, or exactly.
    std::optional<std::int64_t> mostTrue;
    bool exactlyTrue = false;
    /// Bytes are the state of a random generator.
    bool generatorState = false;
};

/// A seed of its own for each name, so that one input does not depend on the others.
[[nodiscard]] std::uint64_t tensorSeed(std::uint64_t seed, std::string_view name);

/// A tensor with exactly the dtype, shape and strides of the metadata: floats normal, integers small and not
/// negative, bools fair. Overlapping strides give an overlapping tensor. Throws RunFailure
/// (run.unsupported_input, run.too_large).
[[nodiscard]] at::Tensor makeTensor(const ir::TensorMeta& meta, const ValueNeeds& needs, std::uint64_t seed,
                                    const RunContext& context);

/// Elements that the storage behind the shape and strides must hold; throws RunFailure (run.too_large) when
/// that does not fit into memory's address range.
[[nodiscard]] std::int64_t storageElements(const std::vector<std::int64_t>& shape,
                                           const std::vector<std::int64_t>& stride, std::int64_t offset);

/// Sizes and strides with the run's symbols put in; contiguous strides where none are known.
struct ConcreteLayout {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::int64_t offset = 0;
};
[[nodiscard]] ConcreteLayout concreteLayout(const ir::TensorMeta& meta, const RunContext& context);

} // namespace aotscope::torch
