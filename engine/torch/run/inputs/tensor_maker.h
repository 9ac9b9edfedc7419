#pragma once

#include "run/inputs/row_constraints.h"
#include "run/state/run_context.h"

#include "torch_headers.h"

#include "ir/value.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// What the users of an input require of its values.
struct ValueNeeds {
    /// Integers, and floats that become integers, lie in [0, below).
    std::optional<std::int64_t> below = {};
    /// Such floats are whole numbers: what adds or rounds them must not leave the range.
    bool whole = false;
    /// Floats are at least and at most this: an assertion says so.
    std::optional<double> from = {};
    std::optional<double> to = {};
    /// Floats are positive (a variance, the argument of a logarithm).
    bool positive = false;
    /// Floats lie in [0, 1).
    bool probability = false;
    /// Integers, and floats with `below`, are at least this: 1 for divisors and positions counted from 1.
    std::int64_t least = 0;
    /// Integers divide rows.
    std::optional<RowLimits> rows = {};
    /// At most this many bools are true; with `exactlyTrue` exactly this many.
    std::optional<std::int64_t> mostTrue = {};
    bool exactlyTrue = false;
    /// Bytes are a valid state of a random generator.
    bool generatorState = false;
};

/// A separate seed for each name, so that the values of an input do not depend on other inputs.
[[nodiscard]] std::uint64_t tensorSeed(std::uint64_t seed, std::string_view name);

/// A tensor with the dtype, shape and strides of the metadata. Unless `needs` says otherwise, floats are
/// normally distributed, integers lie in [0, 8), and bools are true with probability 1/2. Overlapping strides
/// give an overlapping tensor. It lies where the run's place says. Throws RunFailure (run.unsupported_input,
/// run.too_large).
[[nodiscard]] at::Tensor makeTensor(const ir::TensorMeta& meta, const ValueNeeds& needs, std::uint64_t seed,
                                    const RunContext& context);

/// The number of elements of the smallest storage for shape, strides and offset. Throws RunFailure:
/// run.too_large beyond 2^46 elements, run.unsupported_input for negative sizes.
[[nodiscard]] std::int64_t storageElements(const std::vector<std::int64_t>& shape,
                                           const std::vector<std::int64_t>& stride, std::int64_t offset);

/// Sizes, strides and offset in elements, with the run's values of symbols; contiguous strides when none are
/// logged.
struct ConcreteLayout {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::int64_t offset = 0;
};
[[nodiscard]] ConcreteLayout concreteLayout(const ir::TensorMeta& meta, const RunContext& context);

} // namespace aotscope::torch
