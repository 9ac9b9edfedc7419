#pragma once

#include "ir/descriptor.h"

#include <string>
#include <string_view>

/// Descriptors as text: Python's repr of them, which is what print_readable writes behind an input or output
/// (`# PlainAOTInput(idx=0)`) and what graph JSON holds. Reading what was printed gives the same descriptor.
namespace aotscope::ir {

[[nodiscard]] std::string descriptorText(const AOTInput& input);
[[nodiscard]] std::string descriptorText(const AOTOutput& output);
/// "None" for NoneDescriptor, nothing where nothing is known.
[[nodiscard]] std::string descriptorText(const Descriptor& descriptor);

/// Reads any text: what is no descriptor of torch 2.11 as repr writes it becomes an UnknownAOTInput, alone or
/// inside the descriptor around it, and prints as it was.
[[nodiscard]] AOTInput parseInputDescriptor(std::string_view text);
[[nodiscard]] AOTOutput parseOutputDescriptor(std::string_view text);
/// The same for what stands behind a placeholder or a returned value: "None" and nothing too.
[[nodiscard]] Descriptor parsePlaceholderDescriptor(std::string_view text);
[[nodiscard]] Descriptor parseReturnedDescriptor(std::string_view text);

} // namespace aotscope::ir
