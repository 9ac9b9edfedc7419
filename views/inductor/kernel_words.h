#pragma once

#include "common/theme.h"
#include "files/generated_code.h"

#include <QString>

namespace aotscope::views {

/// What is known of a kernel, as rich text: kind and facts, launches, nodes with the evidence of each link,
/// source lines. Links: "node:NAME" with a name of the compiled graph, "line:N"
/// of the code, "source:FILE:LINE".
[[nodiscard]] QString kernelWords(const inductor::GeneratedCode& code, std::uint32_t kernel,
                                  const Theme& theme);
/// What could not be linked and why, as rich text; empty: everything was.
[[nodiscard]] QString unlinkedWords(const inductor::GeneratedCode& code, const Theme& theme);

} // namespace aotscope::views
