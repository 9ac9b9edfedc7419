#pragma once

#include <string>

namespace aotscope::cache {

/// Identifies the build of this program that runs: a digest of the build ids of its libraries and of
/// LibTorch's that are loaded now. Another build may compile differently, so its entries are not taken.
/// Compare torch 2.15, torch/_inductor/codecache.py: torch_key. Empty if no library has a build id.
[[nodiscard]] std::string engineIdentity();

} // namespace aotscope::cache
