#pragma once

#include "passes/partition.h"

namespace aotscope::passes {

/// Halves that make the tokens of their effects and drop them, instead of taking and returning them:
///
///     forward:   token, x → with_effects(token, …) → return getitem, out
///     becomes:   x → _make_token → with_effects(_make_token, …) → _sink_tokens([getitem]) → return out
///
/// Unchanged without tokens, and where one of them goes into a subgraph or is saved: then
/// PartitionReport::tokensStay says so. Follows torch 2.15, torch/_functorch/_aot_autograd/utils.py:
/// unlift_tokens, without its rewriting of subgraph calls.
[[nodiscard]] Partition unliftTokens(Partition partition);

} // namespace aotscope::passes
