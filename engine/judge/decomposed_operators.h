#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

/// Whether a logged graph may be a traced one of which a backend decomposed some operators.
namespace aotscope::judge {

/// The operators of ATen that `traced` calls and `logged` does not, by name, if all else in `traced` is in
/// `logged` as well: the same placeholders and returned values by count, and every other call in the same
/// order with results of the same shapes and dtypes, and at least one call for each that is missing. Then
/// `logged` may come from a backend that decomposes these operators (`aot_autograd(decompositions=…)`:
/// PyTorch decomposes below autograd, so that no other call changes). Empty: it cannot.
[[nodiscard]] std::vector<std::string> operatorsThatMayBeDecomposed(const ir::Graph& traced,
                                                                    const ir::Graph& logged);

} // namespace aotscope::judge
