#pragma once

#include <cstdint>

namespace aotscope::torch {

/// Random operators give the same numbers after it.
void seedGenerator(std::uint64_t seed);

} // namespace aotscope::torch
