#pragma once

#include <string_view>

namespace aotscope::aot {

/// Begins the note of an error that PyTorch raises too. PyTorch's message follows, so that it can be searched
/// for, without the metadata that PyTorch appends to some and without its indentation.
inline constexpr std::string_view pytorchSays = "PyTorch says: ";

} // namespace aotscope::aot
