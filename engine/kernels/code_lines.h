#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace aotscope::kernels {

/// Which lines of a kernel's text the lines of its machine code came from.
struct CodeLines {
    /// For each line of the code, from the first, the line of the kernel's text, 1-based; 0: of none. Code of
    /// an inlined function of the prelude counts for the line that called it.
    std::vector<std::size_t> sourceLines;

    /// Lines of the code, 1-based, that came from that line of the text.
    [[nodiscard]] std::vector<std::size_t> codeLinesOf(std::size_t sourceLine) const;
};

/// From the `.loc` and `.file` directives of PTX. `file` is the kernel's file name (kernelFileName).
[[nodiscard]] CodeLines ptxLines(std::string_view ptx, std::string_view file);

/// From the line comments of `nvdisasm -gi`.
[[nodiscard]] CodeLines sassLines(std::string_view sass, std::string_view file);

} // namespace aotscope::kernels
