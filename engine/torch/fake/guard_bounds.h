#pragma once

#include <string_view>

namespace aotscope::torch {

/// Whether a guard says nothing, because every size of at least 2 fulfils it, as the sizes behind symbols are
/// (0 and 1 are specialized): `Eq(5*s0, 5*s0)`, `Not(Eq(s0*s1, 1))`, `s0 < 4*s0`. Reads relations between
/// products of symbols and numbers; of anything else it answers no. Unbacked symbols (`u0`) may be anything.
[[nodiscard]] bool holdsForAllSizes(std::string_view guard);

} // namespace aotscope::torch
