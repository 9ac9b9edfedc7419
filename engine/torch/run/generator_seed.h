#pragma once

#include <cstdint>

namespace aotscope::torch {

/// Seeds the default CPU generator of the process, so that random operators are reproducible.
void seedGenerator(std::uint64_t seed);

} // namespace aotscope::torch
