#pragma once

#include "base/result.h"

#include <cstddef>
#include <string_view>

namespace aotscope::remote {

/// Levels of nesting that a body may have.
inline constexpr std::size_t mostNesting = 64;

/// Whether bytes are one value in the part of CBOR (RFC 8949) that bodies are written in: no tags, no
/// indefinite lengths, names of members as text, bounded nesting. The JSON library reads such a value without
/// deep recursion. Error: remote.malformed, with the position.
[[nodiscard]] base::Result<void> checkCbor(std::string_view bytes);

} // namespace aotscope::remote
