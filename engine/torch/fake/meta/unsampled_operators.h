#pragma once

#include <array>
#include <string_view>

/// Operators that have a shape function but were never compared with what they return, because no call of
/// them could be made: `coverage` does not claim them. tests/torch/shape_answers/schema_samples.py, which
/// makes the calls, says so of each; tst_symbolic_shapes fails if one is missing here or has a sample.
namespace aotscope::torch {

struct UnsampledOperator {
    /// Without namespace, overload and the underscore of an in-place form: all forms of it.
    std::string_view name;
    std::string_view why;
};

namespace unsampled {
inline constexpr std::string_view sparse =
    "takes or returns sparse tensors, which AOTAutograd does not trace";
} // namespace unsampled

inline constexpr auto unsampledOperators = std::to_array<UnsampledOperator>({
    {"_coalesced", unsampled::sparse},
});

} // namespace aotscope::torch
