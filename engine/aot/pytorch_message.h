#pragma once

#include <string_view>

namespace aotscope::aot {

/// Begins the note of an error for which PyTorch has a message of its own. That message follows, as whoever
/// searches for it knows it, without the metadata that PyTorch appends to some and without its indentation.
inline constexpr std::string_view pytorchSays = "PyTorch says: ";

} // namespace aotscope::aot
