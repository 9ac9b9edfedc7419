#pragma once

#include "base/describe.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::load {

/// The artifact in which torch 2.15 logs the Python code that it generated for the wrappers of one graph.
inline constexpr std::string_view wrapperSourcesArtifact = "aot_autograd_runtime_wrappers";

/// The code of one wrapper.
struct WrapperSource {
    /// "mutation_epilogue"
    std::string section;
    /// The code, without the section's heading.
    std::string text;
    /// The heading's line in the artifact, from 1.
    std::size_t line = 0;
    friend bool operator==(const WrapperSource&, const WrapperSource&) = default;
};
AOTSCOPE_MEMBERS(WrapperSource, section, text, line)

/// The sections of such an artifact, in order. Each begins with a line "# name", before which there is an
/// empty line or nothing. Follows torch 2.15, torch/_functorch/_aot_autograd/codegen.py:
/// _format_runtime_wrapper_sources. Text before the first heading belongs to no section; a text of very many
/// sections keeps the first.
[[nodiscard]] std::vector<WrapperSource> wrapperSources(std::string_view text);

} // namespace aotscope::load
