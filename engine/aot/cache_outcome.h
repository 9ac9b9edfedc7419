#pragma once

#include "base/describe.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace aotscope::aot {

/// What the compiled-function cache did for one compile. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/autograd_cache.py: `cache_state` in AOTAutogradCache.try_load.
enum class CacheState : std::uint8_t {
    /// The stored compile was taken; nothing was traced.
    Hit,
    /// Traced, and stored afterwards.
    Miss,
    /// Traced, and not stored: such a compile cannot be cached.
    Bypass,
};
AOTSCOPE_WORDS(CacheState, "hit", "miss", "bypass")

struct CacheOutcome {
    CacheState state = CacheState::Miss;
    /// 32 hexadecimal digits; empty for a bypass.
    std::string key = {};
    /// In words: where a hit came from, why it is a miss (of a failed guard: which one, at which values), or
    /// why the compile is not cached.
    std::string reason = {};
    /// For a hit: how long the trace took when it was stored.
    std::int64_t savedNanoseconds = 0;
    /// For a miss: why the result could not be stored; empty: it was.
    std::string notStored = {};

    [[nodiscard]] std::string_view stateName() const { return base::wordOf(state); }
    friend bool operator==(const CacheOutcome&, const CacheOutcome&) = default;
};
AOTSCOPE_MEMBERS(CacheOutcome, state, key, reason, savedNanoseconds, notStored)

} // namespace aotscope::aot
